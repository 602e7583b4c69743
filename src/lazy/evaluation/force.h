// Computing pending values: they get memory, with all that they are made of, by as few kernels as can be.
#ifndef CP_LAZY_EVALUATION_FORCE_H
#define CP_LAZY_EVALUATION_FORCE_H

#include "lazy/expression/graph.h"

// Gives the array memory with its value. On failure (memory, compiling) it stays pending, and the message names the operations.
cp_status cp_force(cp_context *ctx, cp_array *a);
// The same for several arrays: those of one shape and device by one kernel, as far as bounds allow.
cp_status cp_force_all(cp_context *ctx, int count, cp_array *const *arrays);
// The same for n in the list, whose array may be garbage.
cp_status cp_force_listed(cp_context *ctx, cp_node *n);
// Launches all pending values on device (NULL: on every device) that nothing else pending is made of, in the order they were written.
cp_status cp_launch_pending(cp_context *ctx, cp_device *device);
// The same for the values of one stream.
cp_status cp_launch_stream(cp_context *ctx, cp_stream *stream);
// Bytes that computing the pending values made of a leaf whose `touched` is set would move, about; SIZE_MAX when they are many.
size_t cp_touched_bytes(cp_context *ctx);
// Computes them, except one, and gives memory of their own to arrays that wait for such leaves of b themselves.
cp_status cp_force_touched(cp_context *ctx, const cp_buffer *b, const cp_node *except);

#endif
