// Applies operations to operands, with cupola's own rules on top of the table's (apply.h).
#include "rules/apply.h"

#include "rules/compare.h"

// ---- rules on top of the table ----------------------------------------------------------------------------

static cp_op exact_power(double exponent) {
  if (exponent == 2) return CP_OP_square;
  if (exponent == 3) return CP_OP_cube;
  if (exponent == 0.5) return CP_OP_sqrt;
  if (exponent == -0.5) return CP_OP_rsqrt;
  if (exponent == -1) return CP_OP_reciprocal;
  return exponent == 1 ? CP_OP_positive : CP_OP_power;
}

cp_op cp_shorter_form(cp_op op, const cp_operands *o, int *operand) {
  const int k = *operand = op == CP_OP_divide;
  const cp_value *number = &o->v[1 - k];
  if (o->v[k].array == NULL || !cp_is_bare_number(number)) return op;
  const double v = cp_scalar_cast(number->s, CP_FLOAT64).v.f;
  if (op == CP_OP_power) return exact_power(v);
  return v == 1 && cp_is_float(o->v[k].array->dtype) ? CP_OP_reciprocal : op;
}

static cp_status apply_short(cp_op op, int operand, cp_node **nodes, cp_node **out) {
  cp_dtype t = cp_promote(nodes[0]->dtype, nodes[1]->dtype);
  cp_node_release(nodes[1 - operand]);
  CP_TRY(cp_node_cast(nodes[operand], t, &nodes[operand]));
  return cp_node_op(op, nodes + operand, out);
}

// Makes op on both nodes, converted to t.
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

static cp_status apply_nodes(cp_op op, const cp_operands *o, cp_node **nodes, cp_node **out) {
  int operand;
  const cp_op shorter = cp_short_form(op, o, &operand);
  if (shorter != op) return apply_short(shorter, operand, nodes, out);
  if (cp_compares_by_value(op, o)) return cp_compare_by_value(op, o, nodes, out);
  if (cp_compares_signs(op, nodes)) return cp_compare_signs(op, nodes, out);
  if (op == CP_OP_nextafter) {
    cp_dtype t = cp_floating_all(cp_set_of(nodes[0]->dtype) | cp_set_of(nodes[1]->dtype));
    if (t == CP_FLOAT16) op = CP_OP_nextafter_f16;
    if (t == CP_BFLOAT16) op = CP_OP_nextafter_bf16;
    if (cp_is_half(t)) return apply_cast(op, t, nodes, out);
  }
  return cp_node_op(op, nodes, out);
}

// ---- one application --------------------------------------------------------------------------------------

cp_status cp_check_cast(cp_dtype from, cp_dtype to, cp_casting casting) {
  static const char *const rules[] = {"no", "safe", "same_kind", "unsafe"}; // ORDER cp_casting
  if (cp_can_cast(from, to, casting)) return CP_OK;
  return cp_fail(CP_EDTYPE, "the rule \"%s\" does not allow the cast from %s to %s", rules[casting],
                 cp_dtypes[from].name, cp_dtypes[to].name);
}

static bool wants_integers(cp_op op) { return cp_ops[op].rule == CP_RULE_INTEGER; }

// Whether op can compute in the user's dtype: it has a loop for it, and no operand would lose its kind
// (NumPy's same_kind rule).
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

// Converts the operands to the user's dtype. On failure it releases all of them.
static cp_status cast_operands(cp_op op, cp_dtype dtype, int n, cp_node **nodes) {
  cp_status status = check_dtype(op, dtype, n, nodes);
  for (int k = 0; k < n && status == CP_OK; k++) {
    if (cp_op_arg_dtype(op, dtype, k) != dtype) continue; // the exponent of ldexp stays an integer
    status = cp_node_cast(nodes[k], dtype, &nodes[k]);
    if (status != CP_OK) nodes[k] = NULL;
  }
  for (int k = 0; k < n && status != CP_OK; k++) cp_node_release(nodes[k]);
  return status;
}

cp_status cp_apply_any(cp_op op, cp_dtype dtype, const cp_operands *o, cp_node **out) {
  cp_node *nodes[CP_MAX_ARGS];
  CP_TRY(cp_operand_nodes(o, nodes));
  if (dtype != CP_NDTYPES) CP_TRY(cast_operands(op, dtype, o->count, nodes));
  return apply_nodes(op, o, nodes, out);
}

// The dtype in which op computes its operands by the rule of its class.
static cp_status own_dtype(cp_op op, const cp_operands *o, cp_node *const *nodes, cp_dtype *loop) {
  cp_dtype operands[CP_MAX_ARGS] = {CP_BOOL}, result;
  for (int k = 0; k < o->count; k++) operands[k] = nodes[k]->dtype;
  return cp_op_types(op, o->count, operands, loop, &result);
}

static cp_status check_casts(cp_op op, cp_dtype dtype, const cp_operands *o, cp_casting casting) {
  for (int k = 0; k < o->count; k++) {
    const cp_array *a = o->v[k].array;
    cp_dtype to = cp_op_arg_dtype(op, dtype, k);
    if (a != NULL) CP_TRY(cp_check_cast(a->dtype, to, casting));
  }
  return CP_OK;
}

// Checks the operands' casts, and converts them to the user's dtype. On failure it releases all of them.
static cp_status cast_under_rule(cp_op op, cp_dtype dtype, const cp_operands *o, cp_casting casting,
                                 cp_node **nodes) {
  cp_dtype loop = dtype;
  cp_status status = dtype == CP_NDTYPES ? own_dtype(op, o, nodes, &loop) : CP_OK;
  if (status == CP_OK) status = check_casts(op, loop, o, casting);
  for (int k = 0; k < o->count && status == CP_OK && dtype != CP_NDTYPES; k++) {
    status = cp_node_cast(nodes[k], cp_op_arg_dtype(op, dtype, k), &nodes[k]);
    if (status != CP_OK) nodes[k] = NULL;
  }
  if (status == CP_OK && dtype != CP_NDTYPES) return cast_operands(op, dtype, o->count, nodes);
  for (int k = 0; k < o->count && status != CP_OK; k++) cp_node_release(nodes[k]);
  return status;
}

cp_status cp_apply_casting(cp_op op, cp_dtype dtype, const cp_operands *o, cp_casting casting, cp_dtype to,
                           cp_node **out) {
  cp_node *nodes[CP_MAX_ARGS];
  CP_TRY(cp_operand_nodes(o, nodes));
  CP_TRY(cast_under_rule(op, dtype, o, casting, nodes));
  CP_TRY(apply_nodes(op, o, nodes, out));
  if (to == CP_NDTYPES) return CP_OK;
  cp_status status = cp_check_cast((*out)->dtype, to, casting);
  if (status == CP_OK) return cp_node_cast(*out, to, out);
  cp_node_release(*out);
  return status;
}

void cp_count_whole(cp_op op, cp_dtype out, cp_operands *o) {
  bool numbers = false, whole = !o->any_array && o->strong == CP_NDTYPES;
  for (int k = 0; k < o->count && whole; k++) {
    numbers = numbers || o->v[k].kind == 'i';
    whole = o->v[k].kind == 'i' || o->v[k].kind == 'b';
  }
  if (whole && numbers && (wants_integers(op) || (out != CP_NDTYPES && cp_is_integer(out))))
    o->weak = CP_INT64;
}
