// The list of pending values: nodes that an array waits for, oldest first. Nothing here computes.
#ifndef CP_LAZY_EXPRESSION_PENDING_LIST_H
#define CP_LAZY_EXPRESSION_PENDING_LIST_H

#include "lazy/expression/node.h"

// The stream that computes n; NULL: one that is still to be made.
static inline cp_stream *cp_home_stream(const cp_context *ctx, const cp_node *n) {
  return n->stream != NULL ? n->stream : ctx->streams.own[n->device->id];
}

// Puts n, which has a handle and is no leaf, at the end of the list.
void cp_pending_append(cp_context *ctx, cp_node *n);
// Takes n out of the list.
void cp_pending_remove(cp_node *n);

// A walk along the list, oldest first, during which anything may leave it; walks nest, as finalizers run inside of evaluations.
typedef struct cp_pending_walk {
  cp_node *next;
  struct cp_pending_walk *outer;
} cp_pending_walk;
void cp_pending_begin(cp_context *ctx, cp_pending_walk *w);
cp_node *cp_pending_next(cp_pending_walk *w); // NULL at the end
void cp_pending_end(cp_context *ctx, const cp_pending_walk *w);

#endif
