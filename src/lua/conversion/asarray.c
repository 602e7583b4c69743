// cp.array, cp.asarray and cp.frombytes, based on convert.h.
//
// cp.array always makes a new array. cp.asarray, and cp.array with copy = false, return the object itself if
// it has the requested dtype, device and order.
#include "array/view.h"
#include "lua/arguments/args.h"
#include "lua/arguments/options.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/convert.h"
#include "lua/values/handle.h"

// Leaves an array with a's values and these properties on top of the stack: a, which is there already, if it
// has them and no copy is requested, else a new array.
static void push_converted(lua_State *L, const char *where, cp_array *a, cp_dtype dtype, cp_device *device,
                           char order, bool copy) {
  if (dtype == CP_NDTYPES) dtype = a->dtype;
  if (a->device != device) {
    a = cp_push_on_device(L, where, a, device);
    copy = false;
  }
  if (a->dtype != dtype) {
    a = cp_push_as(L, where, a, dtype);
    copy = false;
  }
  if (order != 'K' && (copy || !cp_array_contiguous(a, order)))
    cp_push_copy(L, where, a, order);
  else if (copy)
    cp_push_as(L, where, a, dtype);
}

// Converts the value in stack slot 1 to an array with the requested properties.
static int convert(lua_State *L, const char *where, int dtype_slot, int order_slot, int device_slot,
                   bool copy) {
  cp_dtype dtype = cp_arg_dtype(L, dtype_slot, where);
  cp_device *device = cp_arg_device(L, device_slot, where);
  cp_array *a = cp_test_array(L, 1);
  char order = cp_arg_order(L, order_slot, where, "CFAK", 'K', a);
  int type = lua_type(L, 1);
  if (a != NULL) {
    cp_need(L, where, a);
  } else {
    if (type == LUA_TNIL || type == LUA_TSTRING || type == LUA_TFUNCTION)
      return cp_raise(L, where, CP_EUSAGE,
                      "object must be a table, number, boolean, complex value or array, not %s",
                      type == LUA_TNIL ? "nil (missing)" : luaL_typename(L, 1));
    a = cp_push_from_table(L, where, 1, dtype, CP_NDTYPES, device);
    lua_replace(L, 1);
    copy = false;
  }
  lua_settop(L, 1);
  push_converted(L, where, a, dtype, device, order, copy);
  return 1;
}

// If the array on top has fewer than ndmin axes, pushes a view of it with axes of length 1 in front.
static void add_axes(lua_State *L, int64_t ndmin) {
  cp_array_local local;
  cp_array *a = cp_test_array(L, -1), *view = cp_array_local_init(&local);
  if (ndmin > CP_MAXDIM)
    cp_raise(L, "array", CP_ESHAPE, "ndmin is %lld; at most %d axes are possible", (long long)ndmin,
             CP_MAXDIM);
  if (a->ndim >= ndmin) return;
  cp_view_start(view, a);
  for (int k = a->ndim; k < ndmin; k++) cp_view_axis(view, 1, (int64_t)cp_itemsize(a->dtype));
  for (int k = 0; k < a->ndim; k++) cp_view_axis(view, a->shape[k], a->strides[k]);
  cp_push_view(L, view);
}

// cp.array(object, dtype, copy = true, order, device, ndmin = 0): a new array; with copy = false the object
// itself if it has these properties.
static int array(lua_State *L) {
  static const char *const names[] = {"object", "dtype", "copy", "order", "device", "ndmin"};
  static const cp_signature s = {"array", names, 6, 1};
  cp_arguments(L, &s);
  int64_t ndmin = cp_arg_integer_or(L, 6, "array", "ndmin", 0);
  convert(L, "array", 2, 4, 5, cp_arg_boolean_or(L, 3, "array", "copy", true));
  if (ndmin > 0) add_axes(L, ndmin);
  return 1;
}

// cp.asarray(object, dtype, order, device, copy): the object itself if it has these properties, else a new
// array. copy: true always makes a new array, false raises an error where one would be needed.
static int asarray(lua_State *L) {
  static const char *const names[] = {"object", "dtype", "order", "device", "copy"};
  static const cp_signature s = {"asarray", names, 5, 1};
  cp_arguments(L, &s);
  bool copy = cp_arg_boolean_or(L, 5, "asarray", "copy", false), never = !copy && !lua_isnil(L, 5);
  const cp_array *object = cp_test_array(L, 1);
  convert(L, "asarray", 2, 3, 4, copy);
  cp_demand(L, "asarray", !never || (object != NULL && cp_test_array(L, -1) == object),
            "copy is false, but the object must be copied to get this dtype, order and device");
  return 1;
}

// cp.frombytes(bytes, dtype, shape, device): an array of the values in a string, in C order and the machine's
// byte order.
static int frombytes(lua_State *L) {
  static const char *const names[] = {"bytes", "dtype", "shape", "device"};
  static const cp_signature s = {"frombytes", names, 4, 1};
  int ndim = 1;
  int64_t shape[CP_MAXDIM], size;
  char text[CP_SHAPE_TEXT];
  size_t length;
  cp_arguments(L, &s);
  if (lua_type(L, 1) != LUA_TSTRING)
    return cp_raise(L, "frombytes", CP_EUSAGE, "bytes must be a string, not %s", luaL_typename(L, 1));
  const char *bytes = lua_tolstring(L, 1, &length);
  cp_dtype dtype = cp_arg_dtype(L, 2, "frombytes");
  if (dtype == CP_NDTYPES) dtype = cp_state_get(L)->default_dtype;
  cp_device *device = cp_arg_device(L, 4, "frombytes");
  if (length % cp_itemsize(dtype) != 0)
    return cp_raise(L, "frombytes", CP_ESHAPE, "%zu bytes are not a whole number of %s values of %zu bytes",
                    length, cp_dtypes[dtype].name, cp_itemsize(dtype));
  shape[0] = (int64_t)(length / cp_itemsize(dtype));
  if (!lua_isnil(L, 3)) {
    ndim = cp_arg_shape(L, 3, "frombytes", "shape", shape);
    CP_CHECK(L, "frombytes", cp_shape_size(ndim, shape, cp_itemsize(dtype), &size));
    if ((size_t)size * cp_itemsize(dtype) != length)
      return cp_raise(L, "frombytes", CP_ESHAPE, "%zu bytes hold %zu values of %s, but shape %s needs %lld",
                      length, length / cp_itemsize(dtype), cp_dtypes[dtype].name,
                      cp_shape_text(ndim, shape, text), (long long)size);
  }
  cp_upload(L, "frombytes", cp_push_new_array(L, "frombytes", device, dtype, ndim, shape), bytes);
  return 1;
}

void cp_open_convert(lua_State *L) {
  static const luaL_Reg cp[] = {
      {"array", array}, {"asarray", asarray}, {"frombytes", frombytes}, {NULL, NULL}};
  cp_put_functions(L, 2, cp);
}
