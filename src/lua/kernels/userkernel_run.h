// Runs a user's kernel (userkernel.h).
#ifndef CP_LUA_KERNELS_USERKERNEL_RUN_H
#define CP_LUA_KERNELS_USERKERNEL_RUN_H

#include "lua/state/compat.h"

// The __call metamethod of kernel objects. Upvalue 1: core.
int cp_kernel_call_event(lua_State *L);
// Lua function of (kernel, arguments...): returns the description that the generator would get for this call
// on a GPU (cp_generator_push_spec), and a list of the plan's slots. For specs, which compile the source
// without a GPU.
int cp_kernel_spec(lua_State *L);

#endif
