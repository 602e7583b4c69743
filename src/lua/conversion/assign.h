// Writes Lua values into arrays, and gives new arrays their values. Relies on the write barrier
// (lazy/arrays/write.h) and on pending values (lazy/arrays/pending.h).
#ifndef CP_LUA_CONVERSION_ASSIGN_H
#define CP_LUA_CONVERSION_ASSIGN_H

#include "lua/state/state.h"

// Converts a number that is to be written into an array of dtype t. A bare Lua number must fit t; a typed one
// must be allowed by a same_kind cast. Raises.
void cp_check_scalar_for(lua_State *L, const char *where, cp_dtype t, char kind, bool weak, cp_scalar *s);
// Writes the Lua value at index (an array, number, table or boxed value) into target; raises.
void cp_assign_value(lua_State *L, const char *where, cp_array *target, int index);
// The same for an array or number and `view`, a view of a in the memory that it has or will have; a may go on
// waiting (lazy/arrays/pending_write.h). False for other values, and those on another device.
bool cp_assign_pending(lua_State *L, const char *where, cp_array *a, cp_array *view, int index);
// Makes the array a, which was pushed with room for root->ndim dimensions, wait for the value of root; takes
// root's reference. The value is computed at once if fusion is off or if it reads memory that others may
// change. Never raises an error.
cp_status cp_give(cp_array *a, cp_node *root);
// Pushes a new copy of a in the given order, 'C' or 'F'.
cp_array *cp_push_copy(lua_State *L, const char *where, cp_array *a, char order);

#endif
