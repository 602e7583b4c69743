// New arrays: empty, zeros, ones, full and their _like forms, and the nodes that sequence.c and triangle.c
// share.
// Each function makes the userdata first, then the memory, then the values, so that nothing leaks when Lua
// raises an error.
#include "lua/creation/create.h"
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/state/current_device.h"
#include "lua/values/handle.h"
#include "rules/fresh.h"

#include <stdio.h>
#include <string.h>

// ---- arguments --------------------------------------------------------------------------------------------

// Raises an error for cp.zeros(3, 4), a common mistake, and shows the call with the shape as a table. `after`
// is how many numbers may follow a shape.
static void refuse_lengths(lua_State *L, const char *where, int after) {
  char call[256];
  if (lua_type(L, 2) != LUA_TNUMBER) return; // true of nearly every call
  int n = 0, top = lua_gettop(L), used;
  while (n < top && lua_type(L, n + 1) == LUA_TNUMBER) n++;
  if (n < 2 + after) return;
  used = snprintf(call, sizeof call, "cp.%s(", where);
  for (int k = 1; k <= n && used < (int)sizeof call - 48; k++)
    used += snprintf(call + used, sizeof call - (size_t)used, "%s%.14g%s", k == 1 ? "{" : ", ",
                     (double)lua_tonumber(L, k), k == n - after ? "}" : "");
  cp_raise(L, where, CP_EUSAGE, "the shape is a table: %s)", call);
}

// ---- filling ----------------------------------------------------------------------------------------------

enum { FILL_NONE = -1, FILL_ZERO = -2, FILL_ONE = -3 }; // or the stack index of a value

// Gives the array a node of one value for all elements, which takes no memory until it is needed.
static int give_constant(lua_State *L, const char *where, cp_array *a, cp_device *device, cp_scalar s) {
  cp_node *root = NULL;
  char order = cp_array_contiguous(a, 'C') ? 'C' : 'F';
  int64_t strides[CP_MAXDIM];
  memcpy(strides, a->strides, (size_t)a->ndim * sizeof *strides);
  CP_CHECK(L, where, cp_node_constant(device, cp_scalar_cast(s, a->dtype), a->ndim, a->shape, order, &root));
  // The node may have any order of axes, for the _like functions.
  memcpy(cp_node_strides(root), strides, (size_t)a->ndim * sizeof *strides);
  CP_CHECK(L, where, cp_give(a, root));
  return 1;
}

// Gives the array on top, whose layout is set, its values, and memory if they need it. Returns 1.
static int fill_new(lua_State *L, const char *where, cp_array *a, cp_device *device, int fill) {
  cp_scalar s;
  char kind;
  bool weak;
  if (fill == FILL_ZERO || fill == FILL_ONE)
    return give_constant(L, where, a, device, cp_scalar_int(fill == FILL_ONE, CP_INT64));
  if (fill > 0 && cp_to_scalar(L, fill, &s, &kind, &weak)) {
    cp_check_scalar_for(L, where, a->dtype, kind, weak, &s);
    return give_constant(L, where, a, device, s);
  }
  cp_allocate_pushed(L, where, a, device, a->dtype);
  if (fill == FILL_NONE) return 1;
  int top = lua_gettop(L);
  cp_assign_value(L, where, a, fill);
  lua_settop(L, top);
  return 1;
}

// ---- one value --------------------------------------------------------------------------------------------

static int create(lua_State *L, const cp_signature *s, int fill) {
  int64_t shape[CP_MAXDIM];
  refuse_lengths(L, s->where, 0);
  int given = cp_given_arguments(L, s);
  int ndim = cp_arg_shape(L, 1, s->where, "shape", shape);
  cp_dtype dtype = given < 2 ? CP_NDTYPES : cp_arg_dtype(L, 2, s->where);
  char order = given < 3 ? 'C' : cp_arg_order(L, 3, s->where, "CF", 'C', NULL);
  cp_device *device = given < 4 ? NULL : cp_arg_device(L, 4, s->where);
  cp_state *state = cp_state_get(L);
  if (dtype == CP_NDTYPES) dtype = state->default_dtype;
  if (device == NULL) device = cp_state_device(L, state);
  cp_array *a = cp_push_handle(L, state, ndim, false);
  CP_CHECK(L, s->where, cp_array_layout(a, dtype, ndim, shape, order));
  return fill_new(L, s->where, a, device, fill);
}

// empty, zeros, ones (shape, dtype, order = "C", device): a new array; the elements of empty are arbitrary.
CP_SIGNATURE(empty, 1, "shape", "dtype", "order", "device");
static int empty(lua_State *L) { return create(L, &empty_signature, FILL_NONE); }
CP_SIGNATURE(zeros, 1, "shape", "dtype", "order", "device");
static int zeros(lua_State *L) { return create(L, &zeros_signature, FILL_ZERO); }
CP_SIGNATURE(ones, 1, "shape", "dtype", "order", "device");
static int ones(lua_State *L) { return create(L, &ones_signature, FILL_ONE); }

// The dtype that an array of the value at `slot` has. A table there is replaced by its array.
static cp_dtype dtype_of_value(lua_State *L, int slot, const char *where) {
  cp_scalar s;
  char kind;
  bool weak;
  if (!cp_to_scalar(L, slot, &s, &kind, &weak)) return cp_take_value(L, slot, where, "fill_value")->dtype;
  return cp_dtype_alone(L, s, kind, weak);
}

// full(shape, fill_value, dtype, order = "C", device): fill_value is anything that broadcasts to the shape;
// the array has its dtype unless one is given.
CP_SIGNATURE(full, 2, "shape", "fill_value", "dtype", "order", "device");
static int full(lua_State *L) {
  static const char where[] = "full";
  int64_t shape[CP_MAXDIM];
  refuse_lengths(L, where, 1);
  cp_arguments(L, &full_signature);
  int ndim = cp_arg_shape(L, 1, where, "shape", shape);
  if (lua_isnil(L, 2)) return cp_raise(L, where, CP_EUSAGE, "fill_value is missing");
  cp_dtype dtype = cp_arg_dtype(L, 3, where);
  if (dtype == CP_NDTYPES) dtype = dtype_of_value(L, 2, where);
  char order = cp_arg_order(L, 4, where, "CF", 'C', NULL);
  const cp_array *value = cp_test_array(L, 2);
  cp_device *device = value != NULL && lua_isnil(L, 5) ? value->device : cp_arg_device(L, 5, where);
  cp_array *a = cp_push_array(L, ndim);
  CP_CHECK(L, where, cp_array_layout(a, dtype, ndim, shape, order));
  return fill_new(L, where, a, device, 2);
}

// ---- like another array -----------------------------------------------------------------------------------

// Reads the arguments of a _like function: the array in slot 1, and from slot `first` on dtype, order = "K",
// shape and device.
static int create_like(lua_State *L, const cp_signature *s, int first, int fill) {
  int64_t shape[CP_MAXDIM];
  cp_arguments(L, s);
  const cp_array *like = cp_take_value(L, 1, s->where, "a");
  if (fill > 0 && lua_isnil(L, fill)) return cp_raise(L, s->where, CP_EUSAGE, "fill_value is missing");
  cp_dtype dtype = cp_arg_dtype_or(L, first, s->where, like->dtype);
  char order = cp_arg_order(L, first + 1, s->where, "CFAK", 'K', like);
  bool same = lua_isnil(L, first + 2);
  int ndim = same ? like->ndim : cp_arg_shape(L, first + 2, s->where, "shape", shape);
  cp_device *device = lua_isnil(L, first + 3) ? like->device : cp_arg_device(L, first + 3, s->where);
  cp_array *a = cp_push_array(L, ndim);
  CP_CHECK(L, s->where, cp_layout_like(a, dtype, ndim, same ? like->shape : shape, order, like));
  return fill_new(L, s->where, a, device, fill);
}

// empty_like, zeros_like, ones_like (a, dtype, order = "K", shape, device): whatever is not given is taken
// from a.
CP_SIGNATURE(empty_like, 1, "a", "dtype", "order", "shape", "device");
static int empty_like(lua_State *L) { return create_like(L, &empty_like_signature, 2, FILL_NONE); }
CP_SIGNATURE(zeros_like, 1, "a", "dtype", "order", "shape", "device");
static int zeros_like(lua_State *L) { return create_like(L, &zeros_like_signature, 2, FILL_ZERO); }
CP_SIGNATURE(ones_like, 1, "a", "dtype", "order", "shape", "device");
static int ones_like(lua_State *L) { return create_like(L, &ones_like_signature, 2, FILL_ONE); }
// full_like(a, fill_value, dtype, order = "K", shape, device)
CP_SIGNATURE(full_like, 2, "a", "fill_value", "dtype", "order", "shape", "device");
static int full_like(lua_State *L) { return create_like(L, &full_like_signature, 3, 2); }

// ---- expressions of one node ------------------------------------------------------------------------------

cp_status cp_with_scalar(cp_op op, cp_node **node, cp_scalar s) {
  cp_node *args[2] = {*node, NULL};
  *node = NULL;
  cp_status status = cp_node_scalar(s, &args[1]);
  if (status == CP_OK) return cp_node_op(op, args, node);
  cp_node_release(args[0]);
  return status;
}

cp_status cp_converted(cp_node **node, cp_dtype t) {
  cp_node *from = *node;
  cp_status status = cp_node_cast(from, t, node);
  if (status != CP_OK) *node = NULL;
  return status;
}

void cp_open_create(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"empty", empty}, {"zeros", zeros}, {"ones", ones}, {"full", full}, {NULL, NULL}};
  static const luaL_Reg both[] = {{"empty_like", empty_like},
                                  {"zeros_like", zeros_like},
                                  {"ones_like", ones_like},
                                  {"full_like", full_like},
                                  {NULL, NULL}};
  cp_open_sequence(L);
  cp_open_triangle(L);
  cp_put_functions(L, 2, functions);
  cp_put_functions(L, 2, both);
  cp_put_functions(L, 3, both);
}
