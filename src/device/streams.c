// The streams of one lua_State: which one work goes to, further ones, and how one waits for another.
#include "device/context.h"

#include <stdlib.h>
#include <string.h>

// Whether another stream is on a device of the same kind. Only such streams can use the same memory at the
// same time; the CPU device and a GPU never do.
static bool has_sibling(const cp_context *ctx, const cp_device *device) {
  for (int k = ctx->streams.count; k-- > 0;)
    if (ctx->streams.all[k]->device->ops == device->ops) return true;
  return false;
}

static cp_status make_slot(cp_context *ctx) {
  if (ctx->streams.count < ctx->streams.room) return CP_OK;
  const int room = ctx->streams.room > 0 ? 2 * ctx->streams.room : 8;
  cp_stream **streams = realloc(ctx->streams.all, (size_t)room * sizeof *streams);
  if (streams == NULL) return cp_fail(CP_EMEMORY, "out of memory for %d streams", room);
  ctx->streams.all = streams;
  ctx->streams.room = room;
  return CP_OK;
}

static cp_status add_stream(cp_context *ctx, cp_device *device, const cp_stream_options *options,
                            cp_stream **out) {
  // Roughly what a stream takes, including its staging buffers; counted until the state is closed.
  enum { STREAM_BYTES = 64 << 10 };
  cp_stream *s;
  bool further = has_sibling(ctx, device);
  CP_TRY(make_slot(ctx));
  if (further) CP_TRY(cp_context_hold(ctx, STREAM_BYTES));
  cp_status status = device->ops->stream_create(device, options, &s);
  if (status != CP_OK && further) cp_context_drop(ctx, STREAM_BYTES);
  CP_TRY(status);
  if (further) ctx->streams.concurrent = true;
  s->device = device;
  s->context = ctx;
  s->options = *options;
  s->slot = ctx->streams.count++;
  s->issued = 1;
  s->fresh = true;
  ctx->streams.all[s->slot] = s;
  *out = s;
  return CP_OK;
}

cp_status cp_context_own_stream(cp_context *ctx, cp_device *device, cp_stream **out) {
  static const cp_stream_options own = {.non_blocking = true};
  cp_stream **slot = &ctx->streams.own[device->id];
  if (*slot == NULL) CP_TRY(add_stream(ctx, device, &own, slot));
  *out = *slot;
  return CP_OK;
}

cp_status cp_context_borrow_stream(cp_context *ctx, cp_device *device, uintptr_t pointer) {
  const cp_stream_options host = {.external = true, .pointer = pointer};
  cp_stream **slot = &ctx->streams.own[device->id];
  if (*slot != NULL) return cp_fail(CP_EUSAGE, "%s has its stream already", device->name);
  CP_TRY(add_stream(ctx, device, &host, slot));
  (*slot)->handles = 1; // the context's own handle
  return CP_OK;
}

// While a graph is captured all work goes to the stream that records it, whatever stream is current.
static cp_status recorder_of(cp_context *ctx, const cp_device *device, cp_stream **out) {
  // Roughly what a device keeps for each piece of recorded work, for which this may be called several times.
  // The CPU device also counts its own memory.
  enum { WORK_BYTES = 512 };
  const cp_capture_target *r = &ctx->capture.target;
  if (device != r->device)
    return cp_fail(CP_EUSAGE, "work on %s cannot be recorded for a graph of %s", device->name,
                   r->device->name);
  *out = r->stream;
  return cp_context_hold_captured(ctx, WORK_BYTES);
}

cp_status cp_context_find_stream(cp_context *ctx, cp_device *device, cp_stream **out) {
  const cp_device *recorded = ctx->capture.target.device;
  if (recorded != NULL && device->ops == recorded->ops) return recorder_of(ctx, device, out);
  return cp_context_chosen_stream(ctx, device, out);
}

cp_status cp_context_chosen_stream(cp_context *ctx, cp_device *device, cp_stream **out) {
  cp_stream **slot = &ctx->now.streams[device->id];
  if (*slot == NULL) CP_TRY(cp_context_own_stream(ctx, device, slot));
  *out = *slot;
  return CP_OK;
}

// Whether s can serve a request for a stream. An external stream serves every request for the same pointer; a
// stream of ours serves one if no handle refers to it any more and its options match.
static bool may_serve(const cp_context *ctx, const cp_stream *s, const cp_device *device,
                      const cp_stream_options *o) {
  if (s->device != device || s->options.external != o->external) return false;
  if (o->external) return s->options.pointer == o->pointer;
  return s->handles == 0 && !s->capturing && s != ctx->streams.own[device->id] &&
         s != ctx->now.streams[device->id] && s->options.non_blocking == o->non_blocking &&
         s->options.priority == o->priority;
}

cp_status cp_context_new_stream(cp_context *ctx, cp_device *device, const cp_stream_options *options,
                                cp_stream **out) {
  cp_stream *own, *s = NULL;
  CP_TRY(cp_context_own_stream(ctx, device, &own)); // comes first: earlier work counts as its work
  // Searching is skipped if it would find nothing, as there may be many streams.
  const bool look = ctx->streams.nidle > 0 || options->external;
  for (int k = look ? ctx->streams.count : 0; s == NULL && k-- > 0;)
    if (may_serve(ctx, ctx->streams.all[k], device, options)) s = ctx->streams.all[k];
  if (s == NULL) {
    CP_TRY(add_stream(ctx, device, options, &s));
    ctx->streams.nidle++;
  }
  s->closed = false;
  cp_stream_add_handle(s);
  *out = s;
  return CP_OK;
}

static bool is_own(const cp_stream *s) { return s == s->context->streams.own[s->device->id]; }

void cp_stream_add_handle(cp_stream *s) {
  if (s->handles++ == 0 && !is_own(s)) s->context->streams.nidle--;
}

void cp_stream_remove_handle(cp_stream *s) {
  if (--s->handles == 0 && !is_own(s)) s->context->streams.nidle++;
}

cp_status cp_stream_synchronize(cp_stream *s) {
  CP_TRY(cp_may_wait(s->context, s->device));
  double begin = cp_sync_begin(s->context);
  cp_status status = s->device->ops->stream_synchronize(s);
  cp_sync_end(s->context, begin);
  return status;
}

cp_status cp_may_wait(const cp_context *ctx, const cp_device *device) {
  const cp_device *recorded = ctx != NULL ? ctx->capture.target.device : NULL;
  if (recorded == NULL || (device != NULL && device != recorded)) return CP_OK;
  return cp_fail(CP_EUSAGE,
                 "a graph is being captured, so its work has not run yet: nothing on %s can be read or "
                 "waited for before the graph runs",
                 recorded->name);
}

// Waits for all streams. tell: returns the first failure of their work. Without it, and after the first
// failure, each stream keeps its failure for its next synchronisation.
static cp_status wait_for_streams(const cp_context *ctx, const cp_device *device, bool tell) {
  cp_status first = CP_OK;
  for (int k = ctx->streams.count; k-- > 0;) {
    cp_stream *s = ctx->streams.all[k];
    if (s->closed || (device != NULL && s->device != device)) continue;
    const cp_device_ops *ops = s->device->ops;
    if (first == CP_OK)
      first = (tell ? ops->stream_synchronize : ops->stream_finish)(s);
    else if (first != CP_EINTERRUPTED)
      (void)ops->stream_finish(s);
  }
  return first;
}

cp_status cp_context_finish(cp_context *ctx, const cp_device *device) {
  return wait_for_streams(ctx, device, false);
}

cp_status cp_context_synchronize(cp_context *ctx, const cp_device *device) {
  CP_TRY(cp_may_wait(ctx, device));
  double begin = cp_sync_begin(ctx);
  cp_status status = wait_for_streams(ctx, device, true);
  cp_sync_end(ctx, begin);
  return status;
}

// ---- waiting for another stream ------------------------------------------------------------------

cp_status cp_stream_after(cp_context *ctx, cp_stream *waiter, cp_stream *other, uint64_t sequence) {
  if (other == NULL || other == waiter || sequence == 0 || other->closed) return CP_OK;
  // Streams outside of a capture were waited for when it began.
  if (waiter->capturing && !other->capturing) return CP_OK;
  cp_waited_for *waited_for = &waiter->waited_for[other->slot % CP_WAITED_FOR];
  if (waited_for->slot == other->slot && waited_for->sequence >= sequence) return CP_OK;
  const cp_device_ops *ops = other->device->ops;
  ctx->counters.waits++;
  if (ops != waiter->device->ops) return ops->stream_synchronize(other);
  if (other->marked < sequence) {
    CP_TRY(ops->stream_mark(other));
    other->marked = other->issued;
  }
  CP_TRY(ops->stream_follow(waiter, other));
  *waited_for = (cp_waited_for){other->slot, other->marked};
  return CP_OK;
}
