// Writes into large parts of arrays whose other elements the new value reads, as in a step of a stencil.
#ifndef CP_LAZY_ARRAYS_WIDENED_H
#define CP_LAZY_ARRAYS_WIDENED_H

#include "lazy/arrays/write.h"

// Where target is a box of at least half of its memory, *root, of target's dtype, reads that memory at other
// elements than it writes, and the memory may get another buffer: sets *root to the value of the whole memory
// after the write (lazy/transforms/overlaid.h), and `whole` to a view of it (array/view.h). Then one kernel
// computes it into a new buffer, instead of one into a temporary or a copy of the whole, and another one that
// copies. *widened: whether that was done. CP_EMEMORY.
cp_status cp_widen_write(cp_context *ctx, cp_array *target, cp_node **root, cp_array_local *whole,
                         bool *widened);

#endif
