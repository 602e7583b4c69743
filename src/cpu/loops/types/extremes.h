// Included by loops.c alone: the minimum or maximum of many elements, as fast as memory delivers them.
//
// extreme_r_minimum and extreme_r_maximum take n >= EXTREME_LEAST elements and return what r_minimum and
// r_maximum give, except for nan: then *nan is set and the result is not valid. The last step may overlap the
// one before it, as it does no harm to compare an element twice.

#if defined(__SSE2__) && defined(CP_KIND_REAL)
#include <immintrin.h>

// The processor's minimum and maximum may lose a nan, so pairs of vectors are also tested for nan.
#if defined(__AVX512F__)
#define V_(name, type) _mm512_##name##_##type
#elif defined(__AVX__)
#define V_(name, type) _mm256_##name##_##type
#else
#define V_(name, type) _mm_##name##_##type
#endif
#if defined(CP_LOOP_TYPE_float32)
#define V_CALL(name) V_(name, ps)
#else
#define V_CALL(name) V_(name, pd)
#endif

#if defined(__AVX512F__) && defined(CP_LOOP_TYPE_float32)
typedef __m512 extreme_vector;
typedef __mmask16 extreme_test;
#define UNORDERED(a, b) _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q)
#elif defined(__AVX512F__)
typedef __m512d extreme_vector;
typedef __mmask8 extreme_test;
#define UNORDERED(a, b) _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q)
#elif defined(__AVX__) && defined(CP_LOOP_TYPE_float32)
typedef __m256 extreme_vector;
#define UNORDERED(a, b) _mm256_cmp_ps(a, b, _CMP_UNORD_Q)
#elif defined(__AVX__)
typedef __m256d extreme_vector;
#define UNORDERED(a, b) _mm256_cmp_pd(a, b, _CMP_UNORD_Q)
#elif defined(CP_LOOP_TYPE_float32)
typedef __m128 extreme_vector;
#define UNORDERED(a, b) _mm_cmpunord_ps(a, b)
#else
typedef __m128d extreme_vector;
#define UNORDERED(a, b) _mm_cmpunord_pd(a, b)
#endif
#if defined(__AVX512F__)
#define TEST_NONE                     0
#define TEST_OR(a, b)                 ((extreme_test)((a) | (b)))
#define TEST_ANY(a)                   ((a) != 0)
#define ACROSS(v, extreme, operation) V_CALL(reduce_##operation)(v)
#else
typedef extreme_vector extreme_test;
#define TEST_NONE                     V_CALL(setzero)()
#define TEST_OR(a, b)                 V_CALL(or)(a, b)
#define TEST_ANY(a)                   (V_CALL(movemask)(a) != 0)
#define ACROSS(v, extreme, operation) across_##extreme(v)
#endif

enum {
  WIDTH = sizeof(extreme_vector) / sizeof(T),
  EXTREME_LEAST = WIDTH,
  EXTREME_STEP = 8 * WIDTH,
  AHEAD = 2048 / sizeof(T)
};

#define EXTREME_TAKE(k, operation)                                                                           \
  for (int j = 0; j < 8; j += 2) {                                                                           \
    __builtin_prefetch(v + (k) + j * WIDTH + AHEAD);                                                         \
    if (sizeof(extreme_vector) == 64) __builtin_prefetch(v + (k) + (j + 1) * WIDTH + AHEAD);                 \
    extreme_vector a = V_CALL(loadu)(v + (k) + j * WIDTH), b = V_CALL(loadu)(v + (k) + (j + 1) * WIDTH);     \
    test = TEST_OR(test, UNORDERED(a, b));                                                                   \
    best[j] = V_CALL(operation)(a, best[j]);                                                                 \
    best[j + 1] = V_CALL(operation)(b, best[j + 1]);                                                         \
  }
#define EXTREME(extreme, operation)                                                                          \
  CP_FN T across_##extreme(extreme_vector v) {                                                               \
    T lane[WIDTH];                                                                                           \
    V_CALL(storeu)(lane, v);                                                                                 \
    for (int j = 1; j < WIDTH; j++) lane[0] = extreme(lane[0], lane[j]);                                     \
    return lane[0];                                                                                          \
  }                                                                                                          \
  CP_FN T extreme_short_##extreme(const T *v, size_t n, int *nan) {                                          \
    extreme_vector a = V_CALL(loadu)(v + n - WIDTH), best = a;                                               \
    extreme_test test = UNORDERED(a, a);                                                                     \
    for (size_t k = 0; k + WIDTH < n; k += WIDTH) {                                                          \
      a = V_CALL(loadu)(v + k);                                                                              \
      test = TEST_OR(test, UNORDERED(a, a));                                                                 \
      best = V_CALL(operation)(a, best);                                                                     \
    }                                                                                                        \
    *nan = TEST_ANY(test);                                                                                   \
    return ACROSS(best, extreme, operation);                                                                 \
  }                                                                                                          \
  static T extreme_##extreme(const T *v, size_t n, int *nan) {                                               \
    extreme_vector best[8];                                                                                  \
    extreme_test test = TEST_NONE;                                                                           \
    size_t k = 0;                                                                                            \
    if (n < EXTREME_STEP) return extreme_short_##extreme(v, n, nan);                                         \
    for (int j = 0; j < 8; j++) best[j] = V_CALL(loadu)(v + j * WIDTH);                                      \
    for (; k + EXTREME_STEP <= n; k += EXTREME_STEP) EXTREME_TAKE(k, operation)                              \
    if (k < n) EXTREME_TAKE(n - EXTREME_STEP, operation)                                                     \
    for (int j = 1; j < 8; j++) best[0] = V_CALL(operation)(best[j], best[0]);                               \
    *nan = TEST_ANY(test);                                                                                   \
    return ACROSS(best[0], extreme, operation);                                                              \
  }
EXTREME(r_minimum, min)
EXTREME(r_maximum, max)

#elif !defined(CP_KIND_COMPLEX)
enum { EXTREME_LEAST = 1, EXTREME_STEP = LANES };
#define EXTREME(extreme)                                                                                     \
  CP_FN T extreme_short_##extreme(const T *v, size_t n, int *nan) {                                          \
    T best = v[0];                                                                                           \
    for (size_t k = 1; k < n; k++) best = extreme(best, v[k]);                                               \
    *nan = r_isnan(best);                                                                                    \
    return best;                                                                                             \
  }                                                                                                          \
  static T extreme_##extreme(const T *v, size_t n, int *nan) {                                               \
    T lane[LANES];                                                                                           \
    if (n < EXTREME_STEP) return extreme_short_##extreme(v, n, nan);                                         \
    memcpy(lane, v, sizeof lane);                                                                            \
    size_t k = LANES;                                                                                        \
    for (; k + LANES <= n; k += LANES) {                                                                     \
      INDEPENDENT for (size_t j = 0; j < LANES; j++) lane[j] = extreme(lane[j], v[k + j]);                   \
    }                                                                                                        \
    if (k < n) {                                                                                             \
      INDEPENDENT for (size_t j = 0; j < LANES; j++) lane[j] = extreme(lane[j], v[n - LANES + j]);           \
    }                                                                                                        \
    for (size_t half = LANES / 2; half > 0; half /= 2) {                                                     \
      INDEPENDENT for (size_t j = 0; j < half; j++) lane[j] = extreme(lane[j], lane[j + half]);              \
    }                                                                                                        \
    *nan = r_isnan(lane[0]);                                                                                 \
    return lane[0];                                                                                          \
  }
EXTREME(r_minimum)
EXTREME(r_maximum)
#endif
