// Reading an index: Lua values and text to items. Nothing is known here of the array that is indexed, except in messages.
#include "lua/indexing/index.h"

#include <inttypes.h>
#include <string.h>

int cp_test_marker(lua_State *L, int index) {
  const cp_item_kind *kind = cp_test_object(L, index, CP_KIND_MARKER);
  return kind != NULL ? (int)*kind : 0;
}

void cp_index_begin(cp_index *ix, const char *where, char form) {
  ix->where = where;
  ix->form = form;
  ix->count = ix->integers = ix->ranges = ix->newaxes = ix->arrays = ix->chosen = 0;
  ix->ellipsis = false;
}

static cp_item *new_item(lua_State *L, cp_index *ix, cp_item_kind kind) {
  if (ix->count == CP_MAX_ITEMS)
    cp_raise(L, ix->where, CP_EINDEX, "an index of more than %d items; a list of positions is cp.index{...}",
             CP_MAX_ITEMS);
  cp_item *item = &ix->items[ix->count++];
  item->kind = kind;
  switch (kind) {
  case CP_ITEM_INTEGER: ix->integers++; break;
  case CP_ITEM_RANGE: ix->ranges++; break;
  case CP_ITEM_NEWAXIS: ix->newaxes++; break;
  case CP_ITEM_ELLIPSIS:
    if (ix->ellipsis) cp_raise(L, ix->where, CP_EINDEX, "an index has one ellipsis at most");
    ix->ellipsis = true;
    break;
  case CP_ITEM_ARRAY: ix->arrays++; break;
  }
  return item;
}

static void add_integer(lua_State *L, cp_index *ix, int64_t i) {
  new_item(L, ix, CP_ITEM_INTEGER)->first = i;
}

// ---- text ---------------------------------------------------------------------------------------------------------

typedef struct reader {
  lua_State *L;
  cp_index *ix;
  const char *start, *p;
} reader;

static const char *after_space(const char *p) {
  while (*p <= ' ' && (*p == ' ' || (*p >= '\t' && *p <= '\r'))) p++;
  return p;
}

static void unreadable(const reader *r) {
  if (*r->p == '\0')
    cp_raise(r->L, r->ix->where, CP_EINDEX, "cannot read the index \"%.40s\": an item is missing at its end",
             r->start);
  cp_raise(r->L, r->ix->where, CP_EINDEX, "cannot read the index \"%.40s\" at character %d", r->start,
           (int)(r->p - r->start) + 1);
}

// A whole number with an optional sign; numbers that are too large for any axis stop at the largest.
static bool read_number(reader *r, int64_t *v) {
  const char *p = r->p = after_space(r->p);
  bool negative = *p == '-';
  if (negative || *p == '+') p++;
  if (*p < '0' || *p > '9') return false;
  int64_t n = 0;
  for (; *p >= '0' && *p <= '9'; p++) n = n > (INT64_MAX - 9) / 10 ? INT64_MAX : n * 10 + (*p - '0');
  *v = negative ? -n : n;
  r->p = after_space(p);
  return true;
}

// What follows the first number (if there is one) of a range; r->p is at its colon.
static void read_text_range(reader *r, bool has_first, int64_t first) {
  cp_item *item = new_item(r->L, r->ix, CP_ITEM_RANGE);
  item->open_first = !has_first;
  item->first = first;
  item->step = 1;
  r->p++;
  item->open_last = !read_number(r, &item->last);
  if (*r->p != ':') return;
  r->p++;
  if (read_number(r, &item->step) && item->step == 0)
    cp_raise(r->L, r->ix->where, CP_EINDEX, "the step of a range must not be 0");
}

static bool is_name_character(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void read_text_item(reader *r) {
  int64_t first = 0;
  bool has_first = read_number(r, &first); // skips space in any case
  if (*r->p == ':') {
    read_text_range(r, has_first, first);
  } else if (has_first) {
    add_integer(r->L, r->ix, first);
  } else if (strncmp(r->p, "...", 3) == 0) {
    new_item(r->L, r->ix, CP_ITEM_ELLIPSIS);
    r->p += 3;
  } else if (strncmp(r->p, "new", 3) == 0 && !is_name_character(r->p[3])) {
    new_item(r->L, r->ix, CP_ITEM_NEWAXIS);
    r->p += 3;
  } else {
    unreadable(r);
  }
  r->p = after_space(r->p);
}

void cp_index_add_text(lua_State *L, cp_index *ix, const char *text, size_t size) {
  reader r = {L, ix, text, text};
  for (;;) {
    read_text_item(&r);
    if (*r.p != ',') break;
    r.p++;
  }
  if (r.p != text + size) unreadable(&r);
}

// ---- ranges -------------------------------------------------------------------------------------------------------

// What stands in an index table besides 1..n is on top, under its value.
static void check_other(lua_State *L, const cp_index *ix, int n) {
  if (lua_type(L, -2) == LUA_TSTRING)
    cp_raise(L, ix->where, CP_EINDEX, "an index has no named items, but '%.40s' is given",
             lua_tostring(L, -2));
  if (lua_type(L, -2) == LUA_TNUMBER && lua_tonumber(L, -2) > n)
    cp_raise(L, ix->where, CP_EINDEX,
             "an index has a hole at %d; ends can be left out in text, as in \"3::2\"", n + 1);
  lua_pop(L, 2);
}

// The length of an index table, which has no names and no holes: what stands in it besides 1..n is a mistake.
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

// The value on top, which is of this type, is no number of a range.
static void no_range_number(lua_State *L, const cp_index *ix, int type) {
  if (type == LUA_TNUMBER) not_whole(L, ix, -1);
  const char *is = cp_test_array(L, -1) != NULL ? "array" : luaL_typename(L, -1);
  cp_raise(L, ix->where, CP_EINDEX,
           "item %d of the index is a range, {first, last, step}, of whole numbers, not of %s", ix->count,
           is);
}

static void add_range(lua_State *L, cp_index *ix, int table) {
  int64_t numbers[3] = {0, 0, 1};
  int n = index_length(L, ix, table);
  if (n > 3)
    cp_raise(L, ix->where, CP_EINDEX,
             "item %d of the index has %d numbers: a range is {first, last, step}, a list of positions "
             "cp.index{...}",
             ix->count + 1, n);
  cp_item *item = new_item(L, ix, CP_ITEM_RANGE);
  for (int k = 0; k < n; k++) {
    int type = cp_rawgeti(L, table, k + 1);
    if (!cp_is_integer_of(L, type, -1, &numbers[k])) no_range_number(L, ix, type);
  }
  if (n > 0) lua_pop(L, n);
  item->open_first = item->open_last = n == 0;
  item->first = numbers[0];
  item->last = numbers[n > 1];
  item->step = numbers[2];
  if (item->step == 0) cp_raise(L, ix->where, CP_EINDEX, "the step of a range must not be 0");
}

// ---- items --------------------------------------------------------------------------------------------------------

static void add_array(lua_State *L, cp_index *ix, cp_array *a) {
  const char *dtype = cp_dtypes[a->dtype].name;
  if (ix->form == '(')
    cp_raise(L, ix->where, CP_EUSAGE,
             "the call form takes positions and ranges; to index by an array write x[y] instead of x(y)");
  if (a->dtype != CP_BOOL && !cp_is_integer(a->dtype))
    cp_raise(L, ix->where, CP_EDTYPE,
             "a %s array is no index: make positions by cp.index{...} or y:astype(\"int64\")", dtype);
  CP_CHECK(L, ix->where, cp_array_alive(a));
  new_item(L, ix, CP_ITEM_ARRAY)->array = a;
  ix->chosen += a->dtype == CP_BOOL ? a->ndim : 1;
}

static void add_userdata(lua_State *L, cp_index *ix, int slot) {
  int marker = cp_test_marker(L, slot);
  cp_array *a;
  if (marker != 0)
    new_item(L, ix, (cp_item_kind)marker);
  else if ((a = cp_test_array(L, slot)) != NULL)
    add_array(L, ix, a);
  else
    cp_raise(L, ix->where, CP_EINDEX, "item %d of the index is a value that is no index", ix->count + 1);
}

// The value at stack slot `slot` (absolute), which is of this type.
static void add_item(lua_State *L, cp_index *ix, int slot, int type) {
  int64_t i;
  size_t size;
  const char *text;
  switch (type) {
  case LUA_TNUMBER:
  case CP_LUA_TCDATA:
    if (cp_is_integer_of(L, type, slot, &i))
      add_integer(L, ix, i);
    else if (type == LUA_TNUMBER)
      not_whole(L, ix, slot);
    else
      cp_raise(L, ix->where, CP_EINDEX, "item %d of the index is cdata but no 64-bit integer", ix->count + 1);
    return;
  case LUA_TTABLE: add_range(L, ix, slot); return;
  case LUA_TSTRING:
    text = lua_tolstring(L, slot, &size);
    cp_index_add_text(L, ix, text, size);
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

void cp_index_add(lua_State *L, cp_index *ix, int slot) { add_item(L, ix, slot, lua_type(L, slot)); }

// The items stay on the stack: more of them than an index has are an error before the stack is full.
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
