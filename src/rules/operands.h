// Operands of elementwise work: which dtype bare numbers take beside arrays (API.md section 1), and the nodes
// of all operands.
//
// A caller begins, sets v[k] for each operand and adds it, and settles what the numbers become; then it makes
// nodes, or applies an operation (apply.h). Only making nodes holds anything.
#ifndef CP_RULES_OPERANDS_H
#define CP_RULES_OPERANDS_H

#include "lazy/arrays/pending.h"
#include "lazy/evaluation/bounds.h"
#include "rules/values.h"

enum { CP_CALL_OPERANDS = 16 };

typedef struct cp_operands {
  cp_context *ctx;
  int count, ndim;  // ndim: most dimensions of an array among them
  int aside;        // the operand that takes no part in promotion, -1: none
  cp_array *first;  // array among them; NULL: none
  bool any_pending; // among the arrays
  bool alike;       // the arrays have one shape, dtype and device
  // Two operands: arrays that are alike, or one and a number that takes its dtype. A caller may set it that
  // has seen to all of this.
  bool fast_ok;
  bool any_weak;       // bare numbers, or tables of them
  bool any_array;      // false: the result is a number
  cp_device *device;   // of the arrays; NULL: there are none
  cp_dtype_set dtypes; // of arrays and strong scalars
  cp_dtype strong;     // what they have in common, CP_NDTYPES: there are none
  cp_dtype weak;       // dtype that the weak values take
  // What integer and bool operands become because of a number that is not whole; CP_NDTYPES: they stay.
  cp_dtype cast;
  cp_value v[CP_CALL_OPERANDS];
} cp_operands;

// How the operands of a function are read.
typedef struct cp_reading {
  const char *where;
  const char *const *names; // of the arguments
  int flags; // CP_CONDITION: the first operand is a condition, CP_EXPONENT: the second one is an integer
             // exponent; these take no part in promotion. CP_BY_VALUE: numbers need not fit (comparisons)
  cp_dtype dtype; // what the user names to compute in, which numbers and tables follow then instead of what
                  // stands beside them; CP_NDTYPES: none
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
}

static inline void cp_operands_add_strong(cp_operands *o, cp_dtype t) {
  o->dtypes |= cp_set_of(t);
  if (o->strong != t) o->strong = o->strong == CP_NDTYPES ? t : cp_promote_all(o->dtypes);
}

// Adds v[k], an array whose dtype is seen to otherwise: made of a table's numbers, which follow what stands
// beside them.
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

// What bare numbers become beside the rest. beyond: those of tables that the integers beside them cannot hold
// (CP_WEAK_ bits); standard: the default dtype. CP_EDTYPE for a number that does not fit.
cp_status cp_operands_settle_weak(cp_operands *o, const cp_reading *r, int beyond, cp_dtype standard);
static inline cp_status cp_operands_settle(cp_operands *o, const cp_reading *r, int beyond,
                                           cp_dtype standard) {
  return o->any_weak ? cp_operands_settle_weak(o, r, beyond, standard) : CP_OK;
}
// Large pending operands are computed first.
static inline cp_status cp_operands_bound(const cp_operands *o) {
  cp_array *arrays[CP_CALL_OPERANDS];
  for (int k = 0; k < o->count; k++) arrays[k] = o->v[k].array;
  return cp_bound_operands(o->ctx, o->count, arrays);
}
// The nodes of the operands, one reference each; none on failure.
cp_status cp_operand_nodes(const cp_operands *o, cp_node **nodes);

#endif
