// What cp.jit (lua/cupola/jit) needs beyond Lua: where a function's text is, what its upvalues are, the
// bytecode of a text to compare it with, and the types of operations. Nothing here runs a
// script's code but the metamethods of its environments.
#include "lua/kernels/jit.h"
#include "lua/loading/libraries.h"
#include "lua/state/capability.h"
#include "lua/state/error.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"
#include "lua/values/scalar.h"

#include "array/array.h"
#include "plan/function.h"

#include <string.h>

// ---- functions --------------------------------------------------------------------------------------------

// Like Lua from 5.2 on, LuaJIT tells the parameters of a function that is not running; plain Lua 5.1 would
// crash.
#if LUA_VERSION_NUM < 502
extern int luaJIT_setmode(lua_State *L, int index, int mode) __attribute__((weak));
#define KNOWS_PARAMETERS      (luaJIT_setmode != NULL)
#define DUMP(L, writer, data) lua_dump(L, writer, data)
#else
#define KNOWS_PARAMETERS      true
#define DUMP(L, writer, data) lua_dump(L, writer, data, 1)
#endif

typedef struct pieces {
  luaL_Buffer buffer;
  bool begun;
} pieces;

// A lua_Writer. It begins the buffer, as lua_dump takes its function from the top of the stack.
static int add_piece(lua_State *L, const void *piece, size_t size, void *data) {
  pieces *p = data;
  if (!p->begun) luaL_buffinit(L, &p->buffer);
  p->begun = true;
  luaL_addlstring(&p->buffer, piece, size);
  return 0;
}

// A Lua function of a Lua function: its bytecode, without debug information where the interpreter can leave
// it out.
static int dump(lua_State *L) {
  pieces p;
  p.begun = false;
  lua_settop(L, 1);
  if (DUMP(L, add_piece, &p) != 0 || !p.begun) return 0;
  luaL_pushresult(&p.buffer);
  return 1;
}

// Pushes the bytecode of the function at index, or nil.
static void push_dump(lua_State *L, int index) {
  lua_pushvalue(L, index);
  lua_pushcfunction(L, dump);
  lua_insert(L, -2);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) return;
  lua_pop(L, 1);
  lua_pushnil(L);
}

static bool is_lua_function(lua_State *L, int index) {
  return lua_isfunction(L, index) && !lua_iscfunction(L, index);
}

static void push_parameters(lua_State *L) {
  lua_newtable(L);
  int table = lua_gettop(L);
  for (int k = 1; KNOWS_PARAMETERS; k++) {
    lua_pushvalue(L, 1);
    const char *name = lua_getlocal(L, NULL, k);
    lua_settop(L, table);
    if (name == NULL) return;
    lua_pushstring(L, name);
    lua_rawseti(L, table, k);
  }
}

static void push_upvalue_names(lua_State *L) {
  lua_newtable(L);
  int table = lua_gettop(L);
  for (int k = 1; k < 256; k++) {
    const char *name = lua_getupvalue(L, 1, k);
    lua_settop(L, table);
    if (name == NULL) return;
    lua_pushstring(L, name);
    lua_rawseti(L, table, k);
  }
}

// core.jit_function(f): {source, name (as messages show it), first, last, params, upvalues, code}; nothing
// for other values and C functions. params and upvalues are lists of names, code is the bytecode.
static int describe(lua_State *L) {
  lua_Debug ar;
  lua_settop(L, 1);
  if (!is_lua_function(L, 1)) return 0;
  lua_pushvalue(L, 1);
  if (!lua_getinfo(L, ">S", &ar)) return 0;
  lua_createtable(L, 0, 7);
  lua_pushstring(L, ar.source);
  lua_setfield(L, 2, "source");
  lua_pushstring(L, ar.short_src);
  lua_setfield(L, 2, "name");
  cp_set_number(L, "first", (uint64_t)ar.linedefined);
  cp_set_number(L, "last", (uint64_t)ar.lastlinedefined);
  push_parameters(L);
  lua_setfield(L, 2, "params");
  push_upvalue_names(L);
  lua_setfield(L, 2, "upvalues");
  push_dump(L, 1);
  lua_setfield(L, 2, "code");
  return 1;
}

bool cp_jit_load(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size), *name = luaL_checkstring(L, 2);
  lua_settop(L, 2);
  if (size > 0 && text[0] == LUA_SIGNATURE[0]) return false; // bytecode is not text
  if (luaL_loadbuffer(L, text, size, name) == LUA_OK) return true;
  lua_pushnil(L);
  lua_insert(L, -2);
  return false;
}

// core.jit_dump(text, name): the bytecode of a chunk with this text and name, which is not run; nil and the
// message if it does not compile.
static int dump_text(lua_State *L) {
  if (!cp_jit_load(L)) return lua_gettop(L) - 2;
  push_dump(L, 3);
  return 1;
}

// ---- upvalues ---------------------------------------------------------------------------------------------

static const char reads_key = 0; // registry: whether upvalues may be read

// Upvalues are read only where the host gave scripts the library `debug`, by which they could read them
// themselves.
void cp_jit_check_reading(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &reads_key);
  if (!lua_toboolean(L, -1))
    cp_raise(L, "jit", CP_EUSAGE,
             "there is no library debug here, so upvalues cannot be read; pass constants = {NAME = value}");
  lua_pop(L, 1);
}

// core.jit_reads(): whether upvalues may be read.
static int reads(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &reads_key);
  return 1;
}

// core.jit_upvalue(f, k): the value of upvalue k of the Lua function.
static int upvalue(lua_State *L) {
  int k = (int)luaL_checkinteger(L, 2);
  lua_settop(L, 1);
  luaL_argcheck(L, is_lua_function(L, 1), 1, "no Lua function");
  cp_jit_check_reading(L);
  return lua_getupvalue(L, 1, k) != NULL ? 1 : 0;
}

// Pushes the table's entry for a key, both at these places: what Lua would find, but without calling
// functions, which could do anything.
static void push_entry(lua_State *L, int table, int key) {
  enum { DEEPEST = 16 };
  lua_pushvalue(L, table);
  for (int depth = 0; depth < DEEPEST && lua_istable(L, -1); depth++) {
    lua_pushvalue(L, key);
    lua_rawget(L, -2);
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
    if (!lua_getmetatable(L, -1)) break;
    lua_pushliteral(L, "__index");
    lua_rawget(L, -2);
    lua_replace(L, -3); // the next table, or something else, takes this one's place
    lua_pop(L, 1);
  }
  lua_pushnil(L);
}

// core.jit_global(f, name): what the name means as a global in f.
static int global(lua_State *L) {
  luaL_checkstring(L, 2);
  lua_settop(L, 2);
  luaL_argcheck(L, is_lua_function(L, 1), 1, "no Lua function");
  cp_jit_check_reading(L);
#if LUA_VERSION_NUM < 502
  lua_getfenv(L, 1);
#else
  const char *name = "";
  int k = 0;
  while (name != NULL && strcmp(name, "_ENV") != 0) {
    lua_settop(L, 2);
    name = lua_getupvalue(L, 1, ++k);
  }
  if (name == NULL) return 0;
#endif
  push_entry(L, 3, 2);
  return 1;
}

// ---- operations -------------------------------------------------------------------------------------------

// core.jit_types(operation, dtypes...): the dtype that the operation computes in on operands of these dtypes,
// the dtype of its result, and a table of the dtypes of its operands; nil and the reason if it has no loop.
static int types(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  const cp_op op = cp_op_from_name(name);
  int n = lua_gettop(L) - 1;
  cp_dtype operands[CP_MAX_ARGS], loop, result;
  luaL_argcheck(L, op < CP_OP_cast, 1, "no operation");
  luaL_argcheck(L, n == cp_ops[op].arity, 1, "another number of operands");
  for (int k = 0; k < n; k++) {
    operands[k] = cp_dtype_from_name(luaL_checkstring(L, k + 2));
    luaL_argcheck(L, operands[k] < CP_NDTYPES, k + 2, "no dtype");
  }
  if (cp_op_types(op, n, operands, &loop, &result) != CP_OK) {
    lua_pushnil(L);
    lua_pushstring(L, cp_error_text());
    return 2;
  }
  lua_pushstring(L, cp_dtypes[loop].name);
  lua_pushstring(L, cp_dtypes[result].name);
  lua_createtable(L, n, 0);
  for (int k = 0; k < n; k++) {
    lua_pushstring(L, cp_dtypes[cp_op_arg_dtype(op, loop, k)].name);
    lua_rawseti(L, -2, k + 1);
  }
  return 3;
}

// ---- keys of calls ----------------------------------------------------------------------------------------

// Whether lengths, positions and steps in an array's memory are below 2^CP_JIT_SMALL. Steps of contiguous
// arrays are products of lengths.
static bool is_small(const cp_array *a, bool contiguous) {
  const int64_t limit = (int64_t)1 << CP_JIT_SMALL;
  int64_t reach = 0;
  for (int d = 0; d < a->ndim; d++) {
    if (a->shape[d] >= limit) return false;
    if (contiguous) continue;
    int64_t step = a->strides[d] / (int64_t)cp_itemsize(a->dtype);
    if (step >= limit || step <= -limit) return false;
    reach += (step < 0 ? -step : step) * a->shape[d];
    if (reach >= limit) return false;
  }
  return a->size < limit;
}

cp_jit_layout cp_jit_layout_of(const cp_array *a) {
  if (a->ndim == 1 && a->strides[0] == (int64_t)cp_itemsize(a->dtype)) // the usual array
    return (cp_jit_layout){(uint8_t)a->dtype, 1, true, a->size < (int64_t)1 << CP_JIT_SMALL};
  const bool contiguous = cp_array_contiguous(a, 'C');
  return (cp_jit_layout){(uint8_t)a->dtype, a->ndim, contiguous, is_small(a, contiguous)};
}

// Two decimal digits, as most arrays have fewer than 10 axes.
static int key_of_array(const cp_array *a, char *out) {
  const cp_jit_layout layout = cp_jit_layout_of(a);
  int n = 0;
  out[n++] = (char)('A' + layout.dtype);
  if (layout.ndim >= 10) out[n++] = (char)('0' + layout.ndim / 10);
  out[n++] = (char)('0' + layout.ndim % 10);
  out[n++] = layout.contiguous ? ';' : '!';
  if (!layout.small) out[n++] = 'L';
  return n;
}

static int key_of_scalar(cp_scalar s, char kind, bool weak, char *out) {
  const int64_t small = (int64_t)1 << CP_JIT_SMALL, limit = (int64_t)1 << 53;
  if (!weak) {
    out[0] = '=';
    out[1] = (char)('A' + (int)s.dtype);
    return 2;
  }
  out[0] = kind;
  if (kind != 'i') return 1;
  if (s.dtype == CP_FLOAT64 && s.v.f != 0) // whole, but no integer has so many bits
    out[0] = 'f';
  else if (s.dtype == CP_FLOAT64) // -0.0, which is 0 where no array of floats gives it a type
    out[0] = 'i';
  else if (s.dtype == CP_UINT64)
    out[0] = 'u';
  else if (s.v.i <= -limit || s.v.i >= limit)
    out[0] = 'l';
  else if (s.v.i <= -small || s.v.i >= small)
    out[0] = 'm';
  return 1;
}

int cp_jit_key(lua_State *L, int index, char out[CP_JIT_KEY]) {
  cp_scalar s;
  char kind;
  bool weak;
  const cp_array *a = cp_test_array(L, index);
  if (a != NULL) return key_of_array(a, out);
  if (cp_to_scalar(L, index, &s, &kind, &weak)) return key_of_scalar(s, kind, weak, out);
  out[0] = lua_type(L, index) == LUA_TTABLE ? 't' : lua_isnil(L, index) ? '0' : '?';
  return 1;
}

// core.jit_key(values, count): the key of these arguments as a string.
static int key(lua_State *L) {
  luaL_Buffer b;
  luaL_checktype(L, 1, LUA_TTABLE);
  int count = (int)luaL_checkinteger(L, 2);
  luaL_argcheck(L, count >= 0 && count <= 256, 2, "too many values");
  lua_settop(L, 1);
  luaL_checkstack(L, count + 32, "too many arguments");
  for (int k = 1; k <= count; k++) lua_rawgeti(L, 1, k);
  luaL_buffinit(L, &b);
  for (int k = 1; k <= count; k++) {
    char text[CP_JIT_KEY];
    int n = cp_jit_key(L, k + 1, text);
    luaL_addlstring(&b, text, (size_t)n);
  }
  luaL_pushresult(&b);
  return 1;
}

void cp_open_jit(lua_State *L) {
  static const luaL_Reg core[] = {
      {"jit_function", describe}, {"jit_dump", dump_text}, {"jit_reads", reads}, {"jit_upvalue", upvalue},
      {"jit_global", global},     {"jit_types", types},    {"jit_key", key},     {NULL, NULL}};
  cp_put_functions(L, 1, core);
  int top = lua_gettop(L);
  cp_pushglobals(L);
  cp_push_field(L, -1, "debug");
  cp_push_field(L, -1, "getupvalue");
  lua_pushboolean(L, lua_isfunction(L, -1));
  lua_rawsetp(L, LUA_REGISTRYINDEX, &reads_key);
  lua_settop(L, top);
  cp_open_jit_call(L);
  cp_open_jit_values(L);
}
