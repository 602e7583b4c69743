// Sorting along the last axis, and searching in a sorted array.
//
// Each function makes `result`, whose struct the caller provides, a new array. The arguments may be pending
// and have any strides.
#ifndef CP_RULES_SORT_H
#define CP_RULES_SORT_H

#include "array/array.h"

// Places of sorted rows, from 0 and within the row.
typedef struct cp_places {
  int64_t first, last;
  int64_t bound; // x has integers that are known to be 0 to bound - 1; 0: any elements
} cp_places;

// Sorts x, of a real dtype, along its last axis. With `positions` it gives instead the positions (from 1) of
// the sorted elements; equal elements keep their order. result has room for x->ndim dimensions. With `places`
// (else NULL) only these need to hold what they hold in the sorted row; what comes before and after them may
// be in any order, and so may equal elements.
cp_status cp_sort(cp_context *ctx, cp_array *x, bool positions, const cp_places *places, cp_array *result);
// Finds the positions (from 1) at which values, of the same dtype, would be inserted into `sorted`: before
// equal elements, or with `behind` after them. result has room for values->ndim dimensions.
cp_status cp_search(cp_context *ctx, cp_array *sorted, cp_array *values, bool behind, cp_array *result);

// The line through points: (xp[i], fp[i]), in ascending order of xp, and the values outside of xp, of one
// element each. All are float64.
typedef struct cp_table {
  cp_array *xp, *fp, *below, *above;
  bool imaginary; // fp are the imaginary parts of a function: 0 where x is nan
} cp_table;
// Interpolates linearly at x, of float64. result has room for x->ndim dimensions.
cp_status cp_interpolate(cp_context *ctx, cp_array *x, const cp_table *t, cp_array *result);

#endif
