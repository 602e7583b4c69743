// Pending values that a mask takes from arrays (mask.h).
#ifndef CP_LAZY_EVALUATION_MASKED_H
#define CP_LAZY_EVALUATION_MASKED_H

#include "lazy/expression/node.h"

// Computes the parts of n (n included) that a mask takes from arrays. n is retained by the caller, and may be a leaf afterwards.
cp_status cp_compute_masked_parts(cp_context *ctx, cp_node *n);
static inline cp_status cp_compute_masked(cp_context *ctx, cp_node *n) {
  return n->masked ? cp_compute_masked_parts(ctx, n) : CP_OK;
}

#endif
