// Calls into Lua that may lead back here.
#ifndef CP_LUA_STATE_DEPTH_H
#define CP_LUA_STATE_DEPTH_H

#include "lua/state/compat.h"

// Raises where the thread's stack is nearly full. cp_call: lua_call of what may lead back here, a script's function say.
void cp_check_depth(lua_State *L, const char *where);
void cp_call(lua_State *L, const char *where, int arguments, int results);

#endif
