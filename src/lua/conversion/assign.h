// Writing values into arrays, and values into new arrays.
#ifndef CP_LUA_CONVERSION_ASSIGN_H
#define CP_LUA_CONVERSION_ASSIGN_H

#include "lua/state/state.h"

// Brings a number that is to be written into dtype t to t: a bare number keeps t where it is a value of t; others must be of t's kind. Raises.
void cp_check_scalar_for(lua_State *L, const char *where, cp_dtype t, char kind, bool weak, cp_scalar *s);
// Writes the Lua value at index (array, number, table, boxed) into target; raises.
void cp_assign_value(lua_State *L, const char *where, cp_array *target, int index);
// The pushed array `a` (placed for root->ndim dimensions or more) waits for the value of root, whose reference is taken; with fusion off, and for
// memory that others may change, the value is computed now. Never raises.
cp_status cp_give(cp_array *a, cp_node *root);
// A new C-order copy of a on the stack.
cp_array *cp_push_copy(lua_State *L, const char *where, cp_array *a, char order);

#endif
