// Finds what a kernel computes beside the values that were asked for (beside.h).
#include "lazy/evaluation/beside.h"

#include "lazy/evaluation/phases.h"
#include "lazy/expression/graph.h"
#include "lazy/expression/pending_list.h"

#include <string.h>

bool cp_batch_find_domain(cp_context *ctx, cp_batch *b, int count, cp_node *const *nodes) {
  const bool found = cp_find_domain(ctx, count, nodes, &b->domain);
  b->known = found ? count : 0;
  b->settled = ctx->lazy.settled;
  return found;
}

static bool is_listed(const cp_node *n, int count, cp_node *const *list) {
  bool listed = false;
  for (int k = 0; k < count; k++) listed = listed || list[k] == n;
  return listed;
}

bool cp_is_output(const cp_batch *b, const cp_node *n) { return is_listed(n, b->count, b->nodes); }

// Values of whole rows that an array waits for: they take little memory, and are never computed twice.
static int find_row_values(cp_context *ctx, const cp_batch *b, int room, cp_node **list) {
  const cp_domain *d = &b->domain;
  cp_walk walk;
  int found = 0;
  cp_walk_begin(&walk, ctx);
  for (int k = 0; k < b->count; k++) cp_walk_push(&walk, b->nodes[k]);
  for (cp_node *n = cp_walk_next(&walk); n != NULL && found < room; n = cp_walk_next(&walk)) {
    if (n->kind != CP_NODE_OP) continue;
    cp_walk_push_operations(&walk, n);
    bool whole = cp_is_reduction(n) || cp_shape_equal(n->ndim, n->dims, d->nkept, d->kept);
    if (whole && n->reduces && n->awaited && !cp_is_output(b, n)) list[found++] = n;
  }
  return found;
}

// Whether n reads memory that the last walk has seen.
static bool shares_leaf(const cp_context *ctx, const cp_node *n) {
  while (n->kind == CP_NODE_OP) { // along the first arguments
    if (n->epoch == ctx->lazy.epoch) return true;
    if (n->nargs == 0) return false;
    n = n->args[0];
  }
  if (n->kind != CP_NODE_LEAF) return false;
  for (const cp_node *r = n->u.leaf.buffer->readers; r != NULL; r = r->next)
    if (r->epoch == ctx->lazy.epoch) return true;
  return false;
}

// Leaves those of the list that have a domain together with the batch.
static int keep_joinable(cp_context *ctx, cp_batch *b, int count, cp_node **list) {
  cp_node *all[CP_MAX_OUTPUTS];
  int kept = 0;
  if (count == 0) return 0;
  memcpy(all, b->nodes, (size_t)b->count * sizeof *all);
  memcpy(all + b->count, list, (size_t)count * sizeof *all);
  if (cp_batch_find_domain(ctx, b, b->count + count, all)) return count;
  for (int k = 0; k < count; k++) {
    all[b->count + kept] = list[k];
    if (cp_batch_find_domain(ctx, b, b->count + kept + 1, all)) list[kept++] = list[k];
  }
  b->known = 0; // the last one may not have been kept
  return kept;
}

// Adds to the list, which has `found` values, other pending reductions over the same domain that read the
// same memory: computing them now costs no further pass. Returns the length of the list.
static int find_siblings(cp_context *ctx, const cp_batch *b, int found, cp_node **list) {
  const cp_domain *d = &b->domain;
  int looked = 0, count = b->count + found;
  cp_node *all[CP_MAX_OUTPUTS];
  bool weighed = false; // the last walk was one through what is in the batch by now
  const bool any = cp_is_phased_domain(ctx, b->nodes[0]->device, d); // also what is not joinable
  if (ctx->lazy.nreductions < 2) return found;
  memcpy(all, b->nodes, (size_t)b->count * sizeof *all);
  memcpy(all + b->count, list, (size_t)found * sizeof *all);
  for (cp_node *n = ctx->lazy.last; n != NULL && looked < CP_MOST_BESIDE; n = n->prev) {
    if (count == CP_MAX_OUTPUTS) break;
    looked++;
    if (!cp_is_beside(ctx, b->nodes[0], d->axes, d->ndim, d->shape, n) || is_listed(n, count, all)) continue;
    if (!any && !cp_is_joinable(ctx, n)) continue;
    if (!weighed) (void)cp_weigh(ctx, count, all);
    weighed = true;
    all[count] = n;
    if (!shares_leaf(ctx, n->args[0])) continue;
    weighed = cp_fit_together(ctx, count + 1, all);
    if (weighed) list[count++ - b->count] = n;
  }
  return count - b->count;
}

int cp_find_beside(cp_context *ctx, cp_batch *b, cp_node **list) {
  int found = find_row_values(ctx, b, CP_MAX_OUTPUTS - b->count, list);
  return keep_joinable(ctx, b, find_siblings(ctx, b, found, list), list);
}

// ---- elementwise values -----------------------------------------------------------------------------------

// Whether n is an elementwise value of the shape and on the stream of the batch's, for which an array waits,
// and which is no mere step towards another value: that would be its only use, or have been one.
static bool is_elementwise_beside(const cp_context *ctx, const cp_batch *b, const cp_node *n) {
  const cp_node *first = b->nodes[0];
  return !n->read && n->refs != 2 && n->kind == CP_NODE_OP && n->handle != NULL && n->weight.ops > 1 &&
         !n->reduces && !n->apart && !n->traced && !n->planned && !n->exposed && n->device == first->device &&
         cp_node_stream(ctx, n) == cp_node_stream(ctx, first) &&
         cp_shape_equal(n->ndim, n->dims, first->ndim, first->dims);
}

// Whether n, which the walk `seen` through the batch's values has not met, is made of an operation that it
// has, but of none of these values, which are read from memory then, and of no function of the user's, which
// might not compile.
static bool shares_operation(cp_context *ctx, const cp_batch *b, unsigned seen, cp_node *n) {
  cp_walk walk;
  bool shares = false;
  cp_walk_begin(&walk, ctx);
  cp_walk_push(&walk, n);
  for (n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (n->op == CP_OP_call) return false;
    for (int k = 0; k < n->nargs; k++) {
      cp_node *arg = n->args[k];
      if (arg->kind != CP_NODE_OP) continue;
      if (arg->epoch != seen)
        cp_walk_push(&walk, arg);
      else if (cp_is_output(b, arg))
        return false;
      else
        shares = true;
    }
  }
  return shares;
}

// Lets the walk `seen` meet what n is made of. Adds what that needs to *sum, equal leaves counted each.
static void meet(unsigned seen, cp_node *n, cp_weight *sum) {
  cp_walk walk;
  walk.epoch = seen;
  walk.depth = 0;
  cp_walk_push(&walk, n);
  for (n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    cp_weigh_node(n, sum);
    cp_walk_push_args(&walk, n);
  }
}

// Whether one kernel that needs this is within the bounds and a quarter.
static bool fits_one_kernel(const cp_context *ctx, cp_weight w) {
  w.ops -= CP_BOUND_OPS / 4;
  w.leaves -= CP_BOUND_LEAVES / 4;
  w.scalars -= CP_BOUND_SCALARS / 4;
  w.functions -= CP_BOUND_FUNCTIONS / 4;
  return cp_within_bounds(ctx, &w);
}

int cp_find_alike(cp_context *ctx, const cp_batch *b, cp_node **list) {
  enum { FEW_OPS = 4 };
  cp_node *all[CP_MAX_OUTPUTS];
  cp_weight weight = {0}; // of what is in the batch by now
  int count = b->count, looked = 0;
  unsigned seen = 0; // the walk through it
  if (count == 0 || b->nodes[0]->weight.ops < FEW_OPS) return 0;
  memcpy(all, b->nodes, (size_t)count * sizeof *all);
  for (cp_node *n = ctx->lazy.last; n != NULL && looked < CP_MOST_BESIDE; n = n->prev, looked++) {
    if (count == CP_MAX_OUTPUTS) break;
    if (!is_elementwise_beside(ctx, b, n) || cp_is_output(b, n)) continue;
    if (seen == 0) {
      weight = cp_weigh(ctx, count, all);
      seen = ctx->lazy.epoch;
    }
    if (n->epoch == seen || !shares_operation(ctx, b, seen, n) || cp_is_cheaper_again(n)) continue;
    all[count] = n;
    meet(seen, n, &weight);
    if (!fits_one_kernel(ctx, weight)) {
      seen = 0;
      if (!fits_one_kernel(ctx, cp_weigh(ctx, count + 1, all))) continue;
    }
    list[count++ - b->count] = n;
  }
  return count - b->count;
}
