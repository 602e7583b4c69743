// Pending lookups: x[i] for an array of positions i is a node (CP_OP_lookup), which joins kernels on devices
// that take such plans (takes_lookups). One of positions in memory alone is a routine's work, and so are all
// of them on other devices.
#ifndef CP_LAZY_EVALUATION_LOOKUPS_H
#define CP_LAZY_EVALUATION_LOOKUPS_H

#include "lazy/expression/node.h"

// Whether n is a lookup by positions in memory.
bool cp_is_plain_lookup(const cp_node *n);
// Computes n, such a lookup, into new memory of its shape.
cp_status cp_run_lookup(cp_context *ctx, cp_node *n, cp_array *target);
// Computes the lookups that n contains, each on its own, unless the device's plans have them. The caller has
// a reference to n, which may be a leaf afterwards.
cp_status cp_compute_all_lookups(cp_context *ctx, cp_node *n);
static inline cp_status cp_compute_lookups(cp_context *ctx, cp_node *n) {
  return n->looks && !n->device->ops->takes_lookups ? cp_compute_all_lookups(ctx, n) : CP_OK;
}

#endif
