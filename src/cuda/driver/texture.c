// CUDA arrays, textures and surfaces of a GPU (device/texture.h).
#include "device/texture.h"
#include "cuda/driver/cuda.h"
#include "cuda/driver/graph.h"

static int format_of(const cp_texels *t) {
  if (t->kind == CP_CHANNEL_FLOAT) return t->bits == 16 ? CPCU_AD_FORMAT_HALF : CPCU_AD_FORMAT_FLOAT;
  if (t->kind == CP_CHANNEL_SIGNED)
    return t->bits == 8    ? CPCU_AD_FORMAT_SIGNED_INT8
           : t->bits == 16 ? CPCU_AD_FORMAT_SIGNED_INT16
                           : CPCU_AD_FORMAT_SIGNED_INT32;
  return t->bits == 8    ? CPCU_AD_FORMAT_UNSIGNED_INT8
         : t->bits == 16 ? CPCU_AD_FORMAT_UNSIGNED_INT16
                         : CPCU_AD_FORMAT_UNSIGNED_INT32;
}

static cp_status array_create(cp_device *base, const cp_texels *t, bool surface, void **out) {
  cp_cuda_device *d = cp_cuda_of(base);
  cpcu_array array = NULL;
  const cpcu_array_descriptor a = {.Width = t->width,
                                   .Height = t->height,
                                   .Depth = t->depth,
                                   .Format = format_of(t),
                                   .NumChannels = (unsigned)t->channels,
                                   .Flags = surface ? CPCU_CUDA_ARRAY3D_SURFACE_LDST : 0};
  CP_CUDA_CALL(d, cuArray3DCreate, &array, &a);
  *out = array;
  return CP_OK;
}

static cp_status end_array(cp_cuda_device *d, void *array) {
  CP_CUDA_CALL(d, cuArrayDestroy, array);
  return CP_OK;
}

static void array_destroy(cp_device *d, void *array) { (void)end_array(cp_cuda_of(d), array); }

static cpcu_resource_desc resource_of(const cp_texture_source *s) {
  const cp_texels *t = &s->texels;
  cpcu_resource_desc r = {.resType = (int)s->kind};
  if (s->kind == CP_RESOURCE_ARRAY) {
    r.res.array.hArray = s->pointer;
  } else if (s->kind == CP_RESOURCE_LINEAR) {
    r.res.linear.devPtr = cp_cuda_address(s->pointer);
    r.res.linear.format = format_of(t);
    r.res.linear.numChannels = (unsigned)t->channels;
    r.res.linear.sizeInBytes = t->width * cp_texel_size(t);
  } else {
    r.res.pitch2D.devPtr = cp_cuda_address(s->pointer);
    r.res.pitch2D.format = format_of(t);
    r.res.pitch2D.numChannels = (unsigned)t->channels;
    r.res.pitch2D.width = t->width;
    r.res.pitch2D.height = t->height;
    r.res.pitch2D.pitchInBytes = s->pitch;
  }
  return r;
}

static cp_status texture_create(cp_device *base, const cp_texture_source *s, const cp_sampling *how,
                                uint64_t *handle) {
  cp_cuda_device *d = cp_cuda_of(base);
  const cpcu_resource_desc r = resource_of(s);
  cpcu_texture_desc t = {.filterMode = how->filter, .maxAnisotropy = how->anisotropy};
  unsigned long long texture = 0;
  // Integers are read as they are unless they are to become fractions.
  if (s->texels.kind != CP_CHANNEL_FLOAT && how->read == CP_READ_ELEMENT)
    t.flags |= CPCU_TRSF_READ_AS_INTEGER;
  if (how->normalized) t.flags |= CPCU_TRSF_NORMALIZED_COORDINATES;
  if (how->srgb) t.flags |= CPCU_TRSF_SRGB;
  for (int k = 0; k < 3; k++) t.addressMode[k] = how->address[k];
  for (int k = 0; k < 4; k++) t.borderColor[k] = how->border[k];
  CP_CUDA_CALL(d, cuTexObjectCreate, &texture, &r, &t, NULL);
  *handle = texture;
  return CP_OK;
}

static cp_status end_texture(cp_cuda_device *d, uint64_t handle) {
  CP_CUDA_CALL(d, cuTexObjectDestroy, handle);
  return CP_OK;
}

static void texture_destroy(cp_device *d, uint64_t handle) { (void)end_texture(cp_cuda_of(d), handle); }

static cp_status surface_create(cp_device *base, void *array, uint64_t *handle) {
  cp_cuda_device *d = cp_cuda_of(base);
  const cpcu_resource_desc r = resource_of(&(cp_texture_source){.kind = CP_RESOURCE_ARRAY, .pointer = array});
  unsigned long long surface = 0;
  CP_CUDA_CALL(d, cuSurfObjectCreate, &surface, &r);
  *handle = surface;
  return CP_OK;
}

static cp_status end_surface(cp_cuda_device *d, uint64_t handle) {
  CP_CUDA_CALL(d, cuSurfObjectDestroy, handle);
  return CP_OK;
}

static void surface_destroy(cp_device *d, uint64_t handle) { (void)end_surface(cp_cuda_of(d), handle); }

const cp_texture_ops cp_cuda_texture_ops = {.array_create = array_create,
                                            .array_destroy = array_destroy,
                                            .texture_create = texture_create,
                                            .texture_destroy = texture_destroy,
                                            .surface_create = surface_create,
                                            .surface_destroy = surface_destroy};
