// The per-state context: made once for each lua_State, kept in its registry, closed by its finalizer.
#include "lua/state.h"

#include "array/dlpack.h"
#include "lua/generator.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char state_key = 0; // registry: the cp_state userdata

// What this thread found last: looking into the registry is most of a small call. Once a state is closed its registry's address may serve another one,
// so a finding holds until any thread opens a state.
static _Thread_local struct {
  const void *registry;
  cp_state *state;
  unsigned opened;
} found;
static _Atomic unsigned opened = 1; // states so far

static cp_state *look_up(lua_State *L, const void *registry, unsigned now) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  found.state = lua_touserdata(L, -1);
  found.registry = registry;
  found.opened = now;
  lua_pop(L, 1);
  return found.state;
}

cp_state *cp_state_get(lua_State *L) {
  const void *registry = lua_topointer(L, LUA_REGISTRYINDEX);
  unsigned now = atomic_load_explicit(&opened, memory_order_relaxed);
  bool known = found.registry == registry && found.opened == now;
  cp_state *s = known ? found.state : look_up(L, registry, now);
  s->running = L;
  if (s->branches > 0 && s->chooser != L) cp_choice_switch(s, L);
  return s;
}

bool cp_has_state(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  bool there = lua_touserdata(L, -1) != NULL;
  lua_pop(L, 1);
  return there;
}

static int collect_fully(lua_State *L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

// Called by the pool when the budget is passed or memory has run out. A finalizer of somebody else may raise: that is caught here.
static void collect(void *data, bool full) {
  cp_state *s = data;
  lua_State *L = s->running;
  if (s->collecting > 0 || L == NULL || !lua_checkstack(L, 4)) return;
  s->collecting++;
  double begin = cp_clock();
  for (int round = 0; round < (full ? 2 : 1); round++) {
    lua_pushcfunction(L, collect_fully);
    if (lua_pcall(L, 0, 0, 0) != LUA_OK) lua_pop(L, 1);
  }
  s->ctx.collect_seconds += cp_clock() - begin;
  s->ctx.counters.collections++;
  s->collecting--;
  s->running = L;
  if (s->branches > 0 && s->chooser != L) cp_choice_switch(s, L); // a finalizer resumed a coroutine
}

static int close_state(lua_State *L) {
  cp_state *s = lua_touserdata(L, 1);
  if (s->closed) return 0;
  s->closed = true;
  s->running = L; // owners of lent memory may be references in the registry
  s->choice = &s->base;
  s->branches = 0;
  s->ctx.sync_note = NULL;
  cp_strbuf_free(&s->trace);
  cp_context_close(&s->ctx);
  cp_orphan_exports(&s->ctx);
  cp_return_lent(&s->ctx);
  return 0;
}

void cp_state_drop(lua_State *L) {
  lua_pushcfunction(L, close_state);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  lua_call(L, 1, 0);
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
}

static bool is_setting(const char *variable, const char *value) {
  const char *v = getenv(variable);
  return v != NULL && strcmp(v, value) == 0;
}

void cp_state_open(lua_State *L) {
  if (cp_has_state(L)) return;
  cp_state *s = cp_newuserdata(L, sizeof *s);
  memset(s, 0, sizeof *s);
  s->default_dtype = CP_FLOAT64;
  s->ctx.automatic = true;
  s->ctx.fusion = !is_setting("CUPOLA_FUSION", "0");
  s->force = is_setting("CUPOLA_FUSION", "force");
  s->ctx.log_fusion = is_setting("CUPOLA_LOG", "fusion");
  s->ctx.collect = collect;
  s->ctx.collect_data = s;
  s->choice = &s->base;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_state);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
  atomic_fetch_add_explicit(&opened, 1, memory_order_relaxed);
  s->running = L;
  cp_generator_install(&s->ctx, &s->running);
}
