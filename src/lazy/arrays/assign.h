// Assignment: values written into arrays.
#ifndef CP_LAZY_ARRAYS_ASSIGN_H
#define CP_LAZY_ARRAYS_ASSIGN_H

#include "lazy/arrays/write.h"

// Writes the value of root (whose reference it takes) into target: same_kind casts only, broadcasting, overlap and devices checked. One
// kernel without a temporary when each operand is disjoint from target or exactly the same view.
cp_status cp_assign(cp_context *ctx, cp_array *target, cp_node *root, cp_rename rename);
// The same for out=, whose shape must be the result's; or, of elementwise work, one that the result broadcasts to.
typedef enum cp_fitting { CP_SAME_SHAPE, CP_BROADCASTS } cp_fitting;
cp_status cp_assign_out(cp_context *ctx, cp_array *target, cp_node *root, cp_fitting how);
// *root in target's dtype, as reductions are written into out: any but that complex values do not become real. Takes the reference even on failure.
cp_status cp_cast_for_out(const cp_array *target, cp_node **root);

#endif
