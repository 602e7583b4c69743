// scatter_add, scatter_max and scatter_min: combine values into chosen elements, one after the other, for
// every dtype.
#include "cpu/routines/index.h"

#include <string.h>

#define CP_FN static inline
#include "kernels/prelude/half.h"

// Accumulates in type `reg`; LOAD and STORE convert from and to the memory type.
#define ACCUMULATE(memory, reg, LOAD, STORE, COMBINE)                                                        \
  for (int64_t k = 0; k < n; k++) {                                                                          \
    memory m, v;                                                                                             \
    memcpy(&m, base + offsets[k], sizeof m);                                                                 \
    memcpy(&v, value + k * stride, sizeof v);                                                                \
    reg a = LOAD(m), b = LOAD(v);                                                                            \
    m = (memory)STORE(COMBINE(a, b));                                                                        \
    memcpy(base + offsets[k], &m, sizeof m);                                                                 \
  }                                                                                                          \
  return

#define SAME(a)             (a)
#define TRUTH(a)            ((a) != 0)
#define ADD(a, b)           ((a) + (b))
#define EITHER(a, b)        ((a) | (b))
#define BOTH(a, b)          ((a) & (b))
// nan wins. Without branches, as which of two values is the larger one has no pattern.
#define BEYOND(a, b, after) (((a) == (a)) & (((b)after(a)) | ((b) != (b))) ? (b) : (a))
#define LARGER(a, b)        BEYOND(a, b, >)
#define SMALLER(a, b)       BEYOND(a, b, <)

#define ACCUMULATE_COMPLEX(type)                                                                             \
  for (int64_t k = 0; k < n; k++) {                                                                          \
    type m, v;                                                                                               \
    memcpy(&m, base + offsets[k], sizeof m);                                                                 \
    memcpy(&v, value + k * stride, sizeof v);                                                                \
    m.re += v.re;                                                                                            \
    m.im += v.im;                                                                                            \
    memcpy(base + offsets[k], &m, sizeof m);                                                                 \
  }                                                                                                          \
  return

#define TYPES(COMBINE, LOGICAL)                                                                              \
  switch (t) {                                                                                               \
  case CP_BOOL: ACCUMULATE(uint8_t, uint8_t, TRUTH, SAME, LOGICAL);                                          \
  case CP_INT8: ACCUMULATE(int8_t, int8_t, SAME, SAME, COMBINE);                                             \
  case CP_INT16: ACCUMULATE(int16_t, int16_t, SAME, SAME, COMBINE);                                          \
  case CP_INT32: ACCUMULATE(int32_t, int32_t, SAME, SAME, COMBINE);                                          \
  case CP_INT64: ACCUMULATE(int64_t, int64_t, SAME, SAME, COMBINE);                                          \
  case CP_UINT8: ACCUMULATE(uint8_t, uint8_t, SAME, SAME, COMBINE);                                          \
  case CP_UINT16: ACCUMULATE(uint16_t, uint16_t, SAME, SAME, COMBINE);                                       \
  case CP_UINT32: ACCUMULATE(uint32_t, uint32_t, SAME, SAME, COMBINE);                                       \
  case CP_UINT64: ACCUMULATE(uint64_t, uint64_t, SAME, SAME, COMBINE);                                       \
  case CP_FLOAT16: ACCUMULATE(uint16_t, float, h_f16_to_f32, h_f32_to_f16, COMBINE);                         \
  case CP_BFLOAT16: ACCUMULATE(uint16_t, float, h_bf16_to_f32, h_f32_to_bf16, COMBINE);                      \
  case CP_FLOAT32: ACCUMULATE(float, float, SAME, SAME, COMBINE);                                            \
  case CP_FLOAT64: ACCUMULATE(double, double, SAME, SAME, COMBINE);                                          \
  default: return;                                                                                           \
  }

static void add(cp_dtype t, char *base, const int64_t *offsets, const char *value, int64_t stride,
                int64_t n) {
  if (t == CP_COMPLEX64) {
    ACCUMULATE_COMPLEX(cp_complex64);
  }
  if (t == CP_COMPLEX128) {
    ACCUMULATE_COMPLEX(cp_complex128);
  }
  TYPES(ADD, EITHER)
}

static void keep_larger(cp_dtype t, char *base, const int64_t *offsets, const char *value, int64_t stride,
                        int64_t n) {
  TYPES(LARGER, EITHER)
}

static void keep_smaller(cp_dtype t, char *base, const int64_t *offsets, const char *value, int64_t stride,
                         int64_t n) {
  TYPES(SMALLER, BOTH)
}

void cp_cpu_accumulate(cp_lookup_kind kind, cp_dtype t, char *base, const int64_t *offsets, const char *value,
                       int64_t stride, int64_t n) {
  if (kind == CP_LOOKUP_ADD)
    add(t, base, offsets, value, stride, n);
  else if (kind == CP_LOOKUP_MAX)
    keep_larger(t, base, offsets, value, stride, n);
  else
    keep_smaller(t, base, offsets, value, stride, n);
}
