// The list of a state's arrays (handles.h): growing it, finding an array by its metatable, and freeing what
// is left at the end of the state.
#include "lua/objects/handles.h"
#include "lazy/expression/planned.h"
#include "lua/objects/object.h"
#include "lua/state/error.h"

#include <stdlib.h>
#include <string.h>

_Atomic uintptr_t cp_known_arrays[CP_KNOWN_ARRAYS];

// Room for the scopes of n handles. Keeps those of the handles that there are.
static void grow_made(lua_State *L, cp_state *s, uint32_t n) {
  const uint32_t before = s->made_in != NULL ? s->nhandles : 0;
  cp_made *made = realloc(s->made_in, n * sizeof *made);
  if (made == NULL) cp_raise_status(L, "array", cp_no_memory(NULL));
  memset(made + before, 0, (n - before) * sizeof *made);
  s->made_in = made;
}

void cp_grow_handles(lua_State *L, cp_state *s) {
  enum { FIRST = 256 };
  uint32_t n = s->nhandles > 0 ? 2 * s->nhandles : FIRST;
  if (s->closing) cp_raise(L, "array", CP_EUSAGE, "cupola was closed with its state: no array can be made");
  if (s->made_in != NULL) grow_made(L, s, n);
  uintptr_t *handles = n < UINT32_MAX / 2 ? realloc(s->handles, n * sizeof *handles) : NULL;
  if (handles == NULL) cp_raise_status(L, "array", cp_no_memory(NULL));
  for (uint32_t k = s->nhandles; k < n; k++) handles[k] = (uintptr_t)(k + 1) << 1 | 1;
  s->free_handle = s->nhandles;
  s->handles = handles;
  s->nhandles = n;
}

uint32_t cp_open_ring(lua_State *L, cp_state *s) {
  if (s->free_handle == s->nhandles) cp_grow_handles(L, s);
  if (s->made_in == NULL) grow_made(L, s, s->nhandles);
  const uint32_t ring = s->free_handle;
  s->free_handle = (uint32_t)(s->handles[ring] >> 1);
  s->handles[ring] = 1; // no address
  if (++s->scope_count == 0) s->scope_count = 1;
  s->made_in[ring] = (cp_made){.next = ring, .previous = ring, .scope = s->scope_count};
  return ring;
}

void cp_close_ring(cp_state *s, uint32_t ring) {
  s->made_in[ring].scope = 0;
  s->handles[ring] = (uintptr_t)s->free_handle << 1 | 1;
  s->free_handle = ring;
}

cp_array *cp_first_made(const cp_state *s, uint32_t ring) {
  const uint32_t first = s->made_in[ring].next;
  return first != ring ? (cp_array *)s->handles[first] : NULL;
}

cp_array *cp_find_array(lua_State *L, int index) {
  cp_array *a = cp_test_object(L, index, CP_KIND_ARRAY);
  if (a != NULL && cp_is_listed((const cp_state *)(const void *)a->context, a)) cp_know_array(a);
  return a;
}

void cp_free_memory(cp_array *a) {
  if (cp_is_planned(a)) cp_planned_free(a);
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
  free(s->made_in);
  s->handles = NULL;
  s->made_in = NULL;
  s->nhandles = s->free_handle = 0;
}
