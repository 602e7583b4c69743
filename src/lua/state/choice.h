// The choices of coroutines: how the one that holds for a coroutine is found. current.c makes and changes them.
//
// Nothing of this costs anything before the first `with`: then branches is 0, and all share what is in ctx.now.
#ifndef CP_LUA_STATE_CHOICE_H
#define CP_LUA_STATE_CHOICE_H

#include "lua/state/state.h"

typedef struct cp_own_choice {
  cp_current choice;
  cp_state *state;
  int depth;       // active withs
  bool kept;       // `use` was called
  unsigned serial; // of its last change: the latest is the innermost
} cp_own_choice;

// Whether T runs, or resumed the coroutine that does.
bool cp_is_active(lua_State *T);
// Pushes the table of them: coroutine -> cp_own_choice.
void cp_push_choices(lua_State *L);
// L's own choice, NULL when it has none; is_main: it is the main coroutine. Needs three stack slots.
cp_own_choice *cp_find_own(lua_State *L, bool *is_main);
// Makes what L chose, itself or by inheritance, the current choice; that of before is not kept.
void cp_choice_take_up(lua_State *L, cp_state *s);

#endif
