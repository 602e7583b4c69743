// Choices of coroutines: kept in a table with weak keys, and put into ctx.now when a call comes from another coroutine than the last one did.
//
// Nothing of this costs anything before the first `with`: then branches is 0, and all share what is in ctx.now.
#include "lua/support/current.h"

#include <stdlib.h>

#include "memory/allocator.h"

static const char currents_key = 0; // registry: coroutine -> its own choice, a userdata; weak keys

typedef struct own_current {
  cp_current choice;
  cp_state *state;
  int depth;       // active withs
  bool kept;       // `use` was called
  unsigned serial; // of its last change: the latest is the innermost
} own_current;

// A coroutine ended, or was forgotten, with a choice of its own.
static void forget(lua_State *L, void *object) {
  own_current *own = object;
  cp_state *s = own->state;
  (void)L;
  if (s == NULL) return;
  s->branches--;
  own->state = NULL;
  cp_allocator_use(&s->ctx, (s->choice == &own->choice ? s->ctx.now : own->choice).allocator, -1);
  if (s->choice != &own->choice) return;
  s->choice = &s->base;
  s->ctx.now = s->base;
  s->chooser = NULL;
}

// Pushes the table.
static void push_currents(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &currents_key);
  if (lua_istable(L, -1)) return;
  lua_pop(L, 1);
  cp_push_weak(L, "k", 4);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &currents_key);
  cp_define_kind(L, CP_KIND_CHOICE, NULL, forget);
  lua_pop(L, 1);
}

bool cp_is_active(lua_State *T) {
  lua_Debug ar;
  return lua_status(T) == LUA_OK && lua_getstack(T, 0, &ar) != 0;
}

// The choice of the innermost coroutine with one, among those that wait for L; the table is on top.
static cp_current *inherited(lua_State *L, cp_state *s) {
  own_current *best = NULL;
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
    lua_State *T = lua_tothread(L, -2);
    own_current *own = lua_touserdata(L, -1);
    if (T == NULL || own == NULL || !cp_is_active(T)) continue;
    if (&own->choice == s->choice) {
      best = own;
      lua_pop(L, 2);
      break;
    }
    if (best == NULL || own->serial - best->serial < 1U << 31) best = own;
  }
  return best != NULL ? &best->choice : &s->base;
}

// L's own choice, NULL when it has none; is_main: it is the main coroutine. Needs three stack slots.
static own_current *find_own(lua_State *L, bool *is_main) {
  own_current *own = NULL;
  int top = lua_gettop(L);
  *is_main = lua_pushthread(L) == 1;
  if (!*is_main) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &currents_key);
    if (lua_istable(L, -1)) {
      lua_pushvalue(L, -2);
      lua_rawget(L, -2);
      own = lua_touserdata(L, -1);
    }
  }
  lua_settop(L, top);
  return own;
}

static cp_current *current_of(lua_State *L, cp_state *s) {
  bool is_main;
  own_current *own = find_own(L, &is_main);
  if (own != NULL) return &own->choice;
  if (is_main) return &s->base;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &currents_key);
  cp_current *choice = lua_istable(L, -1) ? inherited(L, s) : &s->base;
  lua_pop(L, 1);
  return choice;
}

static void take_up(cp_state *s, cp_current *choice) {
  s->choice = choice;
  s->ctx.now = *choice;
}

void cp_current_switch(cp_state *s, lua_State *L) {
  if (!lua_checkstack(L, 8)) return;
  *s->choice = s->ctx.now;
  s->chooser = L;
  take_up(s, current_of(L, s));
}

// Gives L a choice of its own, the same as before.
static own_current *make_own(lua_State *L, cp_state *s) {
  luaL_checkstack(L, 8, "no room for a choice of stream");
  push_currents(L);
  lua_pushthread(L);
  own_current *own = cp_push_object(L, CP_KIND_CHOICE, sizeof *own);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  if (s->branches > 0 && s->chooser != L) cp_current_switch(s, L); // a finalizer ran meanwhile
  own->state = s;
  s->branches++;
  *s->choice = s->ctx.now;
  own->choice = s->ctx.now;
  cp_allocator_use(&s->ctx, s->ctx.now.allocator, 1);
  s->choice = &own->choice;
  s->chooser = L;
  return own;
}

static void drop_own(lua_State *L, cp_state *s, own_current *own) {
  own->state = NULL;
  s->branches--;
  cp_allocator_use(&s->ctx, s->ctx.now.allocator, -1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &currents_key);
  lua_pushthread(L);
  lua_pushnil(L);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  take_up(s, current_of(L, s));
}

void cp_current_enter(lua_State *L, cp_state *s, cp_device *device, cp_stream *stream, bool until_left,
                      cp_saved_current *before) {
  bool is_main;
  own_current *own = find_own(L, &is_main);
  if (is_main) {
    s->branches += until_left;
    s->withs += until_left;
    s->chooser = L;
  } else {
    if (own == NULL) own = make_own(L, s);
    own->depth += until_left;
    own->kept = own->kept || !until_left;
    own->serial = ++s->serial;
  }
  cp_current *now = &s->ctx.now;
  *before = (cp_saved_current){now->device, device, stream != NULL ? now->streams[device->id] : NULL};
  now->device = device;
  if (stream != NULL) now->streams[device->id] = stream;
}

void cp_current_lose(cp_state *s) {
  if (s->withs == 0) return;
  s->branches--;
  s->withs--;
}

void cp_current_leave(lua_State *L, cp_state *s, const cp_saved_current *before, bool until_left) {
  bool is_main;
  own_current *own = find_own(L, &is_main);
  s->ctx.now.device = before->device;
  if (before->of != NULL) s->ctx.now.streams[before->of->id] = before->stream;
  if (!until_left) return;
  if (is_main) {
    cp_current_lose(s);
  } else if (own != NULL && own->depth > 0 && --own->depth == 0 && !own->kept) {
    drop_own(L, s, own);
  }
}

// ---- the current device -------------------------------------------------------------------------------------------

// CUPOLA_DEVICE, else the first usable GPU, else the CPU; decided when a device is first needed, so that loading the module opens nothing.
cp_device *cp_current_device(lua_State *L) {
  cp_state *s = cp_state_get(L);
  if (s->ctx.now.device != NULL) return s->ctx.now.device;
  const char *name = getenv("CUPOLA_DEVICE");
  cp_device *d = NULL;
  if (name != NULL && name[0] != '\0')
    CP_CHECK(L, "device", cp_device_find(name, &d));
  else if (cp_cuda_device_count(NULL) == 0 || cp_device_find("cuda", &d) != CP_OK)
    d = cp_device_cpu();
  s->ctx.now.device = d;
  return d;
}
