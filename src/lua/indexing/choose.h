// Indexing by arrays: what the files that resolve, read and write such indices share.
#ifndef CP_LUA_INDEXING_CHOOSE_H
#define CP_LUA_INDEXING_CHOOSE_H

#include "lazy/mask.h"
#include "lua/indexing/index.h"

// An index with arrays, resolved against an array: its axes are either kept (by ranges, or because no item names them) or chosen from by arrays.
// `all` has the kept axes and, at `place`, the chosen ones; the result has axes of its own in the place of the chosen ones. Views borrow the
// array's storage.
typedef struct cp_selection {
  const char *where;
  cp_array *source; // the array that is indexed
  cp_array_local all_local, kept_local;
  cp_array *all, *kept;
  int place, nchosen;
  int axes[CP_MAXDIM]; // numbers of the chosen axes, from 1 on
  bool single_mask;    // one array, a mask with elements
  int narrays;
  struct {
    cp_array *array; // of positions; or a mask, with an axis at least
    int first;       // of the chosen axes: this one, and for masks as many as it has
  } arrays[CP_MAXDIM];
} cp_selection;

void cp_selection_resolve(lua_State *L, const cp_index *ix, cp_array *a, cp_selection *c);

// The mask of c in memory in C order, pushed where that is a copy.
cp_array *cp_selection_mask(lua_State *L, cp_selection *c);
// Whether the mask chooses single elements, which lie at even distances: then *flat is a view of them as one axis.
bool cp_selection_is_flat(const cp_selection *c, cp_array *flat);

// Pushes the positions of mask's true elements, int64 from 1 on: an array (axes of mask, count), or (count, axes) when `rows` is set.
cp_array *cp_push_mask_positions(lua_State *L, const char *where, cp_array *mask, bool rows);

// The value at stack slot `slot` (array, table, number) as an array in memory that can be written into `target`: of its dtype and device, not
// overlapping it. Pushes something.
cp_array *cp_push_values_for(lua_State *L, const char *where, const cp_array *target, int slot);

// A lookup in the making, which cp_lookup_begin begins (distinct: see routines/index.h). cp_lookup_add adds an array of positions, which has memory, for the axis of these properties.
typedef struct cp_lookup_call {
  cp_lookup l;
  cp_array *positions[CP_MAXDIM];
} cp_lookup_call;
void cp_lookup_begin(cp_lookup_call *call, const char *where, cp_lookup_kind kind, bool distinct);
void cp_lookup_add(cp_lookup_call *call, cp_array *positions, int64_t length, int64_t stride, int axis);
// Brings the arrays of positions to one dtype, and makes copies of those that the lookup would write into (`target`; NULL: it reads). Pushes them.
void cp_lookup_settle(lua_State *L, cp_lookup_call *call, const cp_array *target);
// Runs it; pushes nothing, raises.
void cp_lookup_run(lua_State *L, cp_lookup_call *call, cp_array *base, cp_array *value);

#endif
