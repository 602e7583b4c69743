// What belongs to one lua_State. The state is a userdata in the registry, found again through the address of a
// static key; a lua_State is never stored beyond the call that it runs in.
#ifndef CP_LUA_STATE_STATE_H
#define CP_LUA_STATE_STATE_H

#include "lazy/arrays/assign.h"
#include "lazy/arrays/pending.h"
#include "lazy/evaluation/bounds.h"
#include "lazy/evaluation/eval.h"
#include "lazy/evaluation/force.h"
#include "lazy/evaluation/order.h"
#include "lua/state/kind.h"

typedef struct cp_state {
  cp_context ctx;
  // What every new array looks at.
  lua_State *running; // set on entry of every binding that may run Lua from the core (generator, collector)
  int branches;       // coroutines with a choice of their own, and active withs of the main one
  int withs;          // the latter
  cp_dtype default_dtype;
  int scopes;                    // that are entered (scope.h)
  int entered;                   // guards that are (guard.h)
  int free_guards, nfree_guards; // reference in the registry: the list of those that serve again
  cp_kind_entry kinds[CP_NKINDS];
  int over;          // reference in the registry: the metatable of objects that were finalised
  uintptr_t *places; // all handles of arrays (places.h)
  uint32_t nplaces, free_place;
  unsigned made;        // handles made since the last young collection
  unsigned step_every;  // how many make the next one
  int collecting;       // > 0 inside a collection or a finalizer: never start another
  cp_status error_kind; // cp.last_error(): kind, where and message of the last failure
  char error_where[64];
  char error_message[CP_ERROR_SIZE];
  bool
      force; // for tests, CUPOLA_FUSION=force: every operator's value is computed at once, by the way of pending values
  // What each coroutine chose to work on (current.h). While `branches` is 0 all share ctx.now.
  cp_current base;
  cp_current *choice; // where ctx.now is kept while another coroutine runs
  lua_State *chooser; // the coroutine that it belongs to, by its address alone
  unsigned serial;
  const struct cp_guard *fusing; // of the fused function that runs
  cp_strbuf trace;               // of trace_sync
  unsigned ranges;               // of profilers, that scripts began
  bool closing, closed;          // closing: no objects are made any more
  unsigned closed_doors;         // CUPOLA_FILES ... of cupola.h
} cp_state;

// Whether L has a state: the module was opened, or options were set.
bool cp_has_state(lua_State *L);
// The state of L, made by luaopen_cupola. Sets running, and what L chose to work on. Raises when it was closed: Lua is closing.
cp_state *cp_state_get(lua_State *L);
// The same without either, for finalizers and tests; NULL when there is none.
cp_state *cp_state_find(lua_State *L);
// The number of a state that opens. With each call, threads look their states up again.
uint64_t cp_state_number(void);
// Makes the value on top, a state's userdata or nil, what L has for its state; pops it.
void cp_state_set(lua_State *L);
// Makes what L chose current, and keeps what was (choice.c).
void cp_current_switch(cp_state *s, lua_State *L);
// The same as cp_state_get by way of the context that a stream or an array's handle names, which is quicker.
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
