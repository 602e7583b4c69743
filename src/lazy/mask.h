// Masks: arrays of bool that choose elements.
//
// How many elements of a mask are true, and where, is found out once and kept with its buffer until that is written: x[mask], y[mask],
// any(mask) and x[mask] = v share it.
//
// x[mask], for a mask of x's shape, is a pending value of known length: a node of operation CP_OP_masked on two leaves. No plan can have such a
// node, so it is computed on its own (cp_compute_masked) before anything that it is a part of. But where values are assigned under the mask
// that all of them were read by (z[m] = z[m]^2 + c[m]) nothing has to be taken out: cp_spread gives the same expression over the whole arrays.
#ifndef CP_LAZY_MASK_H
#define CP_LAZY_MASK_H

#include "lazy/pending.h"
#include "routines/index.h"

// A mask is a contiguous (C order) array of bool in memory. The number of its true elements; waits for it unless it is known. *offsets, with
// a reference for the caller, is device memory (routines/index.h); NULL where it is not wanted.
cp_status cp_mask_count(cp_context *ctx, cp_array *mask, int64_t *count, cp_buffer **offsets);
// Whether the count is known without waiting.
bool cp_mask_known(const cp_array *mask, int64_t *count);

// Moves elements between `base`, whose axis has the mask's size, and `value`, which has an element for each true one; POSITIONS:
// value is int64 with those, and the coordinates under mask's shape, along its two axes, whichever is `axis` the coordinates. All arrays but the
// target have memory, and the target is ready to be written.
cp_status cp_mask_move(cp_context *ctx, cp_compaction_kind kind, cp_array *mask, cp_array *base,
                       cp_array *value);

// Computes the parts of n (n included) that a mask takes from arrays. n is retained by the caller, and may be a leaf afterwards.
cp_status cp_compute_masked_parts(cp_context *ctx, cp_node *n);
static inline cp_status cp_compute_masked(cp_context *ctx, cp_node *n) {
  return n->masked ? cp_compute_masked_parts(ctx, n) : CP_OK;
}

// Where every array that n reads is taken from one of target's shape by this mask: n over the whole arrays, in *out. NULL: not so.
// mask: a view in memory.
cp_status cp_spread(cp_context *ctx, cp_node *n, const cp_array *mask, const cp_array *target, cp_node **out);

// Runs a lookup whose shapes and strides are set, and collapsed, on these arrays, which have memory.
cp_status cp_lookup_arrays(cp_context *ctx, cp_lookup *l, cp_array *base, cp_array *value,
                           cp_array *const *positions);

#endif
