// Records the last uses of each buffer, and makes streams wait for them.
//
// Reads on the stream of the last writer need no entry of their own: they only update the sequence number of
// its last use. Readers on other streams have one entry each. If there is no room for a new reader, its
// stream waits for another reader and takes over that one's entry.
#include "lazy/work/order.h"

#include "lazy/expression/graph.h"
#include "lazy/work/recording.h"
#include "memory/pool.h"

// Work from before uses were recorded counts as work of the block's stream, with sequence number 1.
static void begin(cp_use_history *o, const cp_buffer *b) {
  if (o->last_writer != NULL || b->block == NULL) return;
  o->last_writer = b->block->stream;
  o->written = o->used = 1;
}

static cp_status add_reader(cp_context *ctx, cp_use_history *o, cp_stream *s) {
  int k = 0;
  while (k < o->nreaders && o->readers[k].stream != s) k++;
  if (k == CP_MAX_READERS) {
    k = 0;
    CP_TRY(cp_stream_after(ctx, s, o->readers[k].stream, o->readers[k].sequence));
  }
  o->readers[k] = (cp_last_use){s, ++s->issued};
  if (k == o->nreaders) o->nreaders++;
  return CP_OK;
}

cp_status cp_await_transfer(cp_context *ctx, cp_buffer *b) {
  cp_event *e = b->transfer;
  if (e == NULL) return CP_OK;
  CP_TRY(cp_event_synchronize(ctx, e));
  b->transfer = NULL;
  cp_context_leave_event(ctx, e);
  b->uses.last_writer = NULL; // only the host has used it since
  b->uses.nreaders = 0;
  return CP_OK;
}

// Before work of the CPU device on b: waits for copies by GPUs.
static inline cp_status await_for(cp_context *ctx, const cp_stream *s, cp_buffer *b) {
  if (b->transfer == NULL || s->device->ops == b->transfer->device->ops) return CP_OK;
  return cp_await_transfer(ctx, b);
}

cp_status cp_before_transfer(cp_context *ctx, cp_stream *s, cp_buffer *b, bool write) {
  ctx->streams.concurrent = true;
  if (b->transfer != NULL) CP_TRY(s->device->ops->event_wait(s, b->transfer));
  return (write ? cp_track_write : cp_track_read)(ctx, s, b);
}

// If no event can be recorded, the host waits at once.
cp_status cp_after_transfer(cp_context *ctx, cp_stream *s, cp_buffer *b) {
  const cp_device_ops *ops = s->device->ops;
  cp_status status = CP_OK;
  if (b->transfer != NULL && b->transfer->device != s->device) { // s already waits for this event
    cp_context_leave_event(ctx, b->transfer);
    b->transfer = NULL;
  }
  if (b->transfer == NULL) status = cp_context_new_event(ctx, s->device, false, false, &b->transfer);
  if (status == CP_OK) status = ops->event_record(s, b->transfer);
  if (status != CP_OK) (void)ops->stream_finish(s);
  return status;
}

cp_status cp_track_read(cp_context *ctx, cp_stream *s, cp_buffer *b) {
  if (s->capturing) return cp_capture_use(ctx->capture.graph, b, false);
  cp_use_history *o = &b->uses;
  CP_TRY(await_for(ctx, s, b));
  begin(o, b);
  if (o->last_writer == NULL) o->last_writer = s; // nothing has written it yet
  if (o->last_writer == s) {
    o->used = ++s->issued;
    return CP_OK;
  }
  CP_TRY(cp_stream_after(ctx, s, o->last_writer, o->written));
  return add_reader(ctx, o, s);
}

cp_status cp_track_write(cp_context *ctx, cp_stream *s, cp_buffer *b) {
  if (s->capturing) return cp_capture_use(ctx->capture.graph, b, true);
  cp_use_history *o = &b->uses;
  CP_TRY(await_for(ctx, s, b));
  begin(o, b);
  CP_TRY(cp_stream_after(ctx, s, o->last_writer, o->used));
  for (int k = 0; k < o->nreaders; k++)
    CP_TRY(cp_stream_after(ctx, s, o->readers[k].stream, o->readers[k].sequence));
  o->last_writer = s;
  o->written = o->used = ++s->issued;
  o->nreaders = 0;
  return CP_OK;
}

cp_status cp_track_work(cp_context *ctx, cp_stream *s, int count, cp_node *const *roots,
                        cp_array *const *targets) {
  cp_walk walk;
  cp_walk_begin(&walk, ctx);
  for (int k = 0; k < count; k++) cp_walk_push(&walk, roots[k]);
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (n->kind == CP_NODE_LEAF) CP_TRY(cp_track_read(ctx, s, n->u.leaf.buffer));
    cp_walk_push_args(&walk, n);
  }
  for (int k = 0; k < count; k++) CP_TRY(cp_track_write(ctx, s, targets[k]->storage->buffer));
  return CP_OK;
}

cp_status cp_order_arrays(cp_context *ctx, cp_device *device, int count, const cp_use *uses,
                          cp_stream **stream) {
  for (int k = 0; k < count; k++) CP_TRY(cp_array_check(uses[k].array));
  CP_TRY(cp_context_stream(ctx, device, stream));
  for (int k = 0; k < count; k++) {
    cp_buffer *b = uses[k].array->storage->buffer;
    CP_TRY((uses[k].kind == CP_READ ? cp_before_read : cp_before_write)(ctx, *stream, b));
  }
  return CP_OK;
}
