// Masks: arrays of bool that choose elements.
//
// How many elements of a mask are true, and where, is found out once and kept with its buffer until that is written: x[mask], y[mask],
// any(mask) and x[mask] = v share it.
//
// x[mask], for a mask of x's shape, is a pending value of known length: a node of operation CP_OP_masked on two leaves. No plan can have such a
// node, so it is computed on its own (masked.h) before anything that it is a part of. But where values are assigned under the mask
// that all of them were read by (z[m] = z[m]^2 + c[m]) nothing has to be taken out: cp_spread (spread.h) gives the same expression over the whole arrays.
#ifndef CP_LAZY_EVALUATION_MASK_H
#define CP_LAZY_EVALUATION_MASK_H

#include "lazy/evaluation/order.h"
#include "routines/index.h"

// A mask is a contiguous (C order) array of bool in memory. The number of its true elements; waits for it unless it is known. *offsets, with
// a reference for the caller, is device memory (routines/index.h); NULL where it is not wanted.
cp_status cp_mask_count(cp_context *ctx, cp_array *mask, int64_t *count, cp_buffer **offsets);
// Whether the count is known without waiting.
bool cp_mask_known(const cp_array *mask, int64_t *count);
// Moves elements on stream, which knows of all arrays: between base, whose axis has the mask's size, and value, which has an element for each
// true one, or into value their positions (no base). c has kind and count, offsets is of cp_mask_count.
cp_status cp_mask_compact(cp_context *ctx, cp_stream *stream, cp_compaction *c, const cp_array *mask,
                          const cp_array *base, const cp_array *value, cp_buffer *offsets);

#endif
