// Pending values that a mask takes from arrays: computed on their own, or spread over the whole arrays again.
#include "lazy/mask.h"

#include "lazy/batch.h"

#include <string.h>

// ---- computing ----------------------------------------------------------------------------------------------------

// A view of a leaf's memory, through a storage that nobody else sees.
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

// Views the array as one axis. It is one, or the value would not be pending.
static void flatten(cp_array *a) {
  int64_t stride = 0;
  cp_reshape_strides(a->ndim, a->shape, a->strides, 1, &a->size, cp_itemsize(a->dtype), &stride);
  a->ndim = 1;
  a->shape[0] = a->size;
  a->strides[0] = stride;
}

// The elements of one node, n, into memory of its own.
static cp_status take_elements(cp_context *ctx, cp_node *n) {
  cp_batch b;
  leaf_view source, mask;
  cp_node *args[2] = {n->args[0], n->args[1]};
  cp_node_retain(args[0]); // making memory may run finalizers, which may compute n
  cp_node_retain(args[1]);
  ctx->counters.forces++;
  cp_status status = cp_batch_allocate(ctx, &b, n);
  if (status == CP_OK) {
    view_leaf(args[0], &source);
    view_leaf(args[1], &mask);
    flatten(source.a);
    status = cp_mask_move(ctx, CP_COMPACT_READ, mask.a, source.a, b.targets[0]);
    cp_batch_end(ctx, &b, n->kind == CP_NODE_LEAF ? CP_EUSAGE : status); // a leaf has its value already
  }
  cp_node_release(args[0]);
  cp_node_release(args[1]);
  return status;
}

static cp_node *find_masked(cp_context *ctx, cp_node *root) {
  cp_walk walk;
  cp_walk_begin(&walk, ctx);
  cp_walk_push(&walk, root);
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (n->op == CP_OP_masked && n->kind == CP_NODE_OP) return n;
    if (n->masked) cp_walk_push_args(&walk, n);
  }
  return NULL;
}

// Making memory may run finalizers, which may compute some of them: the walk starts again after each.
cp_status cp_compute_masked_parts(cp_context *ctx, cp_node *root) {
  cp_status status = CP_OK;
  for (cp_node *n; root->masked && status == CP_OK && (n = find_masked(ctx, root)) != NULL;) {
    cp_node_retain(n);
    status = take_elements(ctx, n);
    cp_node_release(n);
  }
  if (status == CP_OK) root->masked = false;
  return status;
}

// ---- spreading ----------------------------------------------------------------------------------------------------

enum { MOST = CP_BOUND_OPS + CP_BOUND_LEAVES + CP_BOUND_SCALARS };

// The nodes of an expression, and what becomes of each. Results have a reference.
typedef struct spread {
  int count;
  int64_t length; // of what the mask takes
  cp_node *from[MOST], *to[MOST];
} spread;

static bool same_view(const cp_node *leaf, const cp_array *a) {
  cp_region of_leaf = cp_leaf_region(leaf), of_array = cp_array_region(a);
  return cp_regions_equal(&of_leaf, &of_array);
}

// Whether n may be a part of an expression over the whole arrays; *inner: its arguments are asked too.
static bool spreads(const cp_node *n, const cp_array *mask, const cp_array *target, bool *inner) {
  *inner = n->kind == CP_NODE_OP && n->op != CP_OP_masked && n->ndim > 0;
  if (n->ndim > 1) return false;
  if (n->ndim == 0 || n->kind == CP_NODE_SCALAR || *inner) return true;
  return n->op == CP_OP_masked && n->kind == CP_NODE_OP && same_view(n->args[1], mask) &&
         cp_shape_equal(n->args[0]->ndim, n->args[0]->dims, target->ndim, target->shape);
}

static bool collect(cp_context *ctx, spread *s, cp_node *root, const cp_array *mask, const cp_array *target) {
  cp_walk walk;
  bool inner;
  cp_walk_begin(&walk, ctx);
  cp_walk_push(&walk, root);
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (s->count == MOST || !spreads(n, mask, target, &inner)) return false;
    if (n->op == CP_OP_masked) s->length = n->dims[0];
    s->from[s->count] = n;
    s->to[s->count++] = NULL;
    if (inner) cp_walk_push_args(&walk, n);
  }
  return root->dims[0] == s->length;
}

static cp_node *result_of(const spread *s, const cp_node *n) {
  for (int k = 0; k < s->count; k++)
    if (s->from[k] == n) return s->to[k];
  return NULL;
}

// The k-th node over the whole arrays, once its arguments are; *out stays NULL before.
static cp_status spread_one(const spread *s, int k, cp_node **out) {
  cp_node *n = s->from[k], *args[CP_MAX_ARGS];
  if (n->kind == CP_NODE_SCALAR && n->ndim > 0) return cp_node_scalar(n->u.scalar, out);
  if (n->ndim == 0 || n->op == CP_OP_masked) {
    *out = n->ndim == 0 ? n : n->args[0];
    cp_node_retain(*out);
    return CP_OK;
  }
  for (int a = 0; a < n->nargs; a++)
    if ((args[a] = result_of(s, n->args[a])) == NULL) return CP_OK;
  for (int a = 0; a < n->nargs; a++) cp_node_retain(args[a]);
  return cp_node_remake(n, args, out);
}

cp_status cp_spread(cp_context *ctx, cp_node *root, const cp_array *mask, const cp_array *target,
                    cp_node **out) {
  spread s = {0};
  cp_status status = CP_OK;
  *out = NULL;
  if (!root->masked || !collect(ctx, &s, root, mask, target)) return CP_OK;
  for (int done = 0; done < s.count && status == CP_OK;)
    for (int k = s.count - 1; k >= 0 && status == CP_OK; k--) {
      if (s.to[k] != NULL) continue;
      status = spread_one(&s, k, &s.to[k]);
      done += s.to[k] != NULL;
    }
  if (status == CP_OK) {
    *out = result_of(&s, root);
    cp_node_retain(*out);
  }
  for (int k = 0; k < s.count; k++) cp_node_release(s.to[k]);
  return status;
}
