// What kernels that run as Lua text (lua/cupola/jit/luatext) call: operations of kernels/ops.def,
// conversions, shifts and exact comparisons of single values, by the loops of the CPU device, so that the
// bits are those of arrays.
//
// A value is a boolean, a float, a cp.complex or an integer. Lua 5.4 holds int64 and uint64 as integers of
// the same 64 bits. LuaJIT holds what is at most 2^53 as a number and the rest as a cdata; without its ffi
// library such integers are errors. Each function takes the types that its closure was made for, and
// converts whatever else it gets, so wrong values do no harm.
#include "lua/kernels/jit.h"
#include "lua/loading/libraries.h"
#include "lua/state/capability.h"
#include "lua/state/error.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"
#include "lua/values/scalar.h"

#include "array/array.h"
#include "cpu/loops/loops.h"
#include "plan/function.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- values -----------------------------------------------------------------------------------------------

static cp_scalar read_integer(lua_State *L, int index, cp_dtype t) {
  cp_scalar s = cp_scalar_int(0, CP_INT64);
  char kind;
  bool weak;
  if (lua_type(L, index) == LUA_TNUMBER) {
#if LUA_VERSION_NUM >= 503
    int whole;
    s.v.i = (int64_t)lua_tointegerx(L, index, &whole);
    if (!whole) s = cp_scalar_cast(cp_scalar_float(cp_todouble(L, index), CP_FLOAT64), t);
#else
    double d = lua_tonumber(L, index);
    if (d >= -9223372036854775808.0 && d < 9223372036854775808.0)
      s.v.i = (int64_t)d;
    else
      s = cp_scalar_cast(cp_scalar_float(cp_todouble(L, index), CP_FLOAT64), t);
#endif
  } else if (!cp_to_scalar(L, index, &s, &kind, &weak)) {
    luaL_argerror(L, index, "no integer");
  }
  return cp_scalar_cast(s, t);
}

static cp_scalar read_value(lua_State *L, int index, cp_dtype t) {
  cp_scalar s;
  char kind;
  bool weak;
  if (t == CP_BOOL) return cp_scalar_int(lua_toboolean(L, index), CP_BOOL);
  if (cp_is_integer(t)) return read_integer(L, index, t);
  if (cp_is_float(t) && lua_type(L, index) == LUA_TNUMBER)
    return cp_scalar_cast(cp_scalar_float(cp_todouble(L, index), CP_FLOAT64), t);
  if (!cp_to_scalar(L, index, &s, &kind, &weak)) luaL_argerror(L, index, "no number");
  return cp_scalar_cast(s, t);
}

static int push_value(lua_State *L, cp_scalar s) {
#if LUA_VERSION_NUM >= 503
  if (s.dtype == CP_UINT64) s.dtype = CP_INT64; // the same bits
  cp_push_scalar(L, s);
#else
  cp_push_scalar(L, s);
  bool wide = s.dtype == CP_INT64 || s.dtype == CP_UINT64;
  if (wide && lua_type(L, -1) == LUA_TNUMBER && fabs(lua_tonumber(L, -1)) > 9007199254740992.0)
    return luaL_error(L, "an integer beyond 2^53, which this Lua cannot hold: LuaJIT needs its ffi library");
#endif
  return 1;
}

// Pushes what a loop wrote: a value of dtype t in its register format.
static int push_register(lua_State *L, const void *p, cp_dtype t) {
  float f;
  if (!cp_is_half(t)) return push_value(L, cp_scalar_load(p, t));
  memcpy(&f, p, sizeof f);
  lua_pushnumber(L, (double)f);
  return 1;
}

// A value in register format; complex128 is the largest.
typedef struct word {
  _Alignas(64) char bytes[64];
} word;

static cp_dtype check_dtype(lua_State *L, int index) {
  cp_dtype t = cp_dtype_from_name(luaL_checkstring(L, index));
  luaL_argcheck(L, t < CP_NDTYPES, index, "no dtype");
  return t;
}

// The number that a closure keeps: up to three small ones. A script may have replaced it by debug.setupvalue,
// so its users check it.
static void push_closure(lua_State *L, lua_CFunction f, int a, int b, int c) {
  lua_pushinteger(L, (lua_Integer)a * 65536 + b * 256 + c);
  lua_pushcclosure(L, f, 1);
}

static void read_closure(lua_State *L, int *a, int *b, int *c) {
  int64_t code = 0;
  if (!cp_to_integer(L, lua_upvalueindex(1), &code) || code < 0 || code >= (int64_t)CP_NOPS * 65536)
    luaL_error(L, "no operation");
  *a = (int)(code / 65536);
  *b = (int)(code / 256 % 256);
  *c = (int)(code % 256);
}

// ---- operations and conversions ---------------------------------------------------------------------------

static cp_loop *find_loop(int op, int loop) {
  bool known = op < CP_OP_cast && loop < CP_NDTYPES;
  return known ? cp_cpu_loops(cp_loop_dtype((cp_dtype)loop))->ops[op] : NULL;
}

static int apply(lua_State *L) {
  int op, loop, unused;
  word in[CP_MAX_ARGS], out;
  const void *pointers[CP_MAX_ARGS];
  read_closure(L, &op, &loop, &unused);
  cp_loop *run = find_loop(op, loop);
  if (run == NULL) return luaL_error(L, "no operation");
  for (int k = 0; k < cp_ops[op].arity; k++) {
    cp_scalar_register(read_value(L, k + 1, cp_op_arg_dtype((cp_op)op, (cp_dtype)loop, k)), in[k].bytes);
    pointers[k] = in[k].bytes;
  }
  run(out.bytes, pointers, 1);
  cp_dtype result = cp_op_result_dtype((cp_op)op, (cp_dtype)loop);
  pointers[0] = out.bytes;
  if (cp_is_half(result)) cp_cpu_loops(CP_FLOAT32)->casts[result](out.bytes, pointers, 1);
  return push_register(L, out.bytes, result);
}

// core.jit_operation(name, loop): a function of the operation's operands, computed in the loop dtype.
static int operation(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  cp_dtype loop = check_dtype(L, 2);
  int op = (int)cp_op_from_name(name);
  luaL_argcheck(L, op < CP_OP_cast, 1, "no operation");
  luaL_argcheck(L, find_loop(op, (int)loop) != NULL, 2, "no loop of this dtype");
  push_closure(L, apply, op, (int)loop, 0);
  return 1;
}

static int convert(lua_State *L) {
  int unused, from, to;
  word in, out;
  const void *pointer = in.bytes;
  read_closure(L, &unused, &from, &to);
  if (from >= CP_NDTYPES || to >= CP_NDTYPES) return luaL_error(L, "no dtype");
  cp_scalar_register(read_value(L, 1, (cp_dtype)from), in.bytes);
  cp_cpu_loops(cp_loop_dtype((cp_dtype)from))->casts[to](out.bytes, &pointer, 1);
  return push_register(L, out.bytes, (cp_dtype)to);
}

// core.jit_conversion(from, to): a function that converts a value between dtypes, as x:astype does.
static int conversion(lua_State *L) {
  push_closure(L, convert, 0, (int)check_dtype(L, 1), (int)check_dtype(L, 2));
  return 1;
}

// core.jit_round(v): v rounded to float32.
static int round_float(lua_State *L) {
  lua_pushnumber(L, (lua_Number)(float)luaL_checknumber(L, 1));
  return 1;
}

// core.jit_value(v, dtype): a number, boolean or typed scalar as a value of the dtype; nil for others.
static int value(lua_State *L) {
  cp_dtype t = check_dtype(L, 2);
  cp_scalar s;
  char kind;
  bool weak;
  if (!cp_to_scalar(L, 1, &s, &kind, &weak)) return 0;
  return push_value(L, cp_scalar_cast(s, t));
}

// core.jit_integer(text, dtype): the integer of a decimal or hexadecimal literal, which wraps.
static int integer_of_text(lua_State *L) {
  const char *p = luaL_checkstring(L, 1);
  cp_dtype t = check_dtype(L, 2);
  bool negative = *p == '-';
  p += negative;
  const bool hexadecimal = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
  uint64_t bits = 0;
  for (p += hexadecimal ? 2 : 0; *p != '\0'; p++) {
    const unsigned digit = *p <= '9' ? (unsigned)(*p - '0') : (unsigned)((*p | 32) - 'a' + 10);
    bits = bits * (hexadecimal ? 16 : 10) + digit;
  }
  cp_scalar s = cp_scalar_int((int64_t)(negative ? 0 - bits : bits), CP_INT64);
  return push_value(L, cp_scalar_cast(s, t));
}

// ---- shifts -----------------------------------------------------------------------------------------------

enum { LEFT, RIGHT, ARITHMETIC, SHIFTS };

static int64_t shifted(int kind, cp_scalar a, cp_dtype t, int64_t n) {
  const int width = (int)cp_itemsize(t) * 8;
  const uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
  const uint64_t bits = a.v.u & mask;
  n = n > 127 ? 127 : n < -127 ? -127 : n;
  if (kind == ARITHMETIC && n >= 0)
    return cp_is_unsigned(t) ? (n >= width ? 0 : (int64_t)(bits >> n))
                             : a.v.i >> (n > width - 1 ? width - 1 : n);
  if (kind != LEFT) n = -n;
  if (n <= -width || n >= width) return 0;
  return (int64_t)(n >= 0 ? bits << n : bits >> -n);
}

static int shift(lua_State *L) {
  int kind, dtype, count;
  read_closure(L, &kind, &dtype, &count);
  if (kind >= SHIFTS || !cp_is_integer((cp_dtype)dtype) || dtype >= CP_NDTYPES)
    return luaL_error(L, "no shift");
  cp_dtype t = (cp_dtype)dtype;
  cp_scalar n = read_value(L, 2, count ? CP_UINT64 : CP_INT64);
  int64_t by = count && n.v.u > 127 ? 127 : n.v.i;
  int64_t bits = shifted(kind, read_value(L, 1, t), t, by);
  return push_value(L, cp_scalar_cast(cp_scalar_int(bits, CP_INT64), t));
}

// core.jit_shift("shl", "shr" or "sar", dtype, unsigned): a function of a value of the dtype and a count,
// which is int64, or uint64 if `unsigned`.
static int make_shift(lua_State *L) {
  static const char *const names[] = {"shl", "shr", "sar", NULL};
  int kind = luaL_checkoption(L, 1, NULL, names);
  cp_dtype t = check_dtype(L, 2);
  luaL_argcheck(L, cp_is_integer(t), 2, "no integers");
  push_closure(L, shift, kind, (int)t, lua_toboolean(L, 3));
  return 1;
}

// ---- comparisons by value ---------------------------------------------------------------------------------

static const char *const orders[] = {"<", "<=", ">", ">=", "==", "!=", NULL};

// -1, 0 or 1 as an integer is less than, equal to or greater than a float; 2 where the float is nan.
static int order_with_float(cp_scalar a, double b) {
  const bool is_unsigned = cp_is_unsigned(a.dtype);
  if (isnan(b)) return 2;
  if (b >= (is_unsigned ? 18446744073709551616.0 : 9223372036854775808.0)) return -1;
  if (b < (is_unsigned ? 0.0 : -9223372036854775808.0)) return 1;
  const double whole = floor(b);
  cp_scalar s = cp_scalar_cast(cp_scalar_float(whole, CP_FLOAT64), a.dtype);
  const bool less = is_unsigned ? a.v.u < s.v.u : a.v.i < s.v.i, equal = a.v.u == s.v.u;
  return less ? -1 : equal ? (whole < b ? -1 : 0) : 1;
}

static int order_of(cp_scalar a, cp_scalar b) {
  const bool float_a = cp_is_float(a.dtype), float_b = cp_is_float(b.dtype);
  if (float_a && float_b) return a.v.f < b.v.f ? -1 : a.v.f > b.v.f ? 1 : a.v.f == b.v.f ? 0 : 2;
  if (float_b) return order_with_float(a, b.v.f);
  if (float_a) {
    int order = order_with_float(b, a.v.f);
    return order == 2 ? 2 : -order;
  }
  const bool low_a = !cp_is_unsigned(a.dtype) && a.v.i < 0, low_b = !cp_is_unsigned(b.dtype) && b.v.i < 0;
  if (low_a != low_b) return low_a ? -1 : 1;
  return a.v.u < b.v.u ? -1 : a.v.u > b.v.u;
}

static int compare(lua_State *L) {
  int sym, ta, tb;
  read_closure(L, &sym, &ta, &tb);
  if (ta >= CP_NDTYPES || tb >= CP_NDTYPES || cp_is_complex((cp_dtype)ta) || cp_is_complex((cp_dtype)tb))
    return luaL_error(L, "no comparison");
  int order = order_of(read_value(L, 1, (cp_dtype)ta), read_value(L, 2, (cp_dtype)tb));
  const bool results[] = {
      order == -1, order == -1 || order == 0, order == 1, order == 1 || order == 0, order == 0, order != 0};
  lua_pushboolean(L, sym >= 0 && sym < 6 && results[sym]);
  return 1;
}

// core.jit_comparison(sym, dtype of a, dtype of b): a function that compares real numbers by value.
static int comparison(lua_State *L) {
  int sym = luaL_checkoption(L, 1, NULL, orders);
  push_closure(L, compare, sym, (int)check_dtype(L, 2), (int)check_dtype(L, 3));
  return 1;
}

// ---- texts and arrays -------------------------------------------------------------------------------------

// core.jit_load(text, name): the main function of a chunk of text, which has no globals; nil and the message
// if it does not compile.
static int load_text(lua_State *L) {
  if (!cp_jit_load(L)) return lua_gettop(L) - 2;
  lua_newtable(L);
  cp_setenvironment(L, 3);
  lua_settop(L, 3);
  return 1;
}

// core.jit_place(x, y): whether two arrays share a storage, and the offset of y's first element in it, in
// bytes.
static int place(lua_State *L) {
  const cp_array *x = cp_test_array(L, 1), *y = cp_test_array(L, 2);
  luaL_argcheck(L, x != NULL, 1, "no array");
  luaL_argcheck(L, y != NULL, 2, "no array");
  lua_pushboolean(L, x->storage != NULL && x->storage == y->storage);
  lua_pushnumber(L, (lua_Number)y->offset);
  return 2;
}

// core.jit_setting(name): the value of the environment variable CUPOLA_JIT or CUPOLA_JIT_CHECK, or nil.
static int setting(lua_State *L) {
  static const char *const names[] = {"CUPOLA_JIT", "CUPOLA_JIT_CHECK", NULL};
  lua_pushstring(L, getenv(names[luaL_checkoption(L, 1, NULL, names)]));
  return 1;
}

void cp_open_jit_values(lua_State *L) {
  static const luaL_Reg core[] = {{"jit_operation", operation},
                                  {"jit_conversion", conversion},
                                  {"jit_round", round_float},
                                  {"jit_value", value},
                                  {"jit_shift", make_shift},
                                  {"jit_comparison", comparison},
                                  {"jit_integer", integer_of_text},
                                  {"jit_load", load_text},
                                  {"jit_place", place},
                                  {"jit_setting", setting},
                                  {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
