// The begin and the end of a state.
#ifndef CP_LUA_OBJECTS_LIFETIME_H
#define CP_LUA_OBJECTS_LIFETIME_H

#include "lua/state/state.h"

void cp_state_open(lua_State *L); // idempotent
void cp_state_drop(lua_State *L); // undoes it, for a state in which nothing was done yet

#endif
