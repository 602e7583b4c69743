// The beginning and the end of a state.
#ifndef CP_LUA_OBJECTS_LIFETIME_H
#define CP_LUA_OBJECTS_LIFETIME_H

#include "lua/state/state.h"

// Creates the state of L, unless it has one.
void cp_state_open(lua_State *L);
// Undoes cp_state_open, for a state that was not used yet.
void cp_state_drop(lua_State *L);

#endif
