// Elements as unsigned keys of the same size in sorting order: numbers ascending, nan last.
//
// Inverting the bits of negative floats and setting the sign bit of positive ones gives this order, except
// for nans with a sign, which come first. Subtracting their number wraps them around to the end. So values
// and keys correspond one to one, and sorted keys convert back to sorted values. Where positions are wanted
// instead (argsort), equal elements need equal keys: every nan gets the highest one, and -0 that of 0.
#ifndef CP_CPU_LOOPS_ORDER_H
#define CP_CPU_LOOPS_ORDER_H

#include "base/dtype.h"

typedef struct cp_key_ordering {
  int bits;
  uint64_t sign;     // the highest bit if the dtype is signed, else 0
  uint64_t nans;     // number of nans of each sign; 0: not a float
  uint64_t infinity; // bits of infinity
} cp_key_ordering;

static inline cp_key_ordering cp_order_of(cp_dtype t) {
  cp_key_ordering o = {.bits = (int)cp_itemsize(t) * 8};
  int mantissa = t == CP_FLOAT16 ? 10 : t == CP_BFLOAT16 ? 7 : t == CP_FLOAT32 ? 23 : 52;
  if (cp_is_float(t) || (cp_is_integer(t) && !cp_is_unsigned(t))) o.sign = (uint64_t)1 << (o.bits - 1);
  if (cp_is_float(t)) {
    o.nans = ((uint64_t)1 << mantissa) - 1;
    o.infinity = o.sign - 1 - o.nans;
  }
  return o;
}

// The key of element bits v (bool: 0 or 1). It is wider than the element; the caller drops the upper bits.
static inline uint64_t cp_order_key(cp_key_ordering o, uint64_t v) {
  if (o.nans == 0) return v ^ o.sign;
  return (v & o.sign ? ~v : v | o.sign) - o.nans;
}
// A key that is equal for equal elements.
static inline uint64_t cp_order_rank(cp_key_ordering o, uint64_t v) {
  if (o.nans == 0) return v ^ o.sign;
  if ((v & (o.sign - 1)) > o.infinity) return UINT64_MAX;
  return cp_order_key(o, v == o.sign ? 0 : v);
}

#endif
