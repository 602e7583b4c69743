// The order of work on memory that several streams use: whoever reads waits for the last writer, whoever writes for all who used it before.
//
// Every work that touches a buffer is told here, before it is queued and with nothing in between. Nothing is noted until a state has a second stream;
// what was queued before that counts as one work.
#ifndef CP_LAZY_EVALUATION_ORDER_H
#define CP_LAZY_EVALUATION_ORDER_H

#include "array/array.h"
#include "lazy/expression/node.h"

typedef enum cp_use_kind {
  CP_READ,
  CP_WRITE,      // some elements, or a view; other parts of the storage stay
  CP_WRITE_WHOLE // every element of the storage will be written, and none read
} cp_use_kind;

typedef struct cp_use {
  cp_array *array;
  cp_use_kind kind;
} cp_use;

// Gives the stream of device that work on arrays goes to, which have memory, and tells it what the work does with them. What waits for their
// elements was computed before (access.h).
cp_status cp_order_arrays(cp_context *ctx, cp_device *device, int count, const cp_use *uses,
                          cp_stream **stream);

cp_status cp_track_read(cp_context *ctx, cp_stream *s, cp_buffer *b);
cp_status cp_track_write(cp_context *ctx, cp_stream *s, cp_buffer *b);
cp_status cp_track_work(cp_context *ctx, cp_stream *s, int count, cp_node *const *roots,
                        cp_array *const *targets);

// Copies between a GPU and page-locked memory of the host run while the host goes on. An event behind the last one of a buffer says when the host may
// use it: whatever the host does with memory is told here too, so it waits by itself, for that copy alone.
//
// A copy on s (of a GPU) is about to read the host's buffer b or to write it; afterwards it was queued. The first one makes the state note all uses of
// memory.
cp_status cp_before_transfer(cp_context *ctx, cp_stream *s, cp_buffer *b, bool write);
cp_status cp_after_transfer(cp_context *ctx, cp_stream *s, cp_buffer *b);
// The host waits for the copies that use b.
cp_status cp_await_transfer(cp_context *ctx, cp_buffer *b);

// Work on s is about to read b, write it, or compute roots into targets.
static inline cp_status cp_before_read(cp_context *ctx, cp_stream *s, cp_buffer *b) {
  return ctx->streams.concurrent ? cp_track_read(ctx, s, b) : CP_OK;
}
static inline cp_status cp_before_write(cp_context *ctx, cp_stream *s, cp_buffer *b) {
  return ctx->streams.concurrent ? cp_track_write(ctx, s, b) : CP_OK;
}
static inline cp_status cp_before_work(cp_context *ctx, cp_stream *s, int count, cp_node *const *roots,
                                       cp_array *const *targets) {
  return ctx->streams.concurrent ? cp_track_work(ctx, s, count, roots, targets) : CP_OK;
}

#endif
