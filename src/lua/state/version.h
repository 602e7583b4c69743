// The functions that the module needs and some other Lua lacks. They are weak references, so such a Lua can
// load the file, and cp_check_lua can say what is wrong, where the loader would only name an undefined
// symbol.
#ifndef CP_LUA_STATE_VERSION_H
#define CP_LUA_STATE_VERSION_H

#include <lauxlib.h>
#include <lua.h>

#if LUA_VERSION_NUM >= 504
#define CP_LUA_OWN_504(X) X(lua_newuserdatauv) X(lua_getiuservalue) X(lua_setiuservalue)
#elif LUA_VERSION_NUM >= 502
#define CP_LUA_OWN_504(X) X(lua_newuserdata) X(lua_getuservalue) X(lua_setuservalue)
#else
#define CP_LUA_OWN_504(X)
#endif
#if LUA_VERSION_NUM >= 503
#define CP_LUA_OWN_503(X) X(lua_rotate)
#else
#define CP_LUA_OWN_503(X) X(lua_insert) X(lua_remove) X(lua_replace)
#endif
#if LUA_VERSION_NUM >= 502
#define CP_LUA_OWN_502(X)                                                                                    \
  X(luaL_checkversion_)                                                                                      \
  X(luaL_loadbufferx)                                                                                        \
  X(luaL_prepbuffsize)                                                                                       \
  X(lua_absindex)                                                                                            \
  X(lua_callk)                                                                                               \
  X(lua_copy)                                                                                                \
  X(lua_pcallk)                                                                                              \
  X(lua_rawgetp)                                                                                             \
  X(lua_rawlen)                                                                                              \
  X(lua_rawsetp)                                                                                             \
  X(lua_setupvalue)                                                                                          \
  X(lua_tointegerx)                                                                                          \
  X(lua_tonumberx)                                                                                           \
  X(lua_version)
#else
#define CP_LUA_OWN_502(X)                                                                                    \
  X(luaL_loadbuffer)                                                                                         \
  X(luaL_prepbuffer)                                                                                         \
  X(lua_call)                                                                                                \
  X(lua_cpcall)                                                                                              \
  X(lua_getfenv)                                                                                             \
  X(lua_newuserdata)                                                                                         \
  X(lua_objlen)                                                                                              \
  X(lua_pcall)                                                                                               \
  X(lua_setfenv)                                                                                             \
  X(lua_tointeger)                                                                                           \
  X(lua_tonumber)
#endif
#define CP_LUA_OWN(X)   CP_LUA_OWN_502(X) CP_LUA_OWN_503(X) CP_LUA_OWN_504(X)

#define CP_PRAGMA(text) _Pragma(#text)
#define CP_WEAK(name)   CP_PRAGMA(weak name)
CP_LUA_OWN(CP_WEAK)

// Raises an error if the Lua that loads the module is not the one that it was built for.
void cp_check_lua(lua_State *L);

#endif
