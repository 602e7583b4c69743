// Computing pending values on demand (eval), and the switches of fusion and of fast paths.
#include "lua/elementwise/fusion.h"
#include "lua/arguments/args.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include "device/fast.h"
#include "lazy/arrays/pending.h"

void cp_launch_pending_on(lua_State *L, const char *where, cp_device *device) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_launch_pending(ctx, device));
}

// x:eval(): computes x now if it is pending, and returns it.
static int eval_array(lua_State *L) {
  if (lua_gettop(L) != 1) {
    cp_at_most(L, "eval", 1);
    lua_settop(L, 1);
  }
  cp_check_array(L, 1, "eval", "x"); // x stays on top
  return 1;
}

enum { MOST_AT_ONCE = 64 };

// Adds the value on top, if it is an array, to the group that is computed together; computes the group when
// it is full.
static void add_to_group(lua_State *L, cp_array **group, int *n, bool skip_freed) {
  cp_array *a = cp_test_array(L, -1);
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (a == NULL || (skip_freed && cp_array_alive(a) != CP_OK)) return;
  CP_CHECK(L, "eval", cp_array_alive(a));
  group[(*n)++] = a;
  if (*n < MOST_AT_ONCE) return;
  CP_CHECK(L, "eval", cp_force_all(ctx, *n, group));
  *n = 0;
}

// cp.eval(a, b, ...): computes the arrays among the arguments, those of one shape by one kernel. Returns the
// arguments.
static int eval_all(lua_State *L) {
  cp_array *group[MOST_AT_ONCE];
  cp_context *ctx = &cp_state_get(L)->ctx;
  int n = 0, top = lua_gettop(L);
  luaL_checkstack(L, 4, "too many arguments");
  ctx->lazy.caller = "eval";
  for (int k = 1; k <= top; k++) {
    lua_pushvalue(L, k);
    add_to_group(L, group, &n, false);
    lua_pop(L, 1);
  }
  CP_CHECK(L, "eval", cp_force_all(ctx, n, group));
  return top;
}

// core.evaluate(list): computes the arrays in the list that are not freed, in the same way.
static int evaluate_list(lua_State *L) {
  cp_array *group[MOST_AT_ONCE];
  cp_context *ctx = &cp_state_get(L)->ctx;
  luaL_checktype(L, 1, LUA_TTABLE);
  int n = 0, count = (int)lua_rawlen(L, 1);
  ctx->lazy.caller = "scope";
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, 1, k);
    add_to_group(L, group, &n, true);
    lua_pop(L, 1);
  }
  CP_CHECK(L, "eval", cp_force_all(ctx, n, group));
  return 0;
}

// cp.fusion([on]): sets whether operators wait until their value is needed. Returns the setting before.
CP_SIGNATURE(fusion, 0, "on");
static int fusion(lua_State *L) {
  cp_arguments(L, &fusion_signature);
  cp_context *ctx = &cp_state_get(L)->ctx;
  lua_pushboolean(L, ctx->lazy.fusion);
  if (!lua_isnoneornil(L, 1)) ctx->lazy.fusion = cp_arg_boolean_or(L, 1, "fusion", "on", true);
  return 1;
}

// core.slow_paths(name...): turns exactly these fast paths off ("all": all of them), for specs and
// measurements.
static int slow_paths(lua_State *L) {
  // ORDER cp_fast_path
  static const char *const names[] = {"operands", "nodes",    "force", "single",   "dense", "flat", "small",
                                      "fill",     "prepared", "views", "products", "lists", "all",  NULL};
  cp_settings *settings = &cp_state_get(L)->ctx.settings;
  unsigned slow = 0;
  for (int k = 1; k <= lua_gettop(L); k++) {
    int path = luaL_checkoption(L, k, NULL, names);
    slow |= path == CP_NFASTS ? ~0U : 1U << path;
  }
  settings->slow = slow;
  return 0;
}

void cp_open_fusion(lua_State *L) {
  static const luaL_Reg core[] = {{"evaluate", evaluate_list}, {"slow_paths", slow_paths}, {NULL, NULL}};
  static const luaL_Reg cp[] = {{"eval", eval_all}, {"fusion", fusion}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
  cp_put_functions(L, 2, cp);
  lua_pushcfunction(L, eval_array);
  lua_setfield(L, 3, "eval");
}
