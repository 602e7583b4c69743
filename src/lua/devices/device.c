// Devices for Lua: finding them, and what they and the driver say about themselves.
#include "lua/arguments/args.h"
#include "lua/state/module.h"

#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>

// core.device_name([name]): the full name of a device that can be used; nil: of the current one.
static int device_name(lua_State *L) {
  lua_pushstring(L, cp_arg_device(L, 1, "device")->name);
  return 1;
}

// core.cuda_count(): the number of usable GPUs and, if it is 0, the reason.
static int cuda_count(lua_State *L) {
  const char *reason = NULL;
  lua_pushinteger(L, cp_cuda_device_count(&reason));
  lua_pushstring(L, reason);
  return 2;
}

// core.driver_version(): the newest CUDA version that the driver supports; 0 without a driver.
static int driver_version(lua_State *L) {
  lua_pushinteger(L, cp_cuda_driver_version());
  return 1;
}

// core.describe([name]): a text about a device, and the folder of the kernel cache.
static int describe(lua_State *L) {
  cp_device *d = cp_arg_device(L, 1, "show_config");
  cp_strbuf text = {0};
  d->ops->describe(d, &text);
  const char *shown = text.failed || text.text == NULL ? "" : text.text;
  // A copy that Lua owns, since the buffer would leak if pushing the text raised an error.
  char *copy = cp_newuserdata(L, strlen(shown) + 1);
  strcpy(copy, shown);
  cp_strbuf_free(&text);
  lua_pushstring(L, copy);
  lua_pushstring(L, cp_disk_folder());
  return 2;
}

// Adds a field, a text or a whole number, to the table on top.
static void add_property(void *data, const char *name, const char *text, double value) {
  lua_State *L = data;
  if (text != NULL)
    lua_pushstring(L, text);
  else
    cp_push_scalar(L, cp_scalar_int((int64_t)value, CP_INT64));
  lua_setfield(L, -2, name);
}

// core.device_properties(name, attributes): a table of what the device says about itself.
static int properties(lua_State *L) {
  cp_device *d = cp_arg_device(L, 1, "device");
  bool attributes = lua_toboolean(L, 2);
  lua_newtable(L);
  CP_CHECK(L, "device", d->ops->properties(d, attributes, add_property, L));
  return 1;
}

// core.memory_info(name): the free and the total bytes of the device's memory.
static int memory_info(lua_State *L) {
  size_t free_bytes, total_bytes;
  cp_device *d = cp_arg_device(L, 1, "mem_info");
  CP_CHECK(L, "mem_info", d->ops->memory_info(d, &free_bytes, &total_bytes));
  cp_push_scalar(L, cp_scalar_int((int64_t)free_bytes, CP_INT64));
  cp_push_scalar(L, cp_scalar_int((int64_t)total_bytes, CP_INT64));
  return 2;
}

void cp_open_device(lua_State *L) {
  static const luaL_Reg core[] = {{"device_name", device_name},
                                  {"device_properties", properties},
                                  {"memory_info", memory_info},
                                  {"cuda_count", cuda_count},
                                  {"driver_version", driver_version},
                                  {"describe", describe},
                                  {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
