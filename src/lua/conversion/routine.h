// What the bindings of routines share: arrays in the layout that routines take, and temporary memory.
#ifndef CP_LUA_CONVERSION_ROUTINE_H
#define CP_LUA_CONVERSION_ROUTINE_H

#include "lazy/arrays/access.h"
#include "lua/conversion/take.h"

// The array at the absolute stack index `slot`, computed and contiguous in C order. An array with another
// layout, or a value that is not an array, is replaced there by a new array in this form.
cp_array *cp_take_contiguous(lua_State *L, int slot, const char *where, const char *argument);
// Returns temporary device memory, which belongs to an array that it pushes. For 0 bytes it returns NULL and
// pushes nil.
void *cp_push_scratch(lua_State *L, const char *where, cp_device *device, size_t bytes);
// Returns the temporary memory at stack index `slot` to the pool, to be reused after the work that is queued
// now.
void cp_free_scratch(lua_State *L, int slot);

#endif
