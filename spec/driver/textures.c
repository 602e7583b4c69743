// CUDA arrays, textures and surfaces of the simulated driver: descriptions are checked as CUDA checks them,
// and copies of arrays move bytes.
#include "driver.h"

#include <string.h>

enum { MOST = 256 };

struct cpcu_array_handle {
  cpcu_array_descriptor about;
  size_t element;
  const void *context;
  char *data;
};

static size_t bytes_of(int format) {
  switch (format) {
  case CPCU_AD_FORMAT_UNSIGNED_INT8:
  case CPCU_AD_FORMAT_SIGNED_INT8: return 1;
  case CPCU_AD_FORMAT_UNSIGNED_INT16:
  case CPCU_AD_FORMAT_SIGNED_INT16:
  case CPCU_AD_FORMAT_HALF: return 2;
  case CPCU_AD_FORMAT_UNSIGNED_INT32:
  case CPCU_AD_FORMAT_SIGNED_INT32:
  case CPCU_AD_FORMAT_FLOAT: return 4;
  default: return 0;
  }
}

static bool is_element(int format, unsigned channels) {
  return bytes_of(format) > 0 && (channels == 1 || channels == 2 || channels == 4);
}

int cuArray3DCreate_v2(cpcu_array *out, const cpcu_array_descriptor *a) {
  driver_forbid(driver_capturing(), "cuArray3DCreate inside of a capture");
  if (!is_element(a->Format, a->NumChannels) || a->Width == 0 || (a->Depth > 0 && a->Height == 0) ||
      (a->Flags & ~(unsigned)CPCU_CUDA_ARRAY3D_SURFACE_LDST) != 0)
    return CPCU_ERROR_INVALID_VALUE;
  struct cpcu_array_handle *h = calloc(1, sizeof *h);
  h->about = *a;
  h->element = bytes_of(a->Format) * a->NumChannels;
  h->context = driver_context();
  h->data = calloc(a->Width * (a->Height > 0 ? a->Height : 1) * (a->Depth > 0 ? a->Depth : 1), h->element);
  *out = h;
  return CPCU_SUCCESS;
}

int cuArrayDestroy(cpcu_array array) {
  driver_forbid(driver_capturing(), "cuArrayDestroy inside of a capture");
  driver_forbid(array == NULL || array->data == NULL, "cuArrayDestroy of what is no array");
  driver_finish(array->context);
  free(array->data);
  array->data = NULL; // the handle stays, so that a second call is noticed
  return CPCU_SUCCESS;
}

bool driver_array_row(const void *array, size_t x, size_t y, size_t z, size_t width, char **row) {
  const struct cpcu_array_handle *h = array;
  const size_t rows = h->about.Height > 0 ? h->about.Height : 1,
               planes = h->about.Depth > 0 ? h->about.Depth : 1;
  driver_forbid(h->data == NULL, "a copy of an array that was destroyed");
  driver_forbid(h->context != driver_context(), "a copy of an array of another context");
  if (x + width > h->about.Width * h->element || y >= rows || z >= planes) return false;
  *row = h->data + (z * rows + y) * h->about.Width * h->element + x;
  return true;
}

// ---- textures and surfaces: the handles are numbers from 1 ----

static char state[MOST]; // of each handle: 't', 's', or 0

static int new_handle(char kind, unsigned long long *out) {
  for (int k = 1; k < MOST; k++)
    if (state[k] == 0) {
      state[k] = kind;
      *out = (unsigned long long)k;
      return CPCU_SUCCESS;
    }
  return CPCU_ERROR_OUT_OF_MEMORY;
}

static int end_handle(char kind, unsigned long long handle) {
  driver_forbid(driver_capturing(), "a texture is destroyed inside of a capture");
  driver_forbid(handle == 0 || handle >= MOST || state[handle] != kind, "destroying what is no such texture");
  state[handle] = 0;
  return CPCU_SUCCESS;
}

static bool is_array(const cpcu_resource_desc *r) {
  const struct cpcu_array_handle *h = r->res.array.hArray;
  return r->resType == CPCU_RESOURCE_TYPE_ARRAY && h != NULL && h->data != NULL;
}

static bool is_memory(const cpcu_resource_desc *r) {
  if (r->resType == CPCU_RESOURCE_TYPE_LINEAR)
    return is_element(r->res.linear.format, r->res.linear.numChannels) && r->res.linear.devPtr % 512 == 0 &&
           driver_place(driver_pointer(r->res.linear.devPtr)) != HOST && r->res.linear.sizeInBytes > 0;
  return r->resType == CPCU_RESOURCE_TYPE_PITCH2D &&
         is_element(r->res.pitch2D.format, r->res.pitch2D.numChannels) && r->res.pitch2D.devPtr % 512 == 0 &&
         driver_place(driver_pointer(r->res.pitch2D.devPtr)) != HOST &&
         r->res.pitch2D.pitchInBytes % 32 == 0 &&
         r->res.pitch2D.width * bytes_of(r->res.pitch2D.format) * r->res.pitch2D.numChannels <=
             r->res.pitch2D.pitchInBytes;
}

static int format_of(const cpcu_resource_desc *r) {
  if (r->resType == CPCU_RESOURCE_TYPE_ARRAY)
    return ((struct cpcu_array_handle *)r->res.array.hArray)->about.Format;
  return r->resType == CPCU_RESOURCE_TYPE_LINEAR ? r->res.linear.format : r->res.pitch2D.format;
}

int cuTexObjectCreate(unsigned long long *out, const cpcu_resource_desc *r, const cpcu_texture_desc *t,
                      const cpcu_resource_view *view) {
  driver_forbid(driver_capturing(), "cuTexObjectCreate inside of a capture");
  if (view != NULL || r->flags != 0 || !(is_array(r) || is_memory(r))) return CPCU_ERROR_INVALID_VALUE;
  for (int k = 0; k < 3; k++)
    if (t->addressMode[k] < 0 || t->addressMode[k] > CPCU_TR_ADDRESS_MODE_BORDER)
      return CPCU_ERROR_INVALID_VALUE;
  const int format = format_of(r);
  const bool whole = format != CPCU_AD_FORMAT_FLOAT && format != CPCU_AD_FORMAT_HALF;
  const bool as_integer = (t->flags & CPCU_TRSF_READ_AS_INTEGER) != 0;
  if (whole && as_integer && t->filterMode == CPCU_TR_FILTER_MODE_LINEAR) return CPCU_ERROR_INVALID_VALUE;
  if (whole && !as_integer && bytes_of(format) == 4) return CPCU_ERROR_INVALID_VALUE;
  return new_handle('t', out);
}

int cuTexObjectDestroy(unsigned long long texture) { return end_handle('t', texture); }

int cuSurfObjectCreate(unsigned long long *out, const cpcu_resource_desc *r) {
  driver_forbid(driver_capturing(), "cuSurfObjectCreate inside of a capture");
  if (!is_array(r) ||
      (((struct cpcu_array_handle *)r->res.array.hArray)->about.Flags & CPCU_CUDA_ARRAY3D_SURFACE_LDST) == 0)
    return CPCU_ERROR_INVALID_VALUE;
  return new_handle('s', out);
}

int cuSurfObjectDestroy(unsigned long long surface) { return end_handle('s', surface); }
