// The order of work on memory that several streams use: a reader waits for the last writer, and a writer
// waits for all earlier uses.
//
// Before any work on a buffer is queued, its use is recorded here, with nothing in between. Nothing is
// recorded until a state has a second stream; all work queued before that counts as one piece of work.
#ifndef CP_LAZY_WORK_ORDER_H
#define CP_LAZY_WORK_ORDER_H

#include "array/array.h"
#include "lazy/expression/node.h"

typedef enum cp_use_kind {
  CP_READ,
  CP_WRITE,      // some elements, or a view; other parts of the storage keep their values
  CP_WRITE_WHOLE // every element of the storage will be written, and none read
} cp_use_kind;

typedef struct cp_use {
  cp_array *array;
  cp_use_kind kind;
} cp_use;

// Gives the stream of device that work on these arrays goes to, and records the uses. The arrays are in
// memory, and pending readers have been handled (lazy/arrays/access.h).
cp_status cp_order_arrays(cp_context *ctx, cp_device *device, int count, const cp_use *uses,
                          cp_stream **stream);

cp_status cp_track_read(cp_context *ctx, cp_stream *s, cp_buffer *b);
cp_status cp_track_write(cp_context *ctx, cp_stream *s, cp_buffer *b);
cp_status cp_track_work(cp_context *ctx, cp_stream *s, int count, cp_node *const *roots,
                        cp_array *const *targets);

// Copies between a GPU and page-locked memory of the host run while the host goes on. An event recorded after
// the last copy of a buffer says when the host may use the buffer. Uses of memory by the host are recorded
// here too, so the host waits automatically, and only for that copy.
//
// Call the first function before a copy on s, a GPU's stream, that reads or writes the host's buffer b, and
// the second one after the copy is queued. The first copy makes the state record all uses of memory from then
// on.
cp_status cp_before_transfer(cp_context *ctx, cp_stream *s, cp_buffer *b, bool write);
cp_status cp_after_transfer(cp_context *ctx, cp_stream *s, cp_buffer *b);
// Makes the host wait for the copies that use b.
cp_status cp_await_transfer(cp_context *ctx, cp_buffer *b);

// Call these before work on s that reads b, writes b, or computes roots into targets.
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
