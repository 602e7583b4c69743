// Views of pending values that wait, too (lazy/expression/planned.h).
#ifndef CP_LAZY_ARRAYS_PENDING_VIEW_H
#define CP_LAZY_ARRAYS_PENDING_VIEW_H

#include "lazy/arrays/pending.h"

// Whether views of a, which is pending, may be pending: if it waits for an elementwise operation, without
// reductions or with such that no kernel computes together with it, fusion is on, and no graph is captured. A
// fast path: not if a has few elements for its device; computing them at once gives equal values.
bool cp_may_view_pending(cp_context *ctx, const cp_array *a);
// Makes v, a handle, the view of a that `view` describes, by its offset and strides in the memory that a has
// or will have. Reductions that a is made of are computed. If a is still pending, v waits for an expression
// of the elements that it shows, unless that would repeat too much work: then a is computed. CP_EUSAGE if a
// was freed.
cp_status cp_pend_view(cp_context *ctx, cp_array *a, cp_array *view, cp_array *v);

#endif
