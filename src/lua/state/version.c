// Refuses a Lua that the module was not built for (version.h), before it can crash.
#include "lua/state/version.h"

#include <stddef.h>

#if LUA_VERSION_NUM < 502
#define BUILT_FOR "LuaJIT"
extern int luaJIT_setmode(lua_State *L, int index, int mode) __attribute__((weak));
#elif LUA_VERSION_NUM == 503
#define BUILT_FOR "Lua 5.3"
#elif LUA_VERSION_NUM == 504
#define BUILT_FOR "Lua 5.4"
#elif LUA_VERSION_NUM == 505
#define BUILT_FOR "Lua 5.5"
#else
#define BUILT_FOR "another Lua"
#endif

// The first function that this Lua lacks, or NULL.
static const char *missing_function(void) {
#define CP_CHECK_OWN(name)                                                                                   \
  if (name == NULL) return #name;
  CP_LUA_OWN(CP_CHECK_OWN)
#undef CP_CHECK_OWN
  return NULL;
}

// Whether this Lua has all functions, but is another one.
static int is_other(lua_State *L) {
#if LUA_VERSION_NUM >= 504
  return lua_version(L) != LUA_VERSION_NUM;
#elif LUA_VERSION_NUM >= 502
  return *lua_version(L) != LUA_VERSION_NUM;
#else
  (void)L;
  return luaJIT_setmode ==
         NULL; // plain Lua 5.1, in which no function of a script could yield inside cupola's
#endif
}

void cp_check_lua(lua_State *L) {
  const char *missing = missing_function();
  if (missing != NULL)
    luaL_error(
        L, "this file of cupola was built for %s, and the Lua that loads it is another one (it has no %s)",
        BUILT_FOR, missing);
  if (is_other(L))
    luaL_error(L, "this file of cupola was built for %s, and the Lua that loads it is another one",
               BUILT_FOR);
}
