// The functions and libraries of Lua that the files of the Lua side use. They get them as locals, whose
// values are taken once, when the module is opened. So nothing that a script does to globals or libraries
// later affects them.
#include "lua/loading/libraries.h"
#include "lua/values/scalar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char private_key = 0; // registry: the values of the locals below, in the same order

// The functions and libraries of Lua that the files of the Lua side may use. cp_locals declares the same
// names, in this order, as locals of each file; .luacheckrc allows no others. The tables of libraries are
// copies.
static const char *const functions[] = {"assert",   "error",  "ipairs",   "next",   "pairs",  "pcall",
                                        "print",    "rawget", "rawequal", "rawset", "select", "tonumber",
                                        "tostring", "type",   "xpcall",   NULL};
static const char *const libraries[] = {"math", "string", "table", NULL};
const char cp_locals[] =
    "local assert, error, ipairs, next, pairs, pcall, print, rawget, rawequal, rawset, select, "
    "tonumber, "
    "tostring, type, xpcall, math, string, table, coroutine, unpack, getmetatable, setmetatable, require = "
    "... ";
const size_t cp_locals_size = sizeof cp_locals - 1;

// getmetatable that ignores the field __metatable.
static int raw_metatable(lua_State *L) {
  luaL_checkany(L, 1);
  if (!lua_getmetatable(L, 1)) lua_pushnil(L);
  return 1;
}

// setmetatable that ignores the field __metatable of the old metatable. Sets that of the new one to false, so
// that no script can get hold of a metatable of cupola.
static int close_metatable(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  lua_pushliteral(L, "__metatable");
  lua_pushboolean(L, 0);
  lua_rawset(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

// Returns the end of the conversion that begins with the `%` at p, and its letter.
static const char *conversion_end(const char *p, char *letter) {
  p += 1 + strspn(p + 1, "-+ #0123456789.");
  *letter = *p;
  return *p != '\0' ? p + 1 : p;
}

// Whether %d would refuse or change the value at index: a cdata, or a number other than an int64. Scripts may
// give such values as lengths and counts.
static bool is_beyond(lua_State *L, int index) {
  int64_t v;
  int type = lua_type(L, index);
  return type == CP_LUA_TCDATA || (type == LUA_TNUMBER && !cp_is_integer_of(L, type, index, &v));
}

// Replaces the number or cdata at index by its text.
static void make_text(lua_State *L, int index) {
  cp_scalar s = {0};
  char kind, text[400];
  bool weak;
  if (!cp_to_scalar(L, index, &s, &kind, &weak)) return;
  if (cp_is_float(s.dtype))
    snprintf(text, sizeof text, s.v.f == floor(s.v.f) ? "%.0f" : "%.14g", s.v.f);
  else if (s.dtype == CP_UINT64)
    snprintf(text, sizeof text, "%" PRIu64, s.v.u);
  else
    snprintf(text, sizeof text, "%" PRId64, s.v.i);
  lua_pushstring(L, text);
  lua_replace(L, index);
}

// Replaces each such value that belongs to a %d of the format (in slot 1) by its text, and the %d by %s.
static void take_beyond(lua_State *L, int n) {
  char letter;
  uint64_t replaced = 0; // one bit for each argument
  luaL_Buffer b;
  const char *p = luaL_checkstring(L, 1), *end;
  luaL_buffinit(L, &b);
  for (int index = 1; *p != '\0'; p = end) {
    end = *p == '%' ? conversion_end(p, &letter) : p + 1;
    bool argument = *p == '%' && letter != '%' && ++index <= n && index < 64;
    if (argument && letter == 'd' && is_beyond(L, index)) {
      replaced |= (uint64_t)1 << index;
      luaL_addlstring(&b, "%s", 2);
    } else {
      luaL_addlstring(&b, p, (size_t)(end - p));
    }
  }
  luaL_pushresult(&b);
  lua_replace(L, 1);
  for (int k = 2; k <= n && k < 64; k++)
    if (replaced >> k & 1) make_text(L, k);
}

// Calls string.format (upvalue 1) so that %d accepts every number.
static int format(lua_State *L) {
  int n = lua_gettop(L);
  bool beyond = false;
  for (int k = 2; k <= n && !beyond; k++) beyond = is_beyond(L, k);
  if (beyond) take_beyond(L, n);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, n, 1);
  return 1;
}

void cp_push_field(lua_State *L, int index, const char *name) {
  index = lua_absindex(L, index);
  if (!lua_istable(L, index)) {
    lua_pushnil(L);
    return;
  }
  lua_pushstring(L, name);
  lua_rawget(L, index);
}

// Replaces the table on top by a copy.
static void copy_table(lua_State *L) {
  int from = lua_gettop(L);
  if (!lua_istable(L, from)) return;
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, from) != 0) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, from + 1);
  }
  lua_remove(L, from);
}

// Replaces string.format in the copy of the string library on top.
static void replace_format(lua_State *L) {
  cp_push_field(L, -1, "format");
  lua_pushcclosure(L, format, 1);
  lua_setfield(L, -2, "format");
}

void cp_take_locals(lua_State *L, int globals, lua_CFunction require) {
  int n = 0;
  lua_newtable(L);
  int values = lua_gettop(L);
  for (const char *const *f = functions; *f != NULL; f++) {
    cp_push_field(L, globals, *f);
    if (!lua_isfunction(L, -1)) luaL_error(L, "cupola needs Lua's base library; there is no function %s", *f);
    lua_pushvalue(L, -1);
    lua_setfield(L, values, *f); // by name, for cp_push_own
    lua_rawseti(L, values, ++n);
  }
  for (const char *const *l = libraries; *l != NULL; l++) {
    cp_push_field(L, globals, *l);
    if (!lua_istable(L, -1)) luaL_error(L, "cupola needs Lua's library %s, which was not opened", *l);
    copy_table(L);
    if (strcmp(*l, "string") == 0) replace_format(L);
    lua_rawseti(L, values, ++n);
  }
  cp_push_field(L, globals, "coroutine");
  copy_table(L);
  lua_rawseti(L, values, ++n);
  lua_rawgeti(L, values, n - 1);
  cp_push_field(L, -1, "unpack");
  if (lua_isnil(L, -1)) cp_push_field(L, globals, "unpack"); // in Lua 5.1 it is a global
  lua_rawseti(L, values, ++n);
  lua_pushcfunction(L, raw_metatable);
  lua_rawseti(L, values, ++n);
  lua_pushcfunction(L, close_metatable);
  lua_rawseti(L, values, ++n);
  lua_pushcfunction(L, require);
  lua_rawseti(L, values, ++n);
  lua_settop(L, values);
  lua_pushinteger(L, n);
  lua_setfield(L, values, "n");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &private_key);
}

int cp_push_locals(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &private_key);
  int values = lua_gettop(L);
  lua_getfield(L, values, "n");
  int n = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  luaL_checkstack(L, n, "the locals of a file");
  for (int k = 1; k <= n; k++) lua_rawgeti(L, values, k);
  lua_remove(L, values);
  return n;
}

void cp_push_own(lua_State *L, const char *name) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &private_key);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
}
