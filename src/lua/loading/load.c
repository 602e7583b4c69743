// Loads the files of the Lua side from the module's embedded text (embedded.h), with the locals of
// libraries.c. A part of the Lua side that is loaded at its first use is loaded completely or not at all.
#include "lua/loading/load.h"

#include "lua/loading/embedded.h"
#include "lua/loading/libraries.h"
#include "lua/state/state.h"

#include <stdio.h>
#include <string.h>

// Keys in the registry.
static const char environment_key = 0; // the environment (globals) of the files: an empty table
static const char loaded_key = 0;      // what each file returned, by module name
static const char added_key = 0;       // the names that the part being loaded has added, or false

// The file lua/cupola/NAME.lua, or NULL.
static const struct cp_embedded *find_embedded(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "lua/cupola/%s.lua", name);
  for (const struct cp_embedded *f = cp_embedded_files; f->name != NULL; f++)
    if (strcmp(f->name, path) == 0) return f;
  return NULL;
}

// What read_piece, a lua_Reader, needs to pass cp_locals and then the file.
typedef struct pieces {
  const struct cp_embedded *file;
  int next;
} pieces;

static const char *read_piece(lua_State *L, void *data, size_t *size) {
  pieces *p = data;
  (void)L;
  p->next++;
  *size = p->next == 1 ? cp_locals_size : p->next == 2 ? p->file->size : 0;
  return p->next == 1 ? cp_locals : p->next == 2 ? p->file->text : NULL;
}

// core.load(name): runs the embedded Lua file and returns what it returns.
static int load_embedded(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  char chunk[128];
  pieces p = {find_embedded(name), 0};
  if (p.file == NULL) return luaL_error(L, "cupola has no file lua/cupola/%s.lua", name);
  snprintf(chunk, sizeof chunk, "=cupola/%s.lua", name);
  if (cp_load(L, read_piece, &p, chunk) != LUA_OK) return lua_error(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &environment_key);
  cp_setenvironment(L, -2);
  lua_call(L, cp_push_locals(L), 1);
  return 1;
}

// The files' own `require`: "cupola.kernels.types" is lua/cupola/kernels/types.lua, which runs once.
static int require_own(lua_State *L) {
  static const char prefix[] = "cupola.";
  const char *name = luaL_checkstring(L, 1);
  lua_settop(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &loaded_key);
  lua_getfield(L, 2, name);
  if (!lua_isnil(L, -1)) return 1;
  const char *file =
      strncmp(name, prefix, sizeof prefix - 1) == 0 ? luaL_gsub(L, name + sizeof prefix - 1, ".", "/") : name;
  lua_pushcfunction(L, load_embedded);
  lua_pushstring(L, file);
  lua_call(L, 1, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name);
  return 1;
}

void cp_require(lua_State *L, const char *name) {
  lua_pushcfunction(L, require_own);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
}

// ---- parts, whole or not at all ---------------------------------------------------------------------------

// The __newindex of the tables that parts add names to. While a part is being loaded, it records the table
// and the name, before it adds the name, so that no name is missed.
static int add_name(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 3);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &added_key);
  if (lua_istable(L, 4) && lua_type(L, 2) == LUA_TSTRING) {
    int n = (int)lua_rawlen(L, 4);
    lua_pushvalue(L, 1);
    lua_rawseti(L, 4, n + 1);
    lua_pushvalue(L, 2);
    lua_rawseti(L, 4, n + 2);
  }
  lua_settop(L, 3);
  lua_rawset(L, 1);
  return 0;
}

// Removes the names that the list at index records. It allocates nothing and runs no Lua code, so neither a
// lack of memory nor a debug hook that raises an error can stop it halfway.
static void take_back(lua_State *L, int list) {
  int n = (int)lua_rawlen(L, list) / 2;
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, list, 2 * k - 1);
    lua_rawgeti(L, list, 2 * k);
    lua_pushnil(L);
    lua_rawset(L, -3);
    lua_pop(L, 1);
  }
}

static void set_added(lua_State *L, int index) {
  lua_pushvalue(L, index);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &added_key);
}

// A Lua function of (name, tables...): runs the file and calls the function that it returns with the tables.
static int run_part(lua_State *L) {
  lua_pushcfunction(L, load_embedded);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  lua_replace(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

// core.load_part(name, waiting, tables...): runs the file of that name and calls the function that it returns
// with the tables. On success it sets waiting[name] to false. On failure it removes the names that the part
// has added, and raises the error again.
static int load_part(lua_State *L) {
  luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  int top = lua_gettop(L);
  luaL_checkstack(L, 2 * top + 8, "a part");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &added_key); // at top + 1: the list of the part that loads this one
  lua_newtable(L);
  lua_pushcfunction(L, run_part);
  lua_pushvalue(L, 1);
  for (int k = 3; k <= top; k++) lua_pushvalue(L, k);
  set_added(L, top + 2);
  int status = lua_pcall(L, top - 1, 0, 0);
  if (status != LUA_OK) take_back(L, top + 2);
  set_added(L, top + 1);
  if (status != LUA_OK) return lua_error(L);
  lua_pushvalue(L, 1);
  lua_pushboolean(L, 0);
  lua_rawset(L, 2);
  return 0;
}

// ---- for tools and specs ----------------------------------------------------------------------------------

// A loader in package.preload: upvalue 1 is the module's name.
static int preload(lua_State *L) {
  cp_require(L, lua_tostring(L, lua_upvalueindex(1)));
  return 1;
}

static void preload_name(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, preload, 1);
  lua_rawset(L, -3);
}

// Makes `require "cupola.core"` and `require "cupola.kernels.types"` work for tools and specs, unless the
// host has taken a capability away.
static void open_preload(lua_State *L, int globals) {
  static const char folder[] = "lua/cupola/";
  char name[128];
  int top = lua_gettop(L);
  if (cp_state_get(L)->closed_doors != 0) return;
  cp_push_field(L, globals, "package");
  cp_push_field(L, -1, "preload");
  for (const struct cp_embedded *f = cp_embedded_files; lua_istable(L, -1) && f->name != NULL; f++) {
    size_t n = strlen(f->name);
    if (strncmp(f->name, folder, sizeof folder - 1) != 0 || n + 1 > sizeof name) continue;
    snprintf(name, sizeof name, "cupola.%.*s", (int)(n - (sizeof folder - 1) - strlen(".lua")),
             f->name + sizeof folder - 1);
    for (char *c = name; *c != '\0'; c++)
      if (*c == '/') *c = '.';
    preload_name(L, name);
  }
  if (lua_istable(L, -1)) preload_name(L, "cupola.core");
  lua_settop(L, top);
}

// Pushes the name of the interpreter: what LuaJIT calls itself, else Lua's version.
static void push_interpreter(lua_State *L, int globals) {
  cp_push_field(L, globals, "jit");
  cp_push_field(L, -1, "version");
  if (lua_type(L, -1) != LUA_TSTRING) lua_pushliteral(L, LUA_VERSION);
}

void cp_open_load(lua_State *L) {
  static const luaL_Reg own[] = {
      {"load", load_embedded}, {"load_part", load_part}, {"add_name", add_name}, {NULL, NULL}};
  int globals = lua_gettop(L) + 1;
  cp_pushglobals(L);
  cp_take_locals(L, globals, require_own);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &environment_key);
  lua_pushboolean(L, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &added_key);
  lua_newtable(L);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "cupola.core");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &loaded_key);
  cp_put_functions(L, 1, own);
  lua_settop(L, globals);
  push_interpreter(L, globals);
  lua_setfield(L, 1, "interpreter");
  open_preload(L, globals);
}
