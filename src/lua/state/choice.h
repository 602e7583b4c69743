// What coroutines chose (device, streams, allocator), and how to find the choice that applies to a coroutine.
// lua/guards/current.c makes and changes choices.
//
// Before the first `with` none of this costs anything: `branches` is 0, and all coroutines share ctx.now.
#ifndef CP_LUA_STATE_CHOICE_H
#define CP_LUA_STATE_CHOICE_H

#include "lua/state/state.h"

typedef struct cp_own_choice {
  cp_current choice;
  cp_state *state;
  int depth;       // number of active withs
  bool kept;       // `use` was called
  unsigned serial; // number of its last change; the innermost coroutine's is the latest
} cp_own_choice;

// Whether T is running, or waits for a coroutine that it resumed.
bool cp_is_active(lua_State *T);
// Pushes the table of choices: coroutine -> cp_own_choice. Makes it at its first use.
void cp_push_choices(lua_State *L);
// L's own choice, or NULL if it has none. *is_main: whether L is the main coroutine. Needs three stack slots.
cp_own_choice *cp_find_own(lua_State *L, bool *is_main);
// Makes L's choice, its own or the one it inherits, current. Does not save the previous one from ctx.now.
void cp_choice_take_up(lua_State *L, cp_state *s);

#endif
