// Indices with arrays: which axes are kept, which ones the arrays select from, where the result has its new
// axes (NumPy's rules), and how the selected elements are read and written.
//
// A single mask is handled by itself (masks.c). x[mask] is a pending value (lazy/work/mask.h). Numbers,
// and values that were read by the same mask, are written by one elementwise kernel over the whole array;
// other values are moved in order. In all other cases masks become arrays of positions, and the selection is
// a lookup by those (lookup.h).
#ifndef CP_RULES_SELECT_H
#define CP_RULES_SELECT_H

#include "lazy/arrays/gather.h"
#include "rules/indexing/index.h"
#include "rules/values.h"

// An index with arrays, resolved against an array. Each axis is either kept (by a range, or because no item
// names it) or chosen (arrays select from it). The view `all` has the kept axes and, at `place`, the chosen
// ones; in the result the axes of the index arrays take the place of the chosen ones. The views hold no
// reference to the array's storage.
typedef struct cp_selection {
  const char *where, *site; // function and line of the script, for errors that a device finds later
  cp_array *source;         // the indexed array
  cp_array_local all_local, kept_local;
  cp_array *all, *kept;
  int place, nchosen;
  int axes[CP_MAXDIM]; // numbers of the chosen axes, counted from 1
  bool single_mask;    // the only array is a mask that has elements
  int ndim;            // number of dimensions of the result
  int narrays;
  struct {
    cp_array *array; // an array of positions, or a mask
    int first;       // the first chosen axis that it selects from; a mask selects from as many as it has
  } arrays[CP_MAXDIM];
} cp_selection;

// Resolves the index ix against a, which is in memory. CP_EINDEX, CP_ESHAPE.
cp_status cp_select(const cp_index *ix, cp_array *a, cp_selection *c);
// Reads the selected elements into result, a new array with room for c->ndim dimensions; or sets *root to a
// pending value that the result should wait for.
cp_status cp_select_read(cp_context *ctx, cp_selection *c, cp_array *result, cp_node **root);
// Checks whether the array can be written by this kind of lookup. CP_EUSAGE, CP_EDTYPE.
cp_status cp_check_write(const cp_array *a, cp_lookup_kind kind);
// Writes the value, or combines it with the old elements. distinct: see routines/index.h.
cp_status cp_select_write(cp_context *ctx, cp_selection *c, const cp_value *value, cp_lookup_kind kind,
                          bool distinct);

// ---- masks.c ----
// cp_select_read and cp_select_write for a single mask. If they cannot handle the selection or the value,
// they leave *root NULL or *done false.
cp_status cp_mask_read(cp_context *ctx, cp_selection *c, cp_node **root);
cp_status cp_mask_write(cp_context *ctx, cp_selection *c, const cp_value *value, bool *done);
// Makes `positions`, with room for two dimensions, an int64 array of the positions of the mask's true
// elements, counted from 1. Its shape is (axes of mask, count), or (count, axes of mask) if `rows` is set.
cp_status cp_mask_positions(cp_context *ctx, cp_array *mask, bool rows, cp_array *positions);
// Counts the true elements of an array of bool.
cp_status cp_count_true(cp_context *ctx, cp_array *mask, int64_t *count);

#endif
