// Arrays and storages: initializing, allocating, sharing and releasing them (array.h).
#include "array/array.h"
#include "array/freed_structs.h"
#include "memory/allocator.h"

#include <stdlib.h>
#include <string.h>

cp_array *cp_array_local_init(cp_array_local *l) {
  l->a = (cp_array){.shape = l->dims, .strides = l->dims + CP_MAXDIM};
  return &l->a;
}

// `to` and `from` may overlap.
static void copy_dims(int64_t *to, const int64_t *from, int ndim) {
  if (ndim == 1)
    to[0] = from[0];
  else if (ndim > 0)
    memmove(to, from, (size_t)ndim * sizeof *to);
}

void cp_array_copy_view(cp_array *to, const cp_array *from) {
  if (to == from) return;
  if (from->storage != NULL) from->storage->refs++;
  cp_array_release(to);
  int64_t *shape = to->shape, *strides = to->strides;
  cp_context *context = to->context;
  uint32_t index = to->handle_index;
  *to = *from;
  to->context = context;
  to->handle_index = index;
  to->node = NULL; // views do not share a pending value
  to->shape = shape;
  to->strides = strides;
  copy_dims(shape, from->shape, from->ndim);
  copy_dims(strides, from->strides, from->ndim);
}

static void drop_mirror(cp_storage *s) {
  free(s->mirror);
  s->mirror = NULL;
}

void cp_storage_touch(cp_storage *s) {
  drop_mirror(s);
  if (s->buffer != NULL) cp_buffer_forget(s->buffer);
  s->version++;
}

static void drop_buffer(cp_storage *s) {
  cp_buffer *b = s->buffer;
  s->buffer = NULL;
  if (b == NULL) return;
  cp_buffer_disown(b);
  cp_buffer_release(b);
}

void cp_storage_rename(cp_storage *s, cp_buffer *b) {
  drop_buffer(s);
  cp_buffer_own(b);
  s->buffer = b;
}

void cp_storage_free_memory(cp_storage *s) {
  drop_mirror(s);
  drop_buffer(s);
}

// The storage keeps one reference until its buffer is released, so that their combined allocation is freed
// only once.
void cp_storage_end(cp_storage *s) {
  s->refs = 1;
  cp_combined *p = (cp_combined *)(void *)s; // of which the storage is the first member
  cp_struct_prefetch(p->earlier);            // a collector frees arrays from the latest to the earliest
  cp_context *ctx = s->buffer != NULL ? s->buffer->context : NULL;
  cp_storage_free_memory(s);
  s->refs = 0;
  if (p->buffer.refs > 0) return;
  if (ctx != NULL)
    cp_struct_put(ctx, &ctx->arrays.combined, p);
  else
    free(p);
}

static inline cp_storage *place_storage(cp_combined *p, cp_buffer *b, size_t nbytes) {
  p->storage = (cp_storage){.refs = 1, .nbytes = nbytes, .buffer = b};
  cp_buffer_own(b);
  return &p->storage;
}

cp_storage *cp_storage_on(cp_context *ctx, cp_buffer *b, size_t nbytes) {
  cp_combined *p = cp_combined_of(b);
  if (p->storage.refs > 0) { // in use: another storage shares the buffer
    p = cp_struct_take(&ctx->arrays.combined, sizeof *p);
    if (p == NULL) return NULL;
    p->buffer.refs = 0;
    p->earlier = 0;
  }
  return place_storage(p, b, nbytes);
}

static inline cp_status allocate_in(cp_context *ctx, cp_array *a, cp_device *device, cp_pool *pool,
                                    cp_dtype dtype) {
  int64_t size;
  cp_buffer *b;
  CP_TRY(cp_shape_size(a->ndim, a->shape, cp_itemsize(dtype), &size));
  size_t nbytes = (size_t)size * cp_itemsize(dtype);
  CP_TRY(cp_buffer_new_from(ctx, device, pool, nbytes, &b));
  a->storage = place_storage(cp_combined_of(b), b, nbytes);
  a->device = device;
  a->dtype = dtype;
  a->size = size;
  a->offset = 0;
  a->readonly = false;
  return CP_OK;
}

cp_status cp_array_allocate(cp_context *ctx, cp_array *a, cp_device *device, cp_dtype dtype) {
  cp_pool *pool;
  CP_TRY(cp_context_pool(ctx, device, &pool));
  return allocate_in(ctx, a, device, pool, dtype);
}

cp_status cp_array_allocate_from(cp_context *ctx, cp_array *a, cp_pool *pool, cp_dtype dtype) {
  return allocate_in(ctx, a, cp_pool_device(pool), pool, dtype);
}

cp_status cp_array_layout(cp_array *a, cp_dtype dtype, int ndim, const int64_t *shape, char order) {
  int64_t size;
  if (ndim > CP_MAXDIM)
    return cp_fail(CP_ESHAPE, "%d dimensions are too many; at most %d are possible", ndim, CP_MAXDIM);
  CP_TRY(cp_shape_size(ndim, shape, cp_itemsize(dtype), &size));
  copy_dims(a->shape, shape, ndim);
  cp_contiguous_strides(ndim, a->shape, cp_itemsize(dtype), order, a->strides);
  a->dtype = dtype;
  a->ndim = (uint8_t)ndim;
  a->size = size;
  return CP_OK;
}

cp_status cp_array_fail_freed(void) { return cp_fail(CP_EUSAGE, "the array's memory was freed"); }

cp_status cp_array_pointer(const cp_array *a, char **p) {
  CP_TRY(cp_array_check(a));
  *p = cp_address(a);
  return CP_OK;
}

bool cp_array_covers_storage(const cp_array *a) {
  int order[CP_MAXDIM];
  int64_t dense[CP_MAXDIM];
  const int64_t *strides = a->strides;
  if ((size_t)a->size * cp_itemsize(a->dtype) != a->storage->nbytes) return false;
  if (cp_array_contiguous(a, 'C')) return true;
  cp_stride_order(a->ndim, a->shape, 1, &strides, order);
  cp_ordered_strides(a->ndim, a->shape, cp_itemsize(a->dtype), order, dense);
  for (int d = 0; d < a->ndim; d++)
    if (a->shape[d] > 1 && dense[d] != (a->strides[d] < 0 ? -a->strides[d] : a->strides[d])) return false;
  return true;
}

bool cp_may_overlap(const cp_array *a, const cp_array *b) {
  if (a->storage == NULL || b->storage == NULL || a->storage->buffer == NULL || b->storage->buffer == NULL)
    return false;
  cp_region of_a = cp_array_region(a), of_b = cp_array_region(b);
  return cp_regions_overlap(&of_a, &of_b);
}
