// The primitives of cp.cuda.runtime that only pass arguments on to a device (device/runtime.h). The caller is
// responsible for the addresses, so all of them need CUPOLA_POINTERS. The first argument is the public name.
#include "device/runtime.h"
#include "lua/arguments/args.h"
#include "lua/devices/stream.h"
#include "lua/devices/texture.h"
#include "lua/elementwise/fusion.h"
#include "lua/state/capability.h"
#include "lua/state/current_device.h"

#include <limits.h>

// The beginning of each primitive: its name for errors.
static const char *enter(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_check_capability(L, where, CUPOLA_POINTERS);
  return where;
}

static char *read_pointer(lua_State *L, int index, const char *where, const char *argument) {
  int64_t v = cp_arg_integer(L, index, where, argument);
  if (v == 0) cp_raise(L, where, CP_EUSAGE, "%s is a null pointer", argument);
  return (char *)(intptr_t)v;
}

static size_t read_count(lua_State *L, int index, const char *where, const char *argument) {
  int64_t v = cp_arg_integer(L, index, where, argument);
  if (v < 0) cp_raise(L, where, CP_EUSAGE, "%s must not be negative, but is %lld", argument, (long long)v);
  return (size_t)v;
}

static int read_int(lua_State *L, int index, const char *where, const char *argument) {
  int64_t v = cp_arg_integer(L, index, where, argument);
  if (v < INT_MIN || v > INT_MAX)
    cp_raise(L, where, CP_EUSAGE, "%s is %lld, which is out of range", argument, (long long)v);
  return (int)v;
}

static int push_address(lua_State *L, const void *p) {
  cp_push_scalar(L, cp_scalar_int((int64_t)(intptr_t)p, CP_INT64));
  return 1;
}

// A device by its name; nil: the current one.
static cp_device *read_device(lua_State *L, int index, const char *where) {
  cp_device *d = NULL;
  if (lua_isnoneornil(L, index)) return cp_current_device(L);
  CP_CHECK(L, where, cp_device_find(luaL_checkstring(L, index), &d));
  return d;
}

// The same for what only GPUs have.
static cp_device *read_gpu(lua_State *L, int index, const char *where) {
  cp_device *d = read_device(L, index, where);
  if (d->ops->runtime->limit == NULL)
    cp_raise(L, where, CP_EUSAGE, "is for GPUs, but the device is %s", d->name);
  return d;
}

// ---- memory -----------------------------------------------------------------------------------------------

// Reads one side from six arguments: address or CUDA array, pitch, rows of a plane, x, y and z.
static cp_box_side read_side(lua_State *L, int index, const char *where, const char *name, cp_stream *stream,
                             const cp_box *box) {
  cp_box_side s = {.pitch = read_count(L, index + 1, where, "pitch"),
                   .rows = read_count(L, index + 2, where, "rows"),
                   .x = read_count(L, index + 3, where, "x"),
                   .y = read_count(L, index + 4, where, "y"),
                   .z = read_count(L, index + 5, where, "z")};
  if (cp_test_texture(L, index) != NULL) {
    const cp_texture *t = cp_check_cuda_array(L, index, where, name);
    const cp_texels *e = &t->texels;
    if (t->device != stream->device)
      cp_raise(L, where, CP_EUSAGE, "%s is on %s, but the stream on %s", name, t->device->name,
               stream->device->name);
    s.array = (void *)(uintptr_t)t->handle;
    s.pitch = e->width * cp_texel_size(e);
    s.rows = e->height > 0 ? e->height : 1;
    const size_t depth = e->depth > 0 ? e->depth : 1;
    if (s.y > s.rows || box->height > s.rows - s.y || s.z > depth || box->depth > depth - s.z)
      cp_raise(L, where, CP_EUSAGE, "%s has %zu rows and %zu planes, but the copy goes beyond them", name,
               s.rows, depth);
  } else {
    s.pointer = read_pointer(L, index, where, name);
  }
  if (s.x > s.pitch || box->width > s.pitch - s.x)
    cp_raise(L, where, CP_EUSAGE, "a row of %s has %zu bytes, but bytes %zu to %zu are asked for", name,
             s.pitch, s.x, s.x + box->width);
  if (box->depth > 1 && (s.y > s.rows || box->height > s.rows - s.y))
    cp_raise(L, where, CP_EUSAGE, "a plane of %s has %zu rows, but rows %zu to %zu are asked for", name,
             s.rows, s.y, s.y + box->height);
  return s;
}

// core.raw_copy_box(where, wait, stream, width, height, depth, dst, dst_pitch, dst_rows, dst_x, dst_y, dst_z,
// src, ...): copies rows of bytes.
static int raw_copy_box(lua_State *L) {
  const char *where = enter(L);
  cp_box box = {.width = read_count(L, 4, where, "width"),
                .height = read_count(L, 5, where, "height"),
                .depth = read_count(L, 6, where, "depth")};
  cp_stream *s = cp_any_stream(L, 3, where);
  if (box.width > 0 && box.height > 0 && box.depth > 0) {
    box.to = read_side(L, 7, where, "dst", s, &box);
    box.from = read_side(L, 13, where, "src", s, &box);
    cp_launch_pending_of(L, where, s);
    CP_CHECK(L, where, s->device->ops->runtime->copy_box(s, &box));
  }
  cp_state_get(L)->ctx.lazy.caller = where;
  if (lua_toboolean(L, 2)) CP_CHECK(L, where, cp_stream_synchronize(s));
  return 0;
}

// core.raw_lock(where, device, ptr, size, flags): locks pages of the host's memory.
static int raw_lock(lua_State *L) {
  const char *where = enter(L);
  cp_device *d = read_device(L, 2, where);
  char *p = read_pointer(L, 3, where, "ptr");
  size_t bytes = read_count(L, 4, where, "size");
  const int flags = read_int(L, 5, where, "flags");
  if (bytes == 0) return cp_raise(L, where, CP_EUSAGE, "size must be positive");
  CP_CHECK(L, where, d->ops->runtime->lock(d, p, bytes, (unsigned)flags));
  return 0;
}

// core.raw_unlock(where, device, ptr): the reverse, once the device has done all its work.
static int raw_unlock(lua_State *L) {
  const char *where = enter(L);
  cp_device *d = read_device(L, 2, where);
  char *p = read_pointer(L, 3, where, "ptr");
  CP_CHECK(L, where, cp_may_wait(&cp_state_get(L)->ctx, d));
  CP_CHECK(L, where, d->ops->synchronize(d));
  CP_CHECK(L, where, d->ops->runtime->unlock(d, p));
  return 0;
}

// core.raw_advise(where, device, ptr, size, advice, place): says how managed memory will be used. place: a
// GPU's number, or -1 for the host.
static int raw_advise(lua_State *L) {
  const char *where = enter(L);
  cp_device *d = read_device(L, 2, where);
  char *p = read_pointer(L, 3, where, "ptr");
  size_t bytes = read_count(L, 4, where, "size");
  CP_CHECK(
      L, where,
      d->ops->runtime->advise(d, p, bytes, read_int(L, 5, where, "advice"), read_int(L, 6, where, "device")));
  return 0;
}

// core.raw_prefetch(where, stream, ptr, size, place): moves managed memory.
static int raw_prefetch(lua_State *L) {
  const char *where = enter(L);
  cp_stream *s = cp_any_stream(L, 2, where);
  char *p = read_pointer(L, 3, where, "ptr");
  size_t bytes = read_count(L, 4, where, "size");
  const int place = read_int(L, 5, where, "device");
  cp_launch_pending_of(L, where, s);
  CP_CHECK(L, where, s->device->ops->runtime->prefetch(s, p, bytes, place));
  return 0;
}

// core.raw_facts(where, ptr): the type of memory (0 to 3), the number of its GPU (-1: none), and its
// addresses on the device and on the host (0: none).
static int raw_facts(lua_State *L) {
  const char *where = enter(L);
  cp_device *d = cp_current_device(L);
  cp_pointer_facts f;
  CP_CHECK(L, where, d->ops->runtime->facts(d, read_pointer(L, 2, where, "ptr"), &f));
  lua_pushinteger(L, (lua_Integer)f.type);
  lua_pushinteger(L, f.device);
  push_address(L, f.on_device);
  push_address(L, f.on_host);
  return 4;
}

// core.raw_profile(where, on): starts or stops profilers that wait for it.
static int raw_profile(lua_State *L) {
  const char *where = enter(L);
  cp_device *d = cp_current_device(L);
  CP_CHECK(L, where, d->ops->runtime->profile(d, lua_toboolean(L, 2)));
  return 0;
}

// ---- GPUs -------------------------------------------------------------------------------------------------

// core.device_limit(where, device, limit[, value]): returns a limit, or sets it.
static int device_limit(lua_State *L) {
  const char *where = enter(L);
  const bool set = !lua_isnoneornil(L, 4);
  if (set) cp_check_shared(L, where);
  cp_device *d = read_gpu(L, 2, where);
  size_t value = set ? read_count(L, 4, where, "value") : 0;
  CP_CHECK(L, where, d->ops->runtime->limit(d, read_int(L, 3, where, "limit"), set, &value));
  cp_push_scalar(L, cp_scalar_int((int64_t)value, CP_INT64));
  return 1;
}

// core.device_bus(where, device): its place on the PCI bus, as text.
static int device_bus(lua_State *L) {
  const char *where = enter(L);
  cp_device *d = read_gpu(L, 2, where);
  char text[64] = "";
  CP_CHECK(L, where, d->ops->runtime->bus(d, text, sizeof text));
  lua_pushstring(L, text);
  return 1;
}

// core.device_peer(where, device, peer, enable): whether the device can access the peer's memory; with
// `enable` it may from now on.
static int device_peer(lua_State *L) {
  const char *where = enter(L);
  const bool enable = lua_toboolean(L, 4);
  bool can = false;
  if (enable) cp_check_shared(L, where);
  cp_device *d = read_gpu(L, 2, where), *other = read_gpu(L, 3, where);
  CP_CHECK(L, where, d->ops->runtime->peer(d, other, enable, &can));
  lua_pushboolean(L, can);
  return 1;
}

// ---- pools ------------------------------------------------------------------------------------------------

// core.driver_pool_of(where, device, by_default): the handle of the device's default pool, or of the one in
// use.
static int pool_of(lua_State *L) {
  const char *where = enter(L);
  void *pool = NULL;
  cp_device *d = read_gpu(L, 2, where);
  CP_CHECK(L, where, d->ops->runtime->pool(d, lua_toboolean(L, 3), &pool));
  return push_address(L, pool);
}

// core.driver_pool_use(where, device, pool): makes it the pool that the device's stream-ordered memory comes
// from.
static int pool_use(lua_State *L) {
  const char *where = enter(L);
  cp_check_shared(L, where);
  cp_device *d = read_gpu(L, 2, where);
  CP_CHECK(L, where, d->ops->runtime->pool_use(d, read_pointer(L, 3, where, "pool")));
  return 0;
}

// core.driver_pool_create(where, device): a new pool.
static int pool_create(lua_State *L) {
  const char *where = enter(L);
  void *pool = NULL;
  cp_device *d = read_gpu(L, 2, where);
  CP_CHECK(L, where, d->ops->runtime->pool_create(d, &pool));
  return push_address(L, pool);
}

// core.driver_pool_destroy(where, device, pool)
static int pool_destroy(lua_State *L) {
  const char *where = enter(L);
  cp_device *d = read_gpu(L, 2, where);
  CP_CHECK(L, where, d->ops->runtime->pool_destroy(d, read_pointer(L, 3, where, "pool")));
  return 0;
}

// core.driver_pool_trim(where, device, pool, keep): gives back free memory of the pool until `keep` bytes are
// left.
static int pool_trim(lua_State *L) {
  const char *where = enter(L);
  cp_device *d = read_gpu(L, 2, where);
  char *pool = read_pointer(L, 3, where, "pool");
  CP_CHECK(L, where, d->ops->runtime->pool_trim(d, pool, read_count(L, 4, where, "size")));
  return 0;
}

// core.driver_pool_allocate(where, stream, pool, size): the address of memory in the order of a stream.
static int pool_allocate(lua_State *L) {
  const char *where = enter(L);
  void *p = NULL;
  cp_stream *s = cp_any_stream(L, 2, where);
  const cp_runtime_ops *o = s->device->ops->runtime;
  if (o->pool_allocate == NULL)
    return cp_raise(L, where, CP_EUSAGE, "is for GPUs, but the device is %s", s->device->name);
  char *pool = read_pointer(L, 3, where, "pool");
  size_t bytes = read_count(L, 4, where, "size");
  CP_CHECK(L, where, o->pool_allocate(s, pool, bytes > 0 ? bytes : 1, &p));
  return push_address(L, p);
}

// ---- other processes --------------------------------------------------------------------------------------

static const char *read_handle(lua_State *L, int index, const char *where) {
  size_t size = 0;
  const char *handle = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &size) : NULL;
  if (size != CP_IPC_BYTES)
    cp_raise(L, where, CP_EUSAGE, "handle must be a string of %d bytes, as another process got it",
             CP_IPC_BYTES);
  return handle;
}

// core.ipc_share(where, ptr[, device]): the handle of memory for another process.
static int ipc_share(lua_State *L) {
  const char *where = enter(L);
  char handle[CP_IPC_BYTES];
  cp_device *d = read_gpu(L, 3, where);
  CP_CHECK(L, where, d->ops->runtime->share(d, read_pointer(L, 2, where, "ptr"), handle));
  lua_pushlstring(L, handle, sizeof handle);
  return 1;
}

// core.ipc_open(where, handle[, device]): the address of another process's memory on the device.
static int ipc_open(lua_State *L) {
  const char *where = enter(L);
  void *p = NULL;
  cp_device *d = read_gpu(L, 3, where);
  CP_CHECK(L, where, d->ops->runtime->open(d, read_handle(L, 2, where), &p));
  return push_address(L, p);
}

// core.ipc_close(where, ptr[, device]): gives such memory up, once the device has done all its work.
static int ipc_close(lua_State *L) {
  const char *where = enter(L);
  cp_device *d = read_gpu(L, 3, where);
  char *p = read_pointer(L, 2, where, "ptr");
  CP_CHECK(L, where, cp_may_wait(&cp_state_get(L)->ctx, d));
  CP_CHECK(L, where, d->ops->synchronize(d));
  CP_CHECK(L, where, d->ops->runtime->close(d, p));
  return 0;
}

// core.ipc_share_event(where, event): the handle of an event that was made for several processes.
static int ipc_share_event(lua_State *L) {
  const char *where = enter(L);
  char handle[CP_IPC_BYTES];
  cp_event *e = cp_check_event(L, 2, where, "event");
  if (!e->shared) return cp_raise(L, where, CP_EUSAGE, "event must be made with runtime.eventInterprocess");
  CP_CHECK(L, where, e->device->ops->runtime->event_share(e, handle));
  lua_pushlstring(L, handle, sizeof handle);
  return 1;
}

void cp_open_runtime_calls(lua_State *L) {
  static const luaL_Reg core[] = {{"raw_copy_box", raw_copy_box},
                                  {"raw_lock", raw_lock},
                                  {"raw_unlock", raw_unlock},
                                  {"raw_advise", raw_advise},
                                  {"raw_prefetch", raw_prefetch},
                                  {"raw_facts", raw_facts},
                                  {"raw_profile", raw_profile},
                                  {"device_limit", device_limit},
                                  {"device_bus", device_bus},
                                  {"device_peer", device_peer},
                                  {"driver_pool_of", pool_of},
                                  {"driver_pool_use", pool_use},
                                  {"driver_pool_create", pool_create},
                                  {"driver_pool_destroy", pool_destroy},
                                  {"driver_pool_trim", pool_trim},
                                  {"driver_pool_allocate", pool_allocate},
                                  {"ipc_share", ipc_share},
                                  {"ipc_open", ipc_open},
                                  {"ipc_close", ipc_close},
                                  {"ipc_share_event", ipc_share_event},
                                  {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
