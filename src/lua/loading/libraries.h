// The functions and libraries of Lua that the files of the Lua side use, as locals that no script can change.
#ifndef CP_LUA_LOADING_LIBRARIES_H
#define CP_LUA_LOADING_LIBRARIES_H

#include "lua/state/compat.h"

// The text that is put in front of each file, on its first line, so that lines keep their numbers. It
// declares locals for the values that cp_push_locals pushes.
extern const char cp_locals[];
extern const size_t cp_locals_size;

// Takes the values of the locals from the table of globals at the index `globals`. require: what the files
// get as `require` (load.c).
void cp_take_locals(lua_State *L, int globals, lua_CFunction require);
// Pushes the values of the locals and returns their number.
int cp_push_locals(lua_State *L);
// Pushes the function of Lua's base library that had this name ("tostring") when the module was opened.
void cp_push_own(lua_State *L, const char *name);
// Pushes the field `name` of the table at index without using metatables; pushes nil if that value is no
// table.
void cp_push_field(lua_State *L, int index, const char *name);

#endif
