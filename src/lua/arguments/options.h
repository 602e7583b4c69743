// Arguments that functions which make arrays share: order, dtype, lengths.
#ifndef CP_LUA_ARGUMENTS_OPTIONS_H
#define CP_LUA_ARGUMENTS_OPTIONS_H

#include "lua/arguments/args.h"

// The letter of an order at slot, one of `known`, or `missing` if it is nil. A is resolved: it gives F if
// `like` (or NULL) is contiguous in that order only, else C.
char cp_arg_order(lua_State *L, int slot, const char *where, const char *known, char missing,
                  const cp_array *like);
cp_dtype cp_arg_dtype_or(lua_State *L, int slot, const char *where, cp_dtype missing);
// A length, which must not be negative; missing < 0: it must be given.
int64_t cp_arg_length(lua_State *L, int slot, const char *where, const char *argument, int64_t missing);
static inline cp_dtype cp_default_dtype(lua_State *L) { return cp_state_get(L)->default_dtype; }

#endif
