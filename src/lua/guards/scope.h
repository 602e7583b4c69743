// The arrays made by functions that cp.scope runs (lua/cupola/devices/scope.lua). Each belongs to the
// innermost scope of the thread that makes it. A scope holds no reference: what becomes garbage inside is
// collected there.
#ifndef CP_LUA_GUARDS_SCOPE_H
#define CP_LUA_GUARDS_SCOPE_H

#include "lua/guards/guard.h"

// Notes that the thread's innermost scope made the array. Requires s->scopes > 0.
void cp_scope_register(lua_State *L, cp_state *s, const cp_array *a);

// Script code that runs inside an allocation (an allocator function or a memory hook) makes arrays of its
// own, which must outlast the scope that happens to be active. cp_scope_hide takes that scope away and pushes
// a value, which cp_scope_show pops to restore it. Neither raises an error.
void cp_scope_hide(lua_State *L, cp_state *s);
void cp_scope_show(lua_State *L, cp_state *s);

// For other kinds of guards that are scopes too.
void cp_scope_enter(lua_State *L, cp_guard *g);
void cp_scope_leave(cp_state *s, lua_State *L, cp_guard *g);

void cp_open_scope(lua_State *L);

#endif
