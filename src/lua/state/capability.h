// Checks whether the host allows what a primitive is about to do. The doors are the bits CUPOLA_FILES and
// others of cupola.h.
#ifndef CP_LUA_STATE_CAPABILITY_H
#define CP_LUA_STATE_CAPABILITY_H

#include "lua/state/compat.h"

#include <stdbool.h>

// Raises if the host closed one of these doors. Every primitive that needs such a capability begins with it.
void cp_check_capability(lua_State *L, const char *where, unsigned doors);
// Whether one of these doors is closed; for functions that can do without the capability.
bool cp_is_denied(lua_State *L, unsigned doors);
// Raises in a confined state (cp_context.budget.confined). Every primitive that changes what other states see
// begins with it.
void cp_check_shared(lua_State *L, const char *where);

#endif
