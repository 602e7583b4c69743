// Reads a slot of the arguments by type (args.h).
#include "lua/arguments/args.h"
#include "lua/objects/object.h"
#include "lua/state/current_device.h"
#include "lua/state/unknown.h"
#include "rules/axes.h"

#include <stdio.h>
#include <string.h>

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

// The dtype that a name of Python's or C's types or a letter stands for in NumPy, or the one of nearest
// spelling. Those names are no dtypes here, since C's float is another one than Python's.
static const char *suggest_dtype(const char *name) {
  static const char *const known[][2] = {
      {"float", "float64"}, {"int", "int64"},      {"uint", "uint64"},    {"complex", "complex128"},
      {"long", "int64"},    {"double", "float64"}, {"half", "float16"},   {"single", "float32"},
      {"short", "int16"},   {"boolean", "bool"},   {"byte", "uint8"},     {"bfloat", "bfloat16"},
      {"char", "int8"},     {"integer", "int64"},  {"number", "float64"}, {"e", "float16"},
      {"f", "float32"},     {"d", "float64"},      {"F", "complex64"},    {"D", "complex128"},
      {"b", "int8"},        {"h", "int16"},        {"i", "int32"},        {"l", "int64"},
      {"q", "int64"},       {"B", "uint8"},        {"H", "uint16"},       {"I", "uint32"},
      {"L", "uint64"},      {"Q", "uint64"}};
  const char *names[CP_NDTYPES];
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (strcmp(name, known[k][0]) == 0) return known[k][1];
  for (int k = 0; k < CP_NDTYPES; k++) names[k] = cp_dtypes[k].name;
  return cp_suggest(name, CP_NDTYPES, names);
}

cp_dtype cp_arg_dtype(lua_State *L, int index, const char *where) {
  int type = lua_type(L, index);
  if (type == LUA_TNIL || type == LUA_TNONE) return CP_NDTYPES;
  if (type != LUA_TSTRING)
    cp_raise(L, where, CP_EDTYPE, "dtype must be a name such as \"float32\", not %s",
             luaL_typename(L, index));
  const char *name = lua_tostring(L, index);
  cp_dtype t = cp_dtype_from_name(name);
  if (t != CP_NDTYPES) return t;
  const char *best = suggest_dtype(name);
  cp_raise(L, where, CP_EDTYPE, "no dtype '%s'%s%s%s", name, best ? "; did you mean '" : "", best ? best : "",
           best ? "'?" : "");
  return CP_NDTYPES;
}

cp_dtype cp_check_dtype(lua_State *L, int index, const char *where) {
  cp_dtype t = cp_arg_dtype(L, index, where);
  if (t == CP_NDTYPES) cp_raise(L, where, CP_EUSAGE, "dtype is missing");
  return t;
}

cp_casting cp_arg_casting(lua_State *L, int index, const char *where, cp_casting missing) {
  static const struct {
    const char *name;
    cp_casting rule;
  } rules[] = {{"no", CP_CAST_NO},
               {"equiv", CP_CAST_NO},
               {"safe", CP_CAST_SAFE},
               {"same_kind", CP_CAST_SAME_KIND},
               {"unsafe", CP_CAST_UNSAFE}};
  if (lua_isnoneornil(L, index)) return missing;
  const char *casting = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
  for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
    if (strcmp(casting, rules[k].name) == 0) return rules[k].rule;
  cp_not_among(L, where, "casting", "\"no\", \"equiv\", \"safe\", \"same_kind\" or \"unsafe\"", index);
  return missing;
}

cp_device *cp_arg_device(lua_State *L, int index, const char *where) {
  if (lua_isnoneornil(L, index)) return cp_current_device(L);
  cp_device *d = NULL;
  const char *name = NULL;
  if (lua_type(L, index) == LUA_TSTRING) {
    name = lua_tostring(L, index);
  } else if (lua_istable(L, index)) { // an object of a device has its name
    lua_pushliteral(L, "name");
    if (cp_rawget(L, index < 0 ? index - 1 : index) == LUA_TSTRING)
      name = lua_tostring(L, -1); // the table keeps the string
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
    cp_raise(L, where, CP_EUSAGE, "%s contains the name '%s', but a shape has no named entries", argument,
             name);
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
  int at = 0;
  CP_CHECK(L, where, cp_axis_resolve(argument, cp_arg_integer(L, index, where, argument), ndim, &at));
  return at;
}

uint32_t cp_arg_axes(lua_State *L, int index, const char *where, const char *argument, int ndim) {
  uint32_t axes = 0;
  if (lua_isnoneornil(L, index)) return cp_all_axes(ndim);
  if (!lua_istable(L, index)) {
    int64_t axis = cp_arg_integer(L, index, where, argument);
    CP_CHECK(L, where, cp_axes_single(&axes, argument, axis, ndim));
    return axes;
  }
  int n = (int)lua_rawlen(L, index);
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, index, k);
    int64_t axis = cp_arg_integer(L, lua_gettop(L), where, argument);
    CP_CHECK(L, where, cp_axes_include(&axes, argument, axis, ndim));
    lua_pop(L, 1);
  }
  return axes;
}

bool cp_is_callable(lua_State *L, int index) {
  if (lua_isfunction(L, index)) return true;
  if (lua_type(L, index) == CP_LUA_TCDATA) return false; // all cdata have __call, but few can be called
  if (!luaL_getmetafield(L, index, "__call")) return false;
  bool refused = lua_tocfunction(L, -1) == cp_refuse_finalised;
  lua_pop(L, 1);
  return !refused;
}

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
