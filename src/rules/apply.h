// Applies operations to operands. On top of the rules of the table of operations it has three of its own:
// comparisons by value, shorter forms of powers and quotients, and nextafter in half precision.
#ifndef CP_RULES_APPLY_H
#define CP_RULES_APPLY_H

#include "device/fast.h"
#include "rules/operands.h"

// Whether t is float32 or float64, and op on operands of dtype t computes in t and gives t.
static inline bool cp_keeps_type(cp_op op, cp_dtype t) {
  const cp_op_info *info = &cp_ops[op];
  if (t != CP_FLOAT32 && t != CP_FLOAT64) return false;
  return info->uniform && info->result == CP_LOOP && cp_is_loop(info->real);
}

// Whether all operands, numbers included, have one dtype. Their arrays are alike (cp_operands.alike).
static inline bool cp_are_alike(const cp_operands *o) {
  if (!o->any_array || o->first->dtype != o->strong) return false;
  for (int k = 0; k < o->count; k++)
    if (o->v[k].array == NULL && (o->v[k].weak ? o->weak : o->v[k].s.dtype) != o->strong) return false;
  return true;
}
// An operation on operand number *operand alone that gives what op gives: for powers with the exponents 2, 3,
// 0.5, -0.5, -1 and 1 an exact one, and the reciprocal for 1 / x of a floating x. op if there is none.
cp_op cp_shorter_form(cp_op op, const cp_operands *o, int *operand);
static inline cp_op cp_short_form(cp_op op, const cp_operands *o, int *operand) {
  return op == CP_OP_power || op == CP_OP_divide ? cp_shorter_form(op, o, operand) : op;
}
// The two ways of cp_apply: the fast path for operands of one shape and dtype, and the general one; they give
// the same.
static inline cp_status cp_apply_alike(cp_op op, const cp_operands *o, cp_node **out) {
  cp_term terms[CP_MAX_ARGS];
  int operand;
  const cp_op shorter = cp_short_form(op, o, &operand);
  const cp_value *v = shorter != op ? &o->v[operand] : o->v;
  const int n = shorter != op ? 1 : cp_ops[op].arity;
  op = shorter;
  for (int k = 0; k < n; k++) {
    terms[k].array = v[k].array;
    if (terms[k].array == NULL) terms[k].number = cp_scalar_cast(v[k].s, o->strong);
  }
  CP_TRY(cp_node_of_terms(o->ctx, op, o->strong, n, terms, out));
  // Otherwise the node counts what its operands share once for each of them.
  if (o->weight.ops > 0 && o->weight.ops < (*out)->weight.ops) {
    (*out)->weight = o->weight;
    (*out)->weight.functions += cp_is_long(op);
  }
  return CP_OK;
}

cp_status cp_apply_any(cp_op op, cp_dtype dtype, const cp_operands *o, cp_node **out);

// Makes the node of op on the operands, computed in dtype (CP_NDTYPES: by the rule of op's class).
static inline cp_status cp_apply(cp_op op, cp_dtype dtype, const cp_operands *o, cp_node **out) {
  const cp_context *ctx = o->ctx;
  bool alike = dtype == CP_NDTYPES && cp_keeps_type(op, o->strong) &&
               (o->fast_ok || (o->alike && cp_are_alike(o))) && cp_may_go_fast(ctx, CP_FAST_NODES) &&
               ctx->capture.graph == NULL && !ctx->streams.concurrent;
  return alike ? cp_apply_alike(op, o, out) : cp_apply_any(op, dtype, o, out);
}
// CP_EDTYPE for a cast that the rule does not allow.
cp_status cp_check_cast(cp_dtype from, cp_dtype to, cp_casting casting);
// cp_apply under a rule for the casts of the arrays among the operands to the dtype to compute in. Gives a
// node of dtype `to` (CP_NDTYPES: of the operation's result), if the rule allows that cast, too. CP_EDTYPE.
cp_status cp_apply_casting(cp_op op, cp_dtype dtype, const cp_operands *o, cp_casting casting, cp_dtype to,
                           cp_node **out);
// If all operands are bare whole numbers or booleans, gives the numbers the dtype int64 where op needs
// integers, or where the result goes into an array of integers. out: the dtype of that array, or CP_NDTYPES.
void cp_count_whole(cp_op op, cp_dtype out, cp_operands *o);

#endif
