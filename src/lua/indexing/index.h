// Indexing: reading the keys of x[key] and x(...) as items (index_parse.c); then views, values and writes
// (index.c, fancy.c), by the rules of rules/indexing/index.h and select.h. No step holds anything that a Lua
// error could leak.
#ifndef CP_LUA_INDEXING_INDEX_H
#define CP_LUA_INDEXING_INDEX_H

#include "lua/state/state.h"
#include "rules/indexing/index.h"

// Appends the value at stack slot `slot` (absolute) as one item; a text may give several. Raises CP_EINDEX,
// CP_EDTYPE, CP_EUSAGE.
void cp_index_read_item(lua_State *L, cp_index *ix, int slot);
// Reads the whole key at stack slot `slot` (absolute): one item, a table of items, or a text. The values in a
// table are left on the stack, so that arrays there live as long as the index is in use. cp_index_read_as is
// for callers that know the key's type.
void cp_index_read(lua_State *L, cp_index *ix, const char *where, int slot);
void cp_index_read_as(lua_State *L, cp_index *ix, const char *where, int slot, int type);

// x[key] for a key that is not the name of a field or method: pushes a view or, if there is an integer for
// each axis, a Lua value. The array a is at stack index 1. The key is at stack index 2 and of this type, or
// it is the text. Return 1.
int cp_array_index(lua_State *L, cp_array *a, int type);
int cp_array_index_text(lua_State *L, cp_array *a, const char *text, size_t size);
int cp_array_newindex(lua_State *L); // __newindex: x[key] = v
int cp_array_call(lua_State *L);     // __call: x(2, {3, 5})

// Read and write by an index with arrays (fancy.c). cp_choose pushes the elements as a new array.
// cp_choose_write writes the value at stack slot `value`, or combines it with the old elements. a has memory.
void cp_choose(lua_State *L, const cp_index *ix, cp_array *a);
void cp_choose_write(lua_State *L, const cp_index *ix, cp_array *a, int value, cp_lookup_kind kind,
                     bool distinct);
void cp_open_fancy(lua_State *L);

#endif
