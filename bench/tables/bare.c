// The cost of a binding that does nothing: a Lua module whose objects are userdata as large as an array's
// handle, with a finalizer. They can be indexed and added and can launch an empty kernel, and know neither
// shapes nor dtypes. bench/tables/bare.lua times it: the floor of the host rows of bench/run.
// Compile: cc -O2 -shared -fPIC -I src -I <folder of lua.h> [-D BARE_CUDA -lcuda] bare.c -o bare.so
#include "lua/state/compat.h"

#include <string.h>
#include <time.h>

#ifdef BARE_CUDA
#include <cuda.h>

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry nothing(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{\n  ret;\n}\n";
static CUfunction nothing;

// A launch with four arguments; false if it fails.
static int launch_nothing(void) {
  unsigned long long a = 0;
  void *arguments[] = {&a, &a, &a, &a};
  return cuLaunchKernel(nothing, 1, 1, 1, 128, 1, 1, 0, 0, arguments, NULL) == CUDA_SUCCESS;
}

static int start(void) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  return cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
         cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS &&
         cuCtxSetCurrent(context) == CUDA_SUCCESS && cuModuleLoadData(&module, ptx) == CUDA_SUCCESS &&
         cuModuleGetFunction(&nothing, module, "nothing") == CUDA_SUCCESS;
}

static int wait_for_all(lua_State *L) {
  if (cuCtxSynchronize() != CUDA_SUCCESS) return luaL_error(L, "the driver failed");
  return 0;
}
#else
static int launch_nothing(void) { return 1; }
static int start(void) { return 1; }
static int wait_for_all(lua_State *L) {
  (void)L;
  return 0;
}
#endif

enum { SLOTS = 4096 };

// As large as an array's handle. `block` stands for memory, which is in `spare` while no object holds it.
typedef struct object {
  void *block;
  char rest[64];
} object;

static void *spare[SLOTS];
static int spares;

// Pushes a new object; the metatable is the first upvalue of every function here.
static object *push_object(lua_State *L) {
  object *o = cp_newuserdata(L, sizeof *o);
  o->block = NULL;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_setmetatable(L, -2);
  return o;
}

static int collect(lua_State *L) {
  object *o = lua_touserdata(L, 1);
  if (o->block != NULL && spares < SLOTS) spare[spares++] = o->block;
  return 0;
}

// object[key]: a method if it has this name, else a new object. Of an index by ranges the numbers are read.
static int get(lua_State *L) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(2));
    if (!lua_isnil(L, -1)) return 1;
    if (strchr(lua_tostring(L, 2), ':') == NULL) return luaL_error(L, "no such field");
  } else {
    lua_rawgeti(L, 2, 1);
    lua_rawgeti(L, -1, 1);
    lua_rawgeti(L, -2, 2);
    if (lua_tonumber(L, -2) > lua_tonumber(L, -1)) return luaL_error(L, "an empty range");
  }
  push_object(L);
  return 1;
}

static int take_block(lua_State *L, int launches) {
  object *o = push_object(L);
  if (spares > 0) o->block = spare[--spares];
  if (launches && !launch_nothing()) return luaL_error(L, "the launch failed");
  return 1;
}

static int empty(lua_State *L) {
  luaL_checknumber(L, 1);
  luaL_checkstring(L, 2);
  return take_block(L, 0);
}

static int add(lua_State *L) { return take_block(L, 1); }

static int itself(lua_State *L) {
  lua_settop(L, 1);
  return 1;
}

static int launch(lua_State *L) {
  if (!launch_nothing()) return luaL_error(L, "the launch failed");
  return itself(L);
}

// launch_with(grid, block, {object, ..., number})
static int launch_with(lua_State *L) {
  luaL_checknumber(L, 1);
  luaL_checknumber(L, 2);
  for (int k = 1, n = (int)lua_rawlen(L, 3); k <= n; k++) {
    lua_rawgeti(L, 3, k);
    if (lua_type(L, -1) != LUA_TNUMBER && lua_touserdata(L, -1) == NULL)
      return luaL_error(L, "a wrong argument");
    lua_pop(L, 1);
  }
  return launch(L);
}

static int now(lua_State *L) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  lua_pushnumber(L, (lua_Number)t.tv_sec + 1e-9 * (lua_Number)t.tv_nsec);
  return 1;
}

// Adds functions to the table on top of the stack. Their upvalues are at absolute index 1 (the metatable) and
// 2 (the methods).
static void set_functions(lua_State *L, const luaL_Reg *list) {
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  cp_setfuncs(L, list, 2);
}

int luaopen_bare(lua_State *L);
int luaopen_bare(lua_State *L) {
  static const luaL_Reg methods[] = {{"eval", itself}, {"add_", launch}, {"sum", add}, {NULL, NULL}};
  static const luaL_Reg meta[] = {{"__index", get}, {"__add", add}, {"__gc", collect}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"empty", empty},
                                       {"launch_with", launch_with},
                                       {"clock", now},
                                       {"synchronize", wait_for_all},
                                       {NULL, NULL}};
  if (!start()) return luaL_error(L, "bare: there is no GPU");
  while (spares < SLOTS) {
    spare[spares] = &spare[spares];
    spares++;
  }
  lua_settop(L, 0);
  lua_newtable(L);
  lua_newtable(L);
  set_functions(L, methods);
  lua_pushvalue(L, 1);
  set_functions(L, meta);
  lua_newtable(L);
  set_functions(L, functions);
  return 1;
}
