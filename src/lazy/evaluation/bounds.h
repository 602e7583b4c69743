// The bounds of pending values (graph.h has the numbers).
#ifndef CP_LAZY_EVALUATION_BOUNDS_H
#define CP_LAZY_EVALUATION_BOUNDS_H

#include "lazy/expression/node.h"

// Before an operation on the arrays (NULL: a number): forces operands that it would repeat, the largest ones until it is within the bounds, and old
// values while they alone keep too much memory.
cp_status cp_bound_operands(cp_context *ctx, int count, cp_array *const *arrays);

// Whether a kernel over this shape would compute n, which an array waits for, again and again for elements that share it.
bool cp_is_repeated(const cp_node *n, int ndim, const int64_t *shape);

#endif
