// Calls into Lua functions that may call cupola again, guarded against overflow of the C stack.
#ifndef CP_LUA_STATE_DEPTH_H
#define CP_LUA_STATE_DEPTH_H

#include "lua/state/compat.h"

// Raises an error if the thread's stack is nearly full.
void cp_check_depth(lua_State *L, const char *where);
// Checks the depth, then does lua_call. For functions that may call cupola again, such as those of scripts.
void cp_call(lua_State *L, const char *where, int arguments, int results);
// Lua function of (f, ...): calls f by cp_call and returns its results.
int cp_call_checked(lua_State *L);

#endif
