// The list of all handles of arrays of a state. Lua runs no finalizer for what finalizers make while it closes, so a state that ends looks here for
// arrays that are left. A handle knows its place; a free place is odd: the number of the next free one, shifted.
#ifndef CP_LUA_OBJECTS_PLACES_H
#define CP_LUA_OBJECTS_PLACES_H

#include "lua/state/state.h"

// Addresses of arrays that have their place, of all states, which make the test of an operand one look. A handle is written by the thread that
// runs its state, and taken out before its address can be anything else's. One that is missing is told by its metatable.
enum { CP_KNOWN_ARRAYS = 1024 };
extern _Atomic uintptr_t cp_known_arrays[CP_KNOWN_ARRAYS];

static inline _Atomic uintptr_t *cp_known_array(const void *handle) {
  return &cp_known_arrays[(uintptr_t)handle / 32 % CP_KNOWN_ARRAYS];
}
static inline void cp_know_array(const void *handle) {
  atomic_store_explicit(cp_known_array(handle), (uintptr_t)handle, memory_order_relaxed);
}
static inline bool cp_is_known_array(const void *handle) {
  return atomic_load_explicit(cp_known_array(handle), memory_order_relaxed) == (uintptr_t)handle;
}
static inline void cp_forget_array(const void *handle) {
  if (cp_is_known_array(handle)) atomic_store_explicit(cp_known_array(handle), 0, memory_order_relaxed);
}

// NULL: not an array.
cp_array *cp_find_array(lua_State *L, int index); // by its metatable
static inline cp_array *cp_test_array(lua_State *L, int index) {
  void *handle = lua_touserdata(L, index);
  if (handle == NULL) return NULL;
  return cp_is_known_array(handle) ? handle : cp_find_array(L, index);
}
// The same; the metatable stays on the stack, unless the result is NULL.
static inline cp_array *cp_test_array_kept(lua_State *L, int index) {
  cp_array *a = cp_test_array(L, index);
  return a != NULL && lua_getmetatable(L, index) ? a : NULL;
}

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

// x:free(): gives the memory back, or ends the waiting for it.
void cp_free_memory(cp_array *a);

// The arrays that are left give their memory back, and the list goes: no array can be made any more.
void cp_end_arrays(cp_state *s);

#endif
