// Copies between devices and from host memory to arrays, and assignment from one device to another. Copies
// between a GPU and page-locked host memory run while the host goes on; lazy/work/order.h says how the
// host waits for them.
#include "lua/conversion/assign.h"
#include "lua/conversion/convert.h"
#include "lua/values/handle.h"

#include "lazy/arrays/capture.h"
#include "memory/allocator.h"

static bool is_page_locked(const cp_array *a) {
  return a->storage != NULL && a->storage->buffer != NULL && cp_block_is_pinned(a->storage->buffer->block);
}

bool cp_is_pinned(const cp_array *a) {
  return a->storage != NULL && a->storage->buffer != NULL &&
         (a->storage->buffer->exposed & CP_EXPOSED_PINNED) != 0;
}

// Queues a copy between page-locked host memory and a GPU. up: to the GPU. Nothing may come between recording
// the uses of memory and the copy itself.
static cp_status queue_copy(cp_context *ctx, const cp_array *from, const cp_array *to, bool up) {
  cp_stream *s;
  char *src, *dst;
  const cp_array *host = up ? from : to, *other = up ? to : from;
  cp_buffer *b = host->storage->buffer;
  CP_TRY(cp_array_pointer(from, &src));
  CP_TRY(cp_array_pointer(to, &dst));
  CP_TRY(cp_context_stream(ctx, other->device, &s));
  if (s->capturing) return cp_fail(CP_EUSAGE, "host memory cannot be copied while a graph is being captured");
  CP_TRY(cp_before_transfer(ctx, s, b, !up));
  CP_TRY((up ? cp_before_write : cp_before_read)(ctx, s, other->storage->buffer));
  CP_TRY(s->device->ops->memory->copy_pinned(s, dst, src, (size_t)from->size * cp_itemsize(from->dtype),
                                             up ? CP_TO_DEVICE : CP_TO_HOST));
  return cp_after_transfer(ctx, s, b);
}

// If one of the two is in page-locked host memory and the other on a GPU, queues a copy of from's bytes to
// `to`, which runs while the host goes on. Otherwise does nothing and returns false. The caller has called
// cp_begin_write for `to`; both are contiguous and have the same layout. Raises.
static bool copy_pinned_array(lua_State *L, const char *where, const cp_array *from, const cp_array *to) {
  bool up = from->device == cp_device_cpu();
  const cp_array *host = up ? from : to, *other = up ? to : from;
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (host->device == other->device || !is_page_locked(host)) return false;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, queue_copy(ctx, from, to, up));
  return true;
}

void cp_download(lua_State *L, const char *where, const cp_array *a, void *host) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_stream *stream;
  char *p;
  if (a->size == 0) return;
  CP_CHECK(L, where, cp_array_pointer(a, &p));
  CP_CHECK(L, where, cp_context_stream(ctx, a->device, &stream));
  CP_CHECK(L, where, cp_before_read(ctx, stream, a->storage->buffer));
  ctx->lazy.caller = where;
  double begin = cp_sync_begin(ctx);
  cp_status status = a->device->ops->copy(stream, host, p, cp_array_nbytes(a), CP_TO_HOST);
  cp_sync_end(ctx, begin);
  CP_CHECK(L, where, status);
}

// Raises if a copy between the two devices would become part of the graph that is being captured: a graph
// works on one device.
static void check_captured_copy(lua_State *L, const char *where, const cp_device *from, const cp_device *to) {
  const cp_graph *g = cp_state_get(L)->ctx.capture.graph;
  if (g != NULL && from != to && from->ops == to->ops && from->ops == g->device->ops)
    cp_raise(L, where, CP_EUSAGE, "a copy from %s to %s cannot be captured in a graph", from->name, to->name);
}

// Queues a copy between two devices of one kind, ordered with the work on both.
static cp_status copy_to_peer(cp_context *ctx, const cp_array *a, cp_array *to) {
  const cp_device_ops *ops = to->device->ops;
  cp_stream *from, *into;
  char *src, *dst;
  CP_TRY(cp_context_stream(ctx, a->device, &from));
  CP_TRY(cp_context_stream(ctx, to->device, &into));
  CP_TRY(cp_array_pointer(a, &src));
  CP_TRY(cp_array_pointer(to, &dst));
  CP_TRY(cp_before_read(ctx, ops->peer_reader(into, from), a->storage->buffer));
  CP_TRY(cp_before_write(ctx, into, to->storage->buffer));
  ctx->counters.launches++;
  return ops->peer_copy(into, dst, from, src, cp_array_nbytes(a));
}

// Copies a's bytes to `to` on another device. Both are contiguous and have the same layout. Raises.
static void transfer(lua_State *L, const char *where, const cp_array *a, cp_array *to) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_stream *stream;
  char *into, *host;
  check_captured_copy(L, where, a->device, to->device);
  CP_CHECK(L, where, cp_begin_write(ctx, to, cp_array_covers_storage(to)));
  if (a->device->ops == to->device->ops && cp_has_peers(to->device)) {
    CP_CHECK(L, where, copy_to_peer(ctx, a, to));
    return;
  }
  if (copy_pinned_array(L, where, a, to)) return;
  CP_CHECK(L, where, cp_array_pointer(to, &into));
  CP_CHECK(L, where, cp_context_stream(ctx, to->device, &stream));
  CP_CHECK(L, where, cp_before_write(ctx, stream, to->storage->buffer));
  if (to->device == cp_device_cpu()) {
    CP_CHECK(L, where, to->device->ops->stream_synchronize(stream));
    cp_download(L, where, a, into);
    return;
  }
  CP_CHECK(L, where, cp_array_pointer(a, &host));
  CP_CHECK(L, where, cp_await_transfer(ctx, a->storage->buffer));
  CP_CHECK(L, where, cp_context_synchronize(ctx, a->device));
  CP_CHECK(L, where, to->device->ops->copy(stream, into, host, cp_array_nbytes(a), CP_TO_DEVICE));
}

cp_array *cp_push_on_device(lua_State *L, const char *where, cp_array *a, cp_device *device) {
  check_captured_copy(L, where, a->device, device);
  cp_need(L, where, a);
  int top = lua_gettop(L);
  char order = cp_array_contiguous(a, 'F') && !cp_array_contiguous(a, 'C') ? 'F' : 'C';
  if (!cp_array_contiguous(a, order)) a = cp_push_copy(L, where, a, order);
  cp_array *to = cp_push_array(L, a->ndim);
  CP_CHECK(L, where, cp_array_layout(to, a->dtype, a->ndim, a->shape, order));
  cp_allocate_pushed(L, where, to, device, a->dtype);
  lua_insert(L, top + 1); // goes below the copy of a, which is needed until the end
  if (to->size > 0) transfer(L, where, a, to);
  lua_settop(L, top + 1);
  return to;
}

// Whether value's bytes can be copied to target as they are.
static bool is_plain_copy(const cp_array *target, const cp_array *value) {
  return value->dtype == target->dtype &&
         cp_shape_equal(value->ndim, value->shape, target->ndim, target->shape) &&
         cp_array_contiguous(value, 'C') && cp_array_contiguous(target, 'C');
}

// Pushes an array on value's device with target's dtype and shape, and with the elements that the assignment
// writes.
static cp_array *push_converted(lua_State *L, const char *where, const cp_array *target, cp_array *value) {
  cp_node *root = NULL;
  cp_array *copy = cp_push_new_array(L, where, value->device, target->dtype, target->ndim, target->shape);
  CP_CHECK(L, where, cp_array_node(value, &root));
  CP_CHECK(L, where, cp_assign(&cp_state_get(L)->ctx, copy, root, CP_MAY_RENAME));
  return copy;
}

bool cp_assign_across(lua_State *L, const char *where, cp_array *target, cp_array *value, bool always) {
  if (target->device == value->device) return false;
  check_captured_copy(L, where, value->device, target->device);
  cp_need(L, where, value);
  // Tested first, because a selection is a view without a context, which is never pending.
  if (target->node != NULL) cp_need(L, where, target);
  if (!always && !is_page_locked(target) && !is_page_locked(value)) return false;
  if (target->readonly)
    cp_raise(L, where, CP_EUSAGE, "the array is a broadcast view, which cannot be written");
  if (!is_plain_copy(target, value)) value = push_converted(L, where, target, value);
  if (target->size == 0) return true;
  if (cp_array_contiguous(target, 'C')) {
    transfer(L, where, value, target);
    return true;
  }
  cp_node *root = NULL;
  cp_array *there = cp_push_on_device(L, where, value, target->device);
  CP_CHECK(L, where, cp_array_node(there, &root));
  CP_CHECK(L, where, cp_assign(&cp_state_get(L)->ctx, target, root, CP_MAY_RENAME));
  return true;
}

// The memory of target, ready to be written by *stream, the current stream of target's device.
static char *open_target(lua_State *L, const char *where, cp_array *target, cp_stream **stream) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  char *p;
  CP_CHECK(L, where, cp_begin_write(ctx, target, true));
  CP_CHECK(L, where, cp_array_pointer(target, &p));
  CP_CHECK(L, where, cp_context_stream(ctx, target->device, stream));
  CP_CHECK(L, where, cp_before_write(ctx, *stream, target->storage->buffer));
  ctx->lazy.caller = where;
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
