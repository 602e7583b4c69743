// Makes expressions for views (viewed.h).
#include "lazy/transforms/viewed.h"

#include "lazy/transforms/copying.h"

#include <string.h>

// A group of the value's axes that the value's memory and each leaf take as one axis.
typedef struct group {
  int axis; // its innermost axis
  int64_t length, stride, start;
} group;

// An axis of the view that runs through a group again and again, each time at the next position of the group
// outside of it.
typedef struct carry {
  int axis, group; // axis: -1: there is none
  int64_t length;  // positions of the axis each time
} carry;

typedef struct viewing {
  const cp_node *of;
  const cp_array *view;
  int ngroups;
  group groups[CP_MAXDIM];             // the outermost in memory first
  int64_t steps[CP_MAXDIM][CP_MAXDIM]; // along each axis of the view, in each group
  carry carry;
  cp_copying copy;
} viewing;

// ---- the groups -------------------------------------------------------------------------------------------

// n's axis that belongs to this axis of the value; negative: it has none. Shapes broadcast from the right.
static int own_axis(const viewing *v, const cp_node *n, int axis) { return axis - (v->of->ndim - n->ndim); }

static bool has_axis(const viewing *v, const cp_node *n, int axis) {
  int own = own_axis(v, n, axis);
  return own >= 0 && n->dims[own] != 1;
}

static bool has_strides(const cp_node *n) { return n->kind == CP_NODE_LEAF || n->kind == CP_NODE_INDEX; }

// n's move along an axis of the value, or NULL.
static const cp_move *move_along(const viewing *v, const cp_node *n, int axis) {
  return n->kind == CP_NODE_LEAF && has_axis(v, n, axis) ? cp_leaf_move(n, own_axis(v, n, axis)) : NULL;
}

// Whether one axis can take the place of `outer` and `inner` in n.
static bool joins(const viewing *v, const cp_node *n, int outer, int inner) {
  if (has_axis(v, n, outer) != has_axis(v, n, inner)) return false;
  if (move_along(v, n, outer) != NULL || move_along(v, n, inner) != NULL) return false;
  if (!has_strides(n) || !has_axis(v, n, outer)) return true;
  const int64_t *strides = cp_node_strides(n);
  return strides[own_axis(v, n, outer)] == strides[own_axis(v, n, inner)] * v->of->dims[inner];
}

static bool all_join(const viewing *v, int outer, int inner) {
  for (int k = 0; k < v->copy.count; k++)
    if (!joins(v, v->copy.nodes[k], outer, inner)) return false;
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

static int64_t reach_of(const viewing *v, int axis, int g) {
  return v->steps[axis][g] * (v->view->shape[axis] - 1);
}

// The lowest and the highest position in a group, without what this axis of the view adds (-1: with all).
static void find_range(const viewing *v, int g, int without, int64_t *low, int64_t *high) {
  *low = *high = v->groups[g].start;
  for (int j = 0; j < v->view->ndim; j++)
    if (j != without) *(v->steps[j][g] < 0 ? low : high) += reach_of(v, j, g);
}

// Finds an axis that leaves the group g for the next positions of the one outside: its step divides the
// group, and the other axes stay within a step.
static bool find_carry(viewing *v, int g) {
  int64_t low, high;
  if (g == 0 || v->groups[g - 1].stride != v->groups[g].stride * v->groups[g].length) return false;
  for (int j = 0; j < v->view->ndim && v->carry.axis < 0; j++) {
    const int64_t step = v->steps[j][g], length = v->groups[g].length;
    if (step <= 0 || v->steps[j][g - 1] != 0 || length % step != 0) continue;
    find_range(v, g, j, &low, &high);
    if (low >= 0 && high < step) v->carry = (carry){j, g, length / step};
  }
  return v->carry.axis >= 0 && v->carry.group == g;
}

// How many positions of the group outside the carrying axis passes.
static int64_t carried(const viewing *v) { return (v->view->shape[v->carry.axis] - 1) / v->carry.length + 1; }

// Finds the view's steps. They are right if all positions lie within the groups, as each element has one
// position only.
static bool find_steps(viewing *v) {
  const cp_array *view = v->view;
  int64_t start[CP_MAXDIM], low, high;
  v->carry = (carry){-1, 0, 0};
  if (!split(v, view->offset, start)) return false;
  for (int j = 0; j < view->ndim; j++)
    if (!split(v, view->shape[j] > 1 ? view->strides[j] : 0, v->steps[j])) return false;
  for (int g = v->ngroups - 1; g >= 0; g--) { // the innermost first, whose axes may carry
    v->groups[g].start = start[g];
    find_range(v, g, -1, &low, &high);
    if (v->carry.axis >= 0 && v->carry.group == g + 1) high += carried(v) - 1;
    if (low >= 0 && high < v->groups[g].length) continue;
    if (!find_carry(v, g)) return false;
  }
  return true;
}

// Whether n has elements for the group outside only, each of which the carrying axis repeats.
static bool is_repeated(const viewing *v, const cp_node *n) {
  const int g = v->carry.group;
  return v->carry.axis >= 0 && has_axis(v, n, v->groups[g - 1].axis) && !has_axis(v, n, v->groups[g].axis);
}

// Whether n's elements lie evenly along the carrying axis.
static bool is_even(const viewing *v, const cp_node *n) {
  const int g = v->carry.group, inner = v->groups[g].axis, outer = v->groups[g - 1].axis;
  const int64_t *strides = cp_node_strides(n);
  if (has_axis(v, n, inner) != has_axis(v, n, outer)) return false;
  return !has_axis(v, n, inner) ||
         strides[own_axis(v, n, outer)] == strides[own_axis(v, n, inner)] * v->groups[g].length;
}

// Whether one stride, or a repetition, describes each leaf and index along the carrying axis.
static bool all_carry(const viewing *v) {
  if (v->copy.moves) return false;
  for (int k = 0; k < v->copy.count; k++) {
    const cp_node *n = v->copy.nodes[k];
    if (has_strides(n) && !is_even(v, n) && !(is_repeated(v, n) && n->kind == CP_NODE_LEAF)) return false;
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
  return j == v->carry.axis && is_repeated(v, n);
}

static void new_shape(const void *how, const cp_node *n, int64_t *shape) {
  const viewing *v = how;
  const bool whole = is_whole(v, n);
  for (int j = 0; j < v->view->ndim; j++) shape[j] = whole || varies(v, n, j) ? v->view->shape[j] : 1;
}

// The axis of the view that runs along group g; -1: none does. False if several do, or one runs along another
// group too, or backwards, or leaves elements out.
static bool find_running(const viewing *v, int g, int *axis) {
  *axis = -1;
  for (int j = 0; j < v->view->ndim; j++) {
    if (v->steps[j][g] == 0) continue;
    if (v->steps[j][g] != 1 || *axis >= 0) return false;
    for (int h = 0; h < v->ngroups; h++)
      if (h != g && v->steps[j][h] != 0) return false;
    *axis = j;
  }
  return true;
}

// How far n's first element is moved along group g, which is one of its axes: where the view runs along an
// axis with a move, that is left to the move.
static int64_t new_start(const viewing *v, const cp_node *n, int g) {
  int running;
  const cp_move *move = move_along(v, n, v->groups[g].axis);
  if (move == NULL) return v->groups[g].start;
  return find_running(v, g, &running) && running < 0 ? cp_moved(move, v->groups[g].start) : 0;
}

// The strides of n, a leaf or an index, along the view's axes, and how far its first element is moved.
static int64_t new_strides(const viewing *v, const cp_node *n, int64_t *strides) {
  const int64_t *own = cp_node_strides(n);
  int64_t moved = 0;
  memset(strides, 0, (size_t)v->view->ndim * sizeof *strides);
  for (int g = 0; g < v->ngroups; g++) {
    if (!has_axis(v, n, v->groups[g].axis)) continue;
    const int64_t stride = own[own_axis(v, n, v->groups[g].axis)];
    moved += new_start(v, n, g) * stride;
    for (int j = 0; j < v->view->ndim; j++) strides[j] += v->steps[j][g] * stride;
  }
  return moved;
}

// Whether the moves of all leaves can be those of the view's axes.
static bool can_move(const viewing *v) {
  int axis;
  for (int k = 0; k < v->copy.count; k++)
    for (int g = 0; g < v->ngroups; g++)
      if (move_along(v, v->copy.nodes[k], v->groups[g].axis) != NULL && !find_running(v, g, &axis))
        return false;
  return true;
}

// Gives *leaf, made of n, the moves of n, which begin where the view does.
static cp_status add_moves(const viewing *v, const cp_node *n, cp_node **leaf) {
  for (int g = 0; g < v->ngroups; g++) {
    const cp_move *old = move_along(v, n, v->groups[g].axis);
    int axis = -1;
    if (old == NULL || !find_running(v, g, &axis) || axis < 0) continue;
    cp_node *before = *leaf;
    cp_move move = *old;
    move.dim = axis;
    move.shift += v->groups[g].start;
    cp_status status = cp_node_moved(before, &move, v->view->shape[axis], leaf);
    cp_node_release(before);
    CP_TRY(status);
  }
  return CP_OK;
}

// Makes a leaf that repeats n's elements along the carrying axis.
static cp_status make_repeated(const viewing *v, const cp_node *n, int64_t offset, int64_t *shape,
                               int64_t *strides, cp_node **out) {
  const int axis = v->carry.axis;
  const cp_move repeat = {CP_MOVE_REPEAT, axis, 0, v->carry.length, carried(v)};
  const int64_t length = shape[axis];
  cp_node *still;
  strides[axis] = cp_node_strides(n)[own_axis(v, n, v->groups[v->carry.group - 1].axis)];
  shape[axis] = repeat.extent;
  CP_TRY(cp_node_leaf_at(n, offset, v->view->ndim, shape, strides, &still));
  cp_status status = cp_node_moved(still, &repeat, length, out);
  cp_node_release(still);
  return status;
}

static cp_status make_leaf(const void *how, cp_node *n, cp_node **out) {
  const viewing *v = how;
  const int ndim = v->view->ndim;
  int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
  new_shape(v, n, shape);
  const int64_t moved = new_strides(v, n, strides);
  if (n->kind == CP_NODE_INDEX)
    return cp_node_index(n->device, ndim, shape, n->u.start + moved, strides, out);
  if (is_repeated(v, n)) return make_repeated(v, n, n->u.leaf.offset + moved, shape, strides, out);
  CP_TRY(cp_node_leaf_at(n, n->u.leaf.offset + moved, ndim, shape, strides, out));
  return n->u.leaf.moves != NULL ? add_moves(v, n, out) : CP_OK;
}

cp_status cp_node_viewed(cp_node *n, const cp_array *view, cp_viewed *out) {
  viewing v;
  v.of = n;
  v.view = view;
  out->node = NULL;
  cp_status status = CP_OK;
  bool possible = cp_copying_begin(&v.copy, n) && view->size > 0 && view->dtype == n->dtype;
  if (possible) {
    find_groups(&v);
    possible = find_steps(&v) && (!v.copy.moves || can_move(&v)) && (v.carry.axis < 0 || all_carry(&v));
  }
  if (possible) status = cp_copying_make(&v.copy, view->ndim, new_shape, make_leaf, &v, &out->node);
  if (out->node != NULL) cp_copying_mark_read(&v.copy, false);
  out->functions = v.copy.functions;
  cp_copying_end(&v.copy);
  return status;
}
