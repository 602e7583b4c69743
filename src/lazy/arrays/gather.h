// Elements moved by masks and by positions, from and to arrays of the user's.
#ifndef CP_LAZY_ARRAYS_GATHER_H
#define CP_LAZY_ARRAYS_GATHER_H

#include "lazy/evaluation/mask.h"

// Moves elements between `base`, whose axis has the mask's size, and `value`, which has an element for each true one; POSITIONS:
// value is int64 with those, and the coordinates under mask's shape, along its two axes, whichever is `axis` the coordinates. All arrays but the
// target have memory, and the target is ready to be written.
cp_status cp_mask_move(cp_context *ctx, cp_compaction_kind kind, cp_array *mask, cp_array *base,
                       cp_array *value);

// Runs a lookup whose shapes and strides are set, and collapsed, on these arrays, which have memory.
cp_status cp_lookup_arrays(cp_context *ctx, cp_lookup *l, cp_array *base, cp_array *value,
                           cp_array *const *positions);

#endif
