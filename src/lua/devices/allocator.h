// Allocators that are written in Lua (allocator_function.c), for the handles of allocators (allocator.c).
#ifndef CP_LUA_DEVICES_ALLOCATOR_H
#define CP_LUA_DEVICES_ALLOCATOR_H

#include "lua/state/module.h"
#include "memory/allocator.h"

extern const cp_memory_source cp_function_source;

// An allocator on the two functions at these stack slots: allocate(nbytes, device) -> address, a value to keep until the memory is given back, or nil
// where there is no memory; free(address, nbytes, value). NULL: out of host memory. Raises nothing but Lua's own out of memory.
cp_allocator *cp_function_allocator(lua_State *L, int allocate, int release, bool direct);
// Raises for what a free function raised since the last time; those run inside of other work.
void cp_check_function(lua_State *L, const char *where, const cp_allocator *a);

#endif
