// The list of a state's arrays (handles.h): growing it, finding an array by its metatable, and freeing what
// is left at the end of the state.
#include "lua/objects/handles.h"
#include "lua/objects/object.h"
#include "lua/state/error.h"

#include <stdlib.h>

_Atomic uintptr_t cp_known_arrays[CP_KNOWN_ARRAYS];

void cp_grow_handles(lua_State *L, cp_state *s) {
  enum { FIRST = 256 };
  uint32_t n = s->nhandles > 0 ? 2 * s->nhandles : FIRST;
  if (s->closing) cp_raise(L, "array", CP_EUSAGE, "cupola was closed with its state: no array can be made");
  uintptr_t *handles = n < UINT32_MAX / 2 ? realloc(s->handles, n * sizeof *handles) : NULL;
  if (handles == NULL) cp_raise_status(L, "array", cp_no_memory(NULL));
  for (uint32_t k = s->nhandles; k < n; k++) handles[k] = (uintptr_t)(k + 1) << 1 | 1;
  s->free_handle = s->nhandles;
  s->handles = handles;
  s->nhandles = n;
}

cp_array *cp_find_array(lua_State *L, int index) {
  cp_array *a = cp_test_object(L, index, CP_KIND_ARRAY);
  if (a != NULL && cp_is_listed((const cp_state *)(const void *)a->context, a)) cp_know_array(a);
  return a;
}

void cp_free_memory(cp_array *a) {
  cp_pending_drop(a);
  if (a->storage != NULL) cp_storage_free_memory(a->storage);
}

void cp_end_arrays(cp_state *s) {
  s->closing = true;
  for (uint32_t k = 0; k < s->nhandles; k++) {
    cp_array *a = (cp_array *)s->handles[k];
    if (s->handles[k] & 1) continue;
    cp_forget_array(a);
    cp_pending_drop(a);
    cp_array_release(a);
  }
  free(s->handles);
  s->handles = NULL;
  s->nhandles = s->free_handle = 0;
}
