// Reads Lua values as the items of an index (rules/indexing/index.h). The array that is indexed is not known
// here, except in messages.
#include "lua/indexing/index.h"
#include "lua/objects/handles.h"
#include "lua/objects/object.h"
#include "lua/state/error.h"
#include "lua/values/scalar.h"

// CP_ITEM_NEWAXIS or CP_ITEM_ELLIPSIS if the value at index is cp.newaxis or cp.ellipsis, else 0.
static int test_marker(lua_State *L, int index) {
  const cp_item_kind *kind = cp_test_object(L, index, CP_KIND_MARKER);
  return kind != NULL ? (int)*kind : 0;
}

// ---- ranges -----------------------------------------------------------------------------------------------

// Raises an error for an entry of an index table other than 1..n, if it is a name or a later item; else pops
// it. The value is on top, above its key.
static void check_other(lua_State *L, const cp_index *ix, int n) {
  if (lua_type(L, -2) == LUA_TSTRING)
    cp_raise(L, ix->where, CP_EINDEX, "an index cannot have named items such as '%.40s'",
             lua_tostring(L, -2));
  if (lua_type(L, -2) == LUA_TNUMBER && lua_tonumber(L, -2) > n)
    cp_raise(L, ix->where, CP_EINDEX,
             "item %d of the index is nil; to leave an end open, write the index as text, as in \"3::2\"",
             n + 1);
  lua_pop(L, 2);
}

// The length of an index table. Raises an error if it has names, or entries after a nil.
static inline int index_length(lua_State *L, const cp_index *ix, int table) {
  int n = (int)lua_rawlen(L, table);
  if (n > 0)
    lua_pushinteger(L, n);
  else
    lua_pushnil(L);
  if (lua_next(L, table) != 0) check_other(L, ix, n);
  return n;
}

static void not_whole(lua_State *L, const cp_index *ix, int slot) {
  cp_raise(L, ix->where, CP_EINDEX, "position %.14g is not a whole number", (double)lua_tonumber(L, slot));
}

// Raises the error that the value on top, of this type, cannot be a number of a range.
static void no_range_number(lua_State *L, const cp_index *ix, int type) {
  if (type == LUA_TNUMBER) not_whole(L, ix, -1);
  const char *is = cp_test_array(L, -1) != NULL ? "array" : luaL_typename(L, -1);
  cp_raise(L, ix->where, CP_EINDEX,
           "item %d of the index is a range, {first, last, step}, which takes whole numbers, not %s",
           ix->count + 1, is);
}

static void add_range(lua_State *L, cp_index *ix, int table) {
  int64_t numbers[3];
  int n = index_length(L, ix, table);
  if (n > 3)
    cp_raise(L, ix->where, CP_EINDEX,
             "item %d of the index has %d numbers; a range is {first, last, step}, a list of positions "
             "cp.index{...}",
             ix->count + 1, n);
  for (int k = 0; k < n; k++) {
    int type = cp_rawgeti(L, table, k + 1);
    if (!cp_is_integer_of(L, type, -1, &numbers[k])) no_range_number(L, ix, type);
  }
  if (n > 0) lua_pop(L, n);
  CP_CHECK(L, ix->where, cp_index_add_range(ix, n, numbers));
}

// ---- items ------------------------------------------------------------------------------------------------

static void add_array(lua_State *L, cp_index *ix, cp_array *a) {
  if (ix->form == '(')
    cp_raise(L, ix->where, CP_EUSAGE,
             "the call form takes positions and ranges; to index by an array write x[y] instead of x(y), "
             "and fields such as x.T without a call");
  CP_CHECK(L, ix->where, cp_index_add_array(ix, a));
}

static void add_userdata(lua_State *L, cp_index *ix, int slot) {
  cp_array *a = cp_test_array(L, slot);
  if (a != NULL) {
    add_array(L, ix, a);
    return;
  }
  int marker = test_marker(L, slot);
  cp_item *item = NULL;
  if (marker == 0)
    cp_raise(L, ix->where, CP_EINDEX, "item %d of the index is a value that cannot be an index",
             ix->count + 1);
  CP_CHECK(L, ix->where, cp_index_add(ix, (cp_item_kind)marker, &item));
}

// Appends the value at stack slot `slot` (absolute), which is of this type.
static void add_item(lua_State *L, cp_index *ix, int slot, int type) {
  int64_t i;
  size_t size;
  const char *text;
  switch (type) {
  case LUA_TNUMBER:
  case CP_LUA_TCDATA:
    if (cp_is_integer_of(L, type, slot, &i))
      CP_CHECK(L, ix->where, cp_index_add_integer(ix, i));
    else if (type == LUA_TNUMBER)
      not_whole(L, ix, slot);
    else
      cp_raise(L, ix->where, CP_EINDEX, "item %d of the index is cdata but not a 64-bit integer",
               ix->count + 1);
    return;
  case LUA_TTABLE: add_range(L, ix, slot); return;
  case LUA_TSTRING:
    text = lua_tolstring(L, slot, &size);
    CP_CHECK(L, ix->where, cp_index_add_text(ix, text, size));
    return;
  case LUA_TUSERDATA: add_userdata(L, ix, slot); return;
  case LUA_TBOOLEAN:
    cp_raise(
        L, ix->where, CP_EINDEX,
        "item %d of the index is a boolean; Lua's == gives one boolean, an elementwise comparison is x:eq(y)",
        ix->count + 1);
    return;
  default:
    cp_raise(L, ix->where, CP_EINDEX, "item %d of the index is %s", ix->count + 1, luaL_typename(L, slot));
  }
}

void cp_index_read_item(lua_State *L, cp_index *ix, int slot) { add_item(L, ix, slot, lua_type(L, slot)); }

// Appends the items of the table, which stay on the stack. A table of more items than an index can have is an
// error before the stack is full.
static void read_table(lua_State *L, cp_index *ix, int table) {
  enum { AT_HAND = LUA_MINSTACK / 2 };
  int n = index_length(L, ix, table), top = lua_gettop(L);
  if (n > AT_HAND) luaL_checkstack(L, CP_MAX_ITEMS + 8, "too many items");
  for (int k = 1; k <= n; k++) add_item(L, ix, top + k, cp_rawgeti(L, table, k));
}

void cp_index_read(lua_State *L, cp_index *ix, const char *where, int slot) {
  cp_index_read_as(L, ix, where, slot, lua_type(L, slot));
}

void cp_index_read_as(lua_State *L, cp_index *ix, const char *where, int slot, int type) {
  cp_index_begin(ix, where, type == LUA_TTABLE ? '{' : type == LUA_TSTRING ? '"' : '[');
  if (type == LUA_TTABLE)
    read_table(L, ix, slot);
  else
    add_item(L, ix, slot, type);
}
