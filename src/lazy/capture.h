// Graphs: work of one function, recorded once (device/graph.h) and run again by one launch.
//
// While a graph is captured ctx->capture.graph is set, and all work on its device goes to a stream of its own, which records. Such work has three kinds of
// memory: buffers made before, which the graph keeps and which are never renamed while it lives; blocks taken inside, which stay with the graph (its
// reserve) and serve again inside once they were freed; and what the device keeps for itself. So the addresses that were recorded stay right.
//
// Nothing of it has run when the capture ends. Waiting for the device inside is an error (cp_may_wait).
#ifndef CP_LAZY_CAPTURE_H
#define CP_LAZY_CAPTURE_H

#include "array/array.h"
#include "device/graph.h"
#include "memory/reserve.h"

typedef struct cp_used { // a buffer made before the capture
  cp_buffer *buffer;
  bool written;
} cp_used;

typedef struct cp_kept { // what else must live as long as the graph
  void (*release)(void *object);
  void *object;
} cp_kept;

typedef enum cp_graph_phase { CP_GRAPH_RECORDING, CP_GRAPH_READY, CP_GRAPH_DEAD } cp_graph_phase;

typedef struct cp_graph {
  cp_deferred dead; // first: once it was left
  cp_context *ctx;
  cp_device *device;
  cp_graph_phase phase;
  cp_stream *recorder;         // shared with the graphs that this one replaces or is replaced by
  cp_stream *last;             // ran it last: each run comes after the one before
  uint64_t sequence;           // of that
  bool was_concurrent;         // ctx->streams.concurrent before the capture,
  int nstreams;                // and ctx->streams.count
  cp_command_buffer *commands; // once it is ready
  size_t charge;               // bytes that the state holds for what is recorded
  cp_reserve reserve;
  cp_used *used;
  size_t nused, used_room;
  cp_kept *kept;
  size_t nkept, kept_room;
} cp_graph;

// Computes everything that is pending and starts to record work on device; older: a graph that this one is to replace, or NULL. CP_EUSAGE inside of
// another capture. *out is the caller's until cp_graph_leave, also after cp_capture_cancel.
cp_status cp_capture_begin(cp_context *ctx, cp_device *device, cp_graph *older, cp_graph **out);
// Records what is pending and ends the capture: the graph can run. On failure the capture is over, and the graph empty.
cp_status cp_capture_finish(cp_graph *g, cp_graph *older);
void cp_capture_cancel(cp_graph *g);
// Work until cp_capture_resume is done, not recorded.
cp_graph *cp_capture_pause(cp_context *ctx);
void cp_capture_resume(cp_context *ctx, cp_graph *paused);

// Queues the graph's work on the current stream of its device.
cp_status cp_graph_launch(cp_graph *g);
// Lets go of the graph's memory; the rest goes at the next cp_context_settle. Safe in finalizers.
void cp_graph_leave(cp_graph *g);
// The state is being closed.
void cp_graphs_close(cp_context *ctx);

// Before work that is being recorded takes a as an operand or a target, by a door of its own: values of before the capture that depend on its memory are
// computed, and it gets memory of its own where it shares some.
cp_status cp_capture_import(cp_context *ctx, cp_array *a); // in write.c
// Work that is being recorded reads or writes b.
cp_status cp_capture_use(cp_graph *g, cp_buffer *b, bool write);
// Whether b is of the graph that is being captured.
bool cp_made_inside(const cp_context *ctx, const cp_buffer *b);
// release(object) is called when the graph is destroyed, at once where this fails.
cp_status cp_capture_keep(cp_graph *g, void (*release)(void *object), void *object);
// Whether a's buffer must stay where it is: the graph that is being captured, or one that lives, has its address.
bool cp_is_fixed(const cp_context *ctx, const cp_buffer *b);

#endif
