// Conversion between Lua values and arrays, as far as files of this room share it beyond state.h.
#ifndef CP_LUA_CONVERT_H
#define CP_LUA_CONVERT_H

#include "lua/state.h"

// Pushes a new array on `device` with the values of a, which may be on any device; in Fortran order when a is so, else in C order. Raises.
cp_array *cp_push_on_device(lua_State *L, const char *where, cp_array *a, cp_device *device);
// Pushes a new array on a's device with a's values converted to dtype by any cast, in the order in which a lies in memory. Raises.
cp_array *cp_push_as(lua_State *L, const char *where, cp_array *a, cp_dtype dtype);

// Copies the host memory, the values of target in C order, into target, which is contiguous. Raises.
void cp_upload(lua_State *L, const char *where, cp_array *target, const void *host);

void cp_open_convert(lua_State *L);
void cp_open_readback(lua_State *L);
void cp_open_print(lua_State *L);

#endif
