// Elementwise functions, their in-place twins and the operators: every line of the table becomes a function of cp and a method.
#include "lua/elementwise/ufunc.h"

#include "lazy/evaluation/batch.h"
#include "lua/conversion/element.h"
#include "lua/elementwise/compare.h"

#include <stdio.h>
#include <string.h>

static const char *const unary_names[] = {"x", "out", "dtype"};
static const char *const binary_names[] = {"x1", "x2", "out", "dtype"};
static const char *const where_names[] = {"condition", "x", "y", "out"};
static const char *const ternary_names[] = {"a", "b", "c", "out", "dtype"};
static const char *const lerp_names[] = {"a", "b", "t", "out", "dtype"};
static const char *const quaternary_names[] = {"a", "b", "c", "d", "out"};

// The arguments of an operation's function: its operands, then out, then dtype.
static const char *const *names_of(cp_op op) {
  switch (cp_ops[op].arity) {
  case 1: return unary_names;
  case 2: return binary_names;
  case 3: return op == CP_OP_where ? where_names : op == CP_OP_lerp ? lerp_names : ternary_names;
  default: return quaternary_names;
  }
}

static cp_signature signature_of(cp_op op) {
  int arity = cp_ops[op].arity;
  bool plain = arity < 4 && op != CP_OP_where; // has a dtype
  return (cp_signature){
      .where = cp_ops[op].name, .names = names_of(op), .count = arity + (plain ? 2 : 1), .required = arity};
}

// ---- rules on top of the table ------------------------------------------------------------------------------------

// `^` by 2, 3, 0.5, -0.5, -1 and 1 is another, exact operation.
static cp_op exact_power(const cp_operands *o) {
  const cp_lua_operand *e = &o->v[1];
  if (o->v[0].array == NULL || e->array != NULL || !e->weak || (e->kind != 'i' && e->kind != 'f'))
    return CP_OP_power;
  double v = cp_scalar_cast(e->s, CP_FLOAT64).v.f;
  if (v == 2) return CP_OP_square;
  if (v == 3) return CP_OP_cube;
  if (v == 0.5) return CP_OP_sqrt;
  if (v == -0.5) return CP_OP_rsqrt;
  if (v == -1) return CP_OP_reciprocal;
  return v == 1 ? CP_OP_positive : CP_OP_power;
}

static cp_status apply_power(const cp_operands *o, cp_node **nodes, cp_node **out) {
  cp_op op = exact_power(o);
  if (op == CP_OP_power) return cp_node_op(op, nodes, out);
  cp_dtype t = cp_promote(nodes[0]->dtype, nodes[1]->dtype);
  cp_node_release(nodes[1]);
  CP_TRY(cp_node_cast(nodes[0], t, &nodes[0]));
  return cp_node_op(op, nodes, out);
}

// op on both nodes converted to t.
static cp_status apply_cast(cp_op op, cp_dtype t, cp_node **nodes, cp_node **out) {
  cp_status status = cp_node_cast(nodes[0], t, &nodes[0]);
  if (status != CP_OK) {
    cp_node_release(nodes[1]);
    return status;
  }
  status = cp_node_cast(nodes[1], t, &nodes[1]);
  if (status != CP_OK) {
    cp_node_release(nodes[0]);
    return status;
  }
  return cp_node_op(op, nodes, out);
}

cp_status cp_apply(cp_op op, const cp_operands *o, cp_node **nodes, cp_node **out) {
  if (cp_compares_by_value(op, o)) return cp_compare_by_value(op, o, nodes, out);
  if (cp_compares_signs(op, nodes)) return cp_compare_signs(op, nodes, out);
  if (op == CP_OP_power) return apply_power(o, nodes, out);
  if (op == CP_OP_nextafter) {
    cp_dtype t = cp_floating_all(cp_set_of(nodes[0]->dtype) | cp_set_of(nodes[1]->dtype));
    if (t == CP_FLOAT16) op = CP_OP_nextafter_f16;
    if (t == CP_BFLOAT16) op = CP_OP_nextafter_bf16;
    if (cp_is_half(t)) return apply_cast(op, t, nodes, out);
  }
  return cp_node_op(op, nodes, out);
}

// ---- one application ----------------------------------------------------------------------------------------------

static bool wants_integers(cp_op op) { return cp_ops[op].rule == CP_RULE_INTEGER; }

// Whether op can compute in the user's dtype: it has a loop for it, and no operand would lose its kind (NumPy's same_kind rule).
static cp_status check_dtype(cp_op op, cp_dtype dtype, int n, cp_node *const *nodes) {
  cp_dtype operands[CP_MAX_ARGS] = {CP_BOOL}, loop, result;
  for (int k = 0; k < n; k++) {
    operands[k] = cp_op_arg_dtype(op, dtype, k);
    if (operands[k] == dtype && !cp_can_cast(nodes[k]->dtype, dtype, CP_CAST_SAME_KIND))
      return cp_fail(CP_EDTYPE, "cannot take %s as dtype %s; convert with :astype",
                     cp_dtypes[nodes[k]->dtype].name, cp_dtypes[dtype].name);
  }
  CP_TRY(cp_op_types(op, n, operands, &loop, &result));
  return loop == dtype ? CP_OK : cp_fail(CP_EDTYPE, "does not compute in dtype %s", cp_dtypes[dtype].name);
}

// Brings the operands to the user's dtype. On failure all references are gone.
static cp_status cast_operands(cp_op op, cp_dtype dtype, int n, cp_node **nodes) {
  cp_status status = check_dtype(op, dtype, n, nodes);
  for (int k = 0; k < n && status == CP_OK; k++) {
    if (cp_op_arg_dtype(op, dtype, k) != dtype) continue; // the exponent of ldexp
    status = cp_node_cast(nodes[k], dtype, &nodes[k]);
    if (status != CP_OK) nodes[k] = NULL;
  }
  for (int k = 0; k < n && status != CP_OK; k++) cp_node_release(nodes[k]);
  return status;
}

// Whether op computes in t, float32 or float64, what it gives as t too.
static inline bool keeps_type(cp_op op, cp_dtype t) {
  const cp_op_info *info = &cp_ops[op];
  if (t != CP_FLOAT32 && t != CP_FLOAT64) return false;
  return info->uniform && info->result == CP_LOOP && cp_is_loop(info->real);
}

// op on arrays that are alike, and on numbers that take their dtype: what most operators are.
static inline cp_status build_alike(cp_op op, const cp_operands *o, cp_node **out) {
  cp_term terms[CP_MAX_ARGS];
  int n = cp_ops[op].arity;
  if (op == CP_OP_power && (op = exact_power(o)) != CP_OP_power) n = 1;
  for (int k = 0; k < n; k++) {
    terms[k].array = o->v[k].array;
    if (terms[k].array == NULL) terms[k].number = cp_scalar_cast(o->v[k].s, o->strong);
  }
  return cp_node_of_terms(&o->state->ctx, op, o->strong, n, terms, out);
}

// Whether the operands are arrays that are alike, of the dtype that the others take too.
static bool are_alike(const cp_operands *o) {
  if (!o->alike || !o->any_array || o->first->dtype != o->strong) return false;
  for (int k = 0; k < o->count; k++)
    if (o->v[k].array == NULL && (o->v[k].weak ? o->weak : o->v[k].s.dtype) != o->strong) return false;
  return true;
}

static inline bool is_alike(cp_op op, const cp_operands *o) {
  const cp_context *ctx = &o->state->ctx;
  return (o->fast_ok || are_alike(o)) && keeps_type(op, o->strong) && ctx->capture.graph == NULL &&
         !ctx->streams.concurrent;
}

// The nodes of o, in the user's dtype if there is one, and op on them.
static inline cp_status build(cp_op op, cp_dtype dtype, const cp_operands *o, cp_node **out) {
  cp_node *nodes[CP_MAX_ARGS];
  if (dtype == CP_NDTYPES && is_alike(op, o)) return build_alike(op, o, out);
  CP_TRY(cp_operand_nodes(o, nodes));
  if (dtype != CP_NDTYPES) CP_TRY(cast_operands(op, dtype, o->count, nodes));
  return cp_apply(op, o, nodes, out);
}

// Whole numbers with nothing beside them are integers where the operation wants such, and on their way into an array of integers (`out`, its
// dtype, or CP_NDTYPES).
static void count_whole(cp_op op, cp_dtype out, cp_operands *o) {
  bool numbers = false, whole = !o->any_array && o->strong == CP_NDTYPES;
  for (int k = 0; k < o->count && whole; k++) {
    numbers = numbers || o->v[k].kind == 'i';
    whole = o->v[k].kind == 'i' || o->v[k].kind == 'b';
  }
  if (whole && numbers && (wants_integers(op) || (out != CP_NDTYPES && cp_is_integer(out))))
    o->weak = CP_INT64;
}

// No array among the operands: the result is a Lua value.
static int scalar_result(lua_State *L, const char *where, cp_op op, cp_dtype dtype, cp_operands *o) {
  cp_scalar result;
  cp_node *root;
  count_whole(op, CP_NDTYPES, o);
  CP_CHECK(L, where, build(op, dtype, o, &root));
  cp_status status = cp_evaluate_scalar(&cp_state_get(L)->ctx, root, &result);
  cp_node_release(root);
  CP_CHECK(L, where, status);
  cp_push_scalar(L, result);
  return 1;
}

int cp_elementwise(lua_State *L, const char *where, cp_op op, int first, int out, cp_dtype dtype) {
  cp_operands o;
  cp_node *root;
  const cp_reading how = {where, names_of(op), cp_ops[op].reading, dtype};
  cp_read_operands(L, &how, first, cp_ops[op].arity, &o);
  if (out != 0) {
    cp_array *target = cp_check_value(L, out, where, "out");
    count_whole(op, target->dtype, &o);
    CP_CHECK(L, where, build(op, dtype, &o, &root));
    o.state->ctx.lazy.caller = where;
    CP_CHECK(L, where, cp_assign_out(&o.state->ctx, target, root, CP_BROADCASTS));
    lua_pushvalue(L, out);
    return 1;
  }
  if (!o.any_array) return scalar_result(L, where, op, dtype, &o);
  cp_array *a = cp_push_handle(L, o.state, o.ndim, o.fast_ok);
  CP_CHECK(L, where, build(op, dtype, &o, &root));
  CP_CHECK(L, where, cp_give(a, root));
  return 1;
}

// ---- functions and operators --------------------------------------------------------------------------------------

static void refuse_boolean(lua_State *L, const char *where, int index, const char *argument) {
  if (lua_type(L, index) == LUA_TBOOLEAN)
    cp_raise(L, where, CP_EUSAGE,
             "%s is a Lua boolean; == gives one answer for whole arrays, use x:eq(y) for an elementwise one",
             argument);
}

// What a function of an operation is: its upvalue.
typedef struct definition {
  cp_op op;
  cp_signature s;
  char name[]; // s.where
} definition;

static int call_function(lua_State *L) {
  const definition *d = lua_touserdata(L, lua_upvalueindex(1));
  const cp_signature *s = &d->s;
  cp_op op = d->op;
  int arity = s->required;
  if (lua_gettop(L) != arity || arity == 1 || lua_istable(L, 1) || lua_istable(L, 2) || arity > 2)
    cp_arguments(L, s);
  if (op == CP_OP_where) refuse_boolean(L, "where", 1, "condition");
  for (int k = 1; k <= arity && op >= CP_OP_logical_and && op <= CP_OP_logical_not; k++)
    refuse_boolean(L, s->where, k, s->names[k - 1]);
  cp_dtype dtype = s->count > arity + 1 ? cp_arg_dtype(L, arity + 2, s->where) : CP_NDTYPES;
  return cp_elementwise(L, s->where, op, 1, lua_isnoneornil(L, arity + 1) ? 0 : arity + 1, dtype);
}

// The twin with an underscore: writes into its first argument and returns it.
static int call_in_place(lua_State *L) {
  const definition *d = lua_touserdata(L, lua_upvalueindex(1));
  const cp_signature *s = &d->s;
  const char *where = s->where;
  cp_operands o;
  cp_node *root;
  cp_arguments(L, s);
  if (lua_type(L, 1) != LUA_TUSERDATA)
    cp_check_value(L, 1, where, s->names[0]); // no table becomes the target
  const cp_reading how = {where, s->names, cp_ops[d->op].reading, CP_NDTYPES};
  cp_read_operands(L, &how, 1, s->required, &o);
  cp_array *target = o.v[0].array != NULL ? o.v[0].array : cp_check_value(L, 1, where, s->names[0]);
  CP_CHECK(L, where, build(d->op, CP_NDTYPES, &o, &root));
  cp_context *ctx = &o.state->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_assign(ctx, target, root, CP_MAY_RENAME));
  lua_settop(L, 1);
  return 1;
}

// What operators call: a function for each, which has nothing to look up.
#define EVENTS(EVENT)                                                                                        \
  EVENT(add, add)                                                                                            \
  EVENT(sub, subtract)                                                                                       \
  EVENT(mul, multiply)                                                                                       \
  EVENT(div, divide)                                                                                         \
  EVENT(mod, remainder)                                                                                      \
  EVENT(pow, power)                                                                                          \
  EVENT(unm, negative)                                                                                       \
  EVENT(idiv, floor_divide)                                                                                  \
  EVENT(band, bitwise_and)                                                                                   \
  EVENT(bor, bitwise_or)                                                                                     \
  EVENT(bxor, bitwise_xor)                                                                                   \
  EVENT(bnot, invert)                                                                                        \
  EVENT(shl, left_shift)                                                                                     \
  EVENT(shr, right_shift)
#define EVENT(event, op)                                                                                     \
  static int event##_event(lua_State *L) { return cp_elementwise(L, #op, CP_OP_##op, 1, 0, CP_NDTYPES); }
EVENTS(EVENT)
#undef EVENT

// Whether all values of the arrays at 1 and 2, which have one shape and device, are equal: one fused reduction.
static bool equal_values(lua_State *L) {
  cp_operands o;
  cp_node *root = NULL;
  cp_scalar same = {0};
  cp_context *ctx = &cp_state_get(L)->ctx;
  const cp_reading how = {"equal", binary_names, CP_BY_VALUE, CP_NDTYPES};
  cp_read_operands(L, &how, 1, 2, &o);
  uint32_t axes = o.ndim == CP_MAXDIM ? UINT32_MAX : (1U << o.ndim) - 1;
  cp_array *target = cp_push_new_array(L, "equal", o.device, CP_BOOL, 0, NULL);
  CP_CHECK(L, "equal", build(CP_OP_equal, CP_NDTYPES, &o, &root));
  ctx->lazy.caller = "equal";
  cp_status status = cp_keep_parts(ctx, root);
  if (status == CP_OK) status = cp_reduce(ctx, root, axes, CP_RED_all, CP_BOOL, 0, target);
  cp_node_release(root);
  CP_CHECK(L, "equal", status);
  same = cp_read_element(L, "equal", target, &(int64_t){0});
  return same.v.i != 0;
}

static bool is_traced(const cp_array *a) { return a != NULL && a->node != NULL && a->node->traced; }

// a == b: one answer for whole arrays. Arrays of other shapes or devices, freed ones and other values are unequal, never an error.
static int equal_event(lua_State *L) {
  const cp_array *a = cp_test_array(L, 1), *b = cp_test_array(L, 2);
  if (is_traced(a) || is_traced(b))
    return cp_raise(L, "vectorize", CP_EUSAGE,
                    "== gives one answer for whole arrays; write x:eq(y), not x == y");
  bool same = a != NULL && b != NULL && a->device == b->device &&
              cp_shape_equal(a->ndim, a->shape, b->ndim, b->shape);
  same = same && cp_array_alive(a) == CP_OK && cp_array_alive(b) == CP_OK;
  lua_settop(L, 2);
  lua_pushboolean(L, same && (a->size == 0 || equal_values(L)));
  return 1;
}

// Several results of the same operands, computed at once by one kernel: divmod, modf, frexp. Upvalues: name, the two operations.
static int call_pair(lua_State *L) {
  const char *where = lua_tostring(L, lua_upvalueindex(1));
  cp_op ops[2] = {(cp_op)lua_tointeger(L, lua_upvalueindex(2)), (cp_op)lua_tointeger(L, lua_upvalueindex(3))};
  int arity = cp_ops[ops[0]].arity;
  cp_signature s = {where, arity == 1 ? unary_names : binary_names, arity, arity};
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_operands o;
  cp_node *root = NULL;
  cp_array *targets[2];
  cp_arguments(L, &s);
  const cp_reading how = {where, s.names, 0, CP_NDTYPES};
  cp_read_operands(L, &how, 1, arity, &o);
  if (!o.any_array) {
    scalar_result(L, where, ops[0], CP_NDTYPES, &o);
    scalar_result(L, where, ops[1], CP_NDTYPES, &o);
    return 2;
  }
  for (int k = 0; k < 2; k++) {
    targets[k] = cp_push_array(L, o.ndim);
    CP_CHECK(L, where, build(ops[k], CP_NDTYPES, &o, &root));
    CP_CHECK(L, where, cp_pend(ctx, targets[k], root));
  }
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_force_all(ctx, 2, targets));
  return 2;
}

// x:astype(dtype): a copy in another dtype.
CP_SIGNATURE(astype, 2, "x", "dtype", "copy");
static int astype(lua_State *L) {
  cp_arguments(L, &astype_signature);
  cp_array *x = cp_check_value(L, 1, "astype", "x");
  cp_dtype t = cp_arg_dtype(L, 2, "astype");
  if (t == CP_NDTYPES) return cp_raise(L, "astype", CP_EUSAGE, "dtype is missing");
  if (t == x->dtype && !cp_arg_boolean_or(L, 3, "astype", "copy", true)) {
    lua_settop(L, 1);
    return 1;
  }
  cp_node *root;
  cp_array *a = cp_push_array(L, x->ndim);
  CP_CHECK(L, "astype", cp_bound_operands(&cp_state_get(L)->ctx, 1, &x));
  CP_CHECK(L, "astype", cp_array_node(x, &root));
  CP_CHECK(L, "astype", cp_node_cast(root, t, &root));
  CP_CHECK(L, "astype", cp_give(a, root));
  return 1;
}

// Pushes the function `name` of an operation; in_place: its twin, which has no argument beside the operands.
static const definition *push_function(lua_State *L, const char *name, cp_op op, bool in_place) {
  size_t room = strlen(name) + 2;
  definition *d = cp_newuserdata(L, sizeof *d + room);
  d->op = op;
  d->s = signature_of(op);
  d->s.where = d->name;
  if (in_place) d->s.count = d->s.required;
  snprintf(d->name, room, "%s%s", name, in_place ? "_" : "");
  lua_pushcclosure(L, in_place ? call_in_place : call_function, 1);
  return d;
}

// Makes it a function of cp and a method.
static void set_function(lua_State *L, const char *name, cp_op op, bool in_place) {
  const definition *d = push_function(L, name, op, in_place);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, d->name);
  lua_setfield(L, 3, d->name);
}

// ORDER: names beside NumPy's first ones; the short ones of API.md section 2, and NumPy 2's array-API names.
static const struct {
  const char *name;
  cp_op op;
} aliases[] = {{"sub", CP_OP_subtract},
               {"mul", CP_OP_multiply},
               {"div", CP_OP_divide},
               {"true_divide", CP_OP_divide},
               {"idiv", CP_OP_floor_divide},
               {"mod", CP_OP_remainder},
               {"pow", CP_OP_power},
               {"neg", CP_OP_negative},
               {"band", CP_OP_bitwise_and},
               {"bor", CP_OP_bitwise_or},
               {"bxor", CP_OP_bitwise_xor},
               {"bnot", CP_OP_invert},
               {"bitwise_not", CP_OP_invert},
               {"bitwise_invert", CP_OP_invert},
               {"shl", CP_OP_left_shift},
               {"shr", CP_OP_right_shift},
               {"bitwise_left_shift", CP_OP_left_shift},
               {"bitwise_right_shift", CP_OP_right_shift},
               {"eq", CP_OP_equal},
               {"ne", CP_OP_not_equal},
               {"lt", CP_OP_less},
               {"le", CP_OP_less_equal},
               {"gt", CP_OP_greater},
               {"ge", CP_OP_greater_equal},
               {"abs", CP_OP_absolute},
               {"conjugate", CP_OP_conj},
               {"acos", CP_OP_arccos},
               {"asin", CP_OP_arcsin},
               {"atan", CP_OP_arctan},
               {"atan2", CP_OP_arctan2},
               {"acosh", CP_OP_arccosh},
               {"asinh", CP_OP_arcsinh},
               {"atanh", CP_OP_arctanh},
               {"deg2rad", CP_OP_radians},
               {"rad2deg", CP_OP_degrees}};

#define EVENT(event, op) {"__" #event, event##_event},
static const luaL_Reg events[] = {EVENTS(EVENT){NULL, NULL}};
#undef EVENT

static void open_name(lua_State *L, const char *name, cp_op op) {
  set_function(L, name, op, false);
  if (cp_ops[op].scope == CP_SCOPE_INPLACE) set_function(L, name, op, true);
}

static void open_pair(lua_State *L, const char *name, cp_op first, cp_op second) {
  lua_pushstring(L, name);
  lua_pushinteger(L, (lua_Integer)first);
  lua_pushinteger(L, (lua_Integer)second);
  lua_pushcclosure(L, call_pair, 3);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name);
  lua_setfield(L, 3, name);
}

// Draws are random.c's.
static void open_operation(lua_State *L, cp_op op) {
  const cp_op_info *info = &cp_ops[op];
  switch (info->scope) {
  case CP_SCOPE_PUBLIC:
  case CP_SCOPE_INPLACE: open_name(L, info->name, op); break;
  case CP_SCOPE_HIDDEN:
  case CP_SCOPE_INTERNAL: push_function(L, info->name, op, false), lua_setfield(L, 1, info->name); break;
  case CP_SCOPE_DRAW: break;
  }
}

void cp_open_ufunc(lua_State *L) {
  for (cp_op op = (cp_op)0; op < CP_OP_cast; op++) open_operation(L, op);
  for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++) open_name(L, aliases[k].name, aliases[k].op);
  open_pair(L, "divmod", CP_OP_floor_divide, CP_OP_remainder);
  open_pair(L, "modf", CP_OP_modf_fraction, CP_OP_modf_integer);
  open_pair(L, "frexp", CP_OP_frexp_mantissa, CP_OP_frexp_exponent);
  lua_pushcfunction(L, astype);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, "astype");
  lua_setfield(L, 3, "astype");
  cp_push_kind(L, CP_KIND_ARRAY);
  cp_put_functions(L, -1, events);
  lua_pushcfunction(L, equal_event);
  lua_setfield(L, -2, "__eq");
  lua_pop(L, 1);
}
