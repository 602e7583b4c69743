// cupola for hosts: the functions that the module exports.
//
// A host that links or embeds cupola calls luaopen_cupola as any Lua module:
//   luaL_requiref(L, "cupola", luaopen_cupola, 0);                    Lua 5.2 and later
//   package.preload["cupola"] = luaopen_cupola                        every Lua
#ifndef CUPOLA_H
#define CUPOLA_H

#include <lua.h>

#ifdef __cplusplus
#define CP_API extern "C" __attribute__((visibility("default")))
#else
#define CP_API __attribute__((visibility("default")))
#endif

// Pushes the module table of this state and returns 1. Safe to call again: the same table. Nothing of CUDA is opened by it.
CP_API int luaopen_cupola(lua_State *L);

#endif
