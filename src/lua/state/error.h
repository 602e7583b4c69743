// Raises Lua errors from statuses of the core and from facts that a binding finds. Errors are remembered in
// the state (state.h).
#ifndef CP_LUA_STATE_ERROR_H
#define CP_LUA_STATE_ERROR_H

#include "lua/state/state.h"

// Raises "FILE:LINE: cupola.WHERE: fact" with the line of the user's code that led here; never returns.
// where: the public name of the function.
int cp_raise(lua_State *L, const char *where, cp_status kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Does the same with the thread's error record; for a status that is not CP_OK.
int cp_raise_status(lua_State *L, const char *where, cp_status status);
// Raises `must` ("axis must be one of the array's") unless the fact holds. For what C relies on and the Lua
// side has already ensured: scripts may call the same primitives directly.
void cp_demand(lua_State *L, const char *where, bool fact, const char *must);
#define CP_CHECK(L, where, call)                                                                             \
  do {                                                                                                       \
    cp_status cp_check_status = (call);                                                                      \
    if (cp_check_status != CP_OK) cp_raise_status(L, where, cp_check_status);                                \
  } while (0)
// Raises if the host ends the running call (device/interrupt.h). Long loops of src/lua call it once every
// CP_POLL_COUNT rounds, where a round takes a few microseconds at most.
enum { CP_POLL_COUNT = 1024 };
void cp_check_interrupt(lua_State *L, const char *where);
// Writes "FILE:LINE: " of the innermost function that is user code, or an empty string if there is none.
// Raises no error.
void cp_user_position(lua_State *L, char *buf, size_t size);
// Pushes a closure of f that carries its public name, so that errors raised in whatever it calls show this
// name. Takes `count` values from the top as further upvalues, which come after the first CP_NAMED_UPVALUES.
enum { CP_NAME_UPVALUE = 1, CP_NAMED_UPVALUES };
void cp_push_named(lua_State *L, const char *name, lua_CFunction f, int count);

#endif
