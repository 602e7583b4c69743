// What cp.cuda.runtime is made of: work on raw addresses, on any device. The addresses are the caller's responsibility.
#include "lua/stream.h"

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

// Ends a call: what other streams know of memory does not cover raw addresses, so only this stream is waited for.
static int finish(lua_State *L, const char *where, cp_stream *s, bool wait) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->why = where;
  if (wait) CP_CHECK(L, where, cp_stream_synchronize(s));
  return 0;
}

// core.raw_copy(where, wait, dst, src, size[, stream])
static int raw_copy(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  size_t bytes = read_size(L, 5, where);
  cp_stream *s = lua_isnoneornil(L, 6) ? cp_arg_stream(L, 6, where, cp_current_device(L))
                                       : cp_check_stream(L, 6, where, "stream");
  if (bytes > 0) {
    void *to = read_address(L, 3, where, "dst"), *from = read_address(L, 4, where, "src");
    cp_launch_pending_of(L, where, s);
    CP_CHECK(L, where, s->device->ops->copy(s, to, from, bytes, CP_WITHIN));
  }
  return finish(L, where, s, lua_toboolean(L, 2));
}

// core.raw_set(where, wait, ptr, value, size[, stream])
static int raw_set(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  int64_t value = cp_arg_integer(L, 4, where, "value");
  size_t bytes = read_size(L, 5, where);
  cp_stream *s = lua_isnoneornil(L, 6) ? cp_arg_stream(L, 6, where, cp_current_device(L))
                                       : cp_check_stream(L, 6, where, "stream");
  if (value < -128 || value > 255) return cp_raise(L, where, CP_EUSAGE, "value must be a byte, 0 to 255");
  if (bytes > 0) {
    void *p = read_address(L, 3, where, "ptr");
    cp_launch_pending_of(L, where, s);
    CP_CHECK(L, where, s->device->ops->fill_bytes(s, p, (int)(value & 0xff), bytes));
  }
  return finish(L, where, s, lua_toboolean(L, 2));
}

// core.raw_allocate(size): an address on the current device.
static int raw_allocate(lua_State *L) {
  void *p = NULL;
  size_t bytes = read_size(L, 1, "malloc");
  cp_device *d = cp_current_device(L);
  CP_CHECK(L, "malloc", d->ops->allocate(d, bytes > 0 ? bytes : 1, &p));
  cp_push_scalar(L, cp_scalar_int((int64_t)(intptr_t)p, CP_INT64));
  return 1;
}

// core.raw_free(ptr): waits for the device first; 0 is fine.
static int raw_free(lua_State *L) {
  cp_device *d = cp_current_device(L);
  void *p = (void *)(intptr_t)cp_arg_integer(L, 1, "free", "ptr");
  if (p == NULL) return 0;
  CP_CHECK(L, "free", d->ops->synchronize(d));
  d->ops->release(d, p, 0);
  return 0;
}

// core.device_synchronize(): waits for all work of the process on the current device.
static int device_synchronize(lua_State *L) {
  cp_device *d = cp_current_device(L);
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_launch_pending_on(L, "deviceSynchronize", d);
  double begin = cp_sync_begin(ctx);
  cp_status status = d->ops->synchronize(d);
  cp_sync_end(ctx, begin);
  CP_CHECK(L, "deviceSynchronize", status);
  return 0;
}

void cp_open_runtime(lua_State *L) {
  static const luaL_Reg core[] = {{"raw_copy", raw_copy},
                                  {"raw_set", raw_set},
                                  {"raw_allocate", raw_allocate},
                                  {"raw_free", raw_free},
                                  {"device_synchronize", device_synchronize},
                                  {NULL, NULL}};
  lua_pushvalue(L, 1);
  cp_setfuncs(L, core, 0);
}
