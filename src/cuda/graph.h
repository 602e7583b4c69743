// Graphs on a GPU: what other files of this room need while a stream records (device/graph.h).
//
// CUDA captures what is queued on a stream, but much is forbidden or delicate meanwhile: loading modules, making handles and plans, freeing memory.
// So a capture has parts: cp_cuda_pause ends one, what lies between it and cp_cuda_resume is an ordinary time, and another part begins.
// Both do nothing in threads that capture nothing, and they nest.
#ifndef CP_CUDA_GRAPH_H
#define CP_CUDA_GRAPH_H

#include "cuda/cuda.h"
#include "device/graph.h"

void cp_cuda_pause(void);
void cp_cuda_resume(void);

// A copy of host memory that stays with the graph that s records: what is copied to the device whenever the graph runs.
cp_status cp_cuda_keep_bytes(cp_cuda_stream *s, const void *bytes, size_t count, void **copy);
// The next list after `faults` (NULL: the first) of a graph of s's context: replays write into them, whatever stream they ran on.
cp_cuda_faults *cp_cuda_next_faults(const cp_cuda_stream *s, const cp_cuda_faults *faults);

#endif
