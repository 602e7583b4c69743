// Products of a matrix and a vector, at one instruction level. products.c includes this file for each type T,
// whose functions are name##_along and name##_across (products.h).
//
// Both read the matrix once, line by line: several lines at a time, so that the vector's elements, or those
// of the result, are loaded once for all of them.

// The sum of a vector's lanes, halves to halves.
#define MATVEC_SUM(T, name, bytes)                                                                           \
  INLINE T name##_total(name##_vector v) {                                                                   \
    T lanes[bytes / sizeof(T)];                                                                              \
    memcpy(lanes, &v, bytes);                                                                                \
    UNROLLED for (size_t half = bytes / sizeof(T) / 2; half > 0; half /= 2) {                                \
      UNROLLED for (size_t k = 0; k < half; k++) lanes[k] += lanes[k + half];                                \
    }                                                                                                        \
    return lanes[0];                                                                                         \
  }                                                                                                          \
  INLINE name##_vector name##_load(const T *from) {                                                          \
    name##_vector v;                                                                                         \
    memcpy(&v, from, bytes);                                                                                 \
    return v;                                                                                                \
  }

// Adds to sums[r] the products of line r's elements from..end with x, for `count` lines, a constant.
#define MATVEC_ALONG(T, name, bytes)                                                                         \
  INLINE void name##_some_along(const cp_matvec *m, const T *a, const T *x, int64_t n, double *sums,         \
                                const int count) {                                                           \
    enum { LANES = bytes / sizeof(T) };                                                                      \
    name##_vector sum[CP_MATVEC_LINES][2];                                                                   \
    int64_t k = 0;                                                                                           \
    UNROLLED for (int r = 0; r < count; r++) sum[r][0] = sum[r][1] = (name##_vector){0};                     \
    for (; k + 2 * LANES <= n; k += 2 * LANES) {                                                             \
      const name##_vector one = name##_load(x + k), two = name##_load(x + k + LANES);                        \
      UNROLLED for (int r = 0; r < count; r++) {                                                             \
        sum[r][0] += name##_load(a + r * m->pitch + k) * one;                                                \
        sum[r][1] += name##_load(a + r * m->pitch + k + LANES) * two;                                        \
      }                                                                                                      \
    }                                                                                                        \
    for (; k + LANES <= n; k += LANES) {                                                                     \
      const name##_vector one = name##_load(x + k);                                                          \
      UNROLLED for (int r = 0; r < count; r++) sum[r][0] += name##_load(a + r * m->pitch + k) * one;         \
    }                                                                                                        \
    UNROLLED for (int r = 0; r < count; r++) {                                                               \
      T rest = name##_total(sum[r][0] + sum[r][1]);                                                          \
      for (int64_t i = k; i < n; i++) rest += a[r * m->pitch + i] * x[i];                                    \
      sums[r] += (double)rest;                                                                               \
    }                                                                                                        \
  }                                                                                                          \
  INLINE void name##_lines_along(const cp_matvec *m, const T *a, const T *x, T *y, const int count) {        \
    enum { DEPTH = 8192 }; /* elements that are summed in T */                                               \
    double sums[CP_MATVEC_LINES] = {0};                                                                      \
    for (int64_t k = 0; k < m->length; k += DEPTH)                                                           \
      name##_some_along(m, a + k, x + k, m->length - k < DEPTH ? m->length - k : DEPTH, sums, count);        \
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

// Adds x[r * step] times line r to the sums y, for `count` lines, a constant.
#define MATVEC_ACROSS(T, name)                                                                               \
  INLINE void name##_lines_across(const cp_matvec *m, const T *a, const T *x, T *restrict y,                 \
                                  const int count) {                                                         \
    const int64_t pitch = m->pitch, n = m->length;                                                           \
    T by[2 * CP_MATVEC_LINES];                                                                               \
    UNROLLED for (int r = 0; r < count; r++) by[r] = x[r * m->step];                                         \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      T sum = a[k] * by[0];                                                                                  \
      UNROLLED for (int r = 1; r < count; r++) sum += a[r * pitch + k] * by[r];                              \
      y[k] += sum;                                                                                           \
    }                                                                                                        \
  }                                                                                                          \
  static void name##_across(const cp_matvec *m, const void *a, const void *x, void *y) {                     \
    enum { MANY = 2 * CP_MATVEC_LINES };                                                                     \
    const T *from = a, *by = x;                                                                              \
    T *to = y;                                                                                               \
    int64_t line = 0;                                                                                        \
    for (int64_t k = 0; k < m->length; k++) to[k] = 0;                                                       \
    for (; line + MANY <= m->lines; line += MANY)                                                            \
      name##_lines_across(m, from + line * m->pitch, by + line * m->step, to, MANY);                         \
    for (; line < m->lines; line++)                                                                          \
      name##_lines_across(m, from + line * m->pitch, by + line * m->step, to, 1);                            \
  }

#define MATVEC(T, name, bytes)                                                                               \
  MATVEC_SUM(T, name, bytes)                                                                                 \
  MATVEC_ALONG(T, name, bytes)                                                                               \
  MATVEC_ACROSS(T, name)
