// Takes arguments that are arrays, and makes arrays of those that are tables, numbers, booleans or boxed
// values.
#ifndef CP_LUA_CONVERSION_TAKE_H
#define CP_LUA_CONVERSION_TAKE_H

#include "lua/values/handle.h"

// The array at the absolute stack index `slot`, computed if it was pending. A table, number, boolean or boxed
// value there is replaced by an array made of it on the current device. Raises an error that names the
// argument for other values.
cp_array *cp_take_array(lua_State *L, int slot, const char *where, const char *argument);
// Does the same, but leaves a pending array pending.
cp_array *cp_take_value(lua_State *L, int slot, const char *where, const char *argument);
// Does the same as cp_take_value, but makes a new array on the device of the array at stack index `other`, if
// there is one (0: there is none).
cp_array *cp_take_beside(lua_State *L, int slot, const char *where, const char *argument, int other);

#endif
