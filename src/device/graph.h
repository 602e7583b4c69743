// Recorded work: what is queued on a stream while it records does not run; it becomes a script, which runs again and again.
#ifndef CP_DEVICE_GRAPH_H
#define CP_DEVICE_GRAPH_H

#include "device/device.h"

// Devices extend it. The addresses in it must stay as they are while it lives: that is the caller's part (lazy/arrays/capture.h).
typedef struct cp_command_buffer {
  struct cp_command_buffer *next; // among those of the context that can run
  struct cp_graph *graph;         // whose it is
  cp_device *device;
  size_t nodes, kernels; // pieces of work in order: all of them, and those that compute
  bool updated;          // it took the place of an older one without being made anew
} cp_command_buffer;

typedef struct cp_graph_ops {
  // Work queued on s, which nothing else uses, is recorded from now on (s->capturing).
  cp_status (*begin)(cp_context *ctx, cp_stream *s);
  // Ends that. older: a script whose executable form the new one may take over, by another order of the same work; it cannot be launched any more then.
  // NULL: none. On failure nothing is left.
  cp_status (*finish)(cp_stream *s, cp_command_buffer *older, cp_command_buffer **out);
  // Ends that, and nothing of it is kept.
  void (*cancel)(cp_stream *s);
  // Queues the script's work on s.
  cp_status (*launch)(cp_context *ctx, cp_command_buffer *commands, cp_stream *s);
  // Its work is done. last: where it ran last, which tells at its next synchronisation what that found wrong.
  void (*destroy)(cp_command_buffer *commands, cp_stream *last);
} cp_graph_ops;

extern const cp_graph_ops cp_cpu_graph_ops, cp_cuda_graph_ops;

#endif
