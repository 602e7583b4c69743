// Indices: what stands between the brackets of x[...], as items, and which view of an array they select.
//
// Items keep the numbers as they were written, counted from 1 and from the end; only resolving them against
// an array's shape gives positions from 0.
#ifndef CP_RULES_INDEX_H
#define CP_RULES_INDEX_H

#include "array/array.h"
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
  int64_t first, last, step;  // an integer stands in first
  cp_array *array;            // of CP_ITEM_ARRAY: a boolean or integer array, which the caller keeps alive
} cp_item;

enum { CP_MAX_ITEMS = 2 * CP_MAXDIM + 1 }; // every axis, as many new ones, an ellipsis

typedef struct cp_index {
  const char *where; // public name, for messages
  char form;         // how it was written: '[' one value, '{' table, '"' text, '(' call
  int count;
  int integers, ranges, newaxes, arrays; // how many of each kind
  int chosen;                            // axes that the arrays choose from
  bool ellipsis;
  cp_item items[CP_MAX_ITEMS];
} cp_index;

// An index without items. The items themselves stay unset.
static inline void cp_index_begin(cp_index *ix, const char *where, char form) {
  ix->where = where;
  ix->form = form;
  ix->count = ix->integers = ix->ranges = ix->newaxes = ix->arrays = ix->chosen = 0;
  ix->ellipsis = false;
}
// Appends an item of this kind, whose other fields the caller sets. CP_EINDEX.
cp_status cp_index_add(cp_index *ix, cp_item_kind kind, cp_item **item);
cp_status cp_index_fail_full(void);
// The same for a whole number: most indices are one or two of these.
static inline cp_status cp_index_add_integer(cp_index *ix, int64_t i) {
  if (ix->count == CP_MAX_ITEMS) return cp_index_fail_full();
  cp_item *item = &ix->items[ix->count++];
  item->kind = CP_ITEM_INTEGER;
  item->first = i;
  ix->integers++;
  return CP_OK;
}
// Appends the range of count numbers (first, last, step; the last ones may be missing, and 0 is the whole
// axis).
cp_status cp_index_add_range(cp_index *ix, int count, const int64_t *numbers);
// Appends an array of positions or a mask. CP_EDTYPE for other arrays, CP_EUSAGE for freed ones.
cp_status cp_index_add_array(cp_index *ix, cp_array *a);
// Appends the items of a text of `size` bytes, with a 0 behind them (text.c).
cp_status cp_index_add_text(cp_index *ix, const char *text, size_t size);

// *rest: how many axes of a no item names. CP_EINDEX where the items are more than the axes. A view of what
// ix selects has ix->ranges + ix->newaxes + *rest axes.
cp_status cp_index_rest(const cp_index *ix, const cp_array *a, int *rest);
// Adds to `view`, which begins at a's first element and has no axes yet, what ix (without arrays) selects of
// a. CP_EINDEX.
cp_status cp_index_resolve(const cp_index *ix, int rest, const cp_array *a, cp_array *view);
// Both: makes view, which has room for all axes, what ix selects of a, without a reference to the storage.
cp_status cp_index_view(const cp_index *ix, const cp_array *a, cp_array *view);

// *position: from 0, of i, which counts from 1 or, when negative, from the end. CP_EINDEX.
static inline cp_status cp_index_position(int64_t i, int axis, int64_t length, int64_t *position) {
  if (i > 0 && i <= length)
    *position = i - 1;
  else if (i < 0 && i >= -length)
    *position = i + length;
  else
    return cp_fail_position(NULL, NULL, i, axis + 1, length);
  return CP_OK;
}
// Whether ix is a whole number for each axis of a; then cp_index_element gives the place of that element in
// a's storage.
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
// Adds one item that is no array to the view that is being made, and moves *axis behind the axes of a that it
// names.
cp_status cp_index_add_item(const cp_item *item, int rest, const cp_array *a, int *axis, cp_array *view);
// Adds `count` axes of a as they are; gives the axis after them.
int cp_index_add_axes(cp_array *view, const cp_array *a, int from, int count);

#endif
