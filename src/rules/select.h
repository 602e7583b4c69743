// Indices with arrays: which axes are kept, which ones arrays choose from, where the result has its new axes
// (NumPy's rules), and the ways to read and write what they choose.
//
// One mask alone has ways of its own (masks.c): what it reads is a pending value (lazy/evaluation/mask.h),
// and numbers, and values that were read by the same mask, are written by one elementwise kernel over the
// whole array. All else is a lookup by arrays of positions (lookup.h), which masks are turned into.
#ifndef CP_RULES_SELECT_H
#define CP_RULES_SELECT_H

#include "lazy/arrays/gather.h"
#include "rules/index.h"
#include "rules/values.h"

// An index with arrays, resolved against an array: its axes are either kept (by ranges, or because no item
// names them) or chosen from by arrays. `all` has the kept axes and, at `place`, the chosen ones; the result
// has axes of its own in the place of the chosen ones. Views borrow the array's storage.
typedef struct cp_selection {
  const char *where, *site; // the function and the line of the script, for errors that a device finds later
  cp_array *source;         // the array that is indexed
  cp_array_local all_local, kept_local;
  cp_array *all, *kept;
  int place, nchosen;
  int axes[CP_MAXDIM]; // numbers of the chosen axes, from 1 on
  bool single_mask;    // one array, a mask with elements
  int ndim;            // of what is read
  int narrays;
  struct {
    cp_array *array; // of positions; or a mask
    int first;       // of the chosen axes: this one, and for masks as many as it has
  } arrays[CP_MAXDIM];
} cp_selection;

// a has memory. CP_EINDEX, CP_ESHAPE.
cp_status cp_select(const cp_index *ix, cp_array *a, cp_selection *c);
// Makes result, which has room for c->ndim dimensions, the chosen elements; or gives a value in *root for it
// to wait for.
cp_status cp_select_read(cp_context *ctx, cp_selection *c, cp_array *result, cp_node **root);
// Whether the array can be written in this way at all. CP_EUSAGE, CP_EDTYPE.
cp_status cp_check_write(const cp_array *a, cp_lookup_kind kind);
// Writes the value, or combines it with what is there. distinct: see routines/index.h.
cp_status cp_select_write(cp_context *ctx, cp_selection *c, const cp_value *value, cp_lookup_kind kind,
                          bool distinct);

// ---- masks.c ----
// f->a as a mask in memory, in C order, with an axis at least; a copy where it may overlap `apart` (NULL: it
// may).
cp_status cp_form_mask(cp_context *ctx, cp_form *f, const cp_array *apart);
// Of cp_select_read and cp_select_write, where one mask chooses: *root NULL and *done false where it is no
// matter of single elements, or of this value.
cp_status cp_mask_read(cp_context *ctx, cp_selection *c, cp_node **root);
cp_status cp_mask_write(cp_context *ctx, cp_selection *c, const cp_value *value, bool *done);
// Makes positions, which has room for two dimensions, those of mask's true elements, int64 from 1 on: (axes
// of mask, count), or (count, axes) when `rows` is set.
cp_status cp_mask_positions(cp_context *ctx, cp_array *mask, bool rows, cp_array *positions);
// How many elements of an array of bool are true.
cp_status cp_count_true(cp_context *ctx, cp_array *mask, int64_t *count);

#endif
