// Memory figures and limits, garbage collection, waiting for a device, and the clock.
#include "lua/arguments/args.h"
#include "lua/elementwise/fusion.h"
#include "lua/state/capability.h"
#include "lua/state/current_device.h"
#include "lua/state/module.h"

#include "lazy/arrays/capture.h"
#include "memory/allocator.h"
#include "memory/free_list.h"

#include <stdlib.h>
#include <string.h>

// A number of bytes, or a share of the device's memory such as "80%".
static size_t read_limit(lua_State *L, int index, cp_device *d) {
  size_t free_bytes, total = 0;
  char *rest = NULL;
  if (lua_type(L, index) == LUA_TSTRING) {
    double share = strtod(lua_tostring(L, index), &rest);
    if (strcmp(rest, "%") != 0 || !(share > 0 && share <= 100))
      cp_raise(L, "memory", CP_EUSAGE, "limit must be a number of bytes or a share such as \"80%%\"");
    CP_CHECK(L, "memory", d->ops->memory_info(d, &free_bytes, &total));
    return (size_t)(share / 100 * (double)total);
  }
  int64_t bytes = cp_arg_integer(L, index, "memory", "limit");
  if (bytes < 0) cp_raise(L, "memory", CP_EUSAGE, "limit must not be negative; 0 means none");
  return (size_t)bytes;
}

// cp.memory(): a table of bytes: of the current device's pool {live, cached, limit, free, total}, of this
// state {state_live}, and the number of device_allocations. cp.memory{limit = bytes or "80%", auto = boolean,
// device = name} changes settings; limit 0 means none.
CP_SIGNATURE(memory, 0, "limit", "auto", "device");
static int memory(lua_State *L) {
  cp_arguments(L, &memory_signature);
  cp_state *state = cp_state_get(L);
  cp_device *d = cp_arg_device(L, 3, "memory");
  cp_free_lists_clear(&state->ctx);
  if (!lua_isnil(L, 1)) {
    cp_check_shared(L, "memory");
    cp_pool_set_limit(d->pool, read_limit(L, 1, d));
  }
  if (!lua_isnil(L, 2)) state->ctx.memory.automatic = cp_arg_boolean_or(L, 2, "memory", "auto", true);
  cp_pool_figures f = cp_pool_read(d->pool);
  size_t free_bytes = 0, total = 0;
  CP_CHECK(L, "memory", d->ops->memory_info(d, &free_bytes, &total));
  lua_createtable(L, 0, 8);
  cp_set_number(L, "live", f.live);
  cp_set_number(L, "cached", f.cached);
  cp_set_number(L, "limit", f.limit);
  cp_set_number(L, "device_allocations", f.device_allocations);
  cp_set_number(L, "free", free_bytes);
  cp_set_number(L, "total", total);
  cp_set_number(L, "state_live", state->ctx.budget.live_bytes);
  lua_pushstring(L, d->name);
  lua_setfield(L, -2, "device");
  return 1;
}

// cp.collect(): collects garbage and gives the current device's cached blocks back to it. A confined state
// leaves those of the pool that all states share.
static int collect(lua_State *L) {
  cp_at_most(L, "collect", 0);
  cp_state *s = cp_state_get(L);
  cp_device *d = cp_current_device(L);
  s->ctx.hooks.collect(s->ctx.hooks.collect_data, true);
  cp_context_settle(&s->ctx);
  cp_release_borrowed(&s->ctx);
  cp_free_lists_clear(&s->ctx);
  if (!s->ctx.budget.confined) cp_pool_trim(d->pool);
  cp_allocators_drain(&s->ctx, d);
  cp_allocators_sweep(&s->ctx);
  return 0;
}

// cp.synchronize(device): launches what is pending and waits for all work of this state on the device.
// Returns its name.
CP_SIGNATURE(synchronize, 0, "device");
static int synchronize(lua_State *L) {
  cp_arguments(L, &synchronize_signature);
  cp_device *device = cp_arg_device(L, 1, "synchronize");
  cp_launch_pending_on(L, "synchronize", device);
  CP_CHECK(L, "synchronize", cp_context_synchronize(&cp_state_get(L)->ctx, device));
  cp_release_borrowed(&cp_state_get(L)->ctx);
  lua_pushstring(L, device->name);
  return 1;
}

// cp.clock(): seconds of a monotonic clock.
static int read_clock(lua_State *L) {
  cp_at_most(L, "clock", 0);
  lua_pushnumber(L, cp_clock());
  return 1;
}

void cp_open_memory(lua_State *L) {
  static const luaL_Reg cp[] = {{"memory", memory},
                                {"collect", collect},
                                {"synchronize", synchronize},
                                {"clock", read_clock},
                                {NULL, NULL}};
  cp_put_functions(L, 2, cp);
}
