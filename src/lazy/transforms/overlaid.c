// Makes expressions for values of which a part has been replaced (overlaid.h).
#include "lazy/transforms/overlaid.h"

#include "lazy/transforms/copying.h"

#include <string.h>

// The box along an axis of the value.
typedef struct range {
  int64_t first, count;
  int axis; // of the view; negative: none, then count is 1
} range;

typedef struct overlay {
  const cp_node *of;
  int view_ndim;
  range ranges[CP_MAXDIM];
} overlay;

// ---- the box ----------------------------------------------------------------------------------------------

static bool is_partial(const overlay *o, int axis) { return o->ranges[axis].count != o->of->dims[axis]; }

// Finds the axis of a along which the view's axis runs, a step at a time.
static bool find_axis(overlay *o, const cp_array *a, const cp_array *view, int j) {
  for (int d = 0; d < a->ndim; d++) {
    range *r = &o->ranges[d];
    if (a->shape[d] == 1 || a->strides[d] != view->strides[j]) continue;
    if (r->axis >= 0 || r->first + view->shape[j] > a->shape[d]) return false;
    r->axis = j;
    r->count = view->shape[j];
    return true;
  }
  return false;
}

static bool find_box(overlay *o, const cp_array *a, const cp_array *view) {
  int order[CP_MAXDIM];
  const int64_t *strides = a->strides;
  int64_t bytes = view->offset;
  cp_stride_order(a->ndim, a->shape, 1, &strides, order);
  for (int k = 0; k < a->ndim; k++) {
    const int d = order[k];
    const int64_t first = a->shape[d] > 1 ? bytes / strides[d] : 0;
    o->ranges[d] = (range){.first = first, .count = 1, .axis = -1};
    bytes -= first * strides[d];
  }
  if (bytes != 0) return false;
  for (int j = 0; j < view->ndim; j++)
    if (view->shape[j] > 1 && !find_axis(o, a, view, j)) return false;
  return true;
}

// ---- the new value in the shape of the old one ------------------------------------------------------------

// n's axis that belongs to an axis of the value along which n has several elements; negative: there is none.
// Shapes broadcast from the right.
static int own_axis(const overlay *o, const cp_node *n, int axis) {
  const int own = o->ranges[axis].axis - (o->view_ndim - n->ndim);
  return o->ranges[axis].axis >= 0 && own >= 0 && n->dims[own] != 1 ? own : -1;
}

static void new_shape(const void *how, const cp_node *n, int64_t *shape) {
  const overlay *o = how;
  for (int d = 0; d < o->of->ndim; d++) shape[d] = own_axis(o, n, d) >= 0 ? o->of->dims[d] : 1;
}

static void new_strides(const overlay *o, const cp_node *n, int64_t *strides) {
  for (int d = 0; d < o->of->ndim; d++) {
    const int own = own_axis(o, n, d);
    strides[d] = own >= 0 ? cp_node_strides(n)[own] : 0;
  }
}

static cp_status make_index(const overlay *o, const cp_node *n, cp_node **out) {
  int64_t shape[CP_MAXDIM], steps[CP_MAXDIM], start = n->u.start;
  new_shape(o, n, shape);
  new_strides(o, n, steps);
  for (int d = 0; d < o->of->ndim; d++) start -= o->ranges[d].first * steps[d];
  return cp_node_index(n->device, o->of->ndim, shape, start, steps, out);
}

// A leaf that is read in the box, and outside of it at the nearest position.
static cp_status make_leaf(const void *how, cp_node *n, cp_node **out) {
  const overlay *o = how;
  int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
  if (n->kind == CP_NODE_INDEX) return make_index(o, n, out);
  for (int d = 0; d < o->of->ndim; d++) shape[d] = own_axis(o, n, d) >= 0 ? o->ranges[d].count : 1;
  new_strides(o, n, strides);
  CP_TRY(cp_node_leaf_at(n, n->u.leaf.offset, o->of->ndim, shape, strides, out));
  for (int d = 0; d < o->of->ndim; d++) {
    const range *r = &o->ranges[d];
    if (own_axis(o, n, d) < 0 || !is_partial(o, d)) continue;
    cp_node *leaf = *out;
    const cp_move clamp = {CP_MOVE_CLAMP, d, -r->first, r->count, r->count};
    cp_status status = cp_node_moved(leaf, &clamp, o->of->dims[d], out);
    cp_node_release(leaf);
    CP_TRY(status);
  }
  return CP_OK;
}

// ---- inside or outside ------------------------------------------------------------------------------------

// op of *n and a number of its dtype, in place of *n, whose reference it takes.
static cp_status apply(cp_op op, cp_node **n, int64_t number) {
  cp_node *args[2] = {*n, NULL};
  cp_status status = cp_node_scalar(cp_scalar_int(number, args[0]->dtype), &args[1]);
  if (status != CP_OK)
    cp_node_release(args[0]);
  else
    status = cp_node_op(op, args, n);
  return status;
}

// Whether a position along an axis is in the box: position - first < count, without a sign. 32 bits are
// enough for most axes, and compared in fewer instructions.
static cp_status make_within(const overlay *o, int axis, cp_node **out) {
  const range *r = &o->ranges[axis];
  int64_t shape[CP_MAXDIM], steps[CP_MAXDIM] = {0};
  for (int d = 0; d < o->of->ndim; d++) shape[d] = d == axis ? o->of->dims[d] : 1;
  steps[axis] = 1;
  CP_TRY(cp_node_index(o->of->device, o->of->ndim, shape, 0, steps, out));
  CP_TRY(cp_node_cast(*out, shape[axis] <= UINT32_MAX ? CP_UINT32 : CP_UINT64, out));
  if (r->count == 1) return apply(CP_OP_equal, out, r->first);
  if (r->first > 0) CP_TRY(apply(CP_OP_subtract, out, r->first));
  return apply(CP_OP_less, out, r->count);
}

// Sets *out to whether a position is in the box; to NULL if each is.
static cp_status make_inside(const overlay *o, cp_node **out) {
  cp_node *args[2];
  *out = NULL;
  for (int d = 0; d < o->of->ndim; d++) {
    if (!is_partial(o, d)) continue;
    args[0] = *out;
    cp_status status = make_within(o, d, &args[1]);
    if (status != CP_OK) {
      if (args[0] != NULL) cp_node_release(args[0]);
      return status;
    }
    *out = args[1];
    if (args[0] != NULL) CP_TRY(cp_node_op(CP_OP_logical_and, args, out));
  }
  return CP_OK;
}

// ---- the expression ---------------------------------------------------------------------------------------

// Whether the new value may be computed everywhere: if the box is a good part of the whole, or it takes a few
// operations.
static bool is_worth_it(const cp_node *n, const cp_array *view, const cp_node *value, bool functions) {
  enum { FEW = 4 };
  int64_t size = 1;
  for (int d = 0; d < n->ndim; d++) size *= n->dims[d];
  return 2 * view->size >= size || (!functions && value->weight.ops <= FEW);
}

// where(inside, value, n), in n's order. Takes the references of inside and value. The masks of positions,
// which neighbours share, and the choice count as two steps: so four or five neighbours in a padded array are
// read in one kernel, which takes 0.62 of the time; of nine or more, another kernel pads first.
enum { CHOICE = 2 };
static cp_status choose(cp_node *n, const cp_array *a, cp_node *inside, cp_node *value, cp_node **out) {
  cp_node *args[3] = {inside, value, n};
  cp_node_retain(n);
  CP_TRY(cp_node_op(CP_OP_where, args, out));
  (*out)->steps = (short)(value->steps + n->steps + CHOICE);
  cp_copy_lengths(cp_node_strides(*out), a->strides, a->ndim);
  return CP_OK;
}

cp_status cp_node_overlaid(cp_node *n, const cp_array *a, const cp_array *view, cp_node *value,
                           cp_node **out) {
  overlay o = {.of = n, .view_ndim = view->ndim};
  cp_copying copy;
  cp_node *inside = NULL, *fresh;
  *out = NULL;
  if (view->size == 0 || value->ndim > view->ndim || !find_box(&o, a, view)) return CP_OK;
  cp_status status = CP_OK;
  if (cp_copying_begin(&copy, value) && !copy.moves && !copy.lookups &&
      is_worth_it(n, view, value, copy.functions)) {
    status = make_inside(&o, &inside);
    if (status == CP_OK && inside != NULL) {
      status = cp_copying_make(&copy, n->ndim, new_shape, make_leaf, &o, &fresh);
      if (status != CP_OK)
        cp_node_release(inside);
      else
        status = choose(n, a, inside, fresh, out);
    }
    if (*out != NULL) cp_copying_mark_read(&copy, true);
  }
  cp_copying_end(&copy);
  return status;
}
