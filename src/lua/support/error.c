// Raising Lua errors: one place that finds the user's line, writes the message and remembers it for cp.last_error().
#include "lua/support/state.h"

#include "device/interrupt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The library's own Lua side is loaded under names that begin with this.
#define OWN_CHUNK "=cupola/"

static bool is_user_code(const lua_Debug *ar) {
  return ar->currentline > 0 && strncmp(ar->source, OWN_CHUNK, strlen(OWN_CHUNK)) != 0;
}

// Writes "FILE:LINE: " of the innermost function that is user code; empty when there is none.
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

// The name of the library's function that user code called, where that is one of the Lua side, which calls others: those know only their own names.
static const char *called_name(lua_State *L, const char *where) {
  lua_Debug ar;
  if (!lua_checkstack(L, 2)) return where;
  for (int level = 0; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Slf", &ar);
    const char *name = cp_defined_name(L, lua_gettop(L));
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

static int least(int a, int b, int c) {
  int m = a < b ? a : b;
  return m < c ? m : c;
}

// Levenshtein's distance for names of up to 31 characters.
static int distance(const char *a, const char *b) {
  int row[33];
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > 31 || nb > 31) return 99;
  for (int j = 0; j <= nb; j++) row[j] = j;
  for (int i = 1; i <= na; i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int up = row[j];
      row[j] = least(up + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1]));
      corner = up;
    }
  }
  return row[nb];
}

static int slips_allowed(const char *name) { return strlen(name) < 4 ? 1 : 2; }

// Takes the candidate for *best, whose distance from name is *closest, when it is closer, or as close and first in the alphabet.
static void prefer(const char *name, const char *candidate, int *closest, const char **best) {
  int d = distance(name, candidate);
  if (d > *closest || (d == *closest && *best != NULL && strcmp(candidate, *best) >= 0)) return;
  *closest = d;
  *best = candidate;
}

const char *cp_suggest(const char *name, int count, const char *const *names) {
  const char *best = NULL;
  int closest = slips_allowed(name);
  for (int k = 0; k < count; k++) prefer(name, names[k], &closest, &best);
  return best;
}

// cp.last_error(): {kind, where, message} of the last failure in this state, or nil.
static int last_error(lua_State *L) {
  cp_at_most(L, "last_error", 0);
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

// core.raise(where, kind, fact): the same for the Lua side.
static int raise_from_lua(lua_State *L) {
  const char *where = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
  int kind = CP_ESHAPE;
  while (kind < CP_EUSAGE && strcmp(cp_kind_name((cp_status)kind), name) != 0) kind++;
  return cp_raise(L, where, (cp_status)kind, "%s", luaL_checkstring(L, 3));
}

// core.suggest(name, list): the closest name of a list of names, or nil.
static int suggest(lua_State *L) {
  const char *name = luaL_checkstring(L, 1), *best = NULL;
  luaL_checktype(L, 2, LUA_TTABLE);
  int n = (int)lua_rawlen(L, 2), closest = slips_allowed(name);
  lua_settop(L, 2);
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, 2, k);
    if (lua_type(L, -1) == LUA_TSTRING) prefer(name, lua_tostring(L, -1), &closest, &best);
    lua_pop(L, 1); // the list keeps the string alive
  }
  if (best == NULL) return 0;
  lua_pushstring(L, best);
  return 1;
}

void cp_open_error(lua_State *L) {
  static const luaL_Reg core[] = {{"raise", raise_from_lua}, {"suggest", suggest}, {NULL, NULL}};
  static const luaL_Reg cp[] = {{"last_error", last_error}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
  cp_put_functions(L, 2, cp);
}
