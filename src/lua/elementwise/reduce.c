// Reductions for Lua: every RED line of the table becomes a function of cp and a method.
#include "lua/conversion/take.h"

#include "lazy/batch.h"
#include "lazy/mask.h"
#include "lua/conversion/element.h"

#include <string.h>

static const char *const sum_names[] = {"a", "axis", "dtype", "out", "keepdims", "initial"};
static const char *const min_names[] = {"a", "axis", "out", "keepdims", "initial"};
static const char *const mean_names[] = {"a", "axis", "dtype", "out", "keepdims"};
static const char *const var_names[] = {"a", "axis", "dtype", "out", "ddof", "keepdims"};
static const char *const any_names[] = {"a", "axis", "out", "keepdims"};

typedef struct options {
  int axis, dtype, out, keepdims, initial, ddof; // stack slots, 0: the function has no such argument
} options;

// NumPy's order of arguments for each family of reductions.
static cp_signature signature_of(cp_red red, options *o) {
  cp_signature s = {cp_reds[red].name, sum_names, 6, 1};
  *o = (options){.axis = 2, .dtype = 3, .out = 4, .keepdims = 5, .initial = 6};
  switch (cp_reds[red].cls) {
  case CP_RED_ADD: return s;
  case CP_RED_FLOAT:
    s.names = mean_names;
    s.count = 5;
    o->initial = 0;
    return s;
  case CP_RED_VARIANCE:
    s.names = var_names;
    *o = (options){.axis = 2, .dtype = 3, .out = 4, .ddof = 5, .keepdims = 6};
    return s;
  default: break;
  }
  bool bounds = red == CP_RED_min || red == CP_RED_max || red == CP_RED_nanmin || red == CP_RED_nanmax;
  s.names = bounds ? min_names : any_names;
  s.count = bounds ? 5 : 4;
  *o = (options){.axis = 2, .out = 3, .keepdims = 4, .initial = bounds ? 5 : 0};
  return s;
}

static bool has_no_empty_value(cp_red red) {
  switch (red) {
  case CP_RED_min:
  case CP_RED_max:
  case CP_RED_nanmin:
  case CP_RED_nanmax:
  case CP_RED_ptp:
  case CP_RED_argmin:
  case CP_RED_argmax: return true;
  default: return false;
  }
}

// The operation that brings `initial` into a finished result.
static cp_op initial_op(cp_red red) {
  switch (red) {
  case CP_RED_prod:
  case CP_RED_nanprod: return CP_OP_multiply;
  case CP_RED_min: return CP_OP_minimum;
  case CP_RED_max: return CP_OP_maximum;
  case CP_RED_nanmin: return CP_OP_fmin;
  case CP_RED_nanmax: return CP_OP_fmax;
  default: return CP_OP_add;
  }
}

// The root of the reduction: the array converted to `through` (CP_NDTYPES: none), then to what is accumulated.
static cp_status root_of(cp_array *a, cp_dtype through, cp_dtype acc, cp_node **root) {
  CP_TRY(cp_array_node(a, root));
  if (through != CP_NDTYPES) CP_TRY(cp_node_cast(*root, through, root));
  return cp_node_cast(*root, acc, root);
}

// One reduction as Lua asked for it.
typedef struct request {
  const char *where;
  cp_red red;
  uint32_t axes;
  bool keepdims, initial;
  cp_dtype through, acc, result; // what the array is converted to first; see cp_red_types
  double ddof;
} request;

static cp_status reduce_into(cp_context *ctx, const request *r, cp_node *root, cp_array *target) {
  int64_t shape[CP_MAXDIM] = {0}, reduced = 1;
  int n = 0;
  for (int d = 0; d < root->ndim; d++) {
    bool gone = r->axes >> d & 1;
    if (gone) reduced *= root->dims[d];
    if (!gone || r->keepdims) shape[n++] = gone ? 1 : root->dims[d];
  }
  CP_TRY(cp_array_layout(target, r->result, n, shape, 'C'));
  if (reduced == 0 && target->size > 0 && !r->initial && has_no_empty_value(r->red))
    return cp_fail(CP_ESHAPE, "an empty array or axis has no %s", cp_reds[r->red].name);
  CP_TRY(cp_array_allocate(ctx, target, root->device, r->result));
  target->owner = true;
  return cp_reduce(ctx, root, r->axes, r->red, r->acc, r->ddof, target);
}

static cp_array *push_reduction(lua_State *L, const request *r, cp_array *a) {
  cp_node *root = NULL;
  cp_state *s = cp_state_of(L, a);
  cp_context *ctx = &s->ctx;
  cp_array *target = cp_push_handle(L, s, a->ndim, false);
  CP_CHECK(L, r->where, root_of(a, r->through, r->acc, &root));
  ctx->lazy.caller = r->where;
  cp_status status = cp_keep_parts(ctx, root);
  if (status == CP_OK) status = reduce_into(ctx, r, root, target);
  cp_node_release(root);
  CP_CHECK(L, r->where, status);
  return target;
}

// Replaces the result on top by initial_op(result, initial).
static void add_initial(lua_State *L, const char *where, cp_red red, cp_array *target, int initial) {
  cp_op op = initial_op(red);
  const char *const names[] = {"result", "initial"};
  cp_operands o;
  cp_node *nodes[2], *root = NULL;
  int top = lua_gettop(L);
  lua_pushvalue(L, initial);
  const cp_reading how = {where, names, 0, CP_NDTYPES};
  cp_read_operands(L, &how, top, 2, &o);
  CP_CHECK(L, where, cp_operand_nodes(&o, nodes));
  CP_CHECK(L, where, cp_node_op(op, nodes, &root));
  CP_CHECK(L, where, cp_assign(&cp_state_get(L)->ctx, target, root, CP_MAY_RENAME));
  lua_settop(L, top);
}

static int write_out(lua_State *L, const char *where, cp_array *result, int out) {
  cp_node *root = NULL;
  cp_array *target = cp_check_value(L, out, where, "out");
  CP_CHECK(L, where, cp_array_node(result, &root));
  CP_CHECK(L, where, cp_cast_for_out(target, &root));
  CP_CHECK(L, where, cp_assign_out(&cp_state_get(L)->ctx, target, root, CP_SAME_SHAPE));
  lua_pushvalue(L, out);
  return 1;
}

static double ddof_of(lua_State *L, const char *where, int slot) {
  return slot == 0 || lua_isnil(L, slot) ? 0 : cp_arg_number(L, slot, where, "ddof");
}

// any() and all() without an axis are questions: Lua booleans.
static bool is_question(lua_State *L, cp_red red, const options *o) {
  return (red == CP_RED_any || red == CP_RED_all) && lua_isnil(L, o->axis) && lua_isnil(L, o->out) &&
         lua_isnil(L, o->keepdims);
}

static int answer(lua_State *L, const char *where, cp_array *result) {
  int64_t position[1] = {0};
  cp_push_scalar(L, cp_read_element(L, where, result, position));
  return 1;
}

enum { MASK_MOST = 1 << 22 }; // elements of a pending mask that are worth memory for what may follow

// any() of a mask counts it, for x[mask] and the like to come, which then need not wait again; all() asks whether it was counted. Pushes the
// answer, if there is one. What is large and pending becomes a part of the reduction, and needs no memory.
static bool answer_of_mask(lua_State *L, const char *where, cp_red red, cp_array *a) {
  int64_t count;
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (a->dtype != CP_BOOL || a->ndim == 0) return false;
  if (a->node != NULL) {
    if (red != CP_RED_any || a->size > MASK_MOST) return false;
    cp_need(L, where, a);
  }
  if (!cp_array_contiguous(a, 'C') || a->storage->buffer->exposed || ctx->capture.graph != NULL) return false;
  if (!cp_mask_known(a, &count)) {
    if (red == CP_RED_all) return false;
    CP_CHECK(L, where, cp_mask_count(ctx, a, &count, NULL));
  }
  lua_pushboolean(L, red == CP_RED_any ? count > 0 : count == a->size);
  return true;
}

// The dtype to add up floating values in where the caller names none: out's, where that holds them all.
static cp_dtype dtype_for_out(lua_State *L, const cp_array *a, const options *o) {
  const cp_array *out = o->dtype && !lua_isnil(L, o->out) ? cp_test_array(L, o->out) : NULL;
  if (out == NULL || cp_dtypes[a->dtype].kind != cp_dtypes[out->dtype].kind) return CP_NDTYPES;
  if (!cp_is_float(a->dtype) && !cp_is_complex(a->dtype)) return CP_NDTYPES;
  return cp_can_cast(a->dtype, out->dtype, CP_CAST_SAFE) ? out->dtype : CP_NDTYPES;
}

// Upvalue 1: the reduction's id.
static int call_reduction(lua_State *L) {
  cp_red red = (cp_red)lua_tointeger(L, lua_upvalueindex(1));
  options o;
  cp_signature s = signature_of(red, &o);
  cp_arguments(L, &s);
  cp_array *a = cp_take_value(L, 1, s.where, "a");
  if (cp_reds[red].cls == CP_RED_INDEX && lua_istable(L, o.axis))
    return cp_raise(L, s.where, CP_EUSAGE, "axis must be one axis");
  request r = {.where = s.where, .red = red, .axes = cp_arg_axes(L, o.axis, s.where, "axis", a->ndim)};
  cp_dtype dtype = o.dtype ? cp_arg_dtype(L, o.dtype, s.where) : CP_NDTYPES;
  if (dtype == CP_NDTYPES) dtype = dtype_for_out(L, a, &o);
  r.through = dtype;
  r.keepdims = cp_arg_boolean_or(L, o.keepdims, s.where, "keepdims", false);
  r.initial = o.initial && !lua_isnil(L, o.initial);
  r.ddof = ddof_of(L, s.where, o.ddof);
  CP_CHECK(L, s.where, cp_red_types(red, a->dtype, dtype, &r.acc, &r.result));
  if (is_question(L, red, &o) && answer_of_mask(L, s.where, red, a)) return 1;
  cp_array *result = push_reduction(L, &r, a);
  if (r.initial) add_initial(L, s.where, red, result, o.initial);
  if (is_question(L, red, &o)) return answer(L, s.where, result);
  return lua_isnil(L, o.out) ? 1 : write_out(L, s.where, result, o.out);
}

// cp.count_nonzero(a, axis, keepdims): a sum of truth values.
static int count_nonzero(lua_State *L) {
  static const char *const names[] = {"a", "axis", "keepdims"};
  static const cp_signature s = {"count_nonzero", names, 3, 1};
  cp_arguments(L, &s);
  cp_array *a = cp_take_value(L, 1, s.where, "a");
  request r = {.where = s.where, .red = CP_RED_sum, .through = CP_BOOL, .acc = CP_INT64, .result = CP_INT64};
  r.axes = cp_arg_axes(L, 2, s.where, "axis", a->ndim);
  r.keepdims = cp_arg_boolean_or(L, 3, s.where, "keepdims", false);
  push_reduction(L, &r, a);
  return 1;
}

void cp_open_reduce(lua_State *L) {
  for (int red = 0; red < CP_NREDS; red++) {
    lua_pushinteger(L, red);
    lua_pushcclosure(L, call_reduction, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, 2, cp_reds[red].name);
    lua_setfield(L, 3, cp_reds[red].name);
  }
  static const struct { const char *name, *of; } aliases[] = {{"amin", "min"}, {"amax", "max"}};
  for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++) {
    lua_getfield(L, 2, aliases[k].of);
    lua_pushvalue(L, -1);
    lua_setfield(L, 2, aliases[k].name);
    lua_setfield(L, 3, aliases[k].name);
  }
  lua_pushcfunction(L, count_nonzero);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, "count_nonzero");
  lua_setfield(L, 3, "count_nonzero");
}
