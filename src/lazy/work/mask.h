// Masks: arrays of bool that select elements.
//
// The true elements of a mask, and those before each tile of it, are counted once. The counts are kept with
// the mask's buffer until that is written; x[mask], y[mask], any(mask) and x[mask] = v share them.
//
// x[mask], for a mask of x's shape, is a pending value of known length: a node of operation CP_OP_masked on
// two leaves. No plan can have such a node, so it is computed on its own (parts.h) before any expression
// that it is part of. But if all values of an assignment were read by the mask of its target (z[m] = z[m]^2 +
// c[m]), no elements need to be gathered: cp_spread (lazy/transforms/spread.h) gives the same expression over
// the whole arrays.
#ifndef CP_LAZY_WORK_MASK_H
#define CP_LAZY_WORK_MASK_H

#include "lazy/work/order.h"
#include "routines/index.h"

// Here a mask is an array of bool in memory, contiguous in C order.
//
// Counts the true elements, and waits for the count unless it is known. *offsets, with a reference for the
// caller, is device memory with the counts before each tile (routines/index.h); offsets may be NULL.
cp_status cp_mask_count(cp_context *ctx, cp_array *mask, int64_t *count, cp_buffer **offsets);
// Whether the count is known without waiting.
bool cp_mask_known(const cp_array *mask, int64_t *count);
// Moves elements on stream, where the uses of all arrays are recorded: between base, whose single axis has
// the mask's size, and value, which has one element for each true one. Without base it writes the positions
// of the true elements into value. c has kind and count; offsets comes from cp_mask_count.
cp_status cp_mask_compact(cp_context *ctx, cp_stream *stream, cp_compaction *c, const cp_array *mask,
                          const cp_array *base, const cp_array *value, cp_buffer *offsets);

#endif
