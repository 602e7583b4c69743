// The loops of one element type at one instruction level. CMake compiles this file once for each pair, with
//   CP_LOOP_NAME (float32), CP_LOOP_TYPE_float32 (1), CP_LOOP_DTYPE (CP_FLOAT32) and CP_LEVEL (v1, v3, v4)
// and -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off -fwrapv. Its only symbol is the table
// cp_loops_<name>_<level>. Every line of kernels/ops.def that has a column for the type becomes one loop;
// this file names no operation otherwise.
#include "cpu/loops/loops.h"
#include "cpu/loops/level.h"
#include "cpu/loops/vectors.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define CP_FN   static inline __attribute__((always_inline, unused))
#define CP_SLOW static __attribute__((noinline, unused))

#include "cpu/loops/types/types.h" // T, R, CP_KIND_*, ROWS and the preludes

#undef bool // from here on `bool` is a name in the table, not a type

#define SECOND_(a, b, ...) b
#define SECOND(...)        SECOND_(__VA_ARGS__)
#define COMPLETE(name)     CAT(CAT(name, CP_LOOP_NAME), CAT(_, CP_LEVEL))

// Iterations are independent, even where d equals an input. `restrict` would be wrong for that case.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // some expressions do not vectorise
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

// Elementwise loops ----------------------------------------------------------------------------------------

// Types of operands and results, as the table names them.
#define TYPE_LOOP  T
#define TYPE_REAL  R
#define TYPE_BOOL  unsigned char
#define TYPE_INT32 int
#define TYPE_INT64 long long
#define TYPE_UINT8 unsigned char
// Converts an expression's value to T.
#ifndef AS_LOOP
#define AS_LOOP(e) (T)(e)
#endif
#define AS_REAL(e)                       (R)(e)
#define AS_BOOL(e)                       (unsigned char)(e)
#define AS_INT32(e)                      (e)
#define AS_UINT8(e)                      (e)

#define POINTER_1(first, second, others) const TYPE_##first *pa = in[0];
#define POINTER_2(first, second, others) POINTER_1(first, , ) const TYPE_##second *pb = in[1];
#define POINTER_3(first, second, others) POINTER_2(first, second, ) const TYPE_##others *pc = in[2];
#define POINTER_4(first, second, others) POINTER_3(first, second, others) const TYPE_##others *pd = in[3];
#define POINTER_5(first, second, others) POINTER_4(first, second, others) const TYPE_##others *pe = in[4];
#define POINTER_6(first, second, others) POINTER_5(first, second, others) const TYPE_##others *pf = in[5];
#define READ_1(first, second, others)    const TYPE_##first a = pa[i];
#define READ_2(first, second, others)    READ_1(first, , ) const TYPE_##second b = pb[i];
#define READ_3(first, second, others)    READ_2(first, second, ) const TYPE_##others c = pc[i];
#define READ_4(first, second, others)    READ_3(first, second, others) const TYPE_##others d = pd[i];
#define READ_5(first, second, others)    READ_4(first, second, others) const TYPE_##others e = pe[i];
#define READ_6(first, second, others)    READ_5(first, second, others) const TYPE_##others f = pf[i];

// Integers ignore the replacement values of nan_to_num.
#define USE_1
#define USE_2 (void)b;
#define USE_3 (void)b, (void)c;
#define USE_4 (void)b, (void)c, (void)d;
#define USE_5 (void)b, (void)c, (void)d, (void)e;
#define USE_6 USE_5(void) f;

#define OP(name, arity, expr, first, second, others, loop, result)                                           \
  static __attribute__((unused)) void loop_##name(void *out, const void *const *in, size_t n) {              \
    POINTER_##arity(first, second, others) TYPE_##result *to = out;                                          \
    INDEPENDENT for (size_t i = 0; i < n; i++) {                                                             \
      READ_##arity(first, second, others) USE_##arity to[i] = AS_##result(expr);                             \
    }                                                                                                        \
  }

// A loop whose expression has a fast form: computes all elements by it, then those outside its range by the
// full form.
#define ARGUMENTS_1 (a)
#define ARGUMENTS_2 (a, b)
#define OP_FAST(name, arity, expr, first, second, others, loop, result)                                      \
  static void loop_##name(void *out, const void *const *in, size_t n) {                                      \
    enum { STEP = 64 };                                                                                      \
    POINTER_##arity(first, second, others) TYPE_##result *to = out;                                          \
    TYPE_##result some[STEP];                                                                                \
    for (size_t k = 0; k < n; k += STEP) {                                                                   \
      size_t m = n - k < STEP ? n - k : STEP;                                                                \
      int ok = 1;                                                                                            \
      for (size_t i = k; i < k + m; i++) {                                                                   \
        READ_##arity(first, second, others) ok &= m_##name##_fast_ok ARGUMENTS_##arity;                      \
      }                                                                                                      \
      INDEPENDENT for (size_t i = k; i < k + m; i++) {                                                       \
        READ_##arity(first, second, others) some[i - k] = m_##name##_fast ARGUMENTS_##arity;                 \
      }                                                                                                      \
      for (size_t i = k; !ok && i < k + m; i++) {                                                            \
        READ_##arity(first, second, others) if (!m_##name##_fast_ok ARGUMENTS_##arity) some[i - k] = expr;   \
      }                                                                                                      \
      memcpy(to + k, some, m * sizeof *some);                                                                \
    }                                                                                                        \
  }

#include ROWS

#include "cpu/loops/types/division.h"
#include "cpu/loops/types/draws.h"
#include "cpu/loops/types/normal.h"
#include "cpu/loops/types/parts.h"
#include "cpu/loops/types/permute.h"
#include "cpu/loops/types/trials.h"
#include "cpu/loops/types/vectors.h"

#if defined(CP_LOOP_TYPE_float32) || defined(CP_LOOP_TYPE_float64)
#define JOINED(name, expr)                                                                                   \
  static void joined_##name(void *out, const void *const *in, size_t n) {                                    \
    const T *pa = in[0], *pb = in[1], *pc = in[2];                                                           \
    T *to = out;                                                                                             \
    INDEPENDENT for (size_t i = 0; i < n; i++) {                                                             \
      const T product = pa[i] * pb[i], c = pc[i];                                                            \
      to[i] = expr;                                                                                          \
    }                                                                                                        \
  }
JOINED(plus, product + c)
JOINED(less, product - c)
JOINED(under, c - product)
#undef JOINED
#endif

// Casts ----------------------------------------------------------------------------------------------------

#define CAST(ID, name, to, expr)                                                                             \
  static void cast_to_##name(void *out, const void *const *in, size_t n) {                                   \
    const T *from = in[0];                                                                                   \
    to *d = out;                                                                                             \
    INDEPENDENT for (size_t i = 0; i < n; i++) {                                                             \
      const T a = from[i];                                                                                   \
      d[i] = expr;                                                                                           \
    }                                                                                                        \
  }
#include "cpu/loops/types/casts.h"
#undef CAST

#if defined(CP_LOOP_TYPE_float32)
// The processor's float16 conversions, which give the same bits as the prelude's.
#if defined(__AVX512F__)
enum { HALVES = 16 };
#define WIDEN_HALVES(d, a)  _mm512_storeu_ps(d, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(a))))
#define NARROW_HALVES(d, a) _mm256_storeu_si256((void *)(d), _mm512_cvtps_ph(_mm512_loadu_ps(a), 0))
#elif defined(__F16C__)
enum { HALVES = 8 };
#define WIDEN_HALVES(d, a)  _mm256_storeu_ps(d, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(a))))
#define NARROW_HALVES(d, a) _mm_storeu_si128((void *)(d), _mm256_cvtps_ph(_mm256_loadu_ps(a), 0))
#else
enum { HALVES = 1 };
#define WIDEN_HALVES(d, a)  (*(d) = h_f16_to_f32(*(a)))
#define NARROW_HALVES(d, a) (*(d) = h_f32_to_f16(*(a)))
#endif
static void unpack_f16(float *restrict d, const unsigned short *restrict a, size_t n) {
  size_t i = 0;
  for (; i + HALVES <= n; i += HALVES) WIDEN_HALVES(d + i, a + i);
  for (; i < n; i++) d[i] = h_f16_to_f32(a[i]);
}
static void unpack_bf16(float *restrict d, const unsigned short *restrict a, size_t n) {
  for (size_t i = 0; i < n; i++) d[i] = h_bf16_to_f32(a[i]);
}
static void pack_f16(unsigned short *restrict d, const float *restrict a, size_t n) {
  size_t i = 0;
  for (; i + HALVES <= n; i += HALVES) NARROW_HALVES(d + i, a + i);
  for (; i < n; i++) d[i] = h_f32_to_f16(a[i]);
}
static void pack_bf16(unsigned short *restrict d, const float *restrict a, size_t n) {
  for (size_t i = 0; i < n; i++) d[i] = h_f32_to_bf16(a[i]);
}
#endif

// Reductions -----------------------------------------------------------------------------------------------

#include "cpu/loops/types/reds.h"

// The table ------------------------------------------------------------------------------------------------

extern const cp_loops COMPLETE(cp_loops_);
#define RED_ENTRY_0(name, A)
#define RED_ENTRY_1(name, A)                                                                                 \
  .reds[CP_RED_##name] = {sizeof(A),   identity_##name, reduce_##name,                                       \
                          fold_##name, combine_##name,  post_##name},
#define CAST(ID, name, to, expr) .casts[CP_##ID] = cast_to_##name,
const cp_loops COMPLETE(cp_loops_) = {
#define OP(name, ...) .ops[CP_OP_##name] = LOOP_OF(name),
#define RED(name, cls, numeric, acc, identity, premap, combine, post)                                        \
  CAT(RED_ENTRY_, HAS_##cls)(name, ACC_##acc)
#include "cpu/loops/types/casts.h"
#include ROWS
#if defined(CP_LOOP_TYPE_float32) || defined(CP_LOOP_TYPE_float64)
    .joined =
        {[CP_JOINED_PLUS] = joined_plus, [CP_JOINED_LESS] = joined_less, [CP_JOINED_UNDER] = joined_under},
    .sum_products = sum_products,
#endif
#if defined(CP_LOOP_TYPE_float32)
    .unpack = {unpack_f16, unpack_bf16},
    .pack = {pack_f16, pack_bf16},
#endif
};
