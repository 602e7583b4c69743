// The list of all handles of a state's arrays. Lua runs no finalizers for what finalizers make while it
// closes, so a state that ends finds the arrays that are left here. A handle knows its index in the list. A
// free entry holds the number of the next free one, shifted left with the lowest bit set, which no address
// has.
#ifndef CP_LUA_OBJECTS_HANDLES_H
#define CP_LUA_OBJECTS_HANDLES_H

#include "lua/state/state.h"

// A cache of addresses of arrays in the lists of all states, so that testing an operand takes one look. The
// thread that runs an array's state enters it, and removes it before anything else can have its address. An
// array that is missing here is recognised by its metatable.
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

// The array at index, or NULL if the value is not an array. cp_find_array looks at its metatable.
cp_array *cp_find_array(lua_State *L, int index);
static inline cp_array *cp_test_array(lua_State *L, int index) {
  void *handle = lua_touserdata(L, index);
  if (handle == NULL) return NULL;
  return cp_is_known_array(handle) ? handle : cp_find_array(L, index);
}
// cp_test_array, which also leaves the metatable on the stack unless the result is NULL.
static inline cp_array *cp_test_array_kept(lua_State *L, int index) {
  cp_array *a = cp_test_array(L, index);
  return a != NULL && lua_getmetatable(L, index) ? a : NULL;
}

// Makes room for more handles. Raises an error if the host is out of memory or the state is closing.
void cp_grow_handles(lua_State *L, cp_state *s);

// Which scope made a handle: the handles of a scope form a ring, in the order in which they were made. The
// ring begins at an entry of the list that is taken for the scope itself.
typedef struct cp_made {
  uint32_t next, previous;
  uint32_t scope; // the scope's number; 0: none
} cp_made;

// Takes an entry for the ring of a new scope. Raises the errors of cp_grow_handles.
uint32_t cp_open_ring(lua_State *L, cp_state *s);
// Gives back the entry of a ring that has no handles left.
void cp_close_ring(cp_state *s, uint32_t ring);
// The handle that was made first; NULL: there is none.
cp_array *cp_first_made(const cp_state *s, uint32_t ring);

static inline void cp_add_to_ring(cp_state *s, uint32_t ring, const cp_array *a) {
  cp_made *m = s->made_in, *begin = &m[ring];
  m[a->handle_index] = (cp_made){.next = ring, .previous = begin->previous, .scope = begin->scope};
  m[begin->previous].next = a->handle_index;
  begin->previous = a->handle_index;
}

// Removes a handle from the ring of the scope that made it, if any. Returns the scope's number, or 0.
static inline uint32_t cp_leave_ring(cp_state *s, const cp_array *a) {
  if (s->made_in == NULL) return 0;
  cp_made *m = s->made_in, *made = &m[a->handle_index];
  const uint32_t scope = made->scope;
  if (scope == 0) return 0;
  m[made->previous].next = made->next;
  m[made->next].previous = made->previous;
  made->scope = 0;
  return scope;
}

// Puts a new handle into the list. Raises the errors of cp_grow_handles.
static inline void cp_add_handle(lua_State *L, cp_state *s, cp_array *a) {
  if (s->free_handle == s->nhandles) cp_grow_handles(L, s);
  a->handle_index = s->free_handle;
  s->free_handle = (uint32_t)(s->handles[a->handle_index] >> 1);
  s->handles[a->handle_index] = (uintptr_t)a;
  cp_know_array(a);
}

static inline bool cp_is_listed(const cp_state *s, const cp_array *a) {
  return a->handle_index < s->nhandles && s->handles[a->handle_index] == (uintptr_t)a;
}

// Removes a handle that is in the list. Views of its memory that outlast it have the memory's scope.
static inline void cp_remove_handle(cp_state *s, const cp_array *a) {
  const uint32_t k = a->handle_index, scope = cp_leave_ring(s, a);
  if (scope != 0 && a->owner && a->storage != NULL) a->storage->left_in = scope;
  s->handles[k] = (uintptr_t)s->free_handle << 1 | 1;
  s->free_handle = k;
  cp_forget_array(a);
}

// x:free(): frees the array's memory or, if it is pending, drops its expression.
void cp_free_memory(cp_array *a);

// Frees the arrays that are left and the list. After that no array can be made.
void cp_end_arrays(cp_state *s);

#endif
