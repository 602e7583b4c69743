// The door for work that is not an expression: routines, library calls and users' kernels, which take addresses
// of arrays.
//
//   cp_use uses[] = {{x, CP_READ}, {y, CP_WRITE}};
//   CP_TRY(cp_open_arrays(ctx, device, 2, uses, &stream));
//   ... cp_address of each, work queued on stream; nothing in between may allocate from the pool or run Lua ...
//
// Temporary memory is made before the door opens: finalizers run inside of allocations, and may free or rename.
#ifndef CP_LAZY_ARRAYS_ACCESS_H
#define CP_LAZY_ARRAYS_ACCESS_H

#include "lazy/evaluation/order.h"

// Streams that use the arrays next are told of the work here already: they wait for all that is queued until they come.
// Computes pending arrays, sees to pending readers of those that are written (all of which have memory), and gives the stream of device
// that the work goes to. CP_EUSAGE for freed arrays, read-only targets and arrays of another device.
cp_status cp_open_arrays(cp_context *ctx, cp_device *device, int count, const cp_use *uses,
                         cp_stream **stream);

#endif
