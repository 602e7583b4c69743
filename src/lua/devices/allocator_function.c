// A memory source that calls Lua functions. They run where a collection may run: inside an allocation, never
// inside a finalizer, which only queues what it frees. Meanwhile the current device is the one whose memory
// is wanted, and memory comes from that device's own pool, so the functions may make arrays.
#include "lua/devices/allocator.h"
#include "lua/guards/scope.h"
#include "lua/state/depth.h"
#include "lua/state/error.h"
#include "lua/values/scalar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct functions {
  cp_state *state;
  int allocate, release; // references in the registry
  char failure[256];     // the error of a free function, or ""
} functions;

typedef struct call {
  functions *f;
  cp_device *device;
  cp_block *block;
  bool none; // allocate returned nil
} call;

static int do_allocate(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  int64_t address;
  lua_rawgeti(L, LUA_REGISTRYINDEX, c->f->allocate);
  cp_push_scalar(L, cp_scalar_int((int64_t)c->block->size, CP_INT64));
  lua_pushstring(L, c->device->name);
  cp_call(L, "allocator", 2, 2);
  c->none = lua_isnil(L, -2);
  if (c->none) return 0;
  if (!cp_to_integer(L, -2, &address) || address == 0) return luaL_error(L, "it returned no address");
  c->block->pointer = (void *)(intptr_t)address;
  if (lua_isnil(L, -1))
    c->block->tag = LUA_NOREF;
  else
    c->block->tag = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static int do_release(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, c->f->release);
  cp_push_scalar(L, cp_scalar_int((int64_t)(intptr_t)c->block->pointer, CP_INT64));
  cp_push_scalar(L, cp_scalar_int((int64_t)c->block->size, CP_INT64));
  lua_rawgeti(L, LUA_REGISTRYINDEX, (int)c->block->tag);
  luaL_unref(L, LUA_REGISTRYINDEX, (int)c->block->tag);
  lua_call(L, 3, 0);
  return 0;
}

// Calls f, which is do_allocate or do_release, with the device chosen and scopes hidden. On failure returns
// false with the message on top of the stack.
static bool run(lua_State *L, call *c, lua_CFunction f) {
  cp_state *s = c->f->state;
  unsigned chosen = s->ctx.now.allocator;
  cp_device *device = s->ctx.now.device;
  s->ctx.now.allocator = 0;
  s->ctx.now.device = c->device;
  cp_scope_hide(L, s);
  bool ok = cp_call_protected(L, f, c) == LUA_OK;
  if (!ok) lua_insert(L, -2); // the message goes below what cp_scope_show pops
  cp_scope_show(L, s);
  s->running = L;
  if (s->branches > 0 && s->chooser != L) cp_current_switch(s, L); // it resumed a coroutine
  cp_allocator_use(&s->ctx, s->ctx.now.allocator, -1);
  s->ctx.now.allocator = chosen;
  s->ctx.now.device = device;
  return ok;
}

static const char *message_of(lua_State *L) {
  return lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, -1);
}

static cp_status function_allocate(void *data, cp_device *d, cp_stream *s, cp_block *b) {
  functions *f = data;
  lua_State *L = f->state->running;
  call c = {f, d, b, false};
  (void)s;
  if (L == NULL || !lua_checkstack(L, 16)) return cp_fail(CP_EUSAGE, "the allocator cannot be called here");
  if (run(L, &c, do_allocate)) return c.none ? cp_fail(CP_EMEMORY, "out of memory") : CP_OK;
  cp_status status = cp_fail(CP_EUSAGE, "the allocator failed: %.400s", message_of(L));
  lua_pop(L, 1);
  return status;
}

static void function_release(void *data, cp_device *d, cp_block *b) {
  functions *f = data;
  lua_State *L = f->state->running;
  call c = {f, d, b, false};
  if (L == NULL || !lua_checkstack(L, 16)) return;
  if (run(L, &c, do_release)) return;
  snprintf(f->failure, sizeof f->failure, "%.250s", message_of(L));
  lua_pop(L, 1);
}

static const cp_memory_source function_source = {
    .name = "function", .allocate = function_allocate, .release = function_release, .reentrant = true};

static void forget(void *data) {
  functions *f = data;
  lua_State *L = f->state->running;
  if (L != NULL) luaL_unref(L, LUA_REGISTRYINDEX, f->allocate);
  if (L != NULL) luaL_unref(L, LUA_REGISTRYINDEX, f->release);
  free(f);
}

cp_allocator *cp_function_allocator(lua_State *L, int allocate, int release, bool direct) {
  cp_state *s = cp_state_get(L);
  functions *f = calloc(1, sizeof *f);
  cp_allocator *a = f != NULL ? cp_allocator_new(&s->ctx, &function_source, f, direct) : NULL;
  if (a == NULL) {
    free(f);
    return NULL;
  }
  a->forget = forget;
  // Until its handle owns the allocator: making a reference may raise an error.
  a->given_up = true;
  *f = (functions){.state = s, .allocate = LUA_NOREF, .release = LUA_NOREF};
  lua_pushvalue(L, allocate);
  f->allocate = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushvalue(L, release);
  f->release = luaL_ref(L, LUA_REGISTRYINDEX);
  a->given_up = false;
  return a;
}

void cp_check_function(lua_State *L, const char *where, const cp_allocator *a) {
  if (a == NULL || a->source != &function_source) return;
  functions *f = a->data;
  if (f->failure[0] == '\0') return;
  char text[sizeof f->failure];
  memcpy(text, f->failure, sizeof text);
  f->failure[0] = '\0';
  cp_raise(L, where, CP_EUSAGE, "the allocator's free function failed: %s", text);
}
