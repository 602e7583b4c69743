// The primitives of cp.profiler: counters, ranges shown by profilers, and the places where a script waits for
// its device.
#include "lua/arguments/args.h"
#include "lua/guards/guard.h"
#include "lua/state/module.h"

#include "cuda/driver/nvtx.h"

#include <stdio.h>
#include <string.h>

// cp.profiler.counters(): how often this state did what, so far.
static int counters(lua_State *L) {
  cp_at_most(L, "profiler.counters", 0);
  const cp_counters *c = &cp_state_get(L)->ctx.counters;
  lua_createtable(L, 0, 10);
  cp_set_number(L, "launches", c->launches);
  cp_set_number(L, "compiles", c->compiles);
  cp_set_number(L, "cache_hits", c->cache_hits);
  cp_set_number(L, "allocations", c->allocations);
  cp_set_number(L, "bytes_allocated", c->bytes_allocated);
  cp_set_number(L, "synchronizations", c->synchronizations);
  cp_set_number(L, "collections", c->collections);
  cp_set_number(L, "forces", c->forces);
  cp_set_number(L, "renames", c->renames);
  cp_set_number(L, "prepared", c->prepared);
  cp_set_number(L, "waits", c->waits);
  return 1;
}

// ---- waiting ----------------------------------------------------------------------------------------------

// Adds a line to the trace: place, caller and seconds, separated by tabs. Must not raise an error, since it
// runs inside the core.
static void note(void *data, double seconds) {
  cp_state *s = data;
  char place[LUA_IDSIZE + 32];
  cp_user_position(s->running, place, sizeof place);
  size_t n = strlen(place);
  if (n >= 2) place[n - 2] = '\0'; // without ": "
  cp_strbuf_printf(&s->trace, "%s\t%s\t%.9f\n", place, s->ctx.lazy.caller != NULL ? s->ctx.lazy.caller : "?",
                   seconds);
}

static void enter_trace(lua_State *L, cp_guard *g) {
  cp_state *s = g->state;
  cp_demand(L, g->where, s->ctx.hooks.sync_note == NULL, "another trace_sync is running");
  cp_strbuf_free(&s->trace);
  s->trace = (cp_strbuf){0};
  s->ctx.hooks.sync_data = s;
  s->ctx.hooks.sync_note = note;
}

static void leave_trace(cp_state *s, lua_State *L, cp_guard *g) {
  (void)L, (void)g;
  s->ctx.hooks.sync_note = NULL;
}

// core.trace_guard(): the guard that traces where the script waits.
static int trace_guard(lua_State *L) {
  static const cp_guard_kind kind = {.enter = enter_trace, .leave = leave_trace};
  cp_push_guard(L, &kind, "trace_sync");
  return 1;
}

// core.trace_text(): the lines so far.
static int trace_text(lua_State *L) {
  const cp_strbuf *trace = &cp_state_get(L)->trace;
  size_t size = trace->failed ? 0 : trace->size;
  // Finalizers that run here may wait, which adds a line.
  char *copy = cp_newuserdata(L, size + 1);
  if (size > trace->size) size = trace->size;
  if (size > 0) memcpy(copy, trace->text, size);
  lua_pushlstring(L, copy, size);
  return 1;
}

// ---- ranges -----------------------------------------------------------------------------------------------

// Ranges belong to a thread. Lua's strings are also C strings.
static int range_push(lua_State *L) {
  if (lua_type(L, 1) != LUA_TSTRING)
    return cp_raise(L, "RangePush", CP_EUSAGE, "message must be a string, not %s", luaL_typename(L, 1));
  cp_state_get(L)->ranges++;
  cp_nvtx_push(lua_tostring(L, 1));
  return 0;
}

// A script cannot end the ranges that the host began.
static int range_pop(lua_State *L) {
  cp_state *s = cp_state_get(L);
  if (s->ranges == 0) return 0;
  s->ranges--;
  cp_nvtx_pop();
  return 0;
}

typedef struct range_guard {
  cp_guard guard;
  const char *message; // its string is held by the guard
} range_guard;

static void enter_range(lua_State *L, cp_guard *g) {
  (void)L;
  g->state->ranges++;
  cp_nvtx_push(((range_guard *)g)->message);
}

static void leave_range(cp_state *s, lua_State *L, cp_guard *g) {
  (void)L, (void)g;
  if (s->ranges == 0) return;
  s->ranges--;
  cp_nvtx_pop();
}

// core.range_guard(message): the guard for a range.
static int range_guard_of(lua_State *L) {
  static const cp_guard_kind kind = {.enter = enter_range, .leave = leave_range};
  const char *message = luaL_checkstring(L, 1);
  range_guard *g = cp_push_guard(L, &kind, "time_range");
  g->message = message;
  cp_guard_hold(L, 1);
  return 1;
}

static int mark(lua_State *L) {
  if (lua_type(L, 1) != LUA_TSTRING)
    return cp_raise(L, "Mark", CP_EUSAGE, "message must be a string, not %s", luaL_typename(L, 1));
  cp_nvtx_mark(lua_tostring(L, 1));
  return 0;
}

void cp_open_profiler(lua_State *L) {
  static const luaL_Reg core[] = {{"trace_guard", trace_guard},
                                  {"trace_text", trace_text},
                                  {"range_guard", range_guard_of},
                                  {"range_push", range_push},
                                  {"range_pop", range_pop},
                                  {"mark", mark},
                                  {NULL, NULL}};
  cp_put_functions(L, 1, core);
  lua_createtable(L, 0, 4);
  lua_pushcfunction(L, counters);
  lua_setfield(L, -2, "counters");
  lua_setfield(L, 2, "profiler");
}
