// Indices: the items between the brackets of x[...], and the view of an array that they select.
//
// Items keep numbers as they were written: counted from 1, or from the end if negative. Resolving them
// against an array's shape gives positions from 0.
#ifndef CP_RULES_INDEX_H
#define CP_RULES_INDEX_H

#include "array/view.h"
#include "routines/index.h"

typedef enum cp_item_kind {
  CP_ITEM_INTEGER,
  CP_ITEM_RANGE,
  CP_ITEM_NEWAXIS,
  CP_ITEM_ELLIPSIS,
  CP_ITEM_ARRAY
} cp_item_kind;

typedef struct cp_item {
  cp_item_kind kind;
  bool open_first, open_last; // of a range: this end was left out
  int64_t first, last, step;  // of a range; an integer is in `first`
  cp_array *array;            // of CP_ITEM_ARRAY: a bool or integer array, which the caller keeps alive
} cp_item;

enum { CP_MAX_ITEMS = 2 * CP_MAXDIM + 1 }; // every axis, as many new axes, and an ellipsis

typedef struct cp_index {
  const char *where; // name of the public function, for messages
  char form;         // how the index was written: '[' one value, '{' table, '"' text, '(' call
  int count;
  int integers, ranges, newaxes, arrays; // how many of each kind
  int chosen;                            // number of axes that the arrays select from
  bool ellipsis;
  cp_item items[CP_MAX_ITEMS];
} cp_index;

// Begins an index without items. The array of items stays uninitialised.
static inline void cp_index_begin(cp_index *ix, const char *where, char form) {
  ix->where = where;
  ix->form = form;
  ix->count = ix->integers = ix->ranges = ix->newaxes = ix->arrays = ix->chosen = 0;
  ix->ellipsis = false;
}
cp_status cp_index_fail_full(void);
cp_status cp_index_fail_ellipsis(void);
cp_status cp_index_fail_rest(const cp_index *ix, int ndim);
// Appends an item of this kind; the caller sets its other fields. CP_EINDEX.
static inline cp_status cp_index_add(cp_index *ix, cp_item_kind kind, cp_item **item) {
  if (ix->count == CP_MAX_ITEMS) return cp_index_fail_full();
  switch (kind) {
  case CP_ITEM_INTEGER: ix->integers++; break;
  case CP_ITEM_RANGE: ix->ranges++; break;
  case CP_ITEM_NEWAXIS: ix->newaxes++; break;
  case CP_ITEM_ELLIPSIS:
    if (ix->ellipsis) return cp_index_fail_ellipsis();
    ix->ellipsis = true;
    break;
  case CP_ITEM_ARRAY: ix->arrays++; break;
  }
  *item = &ix->items[ix->count++];
  (*item)->kind = kind;
  return CP_OK;
}
// The same for an integer. Most indices are one or two of these.
static inline cp_status cp_index_add_integer(cp_index *ix, int64_t i) {
  if (ix->count == CP_MAX_ITEMS) return cp_index_fail_full();
  cp_item *item = &ix->items[ix->count++];
  item->kind = CP_ITEM_INTEGER;
  item->first = i;
  ix->integers++;
  return CP_OK;
}
// Appends a range given by `count` numbers: first, last and step. The last ones may be missing; count 0 means
// the whole axis.
cp_status cp_index_add_range(cp_index *ix, int count, const int64_t *numbers);
// Appends an array of positions or a mask. CP_EDTYPE for arrays of other dtypes, CP_EUSAGE for freed ones.
cp_status cp_index_add_array(cp_index *ix, cp_array *a);
// Appends the items of a text of `size` bytes, which must be NUL-terminated (text.c).
cp_status cp_index_add_text(cp_index *ix, const char *text, size_t size);

// *rest: how many of a's axes no item names. CP_EINDEX if there are more items than axes. A view of what ix
// selects has ix->ranges + ix->newaxes + *rest axes.
static inline cp_status cp_index_rest(const cp_index *ix, const cp_array *a, int *rest) {
  *rest = a->ndim - ix->integers - ix->ranges - ix->chosen;
  return *rest >= 0 && ix->ranges + ix->newaxes + *rest <= CP_MAXDIM ? CP_OK
                                                                     : cp_index_fail_rest(ix, a->ndim);
}
// Adds to `view` the axes that ix, which has no arrays, selects from a. The view begins at a's first element
// and has no axes yet. CP_EINDEX.
cp_status cp_index_resolve(const cp_index *ix, int rest, const cp_array *a, cp_array *view);
// Does both: makes `view`, which has room for all axes, a view of what ix selects from a. It takes no
// reference to the storage.
cp_status cp_index_view(const cp_index *ix, const cp_array *a, cp_array *view);

// Converts i, counted from 1 or, if negative, from the end, to a position from 0. CP_EINDEX.
static inline cp_status cp_index_position(int64_t i, int axis, int64_t length, int64_t *position) {
  if (i > 0 && i <= length)
    *position = i - 1;
  else if (i < 0 && i >= -length)
    *position = i + length;
  else
    return cp_fail_position(NULL, NULL, i, axis + 1, length);
  return CP_OK;
}
// Whether ix has exactly one integer for each axis of a. Then cp_index_element gives the byte offset of that
// element in a's storage.
static inline bool cp_index_is_element(const cp_index *ix, const cp_array *a) {
  return ix->integers == a->ndim && ix->integers == ix->count;
}
static inline cp_status cp_index_element(const cp_index *ix, const cp_array *a, int64_t *offset) {
  int64_t at = a->offset, position = 0;
  for (int k = 0; k < a->ndim; k++) {
    CP_TRY(cp_index_position(ix->items[k].first, k, a->shape[k], &position));
    at += position * a->strides[k];
  }
  *offset = at;
  return CP_OK;
}
// Adds one item, which is not an array, to the view that is being made, and advances *axis past the axes of a
// that the item names.
cp_status cp_index_add_item(const cp_item *item, int rest, const cp_array *a, int *axis, cp_array *view);
// Adds `count` axes of a unchanged; returns the axis after them.
static inline int cp_index_add_axes(cp_array *view, const cp_array *a, int from, int count) {
  for (int k = from; k < from + count; k++) cp_view_axis(view, a->shape[k], a->strides[k]);
  return from + count;
}

#endif
