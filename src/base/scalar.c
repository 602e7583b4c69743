// Scalars (base/dtype.h): conversion between dtypes, and reading and writing them as elements and as kernel
// arguments.
//
// A scalar always holds a value of its dtype: integers are wrapped to their width, floats rounded to their
// precision.
#include "base/dtype.h"

#include <math.h>

#include <string.h>

#define CP_FN static inline
#include "kernels/prelude/half.h"

static double round_to(double v, cp_dtype t) {
  switch (t) {
  case CP_FLOAT16: return (double)h_f16_to_f32(h_f64_to_f16(v));
  case CP_BFLOAT16: return (double)h_bf16_to_f32(h_f64_to_bf16(v));
  case CP_FLOAT32:
  case CP_COMPLEX64: return (double)(float)v;
  default: return v;
  }
}

cp_scalar cp_scalar_int(int64_t v, cp_dtype t) {
  cp_scalar s = {.dtype = t, .v.i = v};
  switch (t) {
  case CP_BOOL: s.v.i = v != 0; break;
  case CP_INT8: s.v.i = (int8_t)v; break;
  case CP_INT16: s.v.i = (int16_t)v; break;
  case CP_INT32: s.v.i = (int32_t)v; break;
  case CP_UINT8: s.v.i = (uint8_t)v; break;
  case CP_UINT16: s.v.i = (uint16_t)v; break;
  case CP_UINT32: s.v.i = (uint32_t)v; break;
  default: break; // 64-bit integers: the same bits in i and u
  }
  return s;
}

cp_scalar cp_scalar_float(double v, cp_dtype t) {
  cp_scalar s = {.dtype = t, .v.f = round_to(v, t)};
  return s;
}

cp_scalar cp_scalar_complex(double re, double im, cp_dtype t) {
  cp_scalar s = {.dtype = t, .v.c = {round_to(re, t), round_to(im, t)}};
  return s;
}

// Truncates and saturates at the bounds of t; NaN gives 0.
static cp_scalar float_to_integer(double v, cp_dtype t) {
  int bits = (int)cp_itemsize(t) * 8;
  bool positive_only = cp_is_unsigned(t);
  double limit =
      2.0 * (double)(UINT64_C(1) << (bits - 1 - !positive_only)); // the first value above the range
  uint64_t highest = positive_only ? UINT64_MAX >> (64 - bits) : (UINT64_C(1) << (bits - 1)) - 1;
  cp_scalar s = {.dtype = t, .v.i = 0};
  if (v >= limit)
    s.v.u = highest;
  else if (positive_only)
    s.v.u = v > 0 ? (uint64_t)v : 0;
  else if (v <= -limit)
    s.v.i = -(int64_t)highest - 1;
  else if (v == v)
    s.v.i = (int64_t)v;
  return s;
}

static cp_scalar real_cast(double v, cp_dtype to) {
  if (to == CP_BOOL) return cp_scalar_int(v != 0, CP_BOOL);
  if (cp_is_integer(to)) return float_to_integer(v, to);
  if (cp_is_complex(to)) return cp_scalar_complex(v, 0, to);
  return cp_scalar_float(v, to);
}

static cp_scalar integer_cast(cp_scalar s, cp_dtype to) {
  if (to == CP_BOOL) return cp_scalar_int(s.v.i != 0, CP_BOOL);
  if (cp_is_integer(to)) return cp_scalar_int(s.v.i, to);
  bool big = s.dtype == CP_UINT64;
  if (to == CP_FLOAT64 || to == CP_COMPLEX128) return real_cast(big ? (double)s.v.u : (double)s.v.i, to);
  // Rounds to float32 once; the half types are rounded from there, as kernels do.
  return real_cast((double)(big ? (float)s.v.u : (float)s.v.i), to);
}

cp_scalar cp_scalar_cast(cp_scalar s, cp_dtype to) {
  if (s.dtype == to) return s;
  if (cp_is_float(s.dtype)) return real_cast(s.v.f, to);
  if (!cp_is_complex(s.dtype)) return integer_cast(s, to);
  if (to == CP_BOOL) return cp_scalar_int(s.v.c.re != 0 || s.v.c.im != 0, CP_BOOL);
  return cp_is_complex(to) ? cp_scalar_complex(s.v.c.re, s.v.c.im, to) : real_cast(s.v.c.re, to);
}

#define LOAD_INTEGER(type)                                                                                   \
  do {                                                                                                       \
    type v;                                                                                                  \
    memcpy(&v, p, sizeof v);                                                                                 \
    return cp_scalar_int((int64_t)v, t);                                                                     \
  } while (0)

static cp_scalar load_integer(const void *p, cp_dtype t) {
  switch (t) {
  case CP_INT8: LOAD_INTEGER(int8_t);
  case CP_INT16: LOAD_INTEGER(int16_t);
  case CP_INT32: LOAD_INTEGER(int32_t);
  case CP_UINT16: LOAD_INTEGER(uint16_t);
  case CP_UINT32: LOAD_INTEGER(uint32_t);
  case CP_INT64:
  case CP_UINT64: LOAD_INTEGER(int64_t);
  default: LOAD_INTEGER(uint8_t);
  }
}

cp_scalar cp_scalar_load(const void *p, cp_dtype t) {
  uint16_t half;
  float real[2];
  cp_complex128 c;
  switch (t) {
  case CP_FLOAT16: memcpy(&half, p, sizeof half); return cp_scalar_float((double)h_f16_to_f32(half), t);
  case CP_BFLOAT16: memcpy(&half, p, sizeof half); return cp_scalar_float((double)h_bf16_to_f32(half), t);
  case CP_FLOAT32: memcpy(real, p, sizeof *real); return cp_scalar_float((double)*real, t);
  case CP_FLOAT64: memcpy(&c.re, p, sizeof c.re); return cp_scalar_float(c.re, t);
  case CP_COMPLEX64:
    memcpy(real, p, sizeof real);
    return cp_scalar_complex((double)real[0], (double)real[1], t);
  case CP_COMPLEX128: memcpy(&c, p, sizeof c); return cp_scalar_complex(c.re, c.im, t);
  default: return load_integer(p, t);
  }
}

// Writes s as a kernel argument. Returns the bytes written.
static size_t put(cp_scalar s, void *p) {
  float real[2];
  switch (s.dtype) {
  case CP_FLOAT16:
  case CP_BFLOAT16:
  case CP_FLOAT32:
    *real = (float)s.v.f;
    memcpy(p, real, sizeof *real);
    return sizeof *real;
  case CP_FLOAT64: memcpy(p, &s.v.f, sizeof s.v.f); return sizeof s.v.f;
  case CP_COMPLEX64:
    real[0] = (float)s.v.c.re;
    real[1] = (float)s.v.c.im;
    memcpy(p, real, sizeof real);
    return sizeof real;
  case CP_COMPLEX128: memcpy(p, &s.v.c, sizeof s.v.c); return sizeof s.v.c;
  default: break;
  }
  switch (cp_itemsize(s.dtype)) {
  case 1: memcpy(p, &(uint8_t){(uint8_t)s.v.u}, 1); return 1;
  case 2: memcpy(p, &(uint16_t){(uint16_t)s.v.u}, 2); return 2;
  case 4: memcpy(p, &(uint32_t){(uint32_t)s.v.u}, 4); return 4;
  default: memcpy(p, &s.v.u, 8); return 8;
  }
}

void cp_scalar_store(cp_scalar s, void *p) {
  uint16_t half;
  switch (s.dtype) {
  case CP_FLOAT16:
    half = h_f64_to_f16(s.v.f);
    memcpy(p, &half, sizeof half);
    return;
  case CP_BFLOAT16:
    half = h_f64_to_bf16(s.v.f);
    memcpy(p, &half, sizeof half);
    return;
  default: put(s, p);
  }
}

size_t cp_scalar_register(cp_scalar s, void *p) { return put(s, p); }

bool cp_scalar_fits(cp_scalar s, cp_dtype t) {
  if (cp_is_float(s.dtype) && s.v.f != floor(s.v.f)) return false;
  cp_scalar back = cp_scalar_cast(cp_scalar_cast(s, t), s.dtype);
  if (cp_is_float(s.dtype)) return back.v.f == s.v.f && fabs(s.v.f) < 9.2e18;
  if (s.dtype == CP_INT64 && s.v.i < 0 && cp_is_unsigned(t)) return false;
  if (s.dtype == CP_UINT64 && !cp_is_unsigned(t) && s.v.u > INT64_MAX) return false;
  return back.v.i == s.v.i;
}
