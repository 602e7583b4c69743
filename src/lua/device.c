// Devices for Lua: the current one, finding them, and what the library found on this machine.
#include "lua/module.h"

#include "device/cache.h"

#include <stdlib.h>
#include <string.h>

// CUPOLA_DEVICE, else the first usable GPU, else the CPU; decided when a device is first needed, so that loading the module opens nothing.
cp_device *cp_current_device(lua_State *L) {
  cp_state *s = cp_state_get(L);
  if (s->ctx.device != NULL) return s->ctx.device;
  const char *name = getenv("CUPOLA_DEVICE");
  cp_device *d = NULL;
  if (name != NULL && name[0] != '\0')
    CP_CHECK(L, "device", cp_device_find(name, &d));
  else if (cp_cuda_device_count(NULL) == 0 || cp_device_find("cuda", &d) != CP_OK)
    d = cp_device_cpu();
  s->ctx.device = d;
  return d;
}

// core.set_device([name]): makes it the current device; returns the name of the one before.
static int set_device(lua_State *L) {
  cp_device *before = cp_current_device(L);
  if (!lua_isnoneornil(L, 1)) cp_state_get(L)->ctx.device = cp_arg_device(L, 1, "device");
  lua_pushstring(L, before->name);
  return 1;
}

// core.device_name(name): the full name of a device that can be used.
static int device_name(lua_State *L) {
  lua_pushstring(L, cp_arg_device(L, 1, "device")->name);
  return 1;
}

// core.cuda_count(): the number of usable GPUs, and when 0 why.
static int cuda_count(lua_State *L) {
  const char *reason = NULL;
  lua_pushinteger(L, cp_cuda_device_count(&reason));
  lua_pushstring(L, reason);
  return 2;
}

// core.describe([name]): text about a device and the kernel cache.
static int describe(lua_State *L) {
  cp_device *d = cp_arg_device(L, 1, "show_config");
  cp_strbuf text = {0};
  d->ops->describe(d, &text);
  const char *shown = text.failed || text.text == NULL ? "" : text.text;
  char *copy = cp_newuserdata(L, strlen(shown) + 1); // the buffer must not be lost when pushing raises
  strcpy(copy, shown);
  cp_strbuf_free(&text);
  lua_pushstring(L, copy);
  lua_pushstring(L, cp_disk_folder());
  return 2;
}

void cp_open_device(lua_State *L) {
  static const luaL_Reg core[] = {{"set_device", set_device},
                                  {"device_name", device_name},
                                  {"cuda_count", cuda_count},
                                  {"describe", describe},
                                  {NULL, NULL}};
  lua_pushvalue(L, 1);
  cp_setfuncs(L, core, 0);
  lua_pop(L, 1);
}
