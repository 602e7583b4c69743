// Walks through expression graphs, and what they find out: weights, values worth keeping, the text of a
// chain.
#include "lazy/expression/graph.h"

#include <stdio.h>
#include <string.h>

const cp_weight cp_bounds[2] = {
    {CP_BOUND_OPS, CP_BOUND_LEAVES, CP_BOUND_SCALARS, CP_BOUND_FUNCTIONS, CP_BOUND_SLOTS},
    {CP_RAISED_OPS, CP_RAISED_LEAVES, CP_RAISED_SCALARS, CP_RAISED_OPS, CP_BOUND_SLOTS}};

enum { LEAF_LISTS = 64 };

static bool same_moves(const cp_moves *a, const cp_moves *b) {
  if (a == NULL || b == NULL) return a == b;
  return a->count == b->count && memcmp(a->list, b->list, (size_t)a->count * sizeof *a->list) == 0;
}

// Whether two leaves or indices have the same elements, so that a plan has one operand for both.
static bool same_leaf(const cp_node *a, const cp_node *b) {
  if (a->kind != b->kind || a->dtype != b->dtype || a->ndim != b->ndim) return false;
  if (memcmp(a->dims, b->dims, (size_t)a->ndim * 2 * sizeof *a->dims) != 0) return false;
  if (a->kind == CP_NODE_INDEX) return a->u.start == b->u.start;
  return a->u.leaf.buffer == b->u.leaf.buffer && a->u.leaf.offset == b->u.leaf.offset &&
         same_moves(a->u.leaf.moves, b->u.leaf.moves);
}

// The leaves and indices that a walk has found, in lists of those that one number is made of.
typedef struct leaf_table {
  const cp_node *leaves[CP_RAISED_LEAVES + 1];
  int count;
  unsigned char first[LEAF_LISTS], next[CP_RAISED_LEAVES + 1]; // positions from 1; 0: none
} leaf_table;

// Adds a leaf or an index; false if an equal one is in the table. Leaves beyond the bounds all count as new.
static bool add_leaf(leaf_table *t, const cp_node *n) {
  const uintptr_t place = n->kind == CP_NODE_INDEX
                              ? (uintptr_t)n->u.start << 5
                              : (uintptr_t)n->u.leaf.buffer + (uintptr_t)n->u.leaf.offset;
  unsigned char *first = &t->first[(place >> 5 ^ place >> 11) % LEAF_LISTS];
  for (int k = *first; k > 0; k = t->next[k - 1])
    if (same_leaf(t->leaves[k - 1], n)) return false;
  if (t->count > CP_RAISED_LEAVES) return true;
  t->leaves[t->count] = n;
  t->next[t->count++] = *first;
  *first = (unsigned char)t->count;
  return true;
}

// Whether n is computed by the kernel that reads it: a product is computed first, and then a leaf.
static bool is_computed(const cp_node *n) { return n->kind == CP_NODE_OP && n->op != CP_OP_product; }

void cp_weigh_node(const cp_node *n, cp_weight *sum) {
  if (is_computed(n)) {
    sum->ops += n->op == CP_OP_call ? CP_CALL_OPS : 1;
    sum->functions += cp_is_long(n->op);
    if (n->op == CP_OP_lookup) cp_weigh_lookup(n, sum);
  } else {
    cp_weight_add(sum, &n->weight);
  }
}

// Adds what the roots need and the walk has not seen to *sum.
static void weigh_rest(cp_walk *walk, int count, cp_node *const *roots, cp_weight *sum) {
  leaf_table table;
  table.count = 0;
  memset(table.first, 0, sizeof table.first);
  for (int k = 0; k < count; k++) cp_walk_push(walk, roots[k]);
  for (cp_node *n = cp_walk_next(walk); n != NULL; n = cp_walk_next(walk)) {
    const bool read = n->kind == CP_NODE_LEAF || n->kind == CP_NODE_INDEX;
    if (!read || add_leaf(&table, n)) cp_weigh_node(n, sum);
    if (is_computed(n)) cp_walk_push_args(walk, n);
  }
}

cp_weight cp_weigh(cp_context *ctx, int count, cp_node *const *roots) {
  cp_walk walk;
  cp_weight sum = {0};
  cp_walk_begin(&walk, ctx);
  weigh_rest(&walk, count, roots, &sum);
  ctx->lazy.weighed = ctx->lazy.epoch;
  ctx->lazy.weight = sum;
  return sum;
}

cp_weight cp_weigh_together(cp_context *ctx, int count, cp_node *const *roots) {
  if (ctx->lazy.weighed == 0 || ctx->lazy.weighed != ctx->lazy.epoch) return cp_weigh(ctx, count, roots);
  cp_walk walk;
  cp_walk_resume(&walk, ctx);
  weigh_rest(&walk, count, roots, &ctx->lazy.weight);
  return ctx->lazy.weight;
}

bool cp_fit_together(cp_context *ctx, int count, cp_node *const *roots) {
  cp_weight w = cp_weigh_together(ctx, count, roots);
  if (cp_within_bounds(ctx, &w)) return true;
  w = cp_weigh(ctx, count, roots);
  return cp_within_bounds(ctx, &w);
}

void cp_mark_read(cp_context *ctx, int count, cp_node *const *roots) {
  cp_walk walk;
  cp_walk_begin(&walk, ctx);
  for (int k = 0; k < count; k++) cp_walk_push(&walk, roots[k]);
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    n->read = true;
    cp_walk_push_args(&walk, n);
  }
}

bool cp_is_cheap(const cp_node *n) {
  while (n->kind == CP_NODE_OP && n->op == CP_OP_cast) n = n->args[0];
  return n->kind == CP_NODE_SCALAR || n->kind == CP_NODE_INDEX;
}

// Whether n's elements are read where they lie, at moved positions: a copy would not be read faster.
static bool is_moved(const cp_node *n) {
  const cp_node *leaf = cp_node_reads(n);
  return leaf != NULL && leaf->u.leaf.moves != NULL;
}

static int64_t size_of(const cp_node *n) {
  int64_t size = 1;
  for (int d = 0; d < n->ndim; d++) size *= n->dims[d];
  return size;
}

// What computing a value again takes.
typedef struct effort {
  int64_t bytes; // of the memory that it is computed from
  int operations;
} effort;

enum { MOST_OPERATIONS = 32, SHARED = 16 };

// Whether n's own operation takes longer than writing and reading its value.
static bool is_long_here(const cp_node *n) {
  if (n->kind != CP_NODE_OP || n->op == CP_OP_cast) return false;
  if (n->op >= CP_OP_cast || cp_is_long(n->op)) return true;
  return cp_is_draw(n->op) && !n->device->ops->draws_again;
}

// Adds up the effort of computing n again, a part of a value of `size` elements. Much smaller parts are
// computed before, as they are broadcast, so they count as what is read. False: more than MOST_OPERATIONS, or
// functions among them.
static bool add_effort(const cp_node *n, int64_t size, effort *e) {
  const int64_t elements = size_of(n);
  if (n->kind == CP_NODE_LEAF || (n->kind == CP_NODE_OP && elements <= size / SHARED)) {
    e->bytes += elements * (int64_t)cp_itemsize(n->dtype);
    return true;
  }
  if (is_long_here(n)) return false;
  if (n->kind == CP_NODE_OP && ++e->operations > MOST_OPERATIONS) return false;
  for (int k = 0; k < n->nargs; k++)
    if (!add_effort(n->args[k], size, e)) return false;
  return true;
}

// Four bytes cost a processor with many cores as much as some thirty operations.
bool cp_is_cheaper_again(const cp_node *n) {
  enum { FEW_OPERATIONS = 4, LARGE = 65536 };
  effort e = {0, 0};
  int64_t size = size_of(n), bytes = size * (int64_t)cp_itemsize(n->dtype);
  if (size < LARGE || !add_effort(n, size, &e)) return false;
  return e.bytes <= bytes / SHARED + (e.operations <= FEW_OPERATIONS ? bytes : 0);
}

int cp_find_kept(cp_context *ctx, int count, cp_node *const *roots, bool also_roots, int room,
                 cp_node **list) {
  cp_walk walk;
  int found = 0;
  cp_walk_begin(&walk, ctx);
  for (int k = 0; k < count; k++) {
    if (also_roots)
      cp_walk_push(&walk, roots[k]);
    else
      cp_walk_push_operations(&walk, roots[k]);
  }
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (n->kind != CP_NODE_OP) continue;
    if (n->read && n->awaited && !cp_is_cheap(n) && !is_moved(n) && !cp_is_cheaper_again(n)) {
      if (found < room) list[found++] = n;
    } else {
      cp_walk_push_operations(&walk, n);
    }
  }
  return found;
}

bool cp_reaches_touched(cp_context *ctx, cp_node *n) {
  cp_walk walk;
  cp_walk_begin(&walk, ctx);
  cp_walk_push(&walk, n);
  for (n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (n->touched) return true;
    cp_walk_push_args(&walk, n);
  }
  return false;
}

const char *cp_chain_text(cp_context *ctx, cp_node *n, char *text) {
  enum { SHOWN = 8 };
  cp_walk walk;
  const char *names[SHOWN];
  int shown = 0, more = 0;
  size_t used = 0;
  cp_walk_begin(&walk, ctx);
  cp_walk_push(&walk, n);
  for (n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (n->kind != CP_NODE_OP) continue;
    if (shown < SHOWN)
      names[shown++] = n->op == CP_OP_reduce ? cp_reds[n->u.reduction.red].name
                       : n->op == CP_OP_call ? n->u.function->name
                                             : cp_op_title(n->op);
    else
      more++;
    cp_walk_push_args(&walk, n);
  }
  text[0] = '\0';
  while (shown-- > 0)
    used += (size_t)snprintf(text + used, CP_CHAIN_TEXT - used, "%s%s", used > 0 ? ", " : "", names[shown]);
  if (more > 0) snprintf(text + used, CP_CHAIN_TEXT - used, " and %d more", more);
  return text;
}
