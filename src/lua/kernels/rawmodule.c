// Modules of raw kernels: turns the Lua side's declaration into what a device loads (device/raw.h), and gives
// access to variables as arrays. Relies on two functions of the Lua side, `source` and `explain`
// (core.raw_functions).
#include "lua/kernels/rawkernel.h"

#include "lua/arguments/args.h"
#include "lua/state/capability.h"
#include "lua/state/current_device.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include "cuda/run/nvrtc.h"
#include "cuda/run/precompile.h"

#include <stdlib.h>
#include <string.h>

// ---- what the Lua side describes --------------------------------------------------------------------------

// Reads the list of strings in `field` of the table at index, at most `most` of them. The result is an array
// in a userdata that stays on the stack; the table keeps the strings alive.
static const char *const *read_list(lua_State *L, const char *where, int index, const char *field, int most,
                                    int *count) {
  lua_getfield(L, index, field);
  *count = lua_istable(L, -1) ? (int)lua_rawlen(L, -1) : 0;
  if (*count > most)
    cp_raise(L, where, CP_EUSAGE, "%d %s are too many; at most %d are possible", *count, field, most);
  const char **list = cp_newuserdata(L, ((size_t)*count + 1) * sizeof *list);
  for (int k = 0; k < *count; k++) {
    if (cp_rawgeti(L, -2, k + 1) != LUA_TSTRING)
      cp_raise(L, where, CP_EUSAGE, "%s[%d] must be a string, not %s", field, k + 1, luaL_typename(L, -1));
    list[k] = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  lua_remove(L, -2);
  return list;
}

static const char *read_text(lua_State *L, int index, const char *field, size_t *size) {
  lua_getfield(L, index, field);
  const char *text = luaL_checklstring(L, -1, size);
  lua_pop(L, 1); // the table keeps the string alive
  return text;
}

static bool read_flag(lua_State *L, int index, const char *field) {
  lua_getfield(L, index, field);
  bool v = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return v;
}

// Reads the table at index, which raw.source in lua/cupola/kernels/raw.lua made. Leaves two values on the
// stack.
static void read_source(lua_State *L, const char *where, int index, cp_raw_source *s) {
  size_t unused;
  *s = (cp_raw_source){.name = where};
  s->name = read_text(L, index, "name", &unused);
  s->text = read_text(L, index, "text", &s->size);
  s->key = read_text(L, index, "key", &s->key_size);
  s->image = read_flag(L, index, "image");
  s->whole_language = read_flag(L, index, "whole_language");
  s->cuda_headers = read_flag(L, index, "cuda_headers");
  s->options = read_list(L, where, index, "options", CP_MAX_RAW_OPTIONS, &s->noptions);
  s->symbols = read_list(L, where, index, "symbols", CP_MAX_RAW_SYMBOLS, &s->nsymbols);
}

// Pushes a function of those that core.raw_functions was given.
static void push_core_function(lua_State *L, const char *name) {
  lua_getfield(L, LUA_REGISTRYINDEX, "cupola.raw");
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
}

// Raises the compiler's message together with the line of the user's source that it is about.
static void raise_compile_error(lua_State *L, const char *where, int declaration) {
  push_core_function(L, "explain");
  lua_pushvalue(L, declaration);
  lua_pushstring(L, cp_error_text());
  if (lua_pcall(L, 2, 1, 0) != LUA_OK || lua_type(L, -1) != LUA_TSTRING)
    cp_raise_status(L, where, CP_ECOMPILE);
  cp_raise(L, where, CP_ECOMPILE, "%s", lua_tostring(L, -1));
}

// Pushes the description of the module for a kind of device. declaration: its stack index. where: for errors.
static void push_source(lua_State *L, const char *where, int declaration, const char *kind) {
  push_core_function(L, "source");
  lua_pushvalue(L, declaration);
  lua_pushstring(L, kind);
  lua_pushstring(L, where);
  lua_call(L, 3, 1);
}

// While kernels are recorded for GPUs, a module that runs on the CPU device is recorded for the GPUs, too.
static void record_module(lua_State *L, const char *where, int declaration, const cp_device *device) {
  cp_raw_source s;
  int top = lua_gettop(L);
  if (strcmp(device->ops->kind, "cpu") != 0 || cp_record_archs(NULL) == 0) return;
  push_source(L, where, declaration, "cuda");
  read_source(L, where, top + 1, &s);
  cp_status status = cp_cuda_record_raw(&s, 0);
  if (status == CP_ECOMPILE) raise_compile_error(L, where, declaration);
  CP_CHECK(L, where, status);
  lua_settop(L, top);
}

// The bytes of a text with its end, which are copied to *to, if that is not NULL.
static size_t take_text(const char *text, char *to, const char **out) {
  size_t size = strlen(text) + 1;
  if (to == NULL) return size;
  memcpy(to, text, size);
  *out = to;
  return size;
}

// Reads check k of the list on top; its texts go to `to`. Returns their bytes.
static size_t read_check(lua_State *L, int k, char *to, cp_raw_check *check) {
  lua_rawgeti(L, -1, k);
  lua_getfield(L, -1, "line");
  lua_getfield(L, -2, "ndim");
  check->line = (int)lua_tointeger(L, -2);
  check->ndim = (int)lua_tointeger(L, -1);
  lua_getfield(L, -3, "file");
  lua_getfield(L, -4, "array");
  size_t file = take_text(luaL_checkstring(L, -2), to, &check->file);
  size_t array = take_text(luaL_checkstring(L, -1), to == NULL ? NULL : to + file, &check->array);
  lua_pop(L, 5);
  return file + array;
}

// Gives a module the checks that its declaration lists, in one block of memory.
static cp_status set_checks(lua_State *L, const char *where, int declaration, cp_raw_module *m) {
  cp_raw_check unused;
  cp_status status = CP_OK;
  lua_getfield(L, declaration, "checks");
  int n = lua_istable(L, -1) ? (int)lua_rawlen(L, -1) : 0;
  if (n > 0 && m->checks == NULL) {
    size_t size = strlen(where) + 1;
    for (int k = 1; k <= n; k++) size += read_check(L, k, NULL, &unused);
    cp_raw_checks *c = malloc(sizeof *c + (size_t)n * sizeof *c->list + size);
    if (c == NULL) status = cp_no_memory(where);
    char *to = c != NULL ? (char *)&c->list[n] : NULL;
    if (c != NULL) to += take_text(where, to, &c->kernel);
    for (int k = 1; c != NULL && k <= n; k++) to += read_check(L, k, to, &c->list[k - 1]);
    if (c != NULL) c->count = n;
    m->checks = c;
  }
  lua_pop(L, 1);
  return status;
}

cp_raw_module *cp_raw_need_module(lua_State *L, const char *where, int index, cp_device *device) {
  cp_raw_source s;
  cp_raw_module *m = NULL;
  int top = lua_gettop(L);
  cp_check_capability(L, where, CUPOLA_KERNELS);
  luaL_checkstack(L, 16, "too many values");
  push_source(L, where, index, device->ops->kind);
  read_source(L, where, top + 1, &s);
  if (cp_recording()) record_module(L, where, index, device);
  cp_status status = cp_raw_load(&cp_state_get(L)->ctx, device, &s, &m);
  if (status == CP_ECOMPILE) raise_compile_error(L, where, index);
  CP_CHECK(L, where, status);
  lua_settop(L, top);
  CP_CHECK(L, where, set_checks(L, where, index, m));
  return m;
}

// core.raw_load(declaration, where): loads the module on the current device.
static int load(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  cp_raw_need_module(L, luaL_checkstring(L, 2), 1, cp_current_device(L));
  return 0;
}

// ---- variables --------------------------------------------------------------------------------------------

// Reads the shape in stack slot 4, whose elements must take exactly `bytes`. nil: one axis over all elements.
static int variable_shape(lua_State *L, const char *where, cp_dtype t, size_t bytes, int64_t *shape) {
  int64_t size = 0;
  char text[CP_SHAPE_TEXT];
  if (lua_isnil(L, 4)) {
    if (bytes % cp_itemsize(t) != 0)
      cp_raise(L, where, CP_EDTYPE, "the variable has %zu bytes, which are not a whole number of %s", bytes,
               cp_dtypes[t].name);
    shape[0] = (int64_t)(bytes / cp_itemsize(t));
    return 1;
  }
  int ndim = cp_arg_shape(L, 4, where, "shape", shape);
  CP_CHECK(L, where, cp_shape_size(ndim, shape, cp_itemsize(t), &size));
  if ((size_t)size * cp_itemsize(t) != bytes)
    cp_raise(L, where, CP_ESHAPE, "the variable has %zu bytes, but an array %s of %s has %zu", bytes,
             cp_shape_text(ndim, shape, text), cp_dtypes[t].name, (size_t)size * cp_itemsize(t));
  return ndim;
}

// core.raw_global(declaration, name, dtype, shape or nil, where): an array over the module's variable on the
// current device.
static int global(lua_State *L) {
  int64_t shape[CP_MAXDIM];
  void *address = NULL;
  size_t bytes = 0;
  lua_settop(L, 5);
  luaL_checktype(L, 1, LUA_TTABLE);
  const char *name = luaL_checkstring(L, 2), *where = luaL_checkstring(L, 5);
  cp_dtype t = cp_arg_dtype(L, 3, where);
  if (t == CP_NDTYPES) t = CP_UINT8;
  cp_device *d = cp_current_device(L);
  cp_raw_module *m = cp_raw_need_module(L, where, 1, d);
  CP_CHECK(L, where, d->ops->raw->global(m, name, &address, &bytes));
  if (address == NULL)
    return cp_raise(L, where, CP_EUSAGE,
                    "the module has no variable '%s' (unused and static ones are dropped)", name);
  int ndim = variable_shape(L, where, t, bytes, shape);
  cp_array *a = cp_push_array(L, ndim);
  CP_CHECK(L, where, cp_array_layout(a, t, ndim, shape, 'C'));
  a->device = d;
  CP_CHECK(L, where, cp_array_borrow(&cp_state_get(L)->ctx, a, address, NULL, NULL));
  return 1;
}

// ---- for tools and specs ----------------------------------------------------------------------------------

// core.raw_image(declaration, arch): compiles the module with NVRTC, without a GPU. Returns the machine code
// and a list of the lowered (mangled) names.
static int image(lua_State *L) {
  cp_raw_source s;
  cp_nvrtc_output out;
  cp_check_capability(L, "RawModule", CUPOLA_KERNELS);
  luaL_checktype(L, 1, LUA_TTABLE);
  int arch = (int)luaL_checkinteger(L, 2);
  lua_settop(L, 2);
  push_source(L, "RawModule", 1, "cuda");
  read_source(L, "RawModule", 3, &s);
  lua_newtable(L);
  cp_status status = cp_nvrtc_compile_raw(&s, arch, false, &out);
  for (int k = 0; status == CP_OK && k < out.nlowered; k++) {
    // This may raise if memory runs out, and then the output leaks; for tools that is acceptable.
    lua_pushstring(L, out.lowered[k]);
    lua_rawseti(L, -2, k + 1);
  }
  lua_pushlstring(L, out.image != NULL ? out.image : "", out.size);
  cp_nvrtc_output_free(&out);
  if (status == CP_ECOMPILE) raise_compile_error(L, "RawModule", 1);
  CP_CHECK(L, "RawModule", status);
  lua_insert(L, -2);
  return 2;
}

// core.raw_functions(table): sets the functions `source` and `explain` of the Lua side that this file calls.
static int set_functions(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, "cupola.raw");
  return 0;
}

void cp_open_rawmodule(lua_State *L) {
  static const luaL_Reg core[] = {{"raw_load", load},
                                  {"raw_global", global},
                                  {"raw_image", image},
                                  {"raw_functions", set_functions},
                                  {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
