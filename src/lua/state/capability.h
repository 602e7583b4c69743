// Checks whether the host allows what a primitive is about to do. Capabilities are the bits CUPOLA_FILES and
// others of cupola.h, which calls them doors.
#ifndef CP_LUA_STATE_CAPABILITY_H
#define CP_LUA_STATE_CAPABILITY_H

#include "lua/state/compat.h"

#include <stdbool.h>

// Raises if the host took one of these capabilities away. Every primitive that needs one begins with it.
void cp_check_capability(lua_State *L, const char *where, unsigned wanted);
// Whether the host took one of them away; for functions that can do without.
bool cp_is_denied(lua_State *L, unsigned wanted);
// Raises in a confined state (cp_context.budget.confined). Every primitive that changes what other states see
// begins with it.
void cp_check_shared(lua_State *L, const char *where);

#endif
