// What a function of a script runs inside of: a scope, a device or stream, a hook, a trace. A guard enters it and leaves it once, however the function
// ends: it returns, raises, is ended by a debug hook of the host's at any instruction, or waits in a coroutine that nobody resumes. core.within is
// the one way to run a function so.
#ifndef CP_LUA_GUARD_H
#define CP_LUA_GUARD_H

#include "lua/state/state.h"

typedef struct cp_guard cp_guard;

// Each may be NULL.
typedef struct cp_guard_kind {
  bool once; // the Lua side asks for its guards later, so they serve once
  // May raise, when it has entered nothing.
  void (*enter)(lua_State *L, cp_guard *g);
  // What is due before leaving; a failure of it is raised behind that. returned: the function did not raise.
  cp_status (*finish)(cp_state *s, cp_guard *g, bool returned);
  // Raises nothing before all is left. The guard is on top of the stack. L NULL: the guard was lost with its coroutine, and is finalised now, wherever
  // that is.
  void (*leave)(cp_state *s, lua_State *L, cp_guard *g);
} cp_guard_kind;

// The head of a guard.
struct cp_guard {
  const cp_guard_kind *kind;
  cp_state *state;
  char where[40];     // for errors
  bool entered, over; // over: enters nothing any more
  bool keeps;         // something is in the table kept with it
};

enum { CP_GUARD_SIZE = 128 }; // of all guards, with what follows the head

// The table kept with a guard is the list of the arrays made in its scope, if it is one, with further places, which are there from the start.
enum {
  CP_GUARD_KEPT = 0,   // the list of what the scope keeps
  CP_GUARD_OUTER = -1, // the guard of the scope around it, or false
  CP_GUARD_HELD = -2   // what lives as long as the guard is used (cp_guard_hold), or false
};

// Pushes what Lua has of a guard: a new one, or one that was left. All behind the head is 0.
void *cp_push_guard(lua_State *L, const cp_guard_kind *kind, const char *where);
// The value at index lives as long as the guard, which is on top, is used.
void cp_guard_hold(lua_State *L, int index);

#endif
