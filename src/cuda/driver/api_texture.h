// The part of api.h that is about CUDA arrays, textures and surfaces: their types, constants and functions.
#ifndef CP_CUDA_DRIVER_API_TEXTURE_H
#define CP_CUDA_DRIVER_API_TEXTURE_H

#include <stddef.h>

// clang-format off
#define CPCU_TEXTURE_TYPES(CU_TYPE) \
  CU_TYPE(cpcu_array_descriptor, CUDA_ARRAY3D_DESCRIPTOR, struct cpcu_array_fields) \
  CU_TYPE(cpcu_resource_desc,  CUDA_RESOURCE_DESC,     struct cpcu_resource_fields) \
  CU_TYPE(cpcu_texture_desc,   CUDA_TEXTURE_DESC,      struct cpcu_texture_fields) \
  CU_TYPE(cpcu_resource_view,  CUDA_RESOURCE_VIEW_DESC, struct cpcu_view_fields) \
  CU_TYPE(cpcu_texture,        CUtexObject,            unsigned long long) \
  CU_TYPE(cpcu_surface,        CUsurfObject,           unsigned long long)
// clang-format on

struct cpcu_array_fields {
  size_t Width, Height, Depth; // in elements; 0: there is no such dimension
  int Format;                  // CPCU_AD_FORMAT_
  unsigned NumChannels, Flags;
};

// What a texture or surface reads.
struct cpcu_resource_fields {
  int resType; // CPCU_RESOURCE_TYPE_
  union {
    struct {
      void *hArray;
    } array;
    struct {
      unsigned long long devPtr;
      int format;
      unsigned numChannels;
      size_t sizeInBytes;
    } linear;
    struct {
      unsigned long long devPtr;
      int format;
      unsigned numChannels;
      size_t width, height, pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned flags;
};

struct cpcu_texture_fields {
  int addressMode[3], filterMode;
  unsigned flags, maxAnisotropy; // CPCU_TRSF_
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
  int reserved[12];
};

struct cpcu_view_fields { // never used: NULL is passed
  int format;
  size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
};

// clang-format off
#define CPCU_TEXTURE_CONSTANTS(CU_ENUM) \
  CU_ENUM(CU_, MEMORYTYPE_ARRAY,                        3) \
  CU_ENUM(CU_, AD_FORMAT_UNSIGNED_INT8,              0x01) \
  CU_ENUM(CU_, AD_FORMAT_UNSIGNED_INT16,             0x02) \
  CU_ENUM(CU_, AD_FORMAT_UNSIGNED_INT32,             0x03) \
  CU_ENUM(CU_, AD_FORMAT_SIGNED_INT8,                0x08) \
  CU_ENUM(CU_, AD_FORMAT_SIGNED_INT16,               0x09) \
  CU_ENUM(CU_, AD_FORMAT_SIGNED_INT32,               0x0a) \
  CU_ENUM(CU_, AD_FORMAT_HALF,                       0x10) \
  CU_ENUM(CU_, AD_FORMAT_FLOAT,                      0x20) \
  CU_ENUM(, CUDA_ARRAY3D_SURFACE_LDST,               0x02) \
  CU_ENUM(CU_, RESOURCE_TYPE_ARRAY,                     0) \
  CU_ENUM(CU_, RESOURCE_TYPE_LINEAR,                    2) \
  CU_ENUM(CU_, RESOURCE_TYPE_PITCH2D,                   3) \
  CU_ENUM(CU_, TR_ADDRESS_MODE_BORDER,                  3) \
  CU_ENUM(CU_, TR_FILTER_MODE_LINEAR,                   1) \
  CU_ENUM(CU_, TRSF_READ_AS_INTEGER,                 0x01) \
  CU_ENUM(CU_, TRSF_NORMALIZED_COORDINATES,          0x02) \
  CU_ENUM(CU_, TRSF_SRGB,                            0x10)

#define CPCU_TEXTURE_FUNCTIONS(CU_FN) \
  CU_FN(cuArray3DCreate, cuArray3DCreate_v2, (cpcu_array *array, const cpcu_array_descriptor *a)) \
  CU_FN(cuArrayDestroy, cuArrayDestroy, (cpcu_array array)) \
  CU_FN(cuTexObjectCreate, cuTexObjectCreate, \
        (cpcu_texture *texture, const cpcu_resource_desc *resource, const cpcu_texture_desc *how, \
         const cpcu_resource_view *view)) \
  CU_FN(cuTexObjectDestroy, cuTexObjectDestroy, (cpcu_texture texture)) \
  CU_FN(cuSurfObjectCreate, cuSurfObjectCreate, (cpcu_surface *surface, const cpcu_resource_desc *resource)) \
  CU_FN(cuSurfObjectDestroy, cuSurfObjectDestroy, (cpcu_surface surface))
// clang-format on

#endif
