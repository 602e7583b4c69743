// Reads the arguments that functions which make arrays share (options.h).
#include "lua/arguments/options.h"
#include "lua/arguments/args.h"
#include "rules/fresh.h"

#include <stdio.h>
#include <string.h>

char cp_arg_order(lua_State *L, int slot, const char *where, const char *known, char missing,
                  const cp_array *like) {
  if (lua_isnil(L, slot)) return missing;
  const char *order = lua_type(L, slot) == LUA_TSTRING ? lua_tostring(L, slot) : "";
  char choices[40];
  snprintf(choices, sizeof choices, "one of the letters %.8s", known);
  if (strlen(order) != 1 || strchr(known, order[0]) == NULL) cp_not_among(L, where, "order", choices, slot);
  if (order[0] != 'A') return order[0];
  return like != NULL ? cp_order_of(like) : 'C';
}

cp_dtype cp_arg_dtype_or(lua_State *L, int slot, const char *where, cp_dtype missing) {
  cp_dtype t = cp_arg_dtype(L, slot, where);
  return t == CP_NDTYPES ? missing : t;
}

int64_t cp_arg_length(lua_State *L, int slot, const char *where, const char *argument, int64_t missing) {
  int64_t n = missing < 0 ? cp_arg_integer(L, slot, where, argument)
                          : cp_arg_integer_or(L, slot, where, argument, missing);
  if (n < 0) cp_raise(L, where, CP_ESHAPE, "%s must not be negative, but is %lld", argument, (long long)n);
  return n;
}
