// Sorting along the last axis, and searching in what is sorted.
//
// Each function makes `result`, which the caller has placed, a new array; the arguments may be pending, and
// lie in any way.
#ifndef CP_RULES_SORT_H
#define CP_RULES_SORT_H

#include "array/array.h"

// x, of real dtype, sorted along its last axis; or the positions (from 1) of the sorted elements, equal ones
// in their order. result has room for x->ndim dimensions.
cp_status cp_sort(cp_context *ctx, cp_array *x, bool positions, cp_array *result);
// Where values (of the same dtype) are to be put into `sorted`, counted from 1: before elements that equal
// them, or behind. result has room for values->ndim dimensions.
cp_status cp_search(cp_context *ctx, cp_array *sorted, cp_array *values, bool behind, cp_array *result);

#endif
