// Shapes as Lua has them: tables with a metatable.
#ifndef CP_LUA_VALUES_SHAPE_H
#define CP_LUA_VALUES_SHAPE_H

#include "lua/state/compat.h"

void cp_push_shape(lua_State *L, int ndim, const int64_t *shape); // a table with the shape metatable
// Pushes the value at index as text to be joined with that of `what` ("an array"): a string, a number, or what its __tostring gives. Raises.
void cp_push_joinable(lua_State *L, int index, const char *what);

#endif
