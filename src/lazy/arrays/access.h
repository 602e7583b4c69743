// Opens arrays for work that is not an expression: routines, library calls and users' kernels, which take
// addresses of arrays.
//
//   cp_use uses[] = {{x, CP_READ}, {y, CP_WRITE}};
//   CP_TRY(cp_open_arrays(ctx, device, 2, uses, &stream));
//   ... take cp_address of each and queue work on stream; in between neither allocate nor run Lua ...
//
// Allocate temporary memory before opening the arrays: finalizers run inside allocations, and may free arrays
// or exchange their buffers.
#ifndef CP_LAZY_ARRAYS_ACCESS_H
#define CP_LAZY_ARRAYS_ACCESS_H

#include "lazy/work/order.h"

// Computes pending arrays, passes those that are written through the write barrier (they must be in memory),
// and gives the stream of device that the work goes to. It also records the uses, although the work is queued
// later: other streams that use the arrays wait for everything queued by then. CP_EUSAGE for freed arrays,
// read-only targets and arrays on another device.
cp_status cp_open_arrays(cp_context *ctx, cp_device *device, int count, const cp_use *uses,
                         cp_stream **stream);

#endif
