// Lookups that wait: x[i] as a pending value, which joins the kernel that uses it.
#ifndef CP_RULES_WAITING_H
#define CP_RULES_WAITING_H

#include "lazy/expression/node.h"
#include "routines/index.h"

// Whether a lookup that reads base by these arrays, none of which is a mask, may wait.
bool cp_lookup_may_wait(const cp_context *ctx, const cp_array *base, int count, cp_array *const *positions);
// Sets *root to a node with one reference: the elements that l, whose shape and strides are set, selects from
// base. own: how many of l's axes, the innermost ones, are those of the positions.
cp_status cp_lookup_wait(cp_context *ctx, const cp_lookup *l, cp_array *base, cp_array *const *positions,
                         int own, cp_node **root);

#endif
