// Lookups: reading and writing elements that arrays of positions select.
#ifndef CP_RULES_LOOKUP_H
#define CP_RULES_LOOKUP_H

#include "rules/indexing/select.h"

// Sets the lookup's value_strides, by which v is read in the lookup's shape. v is broadcast, and may have
// more axes if the additional leading ones have length 1 (NumPy's rule). CP_ESHAPE.
cp_status cp_lookup_lay_values(cp_lookup *l, const cp_array *v);

// Read and write a selection by arrays of positions. Reading makes result, or sets *root to a pending value
// that it should wait for.
cp_status cp_lookup_read(cp_context *ctx, cp_selection *c, cp_array *result, cp_node **root);
cp_status cp_lookup_write(cp_context *ctx, cp_selection *c, const cp_value *value, cp_lookup_kind kind,
                          bool distinct);

// A lookup along one axis (counted from 0): for each index of `positions`, the element of `array` at that
// position along the axis, like NumPy's take_along_axis.
typedef struct cp_along {
  const char *where, *site; // see cp_selection
  cp_lookup_kind kind;
  bool distinct;
  cp_array *array, *positions;
  int axis;
} cp_along;
// Read and write it. For reading, result has room for the array's axes, or *root is a pending value for it,
// and kind is CP_LOOKUP_READ.
// CP_ESHAPE, CP_EDTYPE, CP_EUSAGE.
cp_status cp_along_read(cp_context *ctx, const cp_along *w, cp_array *result, cp_node **root);
cp_status cp_along_write(cp_context *ctx, const cp_along *w, const cp_value *value);

#endif
