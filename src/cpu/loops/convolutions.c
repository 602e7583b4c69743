// The convolution loops at one instruction level. CMake compiles this file once per level, with CP_LEVEL (v1,
// v3, v4), and lets the compiler fuse multiplications and additions. Its only symbol is the table
// cp_convolution_loops_<level>.
//
// The sums of several vectors of neighbouring results stay in registers while the loop passes over all
// weights.
#include "cpu/loops/convolutions.h"

#include "cpu/loops/level.h"

#include <stdint.h>
#include <string.h>

enum { MANY = 8 }; // vectors of sums

// One step of a sum, for vectors and for a single number of type T.
#define MULTIPLY_ADD(a, w, x)    a += (w) * (x)
#define AND_OR(a, w, x)          a |= (w) & (x)
#define FLOAT_STEP(T, a, w, x)   a += (w) * (x)
#define INTEGER_STEP(T, a, w, x) a = (T)((uint64_t)a + (uint64_t)(w) * (x))
#define BOOL_STEP(T, a, w, x)    a = (T)(a | ((w) & (x)))

#define LOOP(name, T, STEP, ONE)                                                                             \
  typedef T vector_##name __attribute__((vector_size(VECTOR)));                                              \
  typedef struct sums_##name {                                                                               \
    const T *const *row, *weights;                                                                           \
    size_t rows, taps, step;                                                                                 \
  } sums_##name;                                                                                             \
  INLINE void name##_vectors(T *acc, const sums_##name s, size_t at, const size_t count) {                   \
    enum { LANES = VECTOR / sizeof(T) };                                                                     \
    vector_##name sum[MANY], x;                                                                              \
    for (size_t v = 0; v < count; v++) memcpy(&sum[v], acc + at + v * LANES, VECTOR);                        \
    for (size_t r = 0; r < s.rows; r++) {                                                                    \
      const T *from = s.row[r] + at, *w = s.weights + r * s.taps;                                            \
      for (size_t k = 0; k < s.taps; k++, from += s.step) {                                                  \
        const vector_##name weight = w[k] - (vector_##name){0};                                              \
        _Pragma("GCC unroll 8") for (size_t v = 0; v < count; v++) {                                         \
          memcpy(&x, from + v * LANES, VECTOR);                                                              \
          STEP(sum[v], weight, x);                                                                           \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
    for (size_t v = 0; v < count; v++) memcpy(acc + at + v * LANES, &sum[v], VECTOR);                        \
  }                                                                                                          \
  static void name(void *accs, const void *const *rows_of, const void *ws, size_t rows, size_t taps,         \
                   size_t step, size_t n) {                                                                  \
    enum { LANES = VECTOR / sizeof(T) };                                                                     \
    T *acc = accs;                                                                                           \
    const T *const *row = (const T *const *)rows_of, *weights = ws;                                          \
    const sums_##name s = {row, weights, rows, taps, step};                                                  \
    size_t at = 0;                                                                                           \
    for (; at + MANY * LANES <= n; at += MANY * LANES) name##_vectors(acc, s, at, MANY);                     \
    for (; at + LANES <= n; at += LANES) name##_vectors(acc, s, at, 1);                                      \
    for (; at < n; at++) {                                                                                   \
      T sum = acc[at];                                                                                       \
      for (size_t r = 0; r < rows; r++)                                                                      \
        for (size_t k = 0; k < taps; k++) ONE(T, sum, weights[r * taps + k], row[r][at + k * step]);         \
      acc[at] = sum;                                                                                         \
    }                                                                                                        \
  }

LOOP(float32, float, MULTIPLY_ADD, FLOAT_STEP)
LOOP(float64, double, MULTIPLY_ADD, FLOAT_STEP)
LOOP(bits8, uint8_t, MULTIPLY_ADD, INTEGER_STEP)
LOOP(bits16, uint16_t, MULTIPLY_ADD, INTEGER_STEP)
LOOP(bits32, uint32_t, MULTIPLY_ADD, INTEGER_STEP)
LOOP(bits64, uint64_t, MULTIPLY_ADD, INTEGER_STEP)
LOOP(bool_, uint8_t, AND_OR, BOOL_STEP)

extern const cp_convolution_loops CAT(cp_convolution_loops_, CP_LEVEL);
const cp_convolution_loops CAT(cp_convolution_loops_, CP_LEVEL) = {
    .float32 = float32, .float64 = float64, .bits = {bits8, bits16, bits32, bits64}, .bool_ = bool_};
