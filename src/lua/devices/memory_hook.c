// A Lua function that is told of every block that is allocated and freed (cp_memory_log, memory/allocator.h).
// The Lua side makes hooks and reports of it.
#include "lua/guards/guard.h"
#include "lua/guards/scope.h"
#include "lua/state/capability.h"
#include "lua/state/depth.h"
#include "lua/state/error.h"
#include "lua/state/module.h"
#include "lua/values/scalar.h"
#include "memory/allocator.h"

#include <stdlib.h>

static const char hook_key = 0; // in the registry: the hook, a userdata

typedef struct hook {
  cp_memory_log log;
  cp_state *state;
  int function; // a reference in the registry; LUA_NOREF once the hook has ended
} hook;

typedef struct call {
  const hook *hook;
  const cp_memory_event *event;
} call;

// Calls f(kind, fresh, nbytes, size, address, device, place); address is nil if the host denies addresses to
// scripts.
static int tell(lua_State *L) {
  const call *c = lua_touserdata(L, 1);
  const cp_memory_event *e = c->event;
  lua_rawgeti(L, LUA_REGISTRYINDEX, c->hook->function);
  lua_pushlstring(L, &e->kind, 1);
  lua_pushboolean(L, e->fresh);
  cp_push_scalar(L, cp_scalar_int((int64_t)e->bytes, CP_INT64));
  cp_push_scalar(L, cp_scalar_int((int64_t)e->size, CP_INT64));
  if (cp_is_denied(L, CUPOLA_POINTERS))
    lua_pushnil(L);
  else
    cp_push_scalar(L, cp_scalar_int((int64_t)(intptr_t)e->pointer, CP_INT64));
  lua_pushstring(L, e->device->name);
  char place[256];
  cp_user_position(L, place, sizeof place);
  lua_pushstring(L, place);
  cp_call(L, "MemoryHook", 7, 0);
  return 0;
}

// Calls the function. Meanwhile nothing is logged, as it may make arrays; it may even end the hook and begin
// another one.
static cp_status note(void *data, const cp_memory_event *event) {
  hook *h = data;
  cp_state *s = h->state;
  lua_State *L = s->running;
  call c = {h, event};
  cp_status status = CP_OK;
  if (L == NULL || !lua_checkstack(L, 16)) return CP_OK;
  s->ctx.memory.log = NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &hook_key); // keeps the hook alive until the end
  cp_scope_hide(L, s);
  if (cp_call_protected(L, tell, &c) != LUA_OK) {
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, -1);
    status = cp_fail(CP_EUSAGE, "the memory hook failed: %.400s", text);
    lua_pop(L, 1);
  }
  cp_scope_show(L, s);
  s->running = L;
  if (s->branches > 0 && s->chooser != L) cp_current_switch(s, L); // it resumed a coroutine
  if (h->function != LUA_NOREF) s->ctx.memory.log = &h->log;
  lua_pop(L, 1);
  return status;
}

static hook *current_hook(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &hook_key);
  hook *h = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return h;
}

static void end_hook(lua_State *L, cp_context *ctx) {
  hook *h = current_hook(L);
  if (h == NULL) return;
  if (ctx->memory.log == &h->log) ctx->memory.log = NULL;
  free(h->log.freed);
  h->log = (cp_memory_log){.note = note, .data = h};
  luaL_unref(L, LUA_REGISTRYINDEX, h->function);
  h->function = LUA_NOREF;
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &hook_key);
}

// core.memory_hook([f]): calls f for what is allocated and freed from now on, unless there is a hook already.
// Without f it ends the hook, after telling it the rest.
static int memory_hook(lua_State *L) {
  cp_state *s = cp_state_get(L);
  cp_context *ctx = &s->ctx;
  if (lua_isnoneornil(L, 1)) {
    cp_status status = cp_memory_flush(ctx);
    end_hook(L, ctx);
    CP_CHECK(L, "MemoryHook", status);
    return 0;
  }
  if (current_hook(L) != NULL) return 0;
  hook *h = cp_newuserdata(L, sizeof *h);
  *h = (hook){.log = {.note = note, .data = h}, .state = s, .function = LUA_NOREF};
  lua_rawsetp(L, LUA_REGISTRYINDEX, &hook_key);
  lua_pushvalue(L, 1);
  h->function = luaL_ref(L, LUA_REGISTRYINDEX);
  ctx->memory.log = &h->log;
  return 0;
}

static cp_status tell_rest(cp_state *s, cp_guard *g, bool returned) {
  (void)g, (void)returned;
  return cp_memory_flush(&s->ctx);
}

// core.hook_guard(): the guard for a hook, which is told of what was freed before it ends.
static int hook_guard(lua_State *L) {
  static const cp_guard_kind kind = {.once = true, .finish = tell_rest};
  cp_push_guard(L, &kind, "MemoryHook");
  return 1;
}

void cp_open_memory_hook(lua_State *L) {
  static const luaL_Reg core[] = {{"memory_hook", memory_hook}, {"hook_guard", hook_guard}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
