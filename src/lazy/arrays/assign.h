// Assignment: writes the values of expressions into arrays.
#ifndef CP_LAZY_ARRAYS_ASSIGN_H
#define CP_LAZY_ARRAYS_ASSIGN_H

#include "lazy/arrays/write.h"

// Writes the value of root, whose reference it takes, into target. Allows same_kind casts only, broadcasts,
// handles overlap, and checks devices. It is one kernel without a temporary if each operand is disjoint from
// target or exactly the same view.
cp_status cp_assign(cp_context *ctx, cp_array *target, cp_node *root, cp_rename rename);
// Whether root's value may be written into target: CP_ESHAPE, CP_EDTYPE, CP_EUSAGE for another device.
cp_status cp_check_assignment(const cp_array *target, const cp_node *root);
// The same as cp_assign for an argument `out`. Its shape must be the result's (CP_SAME_SHAPE), or for
// elementwise work one that the result broadcasts to (CP_BROADCASTS).
typedef enum cp_fitting { CP_SAME_SHAPE, CP_BROADCASTS } cp_fitting;
cp_status cp_assign_out(cp_context *ctx, cp_array *target, cp_node *root, cp_fitting how);
// Converts *root to target's dtype, for a reduction's `out`: any cast is allowed, except from complex to
// real. Takes the reference even on failure.
cp_status cp_cast_for_out(const cp_array *target, cp_node **root);

#endif
