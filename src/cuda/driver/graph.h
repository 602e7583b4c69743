// Graphs on a GPU: what other files of this room need while a stream records (device/graph.h).
//
// CUDA captures what is queued on a stream, but much is forbidden or delicate meanwhile: loading modules, making handles and plans, freeing memory.
// So a capture has parts: cp_cuda_pause ends one, what lies between it and cp_cuda_resume is an ordinary time, and another part begins.
// Both do nothing in threads that capture nothing, and they nest.
//
// A capture of another thread survives all that but one call: cuCtxSynchronize invalidates every capture of the context, and where it meets the
// driver's bookkeeping of one the process crashes (driver 580). What may call it stands between cp_cuda_alone_begin and _end: it waits for the parts that
// are under way, and others wait for it.
#ifndef CP_CUDA_DRIVER_GRAPH_H
#define CP_CUDA_DRIVER_GRAPH_H

#include "cuda/driver/cuda.h"
#include "device/graph.h"

void cp_cuda_pause(void);
void cp_cuda_resume(void);
void cp_cuda_alone_begin(cp_cuda_device *d); // a pause, too
void cp_cuda_alone_end(cp_cuda_device *d);
// cuCtxSynchronize. The device is entered.
cp_status cp_cuda_wait_for_context(cp_cuda_device *d);
bool cp_cuda_gate_init(cp_cuda_gate *g);
void cp_cuda_gate_destroy(cp_cuda_gate *g);

// A copy of host memory that stays with the graph that s records: what is copied to the device whenever the graph runs.
cp_status cp_cuda_keep_bytes(cp_cuda_stream *s, const void *bytes, size_t count, void **copy);
// The next list after `faults` (NULL: the first) of a graph of s's context: replays write into them, whatever stream they ran on.
cp_cuda_faults *cp_cuda_next_faults(const cp_cuda_stream *s, const cp_cuda_faults *faults);

#endif
