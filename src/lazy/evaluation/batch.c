// One evaluation: its outputs, their memory, and what becomes of the nodes afterwards.
//
// Allocating memory may collect garbage, and a finalizer may compute, free or write anything. So this code
// holds references to its nodes, and checks everything about them again after an allocation.
#include "lazy/evaluation/batch.h"

#include "cuda/run/precompile.h"
#include "device/fast.h"
#include "lazy/evaluation/beside.h"
#include "lazy/evaluation/eval.h"
#include "lazy/evaluation/parts.h"
#include "lazy/evaluation/phases.h"
#include "lazy/expression/graph.h"
#include "lazy/expression/pending_list.h"

#include <string.h>

// Adds an output. If target is NULL, makes new memory for the array that waits for n. The caller has a
// reference to n.
static cp_status add_output(cp_context *ctx, cp_batch *b, cp_node *n, cp_array *target) {
  int k = b->count;
  if (!b->phased) CP_TRY(cp_compute_parts(ctx, n));
  if (target == NULL && n->kind == CP_NODE_LEAF) return CP_OK; // it has been computed
  b->targets[k] = target;
  if (target == NULL) {
    CP_TRY(cp_output_make(ctx, n, &b->new_outputs[k]));
    b->targets[k] = &b->new_outputs[k].a;
  }
  b->nodes[k] = n;
  b->count++;
  cp_node_retain(n);
  return CP_OK;
}

static bool made_here(const cp_batch *b, int k) { return b->targets[k] == &b->new_outputs[k].a; }

// Whether n has been computed already, or no array waits for it any more: both can happen while memory is
// allocated.
static bool is_done(const cp_node *n) { return n->kind == CP_NODE_LEAF || !n->awaited; }

// The status of computing n for itself: a value that no array waits for, not even one that is garbage, needs
// no memory.
static cp_status unless_garbage(const cp_node *n, cp_status status) {
  bool needed = n->kind != CP_NODE_LEAF && n->handle != NULL;
  return needed || status == CP_EINTERRUPTED ? status : CP_OK;
}

static void move_output(cp_batch *b, int to, int from) {
  b->targets[to] = b->targets[from];
  if (made_here(b, from)) {
    b->new_outputs[to] = b->new_outputs[from];
    b->new_outputs[to].a.strides = b->new_outputs[to].strides;
    b->targets[to] = &b->new_outputs[to].a;
  }
  b->nodes[to] = b->nodes[from];
}

// Drops outputs that were computed, or became garbage, while memory was allocated.
static void leave_out_done(cp_batch *b) {
  int kept = 0, asked = b->asked;
  for (int k = 0; k < b->count; k++) {
    const cp_node *n = b->nodes[k];
    if (made_here(b, k) && is_done(n) && (n != b->needed || n->kind == CP_NODE_LEAF)) {
      cp_array_release(&b->new_outputs[k].a);
      cp_node_release(b->nodes[k]);
      asked -= k < b->asked;
      continue;
    }
    if (kept < k) move_output(b, kept, k);
    kept++;
  }
  b->count = kept;
  b->asked = asked;
}

static cp_status add_kept(cp_context *ctx, cp_batch *b, bool also_roots, int ndim, const int64_t *shape);

// Gives up the outputs beyond the first `count`.
static void leave_out_rest(cp_batch *b, int count) {
  while (b->count > count) {
    b->count--;
    if (made_here(b, b->count)) cp_array_release(&b->new_outputs[b->count].a);
    cp_node_release(b->nodes[b->count]);
  }
}

// Where one kernel cannot compute all that was asked for, it may compute those reductions of which one pass
// finds several.
static cp_status join_some(cp_context *ctx, const cp_batch *b) {
  cp_node *some[CP_MAX_OUTPUTS];
  int count = 0;
  for (int k = 0; k < b->asked; k++)
    if (made_here(b, k) && cp_is_joinable(ctx, b->nodes[k])) some[count++] = b->nodes[k];
  return count > 1 && count < b->asked ? cp_batch_force(ctx, count, some) : CP_OK;
}

// The domain of the outputs, if it has been found and nothing was computed since.
static const cp_domain *known_domain(const cp_context *ctx, const cp_batch *b) {
  return b->known == b->count && b->settled == ctx->lazy.settled ? &b->domain : NULL;
}

// Whether the structure of what was asked for is that of the nodes still.
static bool is_described(const cp_context *ctx, const cp_batch *b) {
  return b->structure != NULL && b->structure->settled == ctx->lazy.settled;
}

// Runs the batch by the plan that is prepared for it, unless something was computed since.
static cp_status run_prepared(cp_context *ctx, cp_batch *b, bool *done) {
  if (!b->prepared || !is_described(ctx, b)) return CP_OK;
  const cp_prepared *prepared = cp_prepared_of(ctx, b->structure); // unless memory was needed for another
  if (prepared == NULL || cp_prepared_list(prepared)->count != b->count) return CP_OK;
  *done = true;
  return cp_evaluate_prepared(ctx, prepared, b->structure, b->nodes, b->targets);
}

// Describes the outputs, so that a plan for them can be kept; false: that is not possible.
static bool may_prepare(const cp_context *ctx, const cp_batch *b, cp_preparation *to_prepare) {
  if (!is_described(ctx, b)) return false;
  bool described = true;
  to_prepare->structure = b->structure;
  to_prepare->outputs.count = b->count;
  to_prepare->outputs.asked = b->asked;
  for (int k = 0; k < b->count && described; k++) {
    int at = cp_described(b->structure, b->nodes[k]);
    described = at >= 0;
    to_prepare->outputs.at[k] = (unsigned char)at;
  }
  return described;
}

// Computes all values by one kernel with phases. If there is none, gives up the values that nobody asked for,
// computes the parts of the others, and sets *done to false.
static cp_status run_phases(cp_context *ctx, cp_batch *b, bool fresh, bool *done) {
  const bool beside = b->count > b->asked;
  cp_preparation to_prepare;
  cp_phases_known known = {.fresh = fresh, .domain = known_domain(ctx, b)};
  CP_TRY(run_prepared(ctx, b, done));
  if (*done) return CP_OK;
  if (fresh && may_prepare(ctx, b, &to_prepare)) known.to_prepare = &to_prepare;
  CP_TRY(cp_evaluate_phases(ctx, b->count, b->nodes, b->targets, &known, done));
  leave_out_rest(b, *done ? b->count : b->asked);
  if (b->count == 0) return CP_OK;
  known = (cp_phases_known){.fresh = fresh};
  if (!*done && beside) CP_TRY(cp_evaluate_phases(ctx, b->count, b->nodes, b->targets, &known, done));
  if (*done) return CP_OK;
  if (b->targets[0]->device->ops->phased_joins) CP_TRY(join_some(ctx, b));
  b->phased = false;
  for (int k = 0; k < b->count; k++) CP_TRY(cp_compute_parts(ctx, b->nodes[k]));
  leave_out_done(b);
  if (b->count == 0) return CP_OK;
  CP_TRY(add_kept(ctx, b, false, b->targets[0]->ndim, b->targets[0]->shape));
  leave_out_done(b);
  return CP_OK;
}

cp_status cp_batch_run(cp_context *ctx, cp_batch *b) {
  bool done = false;
  if (b->count > 1 || (b->count == 1 && made_here(b, 0))) leave_out_done(b);
  if (b->count == 0) return CP_OK;
  bool fresh = true; // all targets are new memory, which overlaps no leaf
  for (int k = 0; k < b->count; k++) fresh = fresh && made_here(b, k);
  if (b->phased) CP_TRY(run_phases(ctx, b, fresh, &done));
  return done || b->count == 0 ? CP_OK : cp_evaluate(ctx, b->count, b->nodes, b->targets, fresh);
}

void cp_batch_end(cp_context *ctx, cp_batch *b, cp_status status) {
  (void)ctx;
  for (int k = 0; k < b->count; k++) {
    if (made_here(b, k)) {
      if (status == CP_OK) cp_output_settle(b->nodes[k], &b->new_outputs[k].a);
      cp_array_release(&b->new_outputs[k].a);
    }
    cp_node_release(b->nodes[k]);
  }
  b->count = 0;
}

static bool contains(const cp_batch *b, const cp_node *n) {
  for (int k = 0; k < b->count; k++)
    if (b->nodes[k] == n && made_here(b, k)) return true;
  return false;
}

// Computes n alone, into new memory. The caller's reference to n takes the place of a batch's. needed: also
// if no array waits for it any more.
static cp_status evaluate_alone(cp_context *ctx, cp_node *n, bool needed) {
  cp_new_output output;
  cp_array *target = &output.a;
  ctx->counters.forces++;
  CP_TRY(cp_compute_apart(ctx, n));
  if (n->kind == CP_NODE_LEAF) return CP_OK; // it has been computed
  CP_TRY(cp_output_make(ctx, n, &output));
  cp_status status = CP_OK;
  if (needed ? n->kind != CP_NODE_LEAF : !is_done(n)) {
    status = cp_evaluate(ctx, 1, &n, &target, true);
    if (status == CP_OK) cp_output_settle(n, target);
  }
  cp_array_release(target);
  return status;
}

enum { MOST_DIMS = 8 }; // beyond this, further outputs would need too many kernel arguments

// Keeps the parts of the batch that are worth it: those of its shape become further outputs, others are
// computed now.
static cp_status add_kept(cp_context *ctx, cp_batch *b, bool also_roots, int ndim, const int64_t *shape) {
  if (b->count == 1 && b->nodes[0]->weight.ops <= 1 && !(also_roots && b->nodes[0]->read)) return CP_OK;
  cp_node *kept[CP_MAX_OUTPUTS], *others[CP_MAX_OUTPUTS];
  cp_status status = CP_OK;
  int nothers = 0, room = CP_MAX_OUTPUTS - b->count;
  int found = cp_find_kept(ctx, b->count, b->nodes, also_roots, room, kept);
  for (int k = 0; k < found; k++) cp_node_retain(kept[k]);
  for (int k = 0; k < found && status == CP_OK; k++) {
    cp_node *n = kept[k];
    if (contains(b, n)) continue;
    bool joins = b->phased ? cp_shape_equal(b->domain.ndim, b->domain.shape, n->ndim, n->dims)
                           : cp_shape_equal(ndim, shape, n->ndim, n->dims);
    if (ndim <= MOST_DIMS && joins) {
      b->known = 0;
      ctx->counters.forces++;
      status = unless_garbage(n, add_output(ctx, b, n, NULL));
    } else if (!b->phased || !n->reduces) { // add_beside looks after values of rows
      others[nothers++] = n;
    }
  }
  for (int k = 0; k < nothers && status == CP_OK; k++)
    if (!is_done(others[k])) status = unless_garbage(others[k], evaluate_alone(ctx, others[k], false));
  for (int k = 0; k < found; k++) cp_node_release(kept[k]);
  return status;
}

// ---- reductions beside each other -------------------------------------------------------------------------

// The value to compute first where `foreign` is among what the roots are made of: the uppermost one that is
// made of reductions over its domain alone, and has one element for each of its rows.
static cp_node *find_first(cp_context *ctx, int count, cp_node *const *roots, cp_node *foreign) {
  const cp_node *arg = foreign->args[0];
  cp_walk walk;
  cp_walk_begin(&walk, ctx);
  for (int k = 0; k < count; k++) cp_walk_push_args(&walk, roots[k]);
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (n->kind != CP_NODE_OP || !n->reduces) continue;
    if (cp_reduced_equal(n->reduced, foreign->reduced) &&
        !cp_shape_equal(n->ndim, n->dims, arg->ndim, arg->dims))
      return n;
    cp_walk_push_args(&walk, n);
  }
  return foreign;
}

// Computes n, which other nodes refer to, with what else one kernel can find.
static cp_status compute_first(cp_context *ctx, cp_node *n) {
  cp_node_retain(n); // two references, so that it becomes a leaf
  cp_node_retain(n);
  cp_status status = n->awaited ? cp_batch_force(ctx, 1, &n) : CP_OK;
  if (status == CP_OK && n->kind != CP_NODE_LEAF) status = cp_batch_alone(ctx, n);
  cp_node_release(n);
  cp_node_release(n);
  return status;
}

// Whether the reduction n is made of no values that are worth keeping.
static bool keeps_nothing(cp_context *ctx, cp_node *n) {
  cp_node *kept;
  return n->args[0]->weight.ops <= 1 || cp_find_kept(ctx, 1, &n, true, 1, &kept) == 0;
}

// If one kernel may compute all that these values are made of, sets b->phased and b->domain; reductions over
// other domains are computed now.
static cp_status find_phases(cp_context *ctx, cp_batch *b, int count, cp_node *const *nodes) {
  const cp_device *device = nodes[0]->device;
  if (device->ops->takes_phases == NULL) return CP_OK;
  bool alone = count == 1 && cp_is_plain_reduction(nodes[0]) && ctx->lazy.nreductions < 2;
  if (alone && !device->ops->phased_plain) return CP_OK;
  alone = alone && keeps_nothing(ctx, nodes[0]);
  if (alone && !cp_may_be_phased_alone(device, nodes[0])) return CP_OK;
  for (int k = 0; k < count; k++) CP_TRY(cp_compute_apart(ctx, nodes[k]));
  for (;;) {
    b->phased = cp_batch_find_domain(ctx, b, count, nodes);
    cp_node *foreign = b->domain.foreign;
    b->phased = b->phased && (cp_is_phased_domain(ctx, device, &b->domain) ||
                              (!alone && cp_is_joint_domain(ctx, device, &b->domain, count, nodes)));
    if (b->phased || foreign == NULL) return CP_OK;
    CP_TRY(compute_first(ctx, find_first(ctx, count, nodes, foreign)));
  }
}

static inline void clear(cp_batch *b) {
  b->count = b->asked = b->known = 0;
  b->phased = b->prepared = false;
  b->structure = NULL;
  b->needed = NULL;
}

// Begins a cleared batch for these values, to which the caller has references.
static inline cp_status begin(cp_context *ctx, cp_batch *b, int count, cp_node *const *nodes) {
  for (int k = 0; k < count; k++)
    if (nodes[k]->reduces) return find_phases(ctx, b, count, nodes);
  return CP_OK;
}

static cp_status add_listed(cp_context *ctx, cp_batch *b, int count, cp_node *const *list) {
  cp_status status = CP_OK;
  for (int k = 0; k < count; k++) cp_node_retain(list[k]);
  for (int k = 0; k < count && status == CP_OK; k++) {
    if (is_done(list[k]) || cp_is_output(b, list[k])) continue;
    ctx->counters.forces++;
    status = unless_garbage(list[k], add_output(ctx, b, list[k], NULL));
  }
  for (int k = 0; k < count; k++) cp_node_release(list[k]);
  return status;
}

// Adds the values that a kernel with phases also stores.
static cp_status add_beside(cp_context *ctx, cp_batch *b) {
  cp_node *list[CP_MAX_OUTPUTS];
  if (b->count == 0) return CP_OK;
  const int found = cp_find_beside(ctx, b, list);
  return add_listed(ctx, b, found, list);
}

// Adds elementwise values that share operations with the batch's, while there is memory for them.
static cp_status add_alike(cp_context *ctx, cp_batch *b) {
  cp_node *list[CP_MAX_OUTPUTS];
  if (b->count == 0 || b->nodes[0]->ndim > MOST_DIMS) return CP_OK;
  const int found = cp_find_alike(ctx, b, list);
  const cp_status status = add_listed(ctx, b, found, list);
  return status == CP_EMEMORY ? CP_OK : status;
}

cp_status cp_batch_begin(cp_context *ctx, cp_batch *b, cp_node *root, cp_array *target) {
  clear(b);
  CP_TRY(begin(ctx, b, 1, &root));
  b->phased = b->phased && cp_shape_equal(root->ndim, root->dims, target->ndim, target->shape);
  CP_TRY(add_output(ctx, b, root, target));
  b->asked = b->count;
  CP_TRY(add_kept(ctx, b, true, target->ndim, target->shape));
  return b->phased ? add_beside(ctx, b) : CP_OK;
}

// Computes n, a reduction, by one kernel with the values of its expression that are worth keeping and with
// other reductions. If there is none, *done is false and nothing was done.
static cp_status reduce_beside(cp_context *ctx, cp_node *n, bool *done) {
  cp_batch b;
  clear(&b);
  cp_status status = begin(ctx, &b, 1, &n);
  b.needed = n;
  if (status == CP_OK && b.phased && n->kind != CP_NODE_LEAF) {
    status = add_output(ctx, &b, n, NULL);
    b.asked = b.count;
    if (status == CP_OK) status = add_kept(ctx, &b, true, n->ndim, n->dims);
    if (status == CP_OK) status = add_beside(ctx, &b);
    leave_out_done(&b);
    const cp_phases_known known = {.fresh = true, .domain = known_domain(ctx, &b)};
    if (status == CP_OK && b.count > 1)
      status = cp_evaluate_phases(ctx, b.count, b.nodes, b.targets, &known, done);
  }
  if (!*done) leave_out_rest(&b, 0);
  cp_batch_end(ctx, &b, status);
  return status;
}

cp_status cp_batch_alone(cp_context *ctx, cp_node *n) {
  bool done = false;
  if (cp_is_reduction(n) && n->device->ops->takes_phases != NULL) CP_TRY(reduce_beside(ctx, n, &done));
  return n->kind == CP_NODE_LEAF ? CP_OK : evaluate_alone(ctx, n, true);
}

cp_status cp_keep_values(cp_context *ctx, cp_node *root) {
  CP_TRY(cp_compute_parts(ctx, root));
  if (root->kind != CP_NODE_OP || (root->weight.ops <= 1 && !root->read)) return CP_OK;
  cp_node *kept[CP_MAX_OUTPUTS];
  cp_status status = CP_OK;
  int found = cp_find_kept(ctx, 1, &root, true, CP_MAX_OUTPUTS, kept);
  for (int k = 0; k < found; k++) cp_node_retain(kept[k]);
  for (int k = 0; k < found && status == CP_OK; k++)
    if (!is_done(kept[k])) status = unless_garbage(kept[k], evaluate_alone(ctx, kept[k], false));
  for (int k = 0; k < found; k++) cp_node_release(kept[k]);
  return status;
}

// Adds the operations of n to the message of a failure.
static void name_operations(cp_context *ctx, cp_status status, cp_node *n) {
  char chain[CP_CHAIN_TEXT], text[CP_ERROR_SIZE / 2];
  if (n->kind != CP_NODE_OP || n->traced) return;
  strncpy(text, cp_error_text(), sizeof text - 1);
  text[sizeof text - 1] = '\0';
  cp_fail(status, "%s, while computing %s", text, cp_chain_text(ctx, n, chain));
}

// Whether no other value could be computed beside n: one operation, or one reduction of elements in memory,
// while no other reduction is pending.
static bool stands_alone(const cp_context *ctx, const cp_node *n) {
  if (n->weight.ops > 1 || is_done(n)) return false;
  return !n->reduces || (cp_is_reduction(n) && n->args[0]->kind == CP_NODE_LEAF && ctx->lazy.nreductions < 2);
}

// A fast path, equal to a batch of the one value, as one operation has no parts that were worth keeping.
static cp_status force_single(cp_context *ctx, cp_node *n) {
  cp_node_retain(n);
  cp_status status = evaluate_alone(ctx, n, false);
  status = unless_garbage(n, status);
  if (status != CP_OK) name_operations(ctx, status, n);
  cp_node_release(n);
  return status;
}

// Whether plans for these values may have been prepared.
static bool may_be_prepared(const cp_context *ctx, int count, cp_node *const *nodes) {
  bool reduces = false;
  for (int k = 0; k < count; k++) reduces = reduces || nodes[k]->reduces;
  return reduces && nodes[0]->device->ops->takes_phases != NULL && ctx->capture.graph == NULL &&
         ctx->lazy.raised_bounds == 0 && !cp_is_precompiling(ctx) && cp_may_go_fast(ctx, CP_FAST_PREPARED);
}

// Begins a batch, whose structure is described, by the outputs of a prepared one.
static cp_status begin_prepared(cp_context *ctx, cp_batch *b, const cp_prepared *prepared) {
  const cp_prepared_outputs list = *cp_prepared_list(prepared);
  cp_node *nodes[CP_MAX_OUTPUTS];
  cp_status status = CP_OK;
  for (int k = 0; k < list.count; k++) {
    nodes[k] = b->structure->nodes[list.at[k]];
    cp_node_retain(nodes[k]);
  }
  b->phased = b->prepared = true;
  for (int k = 0; k < list.count && status == CP_OK; k++) {
    if (is_done(nodes[k])) continue;
    ctx->counters.forces++;
    status = unless_garbage(nodes[k], add_output(ctx, b, nodes[k], NULL));
    if (k < list.asked) b->asked = b->count;
  }
  for (int k = 0; k < list.count; k++) cp_node_release(nodes[k]);
  return status;
}

// Begins a cleared batch by what is prepared for the structure of these values, if anything is. Reductions
// over other domains than the first one are computed now, as find_phases would.
static cp_status find_prepared(cp_context *ctx, cp_batch *b, int count, cp_node *const *nodes,
                               cp_structure *s) {
  const cp_device *device = nodes[0]->device;
  if (!may_be_prepared(ctx, count, nodes)) return CP_OK;
  while (!cp_share_domain(ctx, count, nodes, &b->domain)) {
    if (b->domain.foreign == NULL) return CP_OK;
    CP_TRY(compute_first(ctx, find_first(ctx, count, nodes, b->domain.foreign)));
  }
  bool phased = device->ops->phased_joins || cp_is_phased_domain(ctx, device, &b->domain);
  if (!phased || !cp_describe(ctx, count, nodes, s)) return CP_OK;
  b->structure = s;
  const cp_prepared *prepared = cp_prepared_find(ctx, s);
  return prepared != NULL ? begin_prepared(ctx, b, prepared) : CP_OK;
}

// Begins a batch and makes the memory for all that it computes.
static cp_status begin_all(cp_context *ctx, cp_batch *b, int count, cp_node *const *nodes) {
  CP_TRY(begin(ctx, b, count, nodes));
  for (int k = 0; k < count; k++) {
    if (contains(b, nodes[k]) || is_done(nodes[k])) continue;
    ctx->counters.forces++;
    CP_TRY(unless_garbage(nodes[k], add_output(ctx, b, nodes[k], NULL)));
  }
  b->asked = b->count;
  if (b->asked < count) b->known = 0;
  CP_TRY(add_kept(ctx, b, false, nodes[0]->ndim, nodes[0]->dims));
  return b->phased ? add_beside(ctx, b) : add_alike(ctx, b);
}

cp_status cp_batch_force(cp_context *ctx, int count, cp_node *const *nodes) {
  cp_batch b;
  cp_structure s;
  if (count == 1 && stands_alone(ctx, nodes[0]) && cp_may_go_fast(ctx, CP_FAST_FORCE))
    return force_single(ctx, nodes[0]);
  for (int k = 0; k < count; k++) cp_node_retain(nodes[k]);
  clear(&b);
  cp_status status = find_prepared(ctx, &b, count, nodes, &s);
  if (status == CP_OK && !b.prepared) status = begin_all(ctx, &b, count, nodes);
  if (status == CP_OK) status = cp_batch_run(ctx, &b);
  if (status != CP_OK) name_operations(ctx, status, nodes[0]);
  for (int k = 0; k < count; k++) cp_node_release(nodes[k]); // the batch has references of its own
  cp_batch_end(ctx, &b, status);
  return status;
}
