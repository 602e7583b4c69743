// What bindings of routines share: arrays in the form that routines take, results, temporary memory.
#ifndef CP_LUA_CONVERSION_ROUTINE_H
#define CP_LUA_CONVERSION_ROUTINE_H

#include "lazy/arrays/access.h"
#include "lua/conversion/take.h"

// The array at stack index `slot` (absolute) with memory, in C order without gaps; a copy in this form replaces another array there.
cp_array *cp_take_contiguous(lua_State *L, int slot, const char *where, const char *argument);
// Temporary device memory as an array on the stack; *memory NULL and nil on the stack for 0 bytes.
void *cp_push_scratch(lua_State *L, const char *where, cp_device *device, size_t bytes);
// The temporary memory at stack index `slot` goes back to the pool, behind the work queued so far.
void cp_free_scratch(lua_State *L, int slot);

#endif
