// For src/cpu/loops.c alone: the loops of each RED line of kernels/ops.def for the element type T.
//
// A block is reduced in LANES interleaved partial results, which vectorise and keep the error of float sums
// small, and then in halves; the order depends on the block's length alone.

enum { LANES = 128 / (sizeof(T) > 8 ? 4 : sizeof(T) > 4 ? 2 : 1), SHORT = 16 };

// Which lines exist for T.
#if defined(CP_KIND_REAL) || defined(CP_KIND_COMPLEX)
#define HAS_FLOAT    1
#define HAS_VARIANCE 1
#else
#define HAS_FLOAT    0
#define HAS_VARIANCE 0
#endif
#define HAS_ADD                                    1
#define HAS_SAME                                   1
#define HAS_INDEX                                  1

#define ACC_VALUE                                  T
#define ACC_ARG                                    acc_arg
#define ACC_MOMENTS                                acc_moments
#define ACC_RANGE                                  acc_range
#define ACC_COUNTED                                acc_counted

#define OUT_ADD                                    T
#define OUT_SAME                                   T
#define OUT_FLOAT                                  T
#define OUT_VARIANCE                               R
#define OUT_INDEX                                  long long

#define POSITION_ADD(k)                            0
#define POSITION_SAME(k)                           0
#define POSITION_FLOAT(k)                          0
#define POSITION_VARIANCE(k)                       0
#define POSITION_INDEX(k)                          ((const long long *)positions)[k]

// How many elements at the front of a block were reduced into *acc already: arg-reductions have a faster way.
#define FRONT_ADD(name, acc, v, positions, n)      0
#define FRONT_SAME(name, acc, v, positions, n)     0
#define FRONT_FLOAT(name, acc, v, positions, n)    0
#define FRONT_VARIANCE(name, acc, v, positions, n) 0
#define FRONT_INDEX(name, acc, v, positions, n)    front_##name(acc, v, positions, n)

// The extreme value vectorises; its position is then looked for where that value is. Whole pieces only.
#if defined(CP_KIND_COMPLEX)
#define FRONT(name, extreme)                                                                                 \
  CP_FN size_t front_##name(acc_arg *acc, const T *v, const long long *positions, size_t n) {                \
    (void)acc, (void)v, (void)positions, (void)n;                                                            \
    return 0;                                                                                                \
  }
#else
#define FRONT(name, extreme)                                                                                 \
  CP_FN size_t front_##name(acc_arg *acc, const T *v, const long long *positions, size_t n) {                \
    T lane[LANES];                                                                                           \
    if (n < LANES) return 0;                                                                                 \
    memcpy(lane, v, sizeof lane);                                                                            \
    n = n / LANES * LANES;                                                                                   \
    for (size_t k = LANES; k < n; k += LANES) {                                                              \
      INDEPENDENT for (size_t j = 0; j < LANES; j++) lane[j] = extreme(lane[j], v[k + j]);                   \
    }                                                                                                        \
    T best = lane[0];                                                                                        \
    for (size_t j = 1; j < LANES; j++) best = extreme(best, lane[j]);                                        \
    for (size_t k = 0; k < n; k += LANES) {                                                                  \
      int here = 0;                                                                                          \
      for (size_t j = k; j < k + LANES; j++) here |= (v[j] == best) | r_isnan(v[j]);                         \
      if (!here) continue;                                                                                   \
      for (size_t j = k; j < k + LANES; j++) {                                                               \
        if (v[j] == best || r_isnan(v[j])) *acc = arg_##extreme(*acc, arg_of(v[j], positions[j]));           \
      }                                                                                                      \
    }                                                                                                        \
    return n;                                                                                                \
  }
#endif
#define arg_r_minimum arg_min
#define arg_r_maximum arg_max
FRONT(argmin, r_minimum)
FRONT(argmax, r_maximum)

#define RED_0(name, cls, A, none, premap, merge, post)
#define RED_1(name, cls, A, none, premap, merge, post)                                                       \
  CP_FN A map_##name(T a, long long i) {                                                                     \
    (void)i;                                                                                                 \
    return premap;                                                                                           \
  }                                                                                                          \
  CP_FN A merge_##name(A a, A b) { return merge; }                                                           \
  static void identity_##name(void *accs, size_t n) {                                                        \
    for (size_t k = 0; k < n; k++) ((A *)accs)[k] = none;                                                    \
  }                                                                                                          \
  static void combine_##name(void *accs, const void *others, size_t n) {                                     \
    A *x = accs;                                                                                             \
    const A *y = others;                                                                                     \
    INDEPENDENT for (size_t k = 0; k < n; k++) x[k] = merge_##name(x[k], y[k]);                              \
  }                                                                                                          \
  static void fold_##name(void *accs, const void *values, const void *positions, size_t n) {                 \
    A *x = accs;                                                                                             \
    const T *v = values;                                                                                     \
    (void)positions;                                                                                         \
    INDEPENDENT for (size_t k = 0; k < n; k++) {                                                             \
      x[k] = merge_##name(x[k], map_##name(v[k], POSITION_##cls(k)));                                        \
    }                                                                                                        \
  }                                                                                                          \
  static void reduce_##name(void *acc, const void *values, const void *positions, size_t n) {                \
    const T *v = values;                                                                                     \
    A r = none;                                                                                              \
    (void)positions;                                                                                         \
    size_t k = FRONT_##cls(name, &r, v, positions, n);                                                       \
    if (k == 0 && n >= LANES) {                                                                              \
      A lane[LANES];                                                                                         \
      for (size_t j = 0; j < LANES; j++) lane[j] = map_##name(v[j], POSITION_##cls(j));                      \
      for (k = LANES; k + LANES <= n; k += LANES) {                                                          \
        INDEPENDENT for (size_t j = 0; j < LANES; j++) {                                                     \
          lane[j] = merge_##name(lane[j], map_##name(v[k + j], POSITION_##cls(k + j)));                      \
        }                                                                                                    \
      }                                                                                                      \
      for (size_t half = LANES / 2; half > 0; half /= 2) {                                                   \
        INDEPENDENT for (size_t j = 0; j < half; j++) lane[j] = merge_##name(lane[j], lane[j + half]);       \
      }                                                                                                      \
      r = lane[0];                                                                                           \
    }                                                                                                        \
    while (k < n) {                                                                                          \
      size_t end = n - k < SHORT ? n : k + SHORT;                                                            \
      A part = map_##name(v[k], POSITION_##cls(k));                                                          \
      for (k++; k < end; k++) part = merge_##name(part, map_##name(v[k], POSITION_##cls(k)));                \
      r = merge_##name(r, part);                                                                             \
    }                                                                                                        \
    *(A *)acc = r;                                                                                           \
  }                                                                                                          \
  static void post_##name(void *out, const void *accs, double n, double p, size_t count) {                   \
    OUT_##cls *d = out;                                                                                      \
    (void)n, (void)p;                                                                                        \
    for (size_t k = 0; k < count; k++) {                                                                     \
      const A a = ((const A *)accs)[k];                                                                      \
      d[k] = post;                                                                                           \
    }                                                                                                        \
  }                                                                                                          \
  _Static_assert(sizeof(A) <= CP_MAX_ACCUMULATOR, "accumulator of " #name);

#define OP(...)
#define OPR(...)
#define RED(name, cls, numeric, acc, identity, premap, combine, post)                                        \
  CAT(RED_, HAS_##cls)(name, cls, ACC_##acc, identity, premap, combine, post)
#include "kernels/ops.def"
#undef OP
#undef OPR
#undef RED
