// Collects the items of an index, and resolves them to a view of an array, without copying anything.
#include "rules/indexing/index.h"

#include <inttypes.h>
#include <stdio.h>

// ---- items ------------------------------------------------------------------------------------------------

cp_status cp_index_fail_full(void) {
  return cp_fail(CP_EINDEX, "the index has more than %d items; write a list of positions as cp.index{...}",
                 CP_MAX_ITEMS);
}

cp_status cp_index_fail_ellipsis(void) { return cp_fail(CP_EINDEX, "an index can have only one ellipsis"); }

cp_status cp_index_add_range(cp_index *ix, int count, const int64_t *numbers) {
  cp_item *item = NULL;
  CP_TRY(cp_index_add(ix, CP_ITEM_RANGE, &item));
  item->open_first = item->open_last = count == 0;
  item->first = count > 0 ? numbers[0] : 0;
  item->last = count > 1 ? numbers[1] : item->first;
  item->step = count > 2 ? numbers[2] : 1;
  return item->step != 0 ? CP_OK : cp_fail(CP_EINDEX, "the step of a range must not be 0");
}

cp_status cp_index_add_array(cp_index *ix, cp_array *a) {
  cp_item *item = NULL;
  if (a->dtype != CP_BOOL && !cp_is_integer(a->dtype))
    return cp_fail(CP_EDTYPE,
                   "a %s array cannot be an index; make positions by cp.index{...} or y:astype(\"int64\")",
                   cp_dtypes[a->dtype].name);
  if (a->node == NULL) CP_TRY(cp_array_check(a));
  CP_TRY(cp_index_add(ix, CP_ITEM_ARRAY, &item));
  item->array = a;
  ix->chosen += a->dtype == CP_BOOL ? a->ndim : 1;
  return CP_OK;
}

// ---- ranges -----------------------------------------------------------------------------------------------

// For a range from a to b (counted from 1) that is empty or leaves the axis: gives its first position from 0,
// or fails if an end is outside of the axis. In an empty range the end may be one step before the beginning,
// even if one of them is just outside.
static cp_status resolve_empty(const cp_item *r, int axis, int64_t n, int64_t a, int64_t b, int64_t *first) {
  bool down = r->step < 0;
  bool all = r->open_first && r->open_last && n == 0;
  bool short_up = !down && a >= 1 && a <= n + 1 && b == a - 1;
  bool short_down = down && a >= 1 && a <= n && b == a + 1;
  *first = all ? 0 : a - 1;
  if (all || short_up || short_down) return CP_OK;
  if (a < 1 || a > n) return cp_fail_position(NULL, NULL, r->open_first ? a : r->first, axis + 1, n);
  if (b < 1 || b > n) return cp_fail_position(NULL, NULL, r->open_last ? b : r->last, axis + 1, n);
  return CP_OK;
}

// Gives the number of elements of a range, and its first position from 0. The ends a and b count from 1.
static inline cp_status resolve_range(const cp_item *r, int axis, int64_t n, int64_t *first, int64_t *count) {
  bool down = r->step < 0;
  int64_t a = r->first < 0 ? r->first + n + 1 : r->first, b = r->last < 0 ? r->last + n + 1 : r->last;
  if (r->open_first) a = down ? n : 1;
  if (r->open_last) b = down ? 1 : n;
  int64_t low = down ? b : a, high = down ? a : b;
  *count = 0;
  if (low < 1 || low > high || high > n) return resolve_empty(r, axis, n, a, b, first);
  *first = a - 1;
  *count = r->step == 1 ? b - a + 1 : (b - a) / r->step + 1;
  return CP_OK;
}

static inline cp_status add_range(const cp_item *item, const cp_array *a, int axis, cp_array *view) {
  int64_t first, n, stride = a->strides[axis];
  CP_TRY(resolve_range(item, axis, a->shape[axis], &first, &n));
  if (n > 0) view->offset += first * stride;
  cp_view_axis(view, n, n > 1 ? stride * item->step : stride);
  return CP_OK;
}

// ---- resolving --------------------------------------------------------------------------------------------

// The error if there are more items than axes. For a 1-d array it shows what was probably meant.
static cp_status too_many(const cp_index *ix, int ndim) {
  int n = ix->integers + ix->ranges + ix->chosen;
  char hint[160] = "";
  if (ndim == 1 && ix->integers == ix->count && (n == 2 || n == 3)) {
    char step[24] = "";
    bool text = ix->form == '"';
    int64_t first = ix->items[0].first, last = ix->items[1].first;
    if (n == 3) snprintf(step, sizeof step, text ? ":%" PRId64 : ", %" PRId64, ix->items[2].first);
    snprintf(hint, sizeof hint,
             text              ? "; the range is x[\"%" PRId64 ":%" PRId64 "%s\"]"
             : ix->form == '(' ? "; the range is x({%" PRId64 ", %" PRId64 "%s})"
                               : "; the range is x[{ {%" PRId64 ", %" PRId64 "%s} }]",
             first, last, step);
  } else if (ndim == 1 && ix->integers == ix->count) {
    snprintf(hint, sizeof hint, "; a list of positions is cp.index{...}");
  }
  return cp_fail(CP_EINDEX, "%d indices for an array of %d %s%s", n, ndim, ndim == 1 ? "axis" : "axes", hint);
}

cp_status cp_index_fail_rest(const cp_index *ix, int ndim) {
  if (ix->integers + ix->ranges + ix->chosen > ndim) return too_many(ix, ndim);
  return cp_fail(CP_ESHAPE, "the result would have more than %d axes", CP_MAXDIM);
}

static inline cp_status add_item(const cp_item *item, int rest, const cp_array *a, int *axis,
                                 cp_array *view) {
  int64_t position = 0;
  switch (item->kind) {
  case CP_ITEM_INTEGER:
    CP_TRY(cp_index_position(item->first, *axis, a->shape[*axis], &position));
    view->offset += position * a->strides[(*axis)++];
    break;
  case CP_ITEM_RANGE: return add_range(item, a, (*axis)++, view);
  case CP_ITEM_NEWAXIS: cp_view_axis(view, 1, 0); break;
  case CP_ITEM_ELLIPSIS: *axis = cp_index_add_axes(view, a, *axis, rest); break;
  case CP_ITEM_ARRAY: break; // select.c resolves those
  }
  return CP_OK;
}

cp_status cp_index_add_item(const cp_item *item, int rest, const cp_array *a, int *axis, cp_array *view) {
  return add_item(item, rest, a, axis, view);
}

cp_status cp_index_resolve(const cp_index *ix, int rest, const cp_array *a, cp_array *view) {
  int axis = 0;
  for (int k = 0; k < ix->count; k++) CP_TRY(add_item(&ix->items[k], rest, a, &axis, view));
  if (!ix->ellipsis) cp_index_add_axes(view, a, axis, rest);
  return CP_OK;
}

cp_status cp_index_view(const cp_index *ix, const cp_array *a, cp_array *view) {
  int rest;
  CP_TRY(cp_index_rest(ix, a, &rest));
  cp_view_start(view, a);
  return cp_index_resolve(ix, rest, a, view);
}
