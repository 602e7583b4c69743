// The call of a compiled kernel of cp.jit, as fast as that of a raw kernel: if the arguments and what the
// kernel reads from outside are of the kinds that its last call had, everything happens here; otherwise the
// Lua side (lua/cupola/jit/kernels.lua) finds or makes another variant.
#include "lua/kernels/jit.h"
#include "lua/kernels/rawkernel.h"
#include "lua/objects/object.h"
#include "lua/state/error.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"
#include "lua/values/scalar.h"

#include "array/array.h"

#include <string.h>

enum { SHAPE = 1, SIZE, STRIDE }; // ORDER WHAT in lua/cupola/jit/kernels.lua
enum { LIST = 6, MADE, VALUES };  // slots: the list, its recipe, then the values to pass

// What a value must be for a variant: an array of a layout, or what has this key.
typedef struct wanted {
  bool array;
  cp_jit_layout layout;
  size_t length;
  char key[CP_JIT_KEY];
} wanted;

// A length of an array that a kernel takes, or a step in elements.
typedef struct extent {
  int parameter, what, axis; // parameter: the number of the array
} extent;

// An upvalue that a kernel takes, or that must keep its value.
typedef struct upvalue {
  int number;
  bool taken; // otherwise it must keep its value
  wanted wanted;
} upvalue;

// How to make the call of a variant: a userdata in a kernel's list.
typedef struct recipe {
  cp_raw_kernel *kernel;       // which the list keeps
  int count, nextents, nreads; // count: arguments
  wanted arguments[CP_MAX_RAW_PARAMS];
  extent extents[CP_MAX_RAW_PARAMS];
  upvalue reads[CP_MAX_RAW_PARAMS];
} recipe;

// What a list holds: the recipe, the raw kernel, and for each upvalue its function and its value.
enum { RECIPE = 1, KERNEL, FIRST };

// ---- calls ------------------------------------------------------------------------------------------------

// Whether the value at index is a whole number of the class 'i', the usual one.
static bool is_small_whole(lua_State *L, int index) {
  int64_t v;
  return cp_is_integer_of(L, lua_type(L, index), index, &v) && v > -(1 << CP_JIT_SMALL) &&
         v < 1 << CP_JIT_SMALL;
}

// Whether the value at index is what a variant wants; *array is it, or NULL.
static bool is_wanted(lua_State *L, int index, const wanted *w, cp_array **array) {
  char key[CP_JIT_KEY];
  *array = w->array ? cp_test_array(L, index) : NULL;
  if (w->array) {
    if (*array == NULL) return false;
    const cp_jit_layout layout = cp_jit_layout_of(*array);
    return memcmp(&layout, &w->layout, sizeof layout) == 0;
  }
  if (w->length == 1 && w->key[0] == 'i' && is_small_whole(L, index)) return true;
  return (int)w->length == cp_jit_key(L, index, key) && memcmp(key, w->key, w->length) == 0;
}

// Pushes the arguments; false if the variant is not for them.
static bool take_arguments(lua_State *L, const recipe *r, cp_array **arrays) {
  if ((int)lua_rawlen(L, 4) != r->count) return false;
  for (int k = 0; k < r->count; k++) {
    lua_rawgeti(L, 4, k + 1);
    if (!is_wanted(L, VALUES + k, &r->arguments[k], &arrays[k])) return false;
  }
  return true;
}

// Pushes a length, or a step in elements, of an array; false if there is none.
static bool push_extent(lua_State *L, const extent *e, const cp_array *x) {
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
  cp_array *array;
  int top = lua_gettop(L) + 1;
  lua_rawgeti(L, LIST, FIRST + 2 * k);
  if (!lua_isfunction(L, top) || lua_getupvalue(L, top, u->number) == NULL) return false;
  lua_replace(L, top);
  if (u->taken) return is_wanted(L, top, &u->wanted, &array);
  lua_rawgeti(L, LIST, FIRST + 2 * k + 1);
  bool same = lua_rawequal(L, -1, top) != 0;
  lua_settop(L, top - 1);
  return same;
}

// Whether the launch has so few threads and blocks along each axis that recipes are for it. ORDER
// types.has_few_threads in lua/cupola/jit/types.lua
static bool has_few_threads(const cp_raw_launch *l) {
  for (int axis = 0; axis < 3; axis++)
    if (l->grid[axis] >= 1 << CP_JIT_BLOCKS ||
        (uint64_t)l->grid[axis] * l->block[axis] >= 1 << CP_JIT_THREADS)
      return false;
  return true;
}

// The recipe for the call, with the values that its kernel takes from slot VALUES on; NULL: the Lua side
// decides.
static const recipe *prepare(lua_State *L, cp_raw_call *c, cp_array **arrays) {
  lua_pushvalue(L, 1);
  lua_rawget(L, lua_upvalueindex(1));
  if (!lua_istable(L, LIST) || !lua_istable(L, 4)) return NULL;
  lua_rawgeti(L, LIST, RECIPE);
  const recipe *r = lua_touserdata(L, MADE);
  cp_raw_read_call(L, r->kernel, c);
  if (!has_few_threads(&c->launch)) return NULL;
  luaL_checkstack(L, r->count + r->nextents + r->nreads + 32, "too many arguments");
  if (!take_arguments(L, r, arrays)) return NULL;
  for (int n = 0; n < r->nextents; n++) {
    const extent *e = &r->extents[n];
    if (e->parameter < 1 || e->parameter > r->count || !push_extent(L, e, arrays[e->parameter - 1]))
      return NULL;
  }
  for (int n = 0; n < r->nreads; n++)
    if (!take_upvalue(L, &r->reads[n], n)) return NULL;
  return r;
}

// k(grid, block, args[, options]). Upvalues: the lists of kernels, the Lua function for all other cases.
static int call(lua_State *L) {
  int top = lua_gettop(L);
  if (top >= 4 && top <= 5) {
    cp_raw_call c;
    cp_array *arrays[CP_MAX_RAW_PARAMS];
    lua_settop(L, 5);
    const recipe *r = prepare(L, &c, arrays);
    if (r != NULL)
      return cp_raw_launch_with(L, r->kernel, &c,
                                (cp_raw_values){VALUES, lua_gettop(L) - VALUES + 1, r->count, arrays});
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

// What the value at index is.
static wanted wanted_of(lua_State *L, int index) {
  wanted w = {0};
  const cp_array *x = cp_test_array(L, index);
  w.array = x != NULL;
  if (w.array)
    w.layout = cp_jit_layout_of(x);
  else
    w.length = (size_t)cp_jit_key(L, index, w.key);
  return w;
}

static void read_arguments(lua_State *L, int index, recipe *r) {
  for (int k = 0; k < r->count; k++) {
    lua_rawgeti(L, index, k + 1);
    r->arguments[k] = wanted_of(L, lua_gettop(L));
    lua_pop(L, 1);
  }
}

// Reads the upvalues in the list at index; their functions and values go to the list on top.
static void read_upvalues(lua_State *L, int index, recipe *r) {
  int list = lua_gettop(L);
  r->nreads = (int)lua_rawlen(L, index);
  luaL_argcheck(L, r->nreads <= CP_MAX_RAW_PARAMS, index, "too many values");
  if (r->nreads > 0) cp_jit_check_reading(L); // calls do not ask again
  for (int k = 0; k < r->nreads; k++) {
    upvalue *u = &r->reads[k];
    lua_rawgeti(L, index, k + 1);
    u->number = field(L, "number");
    lua_getfield(L, -1, "taken");
    u->taken = lua_toboolean(L, -1) != 0;
    lua_getfield(L, -2, "value");
    u->wanted = wanted_of(L, lua_gettop(L));
    lua_rawseti(L, list, FIRST + 2 * k + 1);
    lua_getfield(L, -2, "object");
    lua_rawseti(L, list, FIRST + 2 * k);
    lua_pop(L, 2);
  }
}

// core.jit_recipe(kernel, arguments, count, extents {{parameter, what, axis}}, reads {{object, number, taken,
// value}}): the list by which calls of this kind are made again.
static int new_recipe(lua_State *L) {
  lua_settop(L, 5);
  cp_raw_kernel *kernel = cp_test_object(L, 1, CP_KIND_RAW_KERNEL);
  luaL_argcheck(L, kernel != NULL && kernel->state != NULL, 1, "not a raw kernel");
  luaL_checktype(L, 2, LUA_TTABLE);
  int count = (int)luaL_checkinteger(L, 3);
  luaL_argcheck(L, count >= 0 && count <= CP_MAX_RAW_PARAMS, 3, "too many arguments");
  luaL_checktype(L, 4, LUA_TTABLE);
  luaL_checktype(L, 5, LUA_TTABLE);
  lua_newtable(L);
  recipe *r = cp_newuserdata(L, sizeof *r);
  lua_insert(L, -2);
  *r = (recipe){.kernel = kernel, .count = count};
  read_arguments(L, 2, r);
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
