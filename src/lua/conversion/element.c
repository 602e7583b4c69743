// Reads elements of arrays for Lua. On a GPU it reads them from a mirror: a host copy of the bytes around
// them, which the storage keeps until its memory is written.
#include "lua/conversion/element.h"
#include "lua/values/handle.h"

#include <stdlib.h>

enum { MIRROR_BYTES = 65536 }; // the size of the largest mirror

static cp_status copy_to_host(cp_state *s, cp_buffer *b, void *to, const char *from, size_t bytes) {
  cp_stream *stream;
  CP_TRY(cp_context_stream(&s->ctx, b->device, &stream));
  CP_TRY(cp_before_read(&s->ctx, stream, b));
  double begin = cp_sync_begin(&s->ctx);
  cp_status status = b->device->ops->copy(stream, to, from, bytes, CP_TO_HOST);
  cp_sync_end(&s->ctx, begin);
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
static cp_status make_mirror(cp_state *s, cp_storage *storage, int64_t from, int64_t to) {
  char *mirror = malloc((size_t)(to - from));
  if (mirror == NULL) return cp_no_memory(NULL);
  cp_status status =
      copy_to_host(s, storage->buffer, mirror, storage->buffer->pointer + from, (size_t)(to - from));
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
static cp_status fetch(cp_state *s, const cp_array *a, int64_t offset, char *element, const char **p) {
  cp_storage *storage = a->storage;
  int64_t from, to, size = (int64_t)cp_itemsize(a->dtype);
  bool exposed = storage->buffer->exposed != 0;
  bool there = !exposed && storage->mirror != NULL && offset >= storage->mirror_from &&
               offset + size <= storage->mirror_to;
  if (!there && !exposed && mirrored_span(a, &from, &to)) {
    CP_TRY(make_mirror(s, storage, from, to));
    there = true;
  }
  *p = there ? storage->mirror + (offset - storage->mirror_from) : element;
  return there ? CP_OK
               : copy_to_host(s, storage->buffer, element, storage->buffer->pointer + offset, (size_t)size);
}

cp_status cp_load_element(lua_State *L, const char *where, const cp_array *a, int64_t offset,
                          cp_scalar *value) {
  char element[sizeof(cp_complex128)];
  const char *from = a->storage->buffer->pointer + offset;
  CP_TRY(cp_may_wait(a->context, a->device));
  if (a->device != cp_device_cpu()) {
    cp_state *s = cp_state_get(L);
    s->ctx.lazy.caller = where;
    CP_TRY(fetch(s, a, offset, element, &from));
  } else if (a->storage->buffer->transfer != NULL) {
    cp_state *s = cp_state_get(L);
    s->ctx.lazy.caller = where;
    CP_TRY(cp_await_transfer(&s->ctx, a->storage->buffer));
    // On a GPU the read would wait here, so the profiler's hook is told of a wait of no length.
  } else if (a->context != NULL && a->context->hooks.sync_note != NULL) {
    a->context->lazy.caller = where;
    cp_sync_end(a->context, cp_clock());
  }
  *value = cp_scalar_load(from, a->dtype);
  return CP_OK;
}

cp_scalar cp_read_element(lua_State *L, const char *where, cp_array *a, const int64_t *positions) {
  cp_scalar value = {0};
  cp_need(L, where, a);
  int64_t offset = a->offset;
  for (int k = 0; k < a->ndim; k++) offset += positions[k] * a->strides[k];
  CP_CHECK(L, where, cp_load_element(L, where, a, offset, &value));
  return value;
}
