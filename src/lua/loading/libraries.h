// What the files of the Lua side use of Lua's libraries.
#ifndef CP_LUA_LOADING_LIBRARIES_H
#define CP_LUA_LOADING_LIBRARIES_H

#include "lua/state/compat.h"

// Stands before the text of each file, on its first line: so lines keep their numbers. It names what
// cp_push_locals pushes.
extern const char cp_locals[];
extern const size_t cp_locals_size;

// Takes it all from the table of globals at index; the files' `require` is a function of load.c.
void cp_take_locals(lua_State *L, int globals, lua_CFunction require);
// Pushes the values of the locals; gives their number.
int cp_push_locals(lua_State *L);
// Pushes the function of Lua's base library that the globals had under this name when the module was opened: "tostring".
void cp_push_own(lua_State *L, const char *name);
// Pushes field `name` of the table at index, without asking metatables; nil where that is no table.
void cp_push_field(lua_State *L, int index, const char *name);

#endif
