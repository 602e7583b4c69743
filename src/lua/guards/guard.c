// Guards, and running functions inside them (guard.h).
// A host's debug hook may raise an error between any two Lua instructions, but never inside a C function.
// Where Lua has continuations, a single C function therefore enters, calls and leaves. LuaJIT has none, but
// its pcall lets coroutines yield. There init.lua calls xpcall: the function it runs enters first and leaves
// by its last call, core.pass. If it raises an error, the error handler, also a C function, leaves; this
// handler is the value by which Lua code knows the guard. Errors for which no handler runs, such as those
// about memory, are left to core.left after xpcall.
#include "lua/guards/guard.h"

#include "lua/guards/current.h"
#include "lua/objects/object.h"
#include "lua/state/depth.h"
#include "lua/state/error.h"
#include "lua/state/module.h"

#include <string.h>

// ---- reusing guards ---------------------------------------------------------------------------------------
// Userdata with finalizers are expensive to make and to collect. So a guard becomes free for reuse when the
// function that used it ends, unless it ends without returning to core.within; then the collector gets it.

// The most free guards, and the longest list that is worth clearing.
enum { SPARE = 16, LONGEST = 64 };
enum { ROOM = 16 }; // stack slots that leaving needs

#if LUA_VERSION_NUM < 502
static int handle(lua_State *L);
#endif

// Pushes the guard of the value at index by which Lua code knows it: the guard itself or, in LuaJIT, the
// handler for xpcall (below), whose upvalue it is.
static cp_guard *push_itself(lua_State *L, int index) {
#if LUA_VERSION_NUM < 502
  if (lua_tocfunction(L, index) == handle)
    (void)lua_getupvalue(L, index, 1);
  else
#endif
    lua_pushvalue(L, index);
  return cp_check_object(L, -1, CP_KIND_GUARD, "scope", "guard");
}

static cp_guard *guard_at(lua_State *L, int index) {
  cp_guard *g = push_itself(L, index);
  lua_pop(L, 1);
  return g;
}

static void clear_slots(lua_State *L) {
  for (int slot = CP_GUARD_HELD; slot < CP_GUARD_KEPT; slot++) {
    lua_pushboolean(L, 0);
    lua_rawseti(L, -2, slot);
  }
}

static void keep_lists(lua_State *L) {
  lua_createtable(L, 0, 4);
  lua_newtable(L);
  lua_rawseti(L, -2, CP_GUARD_KEPT);
  clear_slots(L);
  cp_keep_table(L, -2);
}

static cp_guard *push_new(lua_State *L, bool once) {
  cp_guard *g = cp_push_object(L, CP_KIND_GUARD, CP_GUARD_SIZE);
  if (!once) keep_lists(L);
#if LUA_VERSION_NUM < 502
  lua_pushcclosure(L, handle, 1);
#endif
  return g;
}

// In LuaJIT, finalizers run inside others when Lua closes. There a guard older than they are may end while it
// is used, so none is reused.
static bool has_free(lua_State *L, const cp_state *s) {
#if LUA_VERSION_NUM < 502
  if (cp_is_finalizing(L)) return false;
#else
  (void)L;
#endif
  return s->nfree_guards > 0;
}

static cp_guard *push_free(lua_State *L, cp_state *s) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, s->free_guards);
  lua_rawgeti(L, -1, s->nfree_guards);
  lua_pushnil(L);
  lua_rawseti(L, -3, s->nfree_guards--);
  lua_remove(L, -2);
  return guard_at(L, -1);
}

void *cp_push_guard(lua_State *L, const cp_guard_kind *kind, const char *where) {
  cp_state *s = cp_state_get(L);
  cp_guard *g = !kind->once && has_free(L, s) ? push_free(L, s) : push_new(L, kind->once);
  memset(g, 0, CP_GUARD_SIZE);
  g->kind = kind;
  g->state = s;
  memcpy(g->where, where, strnlen(where, sizeof g->where - 1));
  return g;
}

void cp_guard_hold(lua_State *L, int index) {
  lua_pushvalue(L, index);
  cp_guard *g = push_itself(L, -2);
  cp_push_kept(L, -1);
  lua_pushvalue(L, -3);
  lua_rawseti(L, -2, CP_GUARD_HELD);
  g->keeps = true;
  lua_pop(L, 3);
}

// Empties the list on top, unless it is too long. Returns whether it did.
static bool clear(lua_State *L) {
  int n = (int)lua_rawlen(L, -1);
  for (int k = n; k > 0 && n <= LONGEST; k--) {
    lua_pushnil(L);
    lua_rawseti(L, -2, k);
  }
  return n <= LONGEST;
}

// Empties everything that is kept with the guard on top. Returns whether it could.
static bool clear_kept(lua_State *L) {
  cp_push_kept(L, -1);
  clear_slots(L);
  lua_rawgeti(L, -1, CP_GUARD_KEPT);
  bool cleared = clear(L);
  lua_pop(L, 2);
  return cleared;
}

// Frees the guard on top for reuse, if possible; `index` has the value by which Lua code knows it. Allocates
// nothing.
static void recycle(lua_State *L, cp_guard *g, int index) {
  cp_state *s = g->state;
  if (g->entered || g->done || g->kind->once || s->closed || s->nfree_guards == SPARE) return;
  if (!lua_checkstack(L, ROOM) || (g->keeps && !clear_kept(L))) return;
  g->done = true;
  lua_rawgeti(L, LUA_REGISTRYINDEX, s->free_guards);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, ++s->nfree_guards);
  lua_pop(L, 1);
}

// ---- entering and leaving ---------------------------------------------------------------------------------

static void enter(lua_State *L, int index) {
  cp_guard *g = push_itself(L, index);
  (void)cp_state_in(L, &g->state->ctx);
  cp_check_depth(L, g->where);
  if (g->entered || g->done || g->state->closed)
    cp_demand(L, g->where, false, "what the guard is for was entered already");
  if (g->kind->enter != NULL) g->kind->enter(L, g);
  g->entered = true;
  g->state->entered++;
  lua_pop(L, 1);
}

static void set_left(cp_guard *g) {
  g->entered = false;
  g->state->entered--;
}

// Ends the guard without a Lua state to leave in: its coroutine is gone, its stack is full, or the state is
// closed.
static void lose(cp_guard *g) {
  if (!g->entered) return;
  set_left(g);
  g->done = true;
  if (g->kind->leave != NULL && !g->state->closed) g->kind->leave(g->state, NULL, g);
}

// Leaves the guard on top, unless it was left before. `finish` may run script code, which may leave it.
static cp_status leave(lua_State *L, cp_guard *g, bool returned) {
  cp_state *s = g->state;
  cp_status status = CP_OK;
  if (!g->entered) return CP_OK;
  if (s->closed || !lua_checkstack(L, ROOM)) {
    lose(g);
    return CP_OK;
  }
  (void)cp_state_in(L, &s->ctx);
  if (g->kind->finish != NULL) {
    status = g->kind->finish(s, g, returned);
    if (!returned) status = CP_OK;
    if (!g->entered) return status;
    (void)cp_state_in(L, &s->ctx);
  }
  set_left(g);
  if (g->kind->leave != NULL) g->kind->leave(s, L, g);
  return status;
}

// Ends core.within after the call: slot 1 has the guard, and the slots above it the results or the error.
static int finish_call(lua_State *L, bool returned) {
  cp_guard *g = push_itself(L, 1);
  CP_CHECK(L, g->where, leave(L, g, returned));
  recycle(L, g, 1);
  lua_pop(L, 1);
  return returned ? lua_gettop(L) - 1 : lua_error(L);
}

#if LUA_VERSION_NUM >= 502
static int finish_within(lua_State *L, int status, lua_KContext none) {
  (void)none;
  return finish_call(L, status == LUA_OK || status == LUA_YIELD);
}
#define call_within(L, n) finish_within(L, lua_pcallk(L, n, LUA_MULTRET, 0, 0, finish_within), 0)
#else
#define call_within(L, n) finish_call(L, lua_pcall(L, n, LUA_MULTRET, 0) == LUA_OK)
#endif

// core.within(guard, f, ...): runs f(...) inside what the guard enters, and returns its results.
static int within(lua_State *L) {
  luaL_checkany(L, 2);
  enter(L, 1);
  return call_within(L, lua_gettop(L) - 2);
}

#if LUA_VERSION_NUM < 502
// ---- for LuaJIT -------------------------------------------------------------------------------------------

// core.enter_guard(guard): enters.
static int enter_guard(lua_State *L) {
  enter(L, 1);
  return 0;
}

// core.pass(guard, ...): leaves, and returns what the function returned.
static int pass(lua_State *L) {
  cp_guard *g = push_itself(L, 1);
  CP_CHECK(L, g->where, leave(L, g, true));
  lua_pop(L, 1);
  return lua_gettop(L) - 1;
}

// The error handler handle(problem): leaves. Its upvalue is the guard.
static int handle(lua_State *L) {
  lua_settop(L, 1);
  (void)leave(L, push_itself(L, lua_upvalueindex(1)), false);
  lua_settop(L, 1);
  return 1;
}

// core.left(guard, ...): returns what xpcall returned, or raises its error, after leaving if the guard is
// still entered.
static int left(lua_State *L) {
  cp_guard *g = push_itself(L, 1);
  (void)leave(L, g, false);
  recycle(L, g, 1);
  lua_pop(L, 1);
  if (!lua_toboolean(L, 2)) {
    lua_settop(L, 3);
    return lua_error(L);
  }
  return lua_gettop(L) - 2;
}
#endif

// ---- guards that scripts close ----------------------------------------------------------------------------

static int close_guard(lua_State *L) {
  cp_guard *g = push_itself(L, lua_upvalueindex(1));
  CP_CHECK(L, g->where, leave(L, g, true));
  return 0;
}

// core.enter_until_closed(guard): enters. Returns the function that leaves.
static int enter_until_closed(lua_State *L) {
  (void)guard_at(L, 1);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, close_guard, 1);
  enter(L, 1);
  return 1;
}

// ---- guards that only record whether they are entered -----------------------------------------------------

// core.guard(where): a guard that enters nothing.
static int new_guard(lua_State *L) {
  static const cp_guard_kind plain = {.once = true};
  cp_push_guard(L, &plain, luaL_checkstring(L, 1));
  return 1;
}

// core.is_entered(guard): whether it is entered.
static int is_entered(lua_State *L) {
  lua_pushboolean(L, guard_at(L, 1)->entered);
  return 1;
}

// core.entered(): how many guards are entered.
static int count_entered(lua_State *L) {
  lua_pushinteger(L, cp_state_get(L)->entered);
  return 1;
}

static void end_guard(lua_State *L, void *object) {
  cp_guard *g = object;
  (void)L;
  if (g->done) g->state->nfree_guards = 0; // Lua is closing, so all guards end
  lose(g);
}

void cp_open_guard(lua_State *L) {
  static const luaL_Reg core[] = {{"within", within},
                                  {"guard", new_guard},
                                  {"is_entered", is_entered},
                                  {"entered", count_entered},
                                  {"enter_until_closed", enter_until_closed},
                                  {NULL, NULL}};
  cp_define_kind(L, CP_KIND_GUARD, NULL, end_guard);
  lua_pop(L, 1);
  lua_createtable(L, SPARE, 0);
  cp_state_get(L)->free_guards = luaL_ref(L, LUA_REGISTRYINDEX);
  cp_put_functions(L, 1, core);
#if LUA_VERSION_NUM < 502
  static const luaL_Reg jit[] = {{"enter_guard", enter_guard}, {"pass", pass}, {"left", left}, {NULL, NULL}};
  cp_put_functions(L, 1, jit);
#endif
}
