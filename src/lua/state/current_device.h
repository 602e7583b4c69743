// The device that work goes to if the caller names none. Relies on the state's ctx.now (state.h).
#ifndef CP_LUA_STATE_CURRENT_DEVICE_H
#define CP_LUA_STATE_CURRENT_DEVICE_H

#include "lua/state/state.h"

// The current device. The first call decides which one is the default. Raises if CUPOLA_DEVICE names no
// device.
cp_device *cp_current_device(lua_State *L);
// Does the same for a caller that has the state at hand.
static inline cp_device *cp_state_device(lua_State *L, const cp_state *s) {
  return s->ctx.now.device != NULL ? s->ctx.now.device : cp_current_device(L);
}
// The device of a call that has no arrays, on this stream (NULL: the current one).
static inline cp_device *cp_device_on(lua_State *L, const cp_stream *stream) {
  return stream != NULL ? stream->device : cp_current_device(L);
}

#endif
