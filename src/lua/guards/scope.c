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

// The guard of L's innermost scope, or NULL. Few calls come from another coroutine than the one before.
static cp_guard *scope_of(lua_State *L, cp_state *s) {
  if (s->scope_thread != L) {
    push_scope(L);
    s->scope = lua_touserdata(L, -1);
    s->scope_thread = L;
    lua_pop(L, 1);
  }
  return s->scope;
}

// Makes the guard (or false) on top that of L's innermost scope; pops it. Allocates nothing if L has had one
// before.
static void set_scope(lua_State *L, cp_state *s) {
  s->scope = lua_touserdata(L, -1);
  s->scope_thread = L;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &scope_key);
  lua_pushthread(L);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

void cp_scope_register(lua_State *L, cp_state *s, const cp_array *a) {
  const cp_guard *g = scope_of(L, s);
  if (g != NULL) cp_add_to_ring(s, g->ring, a);
}

void cp_scope_hide(lua_State *L, cp_state *s) {
  if (s->scopes == 0) {
    lua_pushboolean(L, 0);
    return;
  }
  push_scope(L);
  if (!lua_isuserdata(L, -1)) return;
  lua_pushboolean(L, 0);
  set_scope(L, s);
}

void cp_scope_show(lua_State *L, cp_state *s) {
  if (lua_isuserdata(L, -1))
    set_scope(L, s);
  else
    lua_pop(L, 1);
}

// Whether the list at this index has the array or another one with its memory.
static bool keeps(lua_State *L, int kept, const cp_array *a) {
  bool keep = false;
  for (int k = (int)lua_rawlen(L, kept); k > 0 && !keep; k--) {
    lua_rawgeti(L, kept, k);
    const cp_array *b = cp_test_array(L, -1);
    keep = b != NULL && (b == a || (a->storage != NULL && b->storage == a->storage));
    lua_pop(L, 1);
  }
  return keep;
}

// Frees the memory of what scope g made and does not keep, and hands everything else to the scope `outer`, if
// any. Memory is what the scope made if its array is, or was when it was collected.
static void free_made(lua_State *L, cp_state *s, const cp_guard *g, const cp_guard *outer, int kept) {
  cp_array *a;
  while ((a = cp_first_made(s, g->ring)) != NULL) {
    const uint32_t scope = cp_leave_ring(s, a);
    cp_storage *memory = a->storage;
    const bool made = a->owner || (memory != NULL && memory->left_in == scope), keep = keeps(L, kept, a);
    if (made && !keep) {
      cp_free_memory(a);
      continue;
    }
    if (outer != NULL) cp_add_to_ring(s, outer->ring, a);
    if (memory != NULL && memory->left_in == scope)
      memory->left_in = outer != NULL ? s->made_in[outer->ring].scope : 0;
  }
}

// The scope's coroutine is gone: its arrays are left to the collector.
static void lose_made(cp_state *s, const cp_guard *g) {
  const cp_array *a;
  while ((a = cp_first_made(s, g->ring)) != NULL) (void)cp_leave_ring(s, a);
  if (s->scope == g) s->scope_thread = NULL;
}

void cp_scope_enter(lua_State *L, cp_guard *g) {
  cp_state *s = g->state;
  g->keeps = true;
  cp_push_kept(L, -1);
  push_scope(L);
  if (lua_isnil(L, -1)) {
    lua_pushboolean(L, 0);
    lua_replace(L, -2);
  }
  lua_pushvalue(L, -1);
  set_scope(L, s); // makes the coroutine's entry: nothing is allocated once there is a ring to give back
  lua_rawseti(L, -2, CP_GUARD_OUTER);
  lua_pop(L, 1);
  g->ring = cp_open_ring(L, s);
  lua_pushvalue(L, -1);
  set_scope(L, s);
  s->scopes++;
}

void cp_scope_leave(cp_state *s, lua_State *L, cp_guard *g) {
  s->scopes--;
  if (L == NULL) {
    lose_made(s, g);
  } else {
    cp_push_kept(L, -1);
    lua_rawgeti(L, -1, CP_GUARD_OUTER);
    const cp_guard *outer = lua_touserdata(L, -1);
    set_scope(L, s);
    lua_rawgeti(L, -1, CP_GUARD_KEPT);
    free_made(L, s, g, outer, lua_gettop(L));
    lua_pop(L, 2);
  }
  cp_close_ring(s, g->ring);
}

// core.scope_guard(where): the guard for a scope.
static int scope_guard(lua_State *L) {
  static const cp_guard_kind kind = {.enter = cp_scope_enter, .leave = cp_scope_leave};
  cp_push_guard(L, &kind, luaL_checkstring(L, 1));
  return 1;
}

// core.scope(): the list of what the running coroutine's innermost scope keeps; nothing if there is no scope.
static int innermost(lua_State *L) {
  (void)cp_state_get(L);
  push_scope(L);
  if (!lua_isuserdata(L, -1)) return 0;
  cp_push_kept(L, -1);
  lua_rawgeti(L, -1, CP_GUARD_KEPT);
  return 1;
}

// Where the list at this index has the value at another one; 0: nowhere.
static int place_in(lua_State *L, int list, int value) {
  int found = 0;
  for (int k = (int)lua_rawlen(L, list); k > 0 && found == 0; k--) {
    lua_rawgeti(L, list, k);
    if (lua_rawequal(L, -1, value)) found = k;
    lua_pop(L, 1);
  }
  return found;
}

// Whether the value at index is an array that the scope made.
static bool has_made(lua_State *L, const cp_state *s, const cp_guard *g, int index) {
  const cp_array *a = cp_test_array(L, index);
  return a != NULL && s->made_in[a->handle_index].scope == s->made_in[g->ring].scope;
}

// core.is_made(x): whether the running coroutine's innermost scope made the array x.
static int is_made(lua_State *L) {
  cp_state *s = cp_state_get(L);
  const cp_guard *g = scope_of(L, s);
  lua_pushboolean(L, g != NULL && has_made(L, s, g, 1));
  return 1;
}

// core.drop_pending(kept): drops the pending values of the arrays that the innermost scope made and that are
// not in the list `kept`, so that no kernel writes elements that nobody will read.
static int drop_pending(lua_State *L) {
  cp_state *s = cp_state_get(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  const cp_guard *g = scope_of(L, s);
  if (g == NULL) return 0;
  for (uint32_t next, k = s->made_in[g->ring].next; k != g->ring; k = next) {
    cp_array *a = (cp_array *)s->handles[k];
    next = s->made_in[k].next;
    if (a->node != NULL && !keeps(L, 1, a)) cp_pending_drop(a);
  }
  return 0;
}

// core.outlive(x, y, old): the array x, just made, is kept as long as the array y: by all scopes of the
// running coroutine that keep y or are inside of the one that made it. They keep it instead of the array
// `old`, if this is not nil. Returns x.
static int outlive(lua_State *L) {
  const cp_state *s = cp_state_get(L);
  lua_settop(L, 3);
  push_scope(L);
  while (lua_isuserdata(L, 4)) {
    const cp_guard *g = lua_touserdata(L, 4);
    cp_push_kept(L, 4);
    lua_rawgeti(L, 5, CP_GUARD_KEPT);
    if (has_made(L, s, g, 2) && place_in(L, 6, 2) == 0) break;
    const int place = lua_isnil(L, 3) ? 0 : place_in(L, 6, 3);
    lua_pushvalue(L, 1);
    lua_rawseti(L, 6, place > 0 ? place : (int)lua_rawlen(L, 6) + 1);
    lua_rawgeti(L, 5, CP_GUARD_OUTER);
    lua_replace(L, 4);
    lua_settop(L, 4);
  }
  lua_settop(L, 1);
  return 1;
}

// The first entries of a table are found fastest, and these are looked up most.
void cp_open_scope(lua_State *L) {
  static const luaL_Reg core[] = {{"scope_guard", scope_guard},   {"scope", innermost}, {"is_made", is_made},
                                  {"drop_pending", drop_pending}, {"outlive", outlive}, {NULL, NULL}};
  cp_push_weak(L, "kv", 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &scope_key);
  cp_put_functions(L, 1, core);
}
