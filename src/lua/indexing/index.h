// Indexing: from the keys of x[key], x(...) and text to items (index_parse.c), and from items to views, values and writes (index.c).
//
// Items keep the numbers as they were written, counted from 1 and from the end; only resolving them against an array's shape
// gives positions from 0. Neither step holds anything that a Lua error could leak.
#ifndef CP_LUA_INDEXING_INDEX_H
#define CP_LUA_INDEXING_INDEX_H

#include "lua/support/state.h"
#include "routines/index.h"

typedef enum cp_item_kind {
  CP_ITEM_INTEGER,
  CP_ITEM_RANGE,
  CP_ITEM_NEWAXIS,
  CP_ITEM_ELLIPSIS,
  CP_ITEM_ARRAY
} cp_item_kind;

typedef struct cp_item {
  cp_item_kind kind;
  bool open_first, open_last; // of a range: this end was left out
  int64_t first, last, step;  // an integer stands in first
  cp_array *array; // of CP_ITEM_ARRAY: a boolean or integer array, which cp_index_read leaves on the stack
} cp_item;

enum { CP_MAX_ITEMS = 2 * CP_MAXDIM + 1 }; // every axis, as many new ones, an ellipsis

typedef struct cp_index {
  const char *where; // public name, for messages
  char form;         // how it was written: '[' one value, '{' table, '"' text, '(' call
  int count;
  int integers, ranges, newaxes, arrays; // how many of each kind
  int chosen;                            // axes that the arrays choose from
  bool ellipsis;
  cp_item items[CP_MAX_ITEMS];
} cp_index;

// An index without items. The items themselves stay unset.
void cp_index_begin(cp_index *ix, const char *where, char form);
// Appends the value at stack slot `slot` (absolute) as one item (text may give several). Raises CP_EINDEX, CP_EDTYPE, CP_EUSAGE.
void cp_index_add(lua_State *L, cp_index *ix, int slot);
// The same for the items of a text of `size` bytes, a string of Lua's.
void cp_index_add_text(lua_State *L, cp_index *ix, const char *text, size_t size);
// Reads the whole key at stack slot `slot` (absolute): one item, a table of items, or text. What stands in a table is left on the stack,
// so that arrays there live as long as the index is in use. cp_index_read_as: for a caller that knows the key's type.
void cp_index_read(lua_State *L, cp_index *ix, const char *where, int slot);
void cp_index_read_as(lua_State *L, cp_index *ix, const char *where, int slot, int type);

// Adds to `view`, which begins at a's first element and has no axes yet, what ix selects of a. rest: what cp_index_rest gave; the view has
// room for ix->ranges + ix->newaxes + rest axes. Raises CP_EINDEX.
void cp_index_resolve(lua_State *L, const cp_index *ix, int rest, const cp_array *a, cp_array *view);
// Position from 0 of i, which counts from 1 or, when negative, from the end. Raises CP_EINDEX.
int64_t cp_index_position(lua_State *L, const char *where, int64_t i, int axis, int64_t length);
// Adds the range of a's axis, or `count` axes of a as they are, to the view that is being made; the latter gives the axis after them.
void cp_index_add_range(lua_State *L, const char *where, cp_array *view, const cp_array *a,
                        const cp_item *item, int axis);
int cp_index_add_axes(cp_array *view, const cp_array *a, int from, int count);
// Checks the number of items against the axes of a; returns how many axes no item names.
int cp_index_rest(lua_State *L, const cp_index *ix, const cp_array *a);

// x[key] for any key that is no field or method name: pushes a view or, for integers for all axes, a Lua value. The array a is at stack index 1,
// the key, which is of this type, at 2; or the key is a text. Returns 1.
int cp_array_index(lua_State *L, cp_array *a, int type);
int cp_array_index_text(lua_State *L, cp_array *a, const char *text, size_t size);
int cp_array_newindex(lua_State *L); // __newindex: x[key] = v
int cp_array_call(lua_State *L);     // __call: x(2, {3, 5})

// The same for an index with arrays (fancy.c): pushes the elements as a new array; writes the value at stack slot `value`, or combines it with
// what is there. a has memory.
void cp_choose(lua_State *L, const cp_index *ix, cp_array *a);
void cp_choose_write(lua_State *L, const cp_index *ix, cp_array *a, int value, cp_lookup_kind kind,
                     bool distinct);
void cp_open_fancy(lua_State *L);

// CP_ITEM_NEWAXIS or CP_ITEM_ELLIPSIS when the value at index is cp.newaxis or cp.ellipsis, else 0.
int cp_test_marker(lua_State *L, int index);

#endif
