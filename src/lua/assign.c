// Writing values into arrays, and values into new arrays. Everything that a script writes comes through cp_assign.
#include "lua/create.h"

static cp_status check_target(const cp_array *target, const cp_node *root) {
  char from[CP_SHAPE_TEXT], to[CP_SHAPE_TEXT];
  int ndim = target->ndim;
  int64_t shape[CP_MAXDIM];
  for (int d = 0; d < ndim; d++) shape[d] = target->shape[d];
  if (!cp_broadcast(&ndim, shape, root->ndim, root->dims) ||
      !cp_shape_equal(ndim, shape, target->ndim, target->shape))
    return cp_fail(CP_ESHAPE, "shape %s does not broadcast into %s",
                   cp_shape_text(root->ndim, root->dims, from),
                   cp_shape_text(target->ndim, target->shape, to));
  if (root->device != NULL && root->device != target->device)
    return cp_fail(CP_EUSAGE, "cannot write values on %s into an array on %s; move them with :to(\"%s\")",
                   root->device->name, target->device->name, target->device->name);
  if (!cp_can_cast(root->dtype, target->dtype, CP_CAST_SAME_KIND))
    return cp_fail(CP_EDTYPE, "cannot write %s into %s; convert with :astype(\"%s\")",
                   cp_dtypes[root->dtype].name, cp_dtypes[target->dtype].name, cp_dtypes[target->dtype].name);
  return CP_OK;
}

cp_status cp_assign(cp_context *ctx, cp_array *target, cp_node *root) {
  cp_status status = check_target(target, root);
  bool whole =
      target->storage != NULL && (size_t)target->size * cp_itemsize(target->dtype) == target->storage->nbytes;
  if (status == CP_OK) status = cp_begin_write(ctx, target, whole);
  if (status == CP_OK) {
    cp_node *cast = NULL;
    status = cp_node_cast(root, target->dtype, &cast);
    root = status == CP_OK ? cast : NULL;
  }
  if (status == CP_OK) status = cp_evaluate(ctx, 1, &root, &target);
  cp_node_release(root);
  return status;
}

cp_status cp_assign_exact(cp_context *ctx, cp_array *target, cp_node *root) {
  char have[CP_SHAPE_TEXT], want[CP_SHAPE_TEXT];
  if (!cp_shape_equal(target->ndim, target->shape, root->ndim, root->dims)) {
    cp_status status = cp_fail(CP_ESHAPE, "out has shape %s, the result %s",
                               cp_shape_text(target->ndim, target->shape, have),
                               cp_shape_text(root->ndim, root->dims, want));
    cp_node_release(root);
    return status;
  }
  return cp_assign(ctx, target, root);
}

// A bare number written into dtype t keeps t where it is a value of t.
static void scalar_for(lua_State *L, const char *where, cp_dtype t, char kind, bool weak, cp_scalar *s) {
  if (!weak) return;
  if (kind == 'i' && cp_is_integer(t) && !cp_scalar_fits(*s, t))
    cp_raise(L, where, CP_EDTYPE, "%.17g does not fit %s", cp_scalar_cast(*s, CP_FLOAT64).v.f,
             cp_dtypes[t].name);
  if (kind == 'f' && cp_is_integer(t))
    cp_raise(L, where, CP_EDTYPE, "cannot write %.17g into %s; convert the array with :astype",
             cp_scalar_cast(*s, CP_FLOAT64).v.f, cp_dtypes[t].name);
  if (kind == 'c' && !cp_is_complex(t)) return; // refused by same_kind
  *s = cp_scalar_cast(*s, t);
}

void cp_assign_value(lua_State *L, const char *where, cp_array *target, int index) {
  cp_scalar s;
  char kind;
  bool weak;
  cp_node *root = NULL;
  cp_need(L, where, target);
  cp_array *value = cp_test_array(L, index);
  if (value == NULL && cp_to_scalar(L, index, &s, &kind, &weak)) {
    scalar_for(L, where, target->dtype, kind, weak, &s);
    CP_CHECK(L, where, cp_node_scalar(s, &root));
  } else {
    if (value == NULL && lua_istable(L, index))
      value = cp_push_from_table(L, where, index, CP_NDTYPES, target->dtype, target->device);
    if (value == NULL)
      cp_raise(L, where, CP_EUSAGE, "cannot write %s into an array; give an array, number or table",
               luaL_typename(L, index));
    CP_CHECK(L, where, cp_node_leaf(value, &root));
  }
  CP_CHECK(L, where, cp_assign(&cp_state_get(L)->ctx, target, root));
}

cp_status cp_fill_pushed(lua_State *L, cp_array *a, cp_node *root) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_device *device = root->device != NULL ? root->device : cp_device_cpu();
  cp_status status = cp_result_layout(root, a);
  if (status == CP_OK) status = cp_array_allocate(ctx, a, device, root->dtype);
  if (status == CP_OK) {
    a->owner = true;
    status = cp_evaluate(ctx, 1, &root, &a);
  }
  cp_node_release(root);
  return status;
}

cp_array *cp_push_copy(lua_State *L, const char *where, cp_array *a, char order) {
  cp_node *root = NULL;
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_array *copy = cp_push_array(L, a->ndim);
  CP_CHECK(L, where, cp_array_layout(copy, a->dtype, a->ndim, a->shape, order));
  cp_allocate_pushed(L, where, copy, a->device, a->dtype);
  CP_CHECK(L, where, cp_node_leaf(a, &root));
  cp_status status = cp_evaluate(ctx, 1, &root, &copy);
  cp_node_release(root);
  CP_CHECK(L, where, status);
  return copy;
}

// x:assign(v): writes any value into x and returns x.
static int assign(lua_State *L) {
  cp_array *x = cp_check_array(L, 1, "assign", "x");
  lua_settop(L, 2);
  if (lua_isfunction(L, 2)) { // x:assign(f) writes what f returns
    lua_call(L, 0, 1);
    lua_pushnil(L);
    lua_insert(L, 2);
    cp_assign_value(L, "assign", x, 3);
  } else {
    cp_assign_value(L, "assign", x, 2);
  }
  lua_settop(L, 1);
  return 1;
}

// x:fill(v): the same, for one value.
static int fill(lua_State *L) {
  cp_array *x = cp_check_array(L, 1, "fill", "x");
  lua_settop(L, 2);
  cp_assign_value(L, "fill", x, 2);
  lua_settop(L, 1);
  return 1;
}

// cp.copyto(dst, src): NumPy's name for dst:assign(src).
static int copyto(lua_State *L) {
  static const char *const names[] = {"dst", "src"};
  static const cp_signature s = {"copyto", names, 2, 2, false};
  cp_arguments(L, &s);
  cp_assign_value(L, "copyto", cp_check_array(L, 1, "copyto", "dst"), 2);
  return 0;
}

// x:copy([order]): a new array with the same values; order "C" (default), "F", "A" or "K" (as x lies in memory).
static int copy(lua_State *L) {
  static const char *const names[] = {"x", "order"};
  static const cp_signature s = {"copy", names, 2, 1, false};
  cp_arguments(L, &s);
  cp_array *x = cp_check_array(L, 1, "copy", "x");
  char order = cp_arg_order(L, 2, "copy", "CFAK", 'C', x);
  if (order != 'K') {
    cp_push_copy(L, "copy", x, order);
    return 1;
  }
  cp_node *root = NULL;
  cp_array *a = cp_push_array(L, x->ndim);
  CP_CHECK(L, "copy", cp_node_leaf(x, &root));
  CP_CHECK(L, "copy", cp_fill_pushed(L, a, root));
  return 1;
}

void cp_open_assign(lua_State *L) {
  static const luaL_Reg both[] = {
      {"assign", assign}, {"fill", fill}, {"copyto", copyto}, {"copy", copy}, {NULL, NULL}};
  for (int table = 2; table <= 3; table++) {
    lua_pushvalue(L, table);
    cp_setfuncs(L, both, 0);
    lua_pop(L, 1);
  }
}
