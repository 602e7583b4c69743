// Memory that runs out, for each k from Lua's k-th allocation on, while functions run inside scopes, devices
// and hooks (spec/helper/processes/interrupted.lua). Exits with 0 if all of them are left then, 77 if Lua
// takes no allocator.
#include "host.h"

typedef struct heap {
  long count, fails_from; // 0: never
} heap;

static void *allocate(void *data, void *block, size_t old, size_t size) {
  heap *h = data;
  if (size == 0) {
    free(block);
    return NULL;
  }
  if ((block == NULL || size > old) && h->fails_from > 0 && ++h->count >= h->fails_from) return NULL;
  return realloc(block, size);
}

// attempt(run, k): calls run with memory that runs out at the k-th allocation; returns whether it ended
// before that.
static int attempt(lua_State *L) {
  heap *h = lua_touserdata(L, lua_upvalueindex(1));
  long k = (long)luaL_checkinteger(L, 2);
  lua_settop(L, 1);
  h->count = 0;
  h->fails_from = k;
  int status = lua_pcall(L, 0, 0, 0);
  h->fails_from = 0;
  if (h->count < k && status != LUA_OK) return lua_error(L);
  lua_pushboolean(L, h->count < k);
  return 1;
}

static int open_and_run(lua_State *L) {
  heap *h = lua_touserdata(L, 1);
  luaL_openlibs(L);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_cupola);
  lua_setfield(L, -2, "cupola");
  if (luaL_loadfile(L, "spec/helper/processes/interrupted.lua") != 0) return lua_error(L);
  lua_pushlightuserdata(L, h);
  lua_pushcclosure(L, attempt, 1);
  lua_call(L, 1, 0);
  return 0;
}

int main(void) {
  heap h = {0, 0};
  lua_State *L = lua_newstate(allocate, &h);
  if (L == NULL) return 77;
  lua_pushcfunction(L, open_and_run);
  lua_pushlightuserdata(L, &h);
  if (lua_pcall(L, 1, 0, 0) != 0) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return 1;
  }
  lua_close(L);
  return wrong > 0;
}
