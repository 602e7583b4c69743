// Keeps pending values within their bounds (lazy/expression/graph.h has the numbers).
#ifndef CP_LAZY_EVALUATION_BOUNDS_H
#define CP_LAZY_EVALUATION_BOUNDS_H

#include "lazy/expression/node.h"

// Called before an operation on the arrays (NULL: a number). It forces three kinds of values: operands that
// the operation would compute repeatedly; the largest operands, until the operation is within the bounds; and
// old pending values, while too much memory is kept only for pending values. Sets *weight (if not NULL) to
// what one operation on the arrays needs then, shared parts counted once where that decided.
cp_status cp_bound_pending(cp_context *ctx, int count, cp_array *const *arrays, cp_weight *weight);
static inline cp_status cp_bound_operands(cp_context *ctx, int count, cp_array *const *arrays,
                                          cp_weight *weight) {
  const bool one = count == 1 && arrays[0] != NULL && arrays[0]->node == NULL && weight == NULL;
  return one && ctx->lazy.pinned_bytes <= ctx->lazy.pinned_bound
             ? CP_OK // an array in memory is within the bounds
             : cp_bound_pending(ctx, count, arrays, weight);
}

// Whether an array waits for n, and a kernel over this shape would compute each element of n several times,
// because n is broadcast. If n contains reductions, only where it is not broadcast along what they reduce.
bool cp_is_pending_repeated(const cp_node *n, int ndim, const int64_t *shape);
static inline bool cp_is_repeated(const cp_node *n, int ndim, const int64_t *shape) {
  return n->handle != NULL && cp_is_pending_repeated(n, ndim, shape);
}

#endif
