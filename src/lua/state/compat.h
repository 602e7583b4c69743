// Lets one source serve LuaJIT, 5.3, 5.4 and 5.5: supplies, as static functions and macros, what LuaJIT does
// not have, whose language and headers are those of 5.1.
#ifndef CP_LUA_STATE_COMPAT_H
#define CP_LUA_STATE_COMPAT_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "lua/state/version.h"

#include <math.h>
#include <stdint.h>

#if LUA_VERSION_NUM < 502
#define LUA_OK             0
#define lua_rawlen(L, i)   lua_objlen(L, i)
#define lua_absindex(L, i) ((i) > 0 || (i) <= LUA_REGISTRYINDEX ? (i) : lua_gettop(L) + (i) + 1)

static inline void lua_rawgetp(lua_State *L, int index, const void *key) {
  index = lua_absindex(L, index);
  lua_pushlightuserdata(L, (void *)(uintptr_t)key);
  lua_rawget(L, index);
}

static inline void lua_rawsetp(lua_State *L, int index, const void *key) {
  index = lua_absindex(L, index);
  lua_pushlightuserdata(L, (void *)(uintptr_t)key);
  lua_insert(L, -2);
  lua_rawset(L, index);
}
#endif

// Adds the functions of the list to the table at index.
static inline void cp_put_functions(lua_State *L, int index, const luaL_Reg *list) {
  index = lua_absindex(L, index);
  for (; list->name != NULL; list++) {
    lua_pushcfunction(L, list->func);
    lua_setfield(L, index, list->name);
  }
}

// Sets a field of the table on top to a whole number: an integer, where Lua has one that large.
static inline void cp_set_number(lua_State *L, const char *key, uint64_t v) {
  if (v <= INT64_MAX)
    lua_pushinteger(L, (lua_Integer)v);
  else
    lua_pushnumber(L, (lua_Number)v);
  lua_setfield(L, -2, key);
}

// Pushes a table with weak keys (mode "k") or values ("v"), and with space for `room` entries.
static inline void cp_push_weak(lua_State *L, const char *mode, int room) {
  lua_createtable(L, 0, room);
  lua_createtable(L, 0, 1);
  lua_pushstring(L, mode);
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}

// The number at index as a double. Every nan becomes NAN: LuaJIT has a single nan, whose sign bit is set, so
// the sign of a nan must mean nothing in any Lua.
static inline double cp_todouble(lua_State *L, int index) {
  double v = (double)lua_tonumber(L, index);
  return isnan(v) ? (double)NAN : v;
}

// lua_rawget and lua_rawgeti that return the type of what they push, as Lua's own do from 5.3 on.
static inline int cp_rawget(lua_State *L, int index) {
#if LUA_VERSION_NUM >= 503
  return lua_rawget(L, index);
#else
  lua_rawget(L, index);
  return lua_type(L, -1);
#endif
}

static inline int cp_rawgeti(lua_State *L, int index, int n) {
#if LUA_VERSION_NUM >= 503
  return lua_rawgeti(L, index, n);
#else
  lua_rawgeti(L, index, n);
  return lua_type(L, -1);
#endif
}

// cp_pushglobals pushes the table of globals. cp_setenvironment pops a table and makes it the environment of
// the main chunk at index.
#if LUA_VERSION_NUM >= 502
#define cp_pushglobals(L)           lua_pushglobaltable(L)
#define cp_setenvironment(L, index) ((void)lua_setupvalue(L, index, 1))
#else
#define cp_pushglobals(L)           lua_pushvalue(L, LUA_GLOBALSINDEX)
#define cp_setenvironment(L, index) ((void)lua_setfenv(L, index))
#endif

// lua_load; from 5.2 on it accepts text only, no bytecode.
#if LUA_VERSION_NUM >= 502
#define cp_load(L, reader, data, chunk) lua_load(L, reader, data, chunk, "t")
#else
#define cp_load(L, reader, data, chunk) lua_load(L, reader, data, chunk)
#endif

#if LUA_VERSION_NUM < 503
#define lua_isinteger(L, i) 0
#endif

#if LUA_VERSION_NUM >= 504
#define cp_newuserdata(L, size) lua_newuserdatauv(L, size, 0)
#else
#define cp_newuserdata(L, size) lua_newuserdata(L, size)
#endif

// Userdata with room for a reference to one table: cp_keep_table pops the table and stores it, cp_push_kept
// pushes it.
#define cp_newuserdata_with(L, size) lua_newuserdata(L, size)
#if LUA_VERSION_NUM >= 502
#define cp_keep_table(L, index) ((void)lua_setuservalue(L, index))
#define cp_push_kept(L, index)  ((void)lua_getuservalue(L, index))
#else
#define cp_keep_table(L, index) ((void)lua_setfenv(L, index))
#define cp_push_kept(L, index)  lua_getfenv(L, index)
#endif

// Calls f(data) in protected mode; this is the only way by which the core calls Lua. Preparing the call
// raises no error either: in 5.1 and LuaJIT pushing a function may run finalizers, whose errors would come
// out here, so these use lua_cpcall.
static inline int cp_call_protected(lua_State *L, lua_CFunction f, void *data) {
#if LUA_VERSION_NUM < 502
  return lua_cpcall(L, f, data);
#else
  lua_pushcfunction(L, f);
  lua_pushlightuserdata(L, data);
  return lua_pcall(L, 1, 0, 0);
#endif
}

// What lua_type returns for LuaJIT's cdata; no other Lua has this type.
enum { CP_LUA_TCDATA = 10 };

#endif
