// Dtypes, NumPy 2's rules of promotion and casting, and scalars of any dtype. bfloat16, which NumPy lacks,
// promotes like float16 with 8-bit integers, and to float32 with 16-bit integers and with float16.
#ifndef CP_BASE_DTYPE_H
#define CP_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  float re, im;
} cp_complex64;
typedef struct {
  double re, im;
} cp_complex128;

typedef enum cp_dtype {
#define DTYPE(ID, name, code, type, reg, kind, real) CP_##ID,
#include "base/dtypes.def"
#undef DTYPE
  CP_NDTYPES
} cp_dtype;

typedef struct cp_dtype_info {
  const char *name, *code;
  size_t itemsize;      // bytes in memory
  size_t register_size; // bytes as CPU loops compute: half types are widened to float
  char kind;            // NumPy's kind letter: b i u f c
  cp_dtype real;        // dtype of the real part; the dtype itself unless it is complex
} cp_dtype_info;

extern const cp_dtype_info cp_dtypes[CP_NDTYPES];

static inline size_t cp_itemsize(cp_dtype t) { return cp_dtypes[t].itemsize; }
static inline bool cp_is_integer(cp_dtype t) { return t >= CP_INT8 && t <= CP_UINT64; }
static inline bool cp_is_unsigned(cp_dtype t) { return t >= CP_UINT8 && t <= CP_UINT64; }
static inline bool cp_is_float(cp_dtype t) { return t >= CP_FLOAT16 && t <= CP_FLOAT64; }
static inline bool cp_is_half(cp_dtype t) { return t == CP_FLOAT16 || t == CP_BFLOAT16; }
static inline bool cp_is_complex(cp_dtype t) { return t >= CP_COMPLEX64; }
static inline bool cp_is_inexact(cp_dtype t) { return t >= CP_FLOAT16; }
// The dtype that CPU loops and generated kernels compute in: float32 for the half types.
static inline cp_dtype cp_loop_dtype(cp_dtype t) { return cp_is_half(t) ? CP_FLOAT32 : t; }

// The dtype named by text ("float32", "f4", "<f4"), or CP_NDTYPES.
cp_dtype cp_dtype_from_name(const char *text);
// The set of dtypes among some values, one bit each. Promotion rules work on sets, so they depend neither on
// the order nor on the number of the values.
typedef uint32_t cp_dtype_set;
static inline cp_dtype_set cp_set_of(cp_dtype t) { return (cp_dtype_set)1 << t; }
// The dtype that values of all these dtypes are promoted to; CP_NDTYPES for the empty set.
cp_dtype cp_promote_all(cp_dtype_set set);
// The dtype in which a function with floating results, such as sqrt, computes on these dtypes: 16 bits for
// bool, int8 and uint8, 32 bits for 16-bit integers, else 64.
cp_dtype cp_floating_all(cp_dtype_set set);
static inline cp_dtype cp_promote(cp_dtype a, cp_dtype b) {
  return a == b ? a : cp_promote_all(cp_set_of(a) | cp_set_of(b));
}
static inline cp_dtype cp_floating(cp_dtype t) { return cp_floating_all(cp_set_of(t)); }

// The kinds of Lua numbers (NumPy's weak scalars) among some operands, one bit each; the letters are those of
// cp_to_scalar (lua/values/scalar.h).
enum { CP_WEAK_BOOL = 1, CP_WEAK_INTEGER = 2, CP_WEAK_FLOAT = 4, CP_WEAK_COMPLEX = 8 };
static inline int cp_weak_of(char kind) {
  return kind == 'b'   ? CP_WEAK_BOOL
         : kind == 'i' ? CP_WEAK_INTEGER
         : kind == 'f' ? CP_WEAK_FLOAT
                       : CP_WEAK_COMPLEX;
}
// The common dtype of weak scalars (at least one) and arrays whose promoted dtype is `strong` (CP_NDTYPES: no
// arrays). Weak scalars take the arrays' dtype; without arrays, or where it cannot hold the kind of number,
// they take `standard`, the default dtype.
cp_dtype cp_weak_dtype(int numbers, cp_dtype strong, cp_dtype standard);
// The complex dtype that holds t: complex128 for float64 and for integers of 32 bits and more.
cp_dtype cp_complexed(cp_dtype t);

typedef enum cp_casting { CP_CAST_NO, CP_CAST_SAFE, CP_CAST_SAME_KIND, CP_CAST_UNSAFE } cp_casting;
bool cp_can_cast(cp_dtype from, cp_dtype to, cp_casting rule);

// One value of any dtype. Integers and bool are in i (uint64 in u), floats of every width in f, complex in c.
typedef struct cp_scalar {
  cp_dtype dtype;
  union {
    int64_t i;
    uint64_t u;
    double f;
    cp_complex128 c;
  } v;
} cp_scalar;

cp_scalar cp_scalar_int(int64_t v, cp_dtype integer_dtype);
cp_scalar cp_scalar_float(double v, cp_dtype float_dtype);
cp_scalar cp_scalar_complex(double re, double im, cp_dtype complex_dtype);
// Converts a value to another dtype. Floats saturate when they become integers, and NaN becomes 0; integers
// wrap; complex values lose their imaginary part; floats are rounded to the target's precision, so a float16
// scalar holds a float16 value.
cp_scalar cp_scalar_cast(cp_scalar s, cp_dtype to);
// Whether the integer dtype t can represent the value of s exactly.
bool cp_scalar_fits(cp_scalar s, cp_dtype t);
// Reads the element at p, which need not be aligned.
cp_scalar cp_scalar_load(const void *p, cp_dtype t);
// Writes s to p as an element of its dtype (half types as 16 bits).
void cp_scalar_store(cp_scalar s, void *p);
// Writes s to p as kernels take it as an argument (half types as float). Returns the bytes written.
size_t cp_scalar_register(cp_scalar s, void *p);

#endif
