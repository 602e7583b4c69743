// Makes views of pending values that wait, too (pending_view.h).
#include "lazy/arrays/pending_view.h"

#include "device/fast.h"
#include "lazy/evaluation/force.h"
#include "lazy/evaluation/parts.h"
#include "lazy/evaluation/phases.h"
#include "lazy/expression/domain.h"
#include "lazy/expression/graph.h"
#include "lazy/expression/planned.h"
#include "lazy/transforms/viewed.h"
#include "plan/plan.h"

// Whether n's reductions are computed before it anyway, by kernels of their own, or have been.
static bool follows_reductions(cp_context *ctx, cp_node *n) {
  cp_domain domain;
  if (cp_is_reduction(n)) return false;
  if (cp_find_part(ctx, n, false) == NULL) return true;
  return cp_find_domain(ctx, 1, &n, &domain) && !cp_is_phased_domain(ctx, n->device, &domain) &&
         !cp_is_joint_domain(ctx, n->device, &domain, 1, &n);
}

bool cp_may_view_pending(cp_context *ctx, const cp_array *a) {
  cp_node *n = cp_awaited_node(a);
  const bool few = n != NULL && a->size < a->device->ops->viewed_size && !cp_is_planned(a);
  return n != NULL && n->kind == CP_NODE_OP && n->awaited && !n->apart && !n->traced && !n->exposed &&
         ctx->lazy.fusion && ctx->capture.graph == NULL && !cp_is_cheap(n) &&
         !(few && cp_may_go_fast(ctx, CP_FAST_VIEWS)) && (!n->reduces || follows_reductions(ctx, n));
}

// Whether computing the views taken so far of n again, with one of `more` elements, takes less time than
// storing n. Elements that are in one view only are computed once. Others may be computed again if that takes
// no more than a few operations an element, and calls no function.
static bool is_worth_it(const cp_node *n, int64_t size, int64_t viewed, int64_t more, bool functions) {
  enum { FEW = 8 };
  const double repeated = (double)viewed + (double)more - (double)size;
  return repeated <= 0 || (!functions && repeated * n->steps <= FEW * (double)size);
}

// Computes values that the view's expression would repeat although an evaluation has read them before.
static cp_status keep_values(cp_context *ctx, cp_node *n) {
  cp_node *kept[CP_MAX_OUTPUTS];
  cp_status status = CP_OK;
  const int found = cp_find_kept(ctx, 1, &n, false, CP_MAX_OUTPUTS, kept);
  for (int k = 0; k < found; k++) cp_node_retain(kept[k]);
  for (int k = 0; k < found && status == CP_OK; k++) status = cp_force_listed(ctx, kept[k]);
  for (int k = 0; k < found; k++) cp_node_release(kept[k]);
  return status;
}

// Computes the reductions that n follows. Script code may run meanwhile.
static cp_status compute_reductions(cp_context *ctx, cp_node *n) {
  cp_node_retain(n);
  cp_status status = cp_compute_parts(ctx, n);
  cp_node_release(n);
  return status;
}

// Makes v wait, if that is possible and worth it; otherwise leaves v as it is.
static cp_status wait_for_view(cp_context *ctx, cp_array *a, cp_array *view, cp_array *v) {
  cp_viewed viewed;
  cp_node *n = cp_awaited_node(a);
  const int64_t before = cp_is_planned(a) ? a->storage->planned->viewed : 0;
  if (!is_worth_it(n, a->size, before, view->size, false)) return CP_OK;
  CP_TRY(cp_node_viewed(n, view, &viewed));
  if (viewed.node == NULL) return CP_OK;
  cp_status status = CP_OK;
  bool wait = is_worth_it(n, a->size, before, view->size, viewed.functions);
  if (wait && !cp_is_planned(a)) status = cp_plan_memory(ctx, a);
  if (!wait || status != CP_OK) {
    cp_node_release(viewed.node);
    return status;
  }
  view->storage = a->storage;
  a->storage->planned->viewed += view->size;
  return cp_wait_for_view(v, view, viewed.node);
}

cp_status cp_pend_view(cp_context *ctx, cp_array *a, cp_array *view, cp_array *v) {
  CP_TRY(cp_array_alive(a));
  if (cp_may_view_pending(ctx, a)) CP_TRY(compute_reductions(ctx, cp_awaited_node(a)));
  if (cp_may_view_pending(ctx, a)) CP_TRY(keep_values(ctx, cp_awaited_node(a)));
  if (cp_may_view_pending(ctx, a)) CP_TRY(wait_for_view(ctx, a, view, v));
  if (v->node != NULL) return CP_OK;
  CP_TRY(cp_force(ctx, a));
  view->storage = a->storage;
  cp_array_copy_view(v, view);
  return CP_OK;
}
