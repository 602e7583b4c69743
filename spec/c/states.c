// Several lua_States in several threads: each opens the module, computes, collects and closes, over and over,
// on stacks as small as some C libraries and engines give their threads.
// Loads Lua 5.4 and the module at run time; skips itself (status 77) where either is missing.
// Usage: states   (the module is looked for beside the folder of this program: ../lua5.4/cupola.so)
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_THREAD__ // its frames are larger; it finds races without many rounds, which take 20 s each
enum { THREADS = 4, ROUNDS = 2 };
static const size_t STACK = (size_t)1 << 20;
#else
enum { THREADS = 4, ROUNDS = 6 };
static const size_t STACK = (size_t)128 << 10;
#endif

typedef struct lua_State lua_State;

static struct {
  lua_State *(*newstate)(void);
  void (*openlibs)(lua_State *);
  int (*loadstring)(lua_State *, const char *);
  int (*pcallk)(lua_State *, int, int, int, ptrdiff_t, void *);
  const char *(*tolstring)(lua_State *, int, size_t *);
  void (*close)(lua_State *);
} lua;

static char program[4096];

static const char text[] =
    "package.cpath = '%s/lua5.4/?.so'\n"
    "local cp = require 'cupola'\n"
    "local x = cp.arange(1000, 'float32')\n"
    "for i = 1, 300 do\n"
    "  local y = x * 2 + i\n"
    "  assert(y[1] == i and y[-1] == 1998 + i)\n"
    "  assert((y - x - x):sum():item() == 1000 * i)\n"
    "  if i %% 50 == 0 then\n"
    "    local big = cp.ones({512, 1024})\n" // shared between the threads of the pool
    "    assert((big + i):sum():item() == (1 + i) * 512 * 1024)\n"
    "    assert(not pcall(cp.add, x, big[{ {}, {1, 3} }]))\n"
    "    assert(cp.last_error().kind == 'shape')\n"
    "    local long = big\n" // plans and programs of the largest size
    "    for k = 1, 60 do long = long * 1.5 + k end\n"
    "    assert(long:argmax():item() == 1 and math.abs(x:std():item() - 288.675) < 0.001)\n"
    "    local half = (big.T + x[i]):astype('float16'):astype('int16')\n"
    "    assert(half:sum():item() == (1 + x[i]) * 512 * 1024)\n"
    "    local fused = cp.fuse(function(a) for k = 1, 150 do a = a + 1 end return a end)\n"
    "    assert(fused(x):sum():item() == 499500 + 150 * 1000)\n"
    "    assert(cp.sort(-x)[1] == -999 and cp.cumsum(x)[-1] == 499500)\n"
    "  end\n"
    "end\n"
    "local function deep(n)\n" // raises before the stack overflows
    "  return cp.scope(function() return cp.ones(3):update(1, function() deep(n - 1) return 1 end) end)\n"
    "end\n"
    "assert(not pcall(deep, 1000))\n"
    "collectgarbage()\n";

static void *run(void *failed) {
  for (int round = 0; round < ROUNDS; round++) {
    lua_State *L = lua.newstate();
    if (L == NULL) return NULL;
    lua.openlibs(L);
    if (lua.loadstring(L, program) != 0 || lua.pcallk(L, 0, 0, 0, 0, NULL) != 0) {
      fprintf(stderr, "%s\n", lua.tolstring(L, -1, NULL));
      *(int *)failed = 1;
    }
    lua.close(L);
  }
  return NULL;
}

static void *look_up(void *library, const char *name) {
  void *p = dlsym(library, name);
  if (p == NULL) exit(77);
  return p;
}

int main(int argc, char **argv) {
  void *library = dlopen("liblua5.4.so.0", RTLD_NOW | RTLD_GLOBAL);
  char folder[1024], module[1100];
  (void)argc;
  snprintf(folder, sizeof folder, "%s", argv[0]);
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(folder, '/');
    if (slash == NULL) return 77;
    *slash = '\0';
  }
  snprintf(module, sizeof module, "%s/lua5.4/cupola.so", folder);
  FILE *there = fopen(module, "rb");
  if (library == NULL || there == NULL) return 77;
  fclose(there);
  *(void **)&lua.newstate = look_up(library, "luaL_newstate");
  *(void **)&lua.openlibs = look_up(library, "luaL_openlibs");
  *(void **)&lua.loadstring = look_up(library, "luaL_loadstring");
  *(void **)&lua.pcallk = look_up(library, "lua_pcallk");
  *(void **)&lua.tolstring = look_up(library, "lua_tolstring");
  *(void **)&lua.close = look_up(library, "lua_close");
  snprintf(program, sizeof program, text, folder);
  pthread_t threads[THREADS];
  pthread_attr_t attributes;
  int failed[THREADS] = {0}, status = 0;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  for (int k = 0; k < THREADS; k++)
    if (pthread_create(&threads[k], &attributes, run, &failed[k]) != 0) return 1;
  for (int k = 0; k < THREADS; k++) {
    pthread_join(threads[k], NULL);
    status |= failed[k];
  }
  if (status == 0) printf("%d states in %d threads: passed\n", THREADS * ROUNDS, THREADS);
  return status;
}
