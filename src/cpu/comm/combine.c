// Combines the parts of several ranks, by the loops of elementwise work.
#include "cpu/comm/mesh.h"
#include "cpu/loops/loops.h"

#include <string.h>

static cp_op op_of(cp_combination c) {
  switch (c) {
  case CP_PROD: return CP_OP_multiply;
  case CP_MIN: return CP_OP_fmin;
  case CP_MAX: return CP_OP_fmax;
  default: return CP_OP_add;
  }
}

enum { PART = 1024 }; // half-precision elements converted at a time

// Combines in float32 and rounds after each combination.
static void combine_halves(const cp_loops *loops, cp_loop *loop, int format, unsigned short *acc,
                           const unsigned short *x, size_t n) {
  _Alignas(64) float a[PART], b[PART];
  const void *const both[] = {a, b};
  for (size_t done = 0; done < n; done += PART) {
    size_t m = n - done < PART ? n - done : PART;
    loops->unpack[format](a, acc + done, m);
    loops->unpack[format](b, x + done, m);
    loop(a, both, m);
    loops->pack[format](acc + done, a, m);
  }
}

// Any byte but 0 counts as true.
static void combine_bools(bool either, unsigned char *acc, const unsigned char *x, size_t n) {
  for (size_t k = 0; k < n; k++) {
    bool a = acc[k] != 0, b = x[k] != 0;
    acc[k] = either ? a || b : a && b;
  }
}

void cp_combine(cp_dtype t, cp_combination c, void *acc, const void *x, size_t n) {
  const cp_loops *loops = cp_cpu_loops(t);
  cp_loop *loop = loops->ops[op_of(c)];
  const void *const both[] = {acc, x};
  if (t == CP_BOOL)
    combine_bools(c == CP_SUM || c == CP_MAX, acc, x, n);
  else if (cp_is_half(t))
    combine_halves(loops, loop, t == CP_BFLOAT16, acc, x, n);
  else
    loop(acc, both, n);
}

#define DIVIDE(type)                                                                                         \
  do {                                                                                                       \
    type *v = acc;                                                                                           \
    for (size_t k = 0; k < n; k++) v[k] = (type)(v[k] / (type)size);                                         \
  } while (0)

static void divide_halves(int format, unsigned short *acc, size_t n, int size) {
  const cp_loops *loops = cp_cpu_loops(CP_FLOAT32);
  _Alignas(64) float a[PART];
  for (size_t done = 0; done < n; done += PART) {
    size_t m = n - done < PART ? n - done : PART;
    loops->unpack[format](a, acc + done, m);
    for (size_t k = 0; k < m; k++) a[k] /= (float)size;
    loops->pack[format](acc + done, a, m);
  }
}

// Narrow integers are divided as int, which holds the operands.
void cp_combine_mean(cp_dtype t, void *acc, size_t n, int size) {
  if (cp_is_complex(t)) {
    n *= 2;
    t = cp_dtypes[t].real;
  }
  switch (t) {
  case CP_INT32: DIVIDE(int32_t); break;
  case CP_INT64: DIVIDE(int64_t); break;
  case CP_UINT32: DIVIDE(uint32_t); break;
  case CP_UINT64: DIVIDE(uint64_t); break;
  case CP_FLOAT32: DIVIDE(float); break;
  case CP_FLOAT64: DIVIDE(double); break;
  case CP_FLOAT16:
  case CP_BFLOAT16: divide_halves(t == CP_BFLOAT16, acc, n, size); break;
  default:
    for (size_t k = 0; k < n; k++) {
      char *p = (char *)acc + k * cp_itemsize(t);
      cp_scalar v = cp_scalar_load(p, t);
      if (cp_is_unsigned(t))
        v.v.u /= (unsigned)size;
      else
        v.v.i /= size;
      cp_scalar_store(v, p);
    }
  }
}
