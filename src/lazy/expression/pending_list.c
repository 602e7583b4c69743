// The context's list of pending values, in the order in which they were made.
#include "lazy/expression/pending_list.h"

void cp_pending_append(cp_context *ctx, cp_node *n) {
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

void cp_pending_remove(cp_node *n) {
  cp_context *ctx = n->handle->context;
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

void cp_pending_begin(cp_context *ctx, cp_pending_walk *w) {
  *w = (cp_pending_walk){ctx->lazy.first, ctx->lazy.walks};
  ctx->lazy.walks = w;
}

cp_node *cp_pending_next(cp_pending_walk *w) {
  cp_node *n = w->next;
  if (n != NULL) w->next = n->next;
  return n;
}

void cp_pending_end(cp_context *ctx, const cp_pending_walk *w) { ctx->lazy.walks = w->outer; }
