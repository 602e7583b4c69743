// Builds plans from expressions.
#ifndef CP_LAZY_EXPRESSION_PLANNING_H
#define CP_LAZY_EXPRESSION_PLANNING_H

#include "lazy/expression/domain.h"
#include "plan/flat.h"
#include "plan/plan.h"

// Plans the evaluation of `count` roots of one shape into `count` targets of that shape. A target may share
// memory with leaves only if they are the same view. CP_EUSAGE if a bound is exceeded.
cp_status cp_plan_elementwise(cp_context *ctx, cp_plan *p, int count, cp_node *const *roots,
                              cp_array *const *targets);

// Plans the reduction r of root. target has the kept axes in order; with keepdims it also has axes of length
// 1 in place of the reduced ones.
cp_status cp_plan_reduce(cp_plan *p, cp_node *root, const cp_node_reduction *r, cp_array *target);

// Plans the evaluation of roots with reductions over the domain d into targets of the roots' shapes.
// Leaves access and vector to the device (takes_phases).
cp_status cp_plan_phases(cp_plan *p, const cp_domain *d, int count, cp_node *const *roots,
                         cp_array *const *targets, const cp_node **scalars);

// Whether n is a single operation, on arrays in memory and numbers.
static inline bool cp_is_single(const cp_node *n) {
  return n->weight.ops == 1 && n->kind == CP_NODE_OP && n->nargs > 0;
}
// Whether root, a single operation, can be computed into target without a plan (plan/flat.h); if so, fills in
// *f. It must have at most `most` elements, all arrays must be contiguous, and an argument may overlap the
// target only if it is at exactly the same place. *f is valid until root or target changes.
bool cp_flat_of(const cp_node *root, const cp_array *target, int64_t most, cp_flat *f);

#endif
