// Turns an expression on elements that a mask selects into the same expression over the whole arrays.
#ifndef CP_LAZY_TRANSFORMS_SPREAD_H
#define CP_LAZY_TRANSFORMS_SPREAD_H

#include "lazy/expression/node.h"

// If n reads only numbers and elements that this mask selected from arrays of target's shape, sets *out to
// n's expression over those whole arrays; otherwise sets it to NULL. The mask must be in memory.
cp_status cp_spread(cp_context *ctx, cp_node *n, const cp_array *mask, const cp_array *target, cp_node **out);

#endif
