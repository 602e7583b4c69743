// The parts of an expression that no elementwise plan can have: elements that a mask selects (work/mask.h),
// products of matrices (work/product.h) and reductions. They are computed on their own, unless one kernel
// does it all (phases.h).
#ifndef CP_LAZY_EVALUATION_PARTS_H
#define CP_LAZY_EVALUATION_PARTS_H

#include "lazy/expression/node.h"

// Computes such parts of n (possibly n itself), each with what it needs. The caller has a reference to n,
// which may be a leaf afterwards.
cp_status cp_compute_all_parts(cp_context *ctx, cp_node *n);
static inline bool cp_has_parts(const cp_node *n) { return n->apart || n->reduces; }
static inline cp_status cp_compute_parts(cp_context *ctx, cp_node *n) {
  return cp_has_parts(n) ? cp_compute_all_parts(ctx, n) : CP_OK;
}
// Only what routines compute: elements that masks select, and sparse products with the operators that join
// them.
cp_status cp_compute_all_apart(cp_context *ctx, cp_node *n);
static inline cp_status cp_compute_apart(cp_context *ctx, cp_node *n) {
  return n->apart ? cp_compute_all_apart(ctx, n) : CP_OK;
}

// Computes the lookups that n contains, each on its own, unless the device's plans have them. The caller has
// a reference to n, which may be a leaf afterwards.
cp_status cp_compute_all_lookups(cp_context *ctx, cp_node *n);
static inline cp_status cp_compute_lookups(cp_context *ctx, cp_node *n) {
  return n->looks && !n->device->ops->takes_lookups ? cp_compute_all_lookups(ctx, n) : CP_OK;
}

#endif
