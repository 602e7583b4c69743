// Computes pending lookups by the device's routine (lookups.h).
#include "lazy/evaluation/lookups.h"

#include "device/interrupt.h"
#include "lazy/evaluation/batch.h"
#include "lazy/expression/graph.h"
#include "lazy/work/order.h"
#include "routines/index.h"

static bool is_in_memory(const cp_node *n) { return n->kind == CP_NODE_LEAF && n->u.leaf.moves == NULL; }

bool cp_is_plain_lookup(const cp_node *n) {
  if (!cp_is_lookup(n)) return false;
  for (int k = 1 + n->u.lookup.offset; k < n->nargs; k++)
    if (!is_in_memory(n->args[k])) return false;
  return true;
}

static char *address_of(const cp_node *leaf) { return leaf->u.leaf.buffer->pointer + leaf->u.leaf.offset; }

static void broadcast(const cp_node *n, const cp_node *arg, int64_t *strides) {
  cp_broadcast_strides(n->ndim, n->dims, arg->ndim, arg->dims, cp_node_strides(arg), strides);
}

// Describes n, whose elements go to target.
static void describe(const cp_node *n, const cp_array *target, cp_lookup *l) {
  const cp_selected *of = n->u.lookup.positions;
  const int first = 1 + n->u.lookup.offset;
  *l = (cp_lookup){.kind = CP_LOOKUP_READ, .dtype = n->dtype, .itemsize = cp_itemsize(n->dtype)};
  l->ndim = n->ndim;
  l->size = target->size;
  cp_copy_lengths(l->shape, n->dims, n->ndim);
  cp_copy_lengths(l->value_strides, target->strides, n->ndim);
  if (n->u.lookup.offset) broadcast(n, n->args[1], l->base_strides);
  l->count = of->count;
  l->positions_dtype = n->args[first]->dtype;
  for (int k = 0; k < of->count; k++) {
    l->positions[k].length = of->list[k].length;
    l->positions[k].stride = of->list[k].stride;
    l->positions[k].axis = of->list[k].axis;
    broadcast(n, n->args[first + k], l->positions[k].strides);
  }
  cp_lookup_collapse(l);
  l->base = address_of(n->args[0]) + (n->u.lookup.offset ? n->args[1]->u.start : 0);
  l->value = cp_address(target) + l->value_start;
  for (int k = 0; k < of->count; k++) l->positions[k].base = address_of(n->args[first + k]);
  l->where = of->where;
  l->site = of->site;
  l->shared = n->u.lookup.positions;
  cp_lookup_widen(l);
}

cp_status cp_run_lookup(cp_context *ctx, cp_node *n, cp_array *target) {
  cp_stream *stream;
  cp_lookup l;
  if (target->size == 0) return CP_OK;
  CP_TRY(cp_poll(ctx));
  CP_TRY(cp_context_stream(ctx, target->device, &stream));
  CP_TRY(cp_before_work(ctx, stream, 1, &n, &target));
  describe(n, target, &l);
  return target->device->ops->index->lookup(ctx, stream, &l);
}

// A lookup that n is made of; NULL: there is none. A node says that it contains some until it is computed
// itself, even if all of them have been.
static cp_node *find_below(cp_context *ctx, cp_node *n) {
  cp_walk walk;
  cp_walk_begin(&walk, ctx);
  cp_walk_push_args(&walk, n);
  for (n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (cp_is_lookup(n)) return n;
    if (n->looks) cp_walk_push_args(&walk, n);
  }
  return NULL;
}

// A lookup in root's expression whose positions are made of no other; NULL: there is none.
static cp_node *find_innermost(cp_context *ctx, cp_node *root) {
  cp_node *found = cp_is_lookup(root) ? root : NULL;
  for (cp_node *n = find_below(ctx, root); n != NULL; n = find_below(ctx, n)) found = n;
  return found;
}

static cp_status compute(cp_context *ctx, cp_node *n) {
  if (n->kind == CP_NODE_LEAF) return CP_OK;
  cp_node_retain(n); // two references, so that it becomes a leaf
  cp_node_retain(n);
  cp_status status = cp_batch_alone(ctx, n);
  cp_node_release(n);
  cp_node_release(n);
  return status;
}

// Numbers and indices become operations, which can be computed into memory.
static cp_status make_operations(cp_node *n, int first) {
  cp_status status = CP_OK;
  for (int k = first; k < n->nargs && status == CP_OK; k++)
    if (n->args[k]->kind != CP_NODE_OP && !is_in_memory(n->args[k])) {
      cp_node_retain(n->args[k]);
      cp_node *same;
      status = cp_node_same(n->args[k], &same);
      if (status != CP_OK) break;
      cp_node_release(n->args[k]);
      n->args[k] = same;
    }
  return status;
}

// Computing the positions may run finalizers, which may compute the lookup.
static cp_status compute_lookup(cp_context *ctx, cp_node *n) {
  cp_node *selecting[CP_MOST_SELECTING];
  const int first = 1 + n->u.lookup.offset, count = n->u.lookup.positions->count;
  cp_status status = make_operations(n, first);
  for (int k = 0; k < count; k++) {
    selecting[k] = n->args[first + k];
    cp_node_retain(selecting[k]);
  }
  for (int k = 0; k < count && status == CP_OK; k++)
    if (!is_in_memory(selecting[k])) status = compute(ctx, selecting[k]);
  for (int k = 0; k < count; k++) cp_node_release(selecting[k]);
  return status == CP_OK ? compute(ctx, n) : status;
}

cp_status cp_compute_all_lookups(cp_context *ctx, cp_node *root) {
  cp_status status = CP_OK;
  for (cp_node *n; root->looks && status == CP_OK && (n = find_innermost(ctx, root)) != NULL;) {
    cp_node_retain(n);
    status = compute_lookup(ctx, n);
    cp_node_release(n);
  }
  if (status == CP_OK) root->looks = false;
  return status;
}
