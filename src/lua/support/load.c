// Loading the files of the Lua side. What they use of Lua's libraries they get as locals, taken once when the module is opened, so nothing that a
// script does to globals or libraries afterwards reaches them; and a part is loaded whole or not at all.
#include "lua/support/load.h"

#include "lua/support/embedded.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char private_key = 0;     // registry: the values of the locals below, in their order
static const char environment_key = 0; // registry: the environment of the files, a table that nobody reads
static const char loaded_key = 0;      // registry: what the files returned, by module name
static const char added_key = 0;       // registry: what the part that is being loaded has added, or false

// The functions and libraries of Lua that files of the Lua side may name, as LOCALS lists them for the compiler. Libraries are copies.
// .luacheckrc allows the same names.
static const char *const functions[] = {"assert",   "error",  "ipairs",   "next",   "pairs",  "pcall",
                                        "print",    "rawget", "rawequal", "rawset", "select", "tonumber",
                                        "tostring", "type",   "xpcall",   NULL};
static const char *const libraries[] = {"math", "string", "table", NULL};
// Stands before the text of each file, on its first line: so lines keep their numbers.
static const char LOCALS[] =
    "local assert, error, ipairs, next, pairs, pcall, print, rawget, rawequal, rawset, select, "
    "tonumber, "
    "tostring, type, xpcall, math, string, table, coroutine, unpack, getmetatable, setmetatable, require = "
    "... ";

static int require_own(lua_State *L);

// getmetatable, whatever the metatable answers.
static int raw_metatable(lua_State *L) {
  luaL_checkany(L, 1);
  if (!lua_getmetatable(L, 1)) lua_pushnil(L);
  return 1;
}

// setmetatable, whatever the metatable of before answers; from now on it answers false: no script gets at a metatable of cupola's.
static int close_metatable(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  lua_pushliteral(L, "__metatable");
  lua_pushboolean(L, 0);
  lua_rawset(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

// The place behind the conversion that begins at `%`, and its letter.
static const char *conversion_end(const char *p, char *letter) {
  p += 1 + strspn(p + 1, "-+ #0123456789.");
  *letter = *p;
  return *p != '\0' ? p + 1 : p;
}

// Whether %d refuses or bends the value at index: cdata, and numbers beyond int64, which lengths and counts of scripts may be.
static bool is_beyond(lua_State *L, int index) {
  int64_t v;
  int type = lua_type(L, index);
  return type == CP_LUA_TCDATA || (type == LUA_TNUMBER && !cp_is_integer_of(L, type, index, &v));
}

// Replaces the number or cdata at index by its text.
static void make_text(lua_State *L, int index) {
  cp_scalar s = {0};
  char kind, text[400];
  bool weak;
  if (!cp_to_scalar(L, index, &s, &kind, &weak)) return;
  if (cp_is_float(s.dtype))
    snprintf(text, sizeof text, s.v.f == floor(s.v.f) ? "%.0f" : "%.14g", s.v.f);
  else if (s.dtype == CP_UINT64)
    snprintf(text, sizeof text, "%" PRIu64, s.v.u);
  else
    snprintf(text, sizeof text, "%" PRId64, s.v.i);
  lua_pushstring(L, text);
  lua_replace(L, index);
}

// Makes texts of such values that stand where the format, in slot 1, has a %d, and a %s of that.
static void take_beyond(lua_State *L, int n) {
  char letter;
  uint64_t replaced = 0; // a bit for each argument
  luaL_Buffer b;
  const char *p = luaL_checkstring(L, 1), *end;
  luaL_buffinit(L, &b);
  for (int index = 1; *p != '\0'; p = end) {
    end = *p == '%' ? conversion_end(p, &letter) : p + 1;
    bool argument = *p == '%' && letter != '%' && ++index <= n && index < 64;
    if (argument && letter == 'd' && is_beyond(L, index)) {
      replaced |= (uint64_t)1 << index;
      luaL_addlstring(&b, "%s", 2);
    } else {
      luaL_addlstring(&b, p, (size_t)(end - p));
    }
  }
  luaL_pushresult(&b);
  lua_replace(L, 1);
  for (int k = 2; k <= n && k < 64; k++)
    if (replaced >> k & 1) make_text(L, k);
}

// string.format, upvalue 1, whose %d takes every number.
static int format(lua_State *L) {
  int n = lua_gettop(L);
  bool beyond = false;
  for (int k = 2; k <= n && !beyond; k++) beyond = is_beyond(L, k);
  if (beyond) take_beyond(L, n);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, n, 1);
  return 1;
}

// Pushes field `name` of the table at index, without asking metatables; nil where that is no table.
static void push_field(lua_State *L, int index, const char *name) {
  index = lua_absindex(L, index);
  if (!lua_istable(L, index)) {
    lua_pushnil(L);
    return;
  }
  lua_pushstring(L, name);
  lua_rawget(L, index);
}

// Replaces the table on top by a copy of its own.
static void copy_table(lua_State *L) {
  int from = lua_gettop(L);
  if (!lua_istable(L, from)) return;
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, from) != 0) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, from + 1);
  }
  lua_remove(L, from);
}

// Puts `format` into the copy of the library string on top.
static void replace_format(lua_State *L) {
  push_field(L, -1, "format");
  lua_pushcclosure(L, format, 1);
  lua_setfield(L, -2, "format");
}

// Pushes what LOCALS names, as the table of globals at index has it.
static void push_private(lua_State *L, int globals) {
  int n = 0;
  lua_newtable(L);
  int values = lua_gettop(L);
  for (const char *const *f = functions; *f != NULL; f++) {
    push_field(L, globals, *f);
    if (!lua_isfunction(L, -1)) luaL_error(L, "cupola needs Lua's base library; there is no function %s", *f);
    lua_pushvalue(L, -1);
    lua_setfield(L, values, *f); // for cp_push_own
    lua_rawseti(L, values, ++n);
  }
  for (const char *const *l = libraries; *l != NULL; l++) {
    push_field(L, globals, *l);
    if (!lua_istable(L, -1)) luaL_error(L, "cupola needs Lua's library %s, which was not opened", *l);
    copy_table(L);
    if (strcmp(*l, "string") == 0) replace_format(L);
    lua_rawseti(L, values, ++n);
  }
  push_field(L, globals, "coroutine");
  copy_table(L);
  lua_rawseti(L, values, ++n);
  lua_rawgeti(L, values, n - 1);
  push_field(L, -1, "unpack");
  if (lua_isnil(L, -1)) push_field(L, globals, "unpack"); // 5.1's
  lua_rawseti(L, values, ++n);
  lua_pushcfunction(L, raw_metatable);
  lua_rawseti(L, values, ++n);
  lua_pushcfunction(L, close_metatable);
  lua_rawseti(L, values, ++n);
  lua_pushcfunction(L, require_own);
  lua_rawseti(L, values, ++n);
  lua_settop(L, values);
  lua_pushinteger(L, n);
  lua_setfield(L, values, "n");
}

// The file lua/cupola/NAME.lua, or NULL.
static const struct cp_embedded *find_embedded(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "lua/cupola/%s.lua", name);
  for (const struct cp_embedded *f = cp_embedded_files; f->name != NULL; f++)
    if (strcmp(f->name, path) == 0) return f;
  return NULL;
}

// A lua_Reader of two pieces: LOCALS, then the file.
typedef struct pieces {
  const struct cp_embedded *file;
  int next;
} pieces;

static const char *read_piece(lua_State *L, void *data, size_t *size) {
  pieces *p = data;
  (void)L;
  p->next++;
  *size = p->next == 1 ? sizeof LOCALS - 1 : p->next == 2 ? p->file->size : 0;
  return p->next == 1 ? LOCALS : p->next == 2 ? p->file->text : NULL;
}

// core.load(name): what the embedded Lua file returns, which is run for it.
static int load_embedded(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  char chunk[128];
  pieces p = {find_embedded(name), 0};
  if (p.file == NULL) return luaL_error(L, "cupola has no file lua/cupola/%s.lua", name);
  snprintf(chunk, sizeof chunk, "=cupola/%s.lua", name);
  if (cp_load(L, read_piece, &p, chunk) != LUA_OK) return lua_error(L);
  int file = lua_gettop(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &environment_key);
  cp_setenvironment(L, file);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &private_key);
  lua_getfield(L, -1, "n");
  int n = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  luaL_checkstack(L, n, "the locals of a file");
  for (int k = 1; k <= n; k++) lua_rawgeti(L, file + 1, k);
  lua_remove(L, file + 1);
  lua_call(L, n, 1);
  return 1;
}

// "cupola.kernels.types" is lua/cupola/kernels/types.lua.
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

void cp_push_own(lua_State *L, const char *name) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &private_key);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
}

// ---- parts, whole or not at all -----------------------------------------------------------------------------------

// __newindex of the tables that parts add names to: notes the name while a part is being loaded. Before it is there, so that none is forgotten.
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

// Takes out what the list at index says. Allocates nothing, and runs no Lua: so neither memory that ran out nor a hook that raises ends it.
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

// (name, tables...): runs the file, and calls what it returns with the tables.
static int run_part(lua_State *L) {
  lua_pushcfunction(L, load_embedded);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  lua_replace(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

// core.load_part(name, waiting, tables...): loads the file of that name and calls what it returns with the tables, unless waiting[name] says
// that this was done. If that fails, names that it has added are taken out again, and the error goes on; else waiting[name] is false from then on.
static int load_part(lua_State *L) {
  luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  int top = lua_gettop(L);
  luaL_checkstack(L, 2 * top + 8, "a part");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &added_key); // top + 1: of the part that loads this one
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

// ---- for tools and specs ------------------------------------------------------------------------------------------

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

// `require "cupola.core"`, `require "cupola.kernels.types"`. Not where the host closed a door.
static void open_preload(lua_State *L, int globals) {
  static const char folder[] = "lua/cupola/";
  char name[128];
  int top = lua_gettop(L);
  if (cp_state_get(L)->closed_doors != 0) return;
  push_field(L, globals, "package");
  push_field(L, -1, "preload");
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

// The name of the interpreter: LuaJIT's own, else Lua's version.
static void push_interpreter(lua_State *L, int globals) {
  push_field(L, globals, "jit");
  push_field(L, -1, "version");
  if (lua_type(L, -1) != LUA_TSTRING) lua_pushliteral(L, LUA_VERSION);
}

void cp_open_load(lua_State *L) {
  static const luaL_Reg own[] = {
      {"load", load_embedded}, {"load_part", load_part}, {"add_name", add_name}, {NULL, NULL}};
  int globals = lua_gettop(L) + 1;
  cp_pushglobals(L);
  push_private(L, globals);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &private_key);
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
