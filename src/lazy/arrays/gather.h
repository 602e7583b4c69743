// Moves elements that masks and arrays of positions select, from and to a user's arrays.
#ifndef CP_LAZY_ARRAYS_GATHER_H
#define CP_LAZY_ARRAYS_GATHER_H

#include "lazy/work/mask.h"

// Moves elements between `base`, whose single axis has the mask's size, and `value`, which has one element
// for each true one. For CP_COMPACT_POSITIONS base is NULL, and value (int64) gets the true elements'
// coordinates in the mask's shape: its first axis runs over the coordinates, its second one over the
// elements. All arrays are in memory.
cp_status cp_mask_move(cp_context *ctx, cp_compaction_kind kind, cp_array *mask, cp_array *base,
                       cp_array *value);

// Runs a lookup on these arrays, which are in memory. The lookup's shape and strides are set and collapsed.
cp_status cp_lookup_arrays(cp_context *ctx, cp_lookup *l, cp_array *base, cp_array *value,
                           cp_array *const *positions);

#endif
