// What belongs to one lua_State: the core's context, and what src/lua adds to it. The state is a userdata in
// the registry, under the address of a static key. A lua_State is only stored for the call that it runs in.
#ifndef CP_LUA_STATE_STATE_H
#define CP_LUA_STATE_STATE_H

#include "lazy/arrays/assign.h"
#include "lazy/arrays/pending.h"
#include "lazy/evaluation/bounds.h"
#include "lazy/evaluation/eval.h"
#include "lazy/evaluation/force.h"
#include "lazy/work/order.h"
#include "lua/state/kind.h"

typedef struct cp_state {
  cp_context ctx;
  // What making an array reads comes first.
  lua_State *running; // the coroutine of the running call, for callbacks from the core (generator, collector)
  int branches;       // coroutines with their own choice, plus active withs of the main coroutine
  int withs;          // active withs of the main coroutine
  cp_dtype default_dtype;
  int scopes; // number of scopes that are entered (scope.h)
  // The scope of the coroutine that asked last, or NULL, and how many there were.
  lua_State *scope_thread;
  struct cp_guard *scope;
  uint32_t scope_count;
  int entered; // number of guards that are entered (guard.h)
  // The list of guards that can be used again, as a reference in the registry, and its length.
  int free_guards, nfree_guards;
  cp_kind_entry kinds[CP_NKINDS];
  int finalised;      // reference in the registry: the metatable of finalised objects
  uintptr_t *handles; // all handles of arrays (handles.h)
  uint32_t nhandles, free_handle;
  struct cp_made *made_in; // the scope of each handle; NULL before the first scope
  unsigned made;           // handles made since the last young collection
  unsigned step_every;     // number of new handles after which the next young collection runs
  int collecting;          // > 0 inside a collection or a finalizer: start no other collection
  // For cp.last_error(): kind, where and message of the last failure.
  cp_status error_kind;
  char error_where[64];
  char error_message[CP_ERROR_SIZE];
  // For tests (CUPOLA_FUSION=force): each operator still makes a pending value, but computes it at once.
  bool force;
  // What each coroutine chose to work on (current.h, choice.h). While `branches` is 0 all share ctx.now.
  cp_current base;               // the choice of the main coroutine
  cp_current *choice;            // where ctx.now is saved while another coroutine runs
  lua_State *chooser;            // the coroutine whose choice is in ctx.now; only its address is used
  unsigned serial;               // number of the last change of a choice
  const struct cp_guard *fusing; // the guard of the fused function that runs
  cp_strbuf trace;               // the report of trace_sync
  unsigned ranges;               // number of open profiler ranges that scripts began
  bool closing, closed;          // closing: no objects can be made any more
  unsigned closed_doors;         // CUPOLA_FILES and others of cupola.h
} cp_state;

// Whether L has a state, because the module was opened or options were set.
bool cp_has_state(lua_State *L);
// The state of L, which luaopen_cupola made. Sets `running`, and makes L's choice current. Raises if the
// state was closed, because Lua is closing.
cp_state *cp_state_get(lua_State *L);
// The state of L without any of these effects, for finalizers and tests; NULL if there is none.
cp_state *cp_state_find(lua_State *L);
// A number for a state that opens. After each call all threads look their states up in the registry again.
uint64_t cp_state_number(void);
// Pops a state's userdata, or nil, and makes it the state of L.
void cp_state_set(lua_State *L);
// Saves the current choice and makes L's choice current (choice.c).
void cp_current_switch(cp_state *s, lua_State *L);
// Does what cp_state_get does, but finds the state by the context that a stream or an array's handle refers
// to, which is quicker.
static inline cp_state *cp_state_in(lua_State *L, cp_context *context) {
  cp_state *s = (cp_state *)(void *)context; // ctx is its first member
  s->running = L;
  if (s->branches > 0 && s->chooser != L) cp_current_switch(s, L);
  return s;
}
static inline cp_state *cp_state_of(lua_State *L, const cp_array *handle) {
  return cp_state_in(L, handle->context);
}

#endif
