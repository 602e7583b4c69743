// Views of the same memory under other axes and dtypes, and reshaping, which may have to copy.
//
// All arrays are in memory (cp_force), except those whose axes are reordered, added, removed or reversed, and
// those that cp_reshape and cp_ravel take: they may be pending, and then their views are laid out for the
// memory that they will have (lazy/arrays/pending_view.h).
// `view` and `result` are placed with room for the axes that they get. A view borrows the storage of a: the
// caller adds a reference if the view may outlive a. A result holds a reference of its own, and the caller
// releases it, even after a failure.
#ifndef CP_RULES_VIEW_H
#define CP_RULES_VIEW_H

#include "array/array.h"

// ---- the order and the number of axes ---------------------------------------------------------------------

// Puts the axes into an order (axes.h).
void cp_view_permute(const cp_array *a, const int *perm, cp_array *view);
// Removes the axes of length 1 among `axes`, one bit each. CP_ESHAPE if `given`, which means that the user
// named them, and one has another length.
cp_status cp_view_squeeze(const cp_array *a, uint32_t axes, bool given, cp_array *view);
// The number of axes of a with so many new ones. CP_ESHAPE if there are too many.
cp_status cp_expanded_ndim(const cp_array *a, size_t added, int *ndim);
// Adds axes of length 1 at the places `added` of the result, one bit each, which has ndim axes.
void cp_view_expand(const cp_array *a, uint32_t added, int ndim, cp_array *view);
// Reverses the axes, one bit each.
void cp_view_flip(const cp_array *a, uint32_t axes, cp_array *view);
// Fails with CP_ESHAPE if the argument m has fewer axes.
cp_status cp_check_ndim(const cp_array *m, int least);

// ---- broadcasting -----------------------------------------------------------------------------------------

// Broadcasts the shape of *ndim lengths with a's, in place. CP_ESHAPE.
cp_status cp_broadcast_with(int *ndim, int64_t *shape, const cp_array *a);
// Broadcasts a to this shape, which it is known to broadcast to. The view is read-only if it repeats
// elements.
void cp_view_broadcast(const cp_array *a, int ndim, const int64_t *shape, cp_array *view);
// The same for any shape, as a read-only view. CP_ESHAPE.
cp_status cp_view_broadcast_to(const cp_array *a, int ndim, const int64_t *shape, cp_array *view);

// ---- memory -----------------------------------------------------------------------------------------------

// Views a's memory, from its first element on, with this shape and these `given` strides in bytes. The view
// is read-only if it repeats elements. CP_EINDEX if it leaves the memory, CP_ESHAPE, CP_EUSAGE.
cp_status cp_view_strided(const cp_array *a, int ndim, const int64_t *shape, int given,
                          const int64_t *strides, bool writeable, cp_array *view);

// Reads a's bytes as another dtype. If its size differs, the last axis becomes longer or shorter. CP_ESHAPE,
// CP_EUSAGE.
cp_status cp_view_as(const cp_array *a, cp_dtype to, cp_array *view);

// Gives a's elements, taken in C or F order, another shape, in which one length may be -1 and is replaced.
// The result is a view, or owns a copy if no strides can say it or a copy is asked for. CP_ESHAPE.
cp_status cp_reshape(cp_context *ctx, cp_array *a, int ndim, int64_t *shape, char order, bool copy,
                     cp_array *result);
// Gives a's elements in C, F or K order as one axis: a view if they lie without gaps, else a copy, and
// always one if `copy`. K is the order in memory.
cp_status cp_ravel(cp_context *ctx, cp_array *a, char order, bool copy, cp_array *result);
// Gives the real or imaginary part of a: a view, or for the imaginary part of real values read-only zeros.
cp_status cp_part(cp_context *ctx, const cp_array *a, bool imag, cp_array *result);

#endif
