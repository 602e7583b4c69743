// Forces pending values: computes them, with everything that they depend on, into memory by as few kernels as
// possible.
#ifndef CP_LAZY_EVALUATION_FORCE_H
#define CP_LAZY_EVALUATION_FORCE_H

#include "lazy/expression/graph.h"

// Computes the array's value into memory. After a failure to do so (out of memory, compile error) it stays
// pending, and the message names the operations. CP_EUSAGE if the array was freed, before or meanwhile.
cp_status cp_force(cp_context *ctx, cp_array *a);
// The same for several arrays. Those of one shape and stream are computed by one kernel, as far as the bounds
// allow.
cp_status cp_force_all(cp_context *ctx, int count, cp_array *const *arrays);
// The same for a node n in the list of pending values, whose array may be garbage.
cp_status cp_force_listed(cp_context *ctx, cp_node *n);
// Launches the pending values on device (NULL: on every device) that no other pending value depends on, in
// the order in which they were made.
cp_status cp_launch_pending(cp_context *ctx, cp_device *device);
// The same for the values of one stream.
cp_status cp_launch_stream(cp_context *ctx, cp_stream *stream);
// Launches the reductions that have waited for CP_REDUCTION_WAITS operators. Those for which there is no
// memory wait for as many more.
cp_status cp_launch_old_reductions(cp_context *ctx);
// Computes the pending reductions, except one node, that depend on a leaf whose `touched` is set.
cp_status cp_force_touched_reductions(cp_context *ctx, const cp_node *except);
// Computes the pending reductions that read b, before an array gives it up.
cp_status cp_force_all_reductions_of(cp_context *ctx, cp_buffer *b);
static inline cp_status cp_force_reductions_of(cp_context *ctx, cp_buffer *b) {
  bool none = ctx->lazy.nreductions == 0 || b->readers == NULL;
  return none ? CP_OK : cp_force_all_reductions_of(ctx, b);
}
// Roughly how many bytes it would move to compute the pending values that depend on a leaf whose `touched` is
// set; SIZE_MAX if there are too many to look at.
size_t cp_touched_bytes(cp_context *ctx);
// Computes those values, except one, and gives memory of their own to arrays that wait for such a leaf of b
// itself.
cp_status cp_force_touched(cp_context *ctx, const cp_buffer *b, const cp_node *except);

#endif
