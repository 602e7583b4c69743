// What a script's function runs inside of: a scope, a device or stream, a hook, a trace. A guard enters it
// and leaves it exactly once, however the function ends: it returns, raises an error, is ended by a host's
// debug hook at any instruction, or waits in a coroutine that nobody resumes. core.within is the only way to
// run a function inside one.
#ifndef CP_LUA_GUARD_H
#define CP_LUA_GUARD_H

#include "lua/state/state.h"

typedef struct cp_guard cp_guard;

// What a kind of guard does. Each function may be NULL.
typedef struct cp_guard_kind {
  // The Lua side uses its guards after leaving (core.is_entered), so they are not reused.
  bool once;
  // Enters. May raise an error as long as it has entered nothing.
  void (*enter)(lua_State *L, cp_guard *g);
  // Does what is due before leaving; if it fails, the error is raised after leaving. returned: the function
  // did not raise an error.
  cp_status (*finish)(cp_state *s, cp_guard *g, bool returned);
  // Leaves; may raise an error only after that. The guard is on top of the stack. L is NULL if the guard was
  // lost with its coroutine and is now being finalised, at an arbitrary point.
  void (*leave)(cp_state *s, lua_State *L, cp_guard *g);
} cp_guard_kind;

// The common head of all guards.
struct cp_guard {
  const cp_guard_kind *kind;
  cp_state *state;
  char where[40];     // for errors
  bool entered, done; // done: it cannot be entered again
  bool keeps;         // its kept table holds something
  uint32_t ring;      // of a scope: the arrays made in it (objects/handles.h)
};

enum { CP_GUARD_SIZE = 128 }; // of every guard: the head and what follows it

// Each reusable guard has a kept table with these fields, which exist from the start so that setting them
// allocates nothing.
enum {
  CP_GUARD_KEPT = 0,   // the list of arrays that outlast the scope
  CP_GUARD_OUTER = -1, // the guard of the enclosing scope, or false
  CP_GUARD_HELD = -2   // a value that lives as long as the guard is used (cp_guard_hold), or false
};

// Pushes the value by which Lua code knows a guard, which is new or reused. Everything after the head is 0.
void *cp_push_guard(lua_State *L, const cp_guard_kind *kind, const char *where);
// Keeps the value at index alive as long as the guard on top is used.
void cp_guard_hold(lua_State *L, int index);

#endif
