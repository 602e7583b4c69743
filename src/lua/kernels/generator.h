// The source text of kernels: from a plan to a description in Lua, to the generator in lua/cupola/kernels,
// to text.
#ifndef CP_LUA_KERNELS_GENERATOR_H
#define CP_LUA_KERNELS_GENERATOR_H

#include "device/device.h"
#include "lua/state/compat.h"
#include "plan/plan.h"

// Sets ctx->generator. `running` is where the binding that calls into the core keeps the state that it runs
// in (cp_state.running); it must stay valid as long as ctx, and *running must be usable whenever the core
// asks for a source. Does not run Lua.
void cp_generator_install(cp_context *ctx, lua_State **running);

// A hash of everything that the text of a kernel may come from.
uint64_t cp_generator_version(void);

// Pushes what the generator sees of a plan: {target, ndim, nred, vector, wide, strategy, leaves = {{dtype,
// access}}, scalars = {dtype}, instrs = {{op, loop, dtype, args}}, outputs = {{dtype, access, reg}}, red,
// acc, value, position, result, raw = {ndim}, user}. Registers count from 0, `user` is the value that
// plan->user->reference names in the registry. Raises only when Lua is out of memory.
void cp_generator_push_spec(lua_State *L, const cp_plan *p, const char *target);

// Pushes two tables by name, operations {name, arity, numeric, real, integer, boolean, complex} and
// reductions {name, accumulator, identity, premap, combine, post}: the texts of ops.def.
void cp_generator_push_ops(lua_State *L);

// Lua function of (): the two tables of cp_generator_push_ops.
int cp_generator_operations(lua_State *L);
// Lua function of (operation, dtype): the dtypes of the result and of the operands where it computes in this dtype; nothing
// where it does not. For tools.
int cp_generator_operation_types(lua_State *L);
// Lua function of (spec): the source text, from the generator in lua/cupola/kernels. For tools and specs.
int cp_generator_generate(lua_State *L);
// Lua function of (name): the text of an embedded file, or nil. Without a name: the list of names.
int cp_generator_embedded(lua_State *L);
// Lua function of (source, architecture such as 90[, options table]): compiles by NVRTC, needs no GPU.
// Returns the image's size in bytes and the seconds of processor time it took; raises with NVRTC's log.
int cp_generator_compile(lua_State *L);

#endif
