// The list of all handles of arrays of a state. Lua runs no finalizer for what finalizers make while it closes, so a state that ends looks here for
// arrays that are left. A handle knows its place; a free place is odd: the number of the next free one, shifted.
#ifndef CP_LUA_SUPPORT_PLACES_H
#define CP_LUA_SUPPORT_PLACES_H

#include "lua/support/state.h"

// Makes room; raises.
void cp_make_places(lua_State *L, cp_state *s);

// Puts a new handle into the list. Raises when the host is out of memory, and where no array can be made any more.
static inline void cp_take_place(lua_State *L, cp_state *s, cp_array *a) {
  if (s->free_place == s->nplaces) cp_make_places(L, s);
  a->place = s->free_place;
  s->free_place = (uint32_t)(s->places[a->place] >> 1);
  s->places[a->place] = (uintptr_t)a;
  cp_know_array(a);
}

static inline bool cp_has_place(const cp_state *s, const cp_array *a) {
  return a->place < s->nplaces && s->places[a->place] == (uintptr_t)a;
}

// Takes out a handle that has its place.
static inline void cp_leave_place(cp_state *s, const cp_array *a) {
  uint32_t place = a->place;
  s->places[place] = (uintptr_t)s->free_place << 1 | 1;
  s->free_place = place;
  cp_forget_array(a);
}

// The arrays that are left give their memory back, and the list goes: no array can be made any more.
void cp_end_arrays(cp_state *s);

#endif
