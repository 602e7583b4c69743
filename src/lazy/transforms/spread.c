// Rebuilds an expression on masked elements node by node over the whole arrays (spread.h).
#include "lazy/transforms/spread.h"

#include "lazy/expression/graph.h"

enum { MOST = CP_BOUND_OPS + CP_BOUND_LEAVES + CP_BOUND_SCALARS };

// The nodes of an expression, and the node that replaces each. The new nodes have a reference each.
typedef struct spread {
  int count;
  int64_t length; // number of elements that the mask selects
  cp_node *from[MOST], *to[MOST];
} spread;

static bool same_view(const cp_node *leaf, const cp_array *a) {
  cp_region of_leaf = cp_leaf_region(leaf), of_array = cp_array_region(a);
  return cp_regions_equal(&of_leaf, &of_array);
}

// Whether n may be part of an expression over the whole arrays. Sets *inner if its arguments must be checked
// too.
static bool spreads(const cp_node *n, const cp_array *mask, const cp_array *target, bool *inner) {
  *inner = n->kind == CP_NODE_OP && n->op != CP_OP_masked && n->ndim > 0;
  if (n->ndim > 1 || cp_is_product(n) || (n->ndim > 0 && cp_is_reduction(n))) return false;
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

// Makes the k-th node over the whole arrays. *out stays NULL if its arguments have not been made yet.
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
  if (!root->apart || !collect(ctx, &s, root, mask, target)) return CP_OK;
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
