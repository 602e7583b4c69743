// A process that forks after cupola was used. In the child, in states from before the fork and in new ones,
// the CPU device must work with as many threads, GPUs must report that they cannot be used, generators that
// were given no seed must draw other numbers, and nothing may hang or crash. The parent must go on working.
// Exits with 0 if so; prints whether there was a GPU. The argument "copies" limits the work on the GPU to
// copies, for the simulated driver (spec/driver).
#include "host.h"

#include <dirent.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Work shared by the CPU device's threads, and a user kernel, whose compiler runs in a process of its own.
static const char cpu[] = "cupola.device('cpu'):with(function()\n"
                          "  local x = cupola.ones({1000, 1000}, 'float32')\n"
                          "  for k = 1, 5 do assert((x + k):sum():item() == (1 + k) * 1e6) end\n"
                          "  local f = cupola.ElementwiseKernel('T x', 'T y', 'y = x * 3', 'times_three')\n"
                          "  assert(f(x):sum():item() == 3e6)\n"
                          "end)\n"
                          "if old then assert((old * 2):sum():item() == 999000) old:free() end\n";

static const char gpu_before[] = "gpu = cupola.device('cuda:0') gpu:use()\n"
                                 "x = cupola.arange(1000, 'float32') + 1\n"
                                 "stream, event = cupola.cuda.Stream(), cupola.cuda.Event():record()\n"
                                 "y = stream:with(function() return x * 2 end)\n"
                                 "assert(y:sum():item() == 1001000)\n"
                                 "far = x * 3\n";

static const char gpu_after[] = "assert((y + 1):sum():item() == 1002000 and far[1000] == 3000)";

static const char copies_before[] =
    "gpu = cupola.device('cuda:0') gpu:use()\n"
    "x = cupola.array({1, 2, 3}, 'float32')\n"
    "stream, event = cupola.cuda.Stream(), cupola.cuda.Event():record()\n"
    "y, far = cupola.array({1, 2, 3}, 'float32'), cupola.array({4, 5}, 'float32')\n"
    "assert(y:totable()[3] == 3)\n";

static const char copies_after[] =
    "x = cupola.array({6}) assert(x:item() == 6 and y:totable()[3] == 3 and far[1] == 4)";

// Runs in the child, where objects of the parent's GPU can be freed but not used.
static const char gpu_child[] = "local function fails(name, f, ...)\n"
                                "  local ok, message = pcall(f, ...)\n"
                                "  assert(not ok, name .. ' did not fail')\n"
                                "  assert(message:find('forked', 1, true), name .. ': ' .. message)\n"
                                "end\n"
                                "assert(not cupola.cuda.is_available())\n"
                                "assert(select(2, cupola.cuda.is_available()):find('forked', 1, true))\n"
                                "cupola.device('cuda:0'):use()\n"
                                "fails('zeros', function() return cupola.zeros(10):eval() end)\n"
                                "fails('array', function() return cupola.array({1, 2}):totable() end)\n"
                                "fails('Event', cupola.cuda.Event)\n"
                                "if x then\n"
                                "  fails('totable', function() return x:totable() end)\n"
                                "  fails('far', function() return (far + 1):eval() end)\n"
                                "  fails('fill', function() y:fill(1) end)\n"
                                "  fails('synchronize', cupola.synchronize)\n"
                                "  fails('stream', function() stream:synchronize() end)\n"
                                "  fails('record', function() event:record() end)\n"
                                "  fails('query', function() return event:query() end)\n"
                                "  x:free() y = nil event = nil\n"
                                "end\n"
                                "collectgarbage() collectgarbage()\n";

// ---- random numbers ----

// Functions that draw three numbers, first of generators without a given seed, then of generators with one.
// All but the graph draw before the fork.
static const char random_before[] =
    "cupola.device('cpu'):use()\n"
    "local random = cupola.random\n"
    "local function of(g) return function() return g:random_sample(3) end end\n"
    "local function modern(g) return function() return g:random(3) end end\n"
    "local set = random.default_rng()\n"
    "set.bit_generator:set_state(random.default_rng(9).bit_generator:get_state())\n"
    "local drawers = {modern(random.default_rng()), of(random.RandomState()),\n"
    "  function() return cupola.device('cpu'):with(random.rand, 3) end,\n"
    "  modern(random.default_rng(7)), of(random.RandomState(8)), modern(set)}\n"
    "for _, f in ipairs(drawers) do f():eval() end\n"
    "local graph = cupola.cuda.graph(modern(random.default_rng()))\n"
    "table.insert(drawers, 1, function() return graph:replay() end)\n"
    "function drawn()\n"
    "  local words = {}\n"
    "  for _, f in ipairs(drawers) do\n"
    "    for _, v in ipairs(f():totable()) do words[#words + 1] = ('%.17g'):format(v) end\n"
    "  end\n"
    "  return table.concat(words, ' ')\n"
    "end\n";

enum { FREE = 4 * 3, ALL = 7 * 3, LONGEST = 1024 };

static void draw(lua_State *L, char *text) {
  run(L, "return drawn()");
  snprintf(text, LONGEST, "%s", lua_isstring(L, -1) ? lua_tostring(L, -1) : "");
  lua_settop(L, 0);
}

// Compares the numbers of two processes: those of generators without a seed differ, the others are equal.
static void compare_draws(const char *a, const char *b) {
  int differ[2] = {0, 0}, count = 0;
  for (char *end; *a != '\0' && *b != '\0'; count++) {
    double x = strtod(a, &end);
    a = end;
    differ[count >= FREE] += x != strtod(b, &end);
    b = end;
  }
  EXPECT(count == ALL);
  EXPECT(differ[0] == FREE);
  EXPECT(differ[1] == 0);
}

// ---- the child ----

static int count_threads(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  if (tasks == NULL) return -1;
  for (const struct dirent *e; (e = readdir(tasks)) != NULL;) count += e->d_name[0] != '.';
  closedir(tasks);
  return count;
}

static void child(lua_State *L, int gpu, int threads, int to_parent) {
  char text[LONGEST];
  lua_State *fresh = new_state(NULL);
  alarm(60); // a hang is a failure
  EXPECT(count_threads() <= 1);
  draw(L, text);
  EXPECT(write(to_parent, text, LONGEST) == LONGEST);
  run(L, cpu);
  EXPECT(gpu || count_threads() == threads); // the driver has threads in the parent
  run(fresh, cpu);
  if (gpu) run(L, gpu_child);
  if (gpu) run(fresh, gpu_child);
  lua_close(L);
  run(fresh, cpu);
  lua_close(fresh);
  _exit(wrong > 0);
}

int main(int argc, char **argv) {
  int status = 0, copies = argc > 1 && strcmp(argv[1], "copies") == 0, ways[2];
  char texts[3][LONGEST] = {"", "", ""}; // what two children and their parent drew
  lua_State *L = new_state(NULL);
  int gpu = has_gpu(L);
  run(L, "old = cupola.cpu.arange(1000)");
  run(L, "cupola.device('cpu'):with(function() return cupola.ones({1000, 1000}):sum():item() end)");
  run(L, random_before);
  int threads = count_threads();
  EXPECT(threads < 0 || threads > 1);
  if (gpu) run(L, copies ? copies_before : gpu_before);
  for (int round = 0; round < 2; round++) {
    if (pipe(ways) != 0) return 1;
    pid_t pid = fork();
    if (pid == 0) child(L, gpu, threads, ways[1]);
    EXPECT(read(ways[0], texts[round], LONGEST) == LONGEST);
    close(ways[0]);
    close(ways[1]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return 1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      fprintf(stderr, "the child ended with status %d\n", status);
      wrong++;
    }
    if (gpu) run(L, copies ? copies_after : gpu_after);
  }
  draw(L, texts[2]);
  for (int k = 0; k < 3; k++) compare_draws(texts[k], texts[(k + 1) % 3]);
  run(L, cpu);
  lua_close(L);
  printf("%d wrong, %s\n", wrong, gpu ? "with a GPU" : "without a GPU");
  return wrong > 0;
}
