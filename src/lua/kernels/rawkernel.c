// Raw kernels as Lua sees them: calls, k[{grid, block}](...), attributes and occupancy. Arguments are read in
// rawkernel_args.c; the device launches them through ops->raw (device/raw.h).
#include "lua/kernels/rawkernel.h"

#include "lazy/arrays/access.h"
#include "lua/arguments/args.h"
#include "lua/devices/stream.h"
#include "lua/devices/texture.h"
#include "lua/objects/handles.h"
#include "lua/objects/object.h"
#include "lua/state/capability.h"
#include "lua/state/current_device.h"
#include "lua/state/unknown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static cp_raw_kernel *check_kernel(lua_State *L, int index, const char *where) {
  cp_raw_kernel *k = cp_check_object(L, index, CP_KIND_RAW_KERNEL, where, "argument 1");
  if (k->state == NULL) cp_raise(L, where, CP_EUSAGE, "the kernel could not be made");
  return k;
}

// ---- making -----------------------------------------------------------------------------------------------

// core.raw_kernel(declaration, name, symbol, params or nil, {cooperative =, strided =}): makes a kernel
// object.
static int make_kernel(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const char *name = luaL_checkstring(L, 2);
  cp_check_capability(L, name, CUPOLA_KERNELS);
  luaL_checkstring(L, 3);
  lua_settop(L, 5);
  bool known = lua_istable(L, 4);
  int count = known ? (int)lua_rawlen(L, 4) : 0;
  if (count > CP_MAX_RAW_PARAMS)
    return cp_raise(L, name, CP_EUSAGE, "%d parameters are too many; at most %d are possible", count,
                    (int)CP_MAX_RAW_PARAMS);
  cp_raw_kernel *k = cp_push_object(L, CP_KIND_RAW_KERNEL, sizeof *k + (size_t)count * sizeof *k->params);
  k->known = known;
  k->nparams = count;
  snprintf(k->name, sizeof k->name, "%s", name);
  for (int j = 0; j < count; j++) {
    lua_rawgeti(L, 4, j + 1);
    cp_raw_read_param(L, &k->params[j]);
    lua_pop(L, 1);
  }
  lua_getfield(L, 5, "cooperative");
  k->cooperative = lua_toboolean(L, -1) != 0;
  lua_getfield(L, 5, "strided");
  k->strided = lua_toboolean(L, -1) != 0;
  lua_pop(L, 2);
  lua_pushvalue(L, 1);
  k->module = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushvalue(L, 3);
  k->symbol = luaL_ref(L, LUA_REGISTRYINDEX);
  k->state = cp_state_get(L);
  return 1;
}

static void end_kernel(lua_State *L, void *object) {
  cp_raw_kernel *k = object;
  if (k->module > 0) luaL_unref(L, LUA_REGISTRYINDEX, k->module);
  if (k->symbol > 0) luaL_unref(L, LUA_REGISTRYINDEX, k->symbol);
}

// ---- the function on a device -----------------------------------------------------------------------------

// The kernel's function on the device, whose module is loaded at first use; raises.
static cp_raw_function *resolve(lua_State *L, cp_raw_kernel *k, cp_device *device) {
  cp_raw_function *f = k->functions[device->id];
  if (f != NULL) return f;
  lua_rawgeti(L, LUA_REGISTRYINDEX, k->module);
  cp_raw_module *m = cp_raw_need_module(L, k->name, lua_gettop(L), device);
  lua_rawgeti(L, LUA_REGISTRYINDEX, k->symbol);
  const char *symbol = lua_tostring(L, -1);
  CP_CHECK(L, k->name, device->ops->raw->function(m, symbol, &f));
  if (f == NULL) cp_raise(L, k->name, CP_EUSAGE, "the compiled module has no kernel '%s'", symbol);
  lua_pop(L, 2);
  cp_raw_compare_params(k, f);
  f->checks = m->checks;
  k->resolved = true;
  return k->functions[device->id] = f;
}

// ---- grids and blocks -------------------------------------------------------------------------------------

// Reads a whole number that fits into 32 bits, the usual case.
static bool read_length(lua_State *L, int index, unsigned *out) {
  if (lua_type(L, index) != LUA_TNUMBER) return false;
#if LUA_VERSION_NUM >= 503
  int exact = 0;
  lua_Integer v = lua_tointegerx(L, index, &exact);
  if (!exact) return false;
#else
  double v = lua_tonumber(L, index);
  if (v != floor(v)) return false;
#endif
  if (v < 0 || v > UINT32_MAX) return false;
  *out = (unsigned)v;
  return true;
}

// Reads a number or a table with one number, as most grids and blocks are.
static bool read_plain_extent(lua_State *L, int index, unsigned *out) {
  out[1] = out[2] = 1;
  if (!lua_istable(L, index)) return read_length(L, index, &out[0]);
  if (lua_rawlen(L, index) != 1) return false;
  lua_rawgeti(L, index, 1);
  bool plain = read_length(L, -1, &out[0]);
  lua_pop(L, 1);
  return plain;
}

// Reads the size of a grid or block: a number, or a table of one to three numbers.
static void read_extent(lua_State *L, const cp_raw_kernel *k, int index, const char *what, unsigned *out) {
  int64_t v[3] = {1, 1, 1};
  int n = 1;
  if (read_plain_extent(L, index, out)) return;
  if (lua_istable(L, index)) {
    n = (int)lua_rawlen(L, index);
    if (n < 1 || n > 3) cp_raise(L, k->name, CP_EUSAGE, "%s must have 1 to 3 numbers, but has %d", what, n);
    for (int d = 0; d < n; d++) {
      lua_rawgeti(L, index, d + 1);
      if (!cp_to_integer(L, -1, &v[d])) cp_arg_integer(L, lua_gettop(L), k->name, what);
      lua_pop(L, 1);
    }
  } else if (!cp_to_integer(L, index, &v[0])) {
    if (lua_type(L, index) == LUA_TNUMBER) cp_arg_integer(L, index, k->name, what);
    cp_raise(L, k->name, CP_EUSAGE, "%s must be a number or a table of 1 to 3 numbers, not %s", what,
             lua_isnoneornil(L, index) ? "nil (missing)" : luaL_typename(L, index));
  }
  for (int d = 0; d < n; d++)
    if (v[d] < 0 || v[d] > UINT32_MAX)
      cp_raise(L, k->name, CP_EUSAGE, "%s is %lld in dimension %d, which is out of range", what,
               (long long)v[d], d + 1);
  for (int d = 0; d < 3; d++) out[d] = (unsigned)v[d];
}

static void check_launch(lua_State *L, const cp_raw_kernel *k, const cp_raw_function *f,
                         const cp_raw_launch *l) {
  static const unsigned max_grid[3] = {2147483647, 65535, 65535}, max_block[3] = {1024, 1024, 64};
  const unsigned *b = l->block, *g = l->grid;
  int most = f->attributes[CP_RAW_MAX_THREADS];
  uint64_t threads = (uint64_t)b[0] * b[1];
  threads = threads > UINT32_MAX ? threads : threads * b[2];
  if (threads == 0) cp_raise(L, k->name, CP_EUSAGE, "block has no threads: (%u, %u, %u)", b[0], b[1], b[2]);
  if (threads > (uint64_t)most)
    cp_raise(L, k->name, CP_EUSAGE, "too many threads: block (%u, %u, %u) has %llu, the kernel allows %d",
             b[0], b[1], b[2], (unsigned long long)threads, most);
  for (int d = 0; d < 3; d++) {
    if (b[d] > max_block[d])
      cp_raise(L, k->name, CP_EUSAGE, "block has %u threads in dimension %d; at most %u are possible", b[d],
               d + 1, max_block[d]);
    if (g[d] > max_grid[d])
      cp_raise(L, k->name, CP_EUSAGE, "grid has %u blocks in dimension %d; at most %u are possible", g[d],
               d + 1, max_grid[d]);
  }
  if (l->shared > f->max_dynamic_shared)
    cp_raise(L, k->name, CP_EUSAGE,
             "too much shared memory: %zu bytes of dynamic and %d of static; at most %zu are possible",
             l->shared, f->attributes[CP_RAW_SHARED], f->max_dynamic_shared);
}

// ---- options of a call ------------------------------------------------------------------------------------

static size_t read_shared(lua_State *L, const cp_raw_kernel *k, int index) {
  int64_t bytes = cp_arg_integer(L, index, k->name, "shared_mem");
  if (bytes < 0)
    cp_raise(L, k->name, CP_EUSAGE, "shared_mem must not be negative, but is %lld", (long long)bytes);
  return (size_t)bytes;
}

static void read_option(lua_State *L, const cp_raw_kernel *k, const char *name, cp_raw_call *c) {
  if (strcmp(name, "shared_mem") == 0)
    c->launch.shared = read_shared(L, k, lua_gettop(L));
  else if (strcmp(name, "stream") == 0)
    c->stream = cp_check_stream(L, lua_gettop(L), k->name, "stream");
  else
    cp_raise(L, k->name, CP_EUSAGE, "no option '%s'; the options are shared_mem, stream", name);
}

// Reads the options at index: a table {shared_mem =, stream =}, or only a number of bytes of shared memory.
// List entries of the table are ignored.
static void read_options(lua_State *L, const cp_raw_kernel *k, int index, cp_raw_call *c) {
  c->launch.shared = 0;
  c->stream = NULL;
  if (lua_isnoneornil(L, index)) return;
  if (!lua_istable(L, index)) {
    c->launch.shared = read_shared(L, k, index);
    return;
  }
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) read_option(L, k, lua_tostring(L, -2), c);
}

// ---- launching --------------------------------------------------------------------------------------------

// Checks number and sizes of the arguments against the compiled kernel, if the source did not show the types
// of all parameters.
static void check_sizes(lua_State *L, const cp_raw_kernel *k, const cp_raw_function *f,
                        const cp_raw_arguments *a) {
  if (f->nparams < 0) return;
  if (a->count != f->nparams)
    cp_raise(L, k->name, CP_EUSAGE, "the kernel has %d parameter%s, %d argument%s given", f->nparams,
             f->nparams == 1 ? "" : "s", a->count, a->count == 1 ? " was" : "s were");
  for (int n = 0; n < a->count; n++)
    if (a->sizes[n] != f->sizes[n])
      cp_raise(L, k->name, CP_EDTYPE, "argument %d: %zu bytes were given, but the kernel takes %zu", n + 1,
               a->sizes[n], f->sizes[n]);
}

// Launches the kernel on the current stream of the device.
static cp_status run(const cp_raw_kernel *k, cp_raw_function *f, cp_raw_arguments *a, cp_raw_launch *l) {
  cp_context *ctx = &k->state->ctx;
  cp_stream *stream;
  ctx->lazy.caller = k->name;
  CP_TRY(cp_open_arrays(ctx, a->device, a->nuses, a->uses, &stream));
  for (int j = 0; j < a->nuses; j++)
    if (a->slots[j] >= 0) cp_raw_set_pointer(a, a->slots[j], cp_address(a->uses[j].array));
  l->cooperative = k->cooperative;
  l->arguments = a->addresses;
  l->count = a->count;
  bool any = l->grid[0] > 0 && l->grid[1] > 0 && l->grid[2] > 0;
  return any ? a->device->ops->raw->launch(ctx, stream, f, l) : CP_OK;
}

static cp_status run_on(cp_stream *s, const cp_raw_kernel *k, cp_raw_function *f, cp_raw_arguments *a,
                        cp_raw_launch *l) {
  cp_context *ctx = &k->state->ctx;
  cp_stream *before = cp_enter_stream(ctx, a->device, s);
  cp_status status = run(k, f, a, l);
  cp_leave_stream(ctx, a->device, before);
  return status;
}

// The device of an argument that belongs to one, or NULL.
static cp_device *device_of(lua_State *L, int index) {
  const cp_array *x = cp_test_array(L, index);
  const cp_texture *t = x == NULL ? cp_test_texture(L, index) : NULL;
  return x != NULL ? x->device : t != NULL ? t->device : NULL;
}

int cp_raw_launch_with(lua_State *L, cp_raw_kernel *k, cp_raw_call *c, cp_raw_values values) {
  const int first = values.first, count = values.count;
  cp_raw_arguments a;
  cp_use uses[CP_MAX_RAW_PARAMS];
  a.uses = uses;
  k->state->running = L;
  if (k->state->branches > 0 && k->state->chooser != L) cp_current_switch(k->state, L);
  if (count > CP_MAX_RAW_PARAMS)
    return cp_raise(L, k->name, CP_EUSAGE, "%d arguments are too many; at most %d are possible", count,
                    (int)CP_MAX_RAW_PARAMS);
  if (!k->resolved) { // compile now: the compiled kernel may correct what the source says of its parameters
    int index = first;
    while (index < first + count && device_of(L, index) == NULL) index++;
    cp_device *d = index < first + count ? device_of(L, index) : cp_device_on(L, c->stream);
    luaL_checkstack(L, 24, "too many arguments");
    resolve(L, k, d);
  }
  cp_raw_read(L, k, &values, &a);
  if (a.device == NULL) a.device = cp_device_on(L, c->stream);
  if (c->stream != NULL) cp_match_stream(L, k->name, c->stream, a.device);
  cp_raw_function *f = k->functions[a.device->id];
  if (f == NULL) f = resolve(L, k, a.device);
  if (a.unknown || !k->known) check_sizes(L, k, f, &a);
  check_launch(L, k, f, &c->launch);
  CP_CHECK(L, k->name,
           c->stream != NULL ? run_on(c->stream, k, f, &a, &c->launch) : run(k, f, &a, &c->launch));
  return 0;
}

void cp_raw_read_call(lua_State *L, const cp_raw_kernel *k, cp_raw_call *c) {
  read_extent(L, k, 2, "grid", c->launch.grid);
  read_extent(L, k, 3, "block", c->launch.block);
  read_options(L, k, 5, c);
}

// The call k(grid, block, args[, options]).
static int call_event(lua_State *L) {
  cp_raw_kernel *k = check_kernel(L, 1, "kernel");
  cp_raw_call c;
  int top = lua_gettop(L);
  if (top > 5)
    return cp_raise(L, k->name, CP_EUSAGE, "takes grid, block, args and options; %d values were given",
                    top - 1);
  lua_settop(L, 5);
  if (!lua_istable(L, 4) && !lua_isnil(L, 4))
    return cp_raise(L, k->name, CP_EUSAGE, "args must be a table of arguments, not %s", luaL_typename(L, 4));
  cp_raw_read_call(L, k, &c);
  int count = lua_isnil(L, 4) ? 0 : (int)lua_rawlen(L, 4);
  // If an argument is nil, the length may be too short; the check of that argument then reports its name.
  if (k->known && count < cp_raw_given(k)) count = cp_raw_given(k);
  if (count > CP_MAX_RAW_PARAMS) count = CP_MAX_RAW_PARAMS + 1;
  luaL_checkstack(L, count + 24, "too many arguments");
  if (lua_isnil(L, 4))
    lua_settop(L, 5 + count);
  else
    for (int n = 1; n <= count; n++) lua_rawgeti(L, 4, n);
  return cp_raw_launch_with(L, k, &c, (cp_raw_values){6, count, 0, NULL});
}

// ---- k[{grid, block}] -------------------------------------------------------------------------------------

// Launches a configured kernel. Upvalues: the kernel, the launch object (a `call`), the stream or nil.
static int call_configured(lua_State *L) {
  cp_raw_kernel *k = check_kernel(L, lua_upvalueindex(1), "kernel");
  cp_raw_call c;
  memcpy(&c, cp_check_object(L, lua_upvalueindex(2), CP_KIND_LAUNCH, "kernel", "argument 1"), sizeof c);
  // The stream may have been closed meanwhile.
  if (c.stream != NULL) c.stream = cp_check_stream(L, lua_upvalueindex(3), k->name, "stream");
  return cp_raw_launch_with(L, k, &c, (cp_raw_values){1, lua_gettop(L), 0, NULL});
}

// Pushes a function that launches the kernel with the grid, block and options in the table at index.
static int configure(lua_State *L, const cp_raw_kernel *k, int index) {
  cp_raw_call c = {{{0}, {0}, 0, false, 0, NULL}, NULL};
  lua_rawgeti(L, index, 1);
  lua_rawgeti(L, index, 2);
  if ((int)lua_rawlen(L, index) != 2)
    return cp_raise(L, k->name, CP_EUSAGE, "[{grid, block}] has %d values, not 2", (int)lua_rawlen(L, index));
  read_extent(L, k, lua_gettop(L) - 1, "grid", c.launch.grid);
  read_extent(L, k, lua_gettop(L), "block", c.launch.block);
  read_options(L, k, index, &c);
  lua_pushvalue(L, 1);
  memcpy(cp_push_object(L, CP_KIND_LAUNCH, sizeof c), &c, sizeof c);
  lua_pushliteral(L, "stream");
  lua_rawget(L, index);
  lua_pushcclosure(L, call_configured, 3);
  return 1;
}

// ---- attributes and methods -------------------------------------------------------------------------------

static const char *const field_names[] = {"name",
                                          "attributes",
                                          "max_threads_per_block",
                                          "shared_size_bytes",
                                          "const_size_bytes",
                                          "local_size_bytes",
                                          "num_regs",
                                          "ptx_version",
                                          "binary_version",
                                          "cache_mode_ca",
                                          "max_dynamic_shared_size_bytes",
                                          "preferred_shared_memory_carveout",
                                          NULL};
static const char *const *const attribute_names = field_names + 2;

static int attribute_number(const char *name) {
  for (int j = 0; name != NULL && j < CP_RAW_NATTRIBUTES; j++)
    if (strcmp(attribute_names[j], name) == 0) return j;
  return -1;
}

// Pushes the attribute that the kernel has on the current device.
static void push_attribute(lua_State *L, cp_raw_kernel *k, int which) {
  cp_device *d = cp_current_device(L);
  lua_pushinteger(L, resolve(L, k, d)->attributes[which]);
}

// k:compile(): compiles and loads the kernel on the current device now.
static int compile(lua_State *L) {
  cp_at_most(L, "compile", 1);
  resolve(L, check_kernel(L, 1, "compile"), cp_current_device(L));
  lua_settop(L, 1);
  return 1;
}

// k:occupancy(block[, shared_mem]): how many blocks a multiprocessor runs at a time.
CP_SIGNATURE(occupancy, 2, "kernel", "block", "shared_mem");
static int occupancy(lua_State *L) {
  cp_arguments(L, &occupancy_signature);
  cp_raw_kernel *k = check_kernel(L, 1, "occupancy");
  cp_device *d = cp_current_device(L);
  cp_raw_launch l = {{1, 1, 1}, {0}, 0, false, 0, NULL};
  int blocks = 0;
  read_extent(L, k, 2, "block", l.block);
  if (!lua_isnil(L, 3)) l.shared = read_shared(L, k, 3);
  cp_raw_function *f = resolve(L, k, d);
  check_launch(L, k, f, &l);
  CP_CHECK(L, k->name,
           d->ops->raw->occupancy(d, f, (int)(l.block[0] * l.block[1] * l.block[2]), l.shared, &blocks));
  lua_pushinteger(L, blocks);
  return 1;
}

// k:best_block([shared_mem[, limit]]): the block size that occupies a multiprocessor best, and how many such
// blocks fill the device.
CP_SIGNATURE(best_block, 1, "kernel", "shared_mem", "limit");
static int best_block(lua_State *L) {
  cp_arguments(L, &best_block_signature);
  cp_raw_kernel *k = check_kernel(L, 1, "best_block");
  cp_device *d = cp_current_device(L);
  int grid = 0, block = 0;
  size_t shared = lua_isnil(L, 2) ? 0 : read_shared(L, k, 2);
  int64_t limit = cp_arg_integer_or(L, 3, k->name, "limit", 0);
  if (limit < 0 || limit > INT32_MAX)
    return cp_raise(L, k->name, CP_EUSAGE, "limit must be from 0 to %d, but is %lld", INT32_MAX,
                    (long long)limit);
  cp_raw_function *f = resolve(L, k, d);
  CP_CHECK(L, k->name, d->ops->raw->best_block(d, f, shared, (int)limit, &grid, &block));
  lua_pushinteger(L, block);
  lua_pushinteger(L, grid);
  return 2;
}

static void push_attributes(lua_State *L, cp_raw_kernel *k) {
  lua_createtable(L, 0, CP_RAW_NATTRIBUTES);
  for (int j = 0; j < CP_RAW_NATTRIBUTES; j++) {
    push_attribute(L, k, j);
    lua_setfield(L, -2, attribute_names[j]);
  }
}

// Handles k.name, k.attributes, k.num_regs, k:method() and k[{grid, block}]. Upvalue 1: the methods.
static int index_event(lua_State *L) {
  cp_raw_kernel *k = check_kernel(L, 1, "kernel");
  lua_settop(L, 2);
  if (lua_istable(L, 2)) return configure(L, k, 2);
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
  int which = attribute_number(name);
  if (which >= 0) {
    push_attribute(L, k, which);
    return 1;
  }
  if (name == NULL)
    return cp_raise(L, k->name, CP_EUSAGE, "a kernel is indexed by {grid, block} or a name, not by %s",
                    luaL_typename(L, 2));
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(1));
  if (!lua_isnil(L, -1)) return 1;
  if (strcmp(name, "name") == 0)
    lua_pushstring(L, k->name);
  else if (strcmp(name, "attributes") == 0)
    push_attributes(L, k);
  else
    return cp_raise_unknown(L, k->name, "a raw kernel", name, lua_upvalueindex(1), field_names);
  return 1;
}

// Sets one of the two attributes that can be set.
static int newindex_event(lua_State *L) {
  cp_raw_kernel *k = check_kernel(L, 1, "kernel");
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
  int which = attribute_number(name);
  if (which < CP_RAW_MAX_DYNAMIC)
    return cp_raise(L, k->name, CP_EUSAGE,
                    "'%s' cannot be set; max_dynamic_shared_size_bytes and "
                    "preferred_shared_memory_carveout can",
                    name);
  int64_t value = cp_arg_integer(L, 3, k->name, name);
  cp_device *d = cp_current_device(L);
  cp_raw_function *f = resolve(L, k, d);
  int64_t most = which == CP_RAW_CARVEOUT ? 100 : (int64_t)f->max_dynamic_shared;
  if (value < (which == CP_RAW_CARVEOUT ? -1 : 0) || value > most)
    return cp_raise(L, k->name, CP_EUSAGE, "%s is %lld; at most %lld is possible", name, (long long)value,
                    (long long)most);
  CP_CHECK(L, k->name, d->ops->raw->set(d, f, (cp_raw_attribute)which, (int)value));
  return 0;
}

static int kernel_text(lua_State *L) {
  lua_pushfstring(L, "RawKernel %s", check_kernel(L, 1, "tostring")->name);
  return 1;
}

void cp_open_rawkernel(lua_State *L) {
  static const luaL_Reg events[] = {
      {"__tostring", kernel_text}, {"__call", call_event}, {"__newindex", newindex_event}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"compile", compile}, {"occupancy", occupancy}, {"best_block", best_block}, {NULL, NULL}};
  lua_pushcfunction(L, make_kernel);
  lua_setfield(L, 1, "raw_kernel");
  cp_define_kind(L, CP_KIND_LAUNCH, NULL, NULL);
  cp_define_kind(L, CP_KIND_RAW_KERNEL, events, end_kernel);
  lua_createtable(L, 0, 3);
  cp_put_functions(L, -1, methods);
  lua_pushcclosure(L, index_event, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 2);
}
