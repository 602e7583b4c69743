// The one door to mutation.
//
// Values that were built on the old elements but are still pending must not see the new ones. Where the whole storage is written it gets another
// buffer, and the readers keep the old one (renaming). Where a part is written the storage gets a copy, or the readers are computed
// first, whichever moves fewer bytes. Memory whose address is out (foreign) is never exchanged.
#ifndef CP_LAZY_ARRAYS_WRITE_H
#define CP_LAZY_ARRAYS_WRITE_H

#include "lazy/expression/node.h"

typedef enum cp_rename { CP_MAY_RENAME, CP_NEVER_RENAME } cp_rename;

// Call before anything writes to a, which has memory. whole: every element of the storage will be written, and nothing read from it by address.
// CP_EUSAGE for read-only views and freed arrays.
cp_status cp_begin_write(cp_context *ctx, cp_array *a, bool whole);
// The raw pointer of a goes out: what reads it is computed, and it has its memory to itself from now on.
cp_status cp_expose(cp_context *ctx, cp_array *a, cp_exposure why);
// Before work that is being recorded takes a as an operand or a target, by a door of its own: values of before the capture that depend on its memory are
// computed, and it gets memory of its own where it shares some.
cp_status cp_capture_import(cp_context *ctx, cp_array *a);

// What assignment does in place of cp_begin_write. CP_EUSAGE for read-only views and freed arrays.
cp_status cp_check_writable(const cp_array *a);
// Readers of a's elements other than root's own leaves (root may be NULL) are seen to. *own: how many of those there are. *renamed: the storage has
// another buffer now.
cp_status cp_clear_readers(cp_context *ctx, cp_array *a, bool whole, cp_node *root, cp_rename rename,
                           int *own, bool *renamed);

#endif
