// What a host may forbid.
#ifndef CP_LUA_STATE_DOOR_H
#define CP_LUA_STATE_DOOR_H

#include "lua/state/compat.h"

#include <stdbool.h>

// Raises when the host closed one of these doors, CUPOLA_FILES ... of cupola.h. Every primitive that leads through one begins with it.
void cp_check_capability(lua_State *L, const char *where, unsigned doors);
// Whether one of them is closed, for functions that do without what is behind it.
bool cp_is_denied(lua_State *L, unsigned doors);
// Raises in a confined state (cp_context.budget.confined). Every primitive that changes what other states see
// begins with it.
void cp_check_shared(lua_State *L, const char *where);

#endif
