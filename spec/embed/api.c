// Calls each function of cupola.h rightly and wrongly. Prints failures; exits with 0 if there are none.
#include "host.h"

#include <dlpack/dlpack.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

// Whether f(L), run in protected mode, raises an error with this text.
static int raises(lua_State *L, lua_CFunction f, const char *text) {
  lua_settop(L, 0);
  lua_pushcfunction(L, f);
  if (lua_pcall(L, 0, 0, 0) == LUA_OK) return 0;
  const char *message = lua_tostring(L, -1);
  int found = message != NULL && strstr(message, text) != NULL;
  if (!found) fprintf(stderr, "other error: %s\n", message);
  return found;
}

static void count(void *owner) { ++*(int *)owner; }

// ---- options ----

static void test_options(void) {
  lua_State *L = luaL_newstate();
  cupola_options options = {.size = 1};
  EXPECT(strstr(cupola_configure(L, &options), "size") != NULL);
  options = (cupola_options){.size = sizeof options, .device = "gpu:x"};
  EXPECT(cupola_configure(L, &options) != NULL);
  options.device = "cpu";
  EXPECT(cupola_configure(L, &options) == NULL);
  EXPECT(strstr(cupola_configure(L, &options), "once") != NULL);
  lua_close(L);
  EXPECT(cupola_api_version() == CUPOLA_API_VERSION);
}

static void test_bundle(void) {
  EXPECT(strstr(cupola_bundle("/no/such/file"), "cannot read /no/such/file") != NULL);
  EXPECT(strstr(cupola_bundle_memory("not a bundle, but long enough to be one if it only began as it should",
                                     64),
                "not a bundle") != NULL);
  char path[] = "/tmp/cupola-bundle-XXXXXX", script[256];
  char *bytes = malloc(1 << 20);
  int file = mkstemp(path);
  EXPECT(file >= 0 && unlink(path) == 0);
  lua_State *L = new_state(NULL);
  snprintf(script, sizeof script, "cupola.record('%s') assert(cupola.record(false) == 0)", path);
  run(L, script);
  lua_close(L);
  close(file);
  FILE *f = fopen(path, "rb");
  EXPECT(f != NULL);
  size_t size = f != NULL ? fread(bytes, 1, 1 << 20, f) : 0;
  if (f != NULL) fclose(f);
  EXPECT(cupola_bundle(path) == NULL && cupola_bundle_memory(bytes, size) == NULL);
  EXPECT(cupola_bundle_memory(bytes, size - 1) != NULL);
  unlink(path);
  free(bytes);
}

static void test_limit(void) {
  cupola_options options = {.size = sizeof options, .device = "cpu", .memory_limit = 1 << 20};
  lua_State *L = new_state(&options);
  run(L,
      "assert(cupola.device().name == 'cpu')\n"
      "for i = 1, 200 do local x = cupola.zeros({1000, 100}, 'float64'):eval() end\n" // needs collections
      "local keep = cupola.zeros({1000, 100}, 'float64'):eval()\n"
      "local ok, message = pcall(function() return cupola.zeros({1000, 100}, 'float64'):eval() end)\n"
      "assert(not ok and message:find('limit of 1048576', 1, true), message)\n"
      "keep:free()\n"
      "assert(cupola.zeros({1000, 100}):sum():item() == 0)\n");
  lua_close(L);
}

static void test_doors(void) {
  cupola_options options = {
      .size = sizeof options, .device = "cpu", .closed_doors = CUPOLA_POINTERS | CUPOLA_KERNELS};
  lua_State *L = new_state(&options);
  run(L, "local function closed(f, ...)\n"
         "  local ok, message = pcall(f, ...)\n"
         "  assert(not ok and message:find('closed by the host', 1, true), message)\n"
         "end\n"
         "closed(cupola.from_pointer, 1, 1)\n"
         "closed(cupola.from_dlpack, 1)\n"
         "closed(function() return cupola.ones(2).data end)\n"
         "closed(function() return cupola.ones(2):dlpack() end)\n"
         "closed(cupola.ElementwiseKernel, 'T x', 'T y', 'y = x', 'k')\n"
         "closed(cupola.ReductionKernel, 'T x', 'T y', 'x', 'a + b', 'y = a', '0', 'k')\n"
         "closed(cupola.precompile, {bundle = 'f'})\n"
         "assert(not pcall(require, 'cupola.core') and not pcall(require, 'cupola.kernels.types'))\n"
         "require = nil\n"
         "assert((cupola.ones(3) * 2):sum():item() == 6)\n");
  lua_close(L);
}

static void test_files_door(void) {
  cupola_options options = {.size = sizeof options, .device = "cpu", .closed_doors = CUPOLA_FILES};
  lua_State *L = new_state(&options);
  run(L,
      "local x = cupola.ones({2, 2}, 'uint8')\n"
      "local function closed(f, ...)\n"
      "  local ok, message = pcall(f, ...)\n"
      "  assert(not ok and message:find('files are closed by the host', 1, true), message)\n"
      "end\n"
      "for _, name in ipairs {'save', 'savez', 'savez_compressed', 'savetxt'} do closed(cupola[name], 'f', "
      "x) end\n"
      "for _, name in ipairs {'load', 'loadtxt', 'fromfile', 'genfromtxt'} do closed(cupola[name], 'f') end\n"
      "for _, name in ipairs {'imwrite', 'save', 'load'} do closed(cupola.image[name], 'f.png', x) end\n"
      "closed(cupola.cpu.save, 'f', x)\n"
      "closed(function() cupola.plot(x) end)\n"
      "closed(function() cupola.plot.line(x) end)\n"
      "closed(function() x:tofile('f') end)\n"
      "closed(cupola.RawModule, {path = '/etc/passwd'})\n"
      "closed(cupola.record, 'f')\n"
      "closed(cupola.precompile, {bundle = 'f'})\n"
      "closed(cupola.precompile, {record = 'f'})\n"
      "closed(function() cupola.cuda.nccl.init() end)\n"
      "closed(function() cupola.cuda.nccl.get_unique_id() end)\n"
      "assert(x.data.ptr ~= 0)\n");
  lua_close(L);
}

// ---- arrays out and in ----

static void test_views(void) {
  lua_State *L = new_state(NULL);
  cupola_view view = {.size = sizeof view};
  run(L, "x = (cupola.cpu.arange(12, 'float32'):reshape(3, 4) * 2).T");
  lua_getglobal(L, "x");
  EXPECT(cupola_test(L, -1, &view) == 1);
  EXPECT(view.ndim == 2 && view.shape[0] == 4 && view.shape[1] == 3);
  EXPECT(strcmp(view.dtype, "float32") == 0 && strcmp(view.device, "cpu") == 0 && view.stream == NULL);
  const float *p = (const float *)((const char *)view.data + view.strides[0] * 3 + view.strides[1] * 2);
  EXPECT(*p == 22.0f);
  lua_pushinteger(L, 3);
  EXPECT(cupola_test(L, -1, &view) == 0 && cupola_test(L, -2, NULL) == 1);
  lua_close(L);
}

static void test_wrap(void) {
  lua_State *L = new_state(NULL);
  int16_t memory[6] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {3}, strides[] = {-4};
  int given_back = 0;
  cupola_view view = {.size = sizeof view,
                      .data = &memory[4],
                      .dtype = "int16",
                      .device = "cpu",
                      .ndim = 1,
                      .shape = shape,
                      .strides = strides};
  cupola_wrap(L, &view, count, &given_back);
  lua_setglobal(L, "x");
  run(L, "assert(tostring(x):find('5 3 1', 1, true), tostring(x))\n"
         "x:add_(10)\n"
         "pending = x * 2\n"
         "part = x[{ {2, 3} }]\n"
         "x = nil collectgarbage() collectgarbage()\n");
  EXPECT(memory[0] == 11 && memory[1] == 2 && memory[2] == 13 && memory[4] == 15);
  EXPECT(given_back == 0); // there is still a view
  run(L, "assert(pending[3] == 22)\n"
         "part, pending = nil, nil collectgarbage() collectgarbage() cupola.synchronize()\n");
  EXPECT(given_back == 1);
  view.readonly = 1;
  cupola_wrap(L, &view, count, &given_back);
  lua_setglobal(L, "x");
  run(L, "assert(not pcall(function() x:fill(1) end))\n");
  lua_close(L);
  EXPECT(given_back == 2);
}

static int wrap_null(lua_State *L) {
  const int64_t shape[] = {2};
  cupola_wrap(L,
              &(cupola_view){
                  .size = sizeof(cupola_view), .dtype = "int8", .device = "cpu", .ndim = 1, .shape = shape},
              NULL, NULL);
  return 0;
}

static int wrap_dtype(lua_State *L) {
  cupola_wrap(L, &(cupola_view){.size = sizeof(cupola_view), .dtype = "string"}, NULL, NULL);
  return 0;
}

static int wrap_size(lua_State *L) {
  cupola_wrap(L, &(cupola_view){.dtype = "int8"}, NULL, NULL);
  return 0;
}

static int check_number(lua_State *L) {
  cupola_view view = {.size = sizeof view};
  lua_pushinteger(L, 1);
  cupola_check(L, 1, &view);
  return 0;
}

static void test_bad_input(void) {
  lua_State *L = new_state(NULL);
  EXPECT(raises(L, wrap_null, "data is NULL"));
  EXPECT(raises(L, wrap_dtype, "unknown dtype string"));
  EXPECT(raises(L, wrap_size, "size"));
  EXPECT(raises(L, check_number, "cupola array expected, got number"));
  lua_close(L);
}

static void test_new(void) {
  lua_State *L = new_state(NULL);
  const int64_t shape[] = {2, 2};
  cupola_view view = {.size = sizeof view, .dtype = "float64", .device = "cpu", .ndim = 2, .shape = shape};
  cupola_new(L, &view);
  for (int k = 0; k < 4; k++) ((double *)view.data)[k] = k;
  lua_setglobal(L, "x");
  run(L, "assert(x:sum():item() == 6 and x[{2, 1}] == 2)");
  lua_close(L);
}

// ---- DLPack ----

static void *delete_elsewhere(void *tensor) {
  DLManagedTensor *t = tensor;
  t->deleter(t);
  return NULL;
}

static void test_export(void) {
  lua_State *L = new_state(NULL);
  pthread_t thread;
  run(L, "x = cupola.cpu.arange(6, 'int64'):reshape(2, 3)");
  lua_getglobal(L, "x");
  DLManagedTensor *t = cupola_to_dlpack(L, -1), *second = cupola_to_dlpack(L, -1);
  EXPECT(t->dl_tensor.ndim == 2 && t->dl_tensor.shape[1] == 3 && t->dl_tensor.strides[0] == 3);
  EXPECT(t->dl_tensor.dtype.code == kDLInt && t->dl_tensor.dtype.bits == 64 &&
         t->dl_tensor.device.device_type == kDLCPU);
  EXPECT(((int64_t *)t->dl_tensor.data)[5] == 5);
  run(L, "x:free() x = nil collectgarbage()"); // now only the tensors own the memory
  EXPECT(((int64_t *)t->dl_tensor.data)[5] == 5);
  if (pthread_create(&thread, NULL, delete_elsewhere, t) != 0) exit(1);
  pthread_join(thread, NULL);
  run(L, "y = cupola.cpu.ones(1000) + 1 assert(y:sum():item() == 2000)");
  EXPECT(((int64_t *)second->dl_tensor.data)[5] == 5);
  lua_close(L);
  EXPECT(((int64_t *)second->dl_tensor.data)[5] == 5); // it outlives the state
  second->deleter(second);
}

static void count_tensor(DLManagedTensor *t) { ++*(int *)t->manager_ctx; }

static DLManagedTensor odd;

static int push_odd(lua_State *L) {
  cupola_from_dlpack(L, &odd);
  return 0;
}

static void test_import(void) {
  lua_State *L = new_state(NULL);
  static float memory[4] = {1, 2, 3, 4};
  static int64_t shape[] = {2, 2};
  int deleted = 0;
  const DLTensor good = {
      .data = memory, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
  DLManagedTensor t = {good, &deleted, count_tensor};
  cupola_from_dlpack(L, &t);
  lua_setglobal(L, "x");
  run(L, "assert(x[{2, 1}] == 3 and x.dtype == 'float32') x:mul_(2) x = nil collectgarbage() "
         "collectgarbage() cupola.collect()");
  EXPECT(memory[3] == 8 && deleted == 1);
  odd = (DLManagedTensor){good, &deleted, count_tensor};
  odd.dl_tensor.dtype.lanes = 4;
  EXPECT(raises(L, push_odd, "4 lanes"));
  odd.dl_tensor.dtype = (DLDataType){kDLFloat, 24, 1};
  EXPECT(raises(L, push_odd, "24 bits"));
  odd.dl_tensor = good;
  odd.dl_tensor.device.device_type = kDLVulkan;
  EXPECT(raises(L, push_odd, "another kind"));
  odd.dl_tensor = good;
  odd.dl_tensor.data = NULL;
  EXPECT(raises(L, push_odd, "no memory"));
  odd.dl_tensor = good;
  odd.dl_tensor.ndim = 1000;
  EXPECT(raises(L, push_odd, "dimensions"));
  EXPECT(deleted == 1); // a tensor that is refused still belongs to the caller
  lua_close(L);
}

// ---- the host's allocator ----

typedef struct heap {
  size_t bytes; // allocated and not freed yet
  int blocks, calls;
  int empty;  // fails
  int skewed; // returns addresses that are not aligned
} heap;

static void *heap_allocate(void *user, const char *device, size_t bytes, void *stream) {
  heap *h = user;
  (void)stream;
  EXPECT(strcmp(device, "cpu") == 0);
  h->calls++;
  if (h->empty) return NULL;
  char *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
  h->bytes += bytes;
  h->blocks++;
  return p + (h->skewed ? 8 : 0);
}

static void heap_free(void *user, const char *device, void *pointer, size_t bytes) {
  heap *h = user;
  EXPECT(strcmp(device, "cpu") == 0);
  h->bytes -= bytes;
  h->blocks--;
  free((char *)pointer - (h->skewed ? 8 : 0));
}

static void test_allocator(int direct) {
  heap h = {0};
  cupola_allocator allocator = {
      .size = sizeof allocator, .allocate = heap_allocate, .free = heap_free, .user = &h, .direct = direct};
  cupola_options options = {.size = sizeof options, .device = "cpu", .allocator = &allocator};
  lua_State *L = new_state(&options);
  allocator.allocate = NULL; // cupola has copied the struct
  run(L, "x = cupola.arange(1000):eval() assert(x:sum():item() == 499500)");
  EXPECT(h.bytes >= 8000);
  run(L, "local ok, e = pcall(cupola.cuda.set_allocator, cupola.cuda.MemoryPool()) "
         "assert(not ok and e:find('the host program chose the allocator', 1, true))");
  run(L, "x:free() y = cupola.empty(10) y:free() z = cupola.zeros(10):eval()");
  EXPECT(direct ? h.bytes < 8000 : h.bytes >= 8000); // a pool keeps freed memory
  int before = h.calls;
  run(L, "for k = 1, 10 do cupola.empty(10):free() end");
  EXPECT(direct ? h.calls == before + 10 : h.calls <= before + 1);
  h.empty = 1;
  run(L, "local ok, e = pcall(cupola.empty, 100000) assert(not ok and e:find('out of memory', 1, true))");
  h.empty = 0;
  run(L, "e = cupola.ones(50):eval()");
  lua_getglobal(L, "e");
  DLManagedTensor *t = cupola_to_dlpack(L, -1);
  lua_close(L);
  EXPECT(h.blocks == 1 && ((double *)t->dl_tensor.data)[49] == 1); // the tensor's memory
  t->deleter(t);
  EXPECT(h.blocks == 0 && h.bytes == 0);
}

static void test_bad_allocator(void) {
  heap h = {.skewed = 1};
  lua_State *L = luaL_newstate();
  cupola_allocator allocator = {.size = 1, .allocate = heap_allocate, .free = heap_free, .user = &h};
  cupola_options options = {.size = sizeof options, .device = "cpu", .allocator = &allocator};
  EXPECT(strstr(cupola_configure(L, &options), "cupola_allocator.size") != NULL);
  allocator.size = sizeof allocator;
  allocator.free = NULL;
  EXPECT(strstr(cupola_configure(L, &options), "needs allocate and free") != NULL);
  lua_close(L);
  allocator.free = heap_free;
  L = new_state(&options);
  run(L, "local ok, e = pcall(cupola.empty, 10) assert(not ok and e:find('not aligned to 64', 1, true))");
  lua_close(L);
  EXPECT(h.blocks == 0);
}

int main(void) {
  test_options();
  test_bundle();
  test_limit();
  test_doors();
  test_files_door();
  test_views();
  test_wrap();
  test_bad_input();
  test_new();
  test_export();
  test_import();
  test_allocator(0);
  test_allocator(1);
  test_bad_allocator();
  printf("%d wrong\n", wrong);
  return wrong > 0;
}
