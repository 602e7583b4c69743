// Changes what a coroutine chose: gives it a choice of its own, and takes that away again. state/choice.c
// finds the choice that holds for a coroutine.
#include "lua/guards/current.h"

#include "lua/objects/object.h"
#include "lua/state/choice.h"
#include "memory/allocator.h"

// Finalizer of a choice: its coroutine ended, or was forgotten, with a choice of its own.
static void forget(lua_State *L, void *object) {
  cp_own_choice *own = object;
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

// Gives L a choice of its own, equal to the one that holds for it now.
static cp_own_choice *make_own(lua_State *L, cp_state *s) {
  luaL_checkstack(L, 8, "no room for a choice of stream");
  cp_push_choices(L);
  if (s->kinds[CP_KIND_CHOICE].metatable == NULL) {
    cp_define_kind(L, CP_KIND_CHOICE, NULL, forget);
    lua_pop(L, 1);
  }
  lua_pushthread(L);
  cp_own_choice *own = cp_push_object(L, CP_KIND_CHOICE, sizeof *own);
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

// Takes L's own choice away, so that it inherits one again.
static void drop_own(lua_State *L, cp_state *s, cp_own_choice *own) {
  own->state = NULL;
  s->branches--;
  cp_allocator_use(&s->ctx, s->ctx.now.allocator, -1);
  cp_push_choices(L);
  lua_pushthread(L);
  lua_pushnil(L);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  cp_choice_take_up(L, s);
}

void cp_current_enter(lua_State *L, cp_state *s, cp_device *device, cp_stream *stream, bool until_left,
                      cp_saved_current *before) {
  bool is_main;
  cp_own_choice *own = cp_find_own(L, &is_main);
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
  cp_own_choice *own = cp_find_own(L, &is_main);
  s->ctx.now.device = before->device;
  if (before->of != NULL) s->ctx.now.streams[before->of->id] = before->stream;
  if (!until_left) return;
  if (is_main) {
    cp_current_lose(s);
  } else if (own != NULL && own->depth > 0 && --own->depth == 0 && !own->kept) {
    drop_own(L, s, own);
  }
}
