// Loads the files of the Lua side (lua/cupola), which the module contains as data (embedded.h).
#ifndef CP_LUA_LOADING_LOAD_H
#define CP_LUA_LOADING_LOAD_H

#include "lua/state/compat.h"

// Pushes what a file of the Lua side ("cupola.kernels.generate") returned; runs the file at its first use.
void cp_require(lua_State *L, const char *name);

#endif
