// core.define: gives the public functions of the Lua side the same arguments as C functions have (args.h);
// and checks that Lua code makes itself.
#include "lua/arguments/args.h"
#include "lua/state/depth.h"

#include <stdio.h>
#include <string.h>

typedef struct definition {
  cp_signature s;
  // `where` and then the names, each ended by a zero byte.
  char text[1024];
  const char *names[32];
  // It takes any arguments, unchanged.
  bool any;
  // The function gets its name before the arguments.
  bool named;
} definition;

// Raises an error if argument k is a null pointer of LuaJIT, which equals nil on the Lua side, but not in C.
static void refuse_null(lua_State *L, const cp_signature *s, int k) {
  int64_t v;
  if (cp_cdata_to_integer(L, k, &v) || !cp_cdata_to_address(L, k, &v) || v != 0) return;
  cp_raise(L, s->where, CP_EUSAGE, "%s is a null pointer", s->names[k - 1]);
}

// The upvalues of call_defined, after those of cp_push_named.
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

// core.define(where, "a, b, c", required, f): a C function that brings its arguments into order and calls f
// with `where` and one argument for each name. If f is a C function it knows its name, so it gets the
// arguments alone. Names may also stand in a first argument that is a table of data. The list "..." stands
// for any arguments, which f gets unchanged.
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

// ---- arguments that the Lua side checks itself ------------------------------------------------------------

// core.not_among(where, argument, choices, value): calls cp_not_among.
static int not_among(lua_State *L) {
  cp_not_among(L, luaL_checkstring(L, 1), luaL_checkstring(L, 2), luaL_checkstring(L, 3), 4);
  return 0;
}

// core.at_most(where, count, ...): raises an error if more than `count` arguments follow.
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

void cp_open_define(lua_State *L) {
  static const luaL_Reg core[] = {
      {"define", define}, {"at_most", at_most}, {"not_among", not_among}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
