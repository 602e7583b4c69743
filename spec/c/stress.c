// Eight lua_States in eight threads, for three seconds on each device, or for CUPOLA_STRESS_SECONDS: streams,
// events, pools, frees, memory that runs out, tensors passed between states, states that are opened and
// closed. Five states live long and are closed in random order by another thread; three threads open and
// close states one after the other. Checks all results (stress.lua), that every tensor, block and piece of
// borrowed memory is returned, and that memory does not grow. CUPOLA_DEVICE selects one device,
// CUPOLA_STRESS_SEED repeats a run as far as threads allow.
//
// Loads Lua 5.4 and the module (../lua5.4/cupola.so, relative to this program); skips itself (status 77) if
// either is missing.
#define _GNU_SOURCE
#if defined(__has_include)
#if __has_include(<lauxlib.h>) && __has_include(<dlpack/dlpack.h>)
#define CAN_BUILD 1
#endif
#endif

#ifndef CAN_BUILD
int main(void) { return 77; }
#else
#include "cupola.h"

#include <dlfcn.h>
#include <dlpack/dlpack.h>
#include <lauxlib.h>
#include <lualib.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEEPERS = 5, OPENERS = 3, THREADS = KEEPERS + OPENERS, SHELF = 16, MB = 1 << 20 };
enum { STATE_LIMIT = 12 * MB };

// The functions of Lua and of the module, looked up at run time.
#define FUNCTIONS(X)                                                                                         \
  X(luaL_newstate)                                                                                           \
  X(luaL_openlibs)                                                                                           \
  X(luaL_requiref)                                                                                           \
  X(luaL_loadfilex)                                                                                          \
  X(luaL_loadstring)                                                                                         \
  X(luaL_checkinteger)                                                                                       \
  X(lua_pcallk)                                                                                              \
  X(lua_error)                                                                                               \
  X(lua_close)                                                                                               \
  X(lua_settop)                                                                                              \
  X(lua_tolstring)                                                                                           \
  X(lua_tointegerx)                                                                                          \
  X(lua_tonumberx)                                                                                           \
  X(lua_touserdata)                                                                                          \
  X(lua_pushinteger)                                                                                         \
  X(lua_pushnumber)                                                                                          \
  X(lua_pushboolean)                                                                                         \
  X(lua_pushstring)                                                                                          \
  X(lua_pushlightuserdata)                                                                                   \
  X(lua_pushcclosure)                                                                                        \
  X(lua_setglobal)                                                                                           \
  X(luaopen_cupola)                                                                                          \
  X(cupola_configure)                                                                                        \
  X(cupola_wrap)                                                                                             \
  X(cupola_to_dlpack)                                                                                        \
  X(cupola_from_dlpack)

#define POINTER(name) __typeof__(name) *name;
static struct { FUNCTIONS(POINTER) } f;

static atomic_int wrong;
static atomic_llong done, given_up, opened, borrowed, returned, offered, taken;
static char worker[1024]; // the path of stress.lua
static const char *device;
static long seconds = 3, seed = 1;

static void complain(const char *what, const char *text) {
  fprintf(stderr, "%s: %s\n", what, text != NULL ? text : "no message");
  atomic_fetch_add(&wrong, 1);
}

// ---- tensors passed between states
// --------------------------------------------------------------------------

static struct {
  pthread_mutex_t lock;
  int count;
  DLManagedTensor *tensors[SHELF];
} free_list = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Offers a tensor; the one that it replaces, if any, is deleted here, in a thread other than its state's.
static int offer(lua_State *L) {
  DLManagedTensor *t = f.cupola_to_dlpack(L, 1), *old = NULL;
  pthread_mutex_lock(&free_list.lock);
  if (free_list.count == SHELF) old = free_list.tensors[--free_list.count];
  free_list.tensors[free_list.count++] = t;
  pthread_mutex_unlock(&free_list.lock);
  if (old != NULL) old->deleter(old);
  atomic_fetch_add(&offered, 1);
  return 0;
}

static DLManagedTensor *take_one(void) {
  DLManagedTensor *t = NULL;
  pthread_mutex_lock(&free_list.lock);
  if (free_list.count > 0) {
    t = free_list.tensors[0];
    memmove(free_list.tensors, free_list.tensors + 1, (size_t)--free_list.count * sizeof t);
  }
  pthread_mutex_unlock(&free_list.lock);
  return t;
}

static int import(lua_State *L) {
  f.cupola_from_dlpack(L, f.lua_touserdata(L, 1));
  return 1;
}

static int take(lua_State *L) {
  DLManagedTensor *t = take_one();
  if (t == NULL) return 0;
  f.lua_pushcclosure(L, import, 0);
  f.lua_pushlightuserdata(L, t);
  if (f.lua_pcallk(L, 1, 1, 0, 0, NULL) != LUA_OK) { // the tensor is still owned here
    t->deleter(t);
    return f.lua_error(L);
  }
  atomic_fetch_add(&taken, 1);
  return 1;
}

static void release(void *memory) {
  free(memory);
  atomic_fetch_add(&returned, 1);
}

// lend(n): an array of ones on host memory.
static int lend(lua_State *L) {
  const int64_t n = f.luaL_checkinteger(L, 1);
  int64_t *memory = malloc((size_t)n * sizeof *memory);
  for (int64_t k = 0; memory != NULL && k < n; k++) memory[k] = 1;
  cupola_view view = {
      .size = sizeof view, .data = memory, .dtype = "int64", .device = "cpu", .ndim = 1, .shape = &n};
  f.cupola_wrap(L, &view, release, memory);
  atomic_fetch_add(&borrowed, 1);
  return 1;
}

// ---- states ---------------------------------------------------------------------------------------------

static lua_State *open_state(size_t limit) {
  lua_State *L = f.luaL_newstate();
  cupola_options options = {.size = sizeof options, .device = device, .memory_limit = limit};
  const char *problem = L != NULL ? f.cupola_configure(L, &options) : "no memory for a state";
  if (problem != NULL) {
    complain("opening a state", problem);
    exit(1);
  }
  f.luaL_openlibs(L);
  f.luaL_requiref(L, "cupola", f.luaopen_cupola, 1);
  f.lua_settop(L, 0);
  const struct {
    const char *name;
    lua_CFunction function;
  } functions[] = {{"offer", offer}, {"take", take}, {"lend", lend}};
  for (int k = 0; k < 3; k++) {
    f.lua_pushcclosure(L, functions[k].function, 0);
    f.lua_setglobal(L, functions[k].name);
  }
  atomic_fetch_add(&opened, 1);
  return L;
}

// Runs stress.lua in the state for some seconds.
static void work(lua_State *L, int number, long long start, double time, int limited) {
  int status = f.luaL_loadfilex(L, worker, NULL);
  f.lua_pushinteger(L, number);
  f.lua_pushinteger(L, start);
  f.lua_pushnumber(L, time);
  f.lua_pushstring(L, device);
  f.lua_pushboolean(L, limited);
  if (status == LUA_OK) status = f.lua_pcallk(L, 5, 2, 0, 0, NULL);
  if (status != LUA_OK) {
    complain("a state", f.lua_tolstring(L, -1, NULL));
  } else {
    atomic_fetch_add(&done, f.lua_tointegerx(L, -2, NULL));
    atomic_fetch_add(&given_up, f.lua_tointegerx(L, -1, NULL));
  }
  f.lua_settop(L, 0);
}

typedef struct job {
  pthread_t thread;
  int number;
  double time;
  lua_State *L; // of a long-lived state
} job;

static int is_limited(int number) { return number % 2 == 0; }

static void *keep(void *data) {
  job *j = data;
  j->L = open_state(is_limited(j->number) ? STATE_LIMIT : 0);
  work(j->L, j->number, seed + 1000L * j->number, j->time, is_limited(j->number));
  return NULL;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Under a sanitizer a step may take longer than a round: at least one round is made, then time decides.
static void *open_and_close(void *data) {
  const job *j = data;
  const int rounds = 10 + (int)(5 * j->time);
  const double each = j->time / rounds, end = now() + j->time;
  for (int round = 0; round < rounds && wrong == 0 && (round == 0 || now() < end); round++) {
    int limited = is_limited(j->number + round);
    lua_State *L = open_state(limited ? STATE_LIMIT : 0);
    work(L, j->number, seed + 1000L * j->number + round, each, limited);
    f.lua_close(L);
  }
  return NULL;
}

static void close_keepers(job *jobs, unsigned *random) {
  for (int left = KEEPERS; left > 0; left--) {
    int k = rand_r(random) % left;
    f.lua_close(jobs[k].L);
    jobs[k].L = jobs[left - 1].L;
  }
}

static void run_threads(double time, unsigned *random) {
  job jobs[THREADS];
  for (int k = 0; k < THREADS; k++) {
    jobs[k] = (job){.number = k, .time = time};
    if (pthread_create(&jobs[k].thread, NULL, k < KEEPERS ? keep : open_and_close, &jobs[k]) != 0) exit(1);
  }
  for (int k = 0; k < THREADS; k++) pthread_join(jobs[k].thread, NULL);
  close_keepers(jobs, random);
}

// ---- the end
// ------------------------------------------------------------------------------------------------

static size_t resident(void) {
  unsigned long size = 0, pages = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  malloc_trim(0);
  if (statm == NULL || fscanf(statm, "%lu %lu", &size, &pages) != 2) pages = 0;
  if (statm != NULL) fclose(statm);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// The number that a script returns in a new state.
static double ask(const char *text) {
  double v = -1;
  lua_State *L = open_state(0);
  if (f.luaL_loadstring(L, text) != LUA_OK || f.lua_pcallk(L, 0, 1, 0, 0, NULL) != LUA_OK)
    complain("asking", f.lua_tolstring(L, -1, NULL));
  else
    v = f.lua_tonumberx(L, -1, NULL);
  f.lua_close(L);
  return v;
}

// After all states are closed: the tensors that are still offered keep their values, and only they hold
// memory.
static void check_rest(void) {
  for (DLManagedTensor *t = take_one(); t != NULL; t = take_one()) {
    const double *v = t->dl_tensor.data;
    int64_t n = t->dl_tensor.shape[0];
    if (t->dl_tensor.device.device_type == kDLCPU && v[n - 1] != v[0] + (double)(n - 1))
      complain("a tensor that outlived its state", "its values changed");
    t->deleter(t);
  }
  double live = ask("cupola.collect() return cupola.memory().live"),
         cached = ask("return cupola.memory().cached");
  if (live != 0 || cached != 0) {
    fprintf(stderr, "%g bytes are live and %g cached after all states are closed\n", live, cached);
    atomic_fetch_add(&wrong, 1);
  }
  if (borrowed != returned) complain("borrowed memory", "some was not given back, or twice");
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 }; // they keep freed memory
#else
enum { SANITIZED = 0 };
#endif

static void stress(void) {
  unsigned random = (unsigned)seed;
  size_t before = 0;
  double free_before = 0;
  const double share[3] = {0.2, 0.3, 0.5};
  done = given_up = opened = borrowed = returned = offered = taken = 0;
  for (int phase = 0; phase < 3; phase++) {
    run_threads(share[phase] * (double)seconds, &random);
    check_rest();
    double left = ask("return cupola.memory().free");
    size_t now = resident(), allowed = strcmp(device, "cpu") == 0 ? 64 * MB : 96 * MB;
    if (phase == 2 && !SANITIZED && now > before + allowed) {
      fprintf(stderr, "the process grew from %zu to %zu MB\n", before / MB, now / MB);
      atomic_fetch_add(&wrong, 1);
    }
    if (phase == 2 && strcmp(device, "cpu") != 0 && left < free_before - 64 * MB) {
      fprintf(stderr, "free memory of %s shrank from %.0f to %.0f MB\n", device, free_before / MB, left / MB);
      atomic_fetch_add(&wrong, 1);
    }
    if (phase == 1) before = now, free_before = left;
    if (phase == 2)
      printf(
          "%s: %lld steps (%lld given up for want of memory), %lld states, %lld of %lld tensors taken, %lld "
          "loans, %zu MB (%zu before): %s\n",
          device, done, given_up, opened, taken, offered, borrowed, now / MB, before / MB,
          wrong == 0 ? "passed" : "failed");
  }
  (void)ask("cupola.memory{limit = 0} return 0");
}

// ---- starting -------------------------------------------------------------------------------------------

static void load(const char *program) {
  char module[1100];
  snprintf(module, sizeof module, "%s", program);
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(module, '/');
    if (slash == NULL) exit(77);
    *slash = '\0';
  }
  strncat(module, "/lua5.4/cupola.so", sizeof module - strlen(module) - 1);
  void *lua = dlopen("liblua5.4.so.0", RTLD_NOW | RTLD_GLOBAL);
  void *cupola = lua != NULL && access(module, R_OK) == 0 ? dlopen(module, RTLD_NOW) : NULL;
  if (cupola == NULL) {
    printf("there is no shared library of Lua 5.4, or no module beside it\n");
    exit(77);
  }
#define LOOK_UP(name)                                                                                        \
  *(void **)&f.name =                                                                                        \
      dlsym(strncmp(#name, "cupola", 6) == 0 || strcmp(#name, "luaopen_cupola") == 0 ? cupola : lua, #name); \
  if (f.name == NULL) exit(77);
  FUNCTIONS(LOOK_UP)
}

int main(int argc, char **argv) {
  const char *text = getenv("CUPOLA_STRESS_SECONDS"), *only = getenv("CUPOLA_DEVICE");
  (void)argc;
  if (text != NULL && atol(text) > 0) seconds = atol(text);
  if ((text = getenv("CUPOLA_STRESS_SEED")) != NULL) seed = atol(text);
  alarm((unsigned)(180 + 20 * seconds)); // a hang is a failure
  setenv("CUPOLA_NUM_THREADS", "4", 0);  // threads of the CPU device's pool, on any machine
  load(argv[0]);
  snprintf(worker, sizeof worker, "%s/stress.lua", CP_SPEC_FOLDER);
  device = only != NULL && *only != '\0' ? only : "cpu";
  stress();
  if (only == NULL && ask("return cupola.cuda.is_available() and 1 or 0") == 1) {
    device = "cuda:0";
    stress();
  }
  return wrong != 0;
}
#endif
