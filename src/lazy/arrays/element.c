// Reads single elements of arrays. On a GPU it reads them from a mirror: a host copy of the bytes around
// them, which the storage keeps until its memory is written.
#include "lazy/arrays/element.h"

#include "lazy/evaluation/force.h"
#include "lazy/work/order.h"

#include <stdlib.h>

enum { MIRROR_BYTES = 65536 }; // the size of the largest mirror

static cp_status copy_to_host(cp_context *ctx, cp_buffer *b, void *to, const char *from, size_t bytes) {
  cp_stream *stream;
  CP_TRY(cp_context_stream(ctx, b->device, &stream));
  CP_TRY(cp_before_read(ctx, stream, b));
  double begin = cp_sync_begin(ctx);
  cp_status status = b->device->ops->copy(stream, to, from, bytes, CP_TO_HOST);
  cp_sync_end(ctx, begin);
  return status;
}

// Chooses which bytes of a's storage to mirror: all of them if they are few, else those that the view a
// spans. Returns false if these are too many, or if a is a single element, which is no reason to drop the
// mirror that exists.
static bool mirrored_span(const cp_array *a, int64_t *from, int64_t *to) {
  *from = 0;
  *to = (int64_t)a->storage->nbytes;
  if (*to <= MIRROR_BYTES) return true;
  if (a->size == 1) return false;
  cp_extent(a->ndim, a->shape, a->strides, cp_itemsize(a->dtype), from, to);
  *from += a->offset;
  *to += a->offset;
  return *to - *from <= MIRROR_BYTES;
}

// Replaces the storage's mirror by a copy of these bytes.
static cp_status make_mirror(cp_context *ctx, cp_storage *storage, int64_t from, int64_t to) {
  char *mirror = malloc((size_t)(to - from));
  if (mirror == NULL) return cp_no_memory(NULL);
  cp_status status =
      copy_to_host(ctx, storage->buffer, mirror, storage->buffer->pointer + from, (size_t)(to - from));
  if (status != CP_OK) {
    free(mirror);
    return status;
  }
  free(storage->mirror);
  storage->mirror = mirror;
  storage->mirror_from = from;
  storage->mirror_to = to;
  return CP_OK;
}

// Sets *p to a host copy of an element of the GPU array a, at `offset` bytes from the storage's start. It is
// in the storage's mirror, which is made now if a spans few bytes; otherwise the element is copied to
// `element`.
static cp_status fetch(cp_context *ctx, const cp_array *a, int64_t offset, char *element, const char **p) {
  cp_storage *storage = a->storage;
  int64_t from, to, size = (int64_t)cp_itemsize(a->dtype);
  bool exposed = storage->buffer->exposed != 0;
  bool there = !exposed && storage->mirror != NULL && offset >= storage->mirror_from &&
               offset + size <= storage->mirror_to;
  if (!there && !exposed && mirrored_span(a, &from, &to)) {
    CP_TRY(make_mirror(ctx, storage, from, to));
    there = true;
  }
  *p = there ? storage->mirror + (offset - storage->mirror_from) : element;
  return there ? CP_OK
               : copy_to_host(ctx, storage->buffer, element, storage->buffer->pointer + offset, (size_t)size);
}

cp_status cp_load_element(cp_context *ctx, const cp_array *a, int64_t offset, cp_scalar *value) {
  char element[sizeof(cp_complex128)];
  const char *from = a->storage->buffer->pointer + offset;
  CP_TRY(cp_may_wait(ctx, a->device));
  if (a->device != cp_device_cpu())
    CP_TRY(fetch(ctx, a, offset, element, &from));
  else if (a->storage->buffer->transfer != NULL)
    CP_TRY(cp_await_transfer(ctx, a->storage->buffer));
  // On a GPU the read would wait here, so the profiler's hook is told of a wait of no length.
  else if (ctx->hooks.sync_note != NULL)
    cp_sync_end(ctx, cp_clock());
  *value = cp_scalar_load(from, a->dtype);
  return CP_OK;
}

cp_status cp_element_at(cp_context *ctx, cp_array *a, const int64_t *positions, cp_scalar *value) {
  CP_TRY(cp_force(ctx, a));
  int64_t offset = a->offset;
  for (int k = 0; k < a->ndim; k++) offset += positions[k] * a->strides[k];
  return cp_load_element(ctx, a, offset, value);
}
