// Numbers, booleans and single typed values between Lua and C.
#ifndef CP_LUA_VALUES_SCALAR_H
#define CP_LUA_VALUES_SCALAR_H

#include "lua/state/state.h"

// Whether the value at index is a whole number (any Lua, LuaJIT's 64-bit cdata and integers of cp.scalar too); gives it.
bool cp_to_integer(lua_State *L, int index, int64_t *v);
// The address that LuaJIT's cdata stands for, a pointer, an array or a 64-bit integer; false for all else.
bool cp_cdata_to_address(lua_State *L, int index, int64_t *v);
// cp_to_integer but for cp.scalar, for a caller that knows the value's type.
bool cp_cdata_to_integer(lua_State *L, int index, int64_t *v);
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

// A userdata of one typed value: cp.complex (weak in promotion) and cp.scalar (strong).
typedef struct cp_boxed {
  cp_scalar s;
  bool weak;
} cp_boxed;
cp_boxed *cp_test_boxed(lua_State *L, int index);
void cp_push_boxed(lua_State *L, cp_scalar s, bool weak);
// Pushes a value as Lua sees it: number, boolean, cp.complex, 64-bit integers by API.md section 1.
void cp_push_scalar(lua_State *L, cp_scalar s);
// Reads a Lua number, boolean, boxed value or 64-bit cdata. *kind: 'b' boolean, 'i' whole number (int64 or uint64 by dtype), 'f' other number,
// 'c' complex. weak: false for cp.scalar. false when the value is none of these.
bool cp_to_scalar(lua_State *L, int index, cp_scalar *s, char *kind, bool *weak);
// The dtype of an array of such a value alone.
static inline cp_dtype cp_dtype_alone(lua_State *L, cp_scalar s, char kind, bool weak) {
  return weak ? cp_weak_dtype(cp_weak_of(kind), CP_NDTYPES, cp_state_get(L)->default_dtype) : s.dtype;
}
// The same of a Lua number.
void cp_number_to_scalar(lua_State *L, int index, cp_scalar *s, char *kind);

#endif
