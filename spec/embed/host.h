// What the hosts of spec/embed share: states with cupola, scripts that must not fail, and the count of
// failures.
#ifndef CUPOLA_SPEC_HOST_H
#define CUPOLA_SPEC_HOST_H

#include "cupola.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong = 0;

#define EXPECT(fact)                                                                                         \
  do {                                                                                                       \
    if (fact) break;                                                                                         \
    fprintf(stderr, "line %d: not true: %s\n", __LINE__, #fact);                                             \
    wrong++;                                                                                                 \
  } while (0)

// A new state with these options (NULL: none) and the global cupola.
static inline lua_State *new_state(const cupola_options *options) {
  lua_State *L = luaL_newstate();
  if (L == NULL) exit(1);
  luaL_openlibs(L);
  const char *problem = options != NULL ? cupola_configure(L, options) : NULL;
  if (problem != NULL) fprintf(stderr, "cupola_configure: %s\n", problem);
  EXPECT(problem == NULL);
  lua_pushcfunction(L, luaopen_cupola);
  lua_call(L, 0, 1);
  lua_setglobal(L, "cupola");
  return L;
}

// Runs a script and leaves its results on the stack.
static inline void run(lua_State *L, const char *text) {
  if (luaL_dostring(L, text) == LUA_OK) return;
  fprintf(stderr, "a script failed: %s\n", lua_tostring(L, -1));
  wrong++;
  lua_settop(L, 0);
}

static inline int has_gpu(lua_State *L) {
  run(L, "return (cupola.cuda.is_available())");
  int there = lua_toboolean(L, -1);
  lua_settop(L, 0);
  return there;
}

#endif
