// Raising errors of Lua from statuses and facts.
#ifndef CP_LUA_STATE_ERROR_H
#define CP_LUA_STATE_ERROR_H

#include "lua/state/state.h"

// Raises "FILE:LINE: cupola.WHERE: fact" at the line of the user's code that led here; never returns. where: the function's public name.
int cp_raise(lua_State *L, const char *where, cp_status kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same with the thread's error record; for a status that is not CP_OK.
int cp_raise_status(lua_State *L, const char *where, cp_status status);
// Raises that `must` does not hold ("axis must be one of the array's"), unless it does: what C relies on where the Lua side has seen to it, as scripts
// may call what the Lua side calls.
void cp_demand(lua_State *L, const char *where, bool fact, const char *must);
#define CP_CHECK(L, where, call)                                                                             \
  do {                                                                                                       \
    cp_status cp_check_status = (call);                                                                      \
    if (cp_check_status != CP_OK) cp_raise_status(L, where, cp_check_status);                                \
  } while (0)
// Raises when the host ends the running call (device/interrupt.h): for long loops of this room, once in CP_POLL_COUNT rounds of some microseconds or less.
enum { CP_POLL_COUNT = 1024 };
void cp_check_interrupt(lua_State *L, const char *where);
// Writes "FILE:LINE: " of the innermost function that is user code; empty when there is none. Raises nothing.
void cp_user_position(lua_State *L, char *buf, size_t size);
// Pushes f with its public name, which errors of what it calls have then. The count values on top become its
// upvalues, those behind CP_NAMED_UPVALUES.
enum { CP_NAME_UPVALUE = 1, CP_NAMED_UPVALUES };
void cp_push_named(lua_State *L, const char *name, lua_CFunction f, int count);

#endif
