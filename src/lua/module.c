// luaopen_cupola: builds the module table from the C functions of this room and the embedded Lua side. Idempotent: a second call in the same
// state gives the same table.
#include "lua/module.h"

#include "lua/embedded.h"
#include "lua/generator.h"
#include "lua/index.h"
#include "lua/view.h"

#include <stdio.h>
#include <string.h>

static const char module_key = 0; // registry: the module table

// Registry: the environment of the Lua side: the globals, and its own require. So a script that takes `require` away, or a host that has no
// package library, takes nothing from it.
static const char environment_key = 0;
static const char loaded_key = 0; // registry: what the files of the Lua side returned, by module name

static int require_own(lua_State *L);

static void push_environment(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &environment_key);
  if (lua_istable(L, -1)) return;
  lua_pop(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, require_own);
  lua_setfield(L, -2, "require");
  lua_createtable(L, 0, 1);
  cp_pushglobals(L);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &environment_key);
}

// The file lua/cupola/NAME.lua, or NULL.
static const struct cp_embedded *find_embedded(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "lua/cupola/%s.lua", name);
  for (const struct cp_embedded *f = cp_embedded_files; f->name != NULL; f++)
    if (strcmp(f->name, path) == 0) return f;
  return NULL;
}

// core.load(name): the embedded Lua file as a function.
static int load_embedded(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  char chunk[128];
  const struct cp_embedded *f = find_embedded(name);
  if (f == NULL) return luaL_error(L, "cupola has no file lua/cupola/%s.lua", name);
  snprintf(chunk, sizeof chunk, "=cupola/%s.lua", name);
  if (luaL_loadbuffer(L, f->text, f->size, chunk) != LUA_OK) return lua_error(L);
  push_environment(L);
  cp_setenvironment(L, -2);
  return 1;
}

static void push_loaded(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &loaded_key);
  if (lua_istable(L, -1)) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &loaded_key);
}

// "cupola.kernels.types" is lua/cupola/kernels/types.lua; other names are those of the global require.
static int require_own(lua_State *L) {
  static const char prefix[] = "cupola.";
  const char *name = luaL_checkstring(L, 1);
  lua_settop(L, 1);
  push_loaded(L);
  lua_getfield(L, 2, name);
  if (!lua_isnil(L, -1)) return 1;
  const char *file =
      strncmp(name, prefix, sizeof prefix - 1) == 0 ? luaL_gsub(L, name + sizeof prefix - 1, ".", "/") : NULL;
  if (file == NULL || find_embedded(file) == NULL) {
    lua_getglobal(L, "require");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return 1;
  }
  lua_pushcfunction(L, load_embedded);
  lua_pushstring(L, file);
  lua_call(L, 1, 1);
  lua_call(L, 0, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name);
  return 1;
}

void cp_require(lua_State *L, const char *name) {
  lua_pushcfunction(L, require_own);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
}

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

// For tools and specs: `require "cupola.core"`, `require "cupola.kernels.types"`. Leaves values on the stack. Not where the host closed a door: these would be
// ways around it.
static void open_preload(lua_State *L) {
  static const char folder[] = "lua/cupola/";
  char name[128];
  if (cp_state_get(L)->closed_doors != 0) return;
  lua_getglobal(L, "package");
  if (lua_istable(L, -1)) lua_getfield(L, -1, "preload");
  if (!lua_istable(L, -1)) return; // a host without package: build_module clears the stack
  for (const struct cp_embedded *f = cp_embedded_files; f->name != NULL; f++) {
    size_t n = strlen(f->name);
    if (strncmp(f->name, folder, sizeof folder - 1) != 0 || n + 1 > sizeof name) continue;
    snprintf(name, sizeof name, "cupola.%.*s", (int)(n - (sizeof folder - 1) - strlen(".lua")),
             f->name + sizeof folder - 1);
    for (char *c = name; *c != '\0'; c++)
      if (*c == '/') *c = '.';
    preload_name(L, name);
  }
  preload_name(L, "cupola.core");
}

// core.closed_doors(): which doors the host closed, as three booleans: files, pointers, kernels.
static int closed_doors(lua_State *L) {
  unsigned doors = cp_state_get(L)->closed_doors;
  lua_pushboolean(L, (doors & CUPOLA_FILES) != 0);
  lua_pushboolean(L, (doors & CUPOLA_POINTERS) != 0);
  lua_pushboolean(L, (doors & CUPOLA_KERNELS) != 0);
  return 3;
}

// core.default_dtype([name]): the dtype of values that come from Lua numbers; sets it when given.
static int default_dtype(lua_State *L) {
  cp_state *s = cp_state_get(L);
  lua_pushstring(L, cp_dtypes[s->default_dtype].name);
  if (lua_isnoneornil(L, 1)) return 1;
  cp_dtype t = cp_arg_dtype(L, 1, "set_default_dtype");
  if (t != CP_FLOAT32 && t != CP_FLOAT64)
    return cp_raise(L, "set_default_dtype", CP_EDTYPE, "the default must be float32 or float64, not %s",
                    cp_dtypes[t].name);
  s->default_dtype = t;
  return 1;
}

// core.dtypes(): the names of all dtypes in the order of the table.
static int dtype_names(lua_State *L) {
  lua_createtable(L, CP_NDTYPES, 0);
  for (int t = 0; t < CP_NDTYPES; t++) {
    lua_pushstring(L, cp_dtypes[t].name);
    lua_rawseti(L, -2, t + 1);
  }
  return 1;
}

static const luaL_Reg core_functions[] = {{"load", load_embedded},
                                          {"embedded", cp_generator_embedded},
                                          {"generate", cp_generator_generate},
                                          {"nvrtc_compile", cp_generator_compile},
                                          {"operations", cp_generator_operations},
                                          {"default_dtype", default_dtype},
                                          {"dtypes", dtype_names},
                                          {"closed_doors", closed_doors},
                                          {NULL, NULL}};

static void (*const openers[])(lua_State *) = {
    cp_open_error,     cp_open_unknown,     cp_open_args,    cp_open_handle,    cp_open_fusion,
    cp_open_scalar,    cp_open_ufunc,       cp_open_reduce,  cp_open_assign,    cp_open_index,
    cp_open_view,      cp_open_create,      cp_open_convert, cp_open_readback,  cp_open_print,
    cp_open_memory,    cp_open_device,      cp_open_event,   cp_open_image,     cp_open_userkernel,
    cp_open_exchange,  cp_open_file,        cp_open_text,    cp_open_share,     cp_open_stream,
    cp_open_profiler,  cp_open_runtime,     cp_open_struct,  cp_open_rawkernel, cp_open_rawmodule,
    cp_open_scan,      cp_open_sort,        cp_open_linalg,  cp_open_fft,       cp_open_random,
    cp_open_allocator, cp_open_memory_hook, cp_open_fuse,    cp_open_trace,     cp_open_bundle,
    cp_open_convolve,  cp_open_nccl,        cp_open_curand,  cp_open_graph,     cp_open_reinterpret};

// The module from three tables: core (for the Lua side only), cp, and the methods of arrays.
static int build_module(lua_State *L) {
  lua_settop(L, 0);
  for (int k = 0; k < 3; k++) lua_newtable(L);
  lua_pushvalue(L, 1);
  cp_setfuncs(L, core_functions, 0);
  push_loaded(L);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "cupola.core");
  open_preload(L);
  lua_settop(L, 3);
  for (size_t k = 0; k < sizeof openers / sizeof *openers; k++) {
    openers[k](L);
    lua_settop(L, 3);
  }
  lua_pushcfunction(L, load_embedded);
  lua_pushliteral(L, "init");
  lua_call(L, 1, 1); // the chunk,
  lua_call(L, 0, 1); // and the function that it returns
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  lua_call(L, 3, 0);
  lua_pushvalue(L, 2);
  return 1;
}

CP_API int luaopen_cupola(lua_State *L) {
#if LUA_VERSION_NUM >= 502
  luaL_checkversion(L); // a module built for another Lua is refused before it can crash
#endif
  lua_rawgetp(L, LUA_REGISTRYINDEX, &module_key);
  if (lua_istable(L, -1)) return 1;
  cp_state_open(L);
  lua_pushcfunction(L, build_module);
  lua_call(L, 0, 1);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &module_key);
  return 1;
}
