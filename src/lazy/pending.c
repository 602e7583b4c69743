// Pending values: the list of them, and what makes them be computed.
//
// Evaluation (batch.c) goes by nodes, not by handles: making memory may collect garbage, and the handle of a value in the list may be garbage itself.
#include "lazy/pending.h"

#include "lazy/batch.h"
#include "lazy/capture.h"
#include "lazy/eval.h"
#include "memory/pool.h"

#include <string.h>

// ---- the list -----------------------------------------------------------------------------------------------------

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

// The stream that computes n; NULL: one that is still to be made.
static cp_stream *home_of(const cp_context *ctx, const cp_node *n) {
  return n->stream != NULL ? n->stream : ctx->streams.own[n->device->id];
}

static void link_pending(cp_context *ctx, cp_node *n) {
  n->prev = ctx->lazy.last;
  n->next = NULL;
  if (n->prev != NULL)
    n->prev->next = n;
  else
    ctx->lazy.first = n;
  ctx->lazy.last = n;
  cp_stream *home = home_of(ctx, n);
  if (home != NULL) home->fresh = true; // a stream that is still to be made begins so
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
  link_pending(ctx, n);
  return CP_OK;
}

void cp_pending_drop(cp_array *a) {
  cp_node *n = a->node;
  if (n == NULL) return;
  a->node = NULL;
  if (n->kind != CP_NODE_LEAF) cp_pending_remove(n);
  n->handle = NULL;
  cp_node_release(n);
}

// ---- streams ------------------------------------------------------------------------------------------------------

// Whether a waits for a value of a stream that is not the current one.
static bool is_elsewhere(const cp_context *ctx, const cp_array *a) {
  const cp_node *n = a->node;
  if (n == NULL || n->kind == CP_NODE_LEAF) return false;
  const cp_stream *current = ctx->now.streams[n->device->id];
  if (current == NULL) current = ctx->streams.own[n->device->id];
  return home_of(ctx, n) != current && !cp_is_cheap(n);
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

// ---- forcing ------------------------------------------------------------------------------------------------------

static void take_storage(cp_array *a, cp_storage *s) {
  cp_node *n = a->node;
  a->node = NULL;
  a->storage = s;
  a->offset = 0;
  n->handle = NULL;
  cp_node_release(n);
}

// The array waits for a value that lies in memory, that of the array it was assigned to: both share it until one is written, where it is laid out
// as the array should be.
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
  cp_array home = {.shape = a->shape, .strides = a->strides, .ndim = a->ndim};
  cp_array *target = &home;
  cp_node *leaf = a->node;
  cp_node_retain(leaf);
  cp_status status = cp_array_allocate(ctx, &home, a->device, a->dtype);
  if (status == CP_OK) status = cp_evaluate(ctx, 1, &leaf, &target, true);
  if (status == CP_OK && a->node == leaf) {
    take_storage(a, home.storage);
    home.storage = NULL;
  }
  cp_array_release(&home);
  cp_node_release(leaf);
  return status;
}

// Values of one shape and stream. They may be gone afterwards, the device is not.
static cp_status force_nodes(cp_context *ctx, int count, cp_node *const *nodes) {
  cp_device *device = nodes[0]->device;
  cp_stream *before = cp_enter_stream(ctx, device, nodes[0]->stream);
  cp_status status = cp_batch_force(ctx, count, nodes);
  cp_leave_stream(ctx, device, before);
  return status;
}

cp_status cp_force(cp_context *ctx, cp_array *a) {
  cp_node *n = a->node;
  if (n == NULL) return cp_array_check(a);
  if (n->kind == CP_NODE_LEAF) return adopt(ctx, a, true);
  return force_nodes(ctx, 1, &n);
}

static bool same_space(const cp_context *ctx, const cp_node *a, const cp_node *b) {
  return a->device == b->device && home_of(ctx, a) == home_of(ctx, b) &&
         cp_shape_equal(a->ndim, a->dims, b->ndim, b->dims);
}

cp_status cp_force_all(cp_context *ctx, int count, cp_array *const *arrays) {
  for (int first = 0; first < count; first++) {
    cp_node *group[CP_MAX_OUTPUTS];
    int n = 0;
    if (arrays[first]->node == NULL || arrays[first]->node->kind == CP_NODE_LEAF) {
      CP_TRY(cp_force(ctx, arrays[first]));
      continue;
    }
    for (int k = first; k < count && n < CP_MAX_OUTPUTS; k++) {
      cp_node *more = arrays[k]->node;
      if (more == NULL || more->kind == CP_NODE_LEAF || !same_space(ctx, arrays[first]->node, more)) continue;
      group[n] = more;
      cp_weight w = cp_weigh(ctx, n + 1, group);
      if (n == 0 || cp_within_bounds(ctx, &w)) n++;
    }
    CP_TRY(force_nodes(ctx, n, group));
  }
  return CP_OK;
}

cp_status cp_force_listed(cp_context *ctx, cp_node *n) {
  if (n->traced) return CP_OK; // nothing to compute
  cp_node_retain(n);
  cp_status status = n->kind == CP_NODE_LEAF ? CP_OK : force_nodes(ctx, 1, &n);
  cp_node_release(n);
  return status;
}

// Those of stream, else of device, else all.
static cp_status launch_roots(cp_context *ctx, const cp_device *device, const cp_stream *stream) {
  cp_status status = CP_OK;
  cp_pending_walk walk;
  cp_pending_begin(ctx, &walk);
  for (cp_node *n = cp_pending_next(&walk); n != NULL; n = status == CP_OK ? cp_pending_next(&walk) : NULL) {
    if (device != NULL && n->device != device) continue;
    if (stream != NULL && home_of(ctx, n) != stream) continue;
    // Only its array refers to a root, and nothing has used its value. Constants and the like are no work that waits.
    if (n->refs == 1 && !n->read && !cp_is_cheap(n)) status = cp_force_listed(ctx, n);
  }
  cp_pending_end(ctx, &walk);
  return status;
}

cp_status cp_launch_pending(cp_context *ctx, cp_device *device) { return launch_roots(ctx, device, NULL); }

// What a walk leaves waiting it would always leave: parts of other values that were computed, constants.
cp_status cp_launch_stream(cp_context *ctx, cp_stream *stream) {
  if (!stream->fresh) return CP_OK;
  stream->fresh = false;
  cp_status status = launch_roots(ctx, stream->device, stream);
  if (status != CP_OK) stream->fresh = true;
  return status;
}

size_t cp_touched_bytes(cp_context *ctx) {
  enum { MOST = 64 };
  size_t bytes = 0;
  int seen = 0;
  for (cp_node *n = ctx->lazy.first; n != NULL; n = n->next) {
    if (++seen > MOST) return SIZE_MAX;
    if (cp_reaches_touched(ctx, n))
      bytes += (size_t)(n->weight.leaves + 1) * (size_t)n->handle->size * cp_itemsize(n->dtype);
  }
  return bytes;
}

cp_status cp_force_touched(cp_context *ctx, const cp_buffer *b, const cp_node *except) {
  cp_status status = CP_OK;
  cp_pending_walk walk;
  cp_pending_begin(ctx, &walk);
  for (cp_node *n = cp_pending_next(&walk); n != NULL; n = status == CP_OK ? cp_pending_next(&walk) : NULL)
    if (n != except && cp_reaches_touched(ctx, n)) status = cp_force_listed(ctx, n);
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
