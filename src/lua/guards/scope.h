// The arrays that functions run by cp.scope make (lua/cupola/devices/scope.lua): each belongs to the innermost scope of the thread that makes it.
#ifndef CP_LUA_GUARDS_SCOPE_H
#define CP_LUA_GUARDS_SCOPE_H

#include "lua/guards/guard.h"

// Puts the array on top into the list of the scope that its thread runs in. For s->scopes > 0.
void cp_scope_register(lua_State *L, cp_state *s);

// Scripts that run inside of an allocation, because a script gave functions for memory, make arrays of their own, which outlast the scope
// that happens to run: cp_scope_hide takes it away, and pushes what cp_scope_show takes from the top to put it back. Neither raises.
void cp_scope_hide(lua_State *L, cp_state *s);
void cp_scope_show(lua_State *L, cp_state *s);

// For kinds of guards that are a scope (guard.h).
void cp_scope_enter(lua_State *L, cp_guard *g);
void cp_scope_leave(cp_state *s, lua_State *L, cp_guard *g);

void cp_open_scope(lua_State *L);

#endif
