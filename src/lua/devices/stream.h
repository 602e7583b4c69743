// Streams and events as arguments.
#ifndef CP_LUA_DEVICES_STREAM_H
#define CP_LUA_DEVICES_STREAM_H

#include "lua/state/module.h"

// The stream at index, or an error that names the argument; closed ones are errors too.
cp_stream *cp_check_stream(lua_State *L, int index, const char *where, const char *argument);
// The same for a stream that must be of device; nil: the current one.
cp_stream *cp_arg_stream(lua_State *L, int index, const char *where, cp_device *device);
// Raises unless the stream is of the device.
void cp_match_stream(lua_State *L, const char *where, const cp_stream *s, const cp_device *device);
// Launches what is pending on s and no part of something else that is pending; raises.
void cp_launch_pending_of(lua_State *L, const char *where, cp_stream *s);
cp_event *cp_check_event(lua_State *L, int index, const char *where, const char *argument);

#endif
