// Converts numbers, booleans and single typed values between Lua and C. A value in C is a cp_scalar of the
// core; promotion depends on the state's default dtype.
#ifndef CP_LUA_VALUES_SCALAR_H
#define CP_LUA_VALUES_SCALAR_H

#include "lua/state/state.h"

// Whether the value at index is a whole number that fits into int64, which it stores in *v. LuaJIT's 64-bit
// cdata and integers of cp.scalar count, too.
bool cp_to_integer(lua_State *L, int index, int64_t *v);
// Gives the address that a cdata of LuaJIT stands for: a pointer, an array or a 64-bit integer. Returns false
// for anything else.
bool cp_cdata_to_address(lua_State *L, int index, int64_t *v);
// Gives the integer in a 64-bit cdata of LuaJIT if it fits into int64.
bool cp_cdata_to_integer(lua_State *L, int index, int64_t *v);
// Does what cp_to_integer does, except for cp.scalar, for a caller that knows the value's type (lua_type).
static inline bool cp_is_integer_of(lua_State *L, int type, int index, int64_t *v) {
  if (type != LUA_TNUMBER) return type == CP_LUA_TCDATA && cp_cdata_to_integer(L, index, v);
#if LUA_VERSION_NUM >= 503
  int whole;
  *v = (int64_t)lua_tointegerx(L, index, &whole);
  return whole != 0;
#else
  double d = lua_tonumber(L, index);
  if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0)) return false;
  *v = (int64_t)d;
  return (double)*v == d;
#endif
}

// A userdata with one typed value: cp.complex, which is weak in promotion, or cp.scalar, which is not.
typedef struct cp_boxed {
  cp_scalar s;
  bool weak;
} cp_boxed;
cp_boxed *cp_test_boxed(lua_State *L, int index);
void cp_push_boxed(lua_State *L, cp_scalar s, bool weak);
// Pushes a value as Lua sees it: a number, a boolean or a cp.complex. A 64-bit integer that no number of this
// Lua holds becomes a cdata in LuaJIT and the nearest floating-point number elsewhere.
void cp_push_scalar(lua_State *L, cp_scalar s);
// Reads a Lua number, boolean, boxed value or 64-bit cdata; returns false for any other value. *kind: 'b' for
// a boolean, 'i' for a whole number (int64 or uint64, as the dtype says), 'f' for other numbers, 'c' for
// complex ones. *weak: false for cp.scalar.
bool cp_to_scalar(lua_State *L, int index, cp_scalar *s, char *kind, bool *weak);
// The dtype of an array made of such a value alone.
static inline cp_dtype cp_dtype_alone(lua_State *L, cp_scalar s, char kind, bool weak) {
  return weak ? cp_weak_dtype(cp_weak_of(kind), CP_NDTYPES, cp_state_get(L)->default_dtype) : s.dtype;
}
// Does what cp_to_scalar does for a value that is known to be a Lua number.
void cp_number_to_scalar(lua_State *L, int index, cp_scalar *s, char *kind);

#endif
