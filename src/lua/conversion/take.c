// Takes arguments that are arrays or become arrays (take.h), with convert.h for tables.
#include "lua/conversion/take.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/convert.h"
#include "lua/state/current_device.h"
#include "lua/values/handle.h"
#include "lua/values/scalar.h"

// Pushes a 0-d array of the value at slot, with the dtype that a table with this one value would get.
static cp_array *push_single(lua_State *L, const char *where, int slot, cp_scalar s, char kind, bool weak,
                             cp_device *device) {
  cp_dtype t = cp_dtype_alone(L, s, kind, weak);
  cp_array *a = cp_push_new_array(L, where, device, t, 0, NULL);
  cp_assign_value(L, where, a, slot);
  return a;
}

cp_array *cp_take_beside(lua_State *L, int slot, const char *where, const char *argument, int other) {
  const cp_array *beside = other != 0 ? cp_test_array(L, other) : NULL;
  cp_scalar s;
  char kind;
  bool weak;
  cp_array *a = cp_test_array(L, slot);
  if (a != NULL) {
    CP_CHECK(L, where, cp_array_alive(a));
    return a;
  }
  cp_device *device = beside != NULL ? beside->device : cp_current_device(L);
  if (lua_istable(L, slot))
    a = cp_push_from_table(L, where, slot, CP_NDTYPES, CP_NDTYPES, device);
  else if (cp_to_scalar(L, slot, &s, &kind, &weak))
    a = push_single(L, where, slot, s, kind, weak, device);
  else
    return cp_check_value(L, slot, where, argument);
  lua_replace(L, slot);
  return a;
}

cp_array *cp_take_value(lua_State *L, int slot, const char *where, const char *argument) {
  return cp_take_beside(L, slot, where, argument, 0);
}

cp_array *cp_take_array(lua_State *L, int slot, const char *where, const char *argument) {
  cp_array *a = cp_take_value(L, slot, where, argument);
  if (a->node != NULL) cp_need(L, where, a);
  return a;
}
