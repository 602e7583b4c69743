// Guards, and running functions inside of them.
//
// Debug hooks run between instructions of Lua, never in C. So where Lua has continuations one function of C enters, calls and leaves. LuaJIT has none, but
// its pcall lets coroutines yield: there (init.lua) the function that xpcall calls enters, and leaves as its last call, and the handler of errors, a
// function of C too, leaves where something was raised. Errors that reach no handler, as those of memory, are seen to behind xpcall.
#include "lua/support/guard.h"

#include "lua/support/current.h"
#include "lua/support/module.h"

#include <stdio.h>

void *cp_push_guard(lua_State *L, const cp_guard_kind *kind, const char *where, size_t size) {
  cp_guard *g = cp_push_object(L, CP_KIND_GUARD, size);
  g->kind = kind;
  g->state = cp_state_get(L);
  snprintf(g->where, sizeof g->where, "%s", where);
  return g;
}

static cp_guard *guard_at(lua_State *L, int index) {
  return cp_check_object(L, index, CP_KIND_GUARD, "scope", "guard");
}

static void enter(lua_State *L, cp_guard *g) {
  cp_check_depth(L, g->where);
  cp_demand(L, g->where, !g->entered, "what the guard is for was entered already");
  if (g->kind->enter != NULL) g->kind->enter(L, g);
  g->entered = true;
  g->state->entered++;
}

static void set_left(cp_guard *g) {
  g->entered = false;
  g->state->entered--;
}

static void lose(cp_guard *g) {
  if (!g->entered) return;
  set_left(g);
  if (g->kind->leave != NULL && !g->state->closed) g->kind->leave(g->state, NULL, g);
}

// The guard at index, unless that was left before.
static cp_status leave(lua_State *L, int index, bool returned) {
  enum { ROOM = 16 };
  cp_guard *g = guard_at(L, index);
  cp_state *s = g->state;
  cp_status status = CP_OK;
  if (!g->entered) return CP_OK;
  if (s->closed || !lua_checkstack(L, ROOM)) {
    lose(g);
    return CP_OK;
  }
  if (g->kind->finish != NULL) {
    (void)cp_state_get(L);
    status = g->kind->finish(s, g, returned);
    if (!g->entered) return status;
  }
  set_left(g);
  (void)cp_state_get(L);
  lua_pushvalue(L, index);
  if (g->kind->leave != NULL) g->kind->leave(s, L, g);
  lua_pop(L, 1);
  return returned ? status : CP_OK;
}

#if LUA_VERSION_NUM >= 502
static int finish_within(lua_State *L, int status, lua_KContext none) {
  bool returned = status == LUA_OK || status == LUA_YIELD;
  (void)none;
  cp_status left = leave(L, 1, returned);
  if (!returned) return lua_error(L);
  CP_CHECK(L, guard_at(L, 1)->where, left);
  return lua_gettop(L) - 1;
}
#define call_within(L, n) finish_within(L, lua_pcallk(L, n, LUA_MULTRET, 0, 0, finish_within), 0)
#else
static int finish_within(lua_State *L, int status) {
  cp_status left = leave(L, 1, status == LUA_OK);
  if (status != LUA_OK) return lua_error(L);
  CP_CHECK(L, guard_at(L, 1)->where, left);
  return lua_gettop(L) - 1;
}
#define call_within(L, n) finish_within(L, lua_pcall(L, n, LUA_MULTRET, 0))
#endif

// core.within(guard, f, ...): what f(...) returns, run inside of what the guard is for.
static int within(lua_State *L) {
  luaL_checkany(L, 2);
  enter(L, guard_at(L, 1));
  return call_within(L, lua_gettop(L) - 2);
}

// ---- for LuaJIT ---------------------------------------------------------------------------------------------------

// core.enter_guard(guard)
static int enter_guard(lua_State *L) {
  enter(L, guard_at(L, 1));
  return 0;
}

// core.pass(guard, ...): leaves, and passes on what the function returned.
static int pass(lua_State *L) {
  cp_status left = leave(L, 1, true);
  CP_CHECK(L, guard_at(L, 1)->where, left);
  return lua_gettop(L) - 1;
}

// f(problem), the handler: leaves.
static int handle(lua_State *L) {
  lua_settop(L, 1);
  (void)leave(L, lua_upvalueindex(1), false);
  return 1;
}

// core.guard_handler(guard): the handler for xpcall.
static int guard_handler(lua_State *L) {
  guard_at(L, 1);
  lua_settop(L, 1);
  lua_pushcclosure(L, handle, 1);
  return 1;
}

// core.left(guard, ...): passes on what xpcall returned, with its error as one.
static int left(lua_State *L) {
  (void)leave(L, 1, false);
  if (!lua_toboolean(L, 2)) {
    lua_settop(L, 3);
    return lua_error(L);
  }
  return lua_gettop(L) - 2;
}

// ---- guards that scripts close ----------------------------------------------------------------------------------------

static int close_guard(lua_State *L) {
  cp_status left = leave(L, lua_upvalueindex(1), true);
  CP_CHECK(L, guard_at(L, lua_upvalueindex(1))->where, left);
  return 0;
}

// core.enter_until_closed(guard): enters; the function that leaves.
static int enter_until_closed(lua_State *L) {
  cp_guard *g = guard_at(L, 1);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, close_guard, 1);
  enter(L, g);
  return 1;
}

// ---- guards that only know whether they are entered -----------------------------------------------------------------

// core.guard(where): enters nothing.
static int new_guard(lua_State *L) {
  static const cp_guard_kind plain = {NULL, NULL, NULL};
  cp_push_guard(L, &plain, luaL_checkstring(L, 1), sizeof(cp_guard));
  return 1;
}

// core.is_entered(guard)
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
  (void)L;
  lose(object);
}

void cp_open_guard(lua_State *L) {
  static const luaL_Reg core[] = {{"within", within},
                                  {"guard", new_guard},
                                  {"is_entered", is_entered},
                                  {"entered", count_entered},
                                  {"enter_guard", enter_guard},
                                  {"enter_until_closed", enter_until_closed},
                                  {"pass", pass},
                                  {"guard_handler", guard_handler},
                                  {"left", left},
                                  {NULL, NULL}};
  cp_define_kind(L, CP_KIND_GUARD, NULL, end_guard);
  lua_pop(L, 1);
  cp_put_functions(L, 1, core);
}
