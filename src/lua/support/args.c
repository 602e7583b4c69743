// Arguments: positions, then a table of names; one mechanism for C functions and, through core.define, for the Lua side.
#include "lua/support/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------------------------------

static int name_index(const cp_signature *s, const char *name) {
  for (int k = 0; k < s->count; k++)
    if (strcmp(s->names[k], name) == 0) return k;
  return -1;
}

static void unknown_option(lua_State *L, const cp_signature *s, const char *name) {
  if (s->count == 0) cp_raise(L, s->where, CP_EUSAGE, "no option '%s'; there are none", name);
  const char *best = cp_suggest(name, s->count, s->names);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int k = 0; k < s->count; k++) {
    if (k > 0) luaL_addstring(&b, ", ");
    luaL_addstring(&b, s->names[k]);
  }
  luaL_pushresult(&b);
  cp_raise(L, s->where, CP_EUSAGE, "no option '%s'%s%s%s; there are %s", name, best ? " (did you mean '" : "",
           best ? best : "", best ? "'?)" : "", lua_tostring(L, -1));
}

// A table that is neither data nor names but an object, such as a device.
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

// Whether the table at n, the last one of the arguments, is there for names: also an empty one, where a table could not be meant for its slot.
static bool holds_names(lua_State *L, const cp_signature *s, int n) {
  static const char *const plain[] = {
      "dtype",   "device", "order",    "mode", "method", "kind", "out",       "output", "copy",  "keepdims",
      "casting", "n",      "k",        "N",    "M",      "ddof", "decimals",  "norm",   "start", "stop",
      "step",    "num",    "endpoint", "rtol", "atol",   "tol",  "equal_nan", "fs",     "cval",  "side"};
  if (cp_is_named(L, n)) return true;
  if (!is_empty(L, n)) return false;
  bool found = n > s->count;
  for (size_t k = 0; k < sizeof plain / sizeof *plain && !found; k++)
    found = strcmp(plain[k], s->names[n - 1]) == 0;
  return found;
}

const char *cp_name_in(lua_State *L, int index) {
  const char *name = NULL;
  int top = lua_gettop(L);
  size_t length = lua_rawlen(L, index);
  lua_pushvalue(L, index);
  if (length > 0 && length < INT32_MAX)
    lua_pushinteger(L, (lua_Integer)length); // a table that was filled in order has its names behind that
  else
    lua_pushnil(L);
  while (name == NULL && lua_next(L, top + 1) != 0) {
    if (lua_type(L, -2) == LUA_TSTRING) name = lua_tostring(L, -2); // the table keeps it
    lua_pop(L, 1);
  }
  lua_settop(L, top);
  return name;
}

// Moves the named values of the table at `from` into their slots; slots already given by position are an error. alone: the table is slot 1 only
// until its own value is taken.
static void take_names(lua_State *L, const cp_signature *s, int from, bool alone) {
  for (lua_pushnil(L); lua_next(L, from) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue; // the array part is data
    const char *name = lua_tostring(L, -2);
    int k = name_index(s, name);
    if (k < 0) unknown_option(L, s, name);
    if (alone && k == 0) continue; // taken last: it replaces the table itself
    if (!lua_isnil(L, k + 1)) cp_raise(L, s->where, CP_EUSAGE, "%s is given by position and by name", name);
    lua_pushvalue(L, -1);
    lua_replace(L, k + 1);
  }
}

// One table of names alone: `f{x = ..., n = ...}`. Its slot 1 value, if named, replaces the table.
static void take_alone(lua_State *L, const cp_signature *s) {
  take_names(L, s, 1, true);
  lua_pushstring(L, s->names[0]);
  lua_rawget(L, 1);
  lua_replace(L, 1);
}

// Names inside a first argument that is a table of data. What stays in slot 1 is a table without them, as data have none.
static void take_inner(lua_State *L, const cp_signature *s) {
  if (!lua_istable(L, 1) || lua_rawlen(L, 1) == 0 || is_object(L, 1) || cp_name_in(L, 1) == NULL) return;
  take_names(L, s, 1, false);
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

// Names stand in the last table or in the first argument; in others nobody would see them.
static void refuse_names(lua_State *L, const cp_signature *s, int from, int to) {
  for (int k = from; k <= to; k++) {
    if (!lua_istable(L, k) || lua_rawlen(L, k) == 0 || is_object(L, k)) continue;
    const char *name = cp_name_in(L, k);
    if (name != NULL)
      cp_raise(L, s->where, CP_EUSAGE,
               "%s holds the name '%s'; names stand in a table of their own, the last one", s->names[k - 1],
               name);
  }
}

static bool is_dtype(const char *name) {
  return name[0] == 'd' && name[1] == 't' && strcmp(name, "dtype") == 0;
}

// Whether there is text directly after the required arguments, where another one than dtype has its slot.
static bool has_early_dtype(lua_State *L, const cp_signature *s) {
  int slot = s->required + 1;
  return slot <= s->count && !is_dtype(s->names[slot - 1]) && lua_type(L, slot) == LUA_TSTRING;
}

// A dtype name there stands for dtype.
static void move_dtype(lua_State *L, const cp_signature *s) {
  int slot = s->required + 1, k = name_index(s, "dtype");
  if (k < 0 || cp_dtype_from_name(lua_tostring(L, slot)) == CP_NDTYPES || !lua_isnil(L, k + 1)) return;
  lua_pushvalue(L, slot);
  lua_replace(L, k + 1);
  lua_pushnil(L);
  lua_replace(L, slot);
}

// Whether n arguments are positions without a table that might hold names.
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

// The n arguments, some of which may be tables of names.
static void sort_out(lua_State *L, const cp_signature *s, int n) {
  int options = 0; // stack index of a table of names that is kept above the slots
  bool alone = n == 1 && s->required > 0 && cp_is_named(L, 1);
  if (!alone && (n > 1 || (n == 1 && s->required == 0)) && holds_names(L, s, n)) options = n;
  int given = options ? n - 1 : n;
  if (given > s->count) {
    while (given > s->count && lua_isnil(L, given) && !options) given--;
    if (given > s->count) too_many(L, s->where, s->count, given);
    lua_settop(L, given);
  }
  refuse_names(L, s, 2, given);
  if (options) { // slots 1..count, then the table
    lua_pushvalue(L, options);
    lua_remove(L, options);
    while (lua_gettop(L) - 1 < s->count) {
      lua_pushnil(L);
      lua_insert(L, -2);
    }
    take_names(L, s, s->count + 1, false);
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
  if (n == count + 1 && cp_is_named(L, n)) unknown_option(L, &s, cp_name_in(L, n));
  too_many(L, where, count, n);
}

// ---- typed access -------------------------------------------------------------------------------------------------

int64_t cp_arg_integer(lua_State *L, int index, const char *where, const char *argument) {
  int64_t v;
  if (cp_to_integer(L, index, &v)) return v;
  if (lua_type(L, index) == LUA_TNUMBER)
    cp_raise(L, where, CP_EUSAGE, "%s must be a whole number, not %.14g", argument,
             (double)lua_tonumber(L, index));
  cp_raise(L, where, CP_EUSAGE, "%s must be a whole number, not %s", argument,
           lua_isnoneornil(L, index) ? "nil (missing)" : luaL_typename(L, index));
  return 0;
}

int64_t cp_arg_integer_or(lua_State *L, int index, const char *where, const char *argument, int64_t missing) {
  return lua_isnoneornil(L, index) ? missing : cp_arg_integer(L, index, where, argument);
}

double cp_arg_number(lua_State *L, int index, const char *where, const char *argument) {
  int64_t v;
  if (lua_type(L, index) == LUA_TNUMBER) return cp_todouble(L, index);
  if (cp_to_integer(L, index, &v)) return (double)v;
  cp_raise(L, where, CP_EUSAGE, "%s must be a number, not %s", argument,
           lua_isnoneornil(L, index) ? "nil (missing)" : luaL_typename(L, index));
  return 0;
}

bool cp_arg_boolean_or(lua_State *L, int index, const char *where, const char *argument, bool missing) {
  if (lua_isnoneornil(L, index)) return missing;
  if (lua_type(L, index) != LUA_TBOOLEAN)
    cp_raise(L, where, CP_EUSAGE, "%s must be true or false, not %s", argument, luaL_typename(L, index));
  return lua_toboolean(L, index) != 0;
}

cp_dtype cp_arg_dtype(lua_State *L, int index, const char *where) {
  int type = lua_type(L, index);
  if (type == LUA_TNIL || type == LUA_TNONE) return CP_NDTYPES;
  if (type != LUA_TSTRING)
    cp_raise(L, where, CP_EDTYPE, "dtype must be a name such as \"float32\", not %s",
             luaL_typename(L, index));
  const char *name = lua_tostring(L, index), *names[CP_NDTYPES];
  cp_dtype t = cp_dtype_from_name(name);
  if (t != CP_NDTYPES) return t;
  for (int k = 0; k < CP_NDTYPES; k++) names[k] = cp_dtypes[k].name;
  const char *best = cp_suggest(name, CP_NDTYPES, names);
  cp_raise(L, where, CP_EDTYPE, "no dtype '%s'%s%s%s", name, best ? "; did you mean '" : "", best ? best : "",
           best ? "'?" : "");
  return CP_NDTYPES;
}

cp_dtype cp_check_dtype(lua_State *L, int index, const char *where) {
  cp_dtype t = cp_arg_dtype(L, index, where);
  if (t == CP_NDTYPES) cp_raise(L, where, CP_EUSAGE, "dtype is missing");
  return t;
}

cp_device *cp_arg_device(lua_State *L, int index, const char *where) {
  if (lua_isnoneornil(L, index)) return cp_current_device(L);
  cp_device *d = NULL;
  const char *name = NULL;
  if (lua_type(L, index) == LUA_TSTRING) {
    name = lua_tostring(L, index);
  } else if (lua_istable(L, index)) { // a device object carries its name
    lua_pushliteral(L, "name");
    if (cp_rawget(L, index < 0 ? index - 1 : index) == LUA_TSTRING)
      name = lua_tostring(L, -1); // the table keeps it
    lua_pop(L, 1);
  }
  if (name == NULL)
    cp_raise(L, where, CP_EUSAGE, "device must be a name such as \"cpu\" or \"cuda:0\", not %s",
             luaL_typename(L, index));
  CP_CHECK(L, where, cp_device_find(name, &d));
  return d;
}

int cp_arg_shape(lua_State *L, int index, const char *where, const char *argument, int64_t *shape) {
  int64_t one;
  int type = lua_type(L, index);
  if (cp_is_integer_of(L, type, index, &one) || (type == LUA_TUSERDATA && cp_to_integer(L, index, &one))) {
    if (one < 0)
      cp_raise(L, where, CP_ESHAPE, "%s must not be negative, but is %lld", argument, (long long)one);
    shape[0] = one;
    return 1;
  }
  if (type != LUA_TTABLE)
    cp_raise(L, where, CP_EUSAGE, "%s must be a table of whole numbers or one whole number, not %s", argument,
             lua_isnoneornil(L, index) ? "nil (missing)" : luaL_typename(L, index));
  int n = (int)lua_rawlen(L, index);
  const char *name = cp_name_in(L, index);
  if (name != NULL)
    cp_raise(L, where, CP_EUSAGE, "%s holds the name '%s', which shapes do not have", argument, name);
  if (n > CP_MAXDIM)
    cp_raise(L, where, CP_ESHAPE, "%s has %d axes; at most %d are possible", argument, n, CP_MAXDIM);
  for (int d = 0; d < n; d++) {
    lua_rawgeti(L, index, d + 1);
    if (!cp_to_integer(L, -1, &shape[d])) {
      if (lua_type(L, -1) == LUA_TNUMBER)
        cp_raise(L, where, CP_ESHAPE, "%s[%d] must be a whole number, not %.14g", argument, d + 1,
                 (double)lua_tonumber(L, -1));
      cp_raise(L, where, CP_ESHAPE, "%s[%d] must be a whole number, not %s", argument, d + 1,
               luaL_typename(L, -1));
    }
    if (shape[d] < 0)
      cp_raise(L, where, CP_ESHAPE, "%s[%d] must not be negative, but is %lld", argument, d + 1,
               (long long)shape[d]);
    lua_pop(L, 1);
  }
  return n;
}

int cp_arg_axis(lua_State *L, int index, const char *where, const char *argument, int ndim) {
  int64_t axis = cp_arg_integer(L, index, where, argument);
  if (axis == 0) cp_raise(L, where, CP_EINDEX, "%s counts from 1; 0 is not an axis", argument);
  if (axis > ndim || axis < -ndim)
    cp_raise(L, where, CP_EINDEX, "%s %lld is out of range for an array with %d %s", argument,
             (long long)axis, ndim, ndim == 1 ? "axis" : "axes");
  return (int)(axis > 0 ? axis - 1 : axis + ndim);
}

uint32_t cp_arg_axes(lua_State *L, int index, const char *where, const char *argument, int ndim) {
  if (lua_isnoneornil(L, index)) return ndim == 32 ? UINT32_MAX : (1U << ndim) - 1;
  int64_t only;
  if (ndim == 0 && cp_to_integer(L, index, &only) && (only == 1 || only == -1)) return 0;
  if (!lua_istable(L, index)) return 1U << cp_arg_axis(L, index, where, argument, ndim);
  uint32_t axes = 0;
  int n = (int)lua_rawlen(L, index);
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, index, k);
    uint32_t bit = 1U << cp_arg_axis(L, lua_gettop(L), where, argument, ndim);
    if (axes & bit) cp_raise(L, where, CP_EINDEX, "%s names an axis twice", argument);
    axes |= bit;
    lua_pop(L, 1);
  }
  return axes;
}

bool cp_is_callable(lua_State *L, int index) {
  if (lua_isfunction(L, index)) return true;
  if (lua_type(L, index) == CP_LUA_TCDATA) return false; // all of them have __call, and few can be called
  if (!luaL_getmetafield(L, index, "__call")) return false;
  bool refused = lua_tocfunction(L, -1) == cp_refuse_finalised;
  lua_pop(L, 1);
  return !refused;
}

// ---- core.define --------------------------------------------------------------------------------------------------

typedef struct definition {
  cp_signature s;
  char text[1024]; // the names, NUL-separated, after `where`
  const char *names[32];
  bool any;   // takes any arguments, as they come
  bool named; // the function gets its name before them
} definition;

void cp_not_among(lua_State *L, const char *where, const char *argument, const char *choices, int index) {
  char value[64];
  switch (lua_type(L, index)) {
  case LUA_TSTRING: snprintf(value, sizeof value, "\"%.50s\"", lua_tostring(L, index)); break;
  case LUA_TNUMBER: snprintf(value, sizeof value, "%.14g", (double)lua_tonumber(L, index)); break;
  case LUA_TBOOLEAN: snprintf(value, sizeof value, "%s", lua_toboolean(L, index) ? "true" : "false"); break;
  case LUA_TNIL:
  case LUA_TNONE: snprintf(value, sizeof value, "nil (missing)"); break;
  default: snprintf(value, sizeof value, "a %s", luaL_typename(L, index));
  }
  cp_raise(L, where, CP_EUSAGE, "%s must be %s, not %s", argument, choices, value);
}

// core.not_among(where, argument, choices, value): see cp_not_among.
static int not_among(lua_State *L) {
  cp_not_among(L, luaL_checkstring(L, 1), luaL_checkstring(L, 2), luaL_checkstring(L, 3), 4);
  return 0;
}

// A null pointer of LuaJIT's is equal to nil for the Lua side, and none for C.
static void refuse_null(lua_State *L, const cp_signature *s, int k) {
  int64_t v;
  if (cp_cdata_to_integer(L, k, &v) || !cp_cdata_to_address(L, k, &v) || v != 0) return;
  cp_raise(L, s->where, CP_EUSAGE, "%s is a null pointer", s->names[k - 1]);
}

// Upvalues of call_defined, behind those of cp_push_named.
enum { DEFINITION = CP_NAMED_UPVALUES + 1, FUNCTION };

static int call_defined(lua_State *L) {
  const definition *d = lua_touserdata(L, lua_upvalueindex(DEFINITION));
  if (!d->any) cp_arguments(L, &d->s);
  for (int k = 1; k <= d->s.count; k++)
    if (lua_type(L, k) == CP_LUA_TCDATA) refuse_null(L, &d->s, k);
  for (int k = 0; k < d->s.required; k++)
    if (lua_isnil(L, k + 1)) return cp_raise(L, d->s.where, CP_EUSAGE, "%s is missing", d->s.names[k]);
  int given = lua_gettop(L);
  luaL_checkstack(L, given + 2, "too many arguments");
  lua_pushvalue(L, lua_upvalueindex(FUNCTION));
  if (d->named) lua_pushvalue(L, lua_upvalueindex(CP_NAME_UPVALUE));
  for (int k = 1; k <= given; k++) lua_pushvalue(L, k);
  cp_call(L, d->s.where, given + d->named, LUA_MULTRET);
  return lua_gettop(L) - given;
}

// core.define(where, "a, b, c", required, f): a C function that brings its arguments into order and calls f with `where` and one argument per
// name; an f of C knows its name, and gets the arguments alone. Names may stand in a first argument that is a table of data, too. The list "..."
// stands for any arguments, which f gets as they are.
static int define(lua_State *L) {
  const char *where = luaL_checkstring(L, 1), *list = luaL_checkstring(L, 2);
  luaL_checktype(L, 4, LUA_TFUNCTION);
  definition *d = cp_newuserdata(L, sizeof *d);
  memset(d, 0, sizeof *d);
  size_t used = strlen(where) + 1;
  if (used + strlen(list) + 2 > sizeof d->text) return luaL_error(L, "definition of %s is too long", where);
  memcpy(d->text, where, used);
  d->s.where = d->text;
  d->s.names = d->names;
  d->s.required = (int)luaL_checkinteger(L, 3);
  d->any = strcmp(list, "...") == 0;
  while (!d->any && *list != '\0') {
    size_t n = strcspn(list, ", ");
    if (n > 0) {
      if (d->s.count == 32) return luaL_error(L, "definition of %s has too many names", where);
      d->names[d->s.count++] = memcpy(d->text + used, list, n);
      used += n + 1;
    }
    list += n + (list[n] != '\0');
  }
  cp_demand(L, where, d->s.required >= 0 && d->s.required <= d->s.count,
            "more names are required than there are");
  d->named = !lua_iscfunction(L, 4);
  lua_pushvalue(L, 4);
  cp_push_named(L, where, call_defined, 2);
  return 1;
}

// core.at_most(where, count, ...): raises where more arguments follow than so many.
static int at_most(lua_State *L) {
  char where[64];
  int count = (int)luaL_checkinteger(L, 2);
  snprintf(where, sizeof where, "%s", luaL_checkstring(L, 1));
  cp_demand(L, where, count >= 0 && count < 100, "count must be a number of arguments");
  lua_remove(L, 1);
  lua_remove(L, 1);
  cp_at_most(L, where, count);
  return 0;
}

void cp_open_args(lua_State *L) {
  static const luaL_Reg core[] = {
      {"define", define}, {"at_most", at_most}, {"not_among", not_among}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
