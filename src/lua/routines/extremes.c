// core.extremes: the least and the greatest of a few integers, for checks on the Lua side.
#include "lua/conversion/convert.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

enum { FEW_BYTES = 4096 };

// core.extremes(where, x): the least and the greatest element of x, integers or truth values, as numbers.
// Their bytes are copied at once, so that neither is computed on the device. Nothing where x is no such
// array, has none or many elements, or holds one that a number cannot have exactly.
static int extremes(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  const int64_t most = (int64_t)1 << 53;
  _Alignas(16) char bytes[FEW_BYTES];
  cp_array *x = cp_test_array(L, 2);
  if (x == NULL || cp_array_alive(x) != CP_OK || cp_is_inexact(x->dtype)) return 0;
  if (x->size == 0 || cp_array_nbytes(x) > FEW_BYTES) return 0;
  cp_need(L, where, x);
  if (!cp_array_contiguous(x, 'C')) return 0;
  cp_download(L, where, x, bytes);
  int64_t least = INT64_MAX, greatest = INT64_MIN;
  for (int64_t k = 0; k < x->size; k++) {
    const cp_scalar s = cp_scalar_load(bytes + (size_t)k * cp_itemsize(x->dtype), x->dtype);
    const int64_t v = cp_scalar_cast(s, CP_INT64).v.i;
    if (cp_is_unsigned(x->dtype) && v < 0) return 0;
    if (v < least) least = v;
    if (v > greatest) greatest = v;
  }
  if (least < -most || greatest > most) return 0;
  lua_pushnumber(L, (lua_Number)least);
  lua_pushnumber(L, (lua_Number)greatest);
  return 2;
}

void cp_open_extremes(lua_State *L) {
  lua_pushcfunction(L, extremes);
  lua_setfield(L, 1, "extremes");
}
