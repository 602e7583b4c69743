// A host that measures how long the calls of a script take. Runs the file that the first argument names, with
// the other arguments as `...`. `require "cupola"` opens it on the CPU device with 512 MiB for arrays and as
// much for Lua. Times are of the thread's own processor time. There are these functions:
//   begin(text, seconds)  begins a call, which the host interrupts after so many seconds; the text is shown
//                         if the process dies or the call hangs (hang.h)
//   finish()              ends the call: returns its seconds and, if it was interrupted, the seconds since
//                         then
//   used()                the most bytes that the process has held so far
// Exits with 0 if the script raises no error.
#include "hang.h"
#include "host.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static hang hanging = {.seconds = 30};
static const size_t most_of_lua = (size_t)512 << 20;

static char noted[4096] = "nothing was noted";

static void died(int number) {
  static const char title[] = "died in: ";
  if (number == SIGALRM && !hang_look(&hanging)) return;
  (void)!write(STDERR_FILENO, title, sizeof title - 1);
  (void)!write(STDERR_FILENO, noted, strlen(noted));
  (void)!write(STDERR_FILENO, "\n", 1);
  signal(number, SIG_DFL);
  raise(number);
}

typedef struct watch {
  double began, limit, told; // seconds of the thread's own time
} watch;

static watch now_watched;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ask(void *user) {
  watch *w = user;
  double t = now();
  if (w->limit == 0 || t - w->began < w->limit) return 0;
  if (w->told == 0) w->told = t;
  return 1;
}

static int begin(lua_State *L) {
  snprintf(noted, sizeof noted, "%s", luaL_checkstring(L, 1));
  hang_begin(&hanging);
  now_watched = (watch){.limit = luaL_checknumber(L, 2), .began = now()};
  return 0;
}

static int finish(lua_State *L) {
  const watch *w = &now_watched;
  double end = now();
  now_watched.limit = 0;
  lua_pushnumber(L, end - w->began);
  if (w->told == 0) return 1;
  lua_pushnumber(L, end - w->told);
  return 2;
}

static int used(lua_State *L) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  lua_pushnumber(L, (lua_Number)usage.ru_maxrss * 1024);
  return 1;
}

static void *allocate(void *user, void *block, size_t before, size_t after) {
  size_t *held = user, old = block != NULL ? before : 0;
  if (after == 0) {
    free(block);
    *held -= old;
    return NULL;
  }
  if (after > old && *held + after - old > most_of_lua) return NULL;
  void *moved = realloc(block, after);
  if (moved != NULL) *held += after - old;
  return moved;
}

static int script(lua_State *L) {
  char **argv = lua_touserdata(L, 1);
  luaL_openlibs(L);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_cupola);
  lua_setfield(L, -2, "cupola");
  lua_register(L, "begin", begin);
  lua_register(L, "finish", finish);
  lua_register(L, "used", used);
  lua_settop(L, 0);
  if (luaL_loadfile(L, argv[1]) != 0) return lua_error(L);
  int count = 0;
  for (; argv[2 + count] != NULL; count++) lua_pushstring(L, argv[2 + count]);
  lua_call(L, count, 0);
  return 0;
}

int main(int argc, char **argv) {
  static const int deaths[] = {SIGABRT, SIGALRM, SIGSEGV};
  size_t held = 0;
  cupola_options options = {.size = sizeof options, .device = "cpu", .memory_limit = (uint64_t)512 << 20};
  options.interrupt = ask;
  options.interrupt_user = &now_watched;
  if (argc < 2) return 2;
  for (int k = 0; k < 2 + (getenv("ASAN_OPTIONS") == NULL); k++) signal(deaths[k], died);
  lua_State *L = lua_newstate(allocate, &held);
  if (L == NULL) L = luaL_newstate(); // LuaJIT with 32-bit references takes no allocator
  if (L == NULL) return 2;
  const char *problem = cupola_configure(L, &options);
  lua_pushcfunction(L, script);
  lua_pushlightuserdata(L, argv);
  if (problem == NULL && lua_pcall(L, 1, 0, 0) != 0) problem = lua_tostring(L, -1);
  if (problem != NULL) fprintf(stderr, "%s\n", problem);
  now_watched.limit = 0;
  wrong = problem != NULL;
  lua_close(L);
  return wrong;
}
