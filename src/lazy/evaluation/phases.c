// Which values kernels with phases may compute (phases.h).
#include "lazy/evaluation/phases.h"

#include "cuda/run/precompile.h"
#include "lazy/evaluation/parts.h"
#include "lazy/expression/graph.h"
#include "lazy/expression/pending_list.h"

#include <string.h>

static bool is_part(const cp_node *n, bool apart_only) {
  return n->kind == CP_NODE_OP &&
         (n->op == CP_OP_masked || n->op == CP_OP_product || (n->op == CP_OP_reduce && !apart_only));
}

cp_node *cp_find_part(cp_context *ctx, cp_node *root, bool apart_only) {
  cp_walk walk;
  cp_walk_begin(&walk, ctx);
  cp_walk_push(&walk, root);
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (is_part(n, apart_only)) return n;
    if (apart_only ? n->apart : cp_has_parts(n)) cp_walk_push_args(&walk, n);
  }
  return NULL;
}

bool cp_still_reduces(cp_context *ctx, cp_node *n) {
  n->reduces = n->reduces && cp_find_part(ctx, n, false) != NULL;
  return n->reduces;
}

bool cp_is_joinable(cp_context *ctx, const cp_node *n) {
  return cp_is_reduction(n) && strcmp(cp_reds[n->u.reduction.red].accumulator, "VALUE") == 0 &&
         !cp_still_reduces(ctx, n->args[0]);
}

bool cp_is_joint_domain(cp_context *ctx, const cp_device *device, const cp_domain *d, int count,
                        cp_node *const *roots) {
  if (!device->ops->phased_joins && !cp_is_precompiling(ctx)) return false;
  for (int k = 0; k < d->ndim; k++)
    if (d->shape[k] == 0) return false;
  for (int k = 0; k < count; k++) {
    cp_node *n = roots[k];
    if (!n->reduces || n->kind != CP_NODE_OP) continue;
    if (cp_is_reduction(n) ? cp_still_reduces(ctx, n->args[0])
                           : cp_shape_equal(n->ndim, n->dims, d->ndim, d->shape) && cp_still_reduces(ctx, n))
      return false;
  }
  return true;
}

bool cp_is_phased_domain(cp_context *ctx, const cp_device *device, const cp_domain *d) {
  const cp_device_ops *ops = device->ops;
  int64_t size = 1;
  for (int k = 0; k < d->ndim; k++) size *= d->shape[k];
  return d->inner >= ops->phased_least && d->inner <= ops->phased_most &&
         (size >= ops->phased_size || cp_is_precompiling(ctx));
}

bool cp_is_plain_reduction(const cp_node *n) { return cp_is_reduction(n) && !n->args[0]->reduces; }

bool cp_may_be_phased_alone(const cp_device *device, const cp_node *n) {
  return device->ops->phased_plain && cp_is_inexact(n->loop) && !cp_reds[n->u.reduction.red].exact;
}

bool cp_is_beside(const cp_context *ctx, const cp_node *first, uint32_t axes, int ndim, const int64_t *shape,
                  const cp_node *n) {
  return cp_is_reduction(n) && n->device == first->device && n->u.reduction.axes == axes &&
         cp_node_stream(ctx, n) == cp_node_stream(ctx, first) &&
         cp_shape_equal(n->args[0]->ndim, n->args[0]->dims, ndim, shape);
}
