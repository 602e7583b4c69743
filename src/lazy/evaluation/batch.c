// One evaluation: its outputs, their memory, and what becomes of the nodes afterwards.
//
// Allocating memory may collect garbage, and a finalizer may compute, free or write anything. So this code
// holds references to its nodes, and checks everything about them again after an allocation.
#include "lazy/evaluation/batch.h"

#include "device/fast.h"
#include "lazy/evaluation/eval.h"
#include "lazy/evaluation/masked.h"
#include "lazy/expression/graph.h"

#include <string.h>

// Adds an output. If target is NULL, makes new memory for the array that waits for n. The caller has a
// reference to n.
static cp_status add_output(cp_context *ctx, cp_batch *b, cp_node *n, cp_array *target) {
  int k = b->count;
  CP_TRY(cp_compute_masked(ctx, n));
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
static bool is_done(const cp_node *n) { return n->kind == CP_NODE_LEAF || n->handle == NULL; }

// Drops outputs that were computed, or became garbage, while memory was allocated.
static void leave_out_done(cp_batch *b) {
  int kept = 0;
  for (int k = 0; k < b->count; k++) {
    if (made_here(b, k) && is_done(b->nodes[k])) {
      cp_array_release(&b->new_outputs[k].a);
      cp_node_release(b->nodes[k]);
      continue;
    }
    bool made = made_here(b, k);
    if (made && kept < k) {
      b->new_outputs[kept] = b->new_outputs[k];
      b->new_outputs[kept].a.strides = b->new_outputs[kept].strides;
    }
    b->nodes[kept] = b->nodes[k];
    b->targets[kept] = made ? &b->new_outputs[kept].a : b->targets[k];
    kept++;
  }
  b->count = kept;
}

cp_status cp_batch_run(cp_context *ctx, cp_batch *b) {
  leave_out_done(b);
  if (b->count == 0) return CP_OK;
  bool fresh = true; // all targets are new memory, which overlaps no leaf
  for (int k = 0; k < b->count; k++) fresh = fresh && made_here(b, k);
  return cp_evaluate(ctx, b->count, b->nodes, b->targets, fresh);
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

// Computes n alone, into new memory. The caller's reference to n takes the place of a batch's.
static cp_status evaluate_alone(cp_context *ctx, cp_node *n) {
  cp_new_output output;
  cp_array *target = &output.a;
  ctx->counters.forces++;
  CP_TRY(cp_compute_masked(ctx, n));
  if (n->kind == CP_NODE_LEAF) return CP_OK; // it has been computed
  CP_TRY(cp_output_make(ctx, n, &output));
  cp_status status = CP_OK;
  if (!is_done(n)) {
    status = cp_evaluate(ctx, 1, &n, &target, true);
    if (status == CP_OK) cp_output_settle(n, target);
  }
  cp_array_release(target);
  return status;
}

// Keeps the parts of the batch that are worth it: those of its shape become further outputs, others are
// computed now.
static cp_status add_kept(cp_context *ctx, cp_batch *b, bool also_roots, int ndim, const int64_t *shape) {
  if (b->count == 1 && b->nodes[0]->weight.ops <= 1 && !(also_roots && b->nodes[0]->read)) return CP_OK;
  enum { MOST_DIMS = 8 }; // beyond this, further outputs would need too many kernel arguments
  cp_node *kept[CP_MAX_OUTPUTS], *others[CP_MAX_OUTPUTS];
  cp_status status = CP_OK;
  int nothers = 0, room = CP_MAX_OUTPUTS - b->count;
  int found = cp_find_kept(ctx, b->count, b->nodes, also_roots, room, kept);
  for (int k = 0; k < found; k++) cp_node_retain(kept[k]);
  for (int k = 0; k < found && status == CP_OK; k++) {
    cp_node *n = kept[k];
    if (contains(b, n)) continue;
    if (ndim <= MOST_DIMS && cp_shape_equal(ndim, shape, n->ndim, n->dims)) {
      ctx->counters.forces++;
      status = add_output(ctx, b, n, NULL);
    } else {
      others[nothers++] = n;
    }
  }
  for (int k = 0; k < nothers && status == CP_OK; k++)
    if (others[k]->kind != CP_NODE_LEAF && others[k]->handle != NULL) status = evaluate_alone(ctx, others[k]);
  for (int k = 0; k < found; k++) cp_node_release(kept[k]);
  return status;
}

cp_status cp_batch_begin(cp_context *ctx, cp_batch *b, cp_node *root, cp_array *target) {
  b->count = 0;
  CP_TRY(add_output(ctx, b, root, target));
  return add_kept(ctx, b, true, target->ndim, target->shape);
}

cp_status cp_keep_parts(cp_context *ctx, cp_node *root) {
  CP_TRY(cp_compute_masked(ctx, root));
  if (root->kind != CP_NODE_OP || (root->weight.ops <= 1 && !root->read)) return CP_OK;
  cp_node *kept[CP_MAX_OUTPUTS];
  cp_status status = CP_OK;
  int found = cp_find_kept(ctx, 1, &root, true, CP_MAX_OUTPUTS, kept);
  for (int k = 0; k < found; k++) cp_node_retain(kept[k]);
  for (int k = 0; k < found && status == CP_OK; k++)
    if (kept[k]->kind != CP_NODE_LEAF && kept[k]->handle != NULL) status = evaluate_alone(ctx, kept[k]);
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

// A fast path, equal to a batch of the one value, as one operation has no parts that were worth keeping.
static cp_status force_single(cp_context *ctx, cp_node *n) {
  cp_node_retain(n);
  cp_status status = evaluate_alone(ctx, n);
  if (status != CP_OK && is_done(n)) status = CP_OK; // it needs no memory any more
  if (status != CP_OK) name_operations(ctx, status, n);
  cp_node_release(n);
  return status;
}

cp_status cp_batch_force(cp_context *ctx, int count, cp_node *const *nodes) {
  cp_batch b;
  cp_status status = CP_OK;
  bool single = count == 1 && nodes[0]->weight.ops <= 1 && !is_done(nodes[0]);
  if (single && cp_may_go_fast(ctx, CP_FAST_FORCE)) return force_single(ctx, nodes[0]);
  b.count = 0;
  for (int k = 0; k < count; k++) cp_node_retain(nodes[k]);
  for (int k = 0; k < count && status == CP_OK; k++) {
    if (contains(&b, nodes[k]) || is_done(nodes[k])) continue;
    ctx->counters.forces++;
    status = add_output(ctx, &b, nodes[k], NULL);
    if (status != CP_OK && is_done(nodes[k])) status = CP_OK; // it needs no memory any more
  }
  if (status == CP_OK) status = add_kept(ctx, &b, false, nodes[0]->ndim, nodes[0]->dims);
  if (status == CP_OK) status = cp_batch_run(ctx, &b);
  if (status != CP_OK) name_operations(ctx, status, nodes[0]);
  for (int k = 0; k < count; k++) cp_node_release(nodes[k]); // the batch has references of its own
  cp_batch_end(ctx, &b, status);
  return status;
}
