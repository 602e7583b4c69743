// Pending values that a mask selects from arrays (mask.h).
#ifndef CP_LAZY_EVALUATION_MASKED_H
#define CP_LAZY_EVALUATION_MASKED_H

#include "lazy/expression/node.h"

// Computes the parts of n (possibly n itself) that masks select from arrays. The caller has a reference to n,
// which may be a leaf afterwards.
cp_status cp_compute_masked_parts(cp_context *ctx, cp_node *n);
static inline cp_status cp_compute_masked(cp_context *ctx, cp_node *n) {
  return n->masked ? cp_compute_masked_parts(ctx, n) : CP_OK;
}

#endif
