// What a captured graph (lazy/arrays/capture.h) holds, and how its use of memory is recorded.
#ifndef CP_LAZY_WORK_RECORDING_H
#define CP_LAZY_WORK_RECORDING_H

#include "array/array.h"
#include "device/graph.h"
#include "memory/reserve.h"

// A buffer from before the capture that the graph uses.
typedef struct cp_used {
  cp_buffer *buffer;
  bool written;
} cp_used;

// Another object that must live as long as the graph.
typedef struct cp_kept {
  void (*release)(void *object);
  void *object;
} cp_kept;

typedef enum cp_graph_phase { CP_GRAPH_RECORDING, CP_GRAPH_READY, CP_GRAPH_DEAD } cp_graph_phase;

typedef struct cp_graph {
  cp_deferred dead; // for the deferred destroy after cp_graph_leave; must be the first field
  cp_context *ctx;
  cp_device *device;
  cp_graph_phase phase;
  cp_stream *recorder;         // shared with the graphs that this one replaces or is replaced by
  cp_stream *last;             // the stream of the last launch: each launch waits for the one before
  uint64_t sequence;           // the last launch's sequence number there
  bool was_concurrent;         // ctx->streams.concurrent before the capture
  int nstreams;                // ctx->streams.count before the capture
  cp_command_buffer *commands; // set once the graph is ready
  size_t charge;               // bytes counted in the state's budget for the recorded work
  cp_reserve reserve;
  cp_used *used;
  size_t nused, used_room;
  cp_kept *kept;
  size_t nkept, kept_room;
} cp_graph;

// Start and stop sending work to the graph.
void cp_recording_enter(cp_graph *g);
void cp_recording_leave(cp_context *ctx);
// Pauses the capture: until cp_capture_resume, work runs instead of being recorded.
cp_graph *cp_capture_pause(cp_context *ctx);
void cp_capture_resume(cp_context *ctx, cp_graph *paused);

// Records that the captured work reads or writes b.
cp_status cp_capture_use(cp_graph *g, cp_buffer *b, bool write);
// Whether b was allocated inside the current capture.
bool cp_made_inside(const cp_context *ctx, const cp_buffer *b);
// Has release(object) called when the graph is destroyed; calls it at once if this function fails.
cp_status cp_capture_keep(cp_graph *g, void (*release)(void *object), void *object);
// Whether b's address must stay the same, because a graph that can run has recorded it, or the one being
// captured may record it.
bool cp_is_fixed(const cp_context *ctx, const cp_buffer *b);

#endif
