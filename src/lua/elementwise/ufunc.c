// Elementwise functions, their in-place forms and the operators: each line of the table of operations becomes
// a function of cp and a method of arrays. rules/apply.h makes the nodes.
#include "lua/elementwise/ufunc.h"

#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/conversion/convert.h"
#include "lua/elementwise/sparse.h"
#include "lua/objects/object.h"
#include "lua/values/handle.h"
#include "rules/apply.h"
#include "rules/reduce.h"

#include <stdio.h>
#include <string.h>

static const char *const unary_names[] = {"x", "out", "dtype", "casting", "where"};
static const char *const binary_names[] = {"x1", "x2", "out", "dtype", "casting", "where"};
static const char *const where_names[] = {"condition", "x", "y", "out"};
static const char *const ternary_names[] = {"a", "b", "c", "out", "dtype", "casting", "where"};
static const char *const lerp_names[] = {"a", "b", "t", "out", "dtype", "casting", "where"};
static const char *const quaternary_names[] = {"a", "b", "c", "d", "out"};

// The arguments of an operation's function: its operands, then out, dtype, casting and where.
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
  bool plain = arity < 4 && op != CP_OP_where; // these take dtype, casting and where
  return (cp_signature){
      .where = cp_ops[op].name, .names = names_of(op), .count = arity + (plain ? 4 : 1), .required = arity};
}

// ---- applying an operation --------------------------------------------------------------------------------

// Pushes the result as a Lua value, if no operand is an array.
static int scalar_result(lua_State *L, const char *where, cp_op op, cp_dtype dtype, cp_operands *o) {
  cp_scalar result;
  cp_node *root;
  cp_count_whole(op, CP_NDTYPES, o);
  CP_CHECK(L, where, cp_apply(op, dtype, o, &root));
  cp_status status = cp_evaluate_scalar(&cp_state_get(L)->ctx, root, &result);
  cp_node_release(root);
  CP_CHECK(L, where, status);
  cp_push_scalar(L, result);
  return 1;
}

// Passes an operation on sparse arrays to the Lua side: out and dtype, either of which may be nil, and then
// the operands.
static int operate_on_sparse(lua_State *L, cp_op op, int first, int out, cp_dtype dtype) {
  const int top = lua_gettop(L), arity = cp_ops[op].arity;
  luaL_checkstack(L, arity + 2, "too many operands");
  if (out != 0)
    lua_pushvalue(L, out);
  else
    lua_pushnil(L);
  if (dtype != CP_NDTYPES)
    lua_pushstring(L, cp_dtypes[dtype].name);
  else
    lua_pushnil(L);
  for (int k = 0; k < arity; k++) lua_pushvalue(L, first + k);
  return cp_call_sparse(L, "operate", cp_ops[op].name, top + 1, arity + 2);
}

int cp_elementwise(lua_State *L, const char *where, cp_op op, int first, int out, cp_dtype dtype) {
  cp_operands o;
  cp_node *root;
  const cp_reading how = {where, names_of(op), cp_ops[op].reading, dtype};
  if (!cp_read_dense(L, &how, first, cp_ops[op].arity, &o))
    return operate_on_sparse(L, op, first, out, dtype);
  if (out != 0) {
    cp_array *target = cp_check_value(L, out, where, "out");
    cp_count_whole(op, target->dtype, &o);
    CP_CHECK(L, where, cp_apply(op, dtype, &o, &root));
    o.ctx->lazy.caller = where;
    CP_CHECK(L, where, cp_assign_out(o.ctx, target, root, CP_BROADCASTS));
    lua_pushvalue(L, out);
    return 1;
  }
  if (!o.any_array) return scalar_result(L, where, op, dtype, &o);
  cp_array *a = cp_push_handle(L, cp_state_in(L, o.ctx), o.ndim, o.fast_ok);
  CP_CHECK(L, where, cp_apply(op, dtype, &o, &root));
  CP_CHECK(L, where, cp_give(a, root));
  return 1;
}

// An operation under a rule for casts, which is at slot `casting`; out and dtype are in the slots before it.
static int call_casting(lua_State *L, const char *where, cp_op op, int casting) {
  cp_operands o;
  cp_node *root;
  int out = casting - 2;
  cp_casting rule = cp_arg_casting(L, casting, where, CP_CAST_SAME_KIND);
  cp_dtype dtype = cp_arg_dtype(L, casting - 1, where);
  const cp_reading how = {where, names_of(op), cp_ops[op].reading, dtype};
  if (!cp_read_dense(L, &how, 1, cp_ops[op].arity, &o))
    return operate_on_sparse(L, op, 1, lua_isnil(L, out) ? 0 : out, dtype);
  cp_array *target = lua_isnil(L, out) ? NULL : cp_check_value(L, out, where, "out");
  if (target == NULL && !o.any_array) return scalar_result(L, where, op, dtype, &o);
  cp_count_whole(op, target != NULL ? target->dtype : CP_NDTYPES, &o);
  cp_array *a = target != NULL ? target : cp_push_handle(L, cp_state_in(L, o.ctx), o.ndim, false);
  CP_CHECK(L, where, cp_apply_casting(op, dtype, &o, rule, target != NULL ? a->dtype : CP_NDTYPES, &root));
  o.ctx->lazy.caller = where;
  CP_CHECK(L, where, target != NULL ? cp_assign_out(o.ctx, a, root, CP_BROADCASTS) : cp_give(a, root));
  if (target != NULL) lua_pushvalue(L, out);
  return 1;
}

// An operation whose result is stored where the mask at slot `mask` is true; out, dtype and casting are in
// the slots before it.
static int call_masked(lua_State *L, const char *where, cp_op op, int mask) {
  cp_operands o;
  cp_node *root;
  const int out = mask - 3;
  const cp_array *m = cp_test_array(L, mask);
  if (lua_isnil(L, out))
    return cp_raise(L, where, CP_EUSAGE, "where needs out, an array whose other elements stay as they are");
  if (m != NULL && m->dtype != CP_BOOL)
    return cp_raise(L, where, CP_EDTYPE, "where must be of dtype bool, not %s", cp_dtypes[m->dtype].name);
  if (m == NULL && !lua_istable(L, mask) && !lua_isboolean(L, mask))
    return cp_raise(L, where, CP_EUSAGE, "where must be an array or a table of booleans, not %s",
                    cp_kind_text(L, mask));
  const cp_casting rule = cp_arg_casting(L, mask - 1, where, CP_CAST_SAME_KIND);
  const cp_dtype dtype = cp_arg_dtype(L, mask - 2, where), to = cp_check_value(L, out, where, "out")->dtype;
  const cp_reading how = {where, names_of(op), cp_ops[op].reading, dtype};
  if (!cp_read_dense(L, &how, 1, cp_ops[op].arity, &o))
    return cp_raise(L, where, CP_EUSAGE, "where cannot be given with sparse arrays");
  lua_pushvalue(L, mask);
  if (o.any_array) {
    cp_array *result = cp_push_handle(L, cp_state_in(L, o.ctx), o.ndim, false);
    CP_CHECK(L, where, cp_apply_casting(op, dtype, &o, rule, to, &root));
    CP_CHECK(L, where, cp_give(result, root));
  } else {
    (void)scalar_result(L, where, op, dtype, &o);
  }
  lua_pushvalue(L, out);
  return cp_elementwise(L, where, CP_OP_where, lua_gettop(L) - 2, out, CP_NDTYPES);
}

// ---- functions and operators ------------------------------------------------------------------------------

static void refuse_boolean(lua_State *L, const char *where, int index, const char *argument) {
  if (lua_type(L, index) == LUA_TBOOLEAN)
    cp_raise(L, where, CP_EUSAGE,
             "%s is a Lua boolean; == gives one answer for whole arrays, use x:eq(y) for an elementwise one",
             argument);
}

// The upvalue of an operation's function.
typedef struct definition {
  cp_op op;
  cp_signature s;
  char name[]; // s.where points here
} definition;

// Whether the arguments can only be operands: none is missing, nor a table, which may hold arguments by name.
static bool are_operands(lua_State *L, int count) {
  bool are = lua_gettop(L) == count;
  for (int k = 1; k <= count && are; k++) {
    const int type = lua_type(L, k);
    are = type == LUA_TUSERDATA || type == LUA_TNUMBER;
  }
  return are;
}

static int call_function(lua_State *L) {
  const definition *d = lua_touserdata(L, lua_upvalueindex(1));
  const cp_signature *s = &d->s;
  cp_op op = d->op;
  int arity = s->required;
  const bool plain = are_operands(L, arity);
  if (!plain) cp_arguments(L, s);
  if (op == CP_OP_where) refuse_boolean(L, "where", 1, "condition");
  for (int k = 1; k <= arity && op >= CP_OP_logical_and && op <= CP_OP_logical_not; k++)
    refuse_boolean(L, s->where, k, s->names[k - 1]);
  if (plain) return cp_elementwise(L, s->where, op, 1, 0, CP_NDTYPES);
  if (s->count > arity + 2) {
    const bool all = lua_type(L, arity + 4) == LUA_TBOOLEAN && lua_toboolean(L, arity + 4);
    if (!all && !lua_isnoneornil(L, arity + 4)) return call_masked(L, s->where, op, arity + 4);
    if (!lua_isnoneornil(L, arity + 3)) return call_casting(L, s->where, op, arity + 3);
  }
  cp_dtype dtype = s->count > arity + 1 ? cp_arg_dtype(L, arity + 2, s->where) : CP_NDTYPES;
  return cp_elementwise(L, s->where, op, 1, lua_isnoneornil(L, arity + 1) ? 0 : arity + 1, dtype);
}

// The in-place form, with an underscore, writes into its first argument and returns it.
static int call_in_place(lua_State *L) {
  const definition *d = lua_touserdata(L, lua_upvalueindex(1));
  const cp_signature *s = &d->s;
  const char *where = s->where;
  cp_operands o;
  cp_node *root;
  cp_arguments(L, s);
  if (lua_type(L, 1) != LUA_TUSERDATA)
    cp_check_value(L, 1, where, s->names[0]); // a table cannot be the target
  const cp_reading how = {where, s->names, cp_ops[d->op].reading, CP_NDTYPES};
  if (!cp_read_dense(L, &how, 1, s->required, &o)) return operate_on_sparse(L, d->op, 1, 1, CP_NDTYPES);
  cp_array *target = o.v[0].array != NULL ? o.v[0].array : cp_check_value(L, 1, where, s->names[0]);
  CP_CHECK(L, where, cp_apply(d->op, CP_NDTYPES, &o, &root));
  cp_context *ctx = o.ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_assign(ctx, target, root, CP_MAY_RENAME));
  lua_settop(L, 1);
  return 1;
}

// The metamethods of the operators: one C function each, so that nothing must be looked up.
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

// Whether all elements of the arrays at 1 and 2, which have the same shape and device, are equal: one fused
// reduction.
static bool equal_values(lua_State *L) {
  bool same = false;
  cp_operands o;
  const cp_reading how = {"equal", binary_names, CP_BY_VALUE, CP_NDTYPES};
  cp_read_operands(L, &how, 1, 2, &o);
  o.ctx->lazy.caller = "equal";
  CP_CHECK(L, "equal", cp_all_equal(&o, &same));
  return same;
}

// a == b: one answer for whole arrays. Arrays of different shapes or devices, freed arrays and other values
// are unequal; that is not an error.
static int equal_event(lua_State *L) {
  const cp_array *a = cp_test_array(L, 1), *b = cp_test_array(L, 2);
  if (cp_is_traced(a) || cp_is_traced(b))
    return cp_raise(L, "vectorize", CP_EUSAGE,
                    "== gives one answer for whole arrays; write x:eq(y), not x == y");
  bool same = a != NULL && b != NULL && a->device == b->device &&
              cp_shape_equal(a->ndim, a->shape, b->ndim, b->shape);
  same = same && cp_array_alive(a) == CP_OK && cp_array_alive(b) == CP_OK;
  lua_settop(L, 2);
  lua_pushboolean(L, same && (a->size == 0 || equal_values(L)));
  return 1;
}

// ---- two results of the same operands: divmod, modf, frexp ------------------------------------------------

static const char *const unary_pair_names[] = {"x", "out1", "out2", "out"};
static const char *const binary_pair_names[] = {"x1", "x2", "out1", "out2", "out"};

// The slots of the arrays that the results are written into, of out1 and out2, which begin at `first`, or of
// out, a table of both; nil stands for a new array.
static void pair_slots(lua_State *L, const char *where, int first, int slots[2]) {
  const int table = first + 2;
  const bool named = !lua_isnil(L, table);
  if (named && !(lua_isnil(L, first) && lua_isnil(L, first + 1)))
    cp_raise(L, where, CP_EUSAGE, "out1 and out2 cannot be given beside out");
  if (named && !lua_istable(L, table))
    cp_raise(L, where, CP_EUSAGE, "out must be a table of two arrays, not %s", cp_kind_text(L, table));
  for (int k = 0; k < 2; k++) {
    if (named) lua_rawgeti(L, table, k + 1);
    slots[k] = named ? lua_gettop(L) : first + k;
    if (!lua_toboolean(L, slots[k])) slots[k] = 0;
    if (slots[k] != 0) cp_check_value(L, slots[k], where, "out");
  }
}

// Writes a result into the array at a slot, which it pushes.
static void write_result(lua_State *L, const char *where, cp_context *ctx, cp_node *root, int slot) {
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_assign_out(ctx, cp_check_value(L, slot, where, "out"), root, CP_BROADCASTS));
  lua_pushvalue(L, slot);
}

// Results of operands of which none is an array.
static int pair_of_scalars(lua_State *L, const char *where, const cp_op *ops, cp_operands *o,
                           const int *slots) {
  for (int k = 0; k < 2; k++) {
    cp_node *root;
    if (slots[k] == 0) {
      scalar_result(L, where, ops[k], CP_NDTYPES, o);
      continue;
    }
    cp_count_whole(ops[k], cp_check_value(L, slots[k], where, "out")->dtype, o);
    CP_CHECK(L, where, cp_apply(ops[k], CP_NDTYPES, o, &root));
    write_result(L, where, o->ctx, root, slots[k]);
  }
  return 2;
}

// Both are computed at once by one kernel. Upvalues: the name and the two operations.
static int call_pair(lua_State *L) {
  const char *where = lua_tostring(L, lua_upvalueindex(1));
  cp_op ops[2] = {(cp_op)lua_tointeger(L, lua_upvalueindex(2)), (cp_op)lua_tointeger(L, lua_upvalueindex(3))};
  int arity = cp_ops[ops[0]].arity, slots[2];
  cp_signature s = {where, arity == 1 ? unary_pair_names : binary_pair_names, arity + 3, arity};
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_operands o;
  cp_node *root = NULL;
  cp_array *results[2];
  cp_arguments(L, &s);
  const cp_reading how = {where, s.names, 0, CP_NDTYPES};
  cp_read_operands(L, &how, 1, arity, &o);
  pair_slots(L, where, arity + 1, slots);
  if (!o.any_array) return pair_of_scalars(L, where, ops, &o, slots);
  for (int k = 0; k < 2; k++) {
    results[k] = cp_push_array(L, o.ndim);
    CP_CHECK(L, where, cp_apply(ops[k], CP_NDTYPES, &o, &root));
    const cp_status status =
        slots[k] == 0 ? CP_OK : cp_check_assignment(cp_check_value(L, slots[k], where, "out"), root);
    if (status != CP_OK) cp_node_release(root);
    CP_CHECK(L, where, status);
    CP_CHECK(L, where, cp_pend(ctx, results[k], root));
  }
  const int first = lua_gettop(L) - 1;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_force_all(ctx, 2, results));
  for (int k = 0; k < 2; k++) {
    lua_pushvalue(L, first + k);
    if (slots[k] == 0) continue;
    CP_CHECK(L, where, cp_array_node(results[k], &root));
    write_result(L, where, ctx, root, slots[k]);
    lua_remove(L, -2);
  }
  return 2;
}

// x:astype(dtype, copy = true, casting = "unsafe", device): a copy in another dtype and on another device;
// with copy = false x itself if it has that dtype and is there.
CP_SIGNATURE(astype, 2, "x", "dtype", "copy", "casting", "device");
static int astype(lua_State *L) {
  cp_arguments(L, &astype_signature);
  cp_array *x = cp_check_value(L, 1, "astype", "x");
  cp_dtype t = cp_arg_dtype(L, 2, "astype");
  if (t == CP_NDTYPES) return cp_raise(L, "astype", CP_EUSAGE, "dtype is missing");
  CP_CHECK(L, "astype", cp_check_cast(x->dtype, t, cp_arg_casting(L, 4, "astype", CP_CAST_UNSAFE)));
  bool copy = cp_arg_boolean_or(L, 3, "astype", "copy", true);
  cp_device *device = lua_isnil(L, 5) ? x->device : cp_arg_device(L, 5, "astype");
  if (device != x->device) {
    x = cp_push_on_device(L, "astype", x, device);
    copy = false;
  }
  if (t == x->dtype && !copy) {
    if (lua_gettop(L) == astype_signature.count) lua_settop(L, 1);
    return 1;
  }
  cp_node *root;
  cp_array *a = cp_push_array(L, x->ndim);
  CP_CHECK(L, "astype", cp_bound_operands(&cp_state_get(L)->ctx, 1, &x, NULL));
  CP_CHECK(L, "astype", cp_array_node(x, &root));
  CP_CHECK(L, "astype", cp_node_cast(root, t, &root));
  CP_CHECK(L, "astype", cp_give(a, root));
  return 1;
}

// Pushes the function `name` of an operation or, if in_place, its in-place form, which takes only the
// operands.
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

// Adds such a function to cp and to the methods of arrays.
static void set_function(lua_State *L, const char *name, cp_op op, bool in_place) {
  const definition *d = push_function(L, name, op, in_place);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, d->name);
  lua_setfield(L, 3, d->name);
}

// Names in addition to NumPy's main ones: short names, and the names of the array API in NumPy 2.
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

// Makes the function of an operation. Hidden and internal ones go into core; creation/random.c has those of
// draws.
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
  cp_push_kind(L, CP_KIND_SPARSE);
  cp_put_functions(L, -1, events);
  lua_pop(L, 2);
}
