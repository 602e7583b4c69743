// Values that are written into arrays: an array, or a number with what it was in the caller's language.
#ifndef CP_RULES_VALUES_H
#define CP_RULES_VALUES_H

#include "rules/fresh.h"

typedef struct cp_value {
  cp_array *array; // NULL: a number
  cp_scalar s;
  char
      kind; // of a number: 'b' boolean, 'i' whole number (int64 or uint64 by dtype), 'f' other number, 'c' complex
  bool weak; // it takes the dtype of what stands beside it
} cp_value;

// Brings a number that is to be written into dtype t to t: a bare number keeps t where it is a value of t;
// others must be of t's kind. CP_EDTYPE.
cp_status cp_fit_number(cp_dtype t, char kind, bool weak, cp_scalar *s);
// Makes f, not begun yet, the value as an array in memory that can be written into target: of its dtype and
// device, not overlapping it. The caller ends f in any case. CP_EUSAGE, CP_EDTYPE.
cp_status cp_form_value(cp_context *ctx, cp_form *f, const cp_value *v, const cp_array *target);
// How many axes of length 1, which say nothing, an array of this shape has in front of those that broadcast
// into target; 0 where it does not at all. It has more axes than target.
int cp_surplus_axes(const cp_array *target, const cp_array *value);

#endif
