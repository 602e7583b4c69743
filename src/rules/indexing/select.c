// Resolves indices with arrays, and reads and writes what they select (select.h).
#include "rules/indexing/select.h"

#include "array/view.h"
#include "rules/indexing/lookup.h"

#include <stdio.h>
#include <string.h>

// ---- resolving --------------------------------------------------------------------------------------------

// In an index with arrays, integers act like arrays. If arrays and integers are adjacent, the new axes of the
// result take their place; if another item is between them, the new axes come first (NumPy's rule).
typedef enum adjacency { NONE_YET, TOGETHER, AFTER_OTHER, APART } adjacency;

static void note_choosing(cp_selection *c, adjacency *state) {
  if (*state == NONE_YET) {
    c->place = c->kept->ndim;
    *state = TOGETHER;
  } else if (*state == AFTER_OTHER) {
    c->place = 0;
    *state = APART;
  }
}

static void note_other(adjacency *state) {
  if (*state == TOGETHER) *state = AFTER_OTHER;
}

// A mask must have the lengths of the axes that it covers, or length 0 along some of them: then it selects
// nothing, whatever the length of the axis (NumPy's rule).
static cp_status check_mask(const cp_selection *c, const cp_array *mask, int axis) {
  char text[CP_SHAPE_TEXT], want[CP_SHAPE_TEXT];
  const int64_t *shape = c->source->shape + axis;
  bool fits = true;
  for (int d = 0; d < mask->ndim; d++) fits = fits && (mask->shape[d] == shape[d] || mask->shape[d] == 0);
  if (fits) return CP_OK;
  char axes[48] = "";
  if (mask->ndim == 1)
    snprintf(axes, sizeof axes, "axis %d", axis + 1);
  else
    snprintf(axes, sizeof axes, "axes %d to %d", axis + 1, axis + mask->ndim);
  return cp_fail(CP_EINDEX, "a mask of shape %s does not fit %s of shape %s",
                 cp_shape_text(mask->ndim, mask->shape, text), axes, cp_shape_text(mask->ndim, shape, want));
}

// Adds a chosen axis. The chosen axes are collected at the beginning of c->all; put_together moves them when
// all axes are known.
static void choose_axis(cp_selection *c, int64_t length, int64_t stride, int axis) {
  c->axes[c->nchosen] = axis;
  c->all->shape[c->nchosen] = length;
  c->all->strides[c->nchosen++] = stride;
}

static cp_status add_array(cp_selection *c, cp_array *array, int *axis) {
  const cp_array *a = c->source;
  bool mask = array->dtype == CP_BOOL;
  int first = *axis, count = mask ? array->ndim : 1;
  if (c->narrays == CP_MAXDIM || c->nchosen + (count > 0 ? count : 1) > CP_MAXDIM)
    return cp_fail(CP_EINDEX, "the index has more than %d arrays", CP_MAXDIM);
  if (mask) CP_TRY(check_mask(c, array, first));
  c->arrays[c->narrays].array = array;
  c->arrays[c->narrays++].first = c->nchosen;
  for (int k = first; k < first + count; k++) choose_axis(c, a->shape[k], a->strides[k], k + 1);
  if (count == 0) choose_axis(c, 1, 0, 1); // a mask without axes selects all or nothing, along a new axis
  *axis += count;
  return CP_OK;
}

// Completes c->all from the chosen axes, which are at its beginning, and the kept axes.
static cp_status put_together(cp_selection *c) {
  cp_array *all = c->all, *kept = c->kept;
  int n = c->nchosen, rest = kept->ndim - c->place;
  if (n + kept->ndim > CP_MAXDIM) return cp_fail(CP_ESHAPE, "the index merges more than %d axes", CP_MAXDIM);
  memmove(all->shape + c->place, all->shape, (size_t)n * sizeof *all->shape);
  memmove(all->strides + c->place, all->strides, (size_t)n * sizeof *all->strides);
  for (int k = 0; k < kept->ndim; k++) {
    int to = k < c->place ? k : k + n;
    all->shape[to] = kept->shape[k];
    all->strides[to] = kept->strides[k];
  }
  int64_t *shape = all->shape, *strides = all->strides;
  *all = *kept;
  all->shape = shape;
  all->strides = strides;
  all->ndim = (uint8_t)(c->place + n + rest);
  for (int k = 0; k < n; k++) all->size *= shape[c->place + k];
  return CP_OK;
}

// The number of axes of the result: the kept ones, and the most that an index array has, as they are
// broadcast.
static int result_axes(const cp_selection *c) {
  int most = 0;
  for (int k = 0; k < c->narrays; k++) {
    const cp_array *a = c->arrays[k].array;
    int n = a->dtype == CP_BOOL ? 1 : a->ndim;
    if (n > most) most = n;
  }
  return c->kept->ndim + most;
}

cp_status cp_select(const cp_index *ix, cp_array *a, cp_selection *c) {
  int rest, axis = 0;
  CP_TRY(cp_index_rest(ix, a, &rest));
  adjacency state = NONE_YET;
  c->where = ix->where;
  c->site = "";
  c->source = a;
  c->all = cp_array_local_init(&c->all_local);
  c->kept = cp_array_local_init(&c->kept_local);
  c->place = c->nchosen = c->narrays = 0;
  cp_view_start(c->kept, a);
  for (int k = 0; k < ix->count; k++) {
    const cp_item *item = &ix->items[k];
    if (item->kind == CP_ITEM_INTEGER || item->kind == CP_ITEM_ARRAY)
      note_choosing(c, &state);
    else
      note_other(&state);
    if (item->kind == CP_ITEM_ARRAY)
      CP_TRY(add_array(c, item->array, &axis));
    else
      CP_TRY(cp_index_add_item(item, rest, a, &axis, c->kept));
  }
  if (!ix->ellipsis) cp_index_add_axes(c->kept, a, axis, rest);
  CP_TRY(put_together(c));
  c->ndim = result_axes(c);
  if (c->ndim > CP_MAXDIM) return cp_fail(CP_ESHAPE, "the result would have more than %d axes", CP_MAXDIM);
  c->single_mask = c->narrays == 1 && c->arrays[0].array->dtype == CP_BOOL && c->arrays[0].array->size > 0;
  return CP_OK;
}

// ---- reading and writing ----------------------------------------------------------------------------------

cp_status cp_select_read(cp_context *ctx, cp_selection *c, cp_array *result, cp_node **root) {
  *root = NULL;
  if (c->single_mask) CP_TRY(cp_mask_read(ctx, c, root));
  return *root != NULL ? CP_OK : cp_lookup_read(ctx, c, result, root);
}

cp_status cp_check_write(const cp_array *a, cp_lookup_kind kind) {
  if (a->readonly) return cp_fail(CP_EUSAGE, "the array is a broadcast view, which cannot be written");
  if ((kind == CP_LOOKUP_MAX || kind == CP_LOOKUP_MIN) && cp_is_complex(a->dtype))
    return cp_fail(CP_EDTYPE, "complex values cannot be ordered");
  return CP_OK;
}

cp_status cp_select_write(cp_context *ctx, cp_selection *c, const cp_value *value, cp_lookup_kind kind,
                          bool distinct) {
  bool done = false;
  CP_TRY(cp_check_write(c->source, kind));
  if (kind == CP_LOOKUP_WRITE && c->single_mask) CP_TRY(cp_mask_write(ctx, c, value, &done));
  return done ? CP_OK : cp_lookup_write(ctx, c, value, kind, distinct);
}
