// What cp.fuse asks of the core: wide bounds while its function runs, notes of the kernels that were launched, and arrays that nobody will want.
#include "lua/module.h"

#include "device/watch.h"
#include "lua/generator.h"

#include <string.h>

static const char notes_key = 0; // registry: the metatable of notes

// What the last call of a fused function launched.
typedef struct notes { // a userdata
  cp_context *ctx;
  cp_strbuf kernels; // keys, the size of each in front
  uint64_t launches; // the counter at the start
} notes;

static int collect_notes(lua_State *L) {
  notes *n = lua_touserdata(L, 1);
  if (n->ctx->kernels == &n->kernels) { // its call was left in a coroutine that nobody resumed
    n->ctx->kernels = NULL;
    n->ctx->wide = 0;
  }
  cp_strbuf_free(&n->kernels);
  return 0;
}

// core.fuse_notes(): room for what a fused function notes.
static int new_notes(lua_State *L) {
  notes *n = cp_newuserdata(L, sizeof *n);
  memset(n, 0, sizeof *n);
  n->ctx = &cp_state_get(L)->ctx;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &notes_key);
  lua_setmetatable(L, -2);
  return 1;
}

// core.fuse_begin(notes): a fused function begins. False, and nothing is done, inside of another one.
static int begin(lua_State *L) {
  notes *n = lua_touserdata(L, 1);
  cp_context *ctx = &cp_state_get(L)->ctx;
  bool outermost = ctx->wide == 0;
  if (outermost) {
    ctx->wide = 1;
    n->kernels.size = 0;
    n->launches = ctx->counters.launches;
    ctx->kernels = &n->kernels;
  }
  lua_pushboolean(L, outermost);
  return 1;
}

// core.fuse_end(notes): it ended. Returns how many kernels it launched.
static int end(lua_State *L) {
  const notes *n = lua_touserdata(L, 1);
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->kernels = NULL;
  ctx->wide = 0;
  lua_pushinteger(L, (lua_Integer)(ctx->counters.launches - n->launches));
  return 1;
}

// core.widen(by): a function whose body is one kernel begins (1) or ends (-1).
static int widen(lua_State *L) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->wide += (int)luaL_checkinteger(L, 1);
  if (ctx->wide < 0) ctx->wide = 0;
  return 0;
}

// core.fuse_kernels(notes): for each kernel of the last call what the generator makes its text of, false for a user's kernel.
static int list_kernels(lua_State *L) {
  const notes *n = lua_touserdata(L, 1);
  size_t size, at = 0;
  cp_plan *p = lua_newuserdata(L, sizeof *p);
  lua_newtable(L);
  for (int k = 1; at + sizeof size <= n->kernels.size; k++) {
    memcpy(&size, n->kernels.text + at, sizeof size);
    at += sizeof size;
    if (cp_key_plan((const unsigned char *)n->kernels.text + at, size, p))
      cp_generator_push_spec(L, p, "cuda");
    else
      lua_pushboolean(L, false);
    lua_rawseti(L, -2, k);
    at += size;
  }
  return 1;
}

static bool holds(lua_State *L, int index, const cp_array *a) {
  bool found = false;
  int n = (int)lua_rawlen(L, index);
  for (int k = 1; k <= n && !found; k++) {
    lua_rawgeti(L, index, k);
    found = cp_test_array(L, -1) == a;
    lua_pop(L, 1);
  }
  return found;
}

// core.drop_pending(list, kept): arrays of list that still wait for their values, and are not in the list `kept`, give up: no kernel writes
// them for their own sake.
static int drop_pending(lua_State *L) {
  int n = (int)lua_rawlen(L, 1);
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, 1, k);
    cp_array *a = cp_test_array(L, -1);
    if (a != NULL && a->node != NULL && !holds(L, 2, a)) cp_pending_drop(a);
    lua_pop(L, 1);
  }
  return 0;
}

void cp_open_fuse(lua_State *L) {
  static const luaL_Reg core[] = {{"fuse_notes", new_notes},
                                  {"fuse_begin", begin},
                                  {"fuse_end", end},
                                  {"fuse_kernels", list_kernels},
                                  {"widen", widen},
                                  {"drop_pending", drop_pending},
                                  {NULL, NULL}};
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, collect_notes);
  lua_setfield(L, -2, "__gc");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &notes_key);
  lua_pushvalue(L, 1);
  cp_setfuncs(L, core, 0);
  lua_pop(L, 1);
}
