// Reductions for Lua: each RED line of the table of operations becomes a function of cp and a method of
// arrays, by the rules of rules/reduce.h.
#include "rules/reduce.h"
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/take.h"
#include "lua/elementwise/operand.h"
#include "lua/elementwise/sparse.h"
#include "lua/state/depth.h"
#include "lua/values/handle.h"

static const char *const sum_names[] = {"a", "axis", "dtype", "out", "keepdims", "initial", "where"};
static const char *const bound_names[] = {"a", "axis", "out", "keepdims", "initial", "where"};
static const char *const mean_names[] = {"a", "axis", "dtype", "out", "keepdims", "where"};
static const char *const var_names[] = {"a",        "axis",  "dtype", "out",       "ddof",
                                        "keepdims", "where", "mean",  "correction"};
static const char *const any_names[] = {"a", "axis", "out", "keepdims", "where"};
static const char *const position_names[] = {"a", "axis", "out", "keepdims"};

typedef struct options {
  // Stack slots; 0 if the function has no such argument.
  int axis, dtype, out, keepdims, initial, ddof, where, mean, correction;
} options;

static cp_signature signature_with(cp_red red, const char *const *names, size_t bytes) {
  return (cp_signature){cp_reds[red].name, names, (int)(bytes / sizeof *names), 1};
}

// The order of arguments, as in NumPy, for each family of reductions.
static cp_signature signature_of(cp_red red, options *o) {
  switch (cp_reds[red].cls) {
  case CP_RED_ADD:
    *o = (options){.axis = 2, .dtype = 3, .out = 4, .keepdims = 5, .initial = 6, .where = 7};
    return signature_with(red, sum_names, sizeof sum_names);
  case CP_RED_FLOAT:
    *o = (options){.axis = 2, .dtype = 3, .out = 4, .keepdims = 5, .where = 6};
    return signature_with(red, mean_names, sizeof mean_names);
  case CP_RED_VARIANCE:
    *o = (options){2, 3, 4, 6, .ddof = 5, .where = 7, .mean = 8, .correction = 9};
    return signature_with(red, var_names, sizeof var_names);
  case CP_RED_BOUND:
    *o = (options){.axis = 2, .out = 3, .keepdims = 4, .initial = 5, .where = 6};
    return signature_with(red, bound_names, sizeof bound_names);
  case CP_RED_TRUTH:
    *o = (options){.axis = 2, .out = 3, .keepdims = 4, .where = 5};
    return signature_with(red, any_names, sizeof any_names);
  default:
    *o = (options){.axis = 2, .out = 3, .keepdims = 4};
    return signature_with(red, position_names, sizeof position_names);
  }
}

static cp_array *push_reduction(lua_State *L, const char *where, const cp_reduction *r, cp_array *a) {
  cp_state *s = cp_state_of(L, a);
  cp_node *root = NULL;
  cp_array *result = cp_push_handle(L, s, a->ndim, false);
  s->ctx.lazy.caller = where;
  CP_CHECK(L, where, cp_reduce_node(&s->ctx, r, a, &root));
  CP_CHECK(L, where, cp_give(result, root));
  return result;
}

// Pushes the result on top combined with the value at stack slot `initial`.
static cp_array *push_initial(lua_State *L, const char *where, cp_red red, int initial) {
  const char *const names[] = {"result", "initial"};
  cp_operands o;
  cp_node *root = NULL;
  int top = lua_gettop(L);
  lua_pushvalue(L, initial);
  const cp_reading how = {where, names, 0, CP_NDTYPES};
  cp_read_operands(L, &how, top, 2, &o);
  cp_array *joined = cp_push_array(L, o.ndim);
  CP_CHECK(L, where, cp_reduce_initial(red, &o, &root));
  CP_CHECK(L, where, cp_give(joined, root));
  return joined;
}

static int write_out(lua_State *L, const char *where, cp_array *result, int out) {
  cp_array *target = cp_check_value(L, out, where, "out");
  CP_CHECK(L, where, cp_reduce_out(&cp_state_get(L)->ctx, result, target));
  lua_pushvalue(L, out);
  return 1;
}

static bool is_given(lua_State *L, int slot) { return slot != 0 && !lua_isnil(L, slot); }

// NumPy's ddof, which the array API standard calls correction.
static double ddof_of(lua_State *L, const char *where, const options *o) {
  if (is_given(L, o->ddof)) {
    cp_demand(L, where, !is_given(L, o->correction), "ddof and correction must not both be given");
    return cp_arg_number(L, o->ddof, where, "ddof");
  }
  return is_given(L, o->correction) ? cp_arg_number(L, o->correction, where, "correction") : 0;
}

// Reductions under a mask, or with a mean that is given, are composed of others by the Lua side
// (statistics/masked.lua). Calls core.reduce_masked(name, a, options). Upvalue 2: core.
static int call_composed(lua_State *L, const cp_signature *s) {
  lua_getfield(L, lua_upvalueindex(2), "reduce_masked");
  lua_pushstring(L, s->where);
  lua_pushvalue(L, 1);
  lua_createtable(L, 0, s->count);
  for (int k = 2; k <= s->count; k++) {
    lua_pushvalue(L, k);
    lua_setfield(L, -2, s->names[k - 1]);
  }
  cp_call(L, s->where, 3, 1);
  return 1;
}

// any() and all() without an axis are questions, which are answered by a Lua boolean.
static bool is_question(lua_State *L, cp_red red, const options *o) {
  return cp_reds[red].cls == CP_RED_TRUTH && lua_isnil(L, o->axis) && lua_isnil(L, o->out) &&
         lua_isnil(L, o->keepdims);
}

static int answer(lua_State *L, const char *where, cp_array *result) {
  int64_t position[1] = {0};
  cp_push_scalar(L, cp_read_element(L, where, result, position));
  return 1;
}

// Pushes the answer of any() or all() for a mask, if it is known without a reduction.
static bool answer_of_mask(lua_State *L, const char *where, cp_red red, cp_array *mask) {
  bool known = false, yes = false;
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_ask_mask(ctx, red, mask, &known, &yes));
  if (known) lua_pushboolean(L, yes);
  return known;
}

// The function of a reduction. Upvalues: its id, and core.
static int call_reduction(lua_State *L) {
  cp_red red = (cp_red)lua_tointeger(L, lua_upvalueindex(1));
  options o;
  cp_signature s = signature_of(red, &o);
  cp_arguments(L, &s);
  if (cp_test_array(L, 1) == NULL && cp_is_sparse(L, 1))
    return cp_call_sparse(L, "reduce", s.where, 1, s.count);
  cp_array *a = cp_take_value(L, 1, s.where, "a");
  if (cp_reds[red].cls == CP_RED_INDEX && lua_istable(L, o.axis))
    return cp_raise(L, s.where, CP_EUSAGE, "axis must be a single axis");
  if (is_given(L, o.where) || is_given(L, o.mean)) return call_composed(L, &s);
  if (is_question(L, red, &o) && answer_of_mask(L, s.where, red, a)) return 1;
  const cp_array *out = o.dtype && !lua_isnil(L, o.out) ? cp_test_array(L, o.out) : NULL;
  cp_reduction r = {.red = red, .axes = cp_arg_axes(L, o.axis, s.where, "axis", a->ndim)};
  cp_dtype dtype = o.dtype ? cp_arg_dtype(L, o.dtype, s.where) : CP_NDTYPES;
  r.keepdims = cp_arg_boolean_or(L, o.keepdims, s.where, "keepdims", false);
  r.initial = is_given(L, o.initial);
  r.ddof = ddof_of(L, s.where, &o);
  CP_CHECK(L, s.where, cp_reduction_types(&r, a->dtype, dtype, out));
  cp_array *result = push_reduction(L, s.where, &r, a);
  if (r.initial) result = push_initial(L, s.where, red, o.initial);
  if (is_question(L, red, &o)) return answer(L, s.where, result);
  return lua_isnil(L, o.out) ? 1 : write_out(L, s.where, result, o.out);
}

// cp.count_nonzero(a, axis, keepdims): the sum of the elements' truth values.
static int count_nonzero(lua_State *L) {
  static const char *const names[] = {"a", "axis", "keepdims"};
  static const cp_signature s = {"count_nonzero", names, 3, 1};
  cp_arguments(L, &s);
  cp_array *a = cp_take_value(L, 1, s.where, "a");
  cp_reduction r = {.red = CP_RED_sum, .through = CP_BOOL, .acc = CP_INT64, .result = CP_INT64};
  r.axes = cp_arg_axes(L, 2, s.where, "axis", a->ndim);
  r.keepdims = cp_arg_boolean_or(L, 3, s.where, "keepdims", false);
  push_reduction(L, s.where, &r, a);
  return 1;
}

void cp_open_reduce(lua_State *L) {
  for (int red = 0; red < CP_NREDS; red++) {
    lua_pushinteger(L, red);
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, call_reduction, 2);
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
