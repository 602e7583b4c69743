// Graphs for lua/cupola/graph.lua: captures, and handles on what was captured.
#include "expr/capture.h"

#include "lua/module.h"

static const char graph_key = 0; // registry: metatable of handles

typedef struct boxed_graph {
  cp_graph *graph; // NULL after free
} boxed_graph;

static boxed_graph *box_at(lua_State *L, int index) {
  bool same = false;
  if (lua_touserdata(L, index) != NULL && lua_getmetatable(L, index)) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &graph_key);
    same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
  }
  if (!same) luaL_argerror(L, index, "no handle of a graph");
  return lua_touserdata(L, index);
}

static cp_graph *graph_at(lua_State *L, int index, const char *where) {
  cp_graph *g = box_at(L, index)->graph;
  if (g == NULL) cp_raise(L, where, CP_EUSAGE, "the graph was freed");
  return g;
}

// core.graph_begin(where[, older]): starts the capture of a graph for the current device, which may replace an older one of that. Gives its handle.
static int begin(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_graph *older = lua_isnoneornil(L, 2) ? NULL : graph_at(L, 2, where);
  cp_device *device = cp_current_device(L);
  boxed_graph *box = cp_newuserdata(L, sizeof *box);
  box->graph = NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &graph_key);
  lua_setmetatable(L, -2);
  ctx->why = where;
  CP_CHECK(L, where, cp_capture_begin(ctx, device, older, &box->graph));
  return 1;
}

// core.graph_call(f, ...): pcall, out of which f cannot yield: the capture belongs to what runs now.
static int call(lua_State *L) {
  bool ok = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0) == LUA_OK;
  lua_pushboolean(L, ok);
  lua_insert(L, 1);
  return lua_gettop(L);
}

// core.graph_finish(where, handle[, older])
static int finish(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  boxed_graph *box = box_at(L, 2);
  cp_graph *older = lua_isnoneornil(L, 3) ? NULL : graph_at(L, 3, where);
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->why = where;
  cp_graph *g = box->graph;
  cp_status status = cp_capture_finish(g, older);
  if (status != CP_OK) box->graph = NULL;
  CP_CHECK(L, where, status);
  return 0;
}

// core.graph_cancel(handle)
static int cancel(lua_State *L) {
  boxed_graph *box = box_at(L, 1);
  (void)cp_state_get(L);
  if (box->graph != NULL) cp_capture_cancel(box->graph);
  box->graph = NULL;
  return 0;
}

// core.graph_outside(f, ...): f's results, whose work is done now and not recorded.
static int outside(lua_State *L) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_graph *g = cp_capture_pause(ctx);
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  cp_capture_resume(ctx, g);
  return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

// core.graph_launch(handle)
static int launch(lua_State *L) {
  cp_graph *g = graph_at(L, 1, "graph.replay");
  (void)cp_state_get(L);
  CP_CHECK(L, "graph.replay", cp_graph_launch(g));
  return 0;
}

// core.graph_free(handle): what the graph holds goes, once its work is done.
static int free_graph(lua_State *L) {
  boxed_graph *box = box_at(L, 1);
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (box->graph == NULL) return 0;
  cp_graph_leave(box->graph);
  box->graph = NULL;
  cp_graphs_bury(ctx);
  return 0;
}

// core.graph_figures(handle): device, nodes, kernels, bytes of its own, whether it took the place of another one; nil after free.
static int figures(lua_State *L) {
  const cp_graph *g = box_at(L, 1)->graph;
  if (g == NULL || g->script == NULL) return 0;
  lua_pushstring(L, g->device->name);
  lua_pushinteger(L, (lua_Integer)g->script->nodes);
  lua_pushinteger(L, (lua_Integer)g->script->kernels);
  lua_pushinteger(L, (lua_Integer)g->reserve.bytes);
  lua_pushboolean(L, g->script->updated);
  return 5;
}

// core.graph_device(): the device of the graph that is being captured, or nil.
static int capture_device(lua_State *L) {
  const cp_graph *g = cp_state_get(L)->ctx.capture;
  if (g == NULL) return 0;
  lua_pushstring(L, g->device->name);
  return 1;
}

// Finalizers call no driver: the rest goes at the next occasion.
static int collect_graph(lua_State *L) {
  boxed_graph *box = lua_touserdata(L, 1);
  if (box == NULL || box->graph == NULL) return 0;
  if (!cp_state_get(L)->ctx.closed) cp_graph_leave(box->graph); // they go with the state
  box->graph = NULL;
  return 0;
}

void cp_open_graph(lua_State *L) {
  static const luaL_Reg core[] = {{"graph_begin", begin},           {"graph_call", call},
                                  {"graph_finish", finish},         {"graph_cancel", cancel},
                                  {"graph_outside", outside},       {"graph_launch", launch},
                                  {"graph_free", free_graph},       {"graph_figures", figures},
                                  {"graph_device", capture_device}, {NULL, NULL}};
  lua_createtable(L, 0, 3);
  lua_pushcfunction(L, collect_graph);
  lua_setfield(L, -2, "__gc");
  lua_pushliteral(L, "cupola.graph");
  lua_setfield(L, -2, "__metatable");
  lua_pushliteral(L, "cupola.graph");
  lua_setfield(L, -2, "__name");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &graph_key);
  lua_pushvalue(L, 1);
  cp_setfuncs(L, core, 0);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "capturing"); // where draws of a capture find seed and call (graph.lua)
  lua_pop(L, 1);
}
