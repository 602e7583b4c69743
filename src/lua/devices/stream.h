// Streams and events as arguments of Lua functions.
#ifndef CP_LUA_DEVICES_STREAM_H
#define CP_LUA_DEVICES_STREAM_H

#include "lua/state/module.h"

// The stream at index; raises an error that names the argument for other values and closed streams.
cp_stream *cp_check_stream(lua_State *L, int index, const char *where, const char *argument);
// The stream at index, of any device; for nil the current stream of the current device. Raises.
cp_stream *cp_any_stream(lua_State *L, int index, const char *where);
// The stream at index, which must belong to the device; for nil its current one. During a capture it is the
// stream that records.
cp_stream *cp_arg_stream(lua_State *L, int index, const char *where, cp_device *device);
// Raises an error unless the stream belongs to the device.
void cp_match_stream(lua_State *L, const char *where, const cp_stream *s, const cp_device *device);
// Launches what is pending on s, but no part of other pending values. Raises errors.
void cp_launch_pending_of(lua_State *L, const char *where, cp_stream *s);
cp_event *cp_check_event(lua_State *L, int index, const char *where, const char *argument);

#endif
