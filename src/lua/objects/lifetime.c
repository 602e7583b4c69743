// The beginning and the end of a state, which is created once for each lua_State and closed by its finalizer,
// and the garbage collections that it asks for.
#include "lua/objects/lifetime.h"
#include "lua/objects/handles.h"
#include "lua/objects/object.h"

#include "array/dlpack.h"
#include "lazy/arrays/close.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Whether the garbage collector is stopped, by somebody or by LuaJIT while a finalizer runs.
static bool is_stopped(lua_State *L) {
#if LUA_VERSION_NUM < 502 && defined(LUA_GCISRUNNING)
  return lua_gc(L, LUA_GCISRUNNING, 0) == 0;
#else
  (void)L;
  return false; // a collection does not change that
#endif
}

static int collect_fully(lua_State *L) {
  bool stopped = is_stopped(L);
  lua_gc(L, LUA_GCCOLLECT, 0);
  if (stopped) lua_gc(L, LUA_GCSTOP, 0); // LuaJIT has started it
  return 0;
}

// Collects garbage; the pool calls this when its budget is exceeded or memory has run out. Errors raised by
// other libraries' finalizers are caught here.
static void collect(void *data, bool full) {
  cp_state *s = data;
  lua_State *L = s->running;
  if (s->collecting > 0 || L == NULL || !lua_checkstack(L, 4)) return;
  if (!full && is_stopped(L)) return;
  s->collecting++;
  for (int round = 0; round < (full ? 2 : 1); round++) {
    if (cp_call_protected(L, collect_fully, NULL) != LUA_OK) lua_pop(L, 1);
  }
  s->ctx.counters.collections++;
  s->collecting--;
  s->running = L;
  if (s->branches > 0 && s->chooser != L) cp_current_switch(s, L); // a finalizer resumed a coroutine
}

static void end_state(lua_State *L, cp_state *s) {
  cp_end_arrays(s);
  cp_end_late(L);
  // Owners of borrowed memory may be references in the registry.
  s->running = L;
  s->choice = &s->base;
  s->branches = 0;
  s->ctx.hooks.sync_note = NULL;
  s->ctx.interrupt.ask = NULL; // closing waits only for what ends by itself
  cp_strbuf_free(&s->trace);
  cp_context_close(&s->ctx);
  cp_orphan_exports(&s->ctx);
  cp_release_borrowed(&s->ctx);
  s->closed = true;
  cp_forget_kinds(s->kinds);
  (void)cp_state_number();
}

static int close_state(lua_State *L);

// Makes the userdata on top end the state when it is finalised.
static void set_end(lua_State *L) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_state);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
}

// Finalizer of the state: Lua is closing. In LuaJIT, a collection inside a finalizer, maybe one of cupola's
// own, runs all remaining finalizers, while the frames below still use the state. Then another userdata ends
// it, in the next round of finalizers.
static int close_state(lua_State *L) {
  cp_state *s = cp_state_find(L);
  if (s == NULL || s->closing) return 0;
#if LUA_VERSION_NUM < 502
  lua_Debug below;
  if (lua_getstack(L, 1, &below)) {
    cp_newuserdata(L, 1);
    set_end(L);
    return 0;
  }
#endif
  end_state(L, s);
  return 0;
}

void cp_state_drop(lua_State *L) {
  end_state(L, cp_state_find(L));
  lua_pushnil(L);
  cp_state_set(L);
}

static bool is_setting(const char *variable, const char *value) {
  const char *v = getenv(variable);
  return v != NULL && strcmp(v, value) == 0;
}

void cp_state_open(lua_State *L) {
  if (cp_has_state(L)) return;
  cp_state *s = cp_newuserdata(L, sizeof *s);
  memset(s, 0, sizeof *s);
  s->ctx.number = cp_state_number();
  s->default_dtype = CP_FLOAT64;
  s->ctx.memory.automatic = true;
  s->ctx.interrupt.longest_piece = INFINITY;
  s->ctx.lazy.fusion = !is_setting("CUPOLA_FUSION", "0");
  s->force = is_setting("CUPOLA_FUSION", "force");
  s->ctx.lazy.log_fusion = is_setting("CUPOLA_LOG", "fusion");
  s->ctx.hooks.collect = collect;
  s->ctx.hooks.collect_data = s;
  s->choice = &s->base;
  set_end(L);
  cp_state_set(L);
  s->running = L;
}
