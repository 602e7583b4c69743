// Writes Lua values into arrays, and gives new arrays their values. Everything that a script writes goes
// through cp_assign (lazy/arrays/write.h).
#include "lua/conversion/assign.h"
#include "array/view.h"
#include "device/interrupt.h"
#include "lazy/arrays/pending_write.h"
#include "lazy/expression/pending_list.h"
#include "lua/arguments/args.h"
#include "lua/arguments/options.h"
#include "lua/conversion/convert.h"
#include "lua/state/depth.h"
#include "lua/values/handle.h"
#include "rules/fresh.h"
#include "rules/values.h"

void cp_check_scalar_for(lua_State *L, const char *where, cp_dtype t, char kind, bool weak, cp_scalar *s) {
  CP_CHECK(L, where, cp_fit_number(t, kind, weak, s));
}

// Makes `view` a view of target with n axes of length 1 in front.
static cp_array *with_axes(lua_State *L, const char *where, cp_array *target, int n, cp_array *view) {
  if (target->node != NULL) cp_need(L, where, target);
  cp_view_start(view, target);
  for (int k = 0; k < n; k++) cp_view_axis(view, 1, 0);
  for (int k = 0; k < target->ndim; k++) cp_view_axis(view, target->shape[k], target->strides[k]);
  return view;
}

static void assign_value(lua_State *L, const char *where, cp_array *target, int index, cp_rename rename) {
  cp_scalar s;
  char kind;
  bool weak;
  cp_node *root = NULL;
  cp_array_local local;
  CP_CHECK(L, where, cp_array_alive(target));
  cp_array *value = cp_test_array(L, index);
  if (value == NULL && cp_to_scalar(L, index, &s, &kind, &weak)) {
    cp_check_scalar_for(L, where, target->dtype, kind, weak, &s);
    CP_CHECK(L, where, cp_node_scalar(s, &root));
  } else {
    if (value == NULL && lua_istable(L, index))
      value = cp_push_from_table(L, where, index, CP_NDTYPES, target->dtype, target->device);
    if (value == NULL)
      cp_raise(L, where, CP_EUSAGE, "cannot write %s into an array; give an array, number or table",
               luaL_typename(L, index));
    const int surplus = value->ndim > target->ndim ? cp_surplus_axes(target, value) : 0;
    if (surplus > 0) target = with_axes(L, where, target, surplus, cp_array_local_init(&local));
    if (value->device != target->device && cp_assign_across(L, where, target, value, false)) return;
    CP_CHECK(L, where, cp_array_node(value, &root));
  }
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_assign(ctx, target, root, rename));
}

bool cp_assign_pending(lua_State *L, const char *where, cp_array *a, cp_array *view, int index) {
  cp_scalar s;
  char kind;
  bool weak;
  cp_node *root = NULL;
  cp_array *value = cp_test_array(L, index);
  if (value == NULL) {
    if (!cp_to_scalar(L, index, &s, &kind, &weak)) return false;
    cp_check_scalar_for(L, where, a->dtype, kind, weak, &s);
    CP_CHECK(L, where, cp_node_scalar(s, &root));
  } else {
    if (value->ndim > view->ndim || value->device != a->device) return false;
    CP_CHECK(L, where, cp_array_node(value, &root));
  }
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_assign_part(ctx, a, view, root));
  return true;
}

void cp_assign_value(lua_State *L, const char *where, cp_array *target, int index) {
  assign_value(L, where, target, index, CP_MAY_RENAME);
}

cp_status cp_give(cp_array *a, cp_node *root) {
  cp_context *ctx = a->context;
  const cp_state *s = (const cp_state *)(const void *)ctx; // the context is the state's first member
  cp_status status = cp_poll(ctx); // a loop of operators may run for long without computing anything
  if (status != CP_OK) {
    cp_node_release(root);
    return status;
  }
  if (root->kind == CP_NODE_LEAF || root->handle != NULL || root->view) CP_TRY(cp_node_same(root, &root));
  CP_TRY(cp_pend(ctx, a, root));
  bool waits = root->traced || (ctx->lazy.fusion && !root->exposed && !s->force);
  if (waits && !cp_are_parts_due(ctx)) return CP_OK;
  ctx->lazy.caller = "operator";
  status = waits ? cp_launch_old_reductions(ctx) : cp_force(ctx, a);
  if (status != CP_OK) cp_pending_drop(a); // the caller raises, so nobody gets the array
  return status;
}

cp_array *cp_push_copy(lua_State *L, const char *where, cp_array *a, char order) {
  cp_array *copy = cp_push_array(L, a->ndim);
  cp_context *ctx = &cp_state_of(L, copy)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_new_copy(ctx, a, order, copy));
  return copy;
}

// x:assign(v): writes any value into x and returns x. A function v is called in a scope of its own, by
// core.value_in_scope (upvalue 1 is core). The temporaries that it leaves are freed before x is written, so
// x's buffer is never exchanged.
CP_SIGNATURE(assign, 2, "x", "v");
static int assign(lua_State *L) {
  cp_arguments(L, &assign_signature);
  cp_array *x = cp_check_value(L, 1, "assign", "x");
  if (!lua_isfunction(L, 2)) {
    assign_value(L, "assign", x, 2, CP_MAY_RENAME);
    lua_settop(L, 1);
    return 1;
  }
  lua_getfield(L, lua_upvalueindex(1), "value_in_scope");
  lua_insert(L, 2);
  cp_call(L, "assign", 1, 2); // returns the value, and whether the function made it
  cp_array *value = cp_test_array(L, 2);
  bool made = value != NULL && value->owner && lua_toboolean(L, 3);
  if (!made || value->node == NULL || value->ndim > x->ndim) {
    assign_value(L, "assign", x, 2, CP_NEVER_RENAME);
  } else {
    cp_node *root = NULL;
    cp_context *ctx = &cp_state_get(L)->ctx;
    CP_CHECK(L, "assign", cp_array_node(value, &root));
    cp_pending_drop(value); // nobody else has this array
    ctx->lazy.caller = "assign";
    CP_CHECK(L, "assign", cp_assign(ctx, x, root, CP_NEVER_RENAME));
  }
  if (made) cp_free_memory(value); // freed like everything else that the function made
  lua_settop(L, 1);
  return 1;
}

// x:fill(v): writes the value v into x and returns x.
CP_SIGNATURE(fill, 2, "x", "v");
static int fill(lua_State *L) {
  cp_arguments(L, &fill_signature);
  cp_array *x = cp_check_value(L, 1, "fill", "x");
  cp_assign_value(L, "fill", x, 2);
  lua_settop(L, 1);
  return 1;
}

// cp.copyto(dst, src): NumPy's name for dst:assign(src).
CP_SIGNATURE(copyto, 2, "dst", "src");
static int copyto(lua_State *L) {
  cp_arguments(L, &copyto_signature);
  cp_assign_value(L, "copyto", cp_check_value(L, 1, "copyto", "dst"), 2);
  return 0;
}

// x:copy([order]): a new array with the same values. order: "C" (default), "F", "A" or "K", which keeps the
// order of x's axes in memory.
CP_SIGNATURE(copy, 1, "x", "order");
static int copy(lua_State *L) {
  cp_arguments(L, &copy_signature);
  cp_array *x = cp_check_value(L, 1, "copy", "x");
  char order = cp_arg_order(L, 2, "copy", "CFAK", 'C', x);
  const bool waits = cp_may_copy_later(&cp_state_of(L, x)->ctx, x, order);
  if (order != 'K' && !waits) {
    cp_push_copy(L, "copy", x, order);
    return 1;
  }
  cp_node *root = NULL;
  cp_array *a = cp_push_array(L, x->ndim);
  CP_CHECK(L, "copy", cp_array_node(x, &root));
  CP_CHECK(L, "copy", cp_node_same(root, &root));
  if (order != 'K') cp_node_set_order(root, order);
  CP_CHECK(L, "copy", cp_give(a, root));
  if (!waits) cp_need(L, "copy", a);
  return 1;
}

void cp_open_assign(lua_State *L) {
  static const luaL_Reg both[] = {{"fill", fill}, {"copyto", copyto}, {"copy", copy}, {NULL, NULL}};
  for (int table = 2; table <= 3; table++) {
    lua_pushvalue(L, table);
    cp_put_functions(L, -1, both);
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, assign, 1);
    lua_setfield(L, -2, "assign");
    lua_pop(L, 1);
  }
}
