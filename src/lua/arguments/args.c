// Brings arguments, given by position or in a table of names, into the slots of a signature (args.h). C
// functions and, by core.define, the Lua side use this one mechanism.
#include "lua/arguments/args.h"
#include "lua/state/unknown.h"

#include <string.h>

static int name_index(const cp_signature *s, const char *name) {
  for (int k = 0; k < s->count; k++)
    if (strcmp(s->names[k], name) == 0) return k;
  return -1;
}

// Raises an error that lists the names of the arguments but for the first `given`, which have their values.
static void unknown_option(lua_State *L, const cp_signature *s, const char *name, int given) {
  if (s->count == 0) cp_raise(L, s->where, CP_EUSAGE, "no option '%s'; the function takes none", name);
  const char *best = cp_suggest(name, s->count, s->names);
  if (given >= s->count) given = 0;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int k = given; k < s->count; k++) {
    if (k > given) luaL_addstring(&b, ", ");
    luaL_addstring(&b, s->names[k]);
  }
  luaL_pushresult(&b);
  cp_raise(L, s->where, CP_EUSAGE, "no option '%s'%s%s%s; the options are %s", name,
           best ? " (did you mean '" : "", best ? best : "", best ? "'?)" : "", lua_tostring(L, -1));
}

// Whether the table is neither data nor names but an object, such as a device.
static bool is_object(lua_State *L, int index) {
  if (!lua_getmetatable(L, index)) return false;
  lua_pop(L, 1);
  return true;
}

bool cp_is_named(lua_State *L, int index) {
  if (!lua_istable(L, index) || lua_rawlen(L, index) > 0 || is_object(L, index)) return false;
  lua_pushnil(L);
  if (lua_next(L, index) == 0) return false;
  bool named = lua_type(L, -2) == LUA_TSTRING;
  lua_pop(L, 2);
  return named;
}

static bool is_empty(lua_State *L, int index) {
  if (!lua_istable(L, index) || lua_rawlen(L, index) > 0 || is_object(L, index)) return false;
  lua_pushnil(L);
  if (lua_next(L, index) == 0) return true;
  lua_pop(L, 2);
  return false;
}

// Whether the argument at n may be an empty table that is not one of names: required ones, data, and the axes
// of squeeze, which the array API standard requires.
static bool may_be_empty(const cp_signature *s, int n) {
  static const char *const data[] = {"x",      "y",    "to_end", "to_begin", "prepend",
                                     "append", "size", "shape",  "strides",  "devices"};
  if (n <= s->required) return true;
  if (n > s->count) return false;
  bool found = strcmp(s->where, "squeeze") == 0;
  for (size_t k = 0; k < sizeof data / sizeof *data && !found; k++)
    found = strcmp(data[k], s->names[n - 1]) == 0;
  return found;
}

// Whether the table at n, the last argument, is one of names. In an empty one all names were nil.
static bool holds_names(lua_State *L, const cp_signature *s, int n) {
  return cp_is_named(L, n) || (is_empty(L, n) && !may_be_empty(s, n));
}

const char *cp_name_in(lua_State *L, int index) {
  const char *name = NULL;
  int top = lua_gettop(L);
  size_t length = lua_rawlen(L, index);
  lua_pushvalue(L, index);
  if (length > 0 && length < INT32_MAX)
    lua_pushinteger(L, (lua_Integer)length); // a table filled in order has its names after that
  else
    lua_pushnil(L);
  while (name == NULL && lua_next(L, top + 1) != 0) {
    if (lua_type(L, -2) == LUA_TSTRING) name = lua_tostring(L, -2); // the table keeps the string
    lua_pop(L, 1);
  }
  lua_settop(L, top);
  return name;
}

// Moves the named values of the table at `from` into their slots; raises an error if a slot was given by
// position too. given: arguments by position; if there is none, the table itself is in slot 1, and stays
// there until the named value for that slot is taken.
static void take_names(lua_State *L, const cp_signature *s, int from, int given) {
  for (lua_pushnil(L); lua_next(L, from) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue; // the array part is data
    const char *name = lua_tostring(L, -2);
    int k = name_index(s, name);
    if (k < 0) unknown_option(L, s, name, given);
    if (given == 0 && k == 0 && from == 1) continue; // taken last, as it replaces the table itself
    if (!lua_isnil(L, k + 1)) cp_raise(L, s->where, CP_EUSAGE, "%s is given by position and by name", name);
    lua_pushvalue(L, -1);
    lua_replace(L, k + 1);
  }
}

// Takes the values of a single table of names, `f{x = ..., n = ...}`. The value named for slot 1, or nil,
// replaces the table.
static void take_alone(lua_State *L, const cp_signature *s) {
  take_names(L, s, 1, 0);
  lua_pushstring(L, s->names[0]);
  lua_rawget(L, 1);
  lua_replace(L, 1);
}

// Takes names inside a first argument that is a table of data. A copy without them stays in slot 1, since
// data have no names.
static void take_inner(lua_State *L, const cp_signature *s) {
  if (!lua_istable(L, 1) || lua_rawlen(L, 1) == 0 || is_object(L, 1) || cp_name_in(L, 1) == NULL) return;
  take_names(L, s, 1, 1);
  lua_createtable(L, (int)lua_rawlen(L, 1), 0);
  for (lua_pushnil(L); lua_next(L, 1) != 0;) {
    bool data = lua_type(L, -2) != LUA_TSTRING;
    lua_pushvalue(L, -2);
    lua_insert(L, -2); // table, key, key, value
    if (data)
      lua_rawset(L, -4);
    else
      lua_pop(L, 2);
  }
  lua_replace(L, 1);
}

// Raises an error for names in tables where they would have no effect: anywhere but in the last table and the
// first argument.
static void refuse_names(lua_State *L, const cp_signature *s, int from, int to) {
  for (int k = from; k <= to; k++) {
    if (!lua_istable(L, k) || lua_rawlen(L, k) == 0 || is_object(L, k)) continue;
    const char *name = cp_name_in(L, k);
    if (name != NULL)
      cp_raise(L, s->where, CP_EUSAGE,
               "%s contains the name '%s'; named arguments go into a table of their own, the last argument",
               s->names[k - 1], name);
  }
}

static bool is_dtype(const char *name) {
  return name[0] == 'd' && name[1] == 't' && strcmp(name, "dtype") == 0;
}

// Whether there is a string directly after the required arguments, in a slot that is not dtype's.
static bool has_early_dtype(lua_State *L, const cp_signature *s) {
  int slot = s->required + 1;
  return slot <= s->count && !is_dtype(s->names[slot - 1]) && lua_type(L, slot) == LUA_TSTRING;
}

// Moves that string to the slot of dtype if it is the name of a dtype.
static void move_dtype(lua_State *L, const cp_signature *s) {
  int slot = s->required + 1, k = name_index(s, "dtype");
  if (k < 0 || cp_dtype_from_name(lua_tostring(L, slot)) == CP_NDTYPES || !lua_isnil(L, k + 1)) return;
  lua_pushvalue(L, slot);
  lua_replace(L, k + 1);
  lua_pushnil(L);
  lua_replace(L, slot);
}

// Whether the n arguments are positional, without any table that might hold names.
static bool are_plain(lua_State *L, const cp_signature *s, int n) {
  if (n > s->count) return false;
  for (int k = 1; k <= n; k++)
    if (lua_istable(L, k)) return false;
  return true;
}

static void too_many(lua_State *L, const char *where, int most, int given) {
  if (most == 0)
    cp_raise(L, where, CP_EUSAGE, "takes no arguments, %d %s given", given, given == 1 ? "was" : "were");
  cp_raise(L, where, CP_EUSAGE, "takes at most %d argument%s, %d were given", most, most == 1 ? "" : "s",
           given);
}

// Sorts the n arguments, some of which may be tables of names, into the slots.
static void sort_out(lua_State *L, const cp_signature *s, int n) {
  // The stack index of a table of names, which is moved above the slots.
  int options = 0;
  bool alone = n == 1 && s->required > 0 && cp_is_named(L, 1);
  if (!alone && (n > 1 || (n == 1 && s->required == 0)) && holds_names(L, s, n)) options = n;
  int given = options ? n - 1 : n;
  if (given > s->count) {
    while (given > s->count && lua_isnil(L, given) && !options) given--;
    if (given > s->count) too_many(L, s->where, s->count, given);
    lua_settop(L, given);
  }
  refuse_names(L, s, 2, given);
  // The slots 1..count, then the table.
  if (options) {
    lua_pushvalue(L, options);
    lua_remove(L, options);
    while (lua_gettop(L) - 1 < s->count) {
      lua_pushnil(L);
      lua_insert(L, -2);
    }
    take_names(L, s, s->count + 1, given);
  }
  lua_settop(L, s->count);
  if (alone)
    take_alone(L, s);
  else if (given > 0)
    take_inner(L, s);
}

int cp_given_arguments(lua_State *L, const cp_signature *s) {
  enum { WORK = 8 };
  int n = lua_gettop(L);
  if (s->count > LUA_MINSTACK - WORK) luaL_checkstack(L, s->count + WORK, "too many arguments");
  if (are_plain(L, s, n)) {
    if (n <= s->required || !has_early_dtype(L, s)) return n;
    lua_settop(L, s->count);
  } else {
    sort_out(L, s, n);
    if (!has_early_dtype(L, s)) return s->count;
  }
  move_dtype(L, s);
  return s->count;
}

void cp_arguments(lua_State *L, const cp_signature *s) {
  if (cp_given_arguments(L, s) < s->count) lua_settop(L, s->count);
}

void cp_at_most(lua_State *L, const char *where, int count) {
  int n = lua_gettop(L);
  cp_signature s = {where, NULL, 0, 0};
  while (n > count && lua_isnil(L, n)) n--;
  if (n <= count) return;
  if (n == count + 1 && cp_is_named(L, n)) unknown_option(L, &s, cp_name_in(L, n), 0);
  too_many(L, where, count, n);
}
