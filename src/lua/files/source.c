// Whole files as texts for the Lua side, which need the capability CUPOLA_FILES.
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

void cp_open_source(lua_State *L) {
  lua_pushcfunction(L, raw_file);
  lua_setfield(L, 1, "raw_file");
}
