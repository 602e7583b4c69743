// Copies between a GPU and page-locked memory of the host, which run while the host goes on (lazy/order.h says how the host waits for them), and
// assignment from one device to another; copies from the host's memory into arrays.
#include "lua/conversion/convert.h"

#include "memory/allocator.h"

static bool is_page_locked(const cp_array *a) {
  return a->storage != NULL && a->storage->buffer != NULL && cp_block_is_pinned(a->storage->buffer->block);
}

bool cp_is_pinned(const cp_array *a) {
  return a->storage != NULL && a->storage->buffer != NULL &&
         (a->storage->buffer->foreign & CP_FOREIGN_PINNED) != 0;
}

// Between the streams' notes and the copy nothing may come.
static cp_status queue_copy(cp_context *ctx, const cp_array *from, const cp_array *to, bool up) {
  cp_stream *s;
  char *src, *dst;
  const cp_array *host = up ? from : to, *other = up ? to : from;
  cp_buffer *b = host->storage->buffer;
  CP_TRY(cp_array_pointer(from, &src));
  CP_TRY(cp_array_pointer(to, &dst));
  CP_TRY(cp_context_stream(ctx, other->device, &s));
  if (s->capturing)
    return cp_fail(CP_EUSAGE, "memory of the host cannot be copied while a graph is captured");
  CP_TRY(cp_before_transfer(ctx, s, b, !up));
  CP_TRY((up ? cp_before_write : cp_before_read)(ctx, s, other->storage->buffer));
  CP_TRY(s->device->ops->memory->copy_pinned(s, dst, src, (size_t)from->size * cp_itemsize(from->dtype),
                                             up ? CP_TO_DEVICE : CP_TO_HOST));
  return cp_after_transfer(ctx, s, b);
}

bool cp_copy_pinned(lua_State *L, const char *where, const cp_array *from, const cp_array *to) {
  bool up = from->device == cp_device_cpu();
  const cp_array *host = up ? from : to, *other = up ? to : from;
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (host->device == other->device || !is_page_locked(host) || other->device->ops->memory == NULL)
    return false;
  ctx->why = where;
  CP_CHECK(L, where, queue_copy(ctx, from, to, up));
  return true;
}

// Whether value's bytes as they lie in memory are target's.
static bool is_plain_copy(const cp_array *target, const cp_array *value) {
  return value->dtype == target->dtype &&
         cp_shape_equal(value->ndim, value->shape, target->ndim, target->shape) &&
         cp_array_contiguous(value, 'C') && cp_array_contiguous(target, 'C');
}

// Pushes, on value's device, an array of target's dtype and shape with what the assignment would write.
static cp_array *push_converted(lua_State *L, const char *where, const cp_array *target, cp_array *value) {
  cp_node *root = NULL;
  cp_array *copy = cp_push_new_array(L, where, value->device, target->dtype, target->ndim, target->shape);
  CP_CHECK(L, where, cp_array_node(value, &root));
  CP_CHECK(L, where, cp_assign(&cp_state_get(L)->ctx, copy, root, CP_MAY_RENAME));
  return copy;
}

bool cp_assign_across(lua_State *L, const char *where, cp_array *target, cp_array *value, bool always) {
  if (target->device == value->device) return false;
  cp_check_captured_copy(L, where, value->device, target->device);
  cp_need(L, where, value);
  if (target->node != NULL) cp_need(L, where, target); // a selection is a view without a state
  if (!always && !is_page_locked(target) && !is_page_locked(value)) return false;
  if (target->readonly)
    cp_raise(L, where, CP_EUSAGE, "the array is a broadcast view, which cannot be written");
  if (!is_plain_copy(target, value)) value = push_converted(L, where, target, value);
  if (target->size == 0) return true;
  if (cp_array_contiguous(target, 'C')) {
    cp_transfer(L, where, value, target);
    return true;
  }
  cp_node *root = NULL;
  cp_array *there = cp_push_on_device(L, where, value, target->device);
  CP_CHECK(L, where, cp_array_node(there, &root));
  CP_CHECK(L, where, cp_assign(&cp_state_get(L)->ctx, target, root, CP_MAY_RENAME));
  return true;
}

// The memory of target, which the stream may write from now on.
static char *open_target(lua_State *L, const char *where, cp_array *target, cp_stream **stream) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  char *p;
  CP_CHECK(L, where, cp_begin_write(ctx, target, true));
  CP_CHECK(L, where, cp_array_pointer(target, &p));
  CP_CHECK(L, where, cp_context_stream(ctx, target->device, stream));
  CP_CHECK(L, where, cp_before_write(ctx, *stream, target->storage->buffer));
  ctx->why = where;
  return p;
}

void cp_upload(lua_State *L, const char *where, cp_array *target, const void *host) {
  cp_stream *stream;
  if (target->size == 0) return;
  char *p = open_target(L, where, target, &stream);
  CP_CHECK(L, where,
           target->device->ops->copy(stream, p, host, (size_t)target->size * cp_itemsize(target->dtype),
                                     CP_TO_DEVICE));
}

void *cp_host_target(lua_State *L, const char *where, cp_array *target) {
  cp_stream *stream;
  char *p = open_target(L, where, target, &stream);
  CP_CHECK(L, where, target->device->ops->stream_synchronize(stream));
  return p;
}
