// Computes pending lookups by the device's routine (lookups.h).
#include "lazy/evaluation/lookups.h"

#include "device/interrupt.h"
#include "lazy/work/order.h"
#include "routines/index.h"

bool cp_is_plain_lookup(const cp_node *n) {
  if (!cp_is_lookup(n)) return false;
  for (int k = 1 + n->u.lookup.offset; k < n->nargs; k++)
    if (!cp_is_plain_leaf(n->args[k])) return false;
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
