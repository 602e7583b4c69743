// Elements as unsigned keys of the same size in the order of sorting: numbers ascending, nan last.
//
// A float's bits, negative ones inverted and positive ones above them, are in order but for the nans with a sign, which come first; the
// subtraction of their number turns them over to the end. So values and keys correspond one to one, and sorted keys become sorted values
// again. Where places are wanted instead, equal elements need equal keys: every nan gets the highest one, and -0 that of 0.
#ifndef CP_CPU_LOOPS_ORDER_H
#define CP_CPU_LOOPS_ORDER_H

#include "base/dtype.h"

typedef struct cp_key_ordering {
  int bits;
  uint64_t sign;     // the highest bit where the dtype has a sign, else 0
  uint64_t nans;     // of each sign; 0: no float
  uint64_t infinity; // bits of
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

// The key of element bits v (bool: 0 or 1). Wider than the element: the caller drops the bits above.
static inline uint64_t cp_order_key(cp_key_ordering o, uint64_t v) {
  if (o.nans == 0) return v ^ o.sign;
  return (v & o.sign ? ~v : v | o.sign) - o.nans;
}
// The key by which equal elements are equal.
static inline uint64_t cp_order_rank(cp_key_ordering o, uint64_t v) {
  if (o.nans == 0) return v ^ o.sign;
  if ((v & (o.sign - 1)) > o.infinity) return UINT64_MAX;
  return cp_order_key(o, v == o.sign ? 0 : v);
}

#endif
