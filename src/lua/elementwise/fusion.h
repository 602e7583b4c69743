// Launching pending values.
#ifndef CP_LUA_ELEMENTWISE_FUSION_H
#define CP_LUA_ELEMENTWISE_FUSION_H

#include "lua/state/state.h"

// Launches what is pending on device and no part of something else that is pending; raises.
void cp_launch_pending_on(lua_State *L, const char *where, cp_device *device);

#endif
