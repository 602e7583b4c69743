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

enum { SHAPE = 1, SIZE, STRIDE };           // ORDER WHAT in lua/cupola/jit/kernels.lua
enum { GRID = 2, BLOCK, LIST = 6, VALUES }; // slots: ..., the list, then the values to pass

// A length of an array that a kernel takes, or a step in elements.
typedef struct extent {
  int parameter, what, axis; // parameter: the number of the array
} extent;

// An upvalue that a kernel takes, or that must keep its value.
typedef struct upvalue {
  int number;
  size_t length; // 0: it must keep its value
  char class[CP_JIT_KEY];
} upvalue;

// How to make the call of a variant: a userdata in a kernel's list.
typedef struct recipe {
  int count, nextents, nreads; // count: arguments
  size_t key_length;
  char key[CP_MAX_RAW_PARAMS * CP_JIT_KEY]; // of the arguments
  extent extents[CP_MAX_RAW_PARAMS];
  upvalue reads[CP_MAX_RAW_PARAMS];
} recipe;

// What a list holds: the raw kernel, the recipe, and for each upvalue its function and its value.
enum { KERNEL = 1, RECIPE, FIRST };

// Whether the arguments, which are pushed, have the kernel's key.
static bool take_arguments(lua_State *L, const recipe *r) {
  if ((int)lua_rawlen(L, 4) != r->count) return false;
  size_t used = 0;
  for (int k = 0; k < r->count; k++) {
    char key[CP_JIT_KEY];
    lua_rawgeti(L, 4, k + 1);
    size_t n = (size_t)cp_jit_key(L, VALUES + k, key);
    if (used + n > r->key_length || memcmp(key, r->key + used, n) != 0) return false;
    used += n;
  }
  return used == r->key_length;
}

// Pushes a length, or a step in elements, of an array; false if there is none.
static bool push_extent(lua_State *L, const recipe *r, const extent *e) {
  const cp_array *x = e->parameter <= r->count ? cp_test_array(L, VALUES + e->parameter - 1) : NULL;
  if (x == NULL || (e->what != SIZE && (e->axis < 1 || e->axis > x->ndim))) return false;
  int64_t v = e->what == SIZE ? x->size : e->what == SHAPE ? x->shape[e->axis - 1] : x->strides[e->axis - 1];
  if (e->what == STRIDE) {
    int64_t each = (int64_t)cp_itemsize(x->dtype);
    if (v % each != 0) return false;
    v /= each;
  }
  lua_pushinteger(L, (lua_Integer)v);
  return true;
}

// Pushes the value of upvalue k now, if it is an argument; false if it is of another kind.
static bool take_upvalue(lua_State *L, const upvalue *u, int k) {
  char key[CP_JIT_KEY];
  int top = lua_gettop(L) + 1;
  lua_rawgeti(L, LIST, FIRST + 2 * k);
  if (!lua_isfunction(L, top) || lua_iscfunction(L, top) || lua_getupvalue(L, top, u->number) == NULL)
    return false;
  lua_replace(L, top);
  if (u->length > 0)
    return (int)u->length == cp_jit_key(L, top, key) && memcmp(key, u->class, u->length) == 0;
  lua_rawgeti(L, LIST, FIRST + 2 * k + 1);
  bool same = lua_rawequal(L, -1, top) != 0;
  lua_settop(L, top - 1);
  return same;
}

static double length_at(lua_State *L, int slot, int axis) {
  lua_rawgeti(L, slot, axis);
  double v = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : 1;
  lua_pop(L, 1);
  return v;
}

// Whether the launch has so few threads and blocks along each axis that recipes are for it. ORDER
// types.has_few_threads in lua/cupola/jit/types.lua
static bool has_few_threads(lua_State *L) {
  bool grids = lua_istable(L, GRID), blocks = lua_istable(L, BLOCK);
  for (int axis = 1; axis <= (grids || blocks ? 3 : 1); axis++) {
    double grid = grids ? length_at(L, GRID, axis) : axis == 1 ? lua_tonumber(L, GRID) : 1;
    double block = blocks ? length_at(L, BLOCK, axis) : axis == 1 ? lua_tonumber(L, BLOCK) : 1;
    if (grid >= 1 << CP_JIT_BLOCKS || grid * block >= 1 << CP_JIT_THREADS) return false;
  }
  return true;
}

// The kernel to launch, with the values that it takes from slot VALUES on; NULL: the Lua side decides.
static cp_raw_kernel *prepare(lua_State *L) {
  lua_pushvalue(L, 1);
  lua_rawget(L, lua_upvalueindex(1));
  if (!lua_istable(L, LIST) || !lua_istable(L, 4)) return NULL;
  lua_rawgeti(L, LIST, KERNEL);
  lua_rawgeti(L, LIST, RECIPE);
  cp_raw_kernel *k = lua_touserdata(L, -2);
  const recipe *r = lua_touserdata(L, -1); // the list keeps both
  lua_settop(L, LIST);
  if (!has_few_threads(L)) return NULL;
  luaL_checkstack(L, r->count + r->nextents + r->nreads + 32, "too many arguments");
  if (!take_arguments(L, r)) return NULL;
  for (int n = 0; n < r->nextents; n++)
    if (!push_extent(L, r, &r->extents[n])) return NULL;
  if (r->nreads > 0) cp_jit_check_reading(L);
  for (int n = 0; n < r->nreads; n++)
    if (!take_upvalue(L, &r->reads[n], n)) return NULL;
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

// ---- recipes ----------------------------------------------------------------------------------------------

static int field(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  int v = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return v;
}

// Reads the extents in the list at index.
static void read_extents(lua_State *L, int index, recipe *r) {
  r->nextents = (int)lua_rawlen(L, index);
  luaL_argcheck(L, r->nextents <= CP_MAX_RAW_PARAMS, index, "too many lengths");
  for (int k = 0; k < r->nextents; k++) {
    lua_rawgeti(L, index, k + 1);
    r->extents[k] = (extent){field(L, "parameter"), field(L, "what"), field(L, "axis")};
    lua_pop(L, 1);
  }
}

// Reads the upvalues in the list at index; their functions and values go to the list on top.
static void read_upvalues(lua_State *L, int index, recipe *r) {
  int list = lua_gettop(L);
  r->nreads = (int)lua_rawlen(L, index);
  luaL_argcheck(L, r->nreads <= CP_MAX_RAW_PARAMS, index, "too many values");
  for (int k = 0; k < r->nreads; k++) {
    upvalue *u = &r->reads[k];
    lua_rawgeti(L, index, k + 1);
    u->number = field(L, "number");
    lua_getfield(L, -1, "class");
    const char *class = lua_tolstring(L, -1, &u->length);
    if (class == NULL || u->length > sizeof u->class) u->length = 0;
    if (class != NULL) memcpy(u->class, class, u->length);
    lua_getfield(L, -2, "object");
    lua_rawseti(L, list, FIRST + 2 * k);
    lua_getfield(L, -2, "value");
    lua_rawseti(L, list, FIRST + 2 * k + 1);
    lua_pop(L, 2);
  }
}

// core.jit_recipe(kernel, key, count, extents {{parameter, what, axis}}, reads {{object, number, class or
// nil, value}}): the list by which calls of this kind are made again.
static int new_recipe(lua_State *L) {
  lua_settop(L, 5);
  luaL_argcheck(L, cp_test_object(L, 1, CP_KIND_RAW_KERNEL) != NULL, 1, "not a raw kernel");
  size_t length;
  const char *key = luaL_checklstring(L, 2, &length);
  int count = (int)luaL_checkinteger(L, 3);
  luaL_argcheck(L, count >= 0 && count <= CP_MAX_RAW_PARAMS, 3, "too many arguments");
  luaL_checktype(L, 4, LUA_TTABLE);
  luaL_checktype(L, 5, LUA_TTABLE);
  lua_newtable(L);
  recipe *r = cp_newuserdata(L, sizeof *r);
  lua_insert(L, -2);
  r->count = count;
  r->key_length = length < sizeof r->key ? length : sizeof r->key;
  memcpy(r->key, key, r->key_length);
  read_extents(L, 4, r);
  read_upvalues(L, 5, r);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, KERNEL);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, RECIPE);
  return 1;
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
  lua_pushcfunction(L, new_recipe);
  lua_setfield(L, 1, "jit_recipe");
}
