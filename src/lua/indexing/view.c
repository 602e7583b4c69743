// Views of the same elements with other axes for Lua, by the rules of rules/indexing/view.h and rules/axes.h:
// reshape, transpose and its relatives, broadcasting, as_strided, flip, x.T, x.real and x.imag.
// Users count axes from 1. Each function's signature is in its comment. Slot 1 is the array; a table or
// number there becomes one.
#include "lua/indexing/view.h"
#include "lua/arguments/options.h"
#include "lua/conversion/take.h"
#include "lua/values/handle.h"
#include "rules/axes.h"
#include "rules/indexing/view.h"

// ---- arguments --------------------------------------------------------------------------------------------

// Brings the arguments into their slots and returns the array in the first one.
static cp_array *take(lua_State *L, const cp_signature *s) {
  cp_arguments(L, s);
  return cp_take_array(L, 1, s->where, s->names[0]);
}

// The same for functions whose views of a pending array may be pending, too.
static cp_array *take_for_view(lua_State *L, const cp_signature *s) {
  cp_arguments(L, s);
  cp_array *a = cp_take_value(L, 1, s->where, s->names[0]);
  cp_need_for_view(L, s->where, a);
  return a;
}

// Collects whole numbers given one by one, from slot 2 on, into a table in slot 2.
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

// Reads x:reshape(2, 3), the most common call, which needs no table: n lengths in slots 2 to n + 1, and
// nothing else. Returns 0 if the arguments are others.
static int plain_numbers(lua_State *L, int64_t *out) {
  const int n = lua_gettop(L) - 1;
  if (n < 1 || n > CP_MAXDIM) return 0;
  for (int k = 0; k < n; k++) {
    const lua_Number v = lua_type(L, k + 2) == LUA_TNUMBER ? lua_tonumber(L, k + 2) : 0.5;
    if (!(v >= -1 && v < 9007199254740992.0) || v != (lua_Number)(int64_t)v) return 0;
    out[k] = (int64_t)v;
  }
  return n;
}

// Reads a whole number, or a table of them, of any sign. Returns how many there are.
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

// Reads an axis, or a table of different axes, of an array with ndim axes.
static void read_axes(lua_State *L, int slot, const char *where, const char *argument, int ndim,
                      cp_axes *axes) {
  cp_axes_begin(axes);
  if (!lua_istable(L, slot)) {
    CP_CHECK(L, where, cp_axes_add(axes, argument, cp_arg_integer(L, slot, where, argument), ndim));
    return;
  }
  int n = (int)lua_rawlen(L, slot);
  for (int k = 0; k < n; k++) {
    lua_rawgeti(L, slot, k + 1);
    int64_t axis = cp_arg_integer(L, lua_gettop(L), where, argument);
    CP_CHECK(L, where, cp_axes_add(axes, argument, axis, ndim));
    lua_pop(L, 1);
  }
}

// Pushes an array without memory, with room for ndim axes, and returns the context in which to make it.
static cp_context *push_result(lua_State *L, const char *where, const cp_array *a, int ndim,
                               cp_array **result) {
  cp_state *s = cp_state_of(L, a);
  *result = cp_push_handle(L, s, ndim, false);
  s->ctx.lazy.caller = where;
  return &s->ctx;
}

// Pushes the view of a that `view` describes.
static int push_view(lua_State *L, const char *where, cp_array *a, cp_array *view) {
  if (a->node == NULL)
    cp_push_view(L, view);
  else
    cp_push_pending_view(L, where, a, view);
  return 1;
}

// ---- reshape ----------------------------------------------------------------------------------------------

// reshape(a, shape, order = "C", copy): the lengths may also be given one by one; one of them may be -1.
// copy: true always makes a new array, false raises an error where there is no view.
CP_SIGNATURE(reshape, 2, "a", "shape", "order", "copy");
static int reshape(lua_State *L) {
  int64_t shape[CP_MAXDIM];
  cp_array *result, *a = cp_test_array(L, 1);
  int ndim = a != NULL ? plain_numbers(L, shape) : 0;
  bool copy = false, never = false;
  char order = 'C';
  if (ndim > 0) {
    CP_CHECK(L, "reshape", cp_array_alive(a));
    cp_need_for_view(L, "reshape", a);
  } else {
    gather_numbers(L);
    a = take_for_view(L, &reshape_signature);
    ndim = whole_numbers(L, 2, "reshape", "shape", shape);
    order = cp_arg_order(L, 3, "reshape", "CFA", 'C', a);
    copy = cp_arg_boolean_or(L, 4, "reshape", "copy", false);
    never = !copy && !lua_isnil(L, 4);
  }
  cp_context *ctx = push_result(L, "reshape", a, ndim, &result);
  CP_CHECK(L, "reshape", cp_reshape(ctx, a, ndim, shape, order, copy, result));
  cp_demand(L, "reshape", !never || result->storage == a->storage,
            "copy is false, but the array has no view of this shape");
  return 1;
}

static int push_flat(lua_State *L, const cp_signature *s, bool copy) {
  cp_array *result, *a = take_for_view(L, s);
  char order = cp_arg_order(L, 2, s->where, "CFAK", 'C', a);
  cp_context *ctx = push_result(L, s->where, a, 1, &result);
  CP_CHECK(L, s->where, cp_ravel(ctx, a, order, copy, result));
  return 1;
}

// ravel(a, order = "C"): all elements along one axis; a view if they lie without gaps in that order.
CP_SIGNATURE(ravel, 1, "a", "order");
static int ravel(lua_State *L) { return push_flat(L, &ravel_signature, false); }

// x:flatten(order = "C"): ravel, but always a copy.
CP_SIGNATURE(flatten, 1, "a", "order");
static int flatten(lua_State *L) { return push_flat(L, &flatten_signature, true); }

// ---- the order of axes ------------------------------------------------------------------------------------

static int push_permuted(lua_State *L, const char *where, cp_array *a, const int *perm) {
  cp_array_local local;
  if (a->node == NULL) {
    cp_view_permute(a, perm, cp_push_view_of(L, a, 0, a->ndim));
    return 1;
  }
  cp_view_permute(a, perm, cp_array_local_init(&local));
  cp_push_pending_view(L, where, a, &local.a);
  return 1;
}

int cp_push_transposed(lua_State *L, cp_array *a) {
  int perm[CP_MAXDIM];
  cp_need_for_view(L, "T", a);
  cp_order_reverse(a->ndim, perm);
  return push_permuted(L, "T", a, perm);
}

int cp_push_matrices_transposed(lua_State *L, cp_array *a) {
  int perm[CP_MAXDIM];
  cp_need_for_view(L, "mT", a);
  CP_CHECK(L, "mT", cp_order_swap_last(a->ndim, perm));
  return push_permuted(L, "mT", a, perm);
}

// transpose(a, axes): the axes as a table or one by one; without them the order is reversed.
CP_SIGNATURE(transpose, 1, "a", "axes");
static int transpose(lua_State *L) {
  cp_axes axes;
  gather_numbers(L);
  cp_array *a = take_for_view(L, &transpose_signature);
  if (lua_isnil(L, 2)) return cp_push_transposed(L, a);
  read_axes(L, 2, "transpose", "axes", a->ndim, &axes);
  CP_CHECK(L, "transpose", cp_order_check(&axes, a->ndim));
  return push_permuted(L, "transpose", a, axes.at);
}

// swapaxes(a, axis1, axis2): the view with these axes exchanged.
CP_SIGNATURE(swapaxes, 3, "a", "axis1", "axis2");
static int swapaxes(lua_State *L) {
  int perm[CP_MAXDIM];
  cp_array *a = take_for_view(L, &swapaxes_signature);
  int one = cp_arg_axis(L, 2, "swapaxes", "axis1", a->ndim);
  cp_order_swap(a->ndim, one, cp_arg_axis(L, 3, "swapaxes", "axis2", a->ndim), perm);
  return push_permuted(L, "swapaxes", a, perm);
}

// moveaxis(a, source, destination): moves axes, given as numbers or tables; the others keep their order.
CP_SIGNATURE(moveaxis, 3, "a", "source", "destination");
static int moveaxis(lua_State *L) {
  cp_axes from, to;
  int perm[CP_MAXDIM];
  cp_array *a = take_for_view(L, &moveaxis_signature);
  read_axes(L, 2, "moveaxis", "source", a->ndim, &from);
  read_axes(L, 3, "moveaxis", "destination", a->ndim, &to);
  CP_CHECK(L, "moveaxis", cp_order_move(a->ndim, &from, &to, perm));
  return push_permuted(L, "moveaxis", a, perm);
}

// rollaxis(a, axis, start = 1): moves the axis before the axis `start`, which may be one after the last.
CP_SIGNATURE(rollaxis, 2, "a", "axis", "start");
static int rollaxis(lua_State *L) {
  int perm[CP_MAXDIM];
  cp_array *a = take_for_view(L, &rollaxis_signature);
  int axis = cp_arg_axis(L, 2, "rollaxis", "axis", a->ndim);
  int64_t start = cp_arg_integer_or(L, 3, "rollaxis", "start", 1);
  CP_CHECK(L, "rollaxis", cp_order_roll(a->ndim, axis, start, perm));
  return push_permuted(L, "rollaxis", a, perm);
}

// ---- axes of length 1 -------------------------------------------------------------------------------------

// squeeze(a, axis): removes the given axes, which must have length 1 or, if none is given, all axes of length
// 1.
CP_SIGNATURE(squeeze, 1, "a", "axis");
static int squeeze(lua_State *L) {
  cp_array_local local;
  cp_array *a = take_for_view(L, &squeeze_signature), *view = cp_array_local_init(&local);
  uint32_t axes = cp_arg_axes(L, 2, "squeeze", "axis", a->ndim);
  CP_CHECK(L, "squeeze", cp_view_squeeze(a, axes, !lua_isnil(L, 2), view));
  return push_view(L, "squeeze", a, view);
}

// expand_dims(a, axis): adds axes of length 1 at these places of the result.
CP_SIGNATURE(expand_dims, 2, "a", "axis");
static int expand_dims(lua_State *L) {
  cp_array_local local;
  cp_axes added;
  int ndim;
  cp_array *a = take_for_view(L, &expand_dims_signature);
  CP_CHECK(L, "expand_dims", cp_expanded_ndim(a, lua_istable(L, 2) ? lua_rawlen(L, 2) : 1, &ndim));
  read_axes(L, 2, "expand_dims", "axis", ndim, &added);
  cp_view_expand(a, added.set, ndim, cp_array_local_init(&local));
  return push_view(L, "expand_dims", a, &local.a);
}

// ---- broadcasting -----------------------------------------------------------------------------------------

// broadcast_to(array, shape): a read-only view.
CP_SIGNATURE(broadcast_to, 2, "array", "shape");
static int broadcast_to(lua_State *L) {
  cp_array_local local;
  int64_t shape[CP_MAXDIM];
  cp_array *a = take(L, &broadcast_to_signature), *view = cp_array_local_init(&local);
  int ndim = cp_arg_shape(L, 2, "broadcast_to", "shape", shape);
  CP_CHECK(L, "broadcast_to", cp_view_broadcast_to(a, ndim, shape, view));
  cp_push_view(L, view);
  return 1;
}

// broadcast_arrays(a, b, ...): a view of each array in their common shape.
static int broadcast_arrays(lua_State *L) {
  int64_t shape[CP_MAXDIM], size;
  int count = lua_gettop(L), ndim = 0;
  luaL_checkstack(L, count + 8, "too many arrays");
  for (int k = 1; k <= count; k++) {
    const cp_array *a = cp_take_array(L, k, "broadcast_arrays", "each argument");
    CP_CHECK(L, "broadcast_arrays", cp_broadcast_with(&ndim, shape, a));
  }
  CP_CHECK(L, "broadcast_arrays", cp_shape_size(ndim, shape, sizeof(cp_complex128), &size));
  for (int k = 1; k <= count; k++) {
    const cp_array *a = cp_test_array(L, k);
    cp_view_broadcast(a, ndim, shape, cp_push_view_of(L, a, 0, ndim));
  }
  return count;
}

// ---- strides ----------------------------------------------------------------------------------------------

// as_strided(x, shape, strides, writeable = true): any view that stays inside the memory of x. The strides
// are in bytes; shape and strides are those of x if not given. The view is read-only if it repeats elements.
CP_SIGNATURE(as_strided, 1, "x", "shape", "strides", "writeable");
static int as_strided(lua_State *L) {
  static const char where[] = "as_strided";
  cp_array_local local;
  int64_t lengths[CP_MAXDIM], steps[CP_MAXDIM];
  cp_array *a = take(L, &as_strided_signature), *view = cp_array_local_init(&local);
  const int64_t *shape = lua_isnil(L, 2) ? a->shape : lengths;
  const int64_t *strides = lua_isnil(L, 3) ? a->strides : steps;
  int ndim = shape == lengths ? cp_arg_shape(L, 2, where, "shape", lengths) : a->ndim;
  int given = strides == steps ? whole_numbers(L, 3, where, "strides", steps) : a->ndim;
  bool writeable = cp_arg_boolean_or(L, 4, where, "writeable", true);
  CP_CHECK(L, where, cp_view_strided(a, ndim, shape, given, strides, writeable, view));
  cp_push_view(L, view);
  return 1;
}

// core.diagonal(where, a, offset): a view of a diagonal of the last two axes of a, which becomes the last
// axis.
static int diagonal(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_array_local local;
  cp_array *a = cp_check_array(L, 2, where, "a"), *view = cp_array_local_init(&local);
  const lua_Number given = luaL_checknumber(L, 3); // a whole number of any size
  cp_demand(L, where, a->ndim >= 2, "a must have two axes");
  const int row = a->ndim - 2, column = a->ndim - 1;
  const int64_t rows = a->shape[row], columns = a->shape[column];
  const int64_t down = given < -(lua_Number)rows ? rows : given < 0 ? (int64_t)-given : 0;
  const int64_t right = given > (lua_Number)columns ? columns : given > 0 ? (int64_t)given : 0;
  const int64_t below = rows - down, beside = columns - right, count = below < beside ? below : beside;
  cp_view_start(view, a);
  if (count > 0) view->offset += down * a->strides[row] + right * a->strides[column];
  for (int d = 0; d < row; d++) cp_view_axis(view, a->shape[d], a->strides[d]);
  cp_view_axis(view, count, a->strides[row] + a->strides[column]);
  cp_push_view(L, view);
  return 1;
}

static int push_flipped(lua_State *L, const char *where, cp_array *a, uint32_t axes) {
  cp_array_local local;
  cp_view_flip(a, axes, cp_array_local_init(&local));
  return push_view(L, where, a, &local.a);
}

// flip(m, axis): reverses the axes; all of them if none is given.
CP_SIGNATURE(flip, 1, "m", "axis");
static int flip(lua_State *L) {
  cp_array *a = take_for_view(L, &flip_signature);
  return push_flipped(L, "flip", a, cp_arg_axes(L, 2, "flip", "axis", a->ndim));
}

static int flip_one(lua_State *L, const cp_signature *s, int axis) {
  cp_array *a = take_for_view(L, s);
  CP_CHECK(L, s->where, cp_check_ndim(a, axis + 1));
  return push_flipped(L, s->where, a, 1U << axis);
}

CP_SIGNATURE(flipud, 1, "m");
static int flipud(lua_State *L) { return flip_one(L, &flipud_signature, 0); }

CP_SIGNATURE(fliplr, 1, "m");
static int fliplr(lua_State *L) { return flip_one(L, &fliplr_signature, 1); }

// ---- parts of complex values ------------------------------------------------------------------------------

int cp_push_part(lua_State *L, cp_array *a, bool imag) {
  const char *where = imag ? "imag" : "real";
  cp_array *part;
  cp_need(L, where, a);
  cp_context *ctx = push_result(L, where, a, a->ndim, &part);
  CP_CHECK(L, where, cp_part(ctx, a, imag, part));
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
  lua_pushcfunction(L, diagonal);
  lua_setfield(L, 1, "diagonal");
}
