// Makes expressions for views (viewed.h).
#include "lazy/expression/viewed.h"

#include <string.h>

enum { MOST_NODES = 192 };

// A group of the value's axes that the value's memory and each leaf take as one axis.
typedef struct group {
  int axis; // its innermost axis
  int64_t length, stride, start;
} group;

typedef struct viewing {
  const cp_node *of;
  const cp_array *view;
  int ngroups, count;
  bool functions;
  group groups[CP_MAXDIM];             // the outermost in memory first
  int64_t steps[CP_MAXDIM][CP_MAXDIM]; // along each axis of the view, in each group
  // The nodes of the expression, arguments before what is made of them; node->mark is the place of each.
  cp_node *nodes[MOST_NODES], *made[MOST_NODES];
} viewing;

// ---- the nodes --------------------------------------------------------------------------------------------

static bool is_viewable(const cp_node *n) {
  if (n->kind == CP_NODE_LEAF) return n->u.leaf.moves == NULL;
  if (n->kind != CP_NODE_OP) return true;
  if (n->op >= CP_OP_cast)
    return n->op == CP_OP_cast || n->op == CP_OP_call; // beyond the table of operations
  return !cp_is_draw(n->op) && !cp_is_placeholder(n);
}

static void add_node(viewing *v, cp_node *n) {
  n->mark = v->count;
  v->functions = v->functions || (n->kind == CP_NODE_OP && (n->op == CP_OP_call || cp_is_long(n->op)));
  v->nodes[v->count++] = n;
}

// Lists the nodes; false if there are too many, or some cannot be viewed.
static bool list_nodes(viewing *v, cp_node *root) {
  cp_node *stack[MOST_NODES];
  int depth = 1;
  stack[0] = root;
  while (depth > 0) {
    cp_node *n = stack[depth - 1];
    int waiting = 0;
    if (!is_viewable(n)) return false;
    for (int k = n->nargs - 1; k >= 0 && n->mark < 0; k--) {
      if (n->args[k]->mark >= 0) continue;
      if (depth == MOST_NODES) return false;
      stack[depth++] = n->args[k];
      waiting++;
    }
    if (waiting > 0) continue;
    if (v->count == MOST_NODES) return false;
    if (n->mark < 0) add_node(v, n);
    depth--;
  }
  return true;
}

// ---- the groups -------------------------------------------------------------------------------------------

// n's axis that belongs to this axis of the value; negative: it has none. Shapes broadcast from the right.
static int own_axis(const viewing *v, const cp_node *n, int axis) { return axis - (v->of->ndim - n->ndim); }

static bool has_axis(const viewing *v, const cp_node *n, int axis) {
  int own = own_axis(v, n, axis);
  return own >= 0 && n->dims[own] != 1;
}

static bool has_strides(const cp_node *n) { return n->kind == CP_NODE_LEAF || n->kind == CP_NODE_INDEX; }

// Whether one axis can take the place of `outer` and `inner` in n.
static bool joins(const viewing *v, const cp_node *n, int outer, int inner) {
  if (has_axis(v, n, outer) != has_axis(v, n, inner)) return false;
  if (!has_strides(n) || !has_axis(v, n, outer)) return true;
  const int64_t *strides = cp_node_strides(n);
  return strides[own_axis(v, n, outer)] == strides[own_axis(v, n, inner)] * v->of->dims[inner];
}

static bool all_join(const viewing *v, int outer, int inner) {
  for (int k = 0; k < v->count; k++)
    if (!joins(v, v->nodes[k], outer, inner)) return false;
  return true;
}

static void find_groups(viewing *v) {
  int order[CP_MAXDIM];
  const cp_node *of = v->of;
  const int64_t *strides = cp_node_strides(of);
  cp_stride_order(of->ndim, of->dims, 1, &strides, order);
  v->ngroups = 0;
  for (int k = 0; k < of->ndim; k++) {
    const int axis = order[k];
    if (of->dims[axis] == 1) continue;
    group *last = v->ngroups > 0 ? &v->groups[v->ngroups - 1] : NULL;
    if (last == NULL || !all_join(v, last->axis, axis)) {
      last = &v->groups[v->ngroups++];
      last->length = 1;
    }
    last->axis = axis;
    last->length *= of->dims[axis];
    last->stride = strides[axis];
  }
}

// ---- positions --------------------------------------------------------------------------------------------

// Writes a distance in memory as steps along the groups.
static bool split(const viewing *v, int64_t bytes, int64_t *steps) {
  for (int g = 0; g < v->ngroups; g++) {
    steps[g] = bytes / v->groups[g].stride;
    bytes -= steps[g] * v->groups[g].stride;
  }
  return bytes == 0;
}

// Finds the view's steps. They are right if all positions lie within the groups, as each element has one
// position only.
static bool find_steps(viewing *v) {
  const cp_array *view = v->view;
  int64_t start[CP_MAXDIM];
  if (!split(v, view->offset, start)) return false;
  for (int j = 0; j < view->ndim; j++)
    if (!split(v, view->shape[j] > 1 ? view->strides[j] : 0, v->steps[j])) return false;
  for (int g = 0; g < v->ngroups; g++) {
    int64_t low = start[g], high = start[g];
    for (int j = 0; j < view->ndim; j++) {
      int64_t reach = v->steps[j][g] * (view->shape[j] - 1);
      *(reach < 0 ? &low : &high) += reach;
    }
    if (low < 0 || high >= v->groups[g].length) return false;
    v->groups[g].start = start[g];
  }
  return true;
}

// ---- another expression -----------------------------------------------------------------------------------

static bool is_whole(const viewing *v, const cp_node *n) {
  return cp_shape_equal(n->ndim, n->dims, v->of->ndim, v->of->dims);
}

// Whether n, which may be broadcast, has other elements along an axis of the view.
static bool varies(const viewing *v, const cp_node *n, int j) {
  for (int g = 0; g < v->ngroups; g++)
    if (v->steps[j][g] != 0 && has_axis(v, n, v->groups[g].axis)) return true;
  return false;
}

static void new_shape(const viewing *v, const cp_node *n, int64_t *shape) {
  const bool whole = is_whole(v, n);
  for (int j = 0; j < v->view->ndim; j++) shape[j] = whole || varies(v, n, j) ? v->view->shape[j] : 1;
}

// The strides of n, a leaf or an index, along the view's axes, and how far its first element is moved.
static int64_t new_strides(const viewing *v, const cp_node *n, int64_t *strides) {
  const int64_t *own = cp_node_strides(n);
  int64_t moved = 0;
  memset(strides, 0, (size_t)v->view->ndim * sizeof *strides);
  for (int g = 0; g < v->ngroups; g++) {
    if (!has_axis(v, n, v->groups[g].axis)) continue;
    const int64_t stride = own[own_axis(v, n, v->groups[g].axis)];
    moved += v->groups[g].start * stride;
    for (int j = 0; j < v->view->ndim; j++) strides[j] += v->steps[j][g] * stride;
  }
  return moved;
}

static cp_status make_operation(const viewing *v, const cp_node *n, const int64_t *shape, cp_node **out) {
  cp_node *args[CP_MAX_ARGS];
  for (int k = 0; k < n->nargs; k++) {
    args[k] = v->made[n->args[k]->mark];
    cp_node_retain(args[k]);
  }
  return cp_node_remake_as(n, args, v->view->ndim, shape, out);
}

static cp_status make_node(const viewing *v, cp_node *n, cp_node **out) {
  int64_t shape[CP_MAXDIM], strides[CP_MAXDIM], moved;
  const int ndim = v->view->ndim;
  if (n->ndim == 0) {
    cp_node_retain(n);
    *out = n;
    return CP_OK;
  }
  new_shape(v, n, shape);
  switch (n->kind) {
  case CP_NODE_SCALAR: return cp_node_constant(n->device, n->u.scalar, ndim, shape, 'C', out);
  case CP_NODE_INDEX:
    moved = new_strides(v, n, strides);
    return cp_node_index(n->device, ndim, shape, n->u.start + moved, strides, out);
  case CP_NODE_LEAF:
    moved = new_strides(v, n, strides);
    return cp_node_leaf_at(n, n->u.leaf.offset + moved, ndim, shape, strides, out);
  default: return make_operation(v, n, shape, out);
  }
}

// Notes that functions of values that arrays wait for may be computed twice: by the view and by themselves.
static void mark_read(const viewing *v) {
  for (int k = 0; k < v->count - 1; k++)
    if (v->nodes[k]->awaited && v->nodes[k]->weight.functions > 0) v->nodes[k]->read = true;
}

// Makes the new nodes. The last one is the root.
static cp_status make_nodes(viewing *v, cp_node **out) {
  cp_status status = CP_OK;
  int made = 0;
  while (made < v->count && status == CP_OK) {
    status = make_node(v, v->nodes[made], &v->made[made]);
    made += status == CP_OK;
  }
  if (status == CP_OK) {
    *out = v->made[made - 1];
    cp_node_retain(*out);
  }
  while (made > 0) cp_node_release(v->made[--made]);
  return status;
}

cp_status cp_node_viewed(cp_node *n, const cp_array *view, cp_viewed *out) {
  viewing v;
  v.of = n;
  v.view = view;
  v.count = 0;
  v.functions = false;
  out->node = NULL;
  cp_status status = CP_OK;
  bool possible = view->size > 0 && view->dtype == n->dtype && list_nodes(&v, n);
  if (possible) {
    find_groups(&v);
    possible = find_steps(&v);
  }
  if (possible) status = make_nodes(&v, &out->node);
  if (out->node != NULL) mark_read(&v);
  for (int k = 0; k < v.count; k++) v.nodes[k]->mark = -1;
  out->functions = v.functions;
  return status;
}
