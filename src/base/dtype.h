// Element types, promotion and casting rules (NumPy 2's tables; bfloat16 as float16 beside integers of up to 8 bits, float32
// beside 16 bits and beside float16), and scalars of any type.
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
  size_t register_size; // bytes in a CPU register block: float for the half types
  char kind;            // b i u f c
  cp_dtype real;        // dtype of the real part; itself for other than complex
} cp_dtype_info;

extern const cp_dtype_info cp_dtypes[CP_NDTYPES];

static inline size_t cp_itemsize(cp_dtype t) { return cp_dtypes[t].itemsize; }
static inline bool cp_is_integer(cp_dtype t) { return t >= CP_INT8 && t <= CP_UINT64; }
static inline bool cp_is_unsigned(cp_dtype t) { return t >= CP_UINT8 && t <= CP_UINT64; }
static inline bool cp_is_float(cp_dtype t) { return t >= CP_FLOAT16 && t <= CP_FLOAT64; }
static inline bool cp_is_half(cp_dtype t) { return t == CP_FLOAT16 || t == CP_BFLOAT16; }
static inline bool cp_is_complex(cp_dtype t) { return t >= CP_COMPLEX64; }
static inline bool cp_is_inexact(cp_dtype t) { return t >= CP_FLOAT16; }
// The type CPU loops and generated kernels compute in: float32 for the half types.
static inline cp_dtype cp_loop_dtype(cp_dtype t) { return cp_is_half(t) ? CP_FLOAT32 : t; }

// The dtype named by text ("float32", "f4", "<f4"), or CP_NDTYPES.
cp_dtype cp_dtype_from_name(const char *text);
// Which dtypes there are among some values, a bit for each. What follows from a set knows neither their order nor how many there are.
typedef uint32_t cp_dtype_set;
static inline cp_dtype_set cp_set_of(cp_dtype t) { return (cp_dtype_set)1 << t; }
// The dtype that values of all of these are converted to; CP_NDTYPES: of none.
cp_dtype cp_promote_all(cp_dtype_set set);
// The dtype that functions which are floating by nature compute in, the smallest that holds each of these: 16 bits beside bool, int8 and uint8, 32
// beside integers of 16 bits, else 64.
cp_dtype cp_floating_all(cp_dtype_set set);
static inline cp_dtype cp_promote(cp_dtype a, cp_dtype b) {
  return a == b ? a : cp_promote_all(cp_set_of(a) | cp_set_of(b));
}
static inline cp_dtype cp_floating(cp_dtype t) { return cp_floating_all(cp_set_of(t)); }

// What bare numbers there are among some values: the letters of cp_to_scalar (lua/support/state.h), a bit for each.
enum { CP_WEAK_BOOL = 1, CP_WEAK_INTEGER = 2, CP_WEAK_FLOAT = 4, CP_WEAK_COMPLEX = 8 };
static inline int cp_weak_of(char kind) {
  return kind == 'b'   ? CP_WEAK_BOOL
         : kind == 'i' ? CP_WEAK_INTEGER
         : kind == 'f' ? CP_WEAK_FLOAT
                       : CP_WEAK_COMPLEX;
}
// The dtype that bare numbers, one at least, and values of dtype `strong` (CP_NDTYPES: none) have together: numbers follow what stands beside
// them, and `standard`, the default dtype, where it cannot hold them or nothing does.
cp_dtype cp_weak_dtype(int numbers, cp_dtype strong, cp_dtype standard);
// The complex dtype that holds t: float64 and integers of 32 bits and more give complex128.
cp_dtype cp_complexed(cp_dtype t);

typedef enum cp_casting { CP_CAST_NO, CP_CAST_SAFE, CP_CAST_SAME_KIND, CP_CAST_UNSAFE } cp_casting;
bool cp_can_cast(cp_dtype from, cp_dtype to, cp_casting rule);

// One value. Integers and bool are held in i (uint64 in u), floats of every width in f, complex in c.
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
// The value converted to another dtype: float to integer saturates and NaN becomes 0, integers wrap, complex loses its imaginary part,
// floats are rounded to the target's precision (so a float16 scalar holds a float16 value).
cp_scalar cp_scalar_cast(cp_scalar s, cp_dtype to);
// Whether the whole or other number s is a value of the integer dtype t.
bool cp_scalar_fits(cp_scalar s, cp_dtype t);
// Reads one element at p, which need not be aligned.
cp_scalar cp_scalar_load(const void *p, cp_dtype t);
// Writes s, which must have the dtype it is stored as, to p in memory format (half types as 16 bits).
void cp_scalar_store(cp_scalar s, void *p);
// Writes s in register format (half types as float): what kernels take as arguments. Returns the bytes written.
size_t cp_scalar_register(cp_scalar s, void *p);

#endif
