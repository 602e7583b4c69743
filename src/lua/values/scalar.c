// Converts values between Lua and C: numbers, booleans, 64-bit integers in every Lua, and the boxed values
// cp.complex and cp.scalar. Reads LuaJIT's cdata by Lua functions that use its ffi library (open_cdata).
#include "lua/values/scalar.h"
#include "lua/objects/object.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Keys of functions in the registry, which exist only in LuaJIT.
static const char cdata_key = 0; // makes a 64-bit cdata from a string of 8 bytes
static const char ctype_key = 0; // tells the type of a cdata: 'i', 'u' or 'n' for others
static const char place_key = 0; // returns the address that a cdata stands for, or nil

// ---- 64-bit integers --------------------------------------------------------------------------------------

// For LuaJIT: returns 'i' for a cdata of int64_t and 'u' for one of uint64_t, and copies its bytes to *bits.
// Returns 0 for any other value.
static char read_cdata(lua_State *L, int index, uint64_t *bits) {
  if (lua_type(L, index) != CP_LUA_TCDATA) return 0;
  index = lua_absindex(L, index);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &ctype_key);
  lua_pushvalue(L, index);
  char kind = 0;
  if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING) {
    kind = lua_tostring(L, -1)[0];
    const void *p = lua_topointer(L, index);
    if (kind != 'n' && p != NULL) memcpy(bits, p, sizeof *bits); // the integer may be unaligned
  }
  lua_pop(L, 1);
  return kind == 'n' ? 0 : kind;
}

bool cp_cdata_to_integer(lua_State *L, int index, int64_t *v) {
  uint64_t bits = 0;
  char kind = read_cdata(L, index, &bits);
  if (kind == 0 || (kind == 'u' && bits > INT64_MAX)) return false;
  *v = (int64_t)bits;
  return true;
}

bool cp_cdata_to_address(lua_State *L, int index, int64_t *v) {
  if (lua_type(L, index) != CP_LUA_TCDATA) return false;
  index = lua_absindex(L, index);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &place_key);
  lua_pushvalue(L, index);
  bool known = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TNUMBER;
  if (known) *v = (int64_t)lua_tonumber(L, -1);
  lua_pop(L, 1);
  return known;
}

// Gives the value of an integer cp.scalar if it fits into int64.
static bool boxed_to_integer(lua_State *L, int index, int64_t *v) {
  const cp_boxed *b = cp_test_boxed(L, index);
  if (b == NULL || !cp_is_integer(b->s.dtype)) return false;
  if (cp_is_unsigned(b->s.dtype) && b->s.v.u > INT64_MAX) return false;
  *v = b->s.v.i;
  return true;
}

bool cp_to_integer(lua_State *L, int index, int64_t *v) {
  const int type = lua_type(L, index);
  return type == LUA_TUSERDATA ? boxed_to_integer(L, index, v) : cp_is_integer_of(L, type, index, v);
}

static void push_integer(lua_State *L, uint64_t bits, bool is_unsigned) {
  bool beyond = is_unsigned && bits > INT64_MAX;
#if LUA_VERSION_NUM >= 503
  if (beyond)
    lua_pushnumber(L, (lua_Number)bits);
  else
    lua_pushinteger(L, (lua_Integer)bits);
#else
  int64_t v = (int64_t)bits;
  bool exact = !beyond && v >= -9007199254740992 && v <= 9007199254740992;
  if (!exact) lua_rawgetp(L, LUA_REGISTRYINDEX, &cdata_key);
  if (!exact && lua_isfunction(L, -1)) {
    lua_pushlstring(L, (const char *)&bits, sizeof bits);
    lua_pushboolean(L, is_unsigned);
    lua_call(L, 2, 1);
    return;
  }
  if (!exact) lua_pop(L, 1);
  lua_pushnumber(L, is_unsigned ? (lua_Number)bits : (lua_Number)v);
#endif
}

// ---- boxed values -----------------------------------------------------------------------------------------

cp_boxed *cp_test_boxed(lua_State *L, int index) { return cp_test_object(L, index, CP_KIND_SCALAR); }

void cp_push_boxed(lua_State *L, cp_scalar s, bool weak) {
  cp_boxed *b = cp_push_object(L, CP_KIND_SCALAR, sizeof *b);
  b->s = s;
  b->weak = weak;
}

void cp_push_scalar(lua_State *L, cp_scalar s) {
  switch (cp_dtypes[s.dtype].kind) {
  case 'b': lua_pushboolean(L, s.v.i != 0); break;
  case 'i': push_integer(L, (uint64_t)s.v.i, false); break;
  case 'u': push_integer(L, s.v.u, true); break;
  case 'f': lua_pushnumber(L, s.v.f); break;
  default: cp_push_boxed(L, cp_scalar_cast(s, CP_COMPLEX128), true);
  }
}

void cp_number_to_scalar(lua_State *L, int index, cp_scalar *s, char *kind) {
  int64_t whole;
  if (cp_is_integer_of(L, LUA_TNUMBER, index, &whole)) {
    *s = cp_scalar_int(whole, CP_INT64);
    *kind = 'i';
    // -0.0 counts as a whole number, but an array of floats must get its sign.
    if (whole == 0 && signbit(lua_tonumber(L, index))) *s = cp_scalar_float(-0.0, CP_FLOAT64);
    return;
  }
  *s = cp_scalar_float(cp_todouble(L, index), CP_FLOAT64);
  double d = s->v.f;
  *kind = isfinite(d) && d == floor(d) ? 'i' : 'f';
  if (d >= 9223372036854775808.0 && d < 18446744073709551616.0) {
    s->dtype = CP_UINT64;
    s->v.u = (uint64_t)d;
  }
}

bool cp_to_scalar(lua_State *L, int index, cp_scalar *s, char *kind, bool *weak) {
  uint64_t bits;
  *weak = true;
  switch (lua_type(L, index)) {
  case LUA_TBOOLEAN:
    *s = cp_scalar_int(lua_toboolean(L, index), CP_BOOL);
    *kind = 'b';
    return true;
  case LUA_TNUMBER: cp_number_to_scalar(L, index, s, kind); return true;
  case LUA_TUSERDATA: {
    const cp_boxed *b = cp_test_boxed(L, index);
    if (b == NULL) return false;
    *s = b->s;
    *weak = b->weak;
    char k = cp_dtypes[b->s.dtype].kind;
    *kind = k == 'u' ? 'i' : k;
    return true;
  }
  case CP_LUA_TCDATA: {
    char c = read_cdata(L, index, &bits);
    if (c == 0) return false;
    *s = cp_scalar_int((int64_t)bits, c == 'u' ? CP_UINT64 : CP_INT64);
    if (c == 'u') s->v.u = bits;
    *kind = 'i';
    return true;
  }
  default: return false;
  }
}

// ---- opening ----------------------------------------------------------------------------------------------

// Makes the functions that make and recognise LuaJIT's 64-bit cdata. They do not exist in other Lua versions,
// nor if the host does not allow ffi.
static void open_cdata(lua_State *L) {
  static const char text[] =
      "local ok, ffi = pcall(require, 'ffi')\n"
      "if not ok then return end\n"
      "local i64, u64 = ffi.typeof('int64_t'), ffi.typeof('uint64_t')\n"
      "local pi, pu = ffi.typeof('const int64_t *'), ffi.typeof('const uint64_t *')\n"
      "local cast, istype, tonumber = ffi.cast, ffi.istype, tonumber\n"
      "return function(s, unsigned) return cast(unsigned and pu or pi, s)[0] end,\n"
      "  function(v) return istype(i64, v) and 'i' or istype(u64, v) and 'u' or 'n' end,\n"
      "  function(v) return tonumber(cast('intptr_t', cast('const void *', v))) end\n";
  int top = lua_gettop(L);
  if (luaL_loadbuffer(L, text, sizeof text - 1, "=cupola/cdata") == LUA_OK &&
      lua_pcall(L, 0, 3, 0) == LUA_OK && lua_isfunction(L, -1)) {
    lua_rawsetp(L, LUA_REGISTRYINDEX, &place_key);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &ctype_key);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &cdata_key);
  }
  lua_settop(L, top);
}

void cp_open_scalar(lua_State *L) { open_cdata(L); }
