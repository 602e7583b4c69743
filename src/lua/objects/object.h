// Kinds of userdata, with one mechanism for all: the metatable of a value alone says what it is. Each state
// has one metatable for each kind. The registry keeps it and no script can get it (`getmetatable` returns
// false), so nothing else can have its address while the state is open. An object whose finalizer has run
// gets another metatable; then it has no kind, and every check refuses it.
#ifndef CP_LUA_OBJECTS_OBJECT_H
#define CP_LUA_OBJECTS_OBJECT_H

#include "lua/state/state.h"

#include <stdatomic.h>

// Creates the metatable of a kind, with the metamethods in `events` (or NULL), and pushes it.
void cp_define_kind(lua_State *L, cp_kind kind, const luaL_Reg *events, cp_end end);
// Pushes the metatable of a kind that is defined.
void cp_push_kind(lua_State *L, cp_kind kind);
// Pushes a new object of `size` bytes, all 0.
void *cp_push_object(lua_State *L, cp_kind kind, size_t size);
// The object at index; raises an error such as "ARGUMENT must be a stream, not number" for other values.
void *cp_check_object(lua_State *L, int index, cp_kind kind, const char *where, const char *argument);
// The metamethod of finalised objects, which raises an error.
int cp_refuse_finalised(lua_State *L);
// What the value at index is, in words: "nil (missing)", "a stream", "table".
const char *cp_kind_text(lua_State *L, int index);

// ---- testing ----------------------------------------------------------------------------------------------

// A cache of metatables that were looked up recently, shared by all states; each word combines an address and
// a kind. A state removes its own entries before its metatables can be freed. So an address found here is
// that of a living metatable, and an object with that metatable belongs to the running state. If there is no
// entry, the state is asked.
enum { CP_KNOWN_KINDS = 256 };
extern _Atomic uint64_t cp_known_kinds[CP_KNOWN_KINDS];

static inline uint64_t cp_kind_word(const void *metatable, cp_kind kind) {
  enum { ROOM = 32 }; // more than the number of kinds
  return (uint64_t)(uintptr_t)metatable * ROOM + kind;
}
static inline _Atomic uint64_t *cp_kind_place(const void *metatable) {
  return &cp_known_kinds[(uintptr_t)metatable / 32 % CP_KNOWN_KINDS];
}
bool cp_look_up_kind(lua_State *L, const void *metatable, cp_kind kind);

// Whether this is the address of the metatable of the kind.
static inline bool cp_is_kind(lua_State *L, const void *metatable, cp_kind kind) {
  uint64_t known = atomic_load_explicit(cp_kind_place(metatable), memory_order_relaxed);
  return known == cp_kind_word(metatable, kind) || cp_look_up_kind(L, metatable, kind);
}

// The object at index, or NULL if the value is not of this kind.
static inline void *cp_test_object(lua_State *L, int index, cp_kind kind) {
  void *object = lua_touserdata(L, index);
  if (object == NULL || !lua_getmetatable(L, index)) return NULL;
  bool is = cp_is_kind(L, lua_topointer(L, -1), kind);
  lua_pop(L, 1);
  return is ? object : NULL;
}

// ---- the end of a state (lifetime.c) ----------------------------------------------------------------------

// Whether a finalizer may be running, or the collector is stopped. An object created now may never be
// finalised, as Lua runs no finalizers for what is created while it closes. So the state remembers the object
// and ends it itself.
static inline bool cp_is_finalizing(lua_State *L) {
#ifdef LUA_GCISRUNNING
  return lua_gc(L, LUA_GCISRUNNING, 0) != 1;
#else
  (void)L;
  return true;
#endif
}
// Ends the remembered objects; after that no objects can be made.
void cp_end_late(lua_State *L);
// Removes the metatables of a state from the cache.
void cp_forget_kinds(const cp_kind_entry *entries);

#endif
