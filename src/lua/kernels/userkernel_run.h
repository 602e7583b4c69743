// Running a user's kernel.
#ifndef CP_LUA_KERNELS_USERKERNEL_RUN_H
#define CP_LUA_KERNELS_USERKERNEL_RUN_H

#include "lua/state/compat.h"

// The __call event of kernel objects. Upvalue 1: core.
int cp_kernel_call_event(lua_State *L);
// Lua function of (kernel, arguments...): what the generator sees of such a call on a GPU; see cp_generator_push_spec. And
// the plan's slots, as a list. For specs, which compile the text without a GPU.
int cp_kernel_spec(lua_State *L);

#endif
