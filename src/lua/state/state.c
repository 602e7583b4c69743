// Finds the cp_state of a lua_State: in the registry, or in what the thread found last.
#include "lua/state/state.h"

#include "array/dlpack.h"
#include "lazy/arrays/close.h"
#include <stdatomic.h>

static const char state_key = 0; // registry: the cp_state userdata

// The state that this thread found last, because a look into the registry would take most of the time of a
// small call. Once a state is closed, another one may get the same address for its registry. So an entry is
// valid only until any thread opens or closes a state, and a closed state is never entered.
static _Thread_local struct {
  const void *registry;
  cp_state *state;
  uint64_t opened;
} found;
static _Atomic uint64_t opened = 1; // the number of the next state; it grows when a state is closed, too

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
