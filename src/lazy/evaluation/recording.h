// What a captured graph (capture.h) holds, and work that is being recorded for it.
#ifndef CP_LAZY_EVALUATION_RECORDING_H
#define CP_LAZY_EVALUATION_RECORDING_H

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

// Work goes to the graph from here on, or to nowhere but its stream again.
void cp_recording_enter(cp_graph *g);
void cp_recording_leave(cp_context *ctx);
// Work until cp_capture_resume is done, not recorded.
cp_graph *cp_capture_pause(cp_context *ctx);
void cp_capture_resume(cp_context *ctx, cp_graph *paused);

// Work that is being recorded reads or writes b.
cp_status cp_capture_use(cp_graph *g, cp_buffer *b, bool write);
// Whether b is of the graph that is being captured.
bool cp_made_inside(const cp_context *ctx, const cp_buffer *b);
// release(object) is called when the graph is destroyed, at once where this fails.
cp_status cp_capture_keep(cp_graph *g, void (*release)(void *object), void *object);
// Whether a's buffer must stay where it is: the graph that is being captured, or one that lives, has its address.
bool cp_is_fixed(const cp_context *ctx, const cp_buffer *b);

#endif
