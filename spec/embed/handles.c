// cupola_options.handles: a host's own stream and CUDA context. They are made with the CUDA driver if there
// is a GPU, whatever CUPOLA_DEVICE says. Prints failures and whether there was a GPU; exits with 0 if nothing
// failed.
#include "host.h"

#include <dlfcn.h>
#include <string.h>

static lua_State *state_with(const cupola_handles *handles, const char *device) {
  cupola_options options = {.size = sizeof options, .device = device, .handles = handles};
  return new_state(&options);
}

// cupola_configure must refuse the handles with this text, and accept good options afterwards.
static void refuses(const cupola_handles *handles, const char *text) {
  lua_State *L = luaL_newstate();
  cupola_options options = {.size = sizeof options, .device = "cpu", .handles = handles};
  const char *problem = cupola_configure(L, &options);
  if (problem == NULL || strstr(problem, text) == NULL)
    fprintf(stderr, "expected '%s', got '%s'\n", text, problem != NULL ? problem : "no error");
  EXPECT(problem != NULL && strstr(problem, text) != NULL);
  options.handles = NULL;
  EXPECT(cupola_configure(L, &options) == NULL);
  lua_close(L);
}

// ---- the CPU, which has one queue: a stream's handle is only a name for it ----

static void test_cpu(void) {
  int place;
  cupola_handles cpu = {.size = sizeof cpu, .device = "cpu", .stream = &place};
  lua_State *L = state_with(&cpu, "cpu");
  lua_pushinteger(L, (lua_Integer)(intptr_t)&place);
  lua_setglobal(L, "place");
  run(L, "local null = cupola.cuda.Stream.null\n"
         "assert(null.ptr == place and cupola.cuda.get_current_stream() == null)\n"
         "assert(cupola.cuda.ExternalStream(place) == null)\n"
         "null:close()\n" // closes this object, not the stream
         "cupola.cuda.ExternalStream(place):close()\n"
         "local other = cupola.cuda.Stream()\n"
         "assert(other ~= cupola.cuda.Stream.null)\n"
         "local x = other:with(function() return cupola.arange(5) + 1 end)\n"
         "assert((x * 2):sum():item() == 30)\n"
         "assert(cupola.cuda.Stream.null.ptr == place)\n"
         "cupola.synchronize()\n");
  lua_close(L);
  L = state_with(NULL, "cpu"); // handles belong to one state
  run(L, "assert(cupola.cuda.Stream.null.ptr == 0)");
  lua_close(L);
}

static void test_wrong(void) {
  cupola_handles h = {.size = 1, .device = "cpu"};
  refuses(&h, "cupola_handles.size");
  h = (cupola_handles){.size = sizeof h};
  refuses(&h, "cupola_handles.device is NULL");
  h.device = "gpu:1";
  refuses(&h, "no device is named 'gpu:1'");
  h.device = "cpu";
  h.context = &h;
  refuses(&h, "the CPU has no contexts");
  h = (cupola_handles){.size = sizeof h, .device = "cpu", .stream = &h};
  cupola_handles twice = {.size = sizeof twice, .device = "cpu", .stream = &twice, .next = &h};
  refuses(&twice, "cpu has its stream already");
  cupola_options old = {.size = offsetof(cupola_options, handles), .device = "cpu", .handles = &h};
  lua_State *L = luaL_newstate(); // a host built for version 1, whose struct ends before `handles`
  EXPECT(cupola_configure(L, &old) == NULL);
  luaL_openlibs(L);
  luaL_requiref(L, "cupola", luaopen_cupola, 1);
  run(L, "assert(cupola.cuda.Stream.null.ptr == 0)");
  lua_close(L);
}

// ---- a GPU ----

typedef void *handle;
static struct {
  int (*init)(unsigned);
  int (*count)(int *);
  int (*create_context)(handle *, unsigned, int);
  int (*current)(handle *);
  int (*set_current)(handle);
  int (*create_stream)(handle *, unsigned);
  int (*destroy_stream)(handle);
  int (*query)(handle);
  int (*synchronize)(handle);
  int (*allocate)(unsigned long long *, size_t);
  int (*fill)(unsigned long long, unsigned, size_t, handle);
} cu;

static int load_driver(void) {
  static const char *const names[] = {
      "cuInit",          "cuDeviceGetCount",   "cuCtxCreate_v2", "cuCtxGetCurrent",     "cuCtxSetCurrent",
      "cuStreamCreate",  "cuStreamDestroy_v2", "cuStreamQuery",  "cuStreamSynchronize", "cuMemAlloc_v2",
      "cuMemsetD32Async"};
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  int n = 0;
  for (size_t k = 0; library != NULL && k < sizeof names / sizeof *names; k++) {
    void *p = dlsym(library, names[k]);
    if (p == NULL) return 0;
    memcpy((char *)&cu + k * sizeof p, &p, sizeof p);
  }
  return library != NULL && cu.init(0) == 0 && cu.count(&n) == 0 && n > 0;
}

// The host fills memory on its stream and does not wait. A script's work on it must come later, by the order
// of the stream alone.
static void test_gpu_stream(lua_State *L, handle stream) {
  enum { N = 1 << 24 };
  unsigned long long memory = 0;
  const int64_t shape[] = {N};
  EXPECT(cu.allocate(&memory, N * sizeof(int)) == 0);
  cupola_view view = {.size = sizeof view,
                      .data = (void *)(uintptr_t)memory,
                      .dtype = "int32",
                      .device = "cuda:0",
                      .ndim = 1,
                      .shape = shape};
  for (unsigned k = 1; k <= 20; k++) EXPECT(cu.fill(memory, k, N, stream) == 0);
  cupola_wrap(L, &view, NULL, NULL);
  lua_setglobal(L, "x");
  run(L, "assert((x + 1):sum():item() == 21 * x.size)\n"
         "y = cupola.full({x.size}, 2, 'int32') x:add_(y)\n");
  lua_getglobal(L, "x");
  EXPECT(cupola_test(L, -1, &view) == 1 && view.stream == stream);
  lua_pop(L, 1);
  cupola_flush(L);
  EXPECT(cu.fill(memory, 7, N, stream) == 0); // after what the script queued
  EXPECT(cu.synchronize(stream) == 0 && cu.query(stream) == 0);
  run(L, "assert(x:sum():item() == 7 * x.size) assert(y:sum():item() == 2 * x.size)");
}

static void test_gpu(void) {
  handle context = NULL, other = NULL, stream = NULL, foreign = NULL, now = NULL;
  EXPECT(cu.create_context(&other, 0, 0) == 0 && cu.create_stream(&foreign, 0) == 0);
  EXPECT(cu.create_context(&context, 0, 0) == 0 && cu.create_stream(&stream, 0) == 0);
  EXPECT(cu.set_current(other) == 0);
  cupola_handles h = {.size = sizeof h, .device = "cuda:0", .context = context, .stream = stream};
  lua_State *L = state_with(&h, NULL);
  lua_pushinteger(L, (lua_Integer)(intptr_t)stream);
  lua_setglobal(L, "place");
  run(L, "cupola.device('cuda:0'):use()\n"
         "local null = cupola.cuda.Stream.null\n"
         "assert(null.ptr == place and cupola.cuda.get_current_stream() == null)\n"
         "local x = cupola.arange(1000, 'float32')\n"
         "local second = cupola.cuda.Stream({non_blocking = true})\n"
         "local y = second:with(function() return x * 2 end)\n"
         "assert((y - x):sum():item() == 499500)\n"
         "local k = cupola.RawKernel('__global__ void k(float *x) { x[threadIdx.x] += 1; }', 'k')\n"
         "k(1, 1000, {x}, {stream = second})\n"
         "assert(x:sum():item() == 500500)\n"
         "local m = cupola.eye(64, 'float32')\n"
         "local ok, product = pcall(cupola.dot, m, m)\n"
         "assert(not ok or product:sum():item() == 64)\n");
  EXPECT(cu.current(&now) == 0 && now == context); // cupola works in this context
  test_gpu_stream(L, stream);
  h.context = other;
  refuses(&h, "in another context");
  h.context = NULL;
  h.stream = foreign;
  refuses(&h, "not belong to the CUDA context");
  h.stream = NULL; // for a second state, with its own stream in the same context
  lua_State *second = state_with(&h, NULL);
  run(second, "cupola.device('cuda:0'):use() assert(cupola.ones(1000):sum():item() == 1000)\n"
              "assert(cupola.cuda.Stream.null.ptr ~= 0)");
  lua_close(L);
  EXPECT(cu.query(stream) == 0); // the host's stream still exists
  run(second, "assert((cupola.ones(1000) * 2):sum():item() == 2000)");
  lua_close(second);
  EXPECT(cu.set_current(context) == 0 && cu.destroy_stream(stream) == 0);
}

int main(void) {
  int gpu = load_driver();
  if (gpu) test_gpu();
  test_cpu();
  test_wrong();
  printf("%d wrong, %s\n", wrong, gpu ? "with a GPU" : "without a GPU");
  return wrong > 0;
}
