// The call of a compiled kernel of cp.jit, as fast as that of a raw kernel: if the arguments and what the
// kernel reads from outside are of the kinds that its last call had, everything happens here; otherwise the
// Lua side (lua/cupola/jit/kernels.lua) finds or makes another variant.
#include "lua/kernels/jit.h"
#include "lua/kernels/rawkernel.h"
#include "lua/objects/object.h"
#include "lua/state/error.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include "array/array.h"

#include <string.h>

// The list of a kernel: the raw kernel, the key of the arguments, their number, the number of lengths, for
// each {number of its array, what, axis}, the number of reads, for each {function, upvalue, class or false,
// value}.
enum { KERNEL = 1, KEY, COUNT, EXTENTS, FIRST };
enum { SHAPE = 1, SIZE, STRIDE };
enum { GRID = 2, BLOCK, LIST = 6, VALUES }; // slots: ..., the list, then the values to pass

static int integer_at(lua_State *L, int n) {
  lua_rawgeti(L, LIST, n);
  int v = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return v;
}

// Whether the arguments, which are pushed, have the kernel's key.
static bool take_arguments(lua_State *L, int count) {
  char key[CP_MAX_RAW_PARAMS * CP_JIT_KEY];
  size_t used = 0, length = 0;
  lua_rawgeti(L, LIST, KEY);
  const char *wanted = lua_tolstring(L, -1, &length);
  lua_pop(L, 1); // the list keeps it
  if (wanted == NULL || count < 0 || count > CP_MAX_RAW_PARAMS || (int)lua_rawlen(L, 4) != count)
    return false;
  luaL_checkstack(L, count + 32, "too many arguments");
  for (int k = 0; k < count; k++) {
    lua_rawgeti(L, 4, k + 1);
    used += (size_t)cp_jit_key(L, VALUES + k, key + used);
  }
  return used == length && memcmp(key, wanted, length) == 0;
}

// Pushes a length, or a step in elements, of the array in slot index; false if there is none.
static bool push_extent(lua_State *L, int index, int what, int axis) {
  const cp_array *x = cp_test_array(L, index);
  if (x == NULL || (what != SIZE && (axis < 1 || axis > x->ndim))) return false;
  int64_t v = what == SIZE ? x->size : what == SHAPE ? x->shape[axis - 1] : x->strides[axis - 1];
  if (what == STRIDE) {
    int64_t each = (int64_t)cp_itemsize(x->dtype);
    if (v % each != 0) return false;
    v /= each;
  }
  lua_pushinteger(L, (lua_Integer)v);
  return true;
}

static bool take_extents(lua_State *L, int count, int *at) {
  int extents = integer_at(L, EXTENTS);
  *at = FIRST;
  luaL_checkstack(L, extents < CP_MAX_RAW_PARAMS ? extents + 32 : 32, "too many lengths");
  for (int k = 0; k < extents && k < CP_MAX_RAW_PARAMS; k++, *at += 3) {
    int parameter = integer_at(L, *at);
    if (parameter < 1 || parameter > count) return false;
    if (!push_extent(L, VALUES + parameter - 1, integer_at(L, *at + 1), integer_at(L, *at + 2))) return false;
  }
  return true;
}

// Pushes the value that a read gives now, if it is an argument; false if it is of another kind.
static bool take_read(lua_State *L, int at) {
  char key[CP_JIT_KEY];
  size_t length;
  int number = integer_at(L, at + 1), top = lua_gettop(L) + 1;
  lua_rawgeti(L, LIST, at);
  if (!lua_isfunction(L, top) || lua_iscfunction(L, top) || lua_getupvalue(L, top, number) == NULL)
    return false;
  lua_replace(L, top);
  lua_rawgeti(L, LIST, at + 2);
  const char *class = lua_tolstring(L, -1, &length);
  if (class != NULL) {
    lua_pop(L, 1);
    return (int)length == cp_jit_key(L, top, key) && memcmp(key, class, length) == 0;
  }
  lua_rawgeti(L, LIST, at + 3);
  bool same = lua_rawequal(L, -1, top) != 0;
  lua_settop(L, top - 1);
  return same;
}

static bool take_reads(lua_State *L, int at) {
  int reads = integer_at(L, at++);
  luaL_checkstack(L, reads < CP_MAX_RAW_PARAMS ? reads + 32 : 32, "too many values");
  if (reads > 0) cp_jit_check_reading(L);
  for (int k = 0; k < reads && k < CP_MAX_RAW_PARAMS; k++, at += 4)
    if (!take_read(L, at)) return false;
  return true;
}

static double length_at(lua_State *L, int slot, int axis) {
  if (!lua_istable(L, slot)) return axis == 1 ? lua_tonumber(L, slot) : 1;
  lua_rawgeti(L, slot, axis);
  double v = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : 1;
  lua_pop(L, 1);
  return v;
}

// Whether the launch has so few threads and blocks along each axis that lists are for it. ORDER
// types.has_few_threads in lua/cupola/jit/types.lua
static bool has_few_threads(lua_State *L) {
  for (int axis = 1; axis <= 3; axis++) {
    double blocks = length_at(L, GRID, axis);
    if (blocks >= 1 << CP_JIT_BLOCKS || blocks * length_at(L, BLOCK, axis) >= 1 << CP_JIT_THREADS)
      return false;
  }
  return true;
}

// The kernel to launch, with the values that it takes from slot VALUES on; NULL: the Lua side decides.
static cp_raw_kernel *prepare(lua_State *L) {
  lua_pushvalue(L, 1);
  lua_rawget(L, lua_upvalueindex(1));
  if (!lua_istable(L, LIST) || !lua_istable(L, 4) || cp_test_array(L, 4) != NULL) return NULL;
  int at, count = integer_at(L, COUNT);
  if (!has_few_threads(L)) return NULL;
  if (!take_arguments(L, count) || !take_extents(L, count, &at) || !take_reads(L, at)) return NULL;
  lua_rawgeti(L, LIST, KERNEL);
  cp_raw_kernel *k = cp_test_object(L, -1, CP_KIND_RAW_KERNEL);
  lua_pop(L, 1);
  return k;
}

// k(grid, block, args[, options]). Upvalues: the lists of kernels, the Lua function for all other cases.
static int call(lua_State *L) {
  int top = lua_gettop(L);
  if (top >= 4 && top <= 5) {
    lua_settop(L, 5);
    cp_raw_kernel *k = prepare(L);
    if (k != NULL) return cp_raw_call(L, k, VALUES, lua_gettop(L) - VALUES + 1);
    lua_settop(L, 5);
  }
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

// core.jit_caller(lists, f): the metamethod __call of kernels; f is called where a kernel's list does not do.
static int caller(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_pushcclosure(L, call, 2);
  return 1;
}

void cp_open_jit_call(lua_State *L) {
  lua_pushcfunction(L, caller);
  lua_setfield(L, 1, "jit_caller");
}
