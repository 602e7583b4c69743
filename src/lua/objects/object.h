// The kinds of userdata, one mechanism for all of them: what a value is, its metatable says and nothing else. Each state has one metatable for
// each kind, which its registry keeps and no script gets at (`getmetatable` answers false), so its address cannot be had by anything else as long
// as the state is open. An object whose finalizer ran gets another metatable, and is of no kind any more: every check turns it down.
#ifndef CP_LUA_OBJECTS_OBJECT_H
#define CP_LUA_OBJECTS_OBJECT_H

#include "lua/state/state.h"

#include <stdatomic.h>

// Makes the metatable of a kind, with the events of the list (or NULL), and pushes it.
void cp_define_kind(lua_State *L, cp_kind kind, const luaL_Reg *events, cp_end end);
// Pushes the metatable of a kind that was defined.
void cp_push_kind(lua_State *L, cp_kind kind);
// Pushes a new object of `size` bytes, all 0.
void *cp_push_object(lua_State *L, cp_kind kind, size_t size);
// The object at index, or an error: "ARGUMENT must be a stream, not number".
void *cp_check_object(lua_State *L, int index, cp_kind kind, const char *where, const char *argument);
// What events of objects that were finalised do: it raises.
int cp_refuse_finalised(lua_State *L);
// What the value at index is, in words: "nil (missing)", "a stream", "table".
const char *cp_kind_text(lua_State *L, int index);

// ---- testing ----

// Metatables that were looked up lately, of all states: a word is the address and the kind. A state takes its own out before they can be freed, so
// an address in here is that of a living metatable, and an object of it is of the running state. Where there is no word the state is asked.
enum { CP_KNOWN_KINDS = 256 };
extern _Atomic uint64_t cp_known_kinds[CP_KNOWN_KINDS];

static inline uint64_t cp_kind_word(const void *metatable, cp_kind kind) {
  enum { ROOM = 32 }; // for kinds
  return (uint64_t)(uintptr_t)metatable * ROOM + kind;
}
static inline _Atomic uint64_t *cp_kind_place(const void *metatable) {
  return &cp_known_kinds[(uintptr_t)metatable / 32 % CP_KNOWN_KINDS];
}
bool cp_look_up_kind(lua_State *L, const void *metatable, cp_kind kind);

// Whether the address is that of the metatable of this kind.
static inline bool cp_is_kind(lua_State *L, const void *metatable, cp_kind kind) {
  uint64_t known = atomic_load_explicit(cp_kind_place(metatable), memory_order_relaxed);
  return known == cp_kind_word(metatable, kind) || cp_look_up_kind(L, metatable, kind);
}

// The object at index; NULL when the value is not of this kind.
static inline void *cp_test_object(lua_State *L, int index, cp_kind kind) {
  void *object = lua_touserdata(L, index);
  if (object == NULL || !lua_getmetatable(L, index)) return NULL;
  bool is = cp_is_kind(L, lua_topointer(L, -1), kind);
  lua_pop(L, 1);
  return is ? object : NULL;
}

// ---- the end of a state (state.c) ----

// A finalizer of somebody else is running, or the collector was stopped: an object that is made now may never be finalised, as Lua runs no finalizer
// for what is made while it closes. The state remembers it, and ends it itself.
static inline bool cp_is_finalizing(lua_State *L) {
#ifdef LUA_GCISRUNNING
  return lua_gc(L, LUA_GCISRUNNING, 0) != 1;
#else
  (void)L;
  return true;
#endif
}
// Remembers the object on top of the stack, which has its metatable.
void cp_note_late(lua_State *L);
// Ends the objects that were noted; afterwards none can be made.
void cp_end_late(lua_State *L);
// No metatable of this state is known any more.
void cp_forget_kinds(const cp_kind_entry *entries);

#endif
