// What each coroutine chose to work on: a device, and a stream of each device.
//
// The choice of the running coroutine is in ctx.now. A coroutine has one of its own while a `with` of its own is active, and once it called `use`; others
// work where whoever resumed them works. The main coroutine's is also that of all who chose nothing.
#ifndef CP_LUA_GUARDS_CURRENT_H
#define CP_LUA_GUARDS_CURRENT_H

#include "lua/state/state.h"

// A chosen stream beside the device; NULL leaves the stream of that device as it is.
typedef struct cp_saved_current {
  cp_device *device, *of; // the current device, and the one that stream is of
  cp_stream *stream;
} cp_saved_current;

// Makes device the current one, and stream (unless it is NULL) its stream; *before is for cp_current_leave. until_left: a `with`, whose cp_current_leave is
// sure to come, or cp_current_lose for one of the main coroutine. s: as cp_state_get or cp_state_in gave it. Both take up to 8 places of the stack.
void cp_current_enter(lua_State *L, cp_state *s, cp_device *device, cp_stream *stream, bool until_left,
                      cp_saved_current *before);
void cp_current_leave(lua_State *L, cp_state *s, const cp_saved_current *before, bool until_left);
void cp_current_lose(cp_state *s);

#endif
