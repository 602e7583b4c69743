// Positions out of range: kernels find them on the device, and the next wait for the stream reports them.
#ifndef CP_CUDA_DRIVER_FAULT_H
#define CP_CUDA_DRIVER_FAULT_H

#include "cuda/driver/cuda.h"
#include "device/raw.h"
#include "plan/selected.h"
#include "routines/index.h"

// Words for the kernel of this lookup, one per array of positions, in which it stores a position out of
// range. May wait for the stream.
cp_status cp_cuda_expect_faults(cp_cuda_stream *s, const cp_lookup *l, cpcu_deviceptr *words);
// The same for a lookup that is part of a plan.
cp_status cp_cuda_expect_positions(cp_cuda_stream *s, cp_selected *p, cpcu_deviceptr *words);
// The same for the checks of a raw kernel; CP_FAULT_WORDS words.
cp_status cp_cuda_expect_checks(cp_cuda_stream *s, const cp_raw_checks *c, cpcu_deviceptr *words);
// To be called when the stream is idle. CP_EINDEX: a kernel found a position out of range; the message is
// that of the call that launched it.
cp_status cp_cuda_check_faults(cp_cuda_stream *s);
// Transfers the stream's list to the caller, a graph.
cp_cuda_faults *cp_cuda_take_faults(cp_cuda_stream *s);
// Moves the errors in the list, whose work is done, to the stream.
void cp_cuda_inherit_faults(cp_cuda_stream *s, cp_cuda_faults *faults);
// Prints errors that were never reported, and frees the list. Its work is done, and the device was entered.
void cp_cuda_drop_faults(cp_cuda_device *d, cp_cuda_faults *faults);
// Prints errors that were never reported, and frees the stream's list. The stream is idle, and the device was
// entered.
void cp_cuda_free_faults(cp_cuda_stream *s);

#endif
