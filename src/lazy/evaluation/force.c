// Forces values that arrays wait for.
//
// This works on nodes, not on array handles (batch.c too): allocating memory may collect garbage, and the
// handle of a value in the list may be garbage itself.
#include "lazy/evaluation/force.h"

#include "cuda/run/precompile.h"
#include "lazy/evaluation/batch.h"
#include "lazy/evaluation/eval.h"
#include "lazy/evaluation/phases.h"
#include "lazy/expression/domain.h"
#include "lazy/expression/pending_list.h"
#include "lazy/expression/planned.h"
#include "lazy/work/product.h"
#include "lazy/work/recording.h"

#include <string.h>

static void take_storage(cp_array *a, cp_storage *s) {
  cp_node *n = a->node;
  a->node = NULL;
  a->storage = s;
  a->offset = 0;
  n->handle = NULL;
  cp_node_release(n);
}

// For an array that waits for a leaf, a value already in memory: that of the array it was assigned to. If
// `share` is set and the memory is laid out as the array should be, both share the buffer until one of them
// is written; otherwise the array gets a copy.
static cp_status adopt(cp_context *ctx, cp_array *a, bool share) {
  const cp_node *n = a->node;
  cp_buffer *b = n->u.leaf.buffer;
  size_t bytes = (size_t)a->size * cp_itemsize(a->dtype);
  share = share && n->u.leaf.offset == 0 && bytes > 0 && b->exposed == 0 && !cp_is_fixed(ctx, b) &&
          ctx->capture.graph == NULL && bytes >= cp_buffer_bytes(b) / 2 &&
          memcmp(cp_node_strides(n), a->strides, (size_t)a->ndim * sizeof *a->strides) == 0;
  if (share) {
    cp_storage *s = cp_storage_on(ctx, b, bytes);
    if (s == NULL) return cp_no_memory(NULL);
    cp_buffer_retain(b);
    take_storage(a, s);
    return CP_OK;
  }
  cp_array output = {.shape = a->shape, .strides = a->strides, .ndim = a->ndim};
  cp_array *target = &output;
  cp_node *leaf = a->node;
  cp_node_retain(leaf);
  cp_status status = cp_array_allocate(ctx, &output, a->device, a->dtype);
  if (status == CP_OK) status = cp_evaluate(ctx, 1, &leaf, &target, true);
  if (status == CP_OK && a->node == leaf) {
    take_storage(a, output.storage);
    output.storage = NULL;
  }
  cp_array_release(&output);
  cp_node_release(leaf);
  return status;
}

// Forces values of one shape and stream. Their nodes may be freed meanwhile, so their device is read first.
static cp_status force_nodes(cp_context *ctx, int count, cp_node *const *nodes) {
  cp_device *device = nodes[0]->device;
  cp_stream *before = cp_enter_stream(ctx, device, nodes[0]->stream);
  cp_status status = cp_batch_force(ctx, count, nodes);
  cp_leave_stream(ctx, device, before);
  return status;
}

// Allocating memory may run script code, which may free the array or assign another pending value to it.
cp_status cp_force(cp_context *ctx, cp_array *a) {
  for (cp_node *n = cp_awaited_node(a); n != NULL; n = cp_awaited_node(a))
    CP_TRY(n->kind == CP_NODE_LEAF ? adopt(ctx, a, true) : force_nodes(ctx, 1, &n));
  return cp_array_check(a);
}

static bool same_space(const cp_context *ctx, const cp_node *a, const cp_node *b) {
  return a->device == b->device && cp_node_stream(ctx, a) == cp_node_stream(ctx, b) &&
         cp_shape_equal(a->ndim, a->dims, b->ndim, b->dims);
}

// Whether one kernel may compute `next` beside these values: all have one shape, or their reductions one
// domain.
static bool may_join(cp_context *ctx, int count, cp_node **group, cp_node *next) {
  cp_domain domain;
  if (same_space(ctx, group[0], next)) return true;
  if (next->device != group[0]->device || cp_node_stream(ctx, next) != cp_node_stream(ctx, group[0]))
    return false;
  bool reduces = next->reduces;
  for (int k = 0; k < count; k++) reduces = reduces || group[k]->reduces;
  if (!reduces || next->apart) return false;
  if (!next->device->ops->phased_joins && !cp_is_precompiling(ctx)) return false;
  group[count] = next;
  return cp_find_domain(ctx, count + 1, group, &domain);
}

cp_status cp_force_all(cp_context *ctx, int count, cp_array *const *arrays) {
  for (int first = 0; first < count; first++) {
    cp_node *group[CP_MAX_OUTPUTS];
    int n = 0;
    const cp_node *own = cp_awaited_node(arrays[first]);
    if (own == NULL || own->kind == CP_NODE_LEAF) {
      CP_TRY(cp_force(ctx, arrays[first]));
      continue;
    }
    for (int k = first; k < count && n < CP_MAX_OUTPUTS; k++) {
      cp_node *more = cp_awaited_node(arrays[k]);
      if (more == NULL || more->kind == CP_NODE_LEAF || (n > 0 && !may_join(ctx, n, group, more))) continue;
      group[n] = more;
      if (n == 0 || cp_fit_together(ctx, n + 1, group)) n++;
    }
    CP_TRY(force_nodes(ctx, n, group));
  }
  return CP_OK;
}

cp_status cp_force_listed(cp_context *ctx, cp_node *n) {
  if (n->traced) return CP_OK; // it has no value
  cp_node_retain(n);
  cp_status status = n->kind == CP_NODE_LEAF ? CP_OK : force_nodes(ctx, 1, &n);
  cp_node_release(n);
  return status;
}

// Launches the pending values of a stream, or of a device if stream is NULL, or all if both are NULL.
static cp_status launch_roots(cp_context *ctx, const cp_device *device, const cp_stream *stream) {
  cp_status status = CP_OK;
  cp_pending_walk walk;
  cp_pending_begin(ctx, &walk);
  for (cp_node *n = cp_pending_next(&walk); n != NULL; n = status == CP_OK ? cp_pending_next(&walk) : NULL) {
    if (device != NULL && n->device != device) continue;
    if (stream != NULL && cp_node_stream(ctx, n) != stream) continue;
    // Only values that nothing but their array refers to, and that no evaluation has used. Cheap ones, such
    // as constants, are no work worth launching.
    const bool used = n->planned ? cp_planned_used(n) : n->refs > 1;
    if (!used && !n->read && !cp_is_cheap(n)) status = cp_force_listed(ctx, n);
  }
  cp_pending_end(ctx, &walk);
  return status;
}

cp_status cp_launch_pending(cp_context *ctx, cp_device *device) { return launch_roots(ctx, device, NULL); }

// One walk is enough until further values join the stream: those that it leaves pending (constants, and parts
// of other values already computed) would be left by later walks too.
cp_status cp_launch_stream(cp_context *ctx, cp_stream *stream) {
  if (!stream->fresh) return CP_OK;
  stream->fresh = false;
  cp_status status = launch_roots(ctx, stream->device, stream);
  if (status != CP_OK) stream->fresh = true;
  return status;
}

cp_status cp_launch_old_reductions(cp_context *ctx) {
  const uint64_t now = ctx->lazy.operators;
  cp_status status = CP_OK;
  cp_pending_walk walk;
  ctx->lazy.due = now + CP_REDUCTION_WAITS;
  cp_pending_begin_reductions(ctx, &walk);
  for (cp_node *n = cp_pending_next(&walk); n != NULL; n = status == CP_OK ? cp_pending_next(&walk) : NULL) {
    const uint64_t *born = cp_born(n);
    if (born == NULL) continue;
    const uint64_t due = *born + CP_REDUCTION_WAITS;
    if (due <= now)
      status = cp_force_listed(ctx, n);
    else if (due < ctx->lazy.due)
      ctx->lazy.due = due;
  }
  cp_pending_end(ctx, &walk);
  return status == CP_EMEMORY ? CP_OK : status;
}

cp_status cp_force_touched_reductions(cp_context *ctx, const cp_node *except) {
  cp_status status = CP_OK;
  cp_pending_walk walk;
  if (ctx->lazy.nreductions == 0) return CP_OK;
  cp_pending_begin_reductions(ctx, &walk);
  for (cp_node *n = cp_pending_next(&walk); n != NULL; n = status == CP_OK ? cp_pending_next(&walk) : NULL)
    if (n != except && n->op == CP_OP_reduce && cp_reaches_touched(ctx, n)) status = cp_force_listed(ctx, n);
  cp_pending_end(ctx, &walk);
  return status;
}

cp_status cp_force_all_reductions_of(cp_context *ctx, cp_buffer *b) {
  cp_buffer_retain(b);
  for (cp_node *n = b->readers; n != NULL; n = n->next) n->touched = true;
  cp_status status = cp_force_touched_reductions(ctx, NULL);
  for (cp_node *n = b->readers; n != NULL; n = n->next) n->touched = false;
  cp_buffer_release(b);
  return status;
}

// Whether n, or one of its views that wait, reads a leaf with `touched` set. The expression of a view that
// was taken before a part of the value was computed still reads what the value itself needs no more.
static bool needs_touched(cp_context *ctx, cp_node *n) {
  if (cp_reaches_touched(ctx, n)) return true;
  return n->planned && cp_planned_reaches_touched(ctx, n);
}

size_t cp_touched_bytes(cp_context *ctx) {
  enum { MOST = 64 };
  size_t bytes = 0;
  int seen = 0;
  for (cp_node *n = ctx->lazy.first; n != NULL; n = n->next) {
    if (++seen > MOST) return SIZE_MAX;
    // Sparse products are computed rather than kept from the write by a copy in each round of a loop.
    const cp_node *part = n->apart ? cp_find_part(ctx, n, true) : NULL;
    if ((part == NULL || !cp_is_sparse_product(part)) && needs_touched(ctx, n))
      bytes += (size_t)(n->weight.leaves + 1) * (size_t)n->handle->size * cp_itemsize(n->dtype);
  }
  return bytes;
}

cp_status cp_force_touched(cp_context *ctx, const cp_buffer *b, const cp_node *except) {
  cp_status status = CP_OK;
  cp_pending_walk walk;
  cp_pending_begin(ctx, &walk);
  for (cp_node *n = cp_pending_next(&walk); n != NULL; n = status == CP_OK ? cp_pending_next(&walk) : NULL)
    if (n != except && needs_touched(ctx, n)) status = cp_force_listed(ctx, n);
  cp_pending_end(ctx, &walk);
  cp_node *n = b->readers;
  while (n != NULL && status == CP_OK) {
    if (!n->touched || n->handle == NULL) {
      n = n->next;
      continue;
    }
    status = adopt(ctx, n->handle, false);
    n = b->readers; // the list may have changed
  }
  return status;
}
