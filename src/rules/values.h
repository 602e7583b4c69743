// Values that are written into arrays: an array, or a number and what it was in the caller's language.
#ifndef CP_RULES_VALUES_H
#define CP_RULES_VALUES_H

#include "rules/fresh.h"

typedef struct cp_value {
  cp_array *array; // NULL: the value is a number
  cp_scalar s;
  // Of a number: 'b' boolean, 'i' whole number (s is int64 or uint64), 'f' other number, 'c' complex.
  char kind;
  bool weak; // a bare number, which takes the dtype of the arrays beside it
} cp_value;

// Whether v is a number without a dtype of its own, other than a boolean or a complex one.
static inline bool cp_is_bare_number(const cp_value *v) {
  return v->array == NULL && v->weak && (v->kind == 'i' || v->kind == 'f');
}

// Converts a number to the dtype t that it will be written into. A bare number must fit t; another one must
// be allowed by a same_kind cast. CP_EDTYPE.
cp_status cp_fit_number(cp_dtype t, char kind, bool weak, cp_scalar *s);
// Begins f with the value as an array in memory that can be written into target: it has target's dtype and
// device, and does not overlap it. The caller ends f even after a failure. CP_EUSAGE, CP_EDTYPE.
cp_status cp_form_value(cp_context *ctx, cp_form *f, const cp_value *v, const cp_array *target);
// For a value with more axes than target: how many leading axes of length 1 it has before those that
// broadcast to target; 0 if it does not broadcast.
int cp_surplus_axes(const cp_array *target, const cp_array *value);

#endif
