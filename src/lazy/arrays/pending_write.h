// Writes into parts of pending values, which may wait, too (lazy/transforms/overlaid.h).
#ifndef CP_LAZY_ARRAYS_PENDING_WRITE_H
#define CP_LAZY_ARRAYS_PENDING_WRITE_H

#include "lazy/arrays/pending.h"

// Whether writes into parts of a, which is pending, may wait: if it waits for a number or an elementwise
// operation that nothing else uses, fusion is on, and no graph is captured. A fast path: not on a device
// where storing a part afterwards takes less time than choosing everywhere, which gives equal values.
bool cp_may_write_pending(const cp_context *ctx, const cp_array *a);
// Whether so many bytes may be computed with a part chosen in place of the old elements, rather than copied
// before that part is stored.
bool cp_may_overlay(const cp_context *ctx, const cp_device *d, size_t bytes);
// Sets *out to the value of a, whose old one is `old`, after root is written into `view`, a part of it; to
// NULL if that is not worth it, or if it is more than a few operations: then other parts are stored on their
// own. CP_EMEMORY.
cp_status cp_overlay(cp_context *ctx, cp_node *old, const cp_array *a, const cp_array *view, cp_node *root,
                     cp_node **out);
// Whether a copy of a in this order ('C', 'F' or 'K') may wait, so that writes into parts of it can join it:
// if a is all of its memory, which the copy needs until then, is large, and has the copy's layout, in which
// it is read.
bool cp_may_copy_later(const cp_context *ctx, const cp_array *a, char order);
// Writes root, whose reference it takes even on failure, into the elements that `view` shows, a view of a in
// the memory that it has or will have. If a is pending it goes on waiting where that is possible and worth
// it; otherwise it is computed and written (cp_assign). CP_ESHAPE, CP_EDTYPE, CP_EUSAGE.
cp_status cp_assign_part(cp_context *ctx, cp_array *a, cp_array *view, cp_node *root);

#endif
