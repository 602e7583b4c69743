// Finds the domain of an expression's reductions (domain.h).
#include "lazy/expression/domain.h"

#include "lazy/expression/graph.h"

typedef enum way { BROADCAST, KEPT } way;

typedef struct finder {
  cp_domain *d;
  cp_walk walk; // node->way says of each node that it has seen how its value is spread
} finder;

static void set_domain(cp_domain *d, const cp_node *reduction) {
  const cp_node *arg = reduction->args[0];
  d->ndim = arg->ndim;
  d->axes = reduction->u.reduction.axes;
  d->nkept = 0;
  d->inner = 1;
  cp_copy_lengths(d->shape, arg->dims, arg->ndim);
  for (int a = 0; a < arg->ndim; a++)
    if (d->axes >> a & 1)
      d->inner *= arg->dims[a];
    else
      d->kept[d->nkept++] = arg->dims[a];
}

// Whether n may contain a reduction, or something that no plan can compute.
static bool may_reduce(const cp_node *n) { return n->reduces || n->apart || n->traced; }

static void push_reducing(cp_walk *walk, int count, cp_node *const *nodes) {
  for (int k = count - 1; k >= 0; k--)
    if (may_reduce(nodes[k])) cp_walk_push(walk, nodes[k]);
}

// Finds the reductions; false if they have different domains.
static bool find_reductions(cp_context *ctx, int count, cp_node *const *roots, cp_domain *d) {
  cp_walk walk;
  d->nreductions = 0;
  d->foreign = NULL;
  cp_walk_begin(&walk, ctx);
  for (int k = 0; k < count; k++) push_reducing(&walk, 1, &roots[k]);
  for (cp_node *n = cp_walk_next(&walk); n != NULL; n = cp_walk_next(&walk)) {
    if (n->kind != CP_NODE_OP) continue;
    if (n->op == CP_OP_masked || n->op == CP_OP_product || cp_is_placeholder(n)) return false;
    if (n->op == CP_OP_reduce) {
      const cp_node *arg = n->args[0];
      if (d->nreductions++ == 0) set_domain(d, n);
      if (d->axes != n->u.reduction.axes || !cp_shape_equal(arg->ndim, arg->dims, d->ndim, d->shape)) {
        d->foreign = n;
        return false;
      }
    }
    push_reducing(&walk, n->nargs, n->args);
  }
  return d->nreductions > 0;
}

// Whether this shape is that of the domain's axes, with reduced ones of length 1; leading ones may lack.
static bool has_row_shape(const cp_domain *d, int ndim, const int64_t *dims) {
  for (int k = 1; k <= d->ndim; k++) {
    int axis = d->ndim - k;
    int64_t wanted = d->axes >> axis & 1 ? 1 : d->shape[axis];
    if ((k <= ndim ? dims[ndim - k] : 1) != wanted) return false;
  }
  return ndim <= d->ndim;
}

static bool add(finder *f, cp_node *n, way w) {
  if (n->epoch == f->walk.epoch) return n->way == (int)w || n->ndim == 0;
  if (f->walk.depth == CP_MAX_WALK) return false;
  if (n->op == CP_OP_reduce && n->kind == CP_NODE_OP && n->ndim > 0) {
    bool fits = w == KEPT ? cp_shape_equal(n->ndim, n->dims, f->d->nkept, f->d->kept)
                          : has_row_shape(f->d, n->ndim, n->dims);
    if (!fits) return false;
  }
  cp_walk_push(&f->walk, n);
  n->way = (signed char)w;
  if (w == BROADCAST || n->ndim == 0) return true;
  if (f->d->nnodes == CP_MAX_DOMAIN_NODES) return false;
  f->d->nodes[f->d->nnodes++] = n;
  return true;
}

static bool add_root(finder *f, cp_node *root) {
  const cp_domain *d = f->d;
  if (cp_shape_equal(root->ndim, root->dims, d->ndim, d->shape)) return add(f, root, BROADCAST);
  if (cp_shape_equal(root->ndim, root->dims, d->nkept, d->kept)) return add(f, root, KEPT);
  return root->ndim == d->ndim && has_row_shape(d, root->ndim, root->dims) && add(f, root, BROADCAST);
}

// Decides for each node how its value is spread.
static bool find_ways(finder *f, int count, cp_node *const *roots) {
  for (int k = 0; k < count; k++)
    if (!add_root(f, roots[k])) return false;
  if (f->d->nkept == 0) return true; // a value of each row is a single number, which spreads either way
  for (cp_node *n = cp_walk_next(&f->walk); n != NULL; n = cp_walk_next(&f->walk)) {
    // The argument of a reduction has the domain's shape.
    way w = n->op == CP_OP_reduce ? BROADCAST : (way)n->way;
    for (int k = cp_first_operand(n); k < n->nargs; k++)
      if (!add(f, n->args[k], w)) return false;
  }
  return true;
}

bool cp_find_domain(cp_context *ctx, int count, cp_node *const *roots, cp_domain *d) {
  finder f;
  if (!find_reductions(ctx, count, roots, d)) return false;
  f.d = d;
  cp_walk_begin(&f.walk, ctx);
  d->nnodes = 0;
  return find_ways(&f, count, roots);
}

bool cp_share_domain(cp_context *ctx, int count, cp_node *const *roots, cp_domain *d) {
  return find_reductions(ctx, count, roots, d);
}

bool cp_is_kept_shape(const cp_domain *d, const cp_node *n) {
  for (int k = 0; k < d->nnodes; k++)
    if (d->nodes[k] == n) return true;
  return false;
}

void cp_domain_strides(const cp_domain *d, bool kept, int ndim, const int64_t *shape, const int64_t *own,
                       int64_t *strides) {
  int64_t along[CP_MAXDIM];
  if (!kept) {
    cp_broadcast_strides(d->ndim, d->shape, ndim, shape, own, strides);
    return;
  }
  cp_broadcast_strides(d->nkept, d->kept, ndim, shape, own, along);
  for (int a = 0, next = 0; a < d->ndim; a++) strides[a] = d->axes >> a & 1 ? 0 : along[next++];
}
