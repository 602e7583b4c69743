// cupola_options.interrupt: every kind of long work ends soon after the host asks for it, polls are close
// together while the work runs, and the state works afterwards. Arguments: the number of threads, after how
// many milliseconds the host interrupts (50), and the name of one kind of work (all). With 2000 milliseconds
// it shows that each kind takes long enough.
#include "host.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double fires_after = 0.05;   // seconds
static const double patience = 0.5, // seconds from the interrupt to the error, on a busy machine
    most_between = 0.05;            // seconds of the thread's own time between two polls

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct watch {
  int armed, polls, fired;
  double begin, fired_at, last, gap; // last, gap: of the thread's own time
} watch;

static pthread_t main_thread;

static int ask(void *user) {
  watch *w = user;
  double own = now(CLOCK_THREAD_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
  EXPECT(pthread_equal(pthread_self(), main_thread));
  if (!w->armed) return 0;
  w->polls++;
  if (own - w->last > w->gap) w->gap = own - w->last;
  w->last = own;
  if (wall - w->begin < fires_after) return 0;
  if (!w->fired) w->fired_at = wall;
  w->fired = 1;
  return 1;
}

typedef struct work {
  const char *name, *prepare, *body;
} work;

// Each body would take a second or more. `prepare` sets globals, because some checks read them afterwards.
static const work works[] = {
    {"elementwise", "x = cp.linspace(0, 1, 4e6):eval()",
     "for _ = 1, 999 do (cp.sin(cp.exp(x)) * cp.tan(x)):eval() end"},
    {"slow functions", "x = cp.linspace(0.1, 1, 4e5):eval()",
     "for _ = 1, 999 do cp.scipy.special.gammainc(x, x + 1):eval() end"},
    {"one operation", "x = cp.linspace(0.1, 1, 60000):eval()", "for _ = 1, 1e5 do cp.tan(x):eval() end"},
    {"half precision", "x = cp.linspace(0, 1, 4e6, {dtype = 'float16'}):eval()",
     "for _ = 1, 999 do (x * x + x):eval() end"},
    {"transposing", "x = cp.zeros({3000, 3000}, 'float32')", "for _ = 1, 999 do x.T:copy() end"},
    {"operators alone", "x = cp.arange(10)", "while true do local y = x + 1 end"},
    {"small launches", "x = cp.arange(10)", "while true do x:add_(1) end"},
    {"filling", "x = cp.zeros(1e7, 'float32')", "for i = 1, 9999 do x:fill(i) end"},
    {"copying", "x = cp.zeros(1e7, 'float32')", "for i = 1, 9999 do x:copy() end"},
    {"a long sum", "x = cp.broadcast_to(cp.arange(1000, 'float32'), {10000000, 1000})", "x:sum():item()"},
    {"sums of columns", "x = cp.broadcast_to(cp.arange(1000, 'float32'), {10000000, 1000})",
     "x:sum(1):eval()"},
    {"sums of short rows", "x = cp.broadcast_to(cp.arange(10, 'float32'), {20000000, 10})",
     "for _ = 1, 999 do x:sum(2):eval() end"},
    {"variance", "x = cp.broadcast_to(cp.arange(1000), {10000000, 1000})", "x:var():item()"},
    {"argmax", "x = cp.broadcast_to(cp.arange(1000), {10000000, 1000})", "x:argmax():item()"},
    {"a scan", "x = cp.ones(5e6)", "for _ = 1, 999 do x:cumsum():eval() end"},
    {"a scan of columns", "x = cp.ones({3000000, 2})", "for _ = 1, 999 do x:cumsum(1):eval() end"},
    {"sorting", "x = cp.random.random(4e6):eval()", "for _ = 1, 999 do cp.sort(x) end"},
    {"sorting short rows", "x = cp.random.random({40000, 100}):eval()",
     "for _ = 1, 999 do cp.sort(x, -1) end"},
    {"argsort", "x = cp.random.random(3e6):eval()", "for _ = 1, 999 do cp.argsort(x) end"},
    {"searching", "x = cp.arange(1e7) y = cp.random.random(4e6) * 1e7 y:eval()",
     "for _ = 1, 999 do cp.searchsorted(x, y) end"},
    {"counting", "x = cp.random.randint(1, 1000, 4e6):eval()", "for _ = 1, 999 do cp.bincount(x) end"},
    {"counting in many bins", "x = cp.random.randint(1, 4e6, 2e7):eval()",
     "for _ = 1, 999 do cp.bincount(x) end"},
    {"gathering", "x = cp.arange(3e6):eval() i = cp.random.randint(1, 3e6, 4e6):eval()",
     "for _ = 1, 999 do x[i]:eval() end"},
    {"scattering", "x = cp.arange(3e6):eval() i = cp.random.randint(1, 3e6, 4e6):eval()",
     "for _ = 1, 999 do x[i] = 1 end"},
    {"adding at positions", "x = cp.zeros(3e6) i = cp.random.randint(1, 3e6, 4e6):eval()",
     "for _ = 1, 999 do cp.scatter_add(x, i, 1) end"},
    {"masking", "x = cp.random.random(4e6):eval() m = (x:gt(0.5)):eval()",
     "for _ = 1, 999 do x[m]:eval() end"},
    {"positions of a mask", "x = (cp.random.random(4e6):gt(0.5)):eval()",
     "for _ = 1, 999 do cp.nonzero(x) end"},
    {"convolving", "x = cp.ones(1000000) y = cp.ones(100000)",
     "cp.scipy.signal.convolve(x, y, 'full', 'direct'):eval()"},
    {"convolving in two dimensions", "x = cp.ones({2000, 2000}) y = cp.ones({100, 100})",
     "cp.scipy.ndimage.convolve(x, y):eval()"},
    {"filtering", "x = cp.ones(5e6):eval()",
     "for _ = 1, 999 do cp.scipy.signal.lfilter({1, 0.5}, {1, -0.9}, x):eval() end"},
    {"drawing", "", "for _ = 1, 999 do cp.random.normal(0, 1, 4e6):eval() end"},
    {"drawing by rejection", "", "for _ = 1, 999 do cp.random.binomial(100, 0.3, 1e7):eval() end"},
    {"products of matrices", "x = cp.ones({2500, 2500}):eval()",
     "for _ = 1, 999 do (x:matmul(x)):eval() end"},
    {"products with a long side", "x = cp.ones({4, 4000000}):eval() y = cp.ones({4000000, 4}):eval()",
     "for _ = 1, 999 do (x:matmul(y)):eval() end"},
    {"small products", "x = cp.ones({300000, 4, 4}):eval()", "for _ = 1, 999 do (x:matmul(x)):eval() end"},
    {"einsum", "x = cp.ones({45, 45, 45, 45}):eval()",
     "for _ = 1, 999 do cp.einsum('ijkl,ijkm->lm', x, x):eval() end"},
    {"many decompositions", "x = cp.random.random({50000, 8, 8}):eval()",
     "for _ = 1, 999 do cp.linalg.svd(x) end"},
    {"many systems", "x = cp.random.random({100000, 8, 8}):eval()",
     "for _ = 1, 999 do cp.linalg.inv(x):eval() end"},
    {"text out", "x = cp.random.random(1e6):eval() cp.set_printoptions{threshold = 1e9}",
     "return #tostring(x)"},
    {"text in", "x = ('1.25 2.5 3.75\\n'):rep(700000)", "cp.fromstring(x, 'float64', {sep = ' '})"},
    {"tables out", "x = cp.ones({150000}):eval()", "for _ = 1, 999 do x:totable() end"},
    {"tables in", "x = cp.ones({150000}):totable()", "for _ = 1, 999 do cp.array(x, 'uint8') end"},
    {"deep tables in", "x = cp.ones({100000, 3}):totable()", "for _ = 1, 999 do cp.array(x) end"},
    {"a graph", "x = cp.ones(4e6):eval() g = cp.cuda.graph(function() for _ = 1, 999 do x:add_(1) end end)",
     "g:replay()"},
    {"files", "x = cp.random.random(3e6):eval() name = os.tmpname()",
     "for _ = 1, 999 do cp.savez_compressed(name, {x = x}) end"},
    {"waiting for ranks", "id = cp.cuda.nccl.get_unique_id and cp.cpu.cuda.nccl.get_unique_id('cpu')",
     "cp.cuda.nccl.NcclCommunicator(2, id, 0, {device = 'cpu', timeout = 60})"},
};

// User kernels, which need a C++ compiler.
static const work kernels[] = {
    {"a kernel",
     "k = cp.ElementwiseKernel('float64 x', 'float64 y', "
     "'y = x; for (int j = 0; j < 1000; j++) y = y * 1.0001 + x', 'slow') x = cp.ones(2e6) k(cp.ones(3))",
     "for _ = 1, 999 do k(x):eval() end"},
    {"a reducing kernel",
     "k = cp.ReductionKernel('float64 x', 'float64 y', 'x * x', 'a + b', 'y = a', '0', 'norm') "
     "x = cp.ones({30000, 100}) k(x, {axis = 2}):eval()",
     "for _ = 1, 999 do k(x, {axis = 2}):eval() end"},
    {"a raw kernel",
     "k = cp.RawKernel('extern \"C\" __global__ void spin(double *x) { __shared__ double s[32]; "
     "s[threadIdx.x] = x[threadIdx.x]; for (int j = 0; j < 1000; j++) { __syncthreads(); "
     "s[threadIdx.x] += s[31 - threadIdx.x] * 1e-9; __syncthreads(); } if (blockIdx.x == 0) x[threadIdx.x] = "
     "s[threadIdx.x]; }', 'spin') x = cp.ones(32) k(1, 32, {x})",
     "k(1000000, 32, {x})"},
};

static void load_helpers(lua_State *L) { run(L, "cp = cupola cp.device('cpu'):use()"); }

// Whether the state still computes, writes and sorts.
static void check_state(lua_State *L) {
  run(L, "local x = cp.arange(10)\n"
         "assert((x + 1):sum():item() == 55)\n"
         "x[{3}] = 7 x:add_(1)\n"
         "assert(cp.sort(x):totable()[10] == 10 and x:max():item() == 10)\n"
         "assert(cp.ones({3, 3}):matmul(cp.ones({3, 3})):sum():item() == 27)\n"
         "x = nil collectgarbage() collectgarbage()");
}

static void clear(lua_State *L) {
  run(L, "x, y, i, m, k, g, id = nil if name then os.remove(name) os.remove(name .. '.npz') name = nil end "
         "collectgarbage() collectgarbage()");
}

// Interrupts one kind of work; returns whether it ended in time.
static bool interrupt_once(lua_State *L, watch *w, const work *k) {
  char chunk[2048];
  snprintf(chunk, sizeof chunk, "%s", k->prepare);
  *w = (watch){0};
  run(L, chunk);
  if (luaL_loadstring(L, k->body) != 0) {
    fprintf(stderr, "%s: %s\n", k->name, lua_tostring(L, -1));
    exit(1);
  }
  *w = (watch){.armed = 1, .begin = now(CLOCK_MONOTONIC), .last = now(CLOCK_THREAD_CPUTIME_ID)};
  int status = lua_pcall(L, 0, 0, 0);
  double end = now(CLOCK_MONOTONIC), begin = w->begin;
  w->armed = 0;
  const char *message = status != 0 ? lua_tostring(L, -1) : "no error";
  printf("%-30s %s after %.3f s, %d polls, %.1f ms between them, %.1f ms late\n", k->name,
         status != 0 ? "ended" : "DONE", end - begin, w->polls, w->gap * 1e3,
         w->fired ? (end - w->fired_at) * 1e3 : 0);
  int right = status != 0 && strstr(message, "interrupted by the host") != NULL;
  if (!right) fprintf(stderr, "%s: %s\n", k->name, message);
  EXPECT(right);
  EXPECT(strstr(message, ":1: cupola.") != NULL); // names the line and the function
  EXPECT(w->fired);
  bool in_time = end - w->fired_at < patience && w->gap < most_between;
  if (right) run(L, "assert(cp.last_error().kind == 'interrupted', cp.last_error().kind)");
  lua_settop(L, 0);
  clear(L);
  check_state(L);
  return in_time;
}

// A busy machine may be late, for seconds on end, so each kind has several tries to end in time, ever further
// apart.
static void interrupt_one(lua_State *L, watch *w, const work *k) {
  bool in_time = interrupt_once(L, w, k);
  for (int n = 0; n < 5 && !in_time; n++) {
    const struct timespec pause = {.tv_nsec = 100000000 << n % 3, .tv_sec = n / 3};
    nanosleep(&pause, NULL);
    in_time = interrupt_once(L, w, k);
  }
  EXPECT(in_time);
}

// A pending value whose computation was interrupted is computed when it is next needed. An interrupted write
// leaves part of the elements written.
static void check_retries(lua_State *L, watch *w) {
  *w = (watch){0};
  run(L, "x = cp.ones(2e7):eval() y = x * 2 for k = 1, 10 do y = cp.tan(y) * y + x end want = nil");
  *w = (watch){.armed = 1, .begin = now(CLOCK_MONOTONIC) - 1, .last = now(CLOCK_THREAD_CPUTIME_ID)};
  run(L, "local ok, message = pcall(function() return y:sum():item() end) assert(not ok, 'not interrupted')");
  EXPECT(w->fired);
  w->armed = 0;
  run(L, "local z = cp.ones(1) * 2 for k = 1, 10 do z = cp.tan(z) * z + 1 end\n"
         "assert(math.abs(y:mean():item() / z:item() - 1) < 1e-9, 'the value is wrong')");
  clear(L);
  run(L, "x = cp.zeros(2e7):eval()");
  *w = (watch){.armed = 1, .begin = now(CLOCK_MONOTONIC) - 1};
  run(L, "assert(not pcall(function() for _ = 1, 9 do x:add_(1) end end))");
  w->armed = 0;
  run(L, "local least, most = x:min():item(), x:max():item() assert(least >= 0 and most <= 1 and most >= "
         "least)\n"
         "x:fill(3) assert(x:sum():item() == 6e7)");
  clear(L);
}

// Library calls that cannot be interrupted are refused if they would take too long: where the host sets
// longest_piece, and by default in confined states.
static void check_refusals(void) {
  static const char script[] =
      "local cp = cupola\n"
      "local function refused(name, f)\n"
      "  local ok, message = pcall(f)\n"
      "  assert(not ok, name .. ' is not refused')\n"
      "  assert(message:find(':%d+: cupola.' .. name .. ': this takes about %S+ operations that cannot be "
      "interrupted, "
      "some %S+ s; '\n"
      "    .. 'the host allows 1 s'), message)\n"
      "end\n"
      "local x = cp.ones({4000, 4000})\n"
      "refused('linalg.svd', function() return cp.linalg.svd(x) end)\n"
      "refused('linalg.eigh', function() return cp.linalg.eigh(x) end)\n"
      "refused('linalg.cholesky', function() return cp.linalg.cholesky(x) end)\n"
      "refused('linalg.solve', function() return cp.linalg.solve(x, x) end)\n"
      "refused('linalg.inv', function() return cp.linalg.inv(x) end)\n"
      "refused('linalg.qr', function() return cp.linalg.qr(x) end)\n"
      "refused('fft.fft', function() return cp.fft.fft(cp.ones(3e7, 'complex64')) end)\n"
      "assert(math.abs(cp.linalg.det(cp.eye(100) * 2):item() / 2 ^ 100 - 1) < 1e-12)\n"
      "assert(cp.linalg.svd(cp.eye(50))[2]:sum():item() - 50 < 1e-12)\n"
      "assert(cp.real(cp.fft.fft(cp.ones(1000, 'complex64')))[1] == 1000)\n";
  cupola_options closed = {.size = sizeof closed, .device = "cpu", .closed_doors = CUPOLA_FILES};
  cupola_options bounded = {.size = sizeof bounded, .device = "cpu", .longest_piece = 1};
  cupola_options old = {
      .size = offsetof(cupola_options, interrupt), .device = "cpu", .closed_doors = CUPOLA_FILES};
  cupola_options generous = {
      .size = sizeof generous, .device = "cpu", .closed_doors = CUPOLA_FILES, .longest_piece = 1e9};
  const cupola_options *refusing[] = {&closed, &bounded, &old};
  for (int k = 0; k < 3; k++) {
    lua_State *L = new_state(refusing[k]);
    run(L, script);
    lua_close(L);
  }
  lua_State *L = new_state(&generous);
  run(L, "assert(cupola.linalg.cholesky(cupola.eye(4000)):sum():item() == 4000)");
  lua_close(L);
}

static int never(void *user) {
  ++*(int *)user;
  return 0;
}

// Work that is divided into pieces to be interruptible gives the same bits as work that is not. The products
// are of whole numbers, so that their sums are exact.
static void check_values(void) {
  static const char script[] =
      "local cp, out = cupola, {}\n"
      "local function keep(x) out[#out + 1] = x:tobytes() end\n"
      "local function whole(shape, dtype)\n"
      "  local n = 1 for k = 1, #shape do n = n * shape[k] end\n"
      "  return (cp.arange(n) * 7 % 11 - 5):astype(dtype):reshape(shape):eval()\n"
      "end\n"
      "for _, t in ipairs {'float32', 'float64', 'complex64', 'complex128'} do\n"
      "  for _, s in ipairs {{700, 900, 800}, {3, 100000, 5}, {1, 20, 300000}, {300000, 20, 1}, {65, 40000, "
      "67}} do\n"
      "    local a, b = whole({s[1], s[2]}, t), whole({s[2], s[3]}, t)\n"
      "    local c = a:matmul(b) keep(c)\n"
      "    local turned_a, turned_b = a.T:copy().T, b.T:copy().T\n"
      "    assert(cp.array_equal(turned_a:matmul(b), c) and cp.array_equal(a:matmul(turned_b), c))\n"
      "    assert(cp.array_equal(turned_a:matmul(turned_b), c))\n"
      "  end\n"
      "  keep(whole({3, 200, 300}, t):matmul(whole({300, 150}, t)))\n"
      "end\n"
      "cp.random.seed(1)\n"
      "local x = cp.random.random(1500000):eval()\n"
      "for _, t in ipairs {'float32', 'float64', 'float16', 'int16', 'int64'} do\n"
      "  local y = (x * 30000 - 15000):astype(t):eval()\n"
      "  keep(cp.sort(y)) keep(cp.argsort(y)) keep(cp.argsort(y:reshape(1000, 1500), -1))\n"
      "  keep(y:reshape(1500, 1000).T:copy()) keep(y:max(1)) keep(y:copy())\n"
      "end\n"
      "keep(x:cumsum()) keep(x:sum()) keep(x:var()) keep(x:reshape(1000, 1500):sum(1)) keep(x:argmax())\n"
      "keep(cp.scipy.signal.lfilter({1, 0.5, 0.25}, {1, -0.9, 0.2}, x))\n"
      "keep(cp.scipy.signal.convolve(x, cp.ones(300), 'same', 'direct'))\n"
      "keep(cp.bincount((x * 1000):astype('int64'), {weights = x})) keep(cp.searchsorted(cp.sort(x), x))\n"
      "keep(cp.sin(x['::3']) * 2 + cp.exp(x['1::3'])) keep(cp.tan(x['1:50000'])) keep(x[x:gt(0.5)])\n"
      "keep(cp.random.normal(0, 1, 100000)) keep(cp.random.poisson(3, 100000))\n"
      "keep(cp.fromstring('1, 2,3 \\n 4', 'float64', {sep = ','})) keep(cp.fromstring(' 1 2\\n\\n3 '))\n"
      "cp.set_printoptions{threshold = 1e9} out[#out + 1] = tostring(x['1:3000'])\n"
      "return table.concat(out)\n";
  int polls = 0;
  cupola_options asking = {
      .size = sizeof asking, .device = "cpu", .interrupt = never, .interrupt_user = &polls};
  cupola_options silent = {.size = sizeof silent, .device = "cpu"};
  lua_State *one = new_state(&asking), *other = new_state(&silent);
  size_t size = 0, other_size = 0;
  run(one, script);
  run(other, script);
  const char *bytes = lua_tolstring(one, -1, &size), *other_bytes = lua_tolstring(other, -1, &other_size);
  EXPECT(polls > 100 && bytes != NULL && size > 100000000 && size == other_size);
  EXPECT(bytes != NULL && size == other_size && memcmp(bytes, other_bytes, size) == 0);
  lua_close(one);
  lua_close(other);
}

// Interrupting one state does not interrupt another one of the same thread.
static void check_neighbours(lua_State *L, watch *w) {
  lua_State *other = new_state(NULL);
  *w = (watch){.armed = 1, .begin = now(CLOCK_MONOTONIC) - 1};
  run(L, "assert(not pcall(function() return cp.ones(1e6):sum():item() end))");
  run(other, "cupola.device('cpu'):use() assert(cupola.ones(1e6):sum():item() == 1e6)");
  lua_close(other);
  w->armed = 0;
}

int main(int argc, char **argv) {
  alarm(900); // a hang is a failure
  if (argc > 2) fires_after = 1e-3 * atof(argv[2]);
  const char *only = argc > 3 ? argv[3] : NULL;
  watch w = {0};
  main_thread = pthread_self();
  cupola_options options = {.size = sizeof options, .device = "cpu", .interrupt = ask, .interrupt_user = &w};
  setenv("CUPOLA_NUM_THREADS", argc > 1 ? argv[1] : "1", 1);
  lua_State *L = new_state(&options);
  load_helpers(L);
  if (only == NULL) {
    check_retries(L, &w);
    check_neighbours(L, &w);
    check_refusals();
    check_values();
  }
  for (size_t k = 0; k < sizeof works / sizeof *works; k++)
    if (only == NULL || strcmp(only, works[k].name) == 0) interrupt_one(L, &w, &works[k]);
  run(L, "compiler = cp.show_config and io.popen('c++ --version 2>/dev/null'):read() ~= nil");
  lua_getglobal(L, "compiler");
  int compiler = lua_toboolean(L, -1);
  for (size_t k = 0; compiler && k < sizeof kernels / sizeof *kernels; k++)
    if (only == NULL || strcmp(only, kernels[k].name) == 0) interrupt_one(L, &w, &kernels[k]);
  w = (watch){.armed = 1}; // closing a state must not poll
  lua_close(L);
  EXPECT(w.polls == 0);
  printf("%d wrong\n", wrong);
  return wrong > 0;
}
