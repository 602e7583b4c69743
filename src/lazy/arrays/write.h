// The write barrier, which every write into an array goes through.
//
// Pending values that were built on the old elements must not see the new ones. If the whole storage is
// written, it gets another buffer, and the pending values keep the old one (renaming); so it does where the
// new value itself reads elements that the kernel may have overwritten. If a part is written,
// either the storage gets a copy to write into, or the pending values are computed first, whichever moves
// fewer bytes. A buffer whose address is exposed is never exchanged.
#ifndef CP_LAZY_ARRAYS_WRITE_H
#define CP_LAZY_ARRAYS_WRITE_H

#include "lazy/expression/node.h"

typedef enum cp_rename { CP_MAY_RENAME, CP_NEVER_RENAME } cp_rename;

// Call before anything writes to a, which has memory. whole: every element of the storage will be written,
// and the work reads none of them. CP_EUSAGE for read-only views and freed arrays.
cp_status cp_begin_write(cp_context *ctx, cp_array *a, bool whole);
// Call before the array's address is exposed: computes the pending values that read the array, and gives it a
// buffer that no other storage shares.
cp_status cp_expose(cp_context *ctx, cp_array *a, cp_exposure why);
// Imports an array into the current capture, before recorded work uses it as an operand or target:
// cp_array_node, cp_open_arrays, cp_begin_write and cp_assign call this. It computes values from before the
// capture that read the array's memory; and if another storage shares that memory, the array gets its own.
cp_status cp_capture_import(cp_context *ctx, cp_array *a);

// The steps of cp_begin_write, for cp_assign, which calls them itself. CP_EUSAGE for read-only views and
// freed arrays.
cp_status cp_fail_readonly(void);
static inline cp_status cp_check_writable(const cp_array *a) {
  CP_TRY(cp_array_check(a));
  return a->readonly ? cp_fail_readonly() : CP_OK;
}
// Handles pending readers of a's elements, except root's own leaves (root may be NULL). *own: how many such
// leaves there are. *renamed: the storage has another buffer now.
cp_status cp_clear_readers(cp_context *ctx, cp_array *a, bool whole, cp_node *root, cp_rename rename,
                           int *own, bool *renamed);
// Whether root reads elements of a's memory in another view than a, which has memory.
bool cp_reads_elsewhere(cp_context *ctx, const cp_array *a, cp_node *root);
// Whether a write of root's value into a, a part of its memory, would give the storage a copy of it, since
// pending values other than root read the old elements.
bool cp_is_copied_for_readers(cp_context *ctx, const cp_array *a, cp_node *root);

#endif
