// The views that an array's fields give.
#ifndef CP_LUA_INDEXING_VIEW_H
#define CP_LUA_INDEXING_VIEW_H

#include "array/view.h"
#include "lua/state/state.h"

// Pushes the view of a with its axes reversed (x.T). Returns 1.
int cp_push_transposed(lua_State *L, cp_array *a);
// Pushes the view of a with its last two axes exchanged (x.mT). Returns 1.
int cp_push_matrices_transposed(lua_State *L, cp_array *a);
// Pushes the real part of a or, if `imag`, the imaginary part (x.real, x.imag): a view, except that the
// imaginary part of real values is read-only zeros. Returns 1.
int cp_push_part(lua_State *L, cp_array *a, bool imag);

#endif
