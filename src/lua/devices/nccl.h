// Communicators as Lua objects (nccl.c), and their calls (nccl_run.c).
#ifndef CP_LUA_DEVICES_NCCL_H
#define CP_LUA_DEVICES_NCCL_H

#include "lua/state/module.h"
#include "routines/collective.h"

cp_comm *cp_test_comm(lua_State *L, int index); // NULL for other values and closed ones
cp_comm *cp_check_comm(lua_State *L, int index, const char *where);
// Reads "sum", "prod", "min", "max" or "avg".
cp_combination cp_read_combination(lua_State *L, int index, const char *where);

int cp_comm_run(lua_State *L);
int cp_comm_try(lua_State *L);

#endif
