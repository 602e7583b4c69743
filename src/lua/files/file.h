// Files that core.open_file opened, for C functions that read or write them in pieces.
#ifndef CP_LUA_FILES_FILE_H
#define CP_LUA_FILES_FILE_H

#include "lua/state/state.h"

typedef struct cp_file cp_file;

// The open file at stack index `slot`; raises for other values.
cp_file *cp_check_file(lua_State *L, int slot);
// The public function that opened it, and its name, for messages.
const char *cp_file_caller(const cp_file *f);
const char *cp_file_path(const cp_file *f);

// Reads up to count bytes; fewer at the end. Raises for what cannot be read, or is damaged.
size_t cp_file_read(lua_State *L, cp_file *f, void *to, size_t count);
// Writes count bytes, or raises.
void cp_file_write(lua_State *L, cp_file *f, const void *bytes, size_t count);

#endif
