// The one door to mutation, and assignment: values written into arrays.
//
// Values that were built on the old elements but are still pending must not see the new ones. Where the whole storage is written it gets another
// buffer, and the readers keep the old one (renaming). Where a part is written the storage gets a copy, or the readers are computed
// first, whichever moves fewer bytes. Memory whose address is out (foreign) is never exchanged.
#ifndef CP_LAZY_WRITE_H
#define CP_LAZY_WRITE_H

#include "lazy/pending.h"

typedef enum cp_rename { CP_MAY_RENAME, CP_NEVER_RENAME } cp_rename;

// Call before anything writes to a, which has memory. whole: every element of the storage will be written, and nothing read from it by address.
// CP_EUSAGE for read-only views and freed arrays.
cp_status cp_begin_write(cp_context *ctx, cp_array *a, bool whole);
// The raw pointer of a goes out: what reads it is computed, and it has its memory to itself from now on.
cp_status cp_expose(cp_context *ctx, cp_array *a, cp_exposure why);

// Writes the value of root (whose reference it takes) into target: same_kind casts only, broadcasting, overlap and devices checked. One
// kernel without a temporary when each operand is disjoint from target or exactly the same view.
cp_status cp_assign(cp_context *ctx, cp_array *target, cp_node *root, cp_rename rename);
// The same for out=, whose shape must be the result's; or, of elementwise work, one that the result broadcasts to.
typedef enum cp_fitting { CP_SAME_SHAPE, CP_BROADCASTS } cp_fitting;
cp_status cp_assign_out(cp_context *ctx, cp_array *target, cp_node *root, cp_fitting how);
// *root in target's dtype, as reductions are written into out: any but that complex values do not become real. Takes the reference even on failure.
cp_status cp_cast_for_out(const cp_array *target, cp_node **root);

#endif
