// Unknown names: the error says which one was meant, or all that there are.
#include "lua/support/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 1024, FEW = 40, LIST_TEXT = 1024 };

static int compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The names in the keys of the table at index, 0 for none, and in the list: they stay where they are. Those of events of metatables are nobody's.
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

// "; there are a, b, c", where they are few.
static void list_all(int count, const char **names, char text[LIST_TEXT]) {
  size_t used = 0;
  text[0] = '\0';
  if (count == 0 || count > FEW) return;
  qsort(names, (size_t)count, sizeof *names, compare);
  for (int k = 0; k < count && used < LIST_TEXT; k++)
    used += (size_t)snprintf(text + used, LIST_TEXT - used, "%s%s",
                             k > 0       ? ", "
                             : count > 1 ? "; there are "
                                         : "; there is ",
                             names[k]);
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

// core.unknown(where, what, name, table[, fields]): the same for the Lua side; `fields` are a table too.
static int unknown(lua_State *L) {
  const char *fields[FEW + 1] = {NULL};
  lua_settop(L, 5);
  int count = lua_istable(L, 5) ? (int)lua_rawlen(L, 5) : 0;
  for (int k = 0; k < count && k < FEW; k++) {
    lua_rawgeti(L, 5, k + 1);
    fields[k] = lua_tostring(L, -1); // the table keeps it
    lua_pop(L, 1);
  }
  const char *name = luaL_checkstring(L, 3);
  return cp_raise_unknown(L, luaL_checkstring(L, 1), luaL_checkstring(L, 2), name, lua_istable(L, 4) ? 4 : 0,
                          fields);
}

void cp_open_unknown(lua_State *L) {
  lua_pushcfunction(L, unknown);
  lua_setfield(L, 1, "unknown");
}
