#include "lua/support/scope.h"

static const char scope_key =
    0; // registry: running thread -> list of arrays made in its innermost scope, or false

// Pushes the list of L's scope, or what stands in its place.
static void push_list(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &scope_key);
  lua_pushthread(L);
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

// Makes the list on top, or false, that of L; pops it. Where L has one already, nothing is allocated.
static void set_list(lua_State *L, cp_state *s) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &scope_key);
  lua_pushthread(L);
  lua_pushvalue(L, -1);
  lua_rawget(L, -3);
  s->scopes += (lua_istable(L, -4) ? 1 : 0) - (lua_istable(L, -1) ? 1 : 0);
  lua_pop(L, 1);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

void cp_scope_register(lua_State *L, cp_state *s) {
  (void)s;
  push_list(L);
  if (lua_istable(L, -1)) {
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, (int)lua_rawlen(L, -2) + 1);
  }
  lua_pop(L, 1);
}

void cp_scope_hide(lua_State *L, cp_state *s) {
  if (s->scopes == 0) {
    lua_pushboolean(L, 0);
    return;
  }
  push_list(L);
  if (!lua_istable(L, -1)) return;
  lua_pushboolean(L, 0);
  set_list(L, s);
}

void cp_scope_show(lua_State *L, cp_state *s) {
  if (lua_istable(L, -1))
    set_list(L, s);
  else
    lua_pop(L, 1);
}

// core.scope(list): makes list (or nil) the list of arrays made by the running thread from now on; returns the previous one.
static int set_scope(lua_State *L) {
  cp_state *s = cp_state_get(L);
  lua_settop(L, 1);
  push_list(L);
  lua_pushvalue(L, 1);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_pushboolean(L, 0);
  }
  set_list(L, s);
  if (!lua_istable(L, -1)) lua_pushnil(L);
  return 1;
}

// core.free_scope(list, kept): frees the memory of the arrays in list, other than views, that no array in the list `kept` shares.
static int free_scope(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  int n = (int)lua_rawlen(L, 1), nkept = (int)lua_rawlen(L, 2);
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, 1, k);
    cp_array *a = cp_test_array(L, -1);
    bool keep = a == NULL || !a->owner;
    for (int j = 1; j <= nkept && !keep; j++) {
      lua_rawgeti(L, 2, j);
      const cp_array *kept = cp_test_array(L, -1);
      keep = kept != NULL && (kept == a || (a->storage != NULL && kept->storage == a->storage));
      lua_pop(L, 1);
    }
    if (!keep) cp_free_memory(a);
    lua_pop(L, 1);
  }
  return 0;
}

// What comes first into a table is found first, and these are looked up most.
void cp_open_scope(lua_State *L) {
  static const luaL_Reg core[] = {{"scope", set_scope}, {"free_scope", free_scope}, {NULL, NULL}};
  lua_createtable(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &scope_key);
  lua_pushvalue(L, 1);
  cp_setfuncs(L, core, 0);
  lua_pop(L, 1);
}
