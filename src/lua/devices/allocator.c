// Pools and allocators (memory/allocator.h) as Lua objects: the primitives for cp.get_default_memory_pool(),
// cp.cuda.MemoryPool and the like.
#include "lua/devices/allocator.h"

#include "lua/arguments/args.h"
#include "lua/conversion/convert.h"
#include "lua/objects/object.h"
#include "lua/state/capability.h"
#include "lua/state/current_device.h"
#include "lua/values/handle.h"
#include "memory/free_list.h"

#include <string.h>

typedef enum handle_kind { OWN, DEFAULT_POOL, PINNED_POOL } handle_kind;

typedef struct handle {
  handle_kind kind;
  cp_allocator *allocator; // of OWN; NULL until it is created
} handle;

// ---- handles ----------------------------------------------------------------------------------------------

static handle *push_handle(lua_State *L, handle_kind kind) {
  handle *h = cp_push_object(L, CP_KIND_POOL, sizeof *h);
  h->kind = kind;
  return h;
}

static handle *check_handle(lua_State *L, int index, const char *where) {
  handle *h = cp_check_object(L, index, CP_KIND_POOL, where, "pool");
  if (h->kind == OWN && h->allocator == NULL) cp_raise(L, where, CP_EUSAGE, "the pool could not be made");
  return h;
}

// The pool that a handle stands for now: an allocator and the default have one for each device. The default
// pool first gets the state's free lists back, so that its figures include them.
static cp_pool *pool_of(lua_State *L, const char *where, const handle *h) {
  cp_pool *p;
  cp_device *d = cp_current_device(L);
  if (h->kind == DEFAULT_POOL) {
    cp_free_lists_clear(&cp_state_get(L)->ctx);
    return d->pool;
  }
  if (h->kind == PINNED_POOL)
    p = cp_pinned_pool();
  else
    p = cp_allocator_pool(h->allocator, h->allocator->only != NULL ? h->allocator->only : d);
  if (p == NULL) cp_raise_status(L, where, cp_no_memory(NULL));
  return p;
}

static void end_handle(lua_State *L, void *object) {
  handle *h = object;
  (void)L;
  if (h->allocator != NULL) cp_allocator_give_up(h->allocator);
  h->allocator = NULL;
}

// core.is_pool(v): whether v is a handle of a pool.
static int is_pool(lua_State *L) {
  lua_pushboolean(L, cp_test_object(L, 1, CP_KIND_POOL) != NULL);
  return 1;
}

// ---- creating and choosing pools --------------------------------------------------------------------------

// core.new_pool(source[, direct[, allocate, free]]): a new allocator. source is "device", "managed", "async",
// "pinned" or "function"; only the last one takes the two functions.
static int new_pool(lua_State *L) {
  static const struct {
    const char *name;
    const cp_memory_source *source;
  } sources[] = {{"device", &cp_plain_source},
                 {"managed", &cp_managed_source},
                 {"async", &cp_async_source},
                 {"pinned", &cp_pinned_source}};
  static const char *const names[] = {"device", "managed", "async", "pinned", "function", NULL};
  int which = luaL_checkoption(L, 1, NULL, names);
  bool direct = lua_toboolean(L, 2);
  if (which == 4) cp_check_capability(L, "FunctionAllocator", CUPOLA_POINTERS);
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_allocators_sweep(ctx);
  lua_settop(L, 4);
  handle *h = push_handle(L, OWN);
  if (which == 4)
    h->allocator = cp_function_allocator(L, 3, 4, direct);
  else
    h->allocator = cp_allocator_new(ctx, sources[which].source, NULL, direct);
  if (h->allocator == NULL) return cp_raise_status(L, "MemoryPool", cp_no_memory(NULL));
  if (which == 3) h->allocator->only = cp_device_cpu();
  return 1;
}

// core.default_pool(pinned): the handle of the devices' own pools, or of the pool of page-locked memory.
static int default_pool(lua_State *L) {
  push_handle(L, lua_toboolean(L, 1) ? PINNED_POOL : DEFAULT_POOL);
  return 1;
}

// core.pool_number(pool): the number of its allocator for core.choose_pool; 0 stands for the devices' own
// pools.
static int pool_number(lua_State *L) {
  const handle *h = check_handle(L, 1, "set_allocator");
  if (h->kind == PINNED_POOL || (h->kind == OWN && h->allocator->only != NULL))
    return cp_raise(L, "set_allocator", CP_EUSAGE,
                    "a pool of page-locked memory cannot serve arrays; see set_pinned_memory_allocator");
  lua_pushinteger(L, h->kind == OWN ? (lua_Integer)h->allocator->number : 0);
  return 1;
}

// core.choose_pool([number]): chooses where memory comes from, for this coroutine or for all those without a
// choice of their own. nil: what the host chose, or the devices' own pools.
static int choose_pool(lua_State *L) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  unsigned host = ctx->memory.host_allocator;
  int64_t number = cp_arg_integer_or(L, 1, "set_allocator", "allocator", host);
  bool known = number >= 0 && number <= UINT32_MAX && cp_allocator_can_choose(ctx, (unsigned)number);
  cp_demand(L, "set_allocator", known && (host == 0 || number == host),
            "there is no such allocator, or the host chose another");
  cp_allocator_use(ctx, (unsigned)number, 1);
  cp_allocator_use(ctx, ctx->now.allocator, -1);
  ctx->now.allocator = (unsigned)number;
  return 0;
}

// core.chosen_pool(): the number of the chosen allocator, and whether the host chose it.
static int chosen_pool(lua_State *L) {
  const cp_context *ctx = &cp_state_get(L)->ctx;
  lua_pushinteger(L, (lua_Integer)ctx->now.allocator);
  lua_pushboolean(L, ctx->memory.host_allocator != 0);
  return 2;
}

// core.pool_again(number): a new object for an allocator that is chosen but whose last object is gone.
// Returns nothing if there is no such allocator.
static int pool_again(lua_State *L) {
  lua_Integer number = luaL_checkinteger(L, 1);
  handle *h = push_handle(L, OWN);
  h->allocator = cp_allocator_find(&cp_state_get(L)->ctx, (unsigned)number);
  if (h->allocator == NULL || !h->allocator->given_up) h->allocator = NULL;
  if (h->allocator == NULL) return 0;
  h->allocator->given_up = false;
  return 1;
}

// ---- using pools ------------------------------------------------------------------------------------------

static void set_bytes(lua_State *L, const char *key, size_t v) {
  cp_push_scalar(L, cp_scalar_int((int64_t)v, CP_INT64));
  lua_setfield(L, -2, key);
}

// core.pool_figures(pool): a table of byte counts, with the names of the memory source and of the device.
static int pool_figures(lua_State *L) {
  size_t available = 0, total = 0;
  const handle *h = check_handle(L, 1, "MemoryPool");
  cp_pool *p = pool_of(L, "MemoryPool", h);
  cp_pool_figures f = cp_pool_read(p);
  cp_device *d = cp_pool_device(p);
  CP_CHECK(L, "MemoryPool", d->ops->memory_info(d, &available, &total));
  cp_check_function(L, "MemoryPool", h->allocator);
  lua_createtable(L, 0, 8);
  set_bytes(L, "live", f.live);
  set_bytes(L, "cached", f.cached);
  set_bytes(L, "cached_blocks", f.cached_blocks);
  set_bytes(L, "limit", f.limit);
  set_bytes(L, "free", available);
  set_bytes(L, "total", total);
  lua_pushstring(L, cp_pool_source(p)->name);
  lua_setfield(L, -2, "source");
  lua_pushstring(L, d->name);
  lua_setfield(L, -2, "device");
  return 1;
}

// check_handle for functions that change the pool, which all states may share; raises an error then in a
// confined state.
static const handle *check_changed(lua_State *L, const char *where) {
  const handle *h = check_handle(L, 1, where);
  if (h->kind != OWN) cp_check_shared(L, where);
  return h;
}

// core.pool_trim(pool): gives cached blocks back to the memory source.
static int pool_trim(lua_State *L) {
  const handle *h = check_changed(L, "free_all_blocks");
  cp_pool_trim(pool_of(L, "free_all_blocks", h));
  cp_check_function(L, "free_all_blocks", h->allocator);
  return 0;
}

// core.pool_limit(pool, bytes): limits how much memory the pool takes from its source.
static int pool_limit(lua_State *L) {
  const handle *h = check_changed(L, "set_limit");
  cp_pool_set_limit(pool_of(L, "set_limit", h), (size_t)cp_arg_integer(L, 2, "set_limit", "size"));
  return 0;
}

// core.pool_array(where, pool, shape, dtype, order): a new array in memory of the pool, with arbitrary
// elements.
static int pool_array(lua_State *L) {
  int64_t shape[CP_MAXDIM];
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 5);
  const handle *h = check_handle(L, 2, where);
  int ndim = cp_arg_shape(L, 3, where, "shape", shape);
  cp_dtype dtype = cp_arg_dtype(L, 4, where);
  const char *order = luaL_optstring(L, 5, "C");
  cp_demand(L, where, strcmp(order, "C") == 0 || strcmp(order, "F") == 0, "order must be \"C\" or \"F\"");
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (dtype == CP_NDTYPES) dtype = cp_state_get(L)->default_dtype;
  cp_pool *p = pool_of(L, where, h);
  cp_array *a = cp_push_array(L, ndim);
  CP_CHECK(L, where, cp_array_layout(a, dtype, ndim, shape, order[0]));
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_array_allocate_from(ctx, a, p, dtype));
  a->owner = true;
  return 1;
}

// core.is_pinned(x): whether x lies in memory of a pinned pool, and whether that memory is page-locked.
static int is_pinned(lua_State *L) {
  const cp_array *a = cp_check_array(L, 1, "is_pinned", "x");
  bool pinned = cp_is_pinned(a);
  lua_pushboolean(L, pinned);
  lua_pushboolean(L, pinned && cp_block_is_pinned(a->storage->buffer->block));
  return 2;
}

// Raises an error unless a is writable, contiguous, aligned, at least nbytes large and on the device.
static void check_memory(lua_State *L, const char *where, const cp_array *a, size_t nbytes,
                         const cp_device *device) {
  enum { ALIGNMENT = 16 };
  size_t bytes = (size_t)a->size * cp_itemsize(a->dtype);
  if (a->readonly || !(cp_array_contiguous(a, 'C') || cp_array_contiguous(a, 'F')))
    cp_raise(L, where, CP_EUSAGE, "the array that the allocator gave is %s",
             a->readonly ? "read-only" : "a view that is not contiguous");
  if (bytes < nbytes)
    cp_raise(L, where, CP_EUSAGE, "the array that the allocator gave has %zu bytes, not %zu", bytes, nbytes);
  if (a->device != device)
    cp_raise(L, where, CP_EUSAGE, "the array that the allocator gave is on %s, not on %s", a->device->name,
             device->name);
  if (((uintptr_t)a->storage->buffer->pointer + (uintptr_t)a->offset) % ALIGNMENT != 0)
    cp_raise(L, where, CP_EUSAGE,
             "the array that the allocator gave does not begin at a multiple of %d bytes", (int)ALIGNMENT);
}

// core.array_memory(where, x, nbytes, device): the address of the array's memory, and another array on the
// same memory, which keeps it whatever happens to x. Raises an error unless x has nbytes writable bytes on
// the device.
static int array_memory(lua_State *L) {
  char *p;
  const char *where = luaL_checkstring(L, 1);
  cp_check_capability(L, where, CUPOLA_POINTERS);
  cp_array *a = cp_check_array(L, 2, where, "x");
  int64_t nbytes = cp_arg_integer(L, 3, where, "nbytes");
  cp_context *ctx = &cp_state_get(L)->ctx;
  check_memory(L, where, a, nbytes > 0 ? (size_t)nbytes : 0, cp_arg_device(L, 4, where));
  CP_CHECK(L, where, cp_expose(ctx, a, CP_EXPOSED_POINTER));
  cp_array *kept = cp_push_array(L, a->ndim);
  CP_CHECK(L, where, cp_array_pointer(a, &p)); // a finalizer may have freed it
  cp_buffer *b = a->storage->buffer;
  cp_storage *s = cp_storage_on(ctx, b, a->storage->nbytes);
  if (s == NULL) return cp_raise_status(L, where, cp_no_memory(NULL));
  cp_buffer_retain(b);
  cp_array_copy_view(kept, a);
  kept->storage->refs--;
  kept->storage = s;
  cp_push_scalar(L, cp_scalar_int((int64_t)(intptr_t)p, CP_INT64));
  lua_insert(L, -2);
  return 2;
}

void cp_open_allocator(lua_State *L) {
  static const luaL_Reg core[] = {{"new_pool", new_pool},         {"default_pool", default_pool},
                                  {"is_pool", is_pool},           {"pool_number", pool_number},
                                  {"choose_pool", choose_pool},   {"pool_again", pool_again},
                                  {"chosen_pool", chosen_pool},   {"pool_figures", pool_figures},
                                  {"pool_trim", pool_trim},       {"pool_limit", pool_limit},
                                  {"pool_array", pool_array},     {"is_pinned", is_pinned},
                                  {"array_memory", array_memory}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
  cp_define_kind(L, CP_KIND_POOL, NULL, end_handle); // the Lua side adds the methods
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "__index");
  lua_setfield(L, 1, "pool_methods");
  lua_setfield(L, 1, "pool_metatable");
}
