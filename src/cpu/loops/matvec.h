// Products of a matrix and a vector, at one instruction level. products.c includes this file for each type T,
// whose functions are name##_along and name##_across (products.h).
//
// Both read the matrix once, line by line: several lines at a time, so that the vector's elements, or those
// of the result, are loaded once for all of them.

// Vectors of T, whose lanes are as wide as the integers I.
#define MATVEC_VECTORS(T, I, name)                                                                           \
  enum { name##_LANES = VECTOR / sizeof(T) };                                                                \
  typedef I name##_mask __attribute__((vector_size(VECTOR)));                                                \
  INLINE name##_vector name##_load(const T *from) {                                                          \
    name##_vector v;                                                                                         \
    memcpy(&v, from, VECTOR);                                                                                \
    return v;                                                                                                \
  }                                                                                                          \
  /* All ones in the last `count` lanes. */                                                                  \
  INLINE name##_mask name##_last(int64_t count) {                                                            \
    static const I numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};                     \
    name##_mask number;                                                                                      \
    memcpy(&number, numbers, VECTOR);                                                                        \
    return number >= (I)(name##_LANES - count);                                                              \
  }                                                                                                          \
  /* The last `count` lanes of those at `from`, behind zeros. */                                             \
  INLINE name##_vector name##_load_last(const T *from, int64_t count) {                                      \
    return (name##_vector)((name##_mask)name##_load(from) & name##_last(count));                             \
  }

// totals_T(sums, totals): the sum of the lanes of each of CP_MATVEC_LINES vectors.
#if defined(__AVX__)
#include <immintrin.h>
// A vector of 32 bytes at s, or the two halves of one of 64 bytes, added up.
INLINE __m256 halved_float(const char *s) {
  const __m256 low = _mm256_loadu_ps((const void *)s);
  return VECTOR == 32 ? low : _mm256_add_ps(low, _mm256_loadu_ps((const void *)(s + VECTOR - 32)));
}
INLINE __m256d halved_double(const char *s) {
  const __m256d low = _mm256_loadu_pd((const void *)s);
  return VECTOR == 32 ? low : _mm256_add_pd(low, _mm256_loadu_pd((const void *)(s + VECTOR - 32)));
}
INLINE void totals_float(const void *sums, float *totals) {
  const char *s = sums;
  const __m256 one = _mm256_hadd_ps(halved_float(s), halved_float(s + VECTOR)),
               two = _mm256_hadd_ps(halved_float(s + 2 * VECTOR), halved_float(s + 3 * VECTOR)),
               all = _mm256_hadd_ps(one, two);
  _mm_storeu_ps(totals, _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1)));
}
INLINE void totals_double(const void *sums, double *totals) {
  const char *s = sums;
  for (int r = 0; r < CP_MATVEC_LINES; r += 2, s += 2 * VECTOR) {
    const __m256d both = _mm256_hadd_pd(halved_double(s), halved_double(s + VECTOR));
    _mm_storeu_pd(totals + r, _mm_add_pd(_mm256_castpd256_pd128(both), _mm256_extractf128_pd(both, 1)));
  }
}
#else
#define MATVEC_TOTALS(T)                                                                                     \
  INLINE void totals_##T(const void *sums, T *totals) {                                                      \
    T lanes[VECTOR / sizeof(T)];                                                                             \
    for (int r = 0; r < CP_MATVEC_LINES; r++) {                                                              \
      memcpy(lanes, (const char *)sums + r * VECTOR, VECTOR);                                                \
      UNROLLED for (size_t half = VECTOR / sizeof(T) / 2; half > 0; half /= 2) {                             \
        UNROLLED for (size_t k = 0; k < half; k++) lanes[k] += lanes[k + half];                              \
      }                                                                                                      \
      totals[r] = lanes[0];                                                                                  \
    }                                                                                                        \
  }
MATVEC_TOTALS(float)
MATVEC_TOTALS(double)
#endif

// totals[r] = the sum of the products of line r's elements with x, for `count` lines, a constant.
#define MATVEC_ALONG(T, name)                                                                                \
  INLINE void name##_some_along(const cp_matvec *m, const T *a, const T *x, int64_t n, T *totals,            \
                                const int count) {                                                           \
    enum { LANES = name##_LANES };                                                                           \
    name##_vector sum[CP_MATVEC_LINES], other[CP_MATVEC_LINES];                                              \
    int64_t k = 0;                                                                                           \
    UNROLLED for (int r = 0; r < CP_MATVEC_LINES; r++) sum[r] = other[r] = (name##_vector){0};               \
    for (; k + 2 * LANES <= n; k += 2 * LANES) {                                                             \
      const name##_vector one = name##_load(x + k), two = name##_load(x + k + LANES);                        \
      UNROLLED for (int r = 0; r < count; r++) {                                                             \
        sum[r] += name##_load(a + r * m->pitch + k) * one;                                                   \
        other[r] += name##_load(a + r * m->pitch + k + LANES) * two;                                         \
      }                                                                                                      \
    }                                                                                                        \
    if (k + LANES <= n) {                                                                                    \
      const name##_vector one = name##_load(x + k);                                                          \
      UNROLLED for (int r = 0; r < count; r++) sum[r] += name##_load(a + r * m->pitch + k) * one;            \
      k += LANES;                                                                                            \
    }                                                                                                        \
    if (k < n && n >= LANES) { /* the rest, with elements before it that count no more */                    \
      const name##_vector last = name##_load_last(x + n - LANES, n - k);                                     \
      UNROLLED for (int r = 0; r < count; r++) other[r] +=                                                   \
          name##_load_last(a + r * m->pitch + n - LANES, n - k) * last;                                      \
      k = n;                                                                                                 \
    }                                                                                                        \
    UNROLLED for (int r = 0; r < count; r++) sum[r] += other[r];                                             \
    totals_##T(sum, totals);                                                                                 \
    for (; k < n; k++) {                                                                                     \
      UNROLLED for (int r = 0; r < count; r++) totals[r] += a[r * m->pitch + k] * x[k];                      \
    }                                                                                                        \
  }                                                                                                          \
  INLINE void name##_lines_along(const cp_matvec *m, const T *a, const T *x, T *y, const int count) {        \
    enum { DEPTH = 8192 }; /* elements that are summed in T */                                               \
    double sums[CP_MATVEC_LINES] = {0};                                                                      \
    T totals[CP_MATVEC_LINES];                                                                               \
    if (m->length <= DEPTH) {                                                                                \
      name##_some_along(m, a, x, m->length, totals, count);                                                  \
      memcpy(y, totals, (size_t)count * sizeof *y);                                                          \
      return;                                                                                                \
    }                                                                                                        \
    for (int64_t k = 0; k < m->length; k += DEPTH) {                                                         \
      name##_some_along(m, a + k, x + k, m->length - k < DEPTH ? m->length - k : DEPTH, totals, count);      \
      for (int r = 0; r < count; r++) sums[r] += (double)totals[r];                                          \
    }                                                                                                        \
    for (int r = 0; r < count; r++) y[r] = (T)sums[r];                                                       \
  }                                                                                                          \
  static void name##_along(const cp_matvec *m, const void *a, const void *x, void *y) {                      \
    const T *from = a;                                                                                       \
    T *to = y;                                                                                               \
    int64_t line = 0;                                                                                        \
    for (; line + CP_MATVEC_LINES <= m->lines; line += CP_MATVEC_LINES)                                      \
      name##_lines_along(m, from + line * m->pitch, x, to + line, CP_MATVEC_LINES);                          \
    for (; line < m->lines; line++) name##_lines_along(m, from + line * m->pitch, x, to + line, 1);          \
  }

// Adds x[r * step] times line r to the sums y, for `count` lines, a constant. Where the rest of a line is no
// whole vector, one with elements before it is added that count no more.
#define MATVEC_ACROSS(T, name)                                                                               \
  INLINE void name##_lines_across(const cp_matvec *m, const T *a, const T *x, T *y, const int count) {       \
    enum { LANES = name##_LANES };                                                                           \
    const int64_t pitch = m->pitch, n = m->length;                                                           \
    name##_vector by[2 * CP_MATVEC_LINES], sum;                                                              \
    int64_t k = 0;                                                                                           \
    UNROLLED for (int r = 0; r < count; r++) by[r] = x[r * m->step] - (name##_vector){0};                    \
    for (; k + LANES <= n; k += LANES) {                                                                     \
      sum = name##_load(a + k) * by[0];                                                                      \
      UNROLLED for (int r = 1; r < count; r++) sum += name##_load(a + r * pitch + k) * by[r];                \
      sum += name##_load(y + k);                                                                             \
      memcpy(y + k, &sum, VECTOR);                                                                           \
    }                                                                                                        \
    if (k < n && n >= LANES) {                                                                               \
      const T *last = a + n - LANES;                                                                         \
      sum = name##_load_last(last, n - k) * by[0];                                                           \
      UNROLLED for (int r = 1; r < count; r++) sum += name##_load_last(last + r * pitch, n - k) * by[r];     \
      sum = name##_load(y + n - LANES) + (name##_vector)((name##_mask)sum & name##_last(n - k));             \
      memcpy(y + n - LANES, &sum, VECTOR);                                                                   \
      k = n;                                                                                                 \
    }                                                                                                        \
    for (; k < n; k++) {                                                                                     \
      T one = a[k] * x[0];                                                                                   \
      UNROLLED for (int r = 1; r < count; r++) one += a[r * pitch + k] * x[r * m->step];                     \
      y[k] += one;                                                                                           \
    }                                                                                                        \
  }                                                                                                          \
  static void name##_across(const cp_matvec *m, const void *a, const void *x, void *y) {                     \
    enum { MANY = 2 * CP_MATVEC_LINES };                                                                     \
    const T *from = a, *by = x;                                                                              \
    T *to = y;                                                                                               \
    int64_t line = 0;                                                                                        \
    for (int64_t k = 0; k < m->length && !m->add; k++) to[k] = 0;                                            \
    for (; line + MANY <= m->lines; line += MANY)                                                            \
      name##_lines_across(m, from + line * m->pitch, by + line * m->step, to, MANY);                         \
    for (; line < m->lines; line++)                                                                          \
      name##_lines_across(m, from + line * m->pitch, by + line * m->step, to, 1);                            \
  }

#define MATVEC(T, I, name)                                                                                   \
  MATVEC_VECTORS(T, I, name)                                                                                 \
  MATVEC_ALONG(T, name)                                                                                      \
  MATVEC_ACROSS(T, name)
