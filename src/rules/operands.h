// Operands of elementwise work: the dtype that bare numbers take beside arrays (docs/arrays.md), and the
// nodes of all operands. A bare number is one without a dtype of its own, which NumPy calls a weak scalar.
//
// The order of calls: cp_operands_begin; for each operand set v[k] and call cp_operands_add;
// cp_operands_settle; then cp_operand_nodes, or an operation (apply.h). Only nodes hold references; nothing
// before needs to be undone.
#ifndef CP_RULES_OPERANDS_H
#define CP_RULES_OPERANDS_H

#include "lazy/arrays/pending.h"
#include "lazy/evaluation/bounds.h"
#include "rules/values.h"

enum { CP_CALL_OPERANDS = 16 };

typedef struct cp_operands {
  cp_context *ctx;
  int count, ndim;  // ndim: the largest number of dimensions of an array among them
  int aside;        // the operand that takes no part in promotion; -1: none
  cp_array *first;  // the first array; NULL: none
  bool any_pending; // some array is pending
  bool alike;       // the arrays have one shape, dtype and device
  // Set by a caller that has checked that there are two operands: two arrays that are alike, or one array and
  // a number that takes its dtype.
  bool fast_ok;
  bool any_weak;       // some operand is a bare number or a table of them
  bool any_array;      // if false, the result is a number
  cp_device *device;   // the arrays' device; NULL: there are no arrays
  cp_dtype_set dtypes; // the dtypes of arrays and of scalars that are not bare
  cp_dtype strong;     // their promoted dtype; CP_NDTYPES: there are none
  cp_dtype weak;       // the dtype that bare numbers take
  // The dtype that integer and bool operands are converted to because of a number that is not whole;
  // CP_NDTYPES: they stay as they are.
  cp_dtype cast;
  cp_weight weight; // of one operation on all of them (cp_operands_bound); ops is 0 before
  cp_value v[CP_CALL_OPERANDS];
} cp_operands;

// How a function reads its operands.
typedef struct cp_reading {
  const char *where;
  const char *const *names; // names of the arguments
  // CP_CONDITION: the first operand is a condition; CP_EXPONENT: the second one is an integer exponent;
  // neither takes part in promotion. CP_BY_VALUE: numbers need not fit the dtype (comparisons).
  int flags;
  // The dtype to compute in, if the user names one: then numbers and tables take it instead of the dtype of
  // the arrays beside them. CP_NDTYPES: none.
  cp_dtype dtype;
} cp_reading;

static inline void cp_operands_begin(cp_operands *o, cp_context *ctx, const cp_reading *r, int count) {
  o->ctx = ctx;
  o->count = count;
  o->ndim = 0;
  o->aside = r->flags & CP_CONDITION ? 0 : r->flags & CP_EXPONENT ? 1 : -1;
  o->first = NULL;
  o->any_pending = o->fast_ok = o->any_weak = o->any_array = false;
  o->alike = true;
  o->device = NULL;
  o->dtypes = 0;
  o->strong = o->weak = o->cast = CP_NDTYPES;
  o->weight.ops = 0;
}

static inline void cp_operands_add_strong(cp_operands *o, cp_dtype t) {
  o->dtypes |= cp_set_of(t);
  if (o->strong != t) o->strong = o->strong == CP_NDTYPES ? t : cp_promote_all(o->dtypes);
}

// Adds v[k], an array whose dtype takes no part in promotion here: one made from a table of numbers, which
// take the dtype of the arrays beside them.
static inline void cp_operands_add_array(cp_operands *o, int k) {
  cp_array *a = o->v[k].array;
  if (!o->any_array) {
    o->device = a->device;
    o->first = a;
  } else {
    const cp_array *b = o->first;
    o->alike = o->alike && a->dtype == b->dtype && a->device == b->device &&
               cp_shape_equal(a->ndim, a->shape, b->ndim, b->shape);
  }
  o->any_pending |= a->node != NULL;
  o->any_array = true;
  if (a->ndim > o->ndim) o->ndim = a->ndim;
}

// Adds v[k]. CP_EUSAGE for freed arrays.
static inline cp_status cp_operands_add(cp_operands *o, int k) {
  const cp_value *v = &o->v[k];
  if (v->array != NULL) {
    CP_TRY(cp_array_alive(v->array));
    cp_operands_add_array(o, k);
    if (k != o->aside) cp_operands_add_strong(o, v->array->dtype);
  } else if (v->weak) {
    o->any_weak = true;
  } else if (k != o->aside) {
    cp_operands_add_strong(o, v->s.dtype);
  }
  return CP_OK;
}

// Sets the dtype of bare numbers, and the one that other operands are converted to because of them. beyond:
// the kinds (CP_WEAK_ bits) of numbers in tables that the integers beside them cannot hold; standard: the
// default dtype. CP_EDTYPE for a number that does not fit.
cp_status cp_operands_settle_weak(cp_operands *o, const cp_reading *r, int beyond, cp_dtype standard);
static inline cp_status cp_operands_settle(cp_operands *o, const cp_reading *r, int beyond,
                                           cp_dtype standard) {
  return o->any_weak ? cp_operands_settle_weak(o, r, beyond, standard) : CP_OK;
}
// Forces operands until the operation on them is within the bounds (lazy/evaluation/bounds.h).
static inline cp_status cp_operands_bound(cp_operands *o) {
  cp_array *arrays[CP_CALL_OPERANDS];
  for (int k = 0; k < o->count; k++) arrays[k] = o->v[k].array;
  return cp_bound_operands(o->ctx, o->count, arrays, &o->weight);
}
// Gives the nodes of the operands, with one reference each; on failure none.
cp_status cp_operand_nodes(const cp_operands *o, cp_node **nodes);

#endif
