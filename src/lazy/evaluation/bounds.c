// Keeps pending values within their bounds: an operation on them must fit one kernel, and the memory that is
// kept only for them must stay below a share of the device's.
#include "lazy/evaluation/bounds.h"

#include "lazy/evaluation/force.h"
#include "lazy/expression/pending_list.h"
#include "memory/pool.h"
#include "plan/plan.h"

// Forces pending values, the oldest first, until they keep at most `most` bytes of memory that no array uses
// any more.
static cp_status relieve(cp_context *ctx, size_t most) {
  cp_status status = CP_OK;
  if (ctx->hooks.collect != NULL) cp_pool_collect(ctx, false);
  cp_pending_walk walk;
  cp_pending_begin(ctx, &walk);
  while (status == CP_OK && ctx->lazy.pinned_bytes > most && walk.next != NULL)
    status = cp_force_listed(ctx, cp_pending_next(&walk));
  cp_pending_end(ctx, &walk);
  // If much remains, the bound is raised, so that it is not walked through again at each operation.
  ctx->lazy.pinned_bound = ctx->lazy.pinned_bytes > most / 2 ? 2 * ctx->lazy.pinned_bytes : most;
  return status;
}

typedef cp_weight weigher(cp_context *ctx, int count, cp_node *const *roots);

// What an operation on the arrays needs. weigh: counts what pending operands share once (NULL: for each).
static cp_weight operands_weight(cp_context *ctx, int count, cp_array *const *arrays, weigher *weigh) {
  cp_weight sum = {.ops = 1};
  cp_node *roots[CP_MAX_OUTPUTS];
  int n = 0;
  for (int k = 0; k < count; k++) {
    if (weigh != NULL && arrays[k] != NULL && arrays[k]->node != NULL && n < CP_MAX_OUTPUTS)
      roots[n++] = arrays[k]->node;
    else
      cp_weight_add_operand(&sum, arrays[k]);
  }
  if (n == 0) return sum;
  cp_weight w = weigh(ctx, n, roots);
  cp_weight_add(&w, &sum);
  return w;
}

// Bounds the memory that is kept only for pending values by a share of the device's memory.
static cp_status bound_pinned(cp_context *ctx, int count, cp_array *const *arrays) {
  enum { SHARE = 16 };
  for (int k = 0; k < count && ctx->lazy.pinned_bytes > ctx->lazy.pinned_bound; k++) {
    if (arrays[k] == NULL) continue;
    size_t most = cp_pool_capacity(arrays[k]->device->pool) / SHARE;
    if (ctx->lazy.pinned_bytes > most) return relieve(ctx, most);
    ctx->lazy.pinned_bound = most;
  }
  return CP_OK;
}

bool cp_is_pending_repeated(const cp_node *n, int ndim, const int64_t *shape) {
  if (n->kind != CP_NODE_OP || cp_shape_equal(n->ndim, n->dims, ndim, shape)) return false;
  return n->reduces ? !cp_is_within_reduced(n, ndim, shape) : n->costly;
}

static bool is_candidate(const cp_array *a) {
  return a != NULL && a->node != NULL && cp_may_be_repeated(a->node);
}

// Gives the shape that the arrays broadcast to; false: they all have it. Shapes that do not broadcast are an
// error, which the operator reports.
static bool is_broadcast(int count, cp_array *const *arrays, int *ndim, int64_t *shape) {
  const cp_array *first = NULL;
  bool differ = false;
  for (int k = 0; k < count && !differ; k++) {
    const cp_array *a = arrays[k];
    if (a == NULL) continue;
    if (first == NULL) first = a;
    differ = !cp_shape_equal(a->ndim, a->shape, first->ndim, first->shape);
  }
  *ndim = 0;
  for (int k = 0; k < count && differ; k++)
    differ = arrays[k] == NULL || cp_broadcast(ndim, shape, arrays[k]->ndim, arrays[k]->shape);
  return differ;
}

bool cp_any_repeated(int count, cp_array *const *arrays) {
  int ndim;
  int64_t shape[CP_MAXDIM];
  bool any = false;
  if (!is_broadcast(count, arrays, &ndim, shape)) return false;
  for (int k = 0; k < count && !any; k++)
    any = is_candidate(arrays[k]) && cp_is_repeated(arrays[k]->node, ndim, shape);
  return any;
}

// Forces views that would be computed a second time. (Of other values, evaluation keeps those itself.)
static cp_status force_read_views(cp_context *ctx, int count, cp_array *const *arrays) {
  for (int k = 0; k < count; k++) {
    const cp_node *n = arrays[k] != NULL ? arrays[k]->node : NULL;
    if (n != NULL && cp_is_view_read(n) && !n->args[0]->awaited && !cp_is_cheaper_again(n))
      CP_TRY(cp_force(ctx, arrays[k]));
  }
  return CP_OK;
}

// Forces operands that the operation would compute repeatedly, because it broadcasts them.
static cp_status force_repeated(cp_context *ctx, int count, cp_array *const *arrays) {
  int ndim;
  int64_t shape[CP_MAXDIM];
  if (!is_broadcast(count, arrays, &ndim, shape)) return CP_OK;
  for (int k = 0; k < count; k++)
    if (is_candidate(arrays[k]) && cp_is_repeated(arrays[k]->node, ndim, shape))
      CP_TRY(cp_force(ctx, arrays[k]));
  return CP_OK;
}

cp_status cp_bound_pending(cp_context *ctx, int count, cp_array *const *arrays, cp_weight *weight) {
  CP_TRY(bound_pinned(ctx, count, arrays));
  CP_TRY(force_read_views(ctx, count, arrays));
  CP_TRY(force_repeated(ctx, count, arrays));
  for (;;) {
    cp_array *largest = NULL;
    cp_weight w = operands_weight(ctx, count, arrays, NULL);
    if (!cp_within_bounds(ctx, &w)) w = operands_weight(ctx, count, arrays, cp_weigh_together);
    if (!cp_within_bounds(ctx, &w)) w = operands_weight(ctx, count, arrays, cp_weigh);
    if (weight != NULL) *weight = w;
    if (cp_within_bounds(ctx, &w)) return CP_OK;
    for (int k = 0; k < count; k++)
      if (arrays[k] != NULL && arrays[k]->node != NULL && arrays[k]->node->kind != CP_NODE_LEAF &&
          (largest == NULL || arrays[k]->node->weight.ops > largest->node->weight.ops))
        largest = arrays[k];
    if (largest == NULL) return CP_OK;
    if (largest->node->traced)
      return cp_fail(CP_EUSAGE, "the function does more than one kernel can: %d operations, %d numbers",
                     (int)CP_RAISED_OPS, (int)CP_RAISED_SCALARS);
    CP_TRY(cp_force(ctx, largest));
  }
}
