// Pending values: the list of them, and their evaluation.
//
// Evaluation goes by nodes, not by handles: making memory may collect garbage, and the handle of a value in the list may be garbage itself. So a
// node is retained, and after memory was made everything about it is looked at again.
#include "expr/pending.h"

#include "device/pool.h"
#include "expr/eval.h"

#include <string.h>

// ---- the list -----------------------------------------------------------------------------------------------------

static void link_pending(cp_context *ctx, cp_node *n) {
  n->context = ctx;
  n->prev = ctx->pending_last;
  n->next = NULL;
  if (n->prev != NULL)
    n->prev->next = n;
  else
    ctx->pending_first = n;
  ctx->pending_last = n;
}

void cp_pending_remove(cp_node *n) {
  cp_context *ctx = n->context;
  if (ctx->pending_next == n) ctx->pending_next = n->next;
  if (n->prev != NULL)
    n->prev->next = n->next;
  else
    ctx->pending_first = n->next;
  if (n->next != NULL)
    n->next->prev = n->prev;
  else
    ctx->pending_last = n->prev;
}

cp_status cp_pend(cp_context *ctx, cp_array *a, cp_node *n) {
  cp_status status = cp_array_layout(a, n->dtype, n->ndim, n->dims, 'C');
  if (status != CP_OK) {
    cp_node_release(n);
    return status;
  }
  if (n->kind != CP_NODE_INDEX && n->ndim > 1)
    memcpy(a->strides, cp_node_strides(n), (size_t)n->ndim * sizeof *a->strides);
  if (!cp_within_bounds(&n->weight)) n->weight = cp_weigh(ctx, 1, &n);
  a->device = n->device;
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

cp_status cp_array_alive(const cp_array *a) { return a->node != NULL ? CP_OK : cp_array_check(a); }

cp_status cp_array_node(const cp_array *a, cp_node **out) {
  if (a->node == NULL) return cp_node_leaf(a, out);
  cp_node_retain(a->node);
  *out = a->node;
  return CP_OK;
}

// ---- one evaluation -----------------------------------------------------------------------------------------------

static cp_status make_home(cp_context *ctx, const cp_node *n, cp_home *h) {
  h->a = (cp_array){.shape = (int64_t *)n->dims, .strides = h->strides, .ndim = n->ndim};
  if (n->kind == CP_NODE_INDEX)
    cp_contiguous_strides(n->ndim, n->dims, cp_itemsize(n->dtype), 'C', h->strides);
  else
    memcpy(h->strides, cp_node_strides(n), (size_t)n->ndim * sizeof *h->strides);
  return cp_array_allocate(ctx, &h->a, n->device, n->dtype);
}

// Adds an output; target NULL: new memory for the array that waits for n.
static cp_status add_output(cp_context *ctx, cp_batch *b, cp_node *n, cp_array *target) {
  int k = b->count;
  b->targets[k] = target;
  if (target == NULL) {
    CP_TRY(make_home(ctx, n, &b->homes[k]));
    b->targets[k] = &b->homes[k].a;
  }
  b->nodes[k] = n;
  b->count++;
  cp_node_retain(n);
  return CP_OK;
}

static bool made_here(const cp_batch *b, int k) { return b->targets[k] == &b->homes[k].a; }

// The value of n is in memory now: the array that waits for it gets that, and what is built on n reads it.
static void settle(cp_node *n, cp_array *home) {
  cp_array *a = n->handle;
  cp_buffer *buffer = home->storage->buffer;
  if (n->kind != CP_NODE_LEAF && n->refs > (a != NULL ? 2 : 1)) // one reference is the batch's
    cp_node_become_leaf(n, buffer, 0, home->strides);
  if (a == NULL) return;
  if (n->kind != CP_NODE_LEAF) cp_pending_remove(n);
  n->handle = NULL;
  a->node = NULL;
  a->storage = home->storage;
  a->offset = 0;
  home->storage = NULL;
  cp_node_release(n);
}

// Leaves out what somebody computed, or what became garbage, while memory was made.
static void leave_out_done(cp_batch *b) {
  int kept = 0;
  for (int k = 0; k < b->count; k++) {
    if (made_here(b, k) && (b->nodes[k]->kind == CP_NODE_LEAF || b->nodes[k]->handle == NULL)) {
      cp_array_release(&b->homes[k].a);
      cp_node_release(b->nodes[k]);
      continue;
    }
    bool made = made_here(b, k);
    if (made && kept < k) {
      b->homes[kept] = b->homes[k];
      b->homes[kept].a.strides = b->homes[kept].strides;
    }
    b->nodes[kept] = b->nodes[k];
    b->targets[kept] = made ? &b->homes[kept].a : b->targets[k];
    kept++;
  }
  b->count = kept;
}

cp_status cp_batch_run(cp_context *ctx, cp_batch *b) {
  leave_out_done(b);
  if (b->count == 0) return CP_OK;
  bool fresh = true; // new memory overlaps nothing
  for (int k = 0; k < b->count; k++) fresh = fresh && made_here(b, k);
  return (fresh ? cp_evaluate_fresh : cp_evaluate)(ctx, b->count, b->nodes, b->targets);
}

void cp_batch_end(cp_context *ctx, cp_batch *b, cp_status status) {
  (void)ctx;
  for (int k = 0; k < b->count; k++) {
    if (made_here(b, k)) {
      if (status == CP_OK) settle(b->nodes[k], &b->homes[k].a);
      cp_array_release(&b->homes[k].a);
    }
    cp_node_release(b->nodes[k]);
  }
  b->count = 0;
}

static bool contains(const cp_batch *b, const cp_node *n) {
  for (int k = 0; k < b->count; k++)
    if (b->nodes[k] == n && made_here(b, k)) return true;
  return false;
}

// n alone, into memory of its own.
static cp_status evaluate_alone(cp_context *ctx, cp_node *n) {
  cp_batch b;
  b.count = 0;
  ctx->counters.forces++;
  cp_status status = add_output(ctx, &b, n, NULL);
  if (status == CP_OK) status = cp_batch_run(ctx, &b);
  cp_batch_end(ctx, &b, status);
  return status;
}

// Adds the parts of the batch that are worth keeping: those of its shape as further outputs, others are computed now.
static cp_status add_kept(cp_context *ctx, cp_batch *b, bool also_roots, int ndim, const int64_t *shape) {
  if (b->count == 1 && b->nodes[0]->weight.ops <= 1 && !(also_roots && b->nodes[0]->read)) return CP_OK;
  enum { MOST_DIMS = 8 }; // more outputs of more dimensions need many kernel arguments
  cp_node *kept[CP_MAX_OUTPUTS], *others[CP_MAX_OUTPUTS];
  cp_status status = CP_OK;
  int nothers = 0, room = CP_MAX_OUTPUTS - b->count;
  int found = cp_find_kept(ctx, b->count, b->nodes, also_roots, room, kept);
  for (int k = 0; k < found; k++) cp_node_retain(kept[k]);
  for (int k = 0; k < found && status == CP_OK; k++) {
    cp_node *n = kept[k];
    if (contains(b, n)) continue;
    if (ndim <= MOST_DIMS && cp_shape_equal(ndim, shape, n->ndim, n->dims)) {
      ctx->counters.forces++;
      status = add_output(ctx, b, n, NULL);
    } else {
      others[nothers++] = n;
    }
  }
  for (int k = 0; k < nothers && status == CP_OK; k++)
    if (others[k]->kind != CP_NODE_LEAF && others[k]->handle != NULL) status = evaluate_alone(ctx, others[k]);
  for (int k = 0; k < found; k++) cp_node_release(kept[k]);
  return status;
}

cp_status cp_batch_begin(cp_context *ctx, cp_batch *b, cp_node *root, cp_array *target) {
  b->count = 0;
  CP_TRY(add_output(ctx, b, root, target));
  return add_kept(ctx, b, true, target->ndim, target->shape);
}

cp_status cp_keep_parts(cp_context *ctx, cp_node *root) {
  if (root->kind != CP_NODE_OP || (root->weight.ops <= 1 && !root->read)) return CP_OK;
  cp_node *kept[CP_MAX_OUTPUTS];
  cp_status status = CP_OK;
  int found = cp_find_kept(ctx, 1, &root, true, CP_MAX_OUTPUTS, kept);
  for (int k = 0; k < found; k++) cp_node_retain(kept[k]);
  for (int k = 0; k < found && status == CP_OK; k++)
    if (kept[k]->kind != CP_NODE_LEAF && kept[k]->handle != NULL) status = evaluate_alone(ctx, kept[k]);
  for (int k = 0; k < found; k++) cp_node_release(kept[k]);
  return status;
}

// ---- forcing ------------------------------------------------------------------------------------------------------

// Values of one shape and device, which are no leaves, by one kernel.
static cp_status force_nodes(cp_context *ctx, int count, cp_node *const *nodes) {
  cp_batch b;
  cp_status status = CP_OK;
  b.count = 0;
  for (int k = 0; k < count && status == CP_OK; k++) {
    if (contains(&b, nodes[k])) continue;
    ctx->counters.forces++;
    status = add_output(ctx, &b, nodes[k], NULL);
  }
  if (status == CP_OK) status = add_kept(ctx, &b, false, nodes[0]->ndim, nodes[0]->dims);
  if (status == CP_OK) status = cp_batch_run(ctx, &b);
  cp_batch_end(ctx, &b, status);
  if (status != CP_OK) {
    char chain[CP_CHAIN_TEXT], text[CP_ERROR_SIZE / 2];
    strncpy(text, cp_error_text(), sizeof text - 1);
    text[sizeof text - 1] = '\0';
    if (nodes[0]->kind == CP_NODE_OP)
      cp_fail(status, "%s, while computing %s", text, cp_chain_text(ctx, nodes[0], chain));
  }
  return status;
}

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
  share = share && n->u.leaf.offset == 0 && bytes > 0 && bytes >= b->block->size / 2 && !b->foreign &&
          memcmp(cp_node_strides(n), a->strides, (size_t)a->ndim * sizeof *a->strides) == 0;
  if (share) {
    cp_storage *s = cp_storage_on(ctx, b, bytes);
    if (s == NULL) return cp_fail(CP_EMEMORY, "out of host memory");
    cp_buffer_retain(b);
    take_storage(a, s);
    return CP_OK;
  }
  cp_array home = {.shape = a->shape, .strides = a->strides, .ndim = a->ndim};
  cp_array *target = &home;
  cp_node *leaf = a->node;
  cp_node_retain(leaf);
  cp_status status = cp_array_allocate(ctx, &home, a->device, a->dtype);
  if (status == CP_OK) status = cp_evaluate(ctx, 1, &leaf, &target);
  if (status == CP_OK && a->node == leaf) {
    take_storage(a, home.storage);
    home.storage = NULL;
  }
  cp_array_release(&home);
  cp_node_release(leaf);
  return status;
}

cp_status cp_force(cp_context *ctx, cp_array *a) {
  cp_node *n = a->node;
  if (n == NULL) return cp_array_check(a);
  if (n->kind == CP_NODE_LEAF) return adopt(ctx, a, true);
  return force_nodes(ctx, 1, &n);
}

static bool same_space(const cp_node *a, const cp_node *b) {
  return a->device == b->device && cp_shape_equal(a->ndim, a->dims, b->ndim, b->dims);
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
      if (more == NULL || more->kind == CP_NODE_LEAF || !same_space(arrays[first]->node, more)) continue;
      group[n] = more;
      cp_weight w = cp_weigh(ctx, n + 1, group);
      if (n == 0 || cp_within_bounds(&w)) n++;
    }
    CP_TRY(force_nodes(ctx, n, group));
  }
  return CP_OK;
}

// Forces n, which is in the list.
static cp_status force_listed(cp_context *ctx, cp_node *n) {
  cp_node_retain(n);
  cp_status status = n->kind == CP_NODE_LEAF ? CP_OK : force_nodes(ctx, 1, &n);
  cp_node_release(n);
  return status;
}

cp_status cp_launch_pending(cp_context *ctx, cp_device *device) {
  cp_status status = CP_OK;
  for (cp_node *n = ctx->pending_first; n != NULL && status == CP_OK; n = ctx->pending_next) {
    ctx->pending_next = n->next;
    // Only its array refers to a root, and nothing has used its value. Constants and the like are no work that waits.
    if ((device == NULL || n->device == device) && n->refs == 1 && !n->read && !cp_is_cheap(n))
      status = force_listed(ctx, n);
  }
  ctx->pending_next = NULL;
  return status;
}

size_t cp_touched_bytes(cp_context *ctx) {
  enum { MOST = 64 };
  size_t bytes = 0;
  int seen = 0;
  for (cp_node *n = ctx->pending_first; n != NULL; n = n->next) {
    if (++seen > MOST) return SIZE_MAX;
    if (cp_reaches_touched(ctx, n))
      bytes += (size_t)(n->weight.leaves + 1) * (size_t)n->handle->size * cp_itemsize(n->dtype);
  }
  return bytes;
}

cp_status cp_force_touched(cp_context *ctx, const cp_buffer *b, const cp_node *except) {
  cp_status status = CP_OK;
  for (cp_node *n = ctx->pending_first; n != NULL && status == CP_OK; n = ctx->pending_next) {
    ctx->pending_next = n->next;
    if (n != except && cp_reaches_touched(ctx, n)) status = force_listed(ctx, n);
  }
  ctx->pending_next = NULL;
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

// ---- bounds -------------------------------------------------------------------------------------------------------

// Values that were built on memory which no array has any more, oldest first, until they keep little of it.
static cp_status relieve(cp_context *ctx, size_t most) {
  cp_status status = CP_OK;
  ctx->since_collect = 0;
  if (ctx->collect != NULL) ctx->collect(ctx->collect_data, false);
  for (cp_node *n = ctx->pending_first; n != NULL && status == CP_OK && ctx->pinned_bytes > most;
       n = ctx->pending_next) {
    ctx->pending_next = n->next;
    status = force_listed(ctx, n);
  }
  ctx->pending_next = NULL;
  ctx->pinned_bound = ctx->pinned_bytes > most / 2 ? 2 * ctx->pinned_bytes : most; // what stays is not looked at each time
  return status;
}

static void add_weight(cp_weight *sum, const cp_array *a) {
  if (a->node == NULL) {
    sum->leaves++;
    sum->slots += 1 + a->ndim;
    return;
  }
  sum->ops += a->node->weight.ops;
  sum->leaves += a->node->weight.leaves;
  sum->scalars += a->node->weight.scalars;
  sum->slots += a->node->weight.slots;
}

// What an operation on the arrays needs; exact: shared parts of pending operands counted once.
static cp_weight operands_weight(cp_context *ctx, int count, cp_array *const *arrays, bool exact) {
  cp_weight sum = {.ops = 1};
  cp_node *roots[CP_MAX_OUTPUTS];
  int n = 0;
  for (int k = 0; k < count; k++) {
    if (arrays[k] == NULL) {
      sum.scalars++;
      sum.slots += 2;
    } else if (exact && arrays[k]->node != NULL && n < CP_MAX_OUTPUTS) {
      roots[n++] = arrays[k]->node;
    } else {
      add_weight(&sum, arrays[k]);
    }
  }
  if (n == 0) return sum;
  cp_weight w = cp_weigh(ctx, n, roots);
  w.ops += sum.ops;
  w.leaves += sum.leaves;
  w.scalars += sum.scalars;
  w.slots += sum.slots;
  return w;
}

// Keeps the memory that pending values alone hold to a share of what there is.
static cp_status bound_pinned(cp_context *ctx, int count, cp_array *const *arrays) {
  enum { SHARE = 16 };
  for (int k = 0; k < count && ctx->pinned_bytes > ctx->pinned_bound; k++) {
    if (arrays[k] == NULL) continue;
    size_t most = cp_pool_capacity(arrays[k]->device->pool) / SHARE;
    if (ctx->pinned_bytes > most) return relieve(ctx, most);
    ctx->pinned_bound = most;
  }
  return CP_OK;
}

bool cp_is_repeated(const cp_node *n, int ndim, const int64_t *shape) {
  return n->costly && n->handle != NULL && n->kind == CP_NODE_OP && !cp_shape_equal(n->ndim, n->dims, ndim, shape);
}

// Operands that the result repeats along an axis, and that are costly, are computed once.
static cp_status force_repeated(cp_context *ctx, int count, cp_array *const *arrays) {
  int ndim = 0;
  bool costly = false;
  int64_t shape[CP_MAXDIM];
  for (int k = 0; k < count; k++) {
    if (arrays[k] == NULL) continue;
    costly = costly || (arrays[k]->node != NULL && arrays[k]->node->costly);
    if (!cp_broadcast(&ndim, shape, arrays[k]->ndim, arrays[k]->shape)) return CP_OK; // the operator says it
  }
  for (int k = 0; k < count && costly; k++)
    if (arrays[k] != NULL && arrays[k]->node != NULL && cp_is_repeated(arrays[k]->node, ndim, shape))
      CP_TRY(cp_force(ctx, arrays[k]));
  return CP_OK;
}

cp_status cp_bound_operands(cp_context *ctx, int count, cp_array *const *arrays) {
  CP_TRY(bound_pinned(ctx, count, arrays));
  CP_TRY(force_repeated(ctx, count, arrays));
  for (;;) {
    cp_array *largest = NULL;
    cp_weight w = operands_weight(ctx, count, arrays, false);
    if (cp_within_bounds(&w)) return CP_OK;
    w = operands_weight(ctx, count, arrays, true);
    if (cp_within_bounds(&w)) return CP_OK;
    for (int k = 0; k < count; k++)
      if (arrays[k] != NULL && arrays[k]->node != NULL && arrays[k]->node->kind != CP_NODE_LEAF &&
          (largest == NULL || arrays[k]->node->weight.ops > largest->node->weight.ops))
        largest = arrays[k];
    if (largest == NULL) return CP_OK;
    CP_TRY(cp_force(ctx, largest));
  }
}
