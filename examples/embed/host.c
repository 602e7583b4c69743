// A program that embeds cupola: two players, each a lua_State in its own thread, move particles in the
// program's memory. In each frame the host calls the script's step(dt) and reads the positions in place:
// nothing is copied. The second player's script is not trusted: its memory is limited, and files, addresses
// and kernels are closed to it.
//
//   cc -O2 host.c -I../../src -I/usr/include/lua5.4 ../../build/lua5.4/cupola.so -llua5.4 -lpthread -o host
//   LD_LIBRARY_PATH=../../build/lua5.4 ./host [FRAMES]
//
// Prints for each player the number of frames, how many exceeded their budget, and the final positions.
#include "cupola.h"

#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PARTICLES = 10000, FRAMES = 60 };
static const double BUDGET = 1.0 / 60; // seconds for a frame

// Gravity, and a floor that halves the speed. `positions` is the host's memory: assign writes to it.
static const char script[] =
    "local cp, positions, velocities = ...\n"
    "local gravity = cp.array({0, -9.81}, 'float32')\n"
    "return function(dt)\n"
    "  velocities:assign(velocities + gravity * dt)\n"
    "  positions:assign(positions + velocities * dt)\n"
    "  local below = positions['..., 2']:lt(0)\n"
    "  velocities['..., 2'] = cp.where(below, -0.5 * velocities['..., 2'], velocities['..., 2'])\n"
    "  positions['..., 2'] = cp.maximum(positions['..., 2'], 0)\n"
    "end\n";

// Attempts of the second player: each must fail with a message.
static const char mischief[] =
    "local cp = ...\n"
    "local tries = {\n"
    "  function() return cp.zeros({1e9}, 'float64'):eval() end,\n"
    "  function() return cp.from_pointer(4096, 1) end,\n"
    "  function() return cp.ones(3).data end,\n"
    "  function() return cp.ElementwiseKernel('T x', 'T y', 'y = x', 'copy') end,\n"
    "}\n"
    "for _, try in ipairs(tries) do\n"
    "  local ok, message = pcall(try)\n"
    "  print(ok and 'a door is open!' or '  refused: ' .. message:match('cupola.*'))\n"
    "end\n";

typedef struct player {
  const char *name;
  int trusted, frames, late, failed;
  float *positions, *velocities; // PARTICLES x 2 each
  int released;                  // how much of that cupola has given back
} player;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void release(void *owner) { ++*(int *)owner; }

static void push_particles(lua_State *L, player *p, float *memory) {
  const int64_t shape[] = {PARTICLES, 2};
  cupola_view view = {
      .size = sizeof view, .data = memory, .dtype = "float32", .device = "cpu", .ndim = 2, .shape = shape};
  cupola_wrap(L, &view, release, &p->released);
}

// Loads the text as a function and pushes it.
static void load(lua_State *L, const char *text) {
  if (luaL_loadstring(L, text) != LUA_OK) lua_error(L);
}

static void step_frames(lua_State *L, player *p) {
  for (int frame = 0; frame < p->frames; frame++) {
    double begin = now();
    lua_pushvalue(L, -1);
    lua_pushnumber(L, BUDGET);
    lua_call(L, 1, 0);
    cupola_synchronize(L); // the positions are read from here on
    if (now() - begin > BUDGET) p->late++;
  }
}

// Runs under pcall: an error ends here, and lua_close frees everything.
static int play(lua_State *L) {
  player *p = lua_touserdata(L, 1);
  luaL_requiref(L, "cupola", luaopen_cupola, 0);
  if (!p->trusted) {
    load(L, mischief);
    lua_pushvalue(L, -2);
    lua_call(L, 1, 0);
  }
  load(L, script);
  lua_insert(L, -2);
  push_particles(L, p, p->positions);
  push_particles(L, p, p->velocities);
  lua_call(L, 3, 1);
  step_frames(L, p);
  return 0;
}

static void fail(player *p, const char *message) {
  fprintf(stderr, "%s: %s\n", p->name, message);
  p->failed = 1;
}

static void *run(void *data) {
  player *p = data;
  lua_State *L = luaL_newstate();
  if (L == NULL) return NULL;
  luaL_openlibs(L);
  cupola_options options = {.size = sizeof options, .device = "cpu", .memory_limit = 64 << 20};
  if (!p->trusted) options.closed_doors = CUPOLA_FILES | CUPOLA_POINTERS | CUPOLA_KERNELS;
  const char *wrong = cupola_configure(L, &options);
  lua_pushcfunction(L, play);
  lua_pushlightuserdata(L, p);
  if (wrong != NULL)
    fail(p, wrong);
  else if (lua_pcall(L, 1, 0, 0) != LUA_OK)
    fail(p, lua_tostring(L, -1));
  lua_close(L);
  return NULL;
}

static float *make_particles(float from, float to) {
  float *v = malloc(2 * PARTICLES * sizeof *v);
  if (v == NULL) exit(1);
  for (int k = 0; k < 2 * PARTICLES; k++) v[k] = from + (to - from) * (float)k / (2 * PARTICLES);
  return v;
}

static int report(const player *p) {
  double height = 0;
  for (int k = 0; k < PARTICLES; k++) height += p->positions[2 * k + 1];
  printf("%s: %d frames, %d late, mean height %.3f, memory given back %d of 2\n", p->name, p->frames, p->late,
         height / PARTICLES, p->released);
  return p->failed || p->released != 2;
}

int main(int argc, char **argv) {
  int frames = argc > 1 ? atoi(argv[1]) : FRAMES, failed = 0;
  player players[] = {{.name = "player 1", .trusted = 1}, {.name = "player 2", .trusted = 0}};
  pthread_t threads[2];
  printf("cupola API %d\n", cupola_api_version());
  for (int k = 0; k < 2; k++) {
    players[k].frames = frames;
    players[k].positions = make_particles(0, 10);
    players[k].velocities = make_particles(-1, 1);
    if (pthread_create(&threads[k], NULL, run, &players[k]) != 0) return 1;
  }
  for (int k = 0; k < 2; k++) {
    pthread_join(threads[k], NULL);
    failed |= report(&players[k]);
    free(players[k].positions);
    free(players[k].velocities);
  }
  return failed;
}
