// Positions out of range that kernels find: noted on the device, told when its stream is waited for.
#ifndef CP_CUDA_DRIVER_FAULT_H
#define CP_CUDA_DRIVER_FAULT_H

#include "cuda/driver/cuda.h"
#include "routines/index.h"

// Words for the kernel of this lookup, one for each of its arrays of positions, where it notes a position out of range. May wait for the stream.
cp_status cp_cuda_expect_faults(cp_cuda_stream *s, const cp_lookup *l, cpcu_deviceptr *words);
// To be called when the stream is idle. CP_EINDEX: a kernel noted something; in the words of the call that launched it.
cp_status cp_cuda_check_faults(cp_cuda_stream *s);
// The stream's list goes to the caller, a graph.
cp_cuda_faults *cp_cuda_take_faults(cp_cuda_stream *s);
// What was found wrong in the list, of work that is done, is the stream's from now on.
void cp_cuda_inherit_faults(cp_cuda_stream *s, cp_cuda_faults *faults);
// Prints what was never reported, and frees the list; its work is done, and the device entered.
void cp_cuda_drop_faults(cp_cuda_device *d, cp_cuda_faults *faults);
// Prints what was never reported. The stream is idle, and the device entered.
void cp_cuda_free_faults(cp_cuda_stream *s);

#endif
