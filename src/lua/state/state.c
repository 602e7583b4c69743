// Finding the state of a lua_State.
#include "lua/state/state.h"

#include "array/dlpack.h"
#include "lazy/arrays/close.h"
#include <stdatomic.h>

static const char state_key = 0; // registry: the cp_state userdata

// What this thread found last: looking into the registry is most of a small call. Once a state is closed its registry's address may serve another one,
// so a finding holds until any thread opens or closes a state, and is not made of a closed one.
static _Thread_local struct {
  const void *registry;
  cp_state *state;
  uint64_t opened;
} found;
static _Atomic uint64_t opened = 1; // the number of the next state; grows with each that is closed too

cp_state *cp_state_find(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  cp_state *s = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return s;
}

static cp_state *look_up(lua_State *L, const void *registry, uint64_t now) {
  cp_state *s = cp_state_find(L);
  if (s->closed) luaL_error(L, "cupola was closed with its state");
  found.state = s;
  found.registry = registry;
  found.opened = now;
  return s;
}

cp_state *cp_state_get(lua_State *L) {
  const void *registry = lua_topointer(L, LUA_REGISTRYINDEX);
  uint64_t now = atomic_load_explicit(&opened, memory_order_relaxed);
  bool known = found.registry == registry && found.opened == now;
  cp_state *s = known ? found.state : look_up(L, registry, now);
  s->running = L;
  if (s->branches > 0 && s->chooser != L) cp_current_switch(s, L);
  return s;
}

uint64_t cp_state_number(void) { return atomic_fetch_add_explicit(&opened, 1, memory_order_relaxed); }

void cp_state_set(lua_State *L) { lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key); }

bool cp_has_state(lua_State *L) { return cp_state_find(L) != NULL; }
