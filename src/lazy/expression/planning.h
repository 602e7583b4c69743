// From expressions to plans.
#ifndef CP_LAZY_EXPRESSION_PLANNING_H
#define CP_LAZY_EXPRESSION_PLANNING_H

#include "lazy/expression/node.h"
#include "plan/flat.h"
#include "plan/plan.h"

// Plans the evaluation of `count` roots of one shape into `count` targets of that shape (targets may not share memory with leaves unless they
// are the same view). CP_EUSAGE when a bound is passed.
cp_status cp_plan_elementwise(cp_plan *p, int count, cp_node *const *roots, cp_array *const *targets);

// Plans the reduction of root over the axes whose bit is set in axes; target has the kept axes in order (keepdims: lengths 1 are skipped).
cp_status cp_plan_reduce(cp_plan *p, cp_node *root, uint32_t axes, cp_red red, cp_dtype acc, double parameter,
                         cp_array *target);

// Whether computing root into target is one operation without gaps (plan/flat.h), of at most `most` elements, where no argument overlaps the target
// without lying exactly in its place. The figures hold until root or target change.
bool cp_flat_of(const cp_node *root, const cp_array *target, int64_t most, cp_flat *f);

#endif
