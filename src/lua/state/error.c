// Raises Lua errors, in one place: finds the user's line, writes the message and remembers it for
// cp.last_error(). Takes the facts from the core's error record (cp_error_text).
#include "lua/state/error.h"

#include "device/interrupt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The chunk names of cupola's own Lua files begin with this.
#define OWN_CHUNK "=cupola/"

static bool is_user_code(const lua_Debug *ar) {
  return ar->currentline > 0 && strncmp(ar->source, OWN_CHUNK, strlen(OWN_CHUNK)) != 0;
}

void cp_user_position(lua_State *L, char *buf, size_t size) {
  lua_Debug ar;
  buf[0] = '\0';
  for (int level = 0; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (!is_user_code(&ar)) continue;
    snprintf(buf, size, "%s:%d: ", ar.short_src, ar.currentline);
    return;
  }
}

static const char named_key = 0; // a function that has this address as an upvalue has a name

enum { IS_NAMED = CP_NAMED_UPVALUES };

void cp_push_named(lua_State *L, const char *name, lua_CFunction f, int count) {
  lua_pushstring(L, name);
  lua_insert(L, -count - 1);
  lua_pushlightuserdata(L, (void *)(uintptr_t)&named_key);
  lua_insert(L, -count - 1);
  lua_pushcclosure(L, f, count + CP_NAMED_UPVALUES);
}

// The name of the function on top of the stack, which keeps the string alive; NULL if it has none.
static const char *own_name(lua_State *L) {
  if (!lua_iscfunction(L, -1) || lua_getupvalue(L, -1, IS_NAMED) == NULL) return NULL;
  bool named = lua_touserdata(L, -1) == &named_key;
  lua_pop(L, 1);
  if (!named) return NULL;
  lua_getupvalue(L, -1, CP_NAME_UPVALUE);
  const char *name = lua_tostring(L, -1);
  lua_pop(L, 1);
  return name;
}

// The public name of the function that user code called; `where` if that function has none. A function of the
// Lua side may call others of the library, which know only their own names.
static const char *called_name(lua_State *L, const char *where) {
  lua_Debug ar;
  if (!lua_checkstack(L, 2)) return where;
  for (int level = 0; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Slf", &ar);
    const char *name = own_name(L);
    lua_pop(L, 1);
    if (name != NULL) where = name;
    if (is_user_code(&ar)) break;
  }
  return where;
}

static int raise(lua_State *L, const char *where, cp_status kind, const char *fact) {
  cp_state *s = cp_state_get(L);
  where = called_name(L, where);
  char position[LUA_IDSIZE + 32];
  cp_user_position(L, position, sizeof position);
  s->error_kind = kind;
  snprintf(s->error_where, sizeof s->error_where, "%s", where);
  if (fact != s->error_message) snprintf(s->error_message, sizeof s->error_message, "%s", fact);
  lua_pushfstring(L, "%scupola.%s: %s", position, where, s->error_message);
  return lua_error(L);
}

int cp_raise(lua_State *L, const char *where, cp_status kind, const char *format, ...) {
  cp_state *s = cp_state_get(L);
  va_list args;
  va_start(args, format);
  vsnprintf(s->error_message, sizeof s->error_message, format, args);
  va_end(args);
  return raise(L, where, kind, s->error_message);
}

int cp_raise_status(lua_State *L, const char *where, cp_status status) {
  return raise(L, where, status, cp_error_text());
}

void cp_demand(lua_State *L, const char *where, bool fact, const char *must) {
  if (!fact) cp_raise(L, where, CP_EUSAGE, "%s", must);
}

void cp_check_interrupt(lua_State *L, const char *where) {
  CP_CHECK(L, where, cp_poll(&cp_state_get(L)->ctx));
}

// core.last_error(): {kind, where, message} of the last failure in this state, or nil.
static int last_error(lua_State *L) {
  cp_state *s = cp_state_get(L);
  if (s->error_kind == CP_OK) {
    lua_pushnil(L);
    return 1;
  }
  lua_createtable(L, 0, 3);
  lua_pushstring(L, cp_kind_name(s->error_kind));
  lua_setfield(L, -2, "kind");
  lua_pushstring(L, s->error_where);
  lua_setfield(L, -2, "where");
  lua_pushstring(L, s->error_message);
  lua_setfield(L, -2, "message");
  return 1;
}

// core.raise(where, kind, fact): cp_raise for the Lua side.
static int raise_from_lua(lua_State *L) {
  const char *where = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
  int kind = CP_ESHAPE;
  while (kind < CP_EUSAGE && strcmp(cp_kind_name((cp_status)kind), name) != 0) kind++;
  return cp_raise(L, where, (cp_status)kind, "%s", luaL_checkstring(L, 3));
}

void cp_open_error(lua_State *L) {
  static const luaL_Reg core[] = {{"raise", raise_from_lua}, {"last_error", last_error}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
