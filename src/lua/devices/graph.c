// Graphs for lua/cupola/devices/graph.lua: capturing what a function does, and handles of the captured
// graphs. lazy/arrays/capture.h does the work.
#include "lazy/arrays/capture.h"

#include "lua/objects/object.h"
#include "lua/state/current_device.h"
#include "lua/state/depth.h"
#include "lua/state/error.h"
#include "lua/state/module.h"

typedef struct boxed_graph {
  cp_graph *graph; // NULL after free
} boxed_graph;

static boxed_graph *box_at(lua_State *L, int index) {
  return cp_check_object(L, index, CP_KIND_GRAPH, "graph", "argument 1");
}

static cp_graph *graph_at(lua_State *L, int index, const char *where) {
  cp_graph *g = box_at(L, index)->graph;
  if (g == NULL) cp_raise(L, where, CP_EUSAGE, "the graph was freed");
  return g;
}

static bool can_replace(const cp_graph *older, const cp_device *device) {
  return older == NULL || (older->phase == CP_GRAPH_READY && older->device == device);
}

// Sets core.capturing (core is upvalue 1), which says where random numbers drawn in a capture find seed and
// call (graph.lua). The field exists already, so this allocates nothing.
static void set_capturing(lua_State *L, int value) {
  lua_pushvalue(L, value);
  lua_setfield(L, lua_upvalueindex(1), "capturing");
}

// core.graph_capture(where, older, capturing, f, ...): captures what f(...) does on the current device.
// Returns the handle of the graph, and what f returned. The graph may replace `older`, a graph of the same
// device, or nil. f cannot yield, since the capture belongs to the call that runs now.
static int capture(lua_State *L) {
  // Stack slots after the two inserts below, which move the arguments up by two.
  enum { BOX = 1, OFF = 2, OLDER = 4, CAPTURING = 5, F = 6 };
  const char *where = luaL_checkstring(L, 1);
  luaL_checkany(L, 4);
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_graph *older = lua_isnoneornil(L, 2) ? NULL : graph_at(L, 2, where);
  cp_device *device = cp_current_device(L);
  cp_demand(L, where, can_replace(older, device), "the older graph is of another device, or not ready");
  lua_pushboolean(L, 0);
  lua_insert(L, 1);
  boxed_graph *box = cp_push_object(L, CP_KIND_GRAPH, sizeof *box);
  lua_insert(L, 1);
  lua_pushcfunction(L, cp_call_checked);
  lua_insert(L, F);
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_capture_begin(ctx, device, older, &box->graph));
  cp_graph *g = box->graph;
  set_capturing(L, CAPTURING);
  bool ok = lua_pcall(L, lua_gettop(L) - F, LUA_MULTRET, 0) == LUA_OK;
  set_capturing(L, OFF);
  boxed_graph *older_box = older != NULL ? box_at(L, OLDER) : NULL;
  bool usable = older_box == NULL || (older_box->graph == older && can_replace(older, device));
  if (ok && !usable) lua_pushfstring(L, "cupola.%s: the older graph was freed meanwhile", where);
  if (!ok || !usable) {
    box->graph = NULL;
    cp_capture_cancel(g);
    return lua_error(L);
  }
  ctx->lazy.caller = where;
  cp_status status = cp_capture_finish(g, older);
  if (status != CP_OK) box->graph = NULL;
  CP_CHECK(L, where, status);
  lua_pushvalue(L, BOX);
  lua_replace(L, F - 1);
  return lua_gettop(L) - (F - 2);
}

// core.graph_outside(f, ...): calls f during a capture, but does its work now instead of recording it.
// Returns f's results.
static int outside(lua_State *L) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  luaL_checkany(L, 1);
  cp_graph *g = cp_capture_pause(ctx);
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  cp_capture_resume(ctx, g);
  return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

// core.graph_launch(handle): runs the graph.
static int launch(lua_State *L) {
  cp_graph *g = graph_at(L, 1, "graph.replay");
  (void)cp_state_get(L);
  CP_CHECK(L, "graph.replay", cp_graph_launch(g));
  return 0;
}

// core.graph_free(handle): frees what the graph holds, once its work is done.
static int free_graph(lua_State *L) {
  boxed_graph *box = box_at(L, 1);
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (box->graph == NULL) return 0;
  cp_demand(L, "graph.free", box->graph->phase == CP_GRAPH_READY, "the graph is being captured");
  cp_graph_leave(box->graph);
  box->graph = NULL;
  cp_context_settle(ctx);
  return 0;
}

// core.graph_figures(handle): its device, nodes, kernels, bytes of its own memory, and whether it replaced
// another graph; nothing after free.
static int figures(lua_State *L) {
  const cp_graph *g = box_at(L, 1)->graph;
  if (g == NULL || g->commands == NULL) return 0;
  lua_pushstring(L, g->device->name);
  lua_pushinteger(L, (lua_Integer)g->commands->nodes);
  lua_pushinteger(L, (lua_Integer)g->commands->kernels);
  lua_pushinteger(L, (lua_Integer)g->reserve.bytes);
  lua_pushboolean(L, g->commands->updated);
  return 5;
}

// Finalizers must not call the driver, so the graph is destroyed later.
static void end_graph(lua_State *L, void *object) {
  boxed_graph *box = object;
  (void)L;
  if (box->graph != NULL) cp_graph_leave(box->graph);
  box->graph = NULL;
}

void cp_open_graph(lua_State *L) {
  static const luaL_Reg core[] = {{"graph_capture", capture}, {"graph_outside", outside},
                                  {"graph_launch", launch},   {"graph_free", free_graph},
                                  {"graph_figures", figures}, {NULL, NULL}};
  cp_define_kind(L, CP_KIND_GRAPH, NULL, end_graph);
  lua_pop(L, 1);
  for (const luaL_Reg *f = core; f->name != NULL; f++) {
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, f->func, 1);
    lua_setfield(L, 1, f->name);
  }
  lua_pushboolean(L, 0);
  // Says where random numbers drawn in a capture find seed and call (graph.lua).
  lua_setfield(L, 1, "capturing");
}
