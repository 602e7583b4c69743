// Keeps pending values within their bounds (lazy/expression/graph.h has the numbers).
#ifndef CP_LAZY_EVALUATION_BOUNDS_H
#define CP_LAZY_EVALUATION_BOUNDS_H

#include "lazy/expression/graph.h"

// Adds what an operand needs (NULL: a number).
static inline void cp_weight_add_operand(cp_weight *sum, const cp_array *a) {
  if (a == NULL) {
    sum->scalars++;
    sum->slots += 2;
  } else if (a->node == NULL) {
    sum->leaves++;
    sum->slots += 1 + a->ndim;
  } else {
    cp_weight_add(sum, &a->node->weight);
  }
}

// Whether n is to be computed first where an operation broadcasts it.
static inline bool cp_may_be_repeated(const cp_node *n) { return n->costly || n->reduces; }

// Whether n, a view of a pending value, has been computed before without being kept.
static inline bool cp_is_view_read(const cp_node *n) { return n->view && n->args[0]->read; }

// Whether an operation on the arrays would compute some of them repeatedly.
bool cp_any_repeated(int count, cp_array *const *arrays);
cp_status cp_bound_pending(cp_context *ctx, int count, cp_array *const *arrays, cp_weight *weight);
// Called before an operation on the arrays (NULL: a number). It forces three kinds of values: operands that
// the operation would compute repeatedly; the largest operands, until the operation is within the bounds; and
// old pending values, while too much memory is kept only for pending values. Sets *weight (if not NULL) to
// what one operation on the arrays needs then, shared parts counted once where that decided.
static inline cp_status cp_bound_operands(cp_context *ctx, int count, cp_array *const *arrays,
                                          cp_weight *weight) {
  enum { SURE = CP_BOUND_SLOTS / (1 + CP_MAXDIM) }; // so many arrays in memory are always within the bounds
  cp_weight w = {.ops = 1};
  bool sure = count <= SURE && ctx->lazy.pinned_bytes <= ctx->lazy.pinned_bound;
  bool pending = false, candidates = false;
  for (int k = 0; k < count && sure; k++) {
    const cp_node *n = arrays[k] != NULL ? arrays[k]->node : NULL;
    pending = pending || n != NULL;
    candidates = candidates || (n != NULL && cp_may_be_repeated(n));
    sure = sure && !(n != NULL && cp_is_view_read(n));
    cp_weight_add_operand(&w, arrays[k]);
  }
  sure = sure && (!pending || cp_within_bounds(ctx, &w));
  if (!sure || (candidates && count > 1 && cp_any_repeated(count, arrays)))
    return cp_bound_pending(ctx, count, arrays, weight);
  if (weight != NULL) *weight = w;
  return CP_OK;
}

// Whether an array waits for n, and a kernel over this shape would compute each element of n several times,
// because n is broadcast. If n contains reductions, only where it is not broadcast along what they reduce.
bool cp_is_pending_repeated(const cp_node *n, int ndim, const int64_t *shape);
static inline bool cp_is_repeated(const cp_node *n, int ndim, const int64_t *shape) {
  return n->handle != NULL && cp_is_pending_repeated(n, ndim, shape);
}

#endif
