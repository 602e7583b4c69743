// The context's list of pending values: the nodes that arrays wait for, oldest first. Nothing here computes
// them.
#ifndef CP_LAZY_EXPRESSION_PENDING_LIST_H
#define CP_LAZY_EXPRESSION_PENDING_LIST_H

#include "lazy/expression/node.h"

// The stream that n will be computed on; NULL if that stream has not been made yet.
static inline cp_stream *cp_node_stream(const cp_context *ctx, const cp_node *n) {
  return n->stream != NULL ? n->stream : ctx->streams.own[n->device->id];
}

// A pending reduction or product of matrices is launched after so many further operators, so that devices do
// not idle.
enum { CP_REDUCTION_WAITS = 64 };
// When n, one of the list, was made; NULL if it is none of those.
static inline uint64_t *cp_born(cp_node *n) {
  if (n->op == CP_OP_reduce) return &n->u.reduction.born;
  return n->op == CP_OP_product && !n->u.product.absorbed ? &n->u.product.born : NULL;
}
static inline int cp_waiting_parts(const cp_context *ctx) {
  return ctx->lazy.nreductions + ctx->lazy.nproducts;
}
static inline bool cp_are_parts_due(const cp_context *ctx) {
  return cp_waiting_parts(ctx) > 0 && ctx->lazy.operators >= ctx->lazy.due;
}

// Appends n, which must have a handle and not be a leaf.
static inline void cp_pending_append(cp_context *ctx, cp_node *n) {
  ctx->lazy.operators++;
  uint64_t *born = cp_born(n);
  if (born != NULL) {
    *born = ctx->lazy.operators;
    if (cp_waiting_parts(ctx) == 0) ctx->lazy.due = ctx->lazy.operators + CP_REDUCTION_WAITS;
    ctx->lazy.nreductions += n->op == CP_OP_reduce;
    ctx->lazy.nproducts += n->op == CP_OP_product;
  }
  n->prev = ctx->lazy.last;
  n->next = NULL;
  if (n->prev != NULL)
    n->prev->next = n;
  else
    ctx->lazy.first = n;
  ctx->lazy.last = n;
  cp_stream *home = cp_node_stream(ctx, n);
  if (home != NULL) home->fresh = true; // a stream made later begins with this set
}

// A walk along the list, oldest first. Any node may leave the list meanwhile. Walks nest, because finalizers
// run inside evaluations.
typedef struct cp_pending_walk {
  cp_node *next;
  struct cp_pending_walk *outer;
} cp_pending_walk;
void cp_pending_begin(cp_context *ctx, cp_pending_walk *w);
// The same from the oldest reduction or product on that waits. These do not wait for long, so few values are
// newer; of those that are older there may be any number, until the collector frees them.
void cp_pending_begin_reductions(cp_context *ctx, cp_pending_walk *w);
cp_node *cp_pending_next(cp_pending_walk *w); // NULL at the end
void cp_pending_end(cp_context *ctx, const cp_pending_walk *w);

// Takes n out of the list.
static inline void cp_pending_remove(cp_node *n) {
  cp_context *ctx = n->handle->context;
  if (cp_born(n) != NULL) {
    ctx->lazy.nreductions -= n->op == CP_OP_reduce;
    ctx->lazy.nproducts -= n->op == CP_OP_product;
  }
  for (cp_pending_walk *w = ctx->lazy.walks; w != NULL; w = w->outer)
    if (w->next == n) w->next = n->next;
  if (n->prev != NULL)
    n->prev->next = n->next;
  else
    ctx->lazy.first = n->next;
  if (n->next != NULL)
    n->next->prev = n->prev;
  else
    ctx->lazy.last = n->prev;
}

#endif
