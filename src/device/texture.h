// CUDA arrays, textures and surfaces: cp_device_ops.textures. A device whose memory is the host's names
// cp_plain_texture_ops, whose handles are addresses of what user kernels read (kernels/user/textures.h).
#ifndef CP_DEVICE_TEXTURE_H
#define CP_DEVICE_TEXTURE_H

#include "device/device.h"

// CUDA's numbers.
typedef enum cp_channel { CP_CHANNEL_SIGNED, CP_CHANNEL_UNSIGNED, CP_CHANNEL_FLOAT } cp_channel;
enum { CP_ADDRESS_WRAP, CP_ADDRESS_CLAMP, CP_ADDRESS_MIRROR, CP_ADDRESS_BORDER };
enum { CP_FILTER_POINT, CP_FILTER_LINEAR };
enum { CP_READ_ELEMENT, CP_READ_NORMALIZED };
typedef enum cp_resource {
  CP_RESOURCE_ARRAY = 0,
  CP_RESOURCE_LINEAR = 2,
  CP_RESOURCE_PITCHED = 3
} cp_resource;

// The elements of an array, or of memory that a texture reads.
typedef struct cp_texels {
  cp_channel kind;
  int bits, channels;          // of a channel: 8, 16, 32; their number: 1, 2, 4
  size_t width, height, depth; // in elements; 0: there is no such dimension
} cp_texels;
static inline size_t cp_texel_size(const cp_texels *t) { return (size_t)(t->bits / 8 * t->channels); }
static inline size_t cp_texel_count(const cp_texels *t) {
  return t->width * (t->height > 0 ? t->height : 1) * (t->depth > 0 ? t->depth : 1);
}

typedef struct cp_texture_source {
  cp_resource kind;
  void *pointer; // the array's handle, or the address of the first element
  size_t pitch;  // bytes between rows of CP_RESOURCE_PITCHED
  cp_texels texels;
} cp_texture_source;

typedef struct cp_sampling {
  int address[3], filter, read;
  bool normalized, srgb;
  unsigned anisotropy;
  float border[4];
} cp_sampling;

typedef struct cp_texture_ops {
  // A new array; surface: kernels may write it. Its memory is not set.
  cp_status (*array_create)(cp_device *d, const cp_texels *t, bool surface, void **array);
  void (*array_destroy)(cp_device *d, void *array);
  cp_status (*texture_create)(cp_device *d, const cp_texture_source *s, const cp_sampling *how,
                              uint64_t *handle);
  void (*texture_destroy)(cp_device *d, uint64_t handle);
  cp_status (*surface_create)(cp_device *d, void *array, uint64_t *handle);
  void (*surface_destroy)(cp_device *d, uint64_t handle);
} cp_texture_ops;

extern const cp_texture_ops cp_plain_texture_ops, cp_cuda_texture_ops;

// The first element of an array of cp_plain_texture_ops.
char *cp_plain_array_data(const void *array);

#endif
