// Operations on operands, with cupola's rules on top of the table's: comparisons by value, exact powers,
// half-precision neighbours.
#ifndef CP_RULES_APPLY_H
#define CP_RULES_APPLY_H

#include "rules/operands.h"

// Whether op computes in t, float32 or float64, what it gives as t too.
static inline bool cp_keeps_type(cp_op op, cp_dtype t) {
  const cp_op_info *info = &cp_ops[op];
  if (t != CP_FLOAT32 && t != CP_FLOAT64) return false;
  return info->uniform && info->result == CP_LOOP && cp_is_loop(info->real);
}

// Whether the operands, whose arrays are alike, have one dtype, numbers included.
bool cp_are_alike(const cp_operands *o);
// `^` by 2, 3, 0.5, -0.5, -1 and 1 is another, exact operation.
cp_op cp_exact_power(const cp_operands *o);
// Of cp_apply: the usual way, for operands of one shape and dtype, and the way for all.
static inline cp_status cp_apply_alike(cp_op op, const cp_operands *o, cp_node **out) {
  cp_term terms[CP_MAX_ARGS];
  int n = cp_ops[op].arity;
  if (op == CP_OP_power && (op = cp_exact_power(o)) != CP_OP_power) n = 1;
  for (int k = 0; k < n; k++) {
    terms[k].array = o->v[k].array;
    if (terms[k].array == NULL) terms[k].number = cp_scalar_cast(o->v[k].s, o->strong);
  }
  return cp_node_of_terms(o->ctx, op, o->strong, n, terms, out);
}

cp_status cp_apply_any(cp_op op, cp_dtype dtype, const cp_operands *o, cp_node **out);

// The node of op on o, computed in dtype (CP_NDTYPES: by the table's rule).
static inline cp_status cp_apply(cp_op op, cp_dtype dtype, const cp_operands *o, cp_node **out) {
  const cp_context *ctx = o->ctx;
  bool alike = dtype == CP_NDTYPES && cp_keeps_type(op, o->strong) &&
               (o->fast_ok || (o->alike && cp_are_alike(o))) && ctx->capture.graph == NULL &&
               !ctx->streams.concurrent;
  return alike ? cp_apply_alike(op, o, out) : cp_apply_any(op, dtype, o, out);
}
// Whole numbers with nothing beside them are integers where the operation wants such, and on their way into
// an array of integers (`out`, its dtype, or CP_NDTYPES).
void cp_count_whole(cp_op op, cp_dtype out, cp_operands *o);

#endif
