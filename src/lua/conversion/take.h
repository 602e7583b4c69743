// Arguments that are arrays, or become arrays: tables, numbers, booleans and boxed values.
#ifndef CP_LUA_CONVERSION_TAKE_H
#define CP_LUA_CONVERSION_TAKE_H

#include "lua/values/handle.h"

// The array at stack index `slot` (absolute); a table, number, boolean or boxed value there is replaced by the array of it, on the current device.
// Raises for other values, naming `argument`.
cp_array *cp_take_array(lua_State *L, int slot, const char *where, const char *argument);
// The same, but a pending array stays pending.
cp_array *cp_take_value(lua_State *L, int slot, const char *where, const char *argument);
// The same; a new array is made on the device of the array at stack index `other`, if one is there.
cp_array *cp_take_beside(lua_State *L, int slot, const char *where, const char *argument, int other);

#endif
