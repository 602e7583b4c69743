// Views of the same elements under other axes: reshape, transpose and their kin, broadcasting, as_strided, flip, x.T, x.real, x.imag.
//
// Only reshape, ravel and flatten may copy. Axes count from 1 for the user and from 0 inside. Each function's signature stands beside it; slot 1
// is the array, and a table or number there is made one.
#include "lua/indexing/view.h"
#include "lua/conversion/assign.h"
#include "lua/creation/create.h"

#include <inttypes.h>
#include <string.h>

// ---- arguments ----------------------------------------------------------------------------------------------------

// Brings the arguments into their slots and gives the array in the first.
static cp_array *take(lua_State *L, const cp_signature *s) {
  cp_arguments(L, s);
  return cp_take_array(L, 1, s->where, s->names[0]);
}

// Whole numbers given one by one from slot 2 on become one table there.
static void gather_numbers(lua_State *L) {
  int n = 0, top = lua_gettop(L);
  while (2 + n <= top && (lua_type(L, 2 + n) == LUA_TNUMBER || lua_type(L, 2 + n) == CP_LUA_TCDATA)) n++;
  if (n < 2) return;
  lua_createtable(L, n, 0);
  for (int k = 1; k <= n; k++) {
    lua_pushvalue(L, k + 1);
    lua_rawseti(L, -2, k);
  }
  lua_replace(L, 2);
  for (int k = 1; k < n; k++) lua_remove(L, 3);
}

// A whole number or a table of such, of any sign; returns how many.
static int whole_numbers(lua_State *L, int slot, const char *where, const char *argument, int64_t *out) {
  if (!lua_istable(L, slot)) {
    out[0] = cp_arg_integer(L, slot, where, argument);
    return 1;
  }
  size_t n = lua_rawlen(L, slot);
  if (n > CP_MAXDIM) cp_raise(L, where, CP_ESHAPE, "%s has more than %d entries", argument, CP_MAXDIM);
  for (int k = 0; k < (int)n; k++) {
    lua_rawgeti(L, slot, k + 1);
    out[k] = cp_arg_integer(L, lua_gettop(L), where, argument);
    lua_pop(L, 1);
  }
  return (int)n;
}

// An axis or a table of different axes, from 0; returns how many.
static int axis_list(lua_State *L, int slot, const char *where, const char *argument, int ndim, int *axes) {
  uint32_t seen = 0;
  if (!lua_istable(L, slot)) {
    axes[0] = cp_arg_axis(L, slot, where, argument, ndim);
    return 1;
  }
  int n = (int)lua_rawlen(L, slot);
  for (int k = 0; k < n; k++) {
    lua_rawgeti(L, slot, k + 1);
    int axis = cp_arg_axis(L, lua_gettop(L), where, argument, ndim);
    if (seen >> axis & 1) cp_raise(L, where, CP_EINDEX, "%s names axis %d twice", argument, axis + 1);
    seen |= 1U << axis;
    axes[k] = axis;
    lua_pop(L, 1);
  }
  return n;
}

// ---- reshape ------------------------------------------------------------------------------------------------------

// Strides of a under another shape whose elements are taken in C or F order; false when a copy is needed.
static bool reshaped_strides(const cp_array *a, int ndim, const int64_t *shape, char order, int64_t *out) {
  size_t itemsize = cp_itemsize(a->dtype);
  if (order == 'C') return cp_reshape_strides(a->ndim, a->shape, a->strides, ndim, shape, itemsize, out);
  // F order is C order of the reversed axes.
  int64_t old_shape[CP_MAXDIM], old_strides[CP_MAXDIM], new_strides[CP_MAXDIM];
  int64_t new_shape[CP_MAXDIM] = {0}; // ndim may be 0
  for (int k = 0; k < a->ndim; k++) {
    old_shape[k] = a->shape[a->ndim - 1 - k];
    old_strides[k] = a->strides[a->ndim - 1 - k];
  }
  for (int k = 0; k < ndim; k++) new_shape[k] = shape[ndim - 1 - k];
  if (!cp_reshape_strides(a->ndim, old_shape, old_strides, ndim, new_shape, itemsize, new_strides))
    return false;
  for (int k = 0; k < ndim; k++) out[k] = new_strides[ndim - 1 - k];
  return true;
}

// When a copy is made.
typedef enum copying_rule {
  IF_NEEDED,
  UNLESS_DENSE, // where the result would have gaps
  ALWAYS
} copying_rule;

// Pushes a in another shape of the same size: a view where strides can say it, else a view of a copy.
static int push_reshaped(lua_State *L, const char *where, cp_array *a, int ndim, const int64_t *shape,
                         char order, copying_rule copying) {
  int64_t strides[CP_MAXDIM];
  bool fresh = copying == ALWAYS || !reshaped_strides(a, ndim, shape, order, strides);
  fresh = fresh || (copying == UNLESS_DENSE && a->size > 1 && strides[0] != (int64_t)cp_itemsize(a->dtype));
  if (fresh) {
    a = cp_push_copy(L, where, a, order);
    cp_contiguous_strides(ndim, shape, cp_itemsize(a->dtype), order, strides);
  }
  cp_array *view = cp_push_view_of(L, a, 0, ndim);
  for (int k = 0; k < ndim; k++) cp_view_axis(view, shape[k], strides[k]);
  view->owner = fresh;
  return 1;
}

// Puts the length that -1 stands for into shape and checks that the size stays.
static void complete_shape(lua_State *L, const cp_array *a, int ndim, int64_t *shape) {
  char from[CP_SHAPE_TEXT], to[CP_SHAPE_TEXT];
  int open = -1;
  bool fits = true;
  int64_t known = 1;
  cp_shape_text(ndim, shape, to);
  for (int k = 0; k < ndim; k++) {
    if (shape[k] < -1)
      cp_raise(L, "reshape", CP_ESHAPE, "length %" PRId64 " in shape %s is negative; only -1 is allowed",
               shape[k], to);
    if (shape[k] == -1 && open >= 0)
      cp_raise(L, "reshape", CP_ESHAPE, "only one length in shape %s can be -1", to);
    if (shape[k] == -1)
      open = k;
    else if (known != 0 && fits)
      fits = !__builtin_mul_overflow(known, shape[k], &known);
  }
  if (open >= 0 && fits && known > 0 && a->size % known == 0)
    shape[open] = a->size / known;
  else if (open >= 0 || !fits || known != a->size)
    cp_raise(L, "reshape", CP_ESHAPE, "cannot reshape %s of %" PRId64 " elements to %s",
             cp_shape_text(a->ndim, a->shape, from), a->size, to);
}

// reshape(a, shape, order = "C"): lengths also one by one; one of them may be -1.
CP_SIGNATURE(reshape, 2, "a", "shape", "order");
static int reshape(lua_State *L) {
  int64_t shape[CP_MAXDIM];
  gather_numbers(L);
  cp_array *a = take(L, &reshape_signature);
  int ndim = whole_numbers(L, 2, "reshape", "shape", shape);
  char order = cp_arg_order(L, 3, "reshape", "CFA", 'C', a);
  complete_shape(L, a, ndim, shape);
  return push_reshaped(L, "reshape", a, ndim, shape, order, IF_NEEDED);
}

// Pushes the view with axis perm[k] of a at place k.
static cp_array *push_permuted(lua_State *L, const cp_array *a, const int *perm) {
  cp_array *view = cp_push_view_of(L, a, 0, a->ndim);
  for (int k = 0; k < a->ndim; k++) cp_view_axis(view, a->shape[perm[k]], a->strides[perm[k]]);
  return view;
}

static int push_flat(lua_State *L, const cp_signature *s, copying_rule copying) {
  cp_array *a = take(L, s);
  char order = cp_arg_order(L, 2, s->where, "CFAK", 'C', a);
  if (order == 'K') { // the order of memory: C order after sorting the axes
    int perm[CP_MAXDIM];
    const int64_t *strides = a->strides;
    cp_stride_order(a->ndim, a->shape, 1, &strides, perm);
    a = push_permuted(L, a, perm);
    order = 'C';
  }
  return push_reshaped(L, s->where, a, 1, &a->size, order, copying);
}

// ravel(a, order = "C"): all elements as one axis, a view where they lie one behind the other.
CP_SIGNATURE(ravel, 1, "a", "order");
static int ravel(lua_State *L) { return push_flat(L, &ravel_signature, UNLESS_DENSE); }

// x:flatten(order = "C"): the same, always a copy.
CP_SIGNATURE(flatten, 1, "a", "order");
static int flatten(lua_State *L) { return push_flat(L, &flatten_signature, ALWAYS); }

// ---- the order of axes --------------------------------------------------------------------------------------------

int cp_push_transposed(lua_State *L, cp_array *a) {
  int perm[CP_MAXDIM];
  cp_need(L, "T", a);
  for (int k = 0; k < a->ndim; k++) perm[k] = a->ndim - 1 - k;
  push_permuted(L, a, perm);
  return 1;
}

int cp_push_matrices_transposed(lua_State *L, cp_array *a) {
  int perm[CP_MAXDIM];
  cp_need(L, "mT", a);
  if (a->ndim < 2)
    return cp_raise(L, "mT", CP_ESHAPE, "x needs at least 2 axes, not %d; x.T takes any array", a->ndim);
  for (int k = 0; k < a->ndim; k++) perm[k] = k;
  perm[a->ndim - 1] = a->ndim - 2;
  perm[a->ndim - 2] = a->ndim - 1;
  push_permuted(L, a, perm);
  return 1;
}

// transpose(a, axes): axes as a table or one by one; reversed without.
CP_SIGNATURE(transpose, 1, "a", "axes");
static int transpose(lua_State *L) {
  int perm[CP_MAXDIM];
  gather_numbers(L);
  cp_array *a = take(L, &transpose_signature);
  if (lua_isnil(L, 2)) return cp_push_transposed(L, a);
  int n = axis_list(L, 2, "transpose", "axes", a->ndim, perm);
  if (n != a->ndim)
    return cp_raise(L, "transpose", CP_ESHAPE, "axes has %d entries for an array with %d %s", n, a->ndim,
                    a->ndim == 1 ? "axis" : "axes");
  push_permuted(L, a, perm);
  return 1;
}

// swapaxes(a, axis1, axis2)
CP_SIGNATURE(swapaxes, 3, "a", "axis1", "axis2");
static int swapaxes(lua_State *L) {
  int perm[CP_MAXDIM];
  cp_array *a = take(L, &swapaxes_signature);
  int one = cp_arg_axis(L, 2, "swapaxes", "axis1", a->ndim),
      two = cp_arg_axis(L, 3, "swapaxes", "axis2", a->ndim);
  for (int k = 0; k < a->ndim; k++) perm[k] = k;
  perm[one] = two;
  perm[two] = one;
  push_permuted(L, a, perm);
  return 1;
}

// moveaxis(a, source, destination): axes or tables of axes; the others keep their order.
CP_SIGNATURE(moveaxis, 3, "a", "source", "destination");
static int moveaxis(lua_State *L) {
  int from[CP_MAXDIM], to[CP_MAXDIM], perm[CP_MAXDIM];
  uint32_t moved = 0, taken = 0;
  cp_array *a = take(L, &moveaxis_signature);
  int n = axis_list(L, 2, "moveaxis", "source", a->ndim, from);
  if (n != axis_list(L, 3, "moveaxis", "destination", a->ndim, to))
    return cp_raise(L, "moveaxis", CP_EUSAGE, "source and destination must have equally many entries");
  for (int k = 0; k < n; k++) {
    perm[to[k]] = from[k];
    moved |= 1U << from[k];
    taken |= 1U << to[k];
  }
  for (int k = 0, axis = 0; k < a->ndim; k++) {
    if (taken >> k & 1) continue;
    while (moved >> axis & 1) axis++;
    perm[k] = axis++;
  }
  push_permuted(L, a, perm);
  return 1;
}

// rollaxis(a, axis, start = 1): axis comes to lie before the axis start, which may be one behind the last.
CP_SIGNATURE(rollaxis, 2, "a", "axis", "start");
static int rollaxis(lua_State *L) {
  int perm[CP_MAXDIM];
  cp_array *a = take(L, &rollaxis_signature);
  int axis = cp_arg_axis(L, 2, "rollaxis", "axis", a->ndim), n = a->ndim;
  int64_t start = cp_arg_integer_or(L, 3, "rollaxis", "start", 1);
  if (start == 0 || start > n + 1 || start < -n)
    return cp_raise(L, "rollaxis", CP_EINDEX, "start %" PRId64 " must be in 1..%d or -%d..-1", start, n + 1,
                    n);
  int place = (int)(start < 0 ? start + n : start - 1);
  if (axis < place) place--;
  for (int k = 0, other = 0; k < n; k++) {
    if (other == axis) other++;
    perm[k] = k == place ? axis : other++;
  }
  push_permuted(L, a, perm);
  return 1;
}

// ---- axes of length 1 ---------------------------------------------------------------------------------------------

// squeeze(a, axis): without the given axes, which must have length 1; without all such axes when none is given.
CP_SIGNATURE(squeeze, 1, "a", "axis");
static int squeeze(lua_State *L) {
  cp_array_local local;
  cp_array *a = take(L, &squeeze_signature), *view = cp_array_local_init(&local);
  bool given = !lua_isnil(L, 2);
  uint32_t axes = cp_arg_axes(L, 2, "squeeze", "axis", a->ndim);
  cp_view_start(view, a);
  for (int k = 0; k < a->ndim; k++) {
    bool named = axes >> k & 1;
    if (named && given && a->shape[k] != 1)
      return cp_raise(L, "squeeze", CP_ESHAPE, "axis %d has length %" PRId64 ", not 1", k + 1, a->shape[k]);
    if (!named || a->shape[k] != 1) cp_view_axis(view, a->shape[k], a->strides[k]);
  }
  cp_push_view(L, view);
  return 1;
}

// expand_dims(a, axis): axes of length 1 at these places of the result.
CP_SIGNATURE(expand_dims, 2, "a", "axis");
static int expand_dims(lua_State *L) {
  cp_array_local local;
  int places[CP_MAXDIM];
  uint32_t added = 0;
  cp_array *a = take(L, &expand_dims_signature), *view = cp_array_local_init(&local);
  size_t extra = lua_istable(L, 2) ? lua_rawlen(L, 2) : 1;
  if ((size_t)a->ndim + extra > CP_MAXDIM)
    return cp_raise(L, "expand_dims", CP_ESHAPE, "the result would have more than %d axes", CP_MAXDIM);
  int ndim = a->ndim + (int)extra, n = axis_list(L, 2, "expand_dims", "axis", ndim, places);
  for (int k = 0; k < n; k++) added |= 1U << places[k];
  cp_view_start(view, a);
  for (int k = 0, axis = 0; k < ndim; k++) {
    if (added >> k & 1)
      cp_view_axis(view, 1, 0);
    else {
      cp_view_axis(view, a->shape[axis], a->strides[axis]);
      axis++;
    }
  }
  cp_push_view(L, view);
  return 1;
}

// ---- broadcasting -------------------------------------------------------------------------------------------------

// Pushes a as an array of this shape, which it broadcasts to. A view that repeats elements cannot be written.
static void push_broadcast(lua_State *L, const cp_array *a, int ndim, const int64_t *shape, bool readonly) {
  cp_array_local local;
  int64_t strides[CP_MAXDIM];
  cp_array *view = cp_array_local_init(&local);
  cp_broadcast_strides(ndim, shape, a->ndim, a->shape, a->strides, strides);
  cp_view_start(view, a);
  for (int k = 0; k < ndim; k++) cp_view_axis(view, shape[k], strides[k]);
  view->readonly = a->readonly || readonly || view->size > a->size;
  cp_push_view(L, view);
}

// broadcast_to(array, shape): a read-only view.
CP_SIGNATURE(broadcast_to, 2, "array", "shape");
static int broadcast_to(lua_State *L) {
  int64_t shape[CP_MAXDIM], both[CP_MAXDIM], size;
  char from[CP_SHAPE_TEXT], to[CP_SHAPE_TEXT];
  cp_array *a = take(L, &broadcast_to_signature);
  int ndim = cp_arg_shape(L, 2, "broadcast_to", "shape", shape), n = ndim;
  memcpy(both, shape, sizeof both);
  if (!cp_broadcast(&n, both, a->ndim, a->shape) || !cp_shape_equal(n, both, ndim, shape))
    return cp_raise(L, "broadcast_to", CP_ESHAPE, "shape %s does not broadcast to %s",
                    cp_shape_text(a->ndim, a->shape, from), cp_shape_text(ndim, shape, to));
  CP_CHECK(L, "broadcast_to", cp_shape_size(ndim, shape, cp_itemsize(a->dtype), &size));
  push_broadcast(L, a, ndim, shape, true);
  return 1;
}

// broadcast_arrays(a, b, ...): a view of each in their common shape.
static int broadcast_arrays(lua_State *L) {
  int64_t shape[CP_MAXDIM], size;
  char one[CP_SHAPE_TEXT], two[CP_SHAPE_TEXT];
  int count = lua_gettop(L), ndim = 0;
  luaL_checkstack(L, count + 8, "too many arrays");
  for (int k = 1; k <= count; k++) {
    const cp_array *a = cp_take_array(L, k, "broadcast_arrays", "each argument");
    if (!cp_broadcast(&ndim, shape, a->ndim, a->shape))
      return cp_raise(L, "broadcast_arrays", CP_ESHAPE, "shapes %s and %s do not broadcast",
                      cp_shape_text(ndim, shape, one), cp_shape_text(a->ndim, a->shape, two));
  }
  CP_CHECK(L, "broadcast_arrays", cp_shape_size(ndim, shape, sizeof(cp_complex128), &size));
  for (int k = 1; k <= count; k++) push_broadcast(L, cp_test_array(L, k), ndim, shape, false);
  return count;
}

// ---- strides ------------------------------------------------------------------------------------------------------

// Checks that a view stays inside its storage, without an overflow on the way.
static void check_extent(lua_State *L, const cp_array *view) {
  int64_t low = view->offset, high = view->offset, reach, itemsize = (int64_t)cp_itemsize(view->dtype);
  bool fits = true;
  for (int k = 0; k < view->ndim; k++) {
    if (view->shape[k] == 0) return;
    int64_t *end = view->strides[k] < 0 ? &low : &high;
    fits = fits && !__builtin_mul_overflow(view->shape[k] - 1, view->strides[k], &reach) &&
           !__builtin_add_overflow(*end, reach, end);
  }
  if (!fits || low < 0 || high > (int64_t)view->storage->nbytes - itemsize)
    cp_raise(L, "as_strided", CP_EINDEX,
             "this shape and these strides go beyond the array's memory of %zu bytes", view->storage->nbytes);
}

// as_strided(x, shape, strides, writeable = true): any view of the memory behind x that stays inside it; strides in bytes, those of x when not
// given. Read-only where a stride is 0.
CP_SIGNATURE(as_strided, 1, "x", "shape", "strides", "writeable");
static int as_strided(lua_State *L) {
  cp_array_local local;
  int64_t shape[CP_MAXDIM], strides[CP_MAXDIM], size;
  cp_array *a = take(L, &as_strided_signature), *view = cp_array_local_init(&local);
  int ndim = a->ndim, n = a->ndim;
  if (a->ndim > 0) memcpy(shape, a->shape, (size_t)ndim * sizeof *shape);
  if (a->ndim > 0) memcpy(strides, a->strides, (size_t)ndim * sizeof *strides);
  if (!lua_isnil(L, 2)) ndim = cp_arg_shape(L, 2, "as_strided", "shape", shape);
  if (!lua_isnil(L, 3)) n = whole_numbers(L, 3, "as_strided", "strides", strides);
  if (n != ndim)
    return cp_raise(L, "as_strided", CP_ESHAPE, "strides has %d entries for a shape of %d", n, ndim);
  CP_CHECK(L, "as_strided", cp_shape_size(ndim, shape, cp_itemsize(a->dtype), &size));
  cp_view_start(view, a);
  if (!cp_arg_boolean_or(L, 4, "as_strided", "writeable", true)) view->readonly = true;
  for (int k = 0; k < ndim; k++) {
    if (strides[k] % (int64_t)cp_itemsize(a->dtype) != 0)
      return cp_raise(L, "as_strided", CP_EUSAGE,
                      "stride %" PRId64 " is not a multiple of the element size, %zu bytes", strides[k],
                      cp_itemsize(a->dtype));
    if (strides[k] == 0 && shape[k] > 1) view->readonly = true;
    cp_view_axis(view, shape[k], strides[k]);
  }
  check_extent(L, view);
  cp_push_view(L, view);
  return 1;
}

// Pushes a with these axes reversed.
static int push_flipped(lua_State *L, const cp_array *a, uint32_t axes) {
  cp_array_local local;
  cp_array *view = cp_array_local_init(&local);
  cp_view_start(view, a);
  for (int k = 0; k < a->ndim; k++) {
    bool flipped = (axes >> k & 1) && a->shape[k] > 0;
    if (flipped && a->size > 0) view->offset += (a->shape[k] - 1) * a->strides[k];
    cp_view_axis(view, a->shape[k], flipped ? -a->strides[k] : a->strides[k]);
  }
  cp_push_view(L, view);
  return 1;
}

// flip(m, axis): all axes when none is given.
CP_SIGNATURE(flip, 1, "m", "axis");
static int flip(lua_State *L) {
  cp_array *a = take(L, &flip_signature);
  return push_flipped(L, a, cp_arg_axes(L, 2, "flip", "axis", a->ndim));
}

static int flip_one(lua_State *L, const cp_signature *s, int axis) {
  char text[CP_SHAPE_TEXT];
  cp_array *a = take(L, s);
  if (a->ndim <= axis)
    return cp_raise(L, s->where, CP_ESHAPE, "m needs at least %d %s, not shape %s", axis + 1,
                    axis == 0 ? "axis" : "axes", cp_shape_text(a->ndim, a->shape, text));
  return push_flipped(L, a, 1U << axis);
}

CP_SIGNATURE(flipud, 1, "m");
static int flipud(lua_State *L) { return flip_one(L, &flipud_signature, 0); }

CP_SIGNATURE(fliplr, 1, "m");
static int fliplr(lua_State *L) { return flip_one(L, &fliplr_signature, 1); }

// ---- parts of complex values --------------------------------------------------------------------------------------

// One zero, read at every position of a's shape.
static int push_zeros(lua_State *L, const cp_array *a) {
  char *p;
  cp_stream *stream;
  cp_array *z = cp_push_array(L, a->ndim);
  for (int k = 0; k < a->ndim; k++) z->shape[k] = 1;
  cp_allocate_pushed(L, "imag", z, a->device, a->dtype);
  CP_CHECK(L, "imag", cp_array_pointer(z, &p));
  cp_context *ctx = &cp_state_get(L)->ctx;
  CP_CHECK(L, "imag", cp_context_stream(ctx, a->device, &stream));
  CP_CHECK(L, "imag", cp_before_write(ctx, stream, z->storage->buffer));
  CP_CHECK(L, "imag", a->device->ops->fill_bytes(stream, p, 0, cp_itemsize(a->dtype)));
  for (int k = 0; k < a->ndim; k++) {
    z->shape[k] = a->shape[k];
    z->strides[k] = 0;
  }
  z->size = a->size;
  z->readonly = true;
  return 1;
}

int cp_push_part(lua_State *L, cp_array *a, bool imag) {
  cp_need(L, imag ? "imag" : "real", a);
  cp_dtype real = cp_dtypes[a->dtype].real;
  if (imag && !cp_is_complex(a->dtype)) return push_zeros(L, a);
  cp_array *view = cp_push_view(L, a);
  view->dtype = real;
  if (imag && a->size > 0) view->offset += (int64_t)cp_itemsize(real);
  return 1;
}

void cp_open_view(lua_State *L) {
  static const luaL_Reg both[] = {{"reshape", reshape},
                                  {"ravel", ravel},
                                  {"transpose", transpose},
                                  {"swapaxes", swapaxes},
                                  {"moveaxis", moveaxis},
                                  {"rollaxis", rollaxis},
                                  {"squeeze", squeeze},
                                  {"expand_dims", expand_dims},
                                  {"broadcast_to", broadcast_to},
                                  {"broadcast_arrays", broadcast_arrays},
                                  {"as_strided", as_strided},
                                  {"flip", flip},
                                  {"flipud", flipud},
                                  {"fliplr", fliplr},
                                  {NULL, NULL}};
  for (int table = 2; table <= 3; table++) {
    cp_put_functions(L, table, both);
  }
  lua_pushcfunction(L, flatten);
  lua_setfield(L, 3, "flatten");
}
