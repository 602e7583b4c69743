// Elementwise functions and operators for Lua, all made from the table of operations.
#ifndef CP_LUA_ELEMENTWISE_UFUNC_H
#define CP_LUA_ELEMENTWISE_UFUNC_H

#include "lua/elementwise/operand.h"
#include "lua/state/state.h"

// Applies op to the values at first..first+arity-1 and pushes the result: a new array; a Lua value if no
// operand is an array; or the array at stack index `out` (0: none), after writing into it. dtype: the dtype
// to compute in, or CP_NDTYPES for the table's rule.
int cp_elementwise(lua_State *L, const char *where, cp_op op, int first, int out, cp_dtype dtype);

#endif
