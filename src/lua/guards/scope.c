// The scopes of cp.scope as guards: which arrays were made in one, and freeing them when it is left.
#include "lua/guards/scope.h"
#include "lua/objects/handles.h"

// In the registry: a table from each thread to the guard of its innermost scope, or to false; keys and values
// are weak.
static const char scope_key = 0;

// Pushes the guard of L's innermost scope, or another value if there is none.
static void push_scope(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &scope_key);
  lua_pushthread(L);
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

// Makes the guard (or false) on top that of L's innermost scope; pops it. Allocates nothing if L has had one
// before.
static void set_scope(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &scope_key);
  lua_pushthread(L);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

void cp_scope_register(lua_State *L, cp_state *s) {
  (void)s;
  push_scope(L);
  if (lua_isuserdata(L, -1)) {
    cp_push_kept(L, -1);
    lua_pushvalue(L, -3);
    lua_rawseti(L, -2, (int)lua_rawlen(L, -2) + 1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

void cp_scope_hide(lua_State *L, cp_state *s) {
  if (s->scopes == 0) {
    lua_pushboolean(L, 0);
    return;
  }
  push_scope(L);
  if (!lua_isuserdata(L, -1)) return;
  lua_pushboolean(L, 0);
  set_scope(L);
}

void cp_scope_show(lua_State *L, cp_state *s) {
  (void)s;
  if (lua_isuserdata(L, -1))
    set_scope(L);
  else
    lua_pop(L, 1);
}

// Frees the memory of the arrays in `list` that are not views, unless an array in the list `kept` shares it.
static void free_arrays(lua_State *L, int list, int kept) {
  int n = (int)lua_rawlen(L, list), nkept = (int)lua_rawlen(L, kept);
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, list, k);
    cp_array *a = cp_test_array(L, -1);
    bool keep = a == NULL || !a->owner;
    for (int j = 1; j <= nkept && !keep; j++) {
      lua_rawgeti(L, kept, j);
      const cp_array *b = cp_test_array(L, -1);
      keep = b != NULL && (b == a || (a->storage != NULL && b->storage == a->storage));
      lua_pop(L, 1);
    }
    if (!keep) cp_free_memory(a);
    lua_pop(L, 1);
  }
}

// Appends the list `from` to another one.
static void adopt(lua_State *L, int list, int from) {
  int n = (int)lua_rawlen(L, from), count = (int)lua_rawlen(L, list);
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, from, k);
    lua_rawseti(L, list, count + k);
  }
}

void cp_scope_enter(lua_State *L, cp_guard *g) {
  g->keeps = true;
  cp_push_kept(L, -1);
  push_scope(L);
  lua_rawseti(L, -2, CP_GUARD_OUTER);
  lua_pop(L, 1);
  lua_pushvalue(L, -1);
  set_scope(L);
  g->state->scopes++;
}

// Frees what the scope made and does not keep. What it keeps is handed to the enclosing scope.
void cp_scope_leave(cp_state *s, lua_State *L, cp_guard *g) {
  (void)g;
  s->scopes--;
  if (L == NULL) return;
  cp_push_kept(L, -1);
  int list = lua_gettop(L), kept = list + 1;
  lua_rawgeti(L, list, CP_GUARD_KEPT);
  lua_rawgeti(L, list, CP_GUARD_OUTER);
  lua_pushvalue(L, -1);
  set_scope(L);
  free_arrays(L, list, kept);
  if (lua_isuserdata(L, -1)) {
    cp_push_kept(L, -1);
    adopt(L, kept + 2, kept);
    lua_pop(L, 1);
  }
  lua_pop(L, 3);
}

// core.scope_guard(where): the guard for a scope.
static int scope_guard(lua_State *L) {
  static const cp_guard_kind kind = {.enter = cp_scope_enter, .leave = cp_scope_leave};
  cp_push_guard(L, &kind, luaL_checkstring(L, 1));
  return 1;
}

// core.scope(): the lists of what the running coroutine's innermost scope made, and of what it keeps; nothing
// if there is no scope.
static int innermost(lua_State *L) {
  (void)cp_state_get(L);
  push_scope(L);
  if (!lua_isuserdata(L, -1)) return 0;
  cp_push_kept(L, -1);
  lua_rawgeti(L, -1, CP_GUARD_KEPT);
  return 2;
}

// Whether the list at this index has the value at another one.
static bool is_in(lua_State *L, int list, int value) {
  bool found = false;
  for (int k = (int)lua_rawlen(L, list); k > 0 && !found; k--) {
    lua_rawgeti(L, list, k);
    found = lua_rawequal(L, -1, value);
    lua_pop(L, 1);
  }
  return found;
}

// core.outlive(x, y): the array x, just made, is kept as long as the array y: by all scopes of the running
// coroutine that keep y or are inside of the one that made it. Returns x.
static int outlive(lua_State *L) {
  (void)cp_state_get(L);
  lua_settop(L, 2);
  push_scope(L);
  while (lua_isuserdata(L, -1)) {
    cp_push_kept(L, -1);
    const int list = lua_gettop(L);
    lua_rawgeti(L, list, CP_GUARD_KEPT);
    if (is_in(L, list, 2) && !is_in(L, list + 1, 2)) break;
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, (int)lua_rawlen(L, -2) + 1);
    lua_rawgeti(L, list, CP_GUARD_OUTER);
    lua_replace(L, 3);
    lua_settop(L, 3);
  }
  lua_settop(L, 1);
  return 1;
}

// The first entries of a table are found fastest, and these are looked up most.
void cp_open_scope(lua_State *L) {
  static const luaL_Reg core[] = {
      {"scope_guard", scope_guard}, {"scope", innermost}, {"outlive", outlive}, {NULL, NULL}};
  cp_push_weak(L, "kv", 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &scope_key);
  cp_put_functions(L, 1, core);
}
