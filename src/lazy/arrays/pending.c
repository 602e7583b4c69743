// Makes arrays wait for values, and gives arrays as operands (pending.h).
#include "lazy/arrays/pending.h"

#include "lazy/arrays/write.h"
#include "lazy/evaluation/force.h"
#include "lazy/expression/graph.h"
#include "lazy/expression/pending_list.h"
#include "lazy/expression/planned.h"

cp_status cp_pend(cp_context *ctx, cp_array *a, cp_node *n) {
  cp_status status = cp_shape_size(n->ndim, n->dims, cp_itemsize(n->dtype), &a->size);
  if (status != CP_OK) {
    cp_node_release(n);
    return status;
  }
  a->dtype = n->dtype;
  a->ndim = (uint8_t)n->ndim;
  cp_copy_lengths(a->shape, n->dims, n->ndim);
  if (n->kind == CP_NODE_INDEX)
    cp_contiguous_strides(n->ndim, n->dims, cp_itemsize(n->dtype), 'C', a->strides);
  else
    cp_copy_lengths(a->strides, cp_node_strides(n), n->ndim);
  if (!cp_within_bounds(ctx, &n->weight)) n->weight = cp_weigh(ctx, 1, &n);
  a->context = ctx;
  a->device = n->device;
  n->stream = ctx->now.streams[n->device->id];
  a->node = n;
  a->owner = true;
  n->handle = a;
  n->awaited = true;
  cp_pending_append(ctx, n);
  return CP_OK;
}

void cp_pending_drop(cp_array *a) {
  cp_node *n = cp_awaited_node(a);
  if (n != NULL && (!cp_is_planned(a) || a->storage->refs == 1)) n->awaited = false;
  cp_pending_finalize(a);
}

void cp_pending_finalize(cp_array *a) {
  cp_node *n = a->node;
  if (n == NULL) return;
  if (cp_is_planned(a)) {
    cp_planned_leave(a);
    return;
  }
  a->node = NULL;
  if (n->kind != CP_NODE_LEAF) cp_pending_remove(n);
  n->handle = NULL;
  cp_node_release(n);
}

// Whether the array waits for a value of another stream than the current one.
static bool is_elsewhere(const cp_context *ctx, const cp_array *a) {
  const cp_node *n = a->node;
  if (n == NULL || n->kind == CP_NODE_LEAF) return false;
  const cp_stream *current = ctx->now.streams[n->device->id];
  if (current == NULL) current = ctx->streams.own[n->device->id];
  return cp_node_stream(ctx, n) != current && !cp_is_cheap(n);
}

cp_status cp_array_node(cp_array *a, cp_node **out) {
  if (a->context != NULL && a->context->capture.graph != NULL) CP_TRY(cp_capture_import(a->context, a));
  if (a->context != NULL && a->context->streams.concurrent && is_elsewhere(a->context, a))
    CP_TRY(cp_force(a->context, a));
  if (a->node == NULL) return cp_node_leaf(a, out);
  cp_node_retain(a->node);
  *out = a->node;
  return CP_OK;
}
