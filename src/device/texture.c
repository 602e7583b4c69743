// CUDA arrays, textures and surfaces in the host's memory (texture.h).
#include "device/texture.h"

#include <stdlib.h>

typedef struct plain_array {
  cp_texels texels;
  _Alignas(16) char data[];
} plain_array;

// What kernels read; ORDER as cp_texels in kernels/user/textures.h.
typedef struct plain_texture {
  char *data;
  size_t pitch, plane; // bytes between rows and between planes
  long long length[3]; // in elements, at least 1
  int dimensions, bits, channels, kind;
  int address[3], filter, normalize, normalized, srgb;
  float border[4];
} plain_texture;

char *cp_plain_array_data(const void *array) { return ((plain_array *)(uintptr_t)array)->data; }

static cp_status array_create(cp_device *d, const cp_texels *t, bool surface, void **out) {
  (void)d, (void)surface;
  plain_array *a = calloc(1, sizeof *a + cp_texel_count(t) * cp_texel_size(t));
  if (a == NULL) return cp_no_memory("making a CUDA array");
  a->texels = *t;
  *out = a;
  return CP_OK;
}

static void array_destroy(cp_device *d, void *array) {
  (void)d;
  free(array);
}

static plain_texture *new_texture(const cp_texels *t, char *data, size_t pitch) {
  plain_texture *p = calloc(1, sizeof *p);
  if (p == NULL) return NULL;
  *p = (plain_texture){.data = data,
                       .pitch = pitch,
                       .length = {(long long)t->width, t->height > 0 ? (long long)t->height : 1,
                                  t->depth > 0 ? (long long)t->depth : 1},
                       .dimensions = t->depth > 0    ? 3
                                     : t->height > 0 ? 2
                                                     : 1,
                       .bits = t->bits,
                       .channels = t->channels,
                       .kind = (int)t->kind};
  p->plane = pitch * (size_t)p->length[1];
  return p;
}

static plain_texture *of_array(void *array) {
  plain_array *a = array;
  return new_texture(&a->texels, a->data, a->texels.width * cp_texel_size(&a->texels));
}

static cp_status texture_create(cp_device *d, const cp_texture_source *s, const cp_sampling *how,
                                uint64_t *handle) {
  (void)d;
  plain_texture *p =
      s->kind == CP_RESOURCE_ARRAY ? of_array(s->pointer) : new_texture(&s->texels, s->pointer, s->pitch);
  if (p == NULL) return cp_no_memory("making a texture");
  for (int k = 0; k < 3; k++) {
    const int mode = how->address[k];
    const bool whole = mode == CP_ADDRESS_WRAP || mode == CP_ADDRESS_MIRROR; // of normalised coordinates only
    p->address[k] = whole && !how->normalized ? CP_ADDRESS_CLAMP : mode;
  }
  p->filter = how->filter;
  p->normalize = how->read == CP_READ_NORMALIZED && s->texels.kind != CP_CHANNEL_FLOAT;
  p->normalized = how->normalized;
  p->srgb = how->srgb;
  for (int k = 0; k < 4; k++) p->border[k] = how->border[k];
  *handle = (uint64_t)(uintptr_t)p;
  return CP_OK;
}

static cp_status surface_create(cp_device *d, void *array, uint64_t *handle) {
  (void)d;
  plain_texture *p = of_array(array);
  if (p == NULL) return cp_no_memory("making a surface");
  *handle = (uint64_t)(uintptr_t)p;
  return CP_OK;
}

static void destroy(cp_device *d, uint64_t handle) {
  (void)d;
  free((void *)(uintptr_t)handle);
}

const cp_texture_ops cp_plain_texture_ops = {.array_create = array_create,
                                             .array_destroy = array_destroy,
                                             .texture_create = texture_create,
                                             .texture_destroy = destroy,
                                             .surface_create = surface_create,
                                             .surface_destroy = destroy};
