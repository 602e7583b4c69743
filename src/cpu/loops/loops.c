// The loops of one element type at one instruction level. CMake compiles this file once for each pair, with
//   CP_LOOP_NAME (float32), CP_LOOP_TYPE_float32 (1), CP_LOOP_DTYPE (CP_FLOAT32) and CP_LEVEL (v1, v3, v4)
// and -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off -fwrapv. Its only symbol is the table
// cp_loops_<name>_<level>. Every line of kernels/ops.def that has a column for the type becomes one loop;
// nothing else is written here by operation.
#include "cpu/loops/loops.h"
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

#include "cpu/loops/loop_types.h" // T, R, CP_KIND_*, and the preludes

#undef bool // a name in the table, not a type, from here on

#define CAT_(a, b)         a##b
#define CAT(a, b)          CAT_(a, b)
#define SECOND_(a, b, ...) b
#define SECOND(...)        SECOND_(__VA_ARGS__)
#define COMPLETE(name)     CAT(CAT(name, CP_LOOP_NAME), CAT(_, CP_LEVEL))
#define ABSENT_NA          ~, 1
#define ABSENT_NO          ~, 1
#define IS_ABSENT(expr)    SECOND(CAT(ABSENT_, expr), 0, 0) // 1 for the columns NA and NO
#define COLUMN(r, i, b, c) COLUMN_(r, i, b, c)

// Iterations are independent, though d may equal an input: less than restrict would promise.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // not every expression vectorises
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

// Elementwise loops ----------------------------------------------------------------------------------------

// Types of the result, of the first two operands, and of the others by class; VALUE_ converts the expression.
#define D_SAME         T
#define D_FLOAT        T
#define D_QUOTIENT     T
#define D_ABS          R
#define D_FLOATABS     R
#define D_COMPARE      unsigned char
#define D_CLOSE        unsigned char
#define D_TEST         unsigned char
#define D_INT          T
#define D_WHERE        T
#define D_LDEXP        T
#define D_EXPONENT     int
#define D_RANDOM       T
#define D_RANDOM2      T
#define D_INTERNAL     T
#define D_PACKED       unsigned char
#define A_SAME         T
#define A_FLOAT        T
#define A_QUOTIENT     T
#define A_ABS          T
#define A_FLOATABS     T
#define A_COMPARE      T
#define A_CLOSE        T
#define A_TEST         T
#define A_INT          T
#define A_WHERE        unsigned char
#define A_LDEXP        T
#define A_EXPONENT     T
#define A_RANDOM       T
#define A_RANDOM2      T
#define A_INTERNAL     T
#define A_PACKED       T
#define B_SAME         T
#define B_FLOAT        T
#define B_QUOTIENT     T
#define B_ABS          T
#define B_FLOATABS     T
#define B_COMPARE      T
#define B_CLOSE        T
#define B_TEST         T
#define B_INT          T
#define B_WHERE        T
#define B_LDEXP        int
#define B_EXPONENT     T
#define B_RANDOM       long long
#define B_RANDOM2      T
#define B_INTERNAL     T
#define B_PACKED       T
#define C_SAME         T
#define C_FLOAT        T
#define C_QUOTIENT     T
#define C_ABS          T
#define C_FLOATABS     T
#define C_COMPARE      T
#define C_CLOSE        T
#define C_TEST         T
#define C_INT          T
#define C_WHERE        T
#define C_LDEXP        T
#define C_EXPONENT     T
#define C_RANDOM       long long
#define C_RANDOM2      long long
#define C_INTERNAL     T
#define C_PACKED       T

#define POINTER_1(cls) const A_##cls *pa = in[0];
#define POINTER_2(cls) POINTER_1(cls) const B_##cls *pb = in[1];
#define POINTER_3(cls) POINTER_2(cls) const C_##cls *pc = in[2];
#define POINTER_4(cls) POINTER_3(cls) const C_##cls *pd = in[3];
#define POINTER_5(cls) POINTER_4(cls) const C_##cls *pe = in[4];
#define POINTER_6(cls) POINTER_5(cls) const C_##cls *pf = in[5];
#define READ_1(cls)    const A_##cls a = pa[i];
#define READ_2(cls)    READ_1(cls) const B_##cls b = pb[i];
#define READ_3(cls)    READ_2(cls) const C_##cls c = pc[i];
#define READ_4(cls)    READ_3(cls) const C_##cls d = pd[i];
#define READ_5(cls)    READ_4(cls) const C_##cls e = pe[i];
#define READ_6(cls)    READ_5(cls) const C_##cls f = pf[i];

// nan_to_num takes replacements that integers do not use.
#define USE_1
#define USE_2 (void)b;
#define USE_3 (void)b, (void)c;
#define USE_4 (void)b, (void)c, (void)d;
#define USE_5 (void)b, (void)c, (void)d, (void)e;
#define USE_6 USE_5(void) f;

#define LOOP_1(name, arity, cls, expr)
#define LOOP_0(name, arity, cls, expr)                                                                       \
  static void loop_##name(void *out, const void *const *in, size_t n) {                                      \
    POINTER_##arity(cls) D_##cls *to = out;                                                                  \
    INDEPENDENT for (size_t i = 0; i < n; i++) {                                                             \
      READ_##arity(cls) USE_##arity to[i] = CONVERT_##cls(expr);                                             \
    }                                                                                                        \
  }

// A loop whose expression has rare elements that need the whole function: all get the fast form, then those another value.
#define ARGUMENTS_1 (a)
#define ARGUMENTS_2 (a, b)
#define RARE_1(name, arity, cls, expr)
#define RARE_0(name, arity, cls, expr)                                                                       \
  static void loop_##name(void *out, const void *const *in, size_t n) {                                      \
    enum { STEP = 64 };                                                                                      \
    POINTER_##arity(cls) D_##cls *to = out;                                                                  \
    D_##cls some[STEP];                                                                                      \
    for (size_t k = 0; k < n; k += STEP) {                                                                   \
      size_t m = n - k < STEP ? n - k : STEP;                                                                \
      int rare = 0;                                                                                          \
      for (size_t i = k; i < k + m; i++) {                                                                   \
        READ_##arity(cls) rare |= m_##name##_rare ARGUMENTS_##arity;                                         \
      }                                                                                                      \
      INDEPENDENT for (size_t i = k; i < k + m; i++) {                                                       \
        READ_##arity(cls) some[i - k] = m_##name##_fast ARGUMENTS_##arity;                                   \
      }                                                                                                      \
      for (size_t i = k; rare && i < k + m; i++) {                                                           \
        READ_##arity(cls) if (m_##name##_rare ARGUMENTS_##arity) some[i - k] = expr;                         \
      }                                                                                                      \
      memcpy(to + k, some, m * sizeof *some);                                                                \
    }                                                                                                        \
  }

#define OP(name, arity, cls, numeric, r, i, b, c)                                                            \
  CAT(LOOP_, IS_ABSENT(COLUMN(r, i, b, c)))(name, arity, cls, COLUMN(r, i, b, c))
#if defined(CP_KIND_REAL)
#define OPR(name, arity, cls, numeric, r, i, b, c) CAT(RARE_, IS_ABSENT(r))(name, arity, cls, r)
#else
#define OPR OP
#endif
#define RED(...)
#include "kernels/ops.def"
#undef OP
#undef OPR
#undef RED

#include "cpu/loops/loop_draws.h"
#include "cpu/loops/loop_permute.h"
#include "cpu/loops/loop_trials.h"
#include "cpu/loops/loop_vectors.h"

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
#include "cpu/loops/casts.h"
#undef CAST

#if defined(CP_LOOP_TYPE_float32)
// The processor's conversions of float16 give the same bits as the prelude's.
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

#include "cpu/loops/loop_reds.h"

// The table ------------------------------------------------------------------------------------------------

extern const cp_loops COMPLETE(cp_loops_);
#define ENTRY_1(name)
#define ENTRY_0(name) .ops[CP_OP_##name] = LOOP_OF(name),
#define RED_ENTRY_0(name, A)
#define RED_ENTRY_1(name, A)                                                                                 \
  .reds[CP_RED_##name] = {sizeof(A),   identity_##name, reduce_##name,                                       \
                          fold_##name, combine_##name,  post_##name},
#define CAST(ID, name, to, expr) .casts[CP_##ID] = cast_to_##name,
const cp_loops COMPLETE(cp_loops_) = {
#define OP(name, arity, cls, numeric, r, i, b, c) CAT(ENTRY_, IS_ABSENT(COLUMN(r, i, b, c)))(name)
#define OPR                                       OP
#define RED(name, cls, numeric, acc, identity, premap, combine, post)                                        \
  CAT(RED_ENTRY_, HAS_##cls)(name, ACC_##acc)
#include "cpu/loops/casts.h"
#include "kernels/ops.def"
#if defined(CP_LOOP_TYPE_float32)
    .unpack = {unpack_f16, unpack_bf16},
    .pack = {pack_f16, pack_bf16},
#endif
};
