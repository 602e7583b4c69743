// What cp.fuse needs from the core: the raised fusion limit while its function runs (a guard, guard.h), a
// record of the kernels that were launched, and a way to drop pending values that nobody will use.
#include "lua/guards/current.h"
#include "lua/guards/scope.h"
#include "lua/state/module.h"

#include "cuda/run/precompile.h"
#include "lua/kernels/generator.h"
#include "lua/objects/handles.h"
#include "lua/objects/object.h"
#include "lua/state/choice.h"
#include "lua/state/depth.h"

#include <string.h>

// Registry: a table with weak values whose entry 1 is the coroutine of the outermost fused function.
static const char fusing_key = 0;

// What the last call of a fused function launched.
typedef struct notes { // a userdata
  cp_context *ctx;
  cp_strbuf kernels; // the kernels' keys, each preceded by its size
  // The counter of launches when the function began, and the number of launches when it ended.
  uint64_t start, launches;
} notes;

typedef struct fuse_guard {
  cp_guard guard;
  notes *notes; // kept alive by the guard (cp_guard_hold)
} fuse_guard;

static void end_notes(lua_State *L, void *object) {
  notes *n = object;
  (void)L;
  // The guard may be finalised together with its notes, without having left.
  if (n->ctx != NULL && n->ctx->generator.keys == &n->kernels) {
    n->ctx->generator.keys = NULL;
    n->ctx->lazy.raised_bounds = 0;
  }
  cp_strbuf_free(&n->kernels);
}

static notes *notes_at(lua_State *L, int index) {
  return cp_check_object(L, index, CP_KIND_NOTES, "fuse", "notes");
}

// core.fuse_notes(): makes an object that records what a fused function launches.
static int new_notes(lua_State *L) {
  notes *n = cp_push_object(L, CP_KIND_NOTES, sizeof *n);
  n->ctx = &cp_state_get(L)->ctx;
  return 1;
}

// Whether a fused function is running now: the coroutine of the outermost one is L or waits for L. It is not
// if that coroutine has ended or was suspended.
static bool is_fusing(lua_State *L, const cp_context *ctx) {
  if (ctx->lazy.raised_bounds == 0) return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &fusing_key);
  lua_rawgeti(L, -1, 1);
  lua_State *T = lua_tothread(L, -1);
  lua_pop(L, 2);
  return T != NULL && cp_is_active(T);
}

static void set_fusing(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &fusing_key);
  lua_pushthread(L);
  lua_rawseti(L, -2, 1);
  lua_pop(L, 1);
}

static void enter(lua_State *L, cp_guard *guard) {
  const fuse_guard *g = (const fuse_guard *)guard;
  cp_state *s = guard->state;
  cp_scope_enter(L, guard);
  set_fusing(L);
  s->fusing = guard;
  s->ctx.lazy.raised_bounds = 1;
  g->notes->kernels.size = 0;
  g->notes->start = s->ctx.counters.launches;
  s->ctx.generator.keys = &g->notes->kernels;
}

static void end_fusing(cp_state *s, const cp_guard *guard) {
  if (s->fusing != guard) return; // another fused function began while this one was suspended
  s->fusing = NULL;
  s->ctx.generator.keys = NULL;
  s->ctx.lazy.raised_bounds = 0;
}

static void leave(cp_state *s, lua_State *L, cp_guard *guard) {
  notes *n = ((fuse_guard *)guard)->notes;
  if (L != NULL) n->launches = s->ctx.counters.launches - n->start;
  end_fusing(s, guard);
  cp_scope_leave(s, L, guard);
}

// core.fuse_guard(notes): a guard for a fused function, which is a scope too. Returns nothing inside another
// fused function.
static int new_guard(lua_State *L) {
  static const cp_guard_kind kind = {.enter = enter, .leave = leave};
  notes *n = notes_at(L, 1);
  if (is_fusing(L, &cp_state_get(L)->ctx)) return 0;
  fuse_guard *g = cp_push_guard(L, &kind, "fuse");
  g->notes = n;
  cp_guard_hold(L, 1);
  return 1;
}
_Static_assert(sizeof(fuse_guard) <= CP_GUARD_SIZE, "guards have room");

// core.fuse_launches(notes): how many kernels the function's last call launched.
static int count_launches(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)notes_at(L, 1)->launches);
  return 1;
}

// core.call_with_raised_bounds(f, ...): pcall with the raised fusion limit, for a function whose body is to
// be one kernel. The function f cannot yield.
static int call_wide(lua_State *L) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  luaL_checkany(L, 1);
  lua_pushboolean(L, 0);
  lua_insert(L, 1);
  lua_pushcfunction(L, cp_call_checked);
  lua_insert(L, 2);
  ctx->lazy.raised_bounds++;
  bool ok = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0) == LUA_OK;
  if (ctx->lazy.raised_bounds > 0) ctx->lazy.raised_bounds--;
  lua_pushboolean(L, ok);
  lua_replace(L, 1);
  return lua_gettop(L);
}

// core.fuse_kernels(notes): a list with an entry for each kernel of the last call: the description from which
// the generator makes its source, or false for a kernel that the user wrote.
static int list_kernels(lua_State *L) {
  const notes *n = notes_at(L, 1);
  size_t size, at = 0, total = n->kernels.size;
  cp_plan *p = lua_newuserdata(L, sizeof *p);
  unsigned char *keys = lua_newuserdata(L, total + 1);
  if (total > n->kernels.size) total = n->kernels.size; // a finalizer may have called the function again
  if (total > 0) memcpy(keys, n->kernels.text, total);
  lua_newtable(L);
  for (int k = 1; at + sizeof size <= total; k++) {
    memcpy(&size, keys + at, sizeof size);
    at += sizeof size;
    if (size > total - at) break;
    if (cp_key_plan(keys + at, size, p))
      cp_generator_push_spec(L, p, "cuda");
    else
      lua_pushboolean(L, false);
    lua_rawseti(L, -2, k);
    at += size;
  }
  return 1;
}

void cp_open_fuse(lua_State *L) {
  static const luaL_Reg core[] = {{"fuse_notes", new_notes},
                                  {"fuse_guard", new_guard},
                                  {"fuse_launches", count_launches},
                                  {"fuse_kernels", list_kernels},
                                  {"call_with_raised_bounds", call_wide},
                                  {NULL, NULL}};
  cp_define_kind(L, CP_KIND_NOTES, NULL, end_notes);
  lua_pop(L, 1);
  cp_push_weak(L, "v", 0);
  lua_pushboolean(L, 0); // makes the entry exist, so that set_fusing allocates nothing
  lua_rawseti(L, -2, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &fusing_key);
  cp_put_functions(L, 1, core);
}
