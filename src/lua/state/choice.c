// Finds the choice that applies to a coroutine, and puts it into ctx.now when a call comes from another
// coroutine than the last one. The choices are in a table in the registry, with coroutines as weak keys.
#include "lua/state/choice.h"

static const char currents_key = 0; // registry: coroutine -> its own choice (cp_own_choice); weak keys

void cp_push_choices(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &currents_key);
  if (lua_istable(L, -1)) return;
  lua_pop(L, 1);
  cp_push_weak(L, "k", 4);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &currents_key);
}

bool cp_is_active(lua_State *T) {
  lua_Debug ar;
  return lua_status(T) == LUA_OK && lua_getstack(T, 0, &ar) != 0;
}

// The choice that L inherits: that of the innermost coroutine with its own choice among those that wait for
// L, else the main coroutine's. The table of choices is on top of the stack.
static cp_current *inherited(lua_State *L, cp_state *s) {
  cp_own_choice *best = NULL;
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
    lua_State *T = lua_tothread(L, -2);
    cp_own_choice *own = lua_touserdata(L, -1);
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

cp_own_choice *cp_find_own(lua_State *L, bool *is_main) {
  cp_own_choice *own = NULL;
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
  cp_own_choice *own = cp_find_own(L, &is_main);
  if (own != NULL) return &own->choice;
  if (is_main) return &s->base;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &currents_key);
  cp_current *choice = lua_istable(L, -1) ? inherited(L, s) : &s->base;
  lua_pop(L, 1);
  return choice;
}

void cp_choice_take_up(lua_State *L, cp_state *s) {
  s->choice = current_of(L, s);
  s->ctx.now = *s->choice;
}

void cp_current_switch(cp_state *s, lua_State *L) {
  if (!lua_checkstack(L, 8)) return;
  *s->choice = s->ctx.now;
  s->chooser = L;
  cp_choice_take_up(L, s);
}
