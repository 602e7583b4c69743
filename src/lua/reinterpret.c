// x:view(dtype): the same bytes under another dtype.
#include "lua/create.h"
#include "lua/view.h"

#include <inttypes.h>

// Refuses what cannot be read as elements of `size` bytes: their addresses must be multiples of it, as every array's are.
static void check_aligned(lua_State *L, const cp_array *a, int64_t size) {
  bool aligned = a->offset % size == 0;
  for (int k = 0; k + 1 < a->ndim; k++) aligned = aligned && (a->shape[k] < 2 || a->strides[k] % size == 0);
  if (!aligned)
    cp_raise(L, "view", CP_EUSAGE,
             "rows do not begin at multiples of %" PRId64 " bytes; use x:copy():view(...)", size);
}

// Checks that the last axis of a can be cut into elements of another size; gives its new length.
static int64_t resized_axis(lua_State *L, const cp_array *a, cp_dtype to) {
  int64_t from_size = (int64_t)cp_itemsize(a->dtype), size = (int64_t)cp_itemsize(to);
  if (a->ndim == 0)
    cp_raise(L, "view", CP_ESHAPE, "a 0-d array of %s cannot become %s, which has another size",
             cp_dtypes[a->dtype].name, cp_dtypes[to].name);
  int64_t n = a->shape[a->ndim - 1];
  if (n > 1 && a->strides[a->ndim - 1] != from_size)
    cp_raise(L, "view", CP_EUSAGE,
             "the last axis must be contiguous for a dtype of another size; use x:copy():view(...)");
  if (n * from_size % size != 0)
    cp_raise(L, "view", CP_ESHAPE, "the last axis has %" PRId64 " bytes, no multiple of %s's %" PRId64,
             n * from_size, cp_dtypes[to].name, size);
  if (size > from_size) check_aligned(L, a, size);
  return n * from_size / size;
}

// x:view(dtype): a view with the same bytes; where sizes differ the last axis grows or shrinks. Without a dtype a view of the same elements.
CP_SIGNATURE(view, 1, false, "x", "dtype");
static int reinterpret(lua_State *L) {
  cp_array_local local;
  cp_arguments(L, &view_signature);
  cp_array *a = cp_take_array(L, 1, "view", "x"), *view = cp_array_local_init(&local);
  cp_dtype to = cp_arg_dtype(L, 2, "view");
  if (to == CP_NDTYPES) to = a->dtype;
  bool resized = cp_itemsize(to) != cp_itemsize(a->dtype);
  int64_t length = resized ? resized_axis(L, a, to) : 0;
  cp_view_start(view, a);
  view->dtype = to;
  for (int k = 0; k < a->ndim; k++) {
    bool last = resized && k == a->ndim - 1;
    cp_view_axis(view, last ? length : a->shape[k], last ? (int64_t)cp_itemsize(to) : a->strides[k]);
  }
  cp_push_view(L, view);
  return 1;
}

void cp_open_reinterpret(lua_State *L) {
  lua_pushcfunction(L, reinterpret);
  lua_setfield(L, 3, "view");
}
