// Makes writes into parts of pending values wait (pending_write.h).
#include "lazy/arrays/pending_write.h"

#include "device/fast.h"
#include "lazy/arrays/assign.h"
#include "lazy/evaluation/force.h"
#include "lazy/expression/graph.h"
#include "lazy/expression/pending_list.h"
#include "lazy/expression/planned.h"
#include "lazy/transforms/overlaid.h"

// Whether values on the device go on waiting when a part of them is written.
static bool writes_wait(const cp_context *ctx, const cp_device *d) {
  return ctx->lazy.fusion && (d->ops->writes_wait || !cp_may_go_fast(ctx, CP_FAST_VIEWS));
}

bool cp_may_write_pending(const cp_context *ctx, const cp_array *a) {
  const cp_node *n = a->node;
  return n->kind != CP_NODE_LEAF && n->refs == 1 && a->size > 1 && !cp_is_planned(a) && !n->reduces &&
         !n->apart && !n->traced && !n->exposed && writes_wait(ctx, a->device);
}

bool cp_may_overlay(const cp_context *ctx, const cp_device *d, size_t bytes) {
  // Less is copied within a device's cache, in less time than it takes to describe what is written.
  enum { LEAST_BYTES = 1 << 25 };
  // A graph keeps the addresses that it was recorded with.
  return (bytes >= LEAST_BYTES || !cp_may_go_fast(ctx, CP_FAST_VIEWS)) && ctx->capture.graph == NULL &&
         writes_wait(ctx, d);
}

bool cp_may_copy_later(const cp_context *ctx, const cp_array *a, char order) {
  return a->node == NULL && a->ndim > 0 && cp_may_overlay(ctx, a->device, cp_array_nbytes(a)) &&
         cp_array_covers_storage(a) && (order == 'K' || cp_array_contiguous(a, order));
}

// Whether root may be computed as part of a's expression.
static bool may_join(const cp_array *view, const cp_node *root) {
  return view->ndim > 0 && !root->reduces && !root->apart && !root->exposed;
}

cp_status cp_overlay(cp_context *ctx, cp_node *old, const cp_array *a, const cp_array *view, cp_node *root,
                     cp_node **out) {
  enum { MOST_OPS = 32 };
  cp_node_retain(root);
  CP_TRY(cp_node_cast(root, a->dtype, &root));
  cp_status status = cp_node_overlaid(old, a, view, root, out);
  cp_node_release(root);
  if (status != CP_OK || *out == NULL) return status;
  cp_weight w = (*out)->weight; // an upper bound
  if (w.ops > MOST_OPS || !cp_within_bounds(ctx, &w)) w = cp_weigh(ctx, 1, out);
  if (w.ops <= MOST_OPS && cp_within_bounds(ctx, &w)) return CP_OK;
  cp_node_release(*out);
  *out = NULL;
  return CP_OK;
}

// Tries to let a wait for its value after the write.
static cp_status wait_for_write(cp_context *ctx, cp_array *a, const cp_array *view, cp_node *root,
                                bool *done) {
  cp_node *n, *fresh = NULL;
  *done = false;
  if (!may_join(view, root) || !cp_may_write_pending(ctx, a)) return CP_OK;
  CP_TRY(cp_array_node(a, &n)); // computes the value of another stream
  cp_node_release(n);
  if (a->node == NULL) return CP_OK;
  CP_TRY(cp_check_assignment(view, root));
  CP_TRY(cp_overlay(ctx, a->node, a, view, root, &fresh));
  if (fresh == NULL) return CP_OK;
  *done = true;
  cp_pending_drop(a);
  CP_TRY(cp_pend(ctx, a, fresh));
  return cp_are_parts_due(ctx) ? cp_launch_old_reductions(ctx) : CP_OK;
}

cp_status cp_assign_part(cp_context *ctx, cp_array *a, cp_array *view, cp_node *root) {
  bool done = false;
  cp_status status = a->node != NULL ? wait_for_write(ctx, a, view, root, &done) : CP_OK;
  if (status == CP_OK && !done && a->node != NULL) status = cp_force(ctx, a);
  if (status == CP_OK && !done) status = cp_array_check(a); // script code may have freed it
  if (status != CP_OK || done) {
    cp_node_release(root);
    return status;
  }
  view->storage = a->storage;
  return cp_assign(ctx, view, root, CP_MAY_RENAME);
}
