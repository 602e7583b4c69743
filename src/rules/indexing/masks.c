// Reads and writes the elements that a single mask selects (select.h). Counting and moving them is done by
// lazy/work/mask.h and lazy/arrays/gather.h.
#include "array/view.h"
#include "lazy/arrays/assign.h"
#include "lazy/arrays/pending.h"
#include "lazy/evaluation/bounds.h"
#include "lazy/evaluation/force.h"
#include "lazy/transforms/spread.h"
#include "rules/indexing/lookup.h"

// Makes f->a a mask in memory, contiguous in C order, with at least one axis. It is a copy if it may overlap
// `apart` (which may be NULL).
static cp_status form_mask(cp_context *ctx, cp_form *f, const cp_array *apart) {
  cp_array *copy = &f->copy.a;
  CP_TRY(cp_force(ctx, f->a));
  bool fresh = !cp_array_contiguous(f->a, 'C') || (apart != NULL && cp_may_overlap(f->a, apart));
  if (!fresh && f->a->ndim > 0) return CP_OK;
  if (fresh)
    CP_TRY(cp_new_copy(ctx, f->a, 'C', copy));
  else
    cp_array_copy_view(copy, f->a);
  f->a = copy;
  if (copy->ndim > 0) return CP_OK;
  copy->ndim = 1;
  copy->shape[0] = copy->strides[0] = 1;
  return CP_OK;
}

static cp_status check_device(const cp_selection *c, const cp_array *mask) {
  if (mask->device == c->source->device) return CP_OK;
  return cp_fail(CP_EUSAGE, "the mask is on %s, the array on %s; move it with :to(\"%s\")",
                 mask->device->name, c->source->device->name, c->source->device->name);
}

// Whether the mask covers all axes, and the array's strides allow to view it with one axis; then *flat is
// that view.
static bool is_flat(const cp_selection *c, cp_array *flat) {
  const cp_array *all = c->all;
  if (c->kept->ndim > 0) return false;
  cp_view_start(flat, all);
  flat->ndim = 1;
  flat->size = flat->shape[0] = all->size;
  return cp_reshape_strides(all->ndim, all->shape, all->strides, 1, &all->size, cp_itemsize(all->dtype),
                            flat->strides);
}

// ---- reading ----------------------------------------------------------------------------------------------

static cp_status masked_node(cp_selection *c, cp_array *mask, int64_t count, cp_node **root) {
  cp_node *source = NULL, *leaf = NULL;
  CP_TRY(cp_node_leaf(c->all, &source));
  cp_status status = cp_node_leaf(mask, &leaf);
  if (status == CP_OK)
    return cp_node_apart(CP_OP_masked, 2, (cp_node *[]){source, leaf}, source->dtype, 1, &count, root);
  cp_node_release(source);
  return status;
}

cp_status cp_mask_read(cp_context *ctx, cp_selection *c, cp_node **root) {
  cp_array_local local;
  cp_form mask;
  int64_t count = 0;
  if (!is_flat(c, cp_array_local_init(&local))) return CP_OK;
  cp_begin_form(&mask, c->arrays[0].array);
  cp_status status = check_device(c, mask.a);
  if (status == CP_OK) status = form_mask(ctx, &mask, NULL);
  if (status == CP_OK) status = cp_mask_count(ctx, mask.a, &count, NULL);
  if (status == CP_OK) status = masked_node(c, mask.a, count, root);
  cp_end_form(&mask);
  return status;
}

static cp_status fill_positions(cp_context *ctx, cp_array *mask, bool rows, cp_array *positions) {
  cp_array_local local;
  cp_array *target = cp_array_local_init(&local);
  int64_t count = 0;
  CP_TRY(cp_mask_count(ctx, mask, &count, NULL));
  int64_t shape[2] = {rows ? count : mask->ndim, rows ? mask->ndim : count};
  CP_TRY(cp_new_array(ctx, positions, mask->device, CP_INT64, 2, shape));
  cp_view_start(target, positions);
  cp_view_axis(target, mask->ndim, positions->strides[rows]);
  cp_view_axis(target, count, positions->strides[!rows]);
  return cp_mask_move(ctx, CP_COMPACT_POSITIONS, mask, NULL, target);
}

cp_status cp_mask_positions(cp_context *ctx, cp_array *mask, bool rows, cp_array *positions) {
  cp_form f;
  cp_begin_form(&f, mask);
  cp_status status = form_mask(ctx, &f, NULL);
  if (status == CP_OK) status = fill_positions(ctx, f.a, rows, positions);
  cp_end_form(&f);
  return status;
}

cp_status cp_count_true(cp_context *ctx, cp_array *mask, int64_t *count) {
  cp_form f;
  cp_array_local local;
  cp_array *flat = cp_array_local_init(&local);
  cp_begin_form(&f, mask);
  cp_status status = form_mask(ctx, &f, NULL);
  if (status == CP_OK) {
    cp_view_start(flat, f.a);
    cp_view_axis(flat, f.a->size, 1);
    status = cp_mask_count(ctx, flat, count, NULL);
  }
  cp_end_form(&f);
  return status;
}

// ---- writing ----------------------------------------------------------------------------------------------

// The mask as a node, broadcast over all axes of the selection. If it covers all of them it may be pending.
static cp_status mask_node(cp_selection *c, cp_array *mask, cp_node **out) {
  cp_array_local local;
  cp_array *view = cp_array_local_init(&local);
  if (c->kept->ndim == 0) return cp_array_node(mask, out);
  int axis = 0;
  cp_view_start(view, mask);
  for (int d = 0; d < c->all->ndim; d++) {
    bool chosen = d >= c->place && d < c->place + c->nchosen && mask->ndim > 0;
    cp_view_axis(view, c->all->shape[d], chosen ? mask->strides[axis] : 0);
    axis += chosen;
  }
  return cp_node_leaf(view, out);
}

// Does all:assign(where(mask, value, all)). Takes value's reference.
static cp_status assign_where(cp_context *ctx, cp_selection *c, cp_array *mask, cp_node *value) {
  cp_node *args[3] = {NULL, NULL, NULL}, *root = NULL;
  CP_TRY(cp_node_cast(value, c->all->dtype, &args[1]));
  cp_status status = mask_node(c, mask, &args[0]);
  if (status == CP_OK) status = cp_node_leaf(c->all, &args[2]);
  if (status != CP_OK) {
    cp_node_release(args[0]);
    cp_node_release(args[1]);
    return status;
  }
  CP_TRY(cp_node_op(CP_OP_where, args, &root));
  return cp_assign(ctx, c->all, root, CP_MAY_RENAME);
}

static cp_status write_number(cp_context *ctx, cp_selection *c, const cp_value *value) {
  cp_array *mask = c->arrays[0].array;
  cp_scalar s = value->s;
  cp_node *node = NULL;
  CP_TRY(cp_fit_number(c->all->dtype, value->kind, value->weak, &s));
  if (mask->node != NULL && c->kept->ndim > 0) CP_TRY(cp_force(ctx, mask));
  if (mask->node != NULL) CP_TRY(cp_bound_operands(ctx, 1, &mask, NULL));
  CP_TRY(cp_node_scalar(s, &node));
  return assign_where(ctx, c, mask, node);
}

// Writes values that were all read by the same mask from arrays of this shape, by one kernel over the whole
// array, if enough elements are true for this to pay. Otherwise *done stays false.
static cp_status write_spread(cp_context *ctx, cp_selection *c, cp_array *v, bool *done) {
  cp_array *mask = c->arrays[0].array;
  cp_node *root = NULL;
  if (v->node == NULL || !v->node->apart || mask->node != NULL || c->kept->ndim > 0) return CP_OK;
  const cp_index_ops *ops = mask->device->ops->index;
  if (v->ndim != 1 || (mask->size > ops->spread_size && v->size < mask->size / ops->spread_share))
    return CP_OK;
  if (cp_array_check(mask) != CP_OK || !cp_can_cast(v->dtype, c->all->dtype, CP_CAST_SAME_KIND)) return CP_OK;
  CP_TRY(cp_spread(ctx, v->node, mask, c->all, &root));
  *done = root != NULL;
  return *done ? assign_where(ctx, c, mask, root) : CP_OK;
}

static cp_status move_in_order(cp_context *ctx, cp_selection *c, cp_array *mask, cp_array *flat,
                               const cp_array *v) {
  cp_array_local local;
  cp_array *line = cp_array_local_init(&local);
  cp_lookup l = {.where = c->where, .ndim = 1};
  CP_TRY(cp_mask_count(ctx, mask, l.shape, NULL));
  CP_TRY(cp_lookup_lay_values(&l, v));
  cp_view_start(line, v);
  cp_view_axis(line, l.shape[0], l.value_strides[0]);
  return cp_mask_move(ctx, CP_COMPACT_WRITE, mask, flat, line);
}

// Writes one value for each true element, in order. *done stays false if the array cannot be viewed with one
// axis.
static cp_status write_in_order(cp_context *ctx, cp_selection *c, const cp_value *value, bool *done) {
  cp_array_local local;
  cp_array *flat = cp_array_local_init(&local);
  cp_form v, mask;
  if (!is_flat(c, flat)) return CP_OK;
  *done = true;
  cp_begin_form(&mask, c->arrays[0].array);
  cp_status status = cp_form_value(ctx, &v, value, c->source);
  if (status == CP_OK) status = check_device(c, mask.a);
  if (status == CP_OK) status = form_mask(ctx, &mask, c->all);
  if (status == CP_OK) status = move_in_order(ctx, c, mask.a, flat, v.a);
  cp_end_form(&v);
  cp_end_form(&mask);
  return status;
}

cp_status cp_mask_write(cp_context *ctx, cp_selection *c, const cp_value *value, bool *done) {
  *done = value->array == NULL;
  if (*done) return write_number(ctx, c, value);
  CP_TRY(write_spread(ctx, c, value->array, done));
  return *done ? CP_OK : write_in_order(ctx, c, value, done);
}
