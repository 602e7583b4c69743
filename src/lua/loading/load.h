// Loading the files of the Lua side (lua/cupola), which the module carries as data.
#ifndef CP_LUA_LOADING_LOAD_H
#define CP_LUA_LOADING_LOAD_H

#include "lua/state/compat.h"

// Pushes what the file of the Lua side returned, run at its first use: "cupola.kernels.generate".
void cp_require(lua_State *L, const char *name);

#endif
