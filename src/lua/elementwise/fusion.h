// Launching pending values.
#ifndef CP_LUA_ELEMENTWISE_FUSION_H
#define CP_LUA_ELEMENTWISE_FUSION_H

#include "lua/state/state.h"

// Launches the pending values on the device, except those that are only parts of others. Raises errors.
void cp_launch_pending_on(lua_State *L, const char *where, cp_device *device);

#endif
