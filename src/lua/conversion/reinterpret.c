// Reads the same bytes as another dtype: views (x:view), and 64-bit numbers made from bytes (core.word).
#include "lua/arguments/args.h"
#include "lua/arguments/options.h"
#include "lua/conversion/take.h"
#include "lua/values/handle.h"
#include "rules/indexing/view.h"

#include <string.h>

// x:view(dtype): a view of the same bytes. If the sizes of the dtypes differ, the last axis becomes longer or
// shorter. Without a dtype it is a view of the same elements.
CP_SIGNATURE(view, 1, "x", "dtype");
static int reinterpret(lua_State *L) {
  cp_array_local local;
  cp_arguments(L, &view_signature);
  cp_array *a = cp_take_array(L, 1, "view", "x"), *view = cp_array_local_init(&local);
  CP_CHECK(L, "view", cp_view_as(a, cp_arg_dtype_or(L, 2, "view", a->dtype), view));
  cp_push_view(L, view);
  return 1;
}

// core.view(x, dtype): the same view, or nothing if it is not possible.
static int reinterpret_or_nil(lua_State *L) {
  cp_array_local local;
  cp_array *a = cp_take_array(L, 1, "view", "x"), *view = cp_array_local_init(&local);
  if (cp_view_as(a, cp_check_dtype(L, 2, "view"), view) != CP_OK) return 0;
  cp_push_view(L, view);
  return 1;
}

// core.word(bytes, dtype): a number of dtype int64 or uint64 with these eight bytes in memory, as cp.scalar
// makes it. No kind of literal has 64 bits in both Lua 5.4 and LuaJIT.
static int word(lua_State *L) {
  size_t length;
  int64_t value;
  const char *bytes = luaL_checklstring(L, 1, &length);
  luaL_argcheck(L, length == sizeof value, 1, "eight bytes");
  memcpy(&value, bytes, sizeof value);
  cp_dtype t = cp_check_dtype(L, 2, "word");
  cp_demand(L, "word", t == CP_INT64 || t == CP_UINT64, "dtype must be int64 or uint64");
  cp_push_boxed(L, cp_scalar_int(value, t), false);
  return 1;
}

void cp_open_reinterpret(lua_State *L) {
  static const luaL_Reg core[] = {{"word", word}, {"view", reinterpret_or_nil}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
  lua_pushcfunction(L, reinterpret);
  lua_setfield(L, 3, "view");
}
