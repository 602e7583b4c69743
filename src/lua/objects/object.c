// The kinds of userdata (object.h): their metatables, creating objects, and ending them, also those whose
// finalizer never runs.
#include "lua/objects/object.h"
#include "lua/state/error.h"

#include <string.h>

static const char late_key = 0; // in the registry: objects that may never be finalised, as weak keys

_Atomic uint64_t cp_known_kinds[CP_KNOWN_KINDS];

// name: the type's name in Lua's own messages; text: in cupola's.
static const struct {
  const char *name, *text;
} kinds[CP_NKINDS] = { // ORDER cp_kind
    {"cupola.array", "an array"},
    {"cupola.scalar", "a scalar"},
    {"cupola.marker", "a marker of an index"},
    {"cupola.stream", "a stream"},
    {"cupola.event", "an event"},
    {"cupola.pool", "a memory pool"},
    {"cupola.graph", "the handle of a graph"},
    {"cupola.capsule", "a DLPack tensor"},
    {"cupola.communicator", "a communicator"},
    {"cupola.file", "a file"},
    {"cupola.curand", "a generator of cuRAND"},
    {"cupola.structtype", "a type of struct"},
    {"cupola.struct", "a struct"},
    {"cupola.trace", "the trace of a function"},
    {"cupola.function", "a function of expressions"},
    {"cupola.notes", "the notes of a fused function"},
    {"cupola.kernel", "a kernel"},
    {"cupola.rawkernel", "a raw kernel"},
    {"cupola.launch", "the launch of a raw kernel"},
    {"cupola.choice", "the choice of a coroutine"},
    {"cupola.sparse", "a sparse array"},
    {"cupola.guard", "a guard"},
    {"cupola.texture", "a texture, a surface or a CUDA array"},
    {"cupola.direct", "factors of a sparse matrix"}};

// ---- objects whose finalizer ran --------------------------------------------------------------------------

int cp_refuse_finalised(lua_State *L) {
  const char *name = lua_gettop(L) > 1 && lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "object";
  return cp_raise(L, name, CP_EUSAGE, "the object was finalised and cannot be used any more");
}

static int finalised_text(lua_State *L) {
  lua_pushliteral(L, "finalised object of cupola");
  return 1;
}

static int ignore(lua_State *L) {
  (void)L;
  return 0;
}

static void close_metatable(lua_State *L, const char *name) {
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__name");
}

// Pushes the metatable of finalised objects.
static void push_finalised(lua_State *L, cp_state *s) {
  static const char *const events[] = {"__index", "__newindex", "__call", "__len", "__concat", "__unm",
                                       "__add",   "__sub",      "__mul",  "__div", "__pow",    "__lt"};
  if (s->finalised != 0) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->finalised);
    return;
  }
  lua_createtable(L, 0, 16);
  for (size_t k = 0; k < sizeof events / sizeof *events; k++) {
    lua_pushcfunction(L, cp_refuse_finalised);
    lua_setfield(L, -2, events[k]);
  }
  lua_pushcfunction(L, finalised_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, ignore);
  lua_setfield(L, -2, "__close");
  close_metatable(L, "cupola.finalised");
  lua_pushvalue(L, -1);
  s->finalised = luaL_ref(L, LUA_REGISTRYINDEX);
}

// Takes the object at index its kind away, and then ends what it holds.
static void end_object(lua_State *L, cp_state *s, int index, cp_kind kind, void *object) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, s->finalised);
  lua_setmetatable(L, index);
  s->kinds[kind].end(L, object);
}

// The finalizer of objects. Upvalue 1: the kind.
static int finalise(lua_State *L) {
  cp_kind kind = (cp_kind)lua_tointeger(L, lua_upvalueindex(1));
  void *object = cp_check_object(L, 1, kind, "gc", "argument 1");
  end_object(L, cp_state_find(L), 1, kind, object);
  return 0;
}

// ---- kinds ------------------------------------------------------------------------------------------------

void cp_define_kind(lua_State *L, cp_kind kind, const luaL_Reg *events, cp_end end) {
  enum { ROOM = 8, ROOM_FOR_OPERATORS = 32 };
  static const luaL_Reg none = {NULL, NULL};
  cp_state *s = cp_state_get(L);
  if (s->finalised == 0) {
    push_finalised(L, s);
    lua_pop(L, 1);
  }
  lua_createtable(L, 0, kind == CP_KIND_ARRAY ? ROOM_FOR_OPERATORS : ROOM);
  cp_put_functions(L, -1, events != NULL ? events : &none);
  close_metatable(L, kinds[kind].name);
  if (end != NULL) {
    lua_pushinteger(L, (lua_Integer)kind);
    lua_pushcclosure(L, finalise, 1);
    lua_setfield(L, -2, "__gc");
  }
  lua_pushvalue(L, -1);
  s->kinds[kind] = (cp_kind_entry){lua_topointer(L, -1), luaL_ref(L, LUA_REGISTRYINDEX), end};
}

void cp_push_kind(lua_State *L, cp_kind kind) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, cp_state_get(L)->kinds[kind].reference);
}

// Remembers the object on top of the stack, which has its metatable already.
static void note_late(lua_State *L) {
  if (cp_state_find(L)->closing)
    luaL_error(L, "cupola was closed with its state: nothing can be made any more");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &late_key);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    cp_push_weak(L, "k", 0);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &late_key);
  }
  lua_pushvalue(L, -2);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

void *cp_push_object(lua_State *L, cp_kind kind, size_t size) {
  const cp_kind_entry *entry = &cp_state_get(L)->kinds[kind];
  const bool keeps =
      kind == CP_KIND_GUARD || kind == CP_KIND_SPARSE || kind == CP_KIND_TEXTURE || kind == CP_KIND_DIRECT;
  void *object = keeps ? cp_newuserdata_with(L, size) : cp_newuserdata(L, size);
  memset(object, 0, size);
  lua_rawgeti(L, LUA_REGISTRYINDEX, entry->reference);
  lua_setmetatable(L, -2);
  if (entry->end != NULL && cp_is_finalizing(L)) note_late(L);
  return object;
}

bool cp_look_up_kind(lua_State *L, const void *metatable, cp_kind kind) {
  cp_state *s = cp_state_find(L);
  if (s == NULL || s->closed || s->kinds[kind].metatable != metatable) return false;
  atomic_store_explicit(cp_kind_place(metatable), cp_kind_word(metatable, kind), memory_order_relaxed);
  return true;
}

// The kind of the value at index, or CP_NKINDS if it has none; *over: it was finalised.
static cp_kind kind_of(lua_State *L, int index, bool *over) {
  int kind = CP_NKINDS;
  const cp_state *s = cp_state_find(L);
  *over = false;
  if (s == NULL || s->closed || lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index))
    return CP_NKINDS;
  const void *metatable = lua_topointer(L, -1);
  for (int k = 0; k < CP_NKINDS; k++)
    if (s->kinds[k].metatable == metatable) kind = k;
  lua_rawgeti(L, LUA_REGISTRYINDEX, s->finalised);
  *over = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return (cp_kind)kind;
}

const char *cp_kind_text(lua_State *L, int index) {
  bool over;
  if (lua_isnoneornil(L, index)) return "nil (missing)";
  cp_kind kind = kind_of(L, index, &over);
  if (over) return "an object that was finalised";
  return kind != CP_NKINDS ? kinds[kind].text : luaL_typename(L, index);
}

void *cp_check_object(lua_State *L, int index, cp_kind kind, const char *where, const char *argument) {
  void *object = cp_test_object(L, index, kind);
  if (object == NULL)
    cp_raise(L, where, CP_EUSAGE, "%s must be %s, not %s", argument, kinds[kind].text,
             cp_kind_text(L, index));
  return object;
}

// ---- the end of a state -----------------------------------------------------------------------------------

// Ends the object at index as its finalizer would do.
static void end_noted(lua_State *L, cp_state *s, int index) {
  bool over;
  cp_kind kind = kind_of(L, index, &over);
  if (kind != CP_NKINDS && s->kinds[kind].end != NULL)
    end_object(L, s, index, kind, lua_touserdata(L, index));
}

void cp_end_late(lua_State *L) {
  cp_state *s = cp_state_find(L);
  int top = lua_gettop(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &late_key);
  for (lua_pushnil(L); lua_istable(L, -2) && lua_next(L, -2) != 0; lua_pop(L, 1))
    end_noted(L, s, lua_gettop(L) - 1);
  lua_settop(L, top);
}

void cp_forget_kinds(const cp_kind_entry *entries) {
  for (int k = 0; k < CP_NKINDS; k++) {
    uint64_t word = cp_kind_word(entries[k].metatable, (cp_kind)k);
    atomic_compare_exchange_strong(cp_kind_place(entries[k].metatable), &word, 0);
  }
}
