// Pending lookups: x[i] for an array of positions i is a node (CP_OP_lookup), which joins kernels on devices
// that take such plans (takes_lookups). One of positions in memory alone is a routine's work, and so are all
// of them on other devices.
#ifndef CP_LAZY_EVALUATION_LOOKUPS_H
#define CP_LAZY_EVALUATION_LOOKUPS_H

#include "lazy/expression/node.h"

// Whether n's elements are in memory, and read where they lie.
static inline bool cp_is_plain_leaf(const cp_node *n) {
  return n->kind == CP_NODE_LEAF && n->u.leaf.moves == NULL;
}
// Whether n is a lookup by positions in memory.
bool cp_is_plain_lookup(const cp_node *n);
// Computes n, such a lookup, into new memory of its shape.
cp_status cp_run_lookup(cp_context *ctx, cp_node *n, cp_array *target);
#endif
