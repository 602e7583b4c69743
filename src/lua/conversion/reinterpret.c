// Reads the same bytes as another dtype: views (x:view), and 64-bit numbers made from bytes (core.word).
#include "array/view.h"
#include "lua/arguments/args.h"
#include "lua/arguments/options.h"
#include "lua/conversion/take.h"
#include "lua/values/handle.h"

#include <inttypes.h>
#include <string.h>

typedef enum misfit { FITS, HAS_NO_AXIS, NOT_CONTIGUOUS, NO_MULTIPLE, NOT_ALIGNED } misfit;

// Whether elements of `size` bytes would be aligned where a's rows begin. Offsets are tested besides
// addresses, because the buffer may be exchanged for another one.
static bool is_aligned(lua_State *L, const cp_array *a, int64_t size) {
  char *p;
  if (a->size == 0) return true;
  CP_CHECK(L, "view", cp_array_pointer(a, &p));
  bool aligned = a->offset % size == 0 && (uintptr_t)p % (uintptr_t)size == 0;
  for (int k = 0; k + 1 < a->ndim; k++) aligned = aligned && (a->shape[k] < 2 || a->strides[k] % size == 0);
  return aligned;
}

// Whether a's bytes can be read as elements of dtype `to` along the last axis, whose length becomes *length;
// if not, the reason. Dtypes of the same size always can.
static misfit cut_last_axis(lua_State *L, const cp_array *a, cp_dtype to, int64_t *length) {
  int64_t from_size = (int64_t)cp_itemsize(a->dtype), size = (int64_t)cp_itemsize(to);
  if (a->ndim == 0) return size == from_size ? FITS : HAS_NO_AXIS;
  int64_t n = *length = a->shape[a->ndim - 1];
  if (size == from_size) return FITS;
  if (n > 1 && a->strides[a->ndim - 1] != from_size) return NOT_CONTIGUOUS;
  if (n * from_size % size != 0) return NO_MULTIPLE;
  if (size > from_size && !is_aligned(L, a, size)) return NOT_ALIGNED;
  *length = n * from_size / size;
  return FITS;
}

static int raise_misfit(lua_State *L, const cp_array *a, cp_dtype to, misfit why) {
  int64_t size = (int64_t)cp_itemsize(to);
  if (why == HAS_NO_AXIS)
    return cp_raise(L, "view", CP_ESHAPE, "a 0-d array of %s cannot become %s, which has another size",
                    cp_dtypes[a->dtype].name, cp_dtypes[to].name);
  if (why == NOT_CONTIGUOUS)
    return cp_raise(L, "view", CP_EUSAGE,
                    "the last axis must be contiguous for a dtype of another size; use x:copy():view(...)");
  if (why == NOT_ALIGNED)
    return cp_raise(L, "view", CP_EUSAGE,
                    "rows do not begin at multiples of %" PRId64 " bytes; use x:copy():view(...)", size);
  int64_t bytes = a->shape[a->ndim - 1] * (int64_t)cp_itemsize(a->dtype);
  return cp_raise(L, "view", CP_ESHAPE,
                  "the last axis has %" PRId64 " bytes, which is not a multiple of %s's %" PRId64, bytes,
                  cp_dtypes[to].name, size);
}

static int push_reinterpreted(lua_State *L, const cp_array *a, cp_dtype to, int64_t length) {
  cp_array_local local;
  cp_array *view = cp_array_local_init(&local);
  bool resized = cp_itemsize(to) != cp_itemsize(a->dtype);
  cp_view_start(view, a);
  view->dtype = to;
  for (int k = 0; k < a->ndim; k++) {
    bool cut = resized && k == a->ndim - 1;
    cp_view_axis(view, cut ? length : a->shape[k], cut ? (int64_t)cp_itemsize(to) : a->strides[k]);
  }
  cp_push_view(L, view);
  return 1;
}

// x:view(dtype): a view of the same bytes. If the sizes of the dtypes differ, the last axis becomes longer or
// shorter. Without a dtype it is a view of the same elements.
CP_SIGNATURE(view, 1, "x", "dtype");
static int reinterpret(lua_State *L) {
  int64_t length = 0;
  cp_arguments(L, &view_signature);
  cp_array *a = cp_take_array(L, 1, "view", "x");
  cp_dtype to = cp_arg_dtype(L, 2, "view");
  if (to == CP_NDTYPES) to = a->dtype;
  misfit why = cut_last_axis(L, a, to, &length);
  return why == FITS ? push_reinterpreted(L, a, to, length) : raise_misfit(L, a, to, why);
}

// core.view(x, dtype): the same view, or nothing if it is not possible.
static int reinterpret_or_nil(lua_State *L) {
  int64_t length = 0;
  cp_array *a = cp_take_array(L, 1, "view", "x");
  cp_dtype to = cp_check_dtype(L, 2, "view");
  return cut_last_axis(L, a, to, &length) == FITS ? push_reinterpreted(L, a, to, length) : 0;
}

// core.word(bytes, dtype): a number of dtype int64 or uint64 with these eight bytes in memory, as cp.scalar
// makes it. No kind of literal has 64 bits in both Lua 5.4 and LuaJIT.
static int word(lua_State *L) {
  size_t length;
  int64_t value;
  const char *bytes = luaL_checklstring(L, 1, &length);
  luaL_argcheck(L, length == sizeof value, 1, "eight bytes");
  memcpy(&value, bytes, sizeof value);
  cp_dtype t = cp_check_dtype(L, 2, "word");
  cp_demand(L, "word", t == CP_INT64 || t == CP_UINT64, "dtype must be int64 or uint64");
  cp_push_boxed(L, cp_scalar_int(value, t), false);
  return 1;
}

void cp_open_reinterpret(lua_State *L) {
  static const luaL_Reg core[] = {{"word", word}, {"view", reinterpret_or_nil}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
  lua_pushcfunction(L, reinterpret);
  lua_setfield(L, 3, "view");
}
