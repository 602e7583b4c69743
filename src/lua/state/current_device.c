// The current device: the one that the coroutine chose, or the default, which is decided once for each state.
#include "lua/state/current_device.h"
#include "lua/state/error.h"

#include <stdlib.h>

// The default is CUPOLA_DEVICE, else the first usable GPU, else the CPU. It is decided when a device is first
// needed, so that loading the module opens no device.
cp_device *cp_current_device(lua_State *L) {
  cp_state *s = cp_state_get(L);
  if (s->ctx.now.device != NULL) return s->ctx.now.device;
  const char *name = getenv("CUPOLA_DEVICE");
  cp_device *d = NULL;
  if (name != NULL && name[0] != '\0')
    CP_CHECK(L, "device", cp_device_find(name, &d));
  else if (cp_cuda_device_count(NULL) == 0 || cp_device_find("cuda", &d) != CP_OK)
    d = cp_device_cpu();
  s->ctx.now.device = d;
  return d;
}
