// Makes, settles and drops planned memory (planned.h).
#include "lazy/expression/planned.h"

#include "array/freed_structs.h"
#include "lazy/expression/graph.h"
#include "lazy/expression/pending_list.h"

#include <stdlib.h>

// A storage without a buffer.
static cp_storage *new_storage(cp_context *ctx) {
  cp_combined *c = cp_struct_take(&ctx->arrays.combined, sizeof *c);
  if (c == NULL) return NULL;
  c->buffer.refs = 0;
  c->earlier = 0;
  c->storage = (cp_storage){.refs = 1};
  return &c->storage;
}

static void wait_for(cp_array *v, cp_planned *p, cp_node *n) {
  n->stream = p->value.node->stream;
  n->handle = v;
  v->node = n;
  cp_node_list_view(n, &p->views, v->offset);
}

cp_status cp_plan_memory(cp_context *ctx, cp_array *a) {
  cp_node *n = a->node, *own;
  cp_planned *p = malloc(sizeof *p);
  if (p == NULL) return cp_no_memory(NULL);
  cp_storage *s = new_storage(ctx);
  cp_node_retain(n);
  cp_status status = s != NULL ? cp_node_same(n, &own) : cp_no_memory(NULL);
  if (status != CP_OK) {
    if (s == NULL) cp_node_release(n);
    if (s != NULL) cp_storage_end(s);
    free(p);
    return status;
  }
  cp_copy_lengths(cp_node_strides(own), cp_node_strides(n), n->ndim);
  s->planned = p;
  s->nbytes = cp_array_nbytes(a);
  *p = (cp_planned){.value = *a, .storage = s}; // with a's reference to n
  p->value.shape = n->dims;
  p->value.strides = cp_node_strides(n);
  n->handle = &p->value;
  n->planned = true;
  a->storage = s;
  a->offset = 0;
  wait_for(a, p, own);
  return CP_OK;
}

cp_status cp_wait_for_view(cp_array *v, const cp_array *view, cp_node *n) {
  cp_node *own;
  CP_TRY(cp_node_broadcast(n, view->ndim, view->shape, &own));
  cp_copy_lengths(cp_node_strides(own), view->strides, view->ndim);
  cp_array_copy_view(v, view);
  wait_for(v, v->storage->planned, own);
  return CP_OK;
}

// Parts a view's node from its array; the node's other users keep it.
static void part(cp_node *n) {
  cp_array *v = n->handle;
  if (v == NULL) return;
  n->handle = NULL;
  v->node = NULL;
  cp_node_release(n);
}

// Frees p, of whose value the context's list knows nothing any more.
static void free_planned(cp_planned *p) {
  p->storage->planned = NULL;
  free(p);
}

void cp_planned_settle(cp_planned *p, const cp_array *output) {
  cp_buffer *b = output->storage->buffer;
  cp_buffer_retain(b);
  cp_storage_rename(p->storage, b);
  while (p->views != NULL) {
    cp_node *n = p->views;
    cp_node_unlist_view(n);
    const int64_t offset = n->u.view.offset;
    cp_array *v = n->handle;
    n->handle = NULL;
    if (v != NULL) v->node = NULL;
    if (v == NULL || n->refs > 1) cp_node_become_leaf(n, b, offset, cp_node_strides(n));
    if (v != NULL) cp_node_release(n);
  }
  free_planned(p);
}

// Drops the value: no array waits for it any more.
static void end(cp_planned *p) {
  cp_node *n = p->value.node;
  while (p->views != NULL) cp_node_unlist_view(p->views);
  if (n->kind != CP_NODE_LEAF) cp_pending_remove(n);
  n->handle = NULL;
  n->planned = false;
  free_planned(p);
  cp_node_release(n);
}

static bool is_used(const cp_node *view) {
  return view->refs > 1 || view->handle == NULL || view->args[0]->read;
}

void cp_planned_leave(cp_array *a) {
  cp_storage *s = a->storage;
  s->planned->used = s->planned->used || is_used(a->node);
  part(a->node);
  a->storage = NULL;
  if (s->refs == 1) end(s->planned);
  if (--s->refs == 0) cp_storage_end(s);
}

void cp_planned_free(cp_array *a) {
  cp_planned *p = a->storage->planned;
  p->value.node->awaited = false;
  while (p->views != NULL) {
    cp_node *n = p->views;
    cp_node_unlist_view(n);
    part(n);
  }
  end(p);
}

bool cp_planned_used(const cp_node *value) {
  const cp_planned *p = (const cp_planned *)(const void *)value->handle;
  bool used = p->used;
  for (const cp_node *n = p->views; n != NULL && !used; n = n->next) used = is_used(n);
  return used;
}

bool cp_planned_reaches_touched(cp_context *ctx, const cp_node *value) {
  const cp_planned *p = (const cp_planned *)(const void *)value->handle;
  bool reaches = false;
  for (cp_node *n = p->views; n != NULL && !reaches; n = n->next) reaches = cp_reaches_touched(ctx, n);
  return reaches;
}
