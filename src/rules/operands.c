// The dtypes of bare numbers among operands, and the operands' nodes (operands.h).
#include "rules/operands.h"

// The kinds (CP_WEAK_ bits) of bare numbers among the operands, without those in tables.
static int bare_numbers(const cp_operands *o) {
  int numbers = 0;
  for (int k = 0; k < o->count; k++) {
    const cp_value *v = &o->v[k];
    if (v->array == NULL && v->weak && k != o->aside) numbers |= cp_weak_of(v->kind);
  }
  return numbers;
}

static cp_status check_fits(const cp_operands *o, const cp_reading *r) {
  for (int k = 0; k < o->count; k++) {
    const cp_value *v = &o->v[k];
    if (v->array != NULL || !v->weak || k == o->aside || v->kind != 'i' || cp_scalar_fits(v->s, o->weak))
      continue;
    return cp_fail(CP_EDTYPE, "%s = %.17g does not fit %s; convert the array with :astype", r->names[k],
                   cp_scalar_cast(v->s, CP_FLOAT64).v.f, cp_dtypes[o->weak].name);
  }
  return CP_OK;
}

cp_status cp_operands_settle_weak(cp_operands *o, const cp_reading *r, int beyond, cp_dtype standard) {
  int numbers = bare_numbers(o) | beyond;
  cp_dtype D = r->dtype == CP_NDTYPES ? o->strong : r->dtype; // the dtype beside the numbers
  if (numbers == 0) return CP_OK;
  if (!o->any_array && o->strong == CP_NDTYPES) standard = CP_FLOAT64;
  o->weak = numbers == CP_WEAK_BOOL ? CP_BOOL : cp_weak_dtype(numbers, D, standard);
  int wide = r->flags & CP_BY_VALUE ? CP_WEAK_COMPLEX : CP_WEAK_COMPLEX | CP_WEAK_FLOAT;
  if (numbers & wide && D != CP_NDTYPES && !cp_is_inexact(D))
    o->cast = o->weak; // comparisons leave integers as they are, unless a number is complex
  return r->flags & CP_BY_VALUE || !cp_is_integer(o->weak) ? CP_OK : check_fits(o, r);
}

static cp_status operand_node(const cp_operands *o, int k, cp_node **out) {
  const cp_value *v = &o->v[k];
  if (v->array == NULL && v->weak && o->weak != CP_NDTYPES && k != o->aside)
    return cp_node_scalar(cp_scalar_cast(v->s, o->weak), out);
  CP_TRY(v->array != NULL ? cp_array_node(v->array, out) : cp_node_scalar(v->s, out));
  cp_dtype t = (*out)->dtype;
  if (o->cast != CP_NDTYPES && k != o->aside && !cp_is_inexact(t)) return cp_node_cast(*out, o->cast, out);
  return CP_OK;
}

cp_status cp_operand_nodes(const cp_operands *o, cp_node **nodes) {
  for (int k = 0; k < o->count; k++) {
    cp_status status = operand_node(o, k, &nodes[k]);
    if (status == CP_OK) continue;
    while (k-- > 0) cp_node_release(nodes[k]);
    return status;
  }
  return CP_OK;
}
