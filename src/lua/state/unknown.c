// Errors about unknown names, which suggest the closest known name or list all of them.
#include "lua/state/unknown.h"
#include "lua/state/error.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the closest name -------------------------------------------------------------------------------------

static int least(int a, int b, int c) {
  int m = a < b ? a : b;
  return m < c ? m : c;
}

// The Levenshtein distance of two names of up to 31 characters, whatever their case; 99 for longer ones.
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
      row[j] = least(up + 1, row[j - 1] + 1,
                     corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1])));
      corner = up;
    }
  }
  return row[nb];
}

static int slips_allowed(const char *name) {
  size_t length = strlen(name);
  return length < 2 ? 0 : length < 4 ? 1 : 2;
}

// Replaces *best, whose distance from name is *closest, by the candidate if that is closer, or as close and
// earlier in the alphabet.
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

// core.suggest(name, list): the closest name in a list of names, or nil.
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

// ---- errors -----------------------------------------------------------------------------------------------

enum { NAMES = 1024, FEW = 40, LIST_TEXT = 1024 };

static int compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Collects the names in the list and in the keys of the table at index (0: there is no table). The strings
// are not copied. Keys that begin with '_' are left out: they are metamethods, which nobody asks for by name.
static int gather(lua_State *L, int index, const char *const *list, const char **names) {
  int count = 0;
  for (; list != NULL && list[count] != NULL && count < NAMES; count++) names[count] = list[count];
  if (index == 0) return count;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || lua_tostring(L, -2)[0] == '_' || count >= NAMES) continue;
    names[count++] = lua_tostring(L, -2);
  }
  return count;
}

// Writes "; it has a, b, c" if there are few names; otherwise nothing.
static void list_all(int count, const char **names, char text[LIST_TEXT]) {
  size_t used = 0;
  text[0] = '\0';
  if (count == 0 || count > FEW) return;
  qsort(names, (size_t)count, sizeof *names, compare);
  for (int k = 0; k < count && used < LIST_TEXT; k++)
    used += (size_t)snprintf(text + used, LIST_TEXT - used, "%s%s", k > 0 ? ", " : "; it has ", names[k]);
}

int cp_raise_unknown(lua_State *L, const char *where, const char *what, const char *name, int methods,
                     const char *const *fields) {
  const char *names[NAMES];
  char list[LIST_TEXT];
  int count = gather(L, methods, fields, names);
  const char *best = cp_suggest(name, count, names);
  if (best != NULL)
    return cp_raise(L, where, CP_EUSAGE, "%s has no field or method '%s'; did you mean '%s'?", what, name,
                    best);
  list_all(count, names, list);
  return cp_raise(L, where, CP_EUSAGE, "%s has no field or method '%s'%s", what, name, list);
}

// core.unknown(where, what, name, table[, fields]): cp_raise_unknown for the Lua side; `fields` is a list.
static int unknown(lua_State *L) {
  const char *fields[FEW + 1] = {NULL};
  lua_settop(L, 5);
  int count = lua_istable(L, 5) ? (int)lua_rawlen(L, 5) : 0;
  for (int k = 0; k < count && k < FEW; k++) {
    lua_rawgeti(L, 5, k + 1);
    fields[k] = lua_tostring(L, -1); // the table keeps the string alive
    lua_pop(L, 1);
  }
  const char *name = luaL_checkstring(L, 3);
  return cp_raise_unknown(L, luaL_checkstring(L, 1), luaL_checkstring(L, 2), name, lua_istable(L, 4) ? 4 : 0,
                          fields);
}

void cp_open_unknown(lua_State *L) {
  static const luaL_Reg core[] = {{"unknown", unknown}, {"suggest", suggest}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
