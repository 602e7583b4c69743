// The context's list of pending values, in the order in which they were made, and lists of views of them.
#include "lazy/expression/pending_list.h"

void cp_pending_begin(cp_context *ctx, cp_pending_walk *w) {
  *w = (cp_pending_walk){ctx->lazy.first, ctx->lazy.walks};
  ctx->lazy.walks = w;
}

void cp_pending_begin_reductions(cp_context *ctx, cp_pending_walk *w) {
  cp_node *n = ctx->lazy.last, *oldest = NULL;
  for (int left = cp_waiting_parts(ctx); left > 0 && n != NULL; n = n->prev) {
    if (cp_born(n) == NULL) continue;
    oldest = n;
    left--;
  }
  cp_pending_begin(ctx, w);
  w->next = oldest;
}

cp_node *cp_pending_next(cp_pending_walk *w) {
  cp_node *n = w->next;
  if (n != NULL) w->next = n->next;
  return n;
}

void cp_pending_end(cp_context *ctx, const cp_pending_walk *w) { ctx->lazy.walks = w->outer; }

// ---- lists of views ---------------------------------------------------------------------------------------

void cp_node_list_view(cp_node *n, cp_node **list, int64_t offset) {
  n->view = true;
  n->u.view.list = list;
  n->u.view.offset = offset;
  n->prev = NULL;
  n->next = *list;
  if (*list != NULL) (*list)->prev = n;
  *list = n;
}

void cp_node_unlist_view(cp_node *n) {
  if (n->prev == NULL)
    *n->u.view.list = n->next;
  else
    n->prev->next = n->next;
  if (n->next != NULL) n->next->prev = n->prev;
  n->view = false;
}
