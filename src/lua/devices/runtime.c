// The primitives of cp.cuda.runtime: work on raw addresses, on any device. The caller is responsible for the
// addresses, so all of them need CUPOLA_POINTERS.
#include "device/interrupt.h"
#include "lua/arguments/args.h"
#include "lua/devices/stream.h"
#include "lua/elementwise/fusion.h"
#include "lua/state/capability.h"
#include "lua/state/current_device.h"
#include "memory/allocator.h"
#include "memory/free_list.h"

#include <string.h>

static void *read_address(lua_State *L, int index, const char *where, const char *argument) {
  int64_t v = cp_arg_integer(L, index, where, argument);
  if (v == 0) cp_raise(L, where, CP_EUSAGE, "%s is a null pointer", argument);
  return (void *)(intptr_t)v;
}

static size_t read_size(lua_State *L, int index, const char *where) {
  int64_t v = cp_arg_integer(L, index, where, "size");
  if (v < 0) cp_raise(L, where, CP_EUSAGE, "size must not be negative");
  return (size_t)v;
}

// Ends a call, waiting if asked to. Only this stream is waited for, since uses by other streams are not
// tracked for raw addresses.
static int finish(lua_State *L, const char *where, cp_stream *s, bool wait) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->lazy.caller = where;
  if (wait) CP_CHECK(L, where, cp_stream_synchronize(s));
  return 0;
}

// core.raw_copy(where, wait, dst, src, size[, stream]): copies bytes.
static int raw_copy(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_check_capability(L, where, CUPOLA_POINTERS);
  size_t bytes = read_size(L, 5, where);
  cp_stream *s = cp_any_stream(L, 6, where);
  if (bytes > 0) {
    void *to = read_address(L, 3, where, "dst"), *from = read_address(L, 4, where, "src");
    cp_launch_pending_of(L, where, s);
    CP_CHECK(L, where, s->device->ops->copy(s, to, from, bytes, CP_WITHIN));
  }
  return finish(L, where, s, lua_toboolean(L, 2));
}

// core.raw_set(where, wait, ptr, value, size[, stream]): sets bytes.
static int raw_set(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_check_capability(L, where, CUPOLA_POINTERS);
  int64_t value = cp_arg_integer(L, 4, where, "value");
  size_t bytes = read_size(L, 5, where);
  cp_stream *s = cp_any_stream(L, 6, where);
  if (value < -128 || value > 255) return cp_raise(L, where, CP_EUSAGE, "value must be a byte, 0 to 255");
  if (bytes > 0) {
    void *p = read_address(L, 3, where, "ptr");
    cp_launch_pending_of(L, where, s);
    CP_CHECK(L, where, s->device->ops->fill_bytes(s, p, (int)(value & 0xff), bytes));
  }
  return finish(L, where, s, lua_toboolean(L, 2));
}

static cp_device *device_named(lua_State *L, int index, const char *where) {
  cp_device *d;
  CP_CHECK(L, where, cp_device_find(luaL_checkstring(L, index), &d));
  return d;
}

static cp_status allocate_once(cp_device *d, cp_stream *s, const char *kind, size_t bytes, void **p) {
  const cp_memory_ops *memory = d->ops->memory;
  if (strcmp(kind, "managed") == 0) return memory->managed_allocate(d, bytes, p);
  if (strcmp(kind, "async") == 0) return memory->async_allocate(s, bytes, p);
  if (kind[0] == 'p') return memory->pinned_allocate(d, bytes, strcmp(kind, "pinned") != 0, p);
  return d->ops->allocate(d, bytes, p);
}

// core.raw_allocate(where, kind, device, size[, stream]): returns an address. kind is "device", "managed",
// "async" (in the stream's order), "pinned" or "pinned, write combined" (both on the host, by way of that
// device).
static int raw_allocate(lua_State *L) {
  void *p = NULL;
  const char *where = luaL_checkstring(L, 1), *kind = luaL_checkstring(L, 2);
  cp_check_capability(L, where, CUPOLA_POINTERS);
  cp_device *d = device_named(L, 3, where);
  size_t bytes = read_size(L, 4, where);
  cp_stream *s = cp_arg_stream(L, 5, where, d);
  cp_status status = allocate_once(d, s, kind, bytes > 0 ? bytes : 1, &p);
  if (status == CP_EMEMORY) { // the pool may hold enough
    cp_context *ctx = &cp_state_get(L)->ctx;
    ctx->hooks.collect(ctx->hooks.collect_data, true);
    cp_free_lists_clear(ctx);
    cp_pool_trim(d->pool);
    status = allocate_once(d, s, kind, bytes > 0 ? bytes : 1, &p);
  }
  CP_CHECK(L, where, status);
  cp_push_scalar(L, cp_scalar_int((int64_t)(intptr_t)p, CP_INT64));
  return 1;
}

// core.raw_free(where, kind, device, ptr, size[, stream]): frees memory of the size that was asked for. It
// waits for the device first or, for "async", frees in the stream's order.
static int raw_free(lua_State *L) {
  const char *where = luaL_checkstring(L, 1), *kind = luaL_checkstring(L, 2);
  cp_check_capability(L, where, CUPOLA_POINTERS);
  cp_device *d = device_named(L, 3, where);
  void *p = read_address(L, 4, where, "ptr");
  size_t bytes = read_size(L, 5, where);
  const cp_memory_ops *memory = d->ops->memory;
  if (strcmp(kind, "async") == 0 && memory != &cp_plain_memory_ops && lua_toboolean(L, 6)) {
    cp_stream *s = cp_check_stream(L, 6, where, "stream");
    cp_launch_pending_of(L, where, s);
    CP_CHECK(L, where, memory->async_release(d, s, p, bytes));
    return 0;
  }
  CP_CHECK(L, where, cp_may_wait(&cp_state_get(L)->ctx, d));
  CP_CHECK(L, where, d->ops->synchronize(d));
  if (bytes == 0) bytes = 1;
  if (kind[0] == 'p')
    memory->pinned_release(d, p, bytes);
  else
    d->ops->release(d, p, bytes);
  return 0;
}

// core.raw_device_pointer(ptr): the address at which the current device reaches page-locked memory.
static int raw_device_pointer(lua_State *L) {
  static const char where[] = "hostGetDevicePointer";
  cp_check_capability(L, where, CUPOLA_POINTERS);
  void *p = read_address(L, 1, where, "ptr");
  cp_device *d = cp_current_device(L);
  CP_CHECK(L, where, d->ops->memory->pinned_address(d, p, &p));
  cp_push_scalar(L, cp_scalar_int((int64_t)(intptr_t)p, CP_INT64));
  return 1;
}

// core.device_synchronize(): waits for all work of the process on the current device. A confined state waits
// only for its own, so that it cannot disturb others.
static int device_synchronize(lua_State *L) {
  cp_check_capability(L, "deviceSynchronize", CUPOLA_POINTERS);
  cp_device *d = cp_current_device(L);
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_launch_pending_on(L, "deviceSynchronize", d);
  CP_CHECK(L, "deviceSynchronize", cp_may_wait(ctx, d));
  if (cp_may_end(ctx)) CP_CHECK(L, "deviceSynchronize", cp_context_synchronize(ctx, d));
  double begin = cp_sync_begin(ctx);
  cp_status status = ctx->budget.confined ? cp_context_finish(ctx, d) : d->ops->synchronize(d);
  cp_sync_end(ctx, begin);
  CP_CHECK(L, "deviceSynchronize", status);
  return 0;
}

void cp_open_runtime(lua_State *L) {
  static const luaL_Reg core[] = {{"raw_copy", raw_copy},
                                  {"raw_set", raw_set},
                                  {"raw_allocate", raw_allocate},
                                  {"raw_free", raw_free},
                                  {"raw_device_pointer", raw_device_pointer},
                                  {"device_synchronize", device_synchronize},
                                  {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
