// Sparse arrays are objects of the Lua side (lua/cupola/scipy/sparse): userdata with a table of fields. Where
// an operator, an elementwise function or a reduction finds one among its operands, a function of the Lua
// side does the work.
#ifndef CP_LUA_ELEMENTWISE_SPARSE_H
#define CP_LUA_ELEMENTWISE_SPARSE_H

#include "lua/state/state.h"

// Whether the value at index is a sparse array.
bool cp_is_sparse(lua_State *L, int index);
// Calls the Lua side's function `handler` ("operate", "reduce") with `name` and the `count` values from stack
// slot `first` on. Pushes its result and returns 1.
int cp_call_sparse(lua_State *L, const char *handler, const char *name, int first, int count);

#endif
