// Allocators whose functions are written in Lua (allocator_function.c), for the objects of allocator.c.
#ifndef CP_LUA_DEVICES_ALLOCATOR_H
#define CP_LUA_DEVICES_ALLOCATOR_H

#include "lua/state/module.h"
#include "memory/allocator.h"

// Creates an allocator on the two functions at these stack slots: allocate(nbytes, device) returns an address
// and a value to keep until the memory is freed, or nil if there is no memory; free(address, nbytes, value).
// Returns NULL if host memory runs out. Raises no error but Lua's own when memory runs out.
cp_allocator *cp_function_allocator(lua_State *L, int allocate, int release, bool direct);
// Raises the error of a free function that failed since the last call. Free functions run inside other work,
// where they cannot raise it.
void cp_check_function(lua_State *L, const char *where, const cp_allocator *a);

#endif
