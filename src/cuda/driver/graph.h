// CUDA graphs: what other files need to know while a stream records (device/graph.h).
//
// CUDA captures the work that is queued on a stream, but forbids much meanwhile, such as loading modules,
// creating handles and plans, and freeing memory. So a capture consists of parts: cp_cuda_pause ends a part,
// cp_cuda_resume begins the next one, and between them everything is allowed. Both do nothing in threads that
// capture nothing, and they nest.
//
// A capture survives what other threads call, with one exception: cuCtxSynchronize invalidates every capture
// of the context, and can crash the process when it races with the driver's bookkeeping (driver 580). Code
// that may call it stands between cp_cuda_alone_begin and _end: it waits for the parts in progress, and new
// parts wait for it.
#ifndef CP_CUDA_DRIVER_GRAPH_H
#define CP_CUDA_DRIVER_GRAPH_H

#include "cuda/driver/cuda.h"
#include "device/graph.h"

void cp_cuda_pause(void);
void cp_cuda_resume(void);
// Enters the device and makes a call that must not be captured.
#define CP_CUDA_CALL(d, name, ...)                                                                           \
  do {                                                                                                       \
    CP_TRY(cp_cuda_enter(d));                                                                                \
    cp_cuda_pause();                                                                                         \
    cp_status called = cp_cuda_result(d, (d)->driver->name(__VA_ARGS__), #name);                             \
    cp_cuda_resume();                                                                                        \
    CP_TRY(called);                                                                                          \
  } while (0)
void cp_cuda_alone_begin(cp_cuda_device *d); // also a pause
void cp_cuda_alone_end(cp_cuda_device *d);
// Calls cuCtxSynchronize. The caller has entered the device.
cp_status cp_cuda_wait_for_context(cp_cuda_device *d);
bool cp_cuda_gate_init(cp_cuda_gate *g);
void cp_cuda_gate_destroy(cp_cuda_gate *g);

// Copies host memory into memory that the recorded graph owns; every replay copies from there to the device.
cp_status cp_cuda_keep_bytes(cp_cuda_stream *s, const void *bytes, size_t count, void **copy);
// The list after `faults` (NULL: the first) among the graphs of s's context. Replays on any stream write into
// them.
cp_cuda_faults *cp_cuda_next_faults(const cp_cuda_stream *s, const cp_cuda_faults *faults);

#endif
