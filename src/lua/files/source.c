// Texts for the Lua side: whole files, and the source text of a Lua function. Files need the capability
// CUPOLA_FILES.
#include "lua/state/capability.h"
#include "lua/state/error.h"
#include "lua/state/module.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// ---- files ------------------------------------------------------------------------------------------------

// The size of the file at path, or -1 with errno if it cannot be read.
static long long file_size(const char *path) {
  struct stat s;
  if (stat(path, &s) != 0) return -1;
  if (S_ISREG(s.st_mode)) return (long long)s.st_size;
  errno = EISDIR;
  return -1;
}

typedef enum found { WHOLE, ABSENT, BROKEN } found;

// Pushes the file's bytes. If there is no file to open, or reading fails, it pushes nothing and errno says
// why. Memory comes first, so that a Lua error cannot leave the file open.
static found push_file(lua_State *L, const char *path) {
  long long size = file_size(path);
  char *bytes = size >= 0 ? cp_newuserdata(L, (size_t)size + 1) : NULL;
  FILE *f = size >= 0 ? fopen(path, "rbe") : NULL;
  if (f == NULL) return ABSENT;
  size_t n = fread(bytes, 1, (size_t)size + 1, f);
  int failure = ferror(f) ? errno : n > (size_t)size ? EBUSY : 0; // the last case: the file is growing
  fclose(f);
  errno = failure;
  if (failure == 0) lua_pushlstring(L, bytes, n);
  return failure == 0 ? WHOLE : BROKEN;
}

// core.raw_file(path[, where]): the file's bytes, or nil and the reason if it cannot be opened. where: the
// name for errors.
static int raw_file(lua_State *L) {
  const char *path = luaL_checkstring(L, 1), *where = luaL_optstring(L, 2, "RawModule");
  cp_check_capability(L, where, CUPOLA_FILES);
  found is = push_file(L, path);
  if (is == WHOLE) return 1;
  if (is == BROKEN)
    return cp_raise(L, where, CP_EIO, "%s could not be read completely: %s", path, strerror(errno));
  lua_pushnil(L);
  lua_pushstring(L, strerror(errno));
  return 2;
}

// ---- functions --------------------------------------------------------------------------------------------

// Like Lua from 5.2 on, LuaJIT tells the parameters of a function that is not running; plain Lua 5.1 would
// crash.
#if LUA_VERSION_NUM < 502
extern int luaJIT_setmode(lua_State *L, int index, int mode) __attribute__((weak));
#define KNOWS_PARAMETERS (luaJIT_setmode != NULL)
#else
#define KNOWS_PARAMETERS true
#endif

// Pushes a table whose keys are the names of the parameters of the function at slot 1.
static void push_parameters(lua_State *L) {
  lua_newtable(L);
  int table = lua_gettop(L);
  for (int k = 1; KNOWS_PARAMETERS; k++) {
    lua_pushvalue(L, 1);
    const char *name = lua_getlocal(L, NULL, k);
    lua_settop(L, table);
    if (name == NULL) return;
    lua_pushboolean(L, 1);
    lua_setfield(L, table, name);
  }
}

// core.definition(f): the text that contains the function's source, the first and last line of f in it, and a
// table whose keys are the names of its parameters. Returns nothing if that is not known, or if it is in a
// file and the host denies files, as a script can give its chunk the name of any file.
static int definition(lua_State *L) {
  lua_Debug ar;
  lua_settop(L, 1);
  if (!lua_isfunction(L, 1) || lua_iscfunction(L, 1)) return 0;
  lua_pushvalue(L, 1);
  if (!lua_getinfo(L, ">S", &ar) || ar.linedefined < 1 || ar.source[0] == '=') return 0;
  if (ar.source[0] != '@')
    lua_pushstring(L, ar.source);
  else if (cp_is_denied(L, CUPOLA_FILES) || push_file(L, ar.source + 1) != WHOLE)
    return 0;
  lua_pushinteger(L, ar.linedefined);
  lua_pushinteger(L, ar.lastlinedefined);
  push_parameters(L);
  return 4;
}

void cp_open_source(lua_State *L) {
  static const luaL_Reg core[] = {{"raw_file", raw_file}, {"definition", definition}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
