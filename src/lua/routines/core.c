// Functions of the table `core`, which only the Lua side uses: checks of arguments, operations and writes in
// the name of a public function, dtypes. Checks take (value, where, argument): `where` is the public
// function's name and `argument` that of its argument, for error messages.
#include "lua/state/module.h"

#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/convert.h"
#include "lua/conversion/take.h"
#include "lua/elementwise/ufunc.h"
#include "lua/state/current_device.h"
#include "lua/state/depth.h"
#include "lua/values/handle.h"
#include "lua/values/shape.h"

#include "rules/apply.h"
#include <string.h>

// ---- arguments --------------------------------------------------------------------------------------------

// core.as_array(value, where, argument[, other]): the value as an array. Tables and numbers become arrays on
// the device of `other` if that is an array, else on the current device.
static int as_array(lua_State *L) {
  cp_take_beside(L, 1, luaL_checkstring(L, 2), luaL_checkstring(L, 3), lua_gettop(L) > 3 ? 4 : 0);
  lua_pushvalue(L, 1);
  return 1;
}

// core.pair(where, in1, in2): returns both values as arrays (tables and numbers of in2 go to the device of
// in1), whether they have the same number of axes and, if their dtypes differ, the dtype to convert both to.
static int pair(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 3);
  const cp_array *a = cp_take_beside(L, 2, where, "in1", 0), *b = cp_take_beside(L, 3, where, "in2", 2);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_pushboolean(L, a->ndim == b->ndim);
  if (a->dtype == b->dtype) return 3;
  lua_pushstring(L, cp_dtypes[cp_promote(a->dtype, b->dtype)].name);
  return 4;
}

// core.proxy(meta): an object without fields, all of whose behaviour is that of the metatable. Unlike a table
// it has no elements of its own under LuaJIT's # and ipairs.
static int proxy(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  cp_newuserdata(L, 0);
  lua_pushboolean(L, false);
  lua_setfield(L, 1, "__metatable");
  lua_pushvalue(L, 1);
  lua_setmetatable(L, 2);
  return 1;
}

// core.integer(value, where, argument[, missing[, least, most]]): the whole number, or `missing` for nil. In
// LuaJIT it is a number, never cdata, since callers compute with it.
static int integer(lua_State *L) {
  const char *where = luaL_checkstring(L, 2), *argument = luaL_checkstring(L, 3);
  if (lua_isnil(L, 1) && !lua_isnoneornil(L, 4)) {
    lua_pushvalue(L, 4);
    return 1;
  }
  int64_t v = cp_arg_integer(L, 1, where, argument);
  if (!lua_isnoneornil(L, 5)) {
    int64_t least = luaL_checkinteger(L, 5), most = luaL_checkinteger(L, 6);
    if (v < least || v > most)
      return cp_raise(L, where, CP_EUSAGE, "%s must be from %lld to %lld, but is %lld", argument,
                      (long long)least, (long long)most, (long long)v);
  }
#if LUA_VERSION_NUM >= 503
  lua_pushinteger(L, (lua_Integer)v);
#else
  lua_pushnumber(L, (lua_Number)v);
#endif
  return 1;
}

// core.bits_of(value, where, argument): the binary digits of the value's magnitude as text, lowest first and
// empty for 0, and whether the value is negative. Covers all 64 bits even where Lua's own numbers have 53.
static int bits_of(lua_State *L) {
  char digits[64];
  size_t n = 0;
  const int64_t v = cp_arg_integer(L, 1, luaL_checkstring(L, 2), luaL_checkstring(L, 3));
  for (uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v; size != 0; size >>= 1)
    digits[n++] = (char)('0' + (size & 1));
  lua_pushlstring(L, digits, n);
  lua_pushboolean(L, v < 0);
  return 2;
}

// core.check_interrupt(where): raises an error if the host ends the running call. Loops of the Lua side that
// may run long call it.
static int check_interrupt(lua_State *L) {
  cp_check_interrupt(L, luaL_checkstring(L, 1));
  return 0;
}

// core.boolean(value, where, argument, missing): the boolean, or `missing` for nil.
static int boolean(lua_State *L) {
  lua_pushboolean(
      L, cp_arg_boolean_or(L, 1, luaL_checkstring(L, 2), luaL_checkstring(L, 3), lua_toboolean(L, 4)));
  return 1;
}

// core.axis(value, where, argument, ndim[, missing]): the axis, counted from 1.
static int axis(lua_State *L) {
  const char *where = luaL_checkstring(L, 2), *argument = luaL_checkstring(L, 3);
  int64_t ndim = cp_arg_integer(L, 4, where, "ndim");
  cp_demand(L, where, ndim >= 0 && ndim <= 2 * CP_MAXDIM, "ndim must be a number of axes");
  if (lua_isnil(L, 1) && !lua_isnoneornil(L, 5))
    lua_pushvalue(L, 5);
  else
    lua_pushinteger(L, cp_arg_axis(L, 1, where, argument, (int)ndim) + 1);
  return 1;
}

// core.shape(value, where, argument): a table with the metatable of shapes.
static int shape(lua_State *L) {
  int64_t lengths[CP_MAXDIM];
  int ndim = cp_arg_shape(L, 1, luaL_checkstring(L, 2), luaL_checkstring(L, 3), lengths);
  cp_push_shape(L, ndim, lengths);
  return 1;
}

// core.size(where, shape): the number of elements of a shape given as an argument.
static int size(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  int64_t lengths[CP_MAXDIM], n;
  int ndim = cp_arg_shape(L, 2, where, "shape", lengths);
  CP_CHECK(L, where, cp_shape_size(ndim, lengths, 1, &n));
  cp_push_scalar(L, cp_scalar_int(n, CP_INT64));
  return 1;
}

// core.length(where, a, b...): a + b + ..., the length of a result that arguments ask for, as a number in
// every Lua.
static int length(lua_State *L) {
  const int64_t most = (int64_t)1 << 53;
  const char *where = luaL_checkstring(L, 1);
  int64_t sum = 0, v;
  bool fits = true;
  for (int k = 2; k <= lua_gettop(L) && fits; k++)
    fits = cp_to_integer(L, k, &v) && v >= 0 && v <= most && (sum += v) <= most;
  if (!fits) return cp_raise(L, where, CP_ESHAPE, "the result would have more elements than fit into memory");
  cp_push_scalar(L, cp_scalar_int(sum, CP_INT64));
  return 1;
}

// core.is_scalar(value): whether it is a number, boolean, cp.complex, cp.scalar or 64-bit cdata.
static int is_scalar(lua_State *L) {
  cp_scalar s;
  char kind;
  bool weak;
  lua_pushboolean(L, cp_to_scalar(L, 1, &s, &kind, &weak));
  return 1;
}

// core.is_callable(value): whether it is a function, or a value that can be called like one.
static int is_callable(lua_State *L) {
  lua_pushboolean(L, cp_is_callable(L, 1));
  return 1;
}

// core.check_callable(value, where, argument): raises an error if the value cannot be called, or the stack
// has no room for what it may do. Returns whether it is a C function.
static int check_callable(lua_State *L) {
  const char *where = luaL_checkstring(L, 2), *argument = luaL_checkstring(L, 3);
  if (!cp_is_callable(L, 1))
    return cp_raise(L, where, CP_EUSAGE, "%s must be a function, not %s", argument,
                    lua_isnoneornil(L, 1) ? "nil (missing)" : luaL_typename(L, 1));
  cp_check_depth(L, where);
  lua_pushboolean(L, lua_iscfunction(L, 1));
  return 1;
}

// ---- operations and writing -------------------------------------------------------------------------------

// Which loops a SciPy function has. SciPy tries them in order and takes the first one that fits the operands'
// dtypes exactly, else the first one to which all can be cast safely. cupola's table of operations has all of
// these loops, so only the dtype to compute in follows SciPy.
typedef enum special_loops {
  LOOPS_TABLE,  // NumPy's rule, which the table of operations has
  LOOPS_DOUBLE, // float64, float32: everything but float32 and bfloat16 is computed in float64
  LOOPS_SINGLE, // float32, float64: half types and small integers are computed in float32
  LOOPS_ORDER   // float64 if the first operand is an integer, else as LOOPS_SINGLE
} special_loops;

static special_loops loops_at(lua_State *L, int slot) {
  static const char *const names[] = {"table", "double", "single", "order", NULL}; // ORDER special_loops
  return (special_loops)luaL_checkoption(L, slot, "table", names);
}

// The dtype of the value at `slot`, or CP_NDTYPES for a bare number, which adapts to any. A table is replaced
// by an array on the device of the array at slot `other`.
static cp_dtype strong_dtype(lua_State *L, int slot, const char *where, int other) {
  const cp_boxed *b = cp_test_boxed(L, slot);
  if (b != NULL) return b->s.dtype;
  if (cp_test_array(L, slot) == NULL && !lua_istable(L, slot)) return CP_NDTYPES;
  return cp_take_beside(L, slot, where, "x", other)->dtype;
}

// The dtype in which a function with these loops computes the values at first..first+n-1, or CP_NDTYPES to
// leave it to the table of operations.
static cp_dtype dtype_of_loops(lua_State *L, special_loops loops, const char *where, int first, int n) {
  bool any = false, single = true;
  int other = 0;
  if (loops == LOOPS_TABLE) return CP_NDTYPES;
  for (int k = n - 1; k >= 0; k--)
    if (cp_test_array(L, first + k) != NULL) other = first + k;
  for (int k = 0; k < n; k++) {
    cp_dtype t = strong_dtype(L, first + k, where, other);
    if (t == CP_NDTYPES) continue;
    if (cp_is_complex(t)) return CP_NDTYPES;
    any = true;
    if (loops == LOOPS_DOUBLE)
      single = single && (t == CP_FLOAT32 || t == CP_BFLOAT16);
    else
      single = single && cp_can_cast(t, CP_FLOAT32, CP_CAST_SAFE);
    if (loops == LOOPS_ORDER && k == 0 && (cp_is_integer(t) || t == CP_BOOL)) single = false;
  }
  return !any ? CP_NDTYPES : single ? CP_FLOAT32 : CP_FLOAT64;
}

// core.dtype_of_loops(where, loops, ...): the name of that dtype for these values, or nil to leave it to the
// table of operations.
static int push_dtype_of_loops(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_dtype t = dtype_of_loops(L, loops_at(L, 2), where, 3, lua_gettop(L) - 2);
  if (t == CP_NDTYPES)
    lua_pushnil(L);
  else
    lua_pushstring(L, cp_dtypes[t].name);
  return 1;
}

// Upvalues: the public name, the operation, the loops. Arguments: the operands, then out or nil.
static int call_operation(lua_State *L) {
  static const char *const names[] = {"x", "out"}, *const names2[] = {"x1", "x2", "out"},
                           *const names3[] = {"x1", "x2", "x3", "out"},
                           *const names4[] = {"x1", "x2", "x3", "x4", "out"};
  static const char *const *const by_arity[] = {names, names2, names3, names4};
  cp_op op = (cp_op)lua_tointeger(L, lua_upvalueindex(2));
  int arity = cp_ops[op].arity;
  cp_signature s = {lua_tostring(L, lua_upvalueindex(1)), by_arity[arity - 1], arity + 1, arity};
  cp_arguments(L, &s);
  cp_dtype dtype = dtype_of_loops(L, (special_loops)lua_tointeger(L, lua_upvalueindex(3)), s.where, 1, arity);
  return cp_elementwise(L, s.where, op, 1, lua_isnil(L, arity + 1) ? 0 : arity + 1, dtype);
}

// core.operation(where, name[, loops]): a function that applies the elementwise operation `name` in the dtype
// of these loops. Its errors name `where`.
static int operation(lua_State *L) {
  const char *name = luaL_checkstring(L, 2);
  special_loops loops = loops_at(L, 3);
  luaL_checkstring(L, 1);
  for (cp_op op = (cp_op)0; op < CP_OP_cast; op++) {
    if (strcmp(cp_ops[op].name, name) != 0) continue;
    lua_pushvalue(L, 1);
    lua_pushinteger(L, (lua_Integer)op);
    lua_pushinteger(L, (lua_Integer)loops);
    lua_pushcclosure(L, call_operation, 3);
    return 1;
  }
  return luaL_error(L, "no operation %s", name);
}

// core.write(where, target, value): target:assign(value), with errors that name `where`.
static int write_values(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array *target = cp_check_value(L, 2, where, "out");
  cp_assign_value(L, where, target, 3);
  lua_settop(L, 2);
  return 1;
}

// core.write_out(where, out, value[, elementwise[, any_dtype]]): writes the array `value` into an argument
// `out`, which must have the same shape or, if `elementwise`, one that `value` broadcasts to. any_dtype: cast
// as reductions do (cp_cast_for_out).
static int write_out(lua_State *L) {
  cp_node *root = NULL;
  const char *where = luaL_checkstring(L, 1);
  cp_array *target = cp_check_value(L, 2, where, "out"), *value = cp_take_value(L, 3, where, "result");
  cp_fitting how = lua_toboolean(L, 4) ? CP_BROADCASTS : CP_SAME_SHAPE;
  CP_CHECK(L, where, cp_array_node(value, &root));
  if (lua_toboolean(L, 5)) CP_CHECK(L, where, cp_cast_for_out(target, &root));
  CP_CHECK(L, where, cp_assign_out(&cp_state_get(L)->ctx, target, root, how));
  lua_settop(L, 2);
  return 1;
}

// ---- dtypes -----------------------------------------------------------------------------------------------

static int push_dtype(lua_State *L, cp_dtype t) {
  lua_pushstring(L, cp_dtypes[t].name);
  return 1;
}

// The dtype that the value at `slot` names or has: a name, an array or a typed scalar.
static cp_dtype dtype_at(lua_State *L, int slot, const char *where) {
  const cp_array *a = cp_test_array(L, slot);
  const cp_boxed *b = cp_test_boxed(L, slot);
  if (a != NULL) return a->dtype;
  if (b != NULL) return b->s.dtype;
  return cp_check_dtype(L, slot, where);
}

// core.dtype(value, where): the full name of the dtype that a name, array or typed scalar stands for.
static int dtype_name(lua_State *L) { return push_dtype(L, dtype_at(L, 1, luaL_checkstring(L, 2))); }

// core.kind(dtype): the letter of its kind, "b", "i", "u", "f" or "c".
static int dtype_kind(lua_State *L) {
  lua_pushlstring(L, &cp_dtypes[dtype_at(L, 1, "dtype")].kind, 1);
  return 1;
}

// core.floating(dtype), core.complexed(dtype), core.real_dtype(dtype): the related dtypes of base/dtype.h.
static int floating(lua_State *L) { return push_dtype(L, cp_floating(dtype_at(L, 1, "dtype"))); }
static int complexed(lua_State *L) { return push_dtype(L, cp_complexed(dtype_at(L, 1, "dtype"))); }
static int real_dtype(lua_State *L) { return push_dtype(L, cp_dtypes[dtype_at(L, 1, "dtype")].real); }

// cp.promote_types(type1, type2): the dtype to which both are converted.
CP_SIGNATURE(promote_types, 2, "type1", "type2");
static int promote_types(lua_State *L) {
  cp_arguments(L, &promote_types_signature);
  return push_dtype(L, cp_promote(dtype_at(L, 1, "promote_types"), dtype_at(L, 2, "promote_types")));
}

// cp.can_cast(from, to, casting = "safe"): whether the rule allows the cast; `from` may be an array. casting:
// "no", "equiv", "safe", "same_kind" or "unsafe".
static int can_cast(lua_State *L) {
  static const char *const names[] = {"from", "to", "casting"};
  static const cp_signature s = {"can_cast", names, 3, 2};
  cp_arguments(L, &s);
  cp_dtype from = dtype_at(L, 1, s.where), to = dtype_at(L, 2, s.where);
  lua_pushboolean(L, cp_can_cast(from, to, cp_arg_casting(L, 3, s.where, CP_CAST_SAFE)));
  return 1;
}

// core.check_cast(where, from, to, casting = "same_kind"): raises an error for a cast that the rule does not
// allow.
static int check_cast(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_dtype from = dtype_at(L, 2, where), to = dtype_at(L, 3, where);
  CP_CHECK(L, where, cp_check_cast(from, to, cp_arg_casting(L, 4, where, CP_CAST_SAME_KIND)));
  return 0;
}

// Adds value k of the list at stack slot `list` to `dtypes` if it is an array, dtype or typed number, and to
// `numbers` if it is a bare number. Returns false, adding nothing, if it is a table.
static bool add_value(lua_State *L, const char *where, int list, int k, cp_dtype_set *dtypes, int *numbers) {
  cp_scalar s;
  char kind;
  bool weak, table = cp_rawgeti(L, list, k) == LUA_TTABLE;
  if (cp_to_scalar(L, list + 1, &s, &kind, &weak) && weak)
    *numbers |= cp_weak_of(kind);
  else if (!table)
    *dtypes |= cp_set_of(dtype_at(L, list + 1, where));
  lua_settop(L, list);
  return !table;
}

// Adds value k of the list, a table, beside arrays of dtype `like`, as a table operand would follow that
// dtype.
static void add_table(lua_State *L, const char *where, int list, int k, cp_dtype like, cp_dtype_set *dtypes,
                      int *numbers) {
  cp_rawgeti(L, list, k);
  *numbers |= cp_push_operand_table(L, where, list + 1, like, 0, cp_current_device(L), dtypes);
  lua_settop(L, list);
}

// Pushes the name of the common dtype of the n values in the list on top. Tables come last, as they follow
// the others.
static int push_common(lua_State *L, const char *where, int n) {
  cp_dtype_set dtypes = 0;
  int numbers = 0, tables = 0, list = lua_gettop(L);
  if (n == 0) return cp_raise(L, where, CP_EUSAGE, "needs an array, dtype or number");
  for (int k = 1; k <= n; k++) tables += !add_value(L, where, list, k, &dtypes, &numbers);
  const cp_dtype like = cp_promote_all(dtypes);
  for (int k = 1; k <= n && tables > 0; k++) {
    bool table = cp_rawgeti(L, list, k) == LUA_TTABLE;
    lua_pop(L, 1);
    if (table) add_table(L, where, list, k, like, &dtypes, &numbers);
  }
  const cp_dtype t = cp_promote_all(dtypes);
  return push_dtype(L, numbers == 0 ? t : cp_weak_dtype(numbers, t, cp_state_get(L)->default_dtype));
}

// cp.result_type(...): the dtype to which an operation converts these arrays, dtypes, numbers and tables;
// bare numbers are weak.
static int result_type(lua_State *L) {
  int n = lua_gettop(L);
  lua_createtable(L, n, 0);
  lua_insert(L, 1);
  for (int k = n; k >= 1; k--) lua_rawseti(L, 1, k);
  return push_common(L, "result_type", n);
}

// core.common_dtype(where, list): cp.result_type of the values in a table.
static int common_dtype(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_demand(L, where, lua_istable(L, 2), "the values must be a table");
  lua_settop(L, 2);
  return push_common(L, where, (int)lua_rawlen(L, 2));
}

// Pushes an integer value as a Lua number or cdata, or as cp.scalar where those cannot hold it exactly.
static void push_exactly(lua_State *L, cp_scalar s) {
  cp_scalar back;
  char kind;
  bool weak;
  cp_push_scalar(L, s);
  if (cp_to_scalar(L, -1, &back, &kind, &weak) && cp_is_integer(back.dtype) &&
      cp_scalar_cast(back, s.dtype).v.u == s.v.u)
    return;
  lua_pop(L, 1);
  cp_push_boxed(L, s, false);
}

// core.integer_bounds(dtype): the lowest and the highest value.
static int integer_bounds(lua_State *L) {
  cp_dtype t = dtype_at(L, 1, "iinfo");
  int bits = (int)cp_itemsize(t) * 8;
  if (!cp_is_integer(t))
    return cp_raise(L, "iinfo", CP_EDTYPE, "needs an integer dtype, not %s", cp_dtypes[t].name);
  bool from_zero = cp_is_unsigned(t);
  uint64_t highest = UINT64_MAX >> (64 - bits + !from_zero);
  push_exactly(L, cp_scalar_int(from_zero ? 0 : -(int64_t)highest - 1, t));
  push_exactly(L, cp_scalar_int((int64_t)highest, t));
  return 2;
}

void cp_open_core(lua_State *L) {
  static const luaL_Reg core[] = {{"as_array", as_array},
                                  {"pair", pair},
                                  {"integer", integer},
                                  {"bits_of", bits_of},
                                  {"check_interrupt", check_interrupt},
                                  {"boolean", boolean},
                                  {"proxy", proxy},
                                  {"check_cast", check_cast},
                                  {"axis", axis},
                                  {"shape", shape},
                                  {"size", size},
                                  {"length", length},
                                  {"is_scalar", is_scalar},
                                  {"is_callable", is_callable},
                                  {"check_callable", check_callable},
                                  {"operation", operation},
                                  {"dtype_of_loops", push_dtype_of_loops},
                                  {"write", write_values},
                                  {"write_out", write_out},
                                  {"dtype", dtype_name},
                                  {"kind", dtype_kind},
                                  {"common_dtype", common_dtype},
                                  {"floating", floating},
                                  {"complexed", complexed},
                                  {"real_dtype", real_dtype},
                                  {"integer_bounds", integer_bounds},
                                  {NULL, NULL}};
  static const luaL_Reg cp[] = {
      {"promote_types", promote_types}, {"can_cast", can_cast}, {"result_type", result_type}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
  cp_put_functions(L, 2, cp);
}
