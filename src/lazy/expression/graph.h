// Walks through expression DAGs, each node once, with an explicit stack.
#ifndef CP_LAZY_EXPRESSION_GRAPH_H
#define CP_LAZY_EXPRESSION_GRAPH_H

#include "lazy/expression/node.h"

// The bounds of an expression, checked when an operation is made (bounds.h) so that every pending value is one kernel. Operations that one
// call adds beyond them (casts, comparisons by value) fit what plans hold.
enum { CP_BOUND_OPS = 48, CP_BOUND_LEAVES = 24, CP_BOUND_SCALARS = 48, CP_BOUND_SLOTS = 380 };
// The same while a function runs whose body is to be one kernel (ctx->lazy.wide). The slots are those of the bounds above: a kernel's arguments take
// 4 KB at most.
enum { CP_RAISED_OPS = 256, CP_RAISED_LEAVES = 64, CP_RAISED_SCALARS = 256 };
enum { CP_MAX_WALK = 1024 };

typedef struct cp_walk {
  cp_context *ctx;
  int depth;
  cp_node *stack[CP_MAX_WALK];
} cp_walk;

void cp_walk_begin(cp_walk *w, cp_context *ctx);
// Puts n, unless this walk saw it, among the nodes to come.
void cp_walk_push(cp_walk *w, cp_node *n);
// The next node, NULL at the end. Its arguments come only when they are pushed.
cp_node *cp_walk_next(cp_walk *w);
void cp_walk_push_args(cp_walk *w, cp_node *n);

static inline bool cp_within_bounds(const cp_context *ctx, const cp_weight *w) {
  bool raised_bounds = ctx->lazy.raised_bounds > 0;
  return w->ops <= (raised_bounds ? CP_RAISED_OPS : CP_BOUND_OPS) &&
         w->leaves <= (raised_bounds ? CP_RAISED_LEAVES : CP_BOUND_LEAVES) &&
         w->scalars <= (raised_bounds ? CP_RAISED_SCALARS : CP_BOUND_SCALARS) && w->slots <= CP_BOUND_SLOTS;
}
// What a kernel of all the roots needs, counted exactly; equal leaves once.
cp_weight cp_weigh(cp_context *ctx, int count, cp_node *const *roots);

// Whether n is a number or a position, converted at most: computed faster than it is read.
bool cp_is_cheap(const cp_node *n);
// The uppermost nodes below the roots (and with `also_roots` the roots) whose value an evaluation has taken before and an array still waits for:
// they are worth keeping now. Returns how many of them are in list.
int cp_find_kept(cp_context *ctx, int count, cp_node *const *roots, bool also_roots, int room,
                 cp_node **list);

// Whether a leaf whose `touched` is set can be reached from n.
bool cp_reaches_touched(cp_context *ctx, cp_node *n);

// The operations of n's expression as "multiply, add", at most a few, for messages. text: CP_CHAIN_TEXT bytes.
enum { CP_CHAIN_TEXT = 256 };
const char *cp_chain_text(cp_context *ctx, cp_node *n, char *text);

#endif
