// Graphs: the work of one function, recorded once (device/graph.h) and replayed by one launch each time.
//
// While a graph is captured, ctx->capture.graph is set, and all work on its device goes to a stream of its
// own, which records. Recorded addresses stay valid because there are only three kinds of memory: buffers
// from before the capture, which the graph holds and which are never exchanged while it lives; blocks
// allocated inside, which stay with the graph (its reserve), and are reused inside when they are freed; and
// memory that the device keeps for itself.
//
// When the capture ends, none of the work has run. Waiting for the device during a capture is an error
// (cp_may_wait).
#ifndef CP_LAZY_ARRAYS_CAPTURE_H
#define CP_LAZY_ARRAYS_CAPTURE_H

#include "lazy/work/recording.h"

// Computes all pending values and starts to record work on device. older: a graph that this one will replace,
// or NULL. Fails with CP_EUSAGE inside another capture. The caller owns *out until cp_graph_leave, even after
// cp_capture_cancel.
cp_status cp_capture_begin(cp_context *ctx, cp_device *device, cp_graph *older, cp_graph **out);
// Records what is still pending and ends the capture; then the graph can be launched. On failure the capture
// has ended too, and the graph is empty.
cp_status cp_capture_finish(cp_graph *g, cp_graph *older);
void cp_capture_cancel(cp_graph *g);

// Queues the graph's work on the current stream of its device.
cp_status cp_graph_launch(cp_graph *g);
// Releases the graph's memory; the rest is destroyed at the next cp_context_settle. Safe in finalizers.
void cp_graph_leave(cp_graph *g);
// Destroys all graphs, when the state is closed.
void cp_graphs_close(cp_context *ctx);

#endif
