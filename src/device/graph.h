// Recorded work: work queued on a stream while it records does not run, but goes into a command buffer, which
// can be replayed many times.
#ifndef CP_DEVICE_GRAPH_H
#define CP_DEVICE_GRAPH_H

#include "device/device.h"

// Devices extend it. The addresses in it must stay valid as long as it lives; the caller ensures this
// (lazy/arrays/capture.h).
typedef struct cp_command_buffer {
  struct cp_command_buffer *next; // in the context's list of those that can run
  struct cp_graph *graph;         // the owner
  cp_device *device;
  size_t nodes, kernels; // number of all pieces of work, and of those that compute
  bool updated;          // it took over an older one's executable form by an update
} cp_command_buffer;

typedef struct cp_graph_ops {
  // Starts to record the work queued on s, which nothing else uses (sets s->capturing).
  cp_status (*begin)(cp_context *ctx, cp_stream *s);
  // Ends the recording. The new command buffer may take over the executable form of `older` (NULL: none), if
  // an update can turn that into the new work; `older` cannot be launched any more then. On failure nothing
  // is kept.
  cp_status (*finish)(cp_stream *s, cp_command_buffer *older, cp_command_buffer **out);
  // Ends the recording and drops it.
  void (*cancel)(cp_stream *s);
  // Queues the recorded work on s.
  cp_status (*launch)(cp_context *ctx, cp_command_buffer *commands, cp_stream *s);
  // Destroys the command buffer, whose work is done. last: the stream that ran it last, whose next
  // synchronisation reports a failure of that work.
  void (*destroy)(cp_command_buffer *commands, cp_stream *last);
} cp_graph_ops;

extern const cp_graph_ops cp_cpu_graph_ops, cp_cuda_graph_ops;

#endif
