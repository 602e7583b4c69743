// Shapes as Lua sees them: tables with a metatable.
#ifndef CP_LUA_VALUES_SHAPE_H
#define CP_LUA_VALUES_SHAPE_H

#include "lua/state/compat.h"

// Pushes a table with the metatable of shapes.
void cp_push_shape(lua_State *L, int ndim, const int64_t *shape);
// Pushes the value at index as text that is to be joined with the text of `what` ("an array"): a string, a
// number, or what its __tostring returns. Raises if the value has no text.
void cp_push_joinable(lua_State *L, int index, const char *what);

#endif
