// Computes the parts of expressions that no elementwise plan can have, each on its own (parts.h), and lookups
// on devices whose plans have none.
#include "lazy/evaluation/parts.h"

#include "device/interrupt.h"
#include "lazy/evaluation/batch.h"
#include "lazy/evaluation/lookups.h"
#include "lazy/evaluation/phases.h"
#include "lazy/expression/graph.h"
#include "lazy/work/mask.h"
#include "lazy/work/new_output.h"
#include "lazy/work/product.h"

#include <string.h>

// An array on a leaf's memory, with a temporary storage that nothing else refers to.
typedef struct leaf_view {
  cp_array_local local;
  cp_storage storage;
  cp_array *a;
} leaf_view;

static cp_array *view_leaf(const cp_node *leaf, leaf_view *v) {
  size_t bytes = (size_t)leaf->ndim * sizeof(int64_t);
  v->a = cp_array_local_init(&v->local);
  v->storage = (cp_storage){.refs = 2, .buffer = leaf->u.leaf.buffer, .nbytes = SIZE_MAX};
  v->a->storage = &v->storage;
  v->a->device = leaf->device;
  v->a->dtype = leaf->dtype;
  v->a->offset = leaf->u.leaf.offset;
  v->a->ndim = (uint8_t)leaf->ndim;
  v->a->size = 1;
  memcpy(v->a->shape, leaf->dims, bytes);
  memcpy(v->a->strides, cp_node_strides(leaf), bytes);
  for (int d = 0; d < leaf->ndim; d++) v->a->size *= leaf->dims[d];
  return v->a;
}

// Makes the view one-dimensional. Its strides always allow this: otherwise the value would not be pending.
static void flatten(cp_array *a) {
  int64_t stride = 0;
  cp_reshape_strides(a->ndim, a->shape, a->strides, 1, &a->size, cp_itemsize(a->dtype), &stride);
  a->ndim = 1;
  a->shape[0] = a->size;
  a->strides[0] = stride;
}

// Copies the elements of source, which has one axis, where the mask is true, into new memory. None of these
// arrays is pending.
static cp_status compact(cp_context *ctx, cp_array *mask, cp_array *source, cp_array *target) {
  cp_compaction c = {.kind = CP_COMPACT_READ};
  const cp_use uses[] = {{mask, CP_READ}, {target, CP_WRITE}, {source, CP_READ}};
  cp_buffer *offsets;
  cp_stream *stream;
  CP_TRY(cp_mask_count(ctx, mask, &c.count, &offsets));
  cp_status status = cp_poll(ctx);
  if (status == CP_OK) status = cp_order_arrays(ctx, mask->device, 3, uses, &stream);
  if (status == CP_OK) status = cp_mask_compact(ctx, stream, &c, mask, source, target, offsets);
  cp_buffer_release(offsets);
  return status;
}

// Computes the node n into new memory.
static cp_status take_elements(cp_context *ctx, cp_node *n) {
  cp_new_output output;
  leaf_view source, mask;
  cp_node *args[2] = {n->args[0], n->args[1]};
  cp_node_retain(args[0]); // allocating memory may run finalizers, which may compute n
  cp_node_retain(args[1]);
  ctx->counters.forces++;
  cp_status status = cp_output_make(ctx, n, &output);
  if (status == CP_OK) {
    view_leaf(args[0], &source);
    view_leaf(args[1], &mask);
    flatten(source.a);
    status = compact(ctx, mask.a, source.a, &output.a);
    bool computed = n->kind == CP_NODE_LEAF; // by a finalizer
    if (status == CP_OK && !computed) cp_output_settle(n, &output.a);
    cp_array_release(&output.a);
  }
  cp_node_release(args[0]);
  cp_node_release(args[1]);
  return status;
}

static cp_status compute_part(cp_context *ctx, cp_node *n) {
  cp_node_retain(n); // two references, so that it becomes a leaf
  cp_node_retain(n);
  bool done = false;
  cp_status status = cp_is_product(n)        ? cp_compute_product(ctx, n, &done)
                     : n->op == CP_OP_masked ? take_elements(ctx, n)
                                             : cp_batch_alone(ctx, n);
  cp_node_release(n);
  cp_node_release(n);
  return status;
}

// Computes root with the product that it is made of, if one routine does both.
static cp_status compute_joined(cp_context *ctx, cp_node *root) {
  bool done;
  cp_node_retain(root); // two references, so that it becomes a leaf
  cp_node_retain(root);
  cp_status status = cp_compute_product(ctx, root, &done);
  cp_node_release(root);
  cp_node_release(root);
  return status;
}

// Allocating memory may run finalizers, which may compute some of the parts; so the walk starts again after
// each part.
cp_status cp_compute_all_apart(cp_context *ctx, cp_node *root) {
  cp_status status = compute_joined(ctx, root);
  for (cp_node *n; root->apart && status == CP_OK && (n = cp_find_part(ctx, root, true)) != NULL;) {
    status = compute_part(ctx, n);
    if (status == CP_OK && root->apart) status = compute_joined(ctx, root);
  }
  if (status == CP_OK) root->apart = false;
  return status;
}

// Whether computing n by each element of a larger shape would repeat a costly operation on values that
// reductions gave.
static cp_node *find_repeated(cp_context *ctx, cp_node *root) {
  cp_walk walk;
  cp_walk_begin(&walk, ctx);
  cp_walk_push(&walk, root);
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    for (int k = 0; k < n->nargs; k++) {
      cp_node *arg = n->args[k];
      if (arg->kind != CP_NODE_OP || !arg->reduces) continue;
      if (arg->costly && !cp_shape_equal(arg->ndim, arg->dims, n->ndim, n->dims)) return arg;
      cp_walk_push(&walk, arg);
    }
  }
  return NULL;
}

// Marks values inside of `part` that root also uses outside of it: root will be computed, so these are worth
// keeping when the part reads them first.
static void mark_shared(cp_context *ctx, cp_node *root, cp_node *part) {
  cp_walk walk;
  cp_walk_begin(&walk, ctx);
  const unsigned outside = ctx->lazy.epoch;
  cp_walk_push(&walk, root);
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk))
    if (n != part) cp_walk_push_args(&walk, n);
  part->epoch = 0;
  cp_walk_begin(&walk, ctx);
  cp_walk_push(&walk, part);
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    for (int k = 0; k < n->nargs; k++) {
      cp_node *arg = n->args[k];
      if (arg->epoch == outside)
        arg->read = true;
      else
        cp_walk_push(&walk, arg);
    }
  }
}

cp_status cp_compute_all_parts(cp_context *ctx, cp_node *root) {
  cp_status status = cp_compute_apart(ctx, root);
  for (cp_node *n; root->reduces && status == CP_OK && (n = cp_find_part(ctx, root, false)) != NULL;) {
    if (n != root) mark_shared(ctx, root, n);
    status = compute_part(ctx, n);
  }
  for (cp_node *n; root->reduces && status == CP_OK && (n = find_repeated(ctx, root)) != NULL;)
    status = compute_part(ctx, n);
  if (status == CP_OK) root->reduces = false;
  return status;
}

// ---- lookups ----------------------------------------------------------------------------------------------

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

// Numbers and indices become operations, which can be computed into memory.
static cp_status make_operations(cp_node *n, int first) {
  cp_status status = CP_OK;
  for (int k = first; k < n->nargs && status == CP_OK; k++)
    if (n->args[k]->kind != CP_NODE_OP && !cp_is_plain_leaf(n->args[k])) {
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
    if (!cp_is_plain_leaf(selecting[k])) status = compute_part(ctx, selecting[k]);
  for (int k = 0; k < count; k++) cp_node_release(selecting[k]);
  return status == CP_OK && n->kind != CP_NODE_LEAF ? compute_part(ctx, n) : status;
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
