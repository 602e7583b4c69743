// Makes the source text of kernels: describes a plan by Lua tables, from which the generator on the Lua side
// (lua/cupola/kernels) makes the text.
#ifndef CP_LUA_KERNELS_GENERATOR_H
#define CP_LUA_KERNELS_GENERATOR_H

#include "device/device.h"
#include "lua/state/compat.h"
#include "plan/plan.h"

// Sets ctx->generator. `running` points to cp_state.running, where the binding that calls the core stores the
// lua_State that it runs in. It must stay valid as long as ctx, and *running must be usable whenever the core
// asks for a source. Runs no Lua code.
void cp_generator_install(cp_context *ctx, lua_State **running);

// A hash of all files that the text of a kernel may come from.
uint64_t cp_generator_version(void);

// Pushes the description of a plan for the generator: {target, ndim, nred, vector, tile, wide, shifted,
// counting, strategy, leaves = {{dtype, access}}, scalars = {dtype}, instrs = {{op, loop, dtype, args}},
// outputs = {{dtype, access, reg}}, red, acc, value, position, result, raw = {ndim}, user}. Registers count
// from 0; `user` is the value in the registry that plan->user->reference refers to. Raises only if Lua is out
// of memory.
void cp_generator_push_spec(lua_State *L, const cp_plan *p, const char *target);

// Lua function of (): returns two tables with the texts of ops.def, by name: operations {name, arity,
// numeric, real, integer, boolean, complex} and reductions {name, accumulator, identity, premap, combine,
// post}.
int cp_generator_operations(lua_State *L);
// Lua function of (operation, dtype): returns the dtype of the result and a list of the operands' dtypes if
// the operation computes in this dtype, otherwise nothing. For tools.
int cp_generator_operation_types(lua_State *L);
// Lua function of (spec): returns the source text that the generator makes of the description. For tools and
// specs.
int cp_generator_generate(lua_State *L);
// Lua function of (name): returns the text of an embedded file, or nil. Without a name it returns the list of
// all names.
int cp_generator_embedded(lua_State *L);
// Lua function of (source, architecture such as 90[, list of options]): compiles with NVRTC, which needs no
// GPU. Returns the size of the image in bytes and the processor time in seconds; raises an error with NVRTC's
// log.
int cp_generator_compile(lua_State *L);

#endif
