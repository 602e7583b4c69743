// Graphs: work of one function, recorded once (device/graph.h) and run again by one launch.
//
// While a graph is captured ctx->capture.graph is set, and all work on its device goes to a stream of its own, which records. Such work has three kinds of
// memory: buffers made before, which the graph keeps and which are never renamed while it lives; blocks taken inside, which stay with the graph (its
// reserve) and serve again inside once they were freed; and what the device keeps for itself. So the addresses that were recorded stay right.
//
// Nothing of it has run when the capture ends. Waiting for the device inside is an error (cp_may_wait).
#ifndef CP_LAZY_ARRAYS_CAPTURE_H
#define CP_LAZY_ARRAYS_CAPTURE_H

#include "lazy/evaluation/recording.h"

// Computes everything that is pending and starts to record work on device; older: a graph that this one is to replace, or NULL. CP_EUSAGE inside of
// another capture. *out is the caller's until cp_graph_leave, also after cp_capture_cancel.
cp_status cp_capture_begin(cp_context *ctx, cp_device *device, cp_graph *older, cp_graph **out);
// Records what is pending and ends the capture: the graph can run. On failure the capture is over, and the graph empty.
cp_status cp_capture_finish(cp_graph *g, cp_graph *older);
void cp_capture_cancel(cp_graph *g);

// Queues the graph's work on the current stream of its device.
cp_status cp_graph_launch(cp_graph *g);
// Lets go of the graph's memory; the rest goes at the next cp_context_settle. Safe in finalizers.
void cp_graph_leave(cp_graph *g);
// The state is being closed.
void cp_graphs_close(cp_context *ctx);

#endif
