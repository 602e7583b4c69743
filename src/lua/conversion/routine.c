// What the bindings of routines share (routine.h): contiguous arrays and temporary memory.
#include "lua/conversion/routine.h"
#include "lua/conversion/assign.h"
#include "lua/values/handle.h"

cp_array *cp_take_contiguous(lua_State *L, int slot, const char *where, const char *argument) {
  cp_array *a = cp_take_array(L, slot, where, argument);
  if (cp_array_contiguous(a, 'C')) return a;
  a = cp_push_copy(L, where, a, 'C');
  lua_replace(L, slot);
  return a;
}

void *cp_push_scratch(lua_State *L, const char *where, cp_device *device, size_t bytes) {
  char *memory = NULL;
  if (bytes == 0) {
    lua_pushnil(L);
    return NULL;
  }
  const int64_t length = (int64_t)bytes;
  const cp_array *a = cp_push_new_array(L, where, device, CP_UINT8, 1, &length);
  CP_CHECK(L, where, cp_array_pointer(a, &memory));
  return memory;
}

void cp_free_scratch(lua_State *L, int slot) {
  cp_array *a = cp_test_array(L, slot);
  if (a != NULL && a->storage != NULL) cp_storage_free_memory(a->storage);
}
