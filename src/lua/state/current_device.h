// The device that work goes to where none is named.
#ifndef CP_LUA_STATE_CURRENT_DEVICE_H
#define CP_LUA_STATE_CURRENT_DEVICE_H

#include "lua/state/state.h"

// The current device; decides the default one at its first call. Raises when CUPOLA_DEVICE names none.
cp_device *cp_current_device(lua_State *L);
// The same for a caller that has the state.
static inline cp_device *cp_state_device(lua_State *L, const cp_state *s) {
  return s->ctx.now.device != NULL ? s->ctx.now.device : cp_current_device(L);
}

#endif
