// Shapes as Lua sees them: tables of whole numbers, with a metatable by which they are printed, compared and
// joined with strings.
#include "lua/values/shape.h"
#include "lua/state/depth.h"
#include "lua/state/error.h"
#include "lua/values/handle.h"
#include "lua/values/scalar.h"

static const char shape_key = 0; // registry: the metatable of shapes

// Pushes a length or a stride, which is nearly always a number in every Lua.
static void push_whole(lua_State *L, int64_t v) {
  const int64_t most = (int64_t)1 << 53;
  if (v > -most && v < most)
    lua_pushinteger(L, (lua_Integer)v);
  else
    cp_push_scalar(L, cp_scalar_int(v, CP_INT64));
}

void cp_push_shape(lua_State *L, int ndim, const int64_t *shape) {
  lua_createtable(L, ndim, 0);
  for (int d = 0; d < ndim; d++) {
    push_whole(L, shape[d]);
    lua_rawseti(L, -2, d + 1);
  }
  lua_rawgetp(L, LUA_REGISTRYINDEX, &shape_key);
  lua_setmetatable(L, -2);
}

// Reads the whole numbers of a table; returns how many there are, or -1 if there are more than CP_MAXDIM or
// other values.
static int read_shape(lua_State *L, int index, int64_t *shape) {
  if (!lua_istable(L, index)) return -1;
  int n = (int)lua_rawlen(L, index);
  if (n > CP_MAXDIM) return -1;
  for (int d = 0; d < n; d++) {
    lua_rawgeti(L, index, d + 1);
    bool whole = cp_to_integer(L, -1, &shape[d]);
    lua_pop(L, 1);
    if (!whole) return -1;
  }
  return n;
}

static int shape_text(lua_State *L) {
  int64_t shape[CP_MAXDIM];
  char text[CP_SHAPE_TEXT];
  int n = read_shape(L, 1, shape);
  lua_pushstring(L, n < 0 ? "(?)" : cp_shape_text(n, shape, text));
  return 1;
}

static bool is_shape(lua_State *L, int index) {
  if (!lua_getmetatable(L, index)) return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &shape_key);
  bool same = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return same;
}

// Lua 5.4 calls this for a shape and any other table, LuaJIT for two shapes only: there a shape never equals
// a plain table, so that comparison is an error where it can be one.
static int shape_equal(lua_State *L) {
  if (!is_shape(L, 1) || !is_shape(L, 2))
    return cp_raise(L, "shape", CP_EUSAGE,
                    "== compares two shapes, and under LuaJIT a shape never equals another table; "
                    "use x:has_shape(...)");
  int64_t a[CP_MAXDIM], b[CP_MAXDIM];
  int na = read_shape(L, 1, a), nb = read_shape(L, 2, b);
  lua_pushboolean(L, na >= 0 && nb >= 0 && cp_shape_equal(na, a, nb, b));
  return 1;
}

// LuaJIT crashes if lua_concat has to call a metamethod, so this calls __tostring and makes sure that it
// returned text.
void cp_push_joinable(lua_State *L, int index, const char *what) {
  if (lua_isstring(L, index)) {
    lua_pushvalue(L, index);
    return;
  }
  if (!luaL_getmetafield(L, index, "__tostring"))
    cp_raise(L, "concat", CP_EUSAGE, "cannot join the text of %s with %s", what, luaL_typename(L, index));
  lua_pushvalue(L, index);
  cp_call(L, "concat", 1, 1);
  if (!lua_isstring(L, -1))
    cp_raise(L, "concat", CP_EUSAGE, "cannot join the text of %s with a %s whose __tostring gives a %s", what,
             luaL_typename(L, index), luaL_typename(L, -1));
}

static int shape_call(lua_State *L) {
  return cp_raise(L, "shape", CP_EUSAGE, "shape and strides are fields: write x.shape, not x:shape()");
}

static int shape_concat(lua_State *L) {
  lua_settop(L, 2);
  for (int k = 1; k <= 2; k++) cp_push_joinable(L, k, "a shape");
  lua_concat(L, 2);
  return 1;
}

// core.extent(x, axis): the length of the array along an axis, from 1, or from the end if it is negative;
// nothing for an axis that x has not. Unlike x.shape[axis] this makes no table.
static int extent(lua_State *L) {
  const cp_array *x = cp_test_array(L, 1);
  const lua_Integer axis = luaL_checkinteger(L, 2);
  if (x == NULL) return luaL_error(L, "core.extent takes an array");
  const lua_Integer d = axis < 0 ? axis + x->ndim : axis - 1;
  if (d < 0 || d >= x->ndim) return 0;
  push_whole(L, x->shape[d]);
  return 1;
}

// core.same_shape(a, b[, except]): whether two arrays have one shape, but for the length of the axis
// `except`, from 1, if it is given.
static int same_shape(lua_State *L) {
  const cp_array *a = cp_test_array(L, 1), *b = cp_test_array(L, 2);
  const lua_Integer except = luaL_optinteger(L, 3, 0);
  if (a == NULL || b == NULL) return luaL_error(L, "core.same_shape takes arrays");
  bool same = a->ndim == b->ndim;
  for (int d = 0; d < a->ndim && same; d++) same = d + 1 == except || a->shape[d] == b->shape[d];
  lua_pushboolean(L, same);
  return 1;
}

void cp_open_shape(lua_State *L) {
  static const luaL_Reg core[] = {{"extent", extent}, {"same_shape", same_shape}, {NULL, NULL}};
  static const luaL_Reg shape[] = {{"__tostring", shape_text},
                                   {"__eq", shape_equal},
                                   {"__concat", shape_concat},
                                   {"__call", shape_call},
                                   {NULL, NULL}};
  lua_createtable(L, 0, 4);
  cp_put_functions(L, -1, shape);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &shape_key);
  cp_put_functions(L, 1, core);
}
