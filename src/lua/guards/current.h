// What each coroutine chose to work on: a device, and a stream of each device.
// ctx.now has the choice of the running coroutine. A coroutine has its own choice while one of its own `with`
// blocks is active, and after it called `use`. Other coroutines use the choice of the coroutine that resumed
// them, and finally that of the main coroutine.
#ifndef CP_LUA_GUARDS_CURRENT_H
#define CP_LUA_GUARDS_CURRENT_H

#include "lua/state/state.h"

// What cp_current_leave restores: the device that was current and, unless `of` is NULL, the stream of the
// device `of` (NULL: none was chosen).
typedef struct cp_saved_current {
  cp_device *device, *of;
  cp_stream *stream;
} cp_saved_current;

// Makes `device` the current one and `stream`, unless NULL, its stream; *before is for cp_current_leave.
// until_left: this is a `with` block, so cp_current_leave will certainly be called or, for one of the main
// coroutine whose guard is lost, cp_current_lose. `s` comes from cp_state_get or cp_state_in.
// cp_current_enter and cp_current_leave need up to 8 stack slots.
void cp_current_enter(lua_State *L, cp_state *s, cp_device *device, cp_stream *stream, bool until_left,
                      cp_saved_current *before);
void cp_current_leave(lua_State *L, cp_state *s, const cp_saved_current *before, bool until_left);
void cp_current_lose(cp_state *s);

#endif
