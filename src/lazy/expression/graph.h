// Walks through expression graphs, which are DAGs of nodes: each node is visited once, with an explicit
// stack.
#ifndef CP_LAZY_EXPRESSION_GRAPH_H
#define CP_LAZY_EXPRESSION_GRAPH_H

#include "lazy/expression/node.h"

// The bounds of an expression, checked when an operation is made (lazy/evaluation/bounds.h), so that one
// kernel can compute any pending value. A single call may add a few operations beyond them (casts,
// comparisons by value); plans have room for those.
enum {
  CP_BOUND_OPS = 128,
  CP_BOUND_LEAVES = 24,
  CP_BOUND_SCALARS = 96,
  CP_BOUND_FUNCTIONS = 48, // the compiler takes 10 to 20 ms for each
  CP_BOUND_SLOTS = 380
};
// The raised bounds, while a function runs whose body is to be one kernel (ctx->lazy.raised_bounds). The
// bound of slots stays the same: a kernel's arguments take at most 4 KB.
enum { CP_RAISED_OPS = 256, CP_RAISED_LEAVES = 64, CP_RAISED_SCALARS = 256 };
enum { CP_MAX_WALK = 1024 };

typedef struct cp_walk {
  unsigned epoch; // the number of the walk, which marks the nodes that it has seen
  int depth;
  cp_node *stack[CP_MAX_WALK];
} cp_walk;

// Goes on where the last walk ended, whose nodes it does not visit again.
static inline void cp_walk_resume(cp_walk *w, const cp_context *ctx) {
  w->epoch = ctx->lazy.epoch;
  w->depth = 0;
}
static inline void cp_walk_begin(cp_walk *w, cp_context *ctx) {
  if (++ctx->lazy.epoch == 0) ctx->lazy.epoch = 1; // new nodes have 0
  cp_walk_resume(w, ctx);
}
// Adds n to the nodes to visit, unless this walk has seen it.
static inline void cp_walk_push(cp_walk *w, cp_node *n) {
  if (n->epoch == w->epoch || w->depth == CP_MAX_WALK) return;
  n->epoch = w->epoch;
  w->stack[w->depth++] = n;
}
// The next node; NULL at the end. The caller pushes its arguments if the walk should visit them.
static inline cp_node *cp_walk_next(cp_walk *w) { return w->depth > 0 ? w->stack[--w->depth] : NULL; }
static inline void cp_walk_push_args(cp_walk *w, cp_node *n) {
  for (int k = n->nargs - 1; k >= 0; k--) cp_walk_push(w, n->args[k]);
}
// The same for those of them that are operations.
static inline void cp_walk_push_operations(cp_walk *w, cp_node *n) {
  for (int k = n->nargs - 1; k >= 0; k--)
    if (n->args[k]->kind == CP_NODE_OP) cp_walk_push(w, n->args[k]);
}

extern const cp_weight cp_bounds[2]; // the bounds, and the raised ones
static inline bool cp_within_bounds(const cp_context *ctx, const cp_weight *w) {
  const cp_weight *most = &cp_bounds[ctx->lazy.raised_bounds > 0];
  // Negative if any of them is.
  return ((most->ops - w->ops) | (most->leaves - w->leaves) | (most->scalars - w->scalars) |
          (most->functions - w->functions) | (most->slots - w->slots)) >= 0;
}
// Adds what n itself needs in a kernel, without its arguments.
void cp_weigh_node(const cp_node *n, cp_weight *sum);
// What one kernel for all the roots needs, counted exactly: shared nodes and equal leaves once.
cp_weight cp_weigh(cp_context *ctx, int count, cp_node *const *roots);
// An upper bound of it: what one kernel for all the roots and all that was weighed last needs. It visits only
// nodes that are new, so a program that grows by an operator at a time is not walked through at each of them.
cp_weight cp_weigh_together(cp_context *ctx, int count, cp_node *const *roots);
// Whether one kernel may compute all the roots.
bool cp_fit_together(cp_context *ctx, int count, cp_node *const *roots);

// Notes that an evaluation reads the values of the roots' expressions.
void cp_mark_read(cp_context *ctx, int count, cp_node *const *roots);
// Whether n is a number or an index node, or a cast of one: computing it is faster than reading it from
// memory.
bool cp_is_cheap(const cp_node *n);
// Whether n is computed again in less time than its value takes to be written and read: if a few operations
// make it of memory no larger than itself, or more of them of a small part of that, which they broadcast.
bool cp_is_cheaper_again(const cp_node *n);
// Finds values worth keeping: the uppermost nodes below the roots (with `also_roots`, the roots too) that an
// earlier evaluation has read and an array still waits for. Returns how many of them are in `list`.
int cp_find_kept(cp_context *ctx, int count, cp_node *const *roots, bool also_roots, int room,
                 cp_node **list);

// Whether n's expression has a leaf whose `touched` is set.
bool cp_reaches_touched(cp_context *ctx, cp_node *n);

// Writes the operations of n's expression, as "multiply, add", for messages; at most a few of them. `text`
// has CP_CHAIN_TEXT bytes.
enum { CP_CHAIN_TEXT = 256 };
const char *cp_chain_text(cp_context *ctx, cp_node *n, char *text);

#endif
