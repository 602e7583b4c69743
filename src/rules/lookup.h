// Lookups: elements that arrays of positions choose.
#ifndef CP_RULES_LOOKUP_H
#define CP_RULES_LOOKUP_H

#include "rules/select.h"

// The strides by which v is read in the lookup's shape; leading axes of length 1 that v has beyond it are no
// harm (NumPy's rule). CP_ESHAPE.
cp_status cp_lookup_lay_values(cp_lookup *l, const cp_array *v);

// Of c, by arrays of positions.
cp_status cp_lookup_read(cp_context *ctx, cp_selection *c, cp_array *result);
cp_status cp_lookup_write(cp_context *ctx, cp_selection *c, const cp_value *value, cp_lookup_kind kind,
                          bool distinct);

// Element positions[i, j, ...] of `array` along the axis (from 0), for each place of positions.
typedef struct cp_along {
  const char *where, *site; // see cp_selection
  cp_lookup_kind kind;
  bool distinct;
  cp_array *array, *positions;
  int axis;
} cp_along;
// CP_ESHAPE, CP_EDTYPE, CP_EUSAGE. result has room for the array's axes; without a value kind is
// CP_LOOKUP_READ.
cp_status cp_along_read(cp_context *ctx, const cp_along *w, cp_array *result);
cp_status cp_along_write(cp_context *ctx, const cp_along *w, const cp_value *value);

#endif
