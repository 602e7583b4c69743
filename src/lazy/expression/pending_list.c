// The context's list of pending values, in the order in which they were made.
#include "lazy/expression/pending_list.h"

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
