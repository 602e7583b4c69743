// Turns selections into lookups by arrays of positions, and runs them (lookup.h).
#include "rules/indexing/lookup.h"

#include "array/view.h"
#include "lazy/evaluation/force.h"
#include "rules/indexing/waiting.h"

#include <stdlib.h>
#include <string.h>

// ---- what a lookup holds ----------------------------------------------------------------------------------

// A temporary array of a lookup. Most lookups need none.
typedef struct part {
  struct part *next;
  cp_array_local local;
} part;

typedef struct lookup_call {
  cp_lookup l;
  cp_array *positions[CP_MAXDIM];
  part *parts;
} lookup_call;

static void begin(lookup_call *call, const char *where, const char *site, cp_lookup_kind kind) {
  call->l.where = where;
  call->l.site = site;
  call->l.kind = kind;
  call->l.count = 0;
  call->l.shared = NULL;
  call->parts = NULL;
}

// Releases the temporary arrays. Call it after a failure too.
static void end(lookup_call *call) {
  while (call->parts != NULL) {
    part *p = call->parts;
    call->parts = p->next;
    cp_array_release(&p->local.a);
    free(p);
  }
}

static cp_status new_part(lookup_call *call, cp_array **a) {
  part *p = malloc(sizeof *p);
  if (p == NULL) return cp_no_memory(NULL);
  *a = cp_array_local_init(&p->local);
  p->next = call->parts;
  call->parts = p;
  return CP_OK;
}

// Adds an array of positions for an axis with this length, stride and number. settle computes it if it is
// pending.
static void add_positions(lookup_call *call, cp_array *positions, int64_t length, int64_t stride, int axis) {
  cp_index_array *p = &call->l.positions[call->l.count];
  p->length = length;
  p->stride = stride;
  p->axis = axis;
  call->positions[call->l.count++] = positions;
}

// Converts the arrays of positions to one dtype, in memory, and copies those that the lookup would overwrite.
// target: the array that is written; NULL: the lookup reads.
static cp_status settle(cp_context *ctx, lookup_call *call, const cp_array *target) {
  cp_dtype t = CP_INT32;
  for (int k = 0; k < call->l.count; k++)
    if (call->positions[k]->dtype != CP_INT32) t = CP_INT64;
  call->l.positions_dtype = t;
  for (int k = 0; k < call->l.count; k++) {
    cp_array *p = call->positions[k], *copy = NULL;
    CP_TRY(cp_force(ctx, p));
    if (p->dtype == t && (target == NULL || !cp_may_overlap(p, target))) continue;
    CP_TRY(new_part(call, &copy));
    CP_TRY(cp_new_cast(ctx, p, t, copy));
    call->positions[k] = copy;
  }
  return CP_OK;
}

// Allocates the scratch memory that the device needs for a write whose last value must be kept where several
// go to one element; *scratch is NULL if it needs none.
static cp_status make_scratch(cp_context *ctx, cp_lookup *l, cp_device *device, cp_buffer **scratch) {
  size_t (*bytes)(const cp_lookup *) = device->ops->index->write_scratch;
  l->scratch = NULL;
  l->rivals.any = false;
  *scratch = NULL;
  if (bytes == NULL) return CP_OK;
  cp_lookup_find_rivals(l);
  if (l->rivals.any) CP_TRY(cp_new_scratch(ctx, device, bytes(l), scratch));
  if (*scratch != NULL) l->scratch = (*scratch)->pointer;
  return CP_OK;
}

static cp_status run(cp_context *ctx, lookup_call *call, cp_array *base, cp_array *value) {
  cp_lookup *l = &call->l;
  cp_buffer *scratch;
  l->dtype = base->dtype;
  l->itemsize = cp_itemsize(base->dtype);
  l->ordered = ctx->settings.deterministic;
  cp_lookup_collapse(l);
  CP_TRY(make_scratch(ctx, l, base->device, &scratch));
  cp_status status = cp_lookup_arrays(ctx, l, base, value, call->positions);
  if (scratch != NULL) cp_buffer_release(scratch);
  return status;
}

// ---- a selection ------------------------------------------------------------------------------------------

// Makes row k of positions an array with one axis.
static cp_status new_row(lookup_call *call, const cp_array *positions, int k, cp_array **row) {
  CP_TRY(new_part(call, row));
  cp_array *r = *row;
  cp_array_copy_view(r, positions);
  r->ndim = 1;
  r->offset += k * positions->strides[0];
  r->shape[0] = r->size = positions->shape[1];
  r->strides[0] = positions->strides[1];
  return CP_OK;
}

// Makes a view of the mask, which is contiguous, with one axis.
static cp_status new_flat(lookup_call *call, const cp_array *mask, cp_array **flat) {
  CP_TRY(new_part(call, flat));
  cp_array_copy_view(*flat, mask);
  (*flat)->ndim = 1;
  (*flat)->shape[0] = mask->size;
  (*flat)->strides[0] = 1;
  return CP_OK;
}

// Adds the mask as arrays of positions, one for each axis that it covers; or as a single one, if the strides
// of those axes allow to treat them as one axis.
static cp_status add_mask(cp_context *ctx, cp_selection *c, lookup_call *call, int which) {
  cp_array *mask = c->arrays[which].array, *positions = NULL, *row = NULL;
  int first = c->arrays[which].first, n = mask->ndim > 0 ? mask->ndim : 1;
  const int64_t *shape = c->all->shape + c->place + first, *strides = c->all->strides + c->place + first;
  int64_t size = mask->size, stride = 0;
  CP_TRY(cp_force(ctx, mask));
  // A mask without elements may have other lengths than the axes that it covers, so it is not flattened.
  bool one = size > 0 && cp_array_contiguous(mask, 'C') &&
             cp_reshape_strides(n, shape, strides, 1, &size, cp_itemsize(c->all->dtype), &stride);
  if (one) CP_TRY(new_flat(call, mask, &mask));
  CP_TRY(new_part(call, &positions));
  CP_TRY(cp_mask_positions(ctx, mask, false, positions));
  for (int k = 0; k < (one ? 1 : n); k++) {
    CP_TRY(new_row(call, positions, k, &row));
    add_positions(call, row, one ? size : shape[k], one ? stride : strides[k], c->axes[first + k]);
  }
  return CP_OK;
}

static cp_status add_arrays(cp_context *ctx, cp_selection *c, lookup_call *call) {
  for (int k = 0; k < c->narrays; k++) {
    int at = c->place + c->arrays[k].first;
    if (c->arrays[k].array->dtype == CP_BOOL)
      CP_TRY(add_mask(ctx, c, call, k));
    else
      add_positions(call, c->arrays[k].array, c->all->shape[at], c->all->strides[at],
                    c->axes[c->arrays[k].first]);
  }
  return CP_OK;
}

// The broadcast shape of the arrays of positions.
static cp_status common_shape(const lookup_call *call, int *ndim, int64_t *shape) {
  char so_far[CP_SHAPE_TEXT], other[CP_SHAPE_TEXT];
  *ndim = 0;
  for (int k = 0; k < call->l.count; k++) {
    const cp_array *p = call->positions[k];
    if (!cp_broadcast(ndim, shape, p->ndim, p->shape))
      return cp_fail(CP_EINDEX, "index arrays of shapes %s and %s do not broadcast",
                     cp_shape_text(*ndim, shape, so_far), cp_shape_text(p->ndim, p->shape, other));
  }
  return CP_OK;
}

// Sets the shape and strides of the lookup: the kept axes, with the axes of the positions inserted at
// c->place.
static cp_status lay_out(const cp_selection *c, lookup_call *call) {
  cp_lookup *l = &call->l;
  int64_t shape[CP_MAXDIM];
  int n = 0;
  CP_TRY(common_shape(call, &n, shape));
  l->ndim = c->kept->ndim + n;
  for (int k = 0; k < c->kept->ndim; k++) {
    int d = k < c->place ? k : k + n;
    l->shape[d] = c->kept->shape[k];
    l->base_strides[d] = c->kept->strides[k];
    for (int j = 0; j < l->count; j++) l->positions[j].strides[d] = 0;
  }
  for (int k = 0; k < n; k++) {
    l->shape[c->place + k] = shape[k];
    l->base_strides[c->place + k] = 0;
  }
  for (int j = 0; j < l->count; j++) {
    const cp_array *p = call->positions[j];
    cp_broadcast_strides(n, shape, p->ndim, p->shape, p->strides, l->positions[j].strides + c->place);
  }
  return cp_shape_size(l->ndim, l->shape, cp_itemsize(c->all->dtype), &l->size);
}

// Begins the lookup of a selection. A single mask selects distinct elements.
static cp_status begin_selected(cp_context *ctx, cp_selection *c, lookup_call *call, cp_lookup_kind kind,
                                bool distinct) {
  begin(call, c->where, c->site, kind);
  call->l.distinct = distinct || c->single_mask;
  CP_TRY(add_arrays(ctx, c, call));
  CP_TRY(settle(ctx, call, kind == CP_LOOKUP_READ ? NULL : c->all));
  return lay_out(c, call);
}

// ---- reading and writing ----------------------------------------------------------------------------------

// Reads the elements of base that the lookup selects into a new array.
static cp_status read_laid_out(cp_context *ctx, lookup_call *call, cp_array *base, cp_array *result) {
  CP_TRY(cp_new_array(ctx, result, base->device, base->dtype, call->l.ndim, call->l.shape));
  memcpy(call->l.value_strides, result->strides, (size_t)result->ndim * sizeof *result->strides);
  return run(ctx, call, base, result);
}

// Whether no array of the selection is a mask: making positions of one takes a wait.
static bool has_positions_alone(const cp_selection *c) {
  bool alone = true;
  for (int k = 0; k < c->narrays; k++) alone = alone && c->arrays[k].array->dtype != CP_BOOL;
  return alone;
}

static cp_status wait_selected(cp_context *ctx, const cp_selection *c, lookup_call *call, cp_node **root) {
  int own = 0;
  int64_t shape[CP_MAXDIM];
  CP_TRY(lay_out(c, call));
  if (call->l.size == 0) return CP_OK;
  if (c->place == c->kept->ndim)
    own = call->l.ndim;
  else
    CP_TRY(common_shape(call, &own, shape));
  return cp_lookup_wait(ctx, &call->l, c->all, call->positions, own, root);
}

cp_status cp_lookup_read(cp_context *ctx, cp_selection *c, cp_array *result, cp_node **root) {
  lookup_call call;
  begin(&call, c->where, c->site, CP_LOOKUP_READ);
  *root = NULL;
  cp_status status = has_positions_alone(c) ? add_arrays(ctx, c, &call) : CP_OK;
  if (status == CP_OK && cp_lookup_may_wait(ctx, c->all, call.l.count, call.positions))
    status = wait_selected(ctx, c, &call, root);
  if (status == CP_OK && *root == NULL) {
    status = begin_selected(ctx, c, &call, CP_LOOKUP_READ, false);
    if (status == CP_OK) status = read_laid_out(ctx, &call, c->all, result);
  }
  end(&call);
  return status;
}

cp_status cp_lookup_lay_values(cp_lookup *l, const cp_array *v) {
  char from[CP_SHAPE_TEXT], to[CP_SHAPE_TEXT];
  int extra = 0, ndim = l->ndim;
  int64_t shape[CP_MAXDIM];
  while (v->ndim - extra > l->ndim && v->shape[extra] == 1) extra++;
  memcpy(shape, l->shape, (size_t)ndim * sizeof *shape);
  if (!cp_broadcast(&ndim, shape, v->ndim - extra, v->shape + extra) ||
      !cp_shape_equal(ndim, shape, l->ndim, l->shape))
    return cp_fail(CP_ESHAPE, "shape %s does not broadcast into %s", cp_shape_text(v->ndim, v->shape, from),
                   cp_shape_text(l->ndim, l->shape, to));
  cp_broadcast_strides(l->ndim, l->shape, v->ndim - extra, v->shape + extra, v->strides + extra,
                       l->value_strides);
  return CP_OK;
}

cp_status cp_lookup_write(cp_context *ctx, cp_selection *c, const cp_value *value, cp_lookup_kind kind,
                          bool distinct) {
  lookup_call call;
  cp_form v;
  call.parts = NULL;
  cp_status status = cp_form_value(ctx, &v, value, c->source);
  if (status == CP_OK) status = begin_selected(ctx, c, &call, kind, distinct);
  if (status == CP_OK) status = cp_lookup_lay_values(&call.l, v.a);
  if (status == CP_OK) status = run(ctx, &call, c->all, v.a);
  end(&call);
  cp_end_form(&v);
  return status;
}

// ---- along an axis ----------------------------------------------------------------------------------------

// Sets the shape of a lookup along one axis: along that axis the length of the positions, along others the
// broadcast length of both arrays.
static cp_status along_shape(cp_lookup *l, const cp_array *a, const cp_array *p, int axis) {
  char text[2][CP_SHAPE_TEXT];
  l->ndim = a->ndim;
  bool fits = p->ndim == a->ndim;
  for (int d = 0; d < a->ndim && fits; d++) {
    bool own = d == axis || a->shape[d] == 1;
    fits = own || p->shape[d] == 1 || p->shape[d] == a->shape[d];
    l->shape[d] = own ? p->shape[d] : a->shape[d];
    l->base_strides[d] = own ? 0 : a->strides[d];
  }
  if (!fits)
    return cp_fail(CP_ESHAPE, "indices of shape %s do not match shape %s along axis %d",
                   cp_shape_text(p->ndim, p->shape, text[0]), cp_shape_text(a->ndim, a->shape, text[1]),
                   axis + 1);
  return cp_shape_size(l->ndim, l->shape, cp_itemsize(a->dtype), &l->size);
}

static cp_status begin_along(const cp_along *w, lookup_call *call) {
  const cp_array *a = w->array;
  begin(call, w->where, w->site, w->kind);
  call->l.distinct = w->distinct;
  if (!cp_is_integer(w->positions->dtype))
    return cp_fail(CP_EDTYPE, "indices must be integers, not %s", cp_dtypes[w->positions->dtype].name);
  add_positions(call, w->positions, a->shape[w->axis], a->strides[w->axis], w->axis + 1);
  return along_shape(&call->l, a, w->positions, w->axis);
}

// Brings the positions into memory.
static cp_status settle_along(cp_context *ctx, const cp_along *w, lookup_call *call) {
  const cp_array *a = w->array;
  CP_TRY(settle(ctx, call, w->kind != CP_LOOKUP_READ ? a : NULL));
  const cp_array *p = call->positions[0];
  cp_broadcast_strides(a->ndim, call->l.shape, p->ndim, p->shape, p->strides, call->l.positions[0].strides);
  return CP_OK;
}

cp_status cp_along_read(cp_context *ctx, const cp_along *w, cp_array *result, cp_node **root) {
  lookup_call call;
  cp_status status = begin_along(w, &call);
  *root = NULL;
  if (status == CP_OK && call.l.size > 0 && cp_lookup_may_wait(ctx, w->array, 1, call.positions)) {
    status = cp_force(ctx, w->array);
    if (status == CP_OK) status = cp_lookup_wait(ctx, &call.l, w->array, call.positions, call.l.ndim, root);
  }
  if (status == CP_OK && *root == NULL) {
    status = settle_along(ctx, w, &call);
    if (status == CP_OK) status = read_laid_out(ctx, &call, w->array, result);
  }
  end(&call);
  return status;
}

cp_status cp_along_write(cp_context *ctx, const cp_along *w, const cp_value *value) {
  lookup_call call;
  cp_form v;
  CP_TRY(cp_check_write(w->array, w->kind));
  call.parts = NULL;
  cp_status status = cp_form_value(ctx, &v, value, w->array);
  if (status == CP_OK) status = begin_along(w, &call);
  if (status == CP_OK) status = settle_along(ctx, w, &call);
  if (status == CP_OK) status = cp_lookup_lay_values(&call.l, v.a);
  if (status == CP_OK) status = run(ctx, &call, w->array, v.a);
  end(&call);
  cp_end_form(&v);
  return status;
}
