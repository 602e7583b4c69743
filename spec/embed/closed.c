// A host that denies its scripts everything: all doors are closed, and the libraries that reach the machine
// are removed. Runs the file that the first argument names, with the other arguments as `...`; the global
// `open` opens cupola. Exits with 0 if the script raises no error. Compiles with both Luas.
//
// CLOSED_GIVES_CORE=1: opening sets the global `core`, the internal table of the Lua side, and these
// functions:
//   is_primitive(f)  whether f is a C function that does its work itself
//   note(text)       the text is shown if the process dies, or hangs (hang.h) before it makes another note
// CLOSED_SECONDS=N, for fuzzers: runs the script in one state after the other for so long, each with the
// number of the run added to the last argument, the seed.
#include "cupola.h"
#include "hang.h"

#include <lauxlib.h>
#include <lualib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---- what is shown at the end ----

static char noted[4096] = "nothing was noted";
static hang hanging = {.seconds = 60};

static void show(const char *title) {
  (void)!write(STDERR_FILENO, title, strlen(title));
  (void)!write(STDERR_FILENO, noted, strlen(noted));
  (void)!write(STDERR_FILENO, "\n", 1);
}

static void died(int number) {
  show("died in: ");
  signal(number, SIG_DFL);
  raise(number);
}

static void looked(int number) {
  (void)number;
  if (!hang_look(&hanging)) return;
  show("hangs in: ");
  _exit(3);
}

static int note(lua_State *L) {
  snprintf(noted, sizeof noted, "%s", luaL_checkstring(L, 1));
  hang_begin(&hanging);
  return 0;
}

// ---- the state ----

// Removes the globals that docs/embedding.md tells hosts to remove.
static void take_away(lua_State *L) {
  static const char *const names[] = {"require", "io",  "os",     "debug",    "package",
                                      "ffi",     "jit", "dofile", "loadfile", NULL};
  for (const char *const *name = names; *name != NULL; name++) {
    lua_pushnil(L);
    lua_setglobal(L, *name);
  }
}

// Functions made by core.define are C functions that call a Lua function, their second upvalue.
static int is_primitive(lua_State *L) {
  int own = lua_iscfunction(L, 1);
  if (own && lua_getupvalue(L, 1, 2) != NULL) own = !lua_isfunction(L, -1);
  lua_pushboolean(L, own);
  return 1;
}

// Pushes the internal table, which some table in the registry holds under its name.
static void push_core(lua_State *L) {
  lua_pushnil(L);
  while (lua_next(L, LUA_REGISTRYINDEX) != 0) {
    if (lua_istable(L, -1)) {
      lua_pushliteral(L, "cupola.core");
      lua_rawget(L, -2);
      if (lua_istable(L, -1)) return;
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  luaL_error(L, "the internal table was not found");
}

static int open_module(lua_State *L) {
  lua_pushcfunction(L, luaopen_cupola);
  lua_call(L, 0, 1);
  if (getenv("CLOSED_GIVES_CORE") == NULL) return 1;
  push_core(L);
  lua_setglobal(L, "core");
  lua_settop(L, 1);
  lua_register(L, "is_primitive", is_primitive);
  lua_register(L, "note", note);
  lua_settop(L, 1);
  return 1;
}

typedef struct call {
  char **argv;
  long round;
} call;

static int run(lua_State *L) {
  const call *c = lua_touserdata(L, 1);
  lua_settop(L, 0);
  luaL_openlibs(L);
  lua_pushcfunction(L, open_module);
  lua_setglobal(L, "open");
  if (luaL_loadfile(L, c->argv[1]) != 0) return lua_error(L);
  take_away(L);
  int count = 0;
  for (; c->argv[2 + count] != NULL; count++) lua_pushstring(L, c->argv[2 + count]);
  if (c->round >= 0 && count > 0) {
    lua_pop(L, 1);
    lua_pushnumber(L, (lua_Number)(atol(c->argv[1 + count]) + c->round));
  }
  lua_call(L, count, 0);
  return 0;
}

static int run_state(char **argv, long round) {
  cupola_options options = {.size = sizeof options, .device = "cpu", .memory_limit = 64 << 20};
  options.closed_doors = CUPOLA_FILES | CUPOLA_POINTERS | CUPOLA_KERNELS;
  call c = {argv, round};
  lua_State *L = luaL_newstate();
  if (L == NULL) return 2;
  const char *problem = cupola_configure(L, &options);
  lua_pushcfunction(L, run);
  lua_pushlightuserdata(L, &c);
  if (problem == NULL && lua_pcall(L, 1, 0, 0) != 0) problem = lua_tostring(L, -1);
  if (problem != NULL) fprintf(stderr, "%s\n", problem);
  lua_close(L);
  return problem != NULL;
}

int main(int argc, char **argv) {
  const char *seconds = getenv("CLOSED_SECONDS");
  if (argc < 2) return 2;
  signal(SIGABRT, died);
  if (getenv("ASAN_OPTIONS") == NULL) signal(SIGSEGV, died); // ASan reports it and then aborts
  signal(SIGALRM, looked);
  hang_begin(&hanging);
  if (seconds == NULL) return run_state(argv, -1);
  time_t end = time(NULL) + atol(seconds);
  long round = 0;
  int status = 0;
  for (; time(NULL) < end && status == 0; round++) status = run_state(argv, round);
  fprintf(stderr, "%ld states\n", round);
  return status;
}
