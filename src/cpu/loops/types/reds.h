// Included by loops.c alone: the loops of each RED line of kernels/ops.def for the element type T.
//
// A block is reduced in LANES interleaved partial results, which vectorise, of at most DEEP elements each.
// These are added lane by lane, then the rest of the block, and the lanes by halving. So the error of float
// sums stays small, and the order depends on the block's length alone.

enum { LANES = 128 / (sizeof(T) > 8 ? 4 : sizeof(T) > 4 ? 2 : 1), DEEP = 16 * LANES, SHORT = 16 };

#include "cpu/loops/types/extremes.h"

// Which RED lines exist for T.
#if defined(CP_KIND_REAL) || defined(CP_KIND_COMPLEX)
#define HAS_FLOAT    1
#define HAS_VARIANCE 1
#else
#define HAS_FLOAT    0
#define HAS_VARIANCE 0
#endif
#define HAS_ADD                  1
#define HAS_BOUND                1
#define HAS_SAME                 1
#define HAS_TRUTH                1
#define HAS_INDEX                1

#define ACC_VALUE                T
#define ACC_ARG                  acc_arg
#define ACC_MOMENTS              acc_moments
#define ACC_RANGE                acc_range
#define ACC_COUNTED              acc_counted

#define OUT_ADD                  T
#define OUT_BOUND                T
#define OUT_SAME                 T
#define OUT_TRUTH                T
#define OUT_FLOAT                T
#define OUT_VARIANCE             R
#define OUT_INDEX                long long

#define POSITION_ADD(at, k)      0
#define POSITION_BOUND(at, k)    0
#define POSITION_SAME(at, k)     0
#define POSITION_TRUTH(at, k)    0
#define POSITION_FLOAT(at, k)    0
#define POSITION_VARIANCE(at, k) 0
#define POSITION_INDEX(at, k)    position_of(at, k)

CP_FN long long position_of(const cp_positions *at, size_t k) {
  return at->list ? at->list[k] : at->start + (long long)k * at->step;
}

// The positions of row r in rows of n elements.
CP_FN cp_positions positions_of_row(const cp_positions *at, size_t r, size_t n) {
  cp_positions p = {0, 0, 0, 0};
  if (at) p = *at;
  if (p.list) p.list += r * n;
  p.start += (long long)r * p.row;
  return p;
}

// Some reductions have a faster way than the loops below. FRONT returns how many elements at the front of a
// block it reduced into *acc. ROWS returns whether it folded the rows.
#define FRONT_ADD(name, acc, v, at, n)                        0
#define FRONT_BOUND(name, acc, v, at, n)                      front_##name(acc, v, n)
#define FRONT_SAME(name, acc, v, at, n)                       front_##name(acc, v, n)
#define FRONT_TRUTH(name, acc, v, at, n)                      0
#define FRONT_FLOAT(name, acc, v, at, n)                      0
#define FRONT_VARIANCE(name, acc, v, at, n)                   front_##name(acc, v, n)
#define FRONT_INDEX(name, acc, v, at, n)                      front_##name(acc, v, at, n)
#define ROWS_ADD(name, accs, values, at, n, rows, pitch)      0
#define ROWS_BOUND(name, accs, values, at, n, rows, pitch)    0
#define ROWS_SAME(name, accs, values, at, n, rows, pitch)     0
#define ROWS_TRUTH(name, accs, values, at, n, rows, pitch)    0
#define ROWS_FLOAT(name, accs, values, at, n, rows, pitch)    0
#define ROWS_VARIANCE(name, accs, values, at, n, rows, pitch) rows_##name(accs, values, n, rows, pitch)
#define ROWS_INDEX(name, accs, values, at, n, rows, pitch)    rows_##name(accs, values, at, n, rows, pitch)

// Whether rows are folded four at a time, which reads and writes the accumulators less often.
enum {
  VALUE_ADD = 1,
  VALUE_BOUND = 0,
  VALUE_SAME = 0,
  VALUE_TRUTH = 0,
  VALUE_FLOAT = 1,
  VALUE_VARIANCE = 0,
  VALUE_INDEX = 0
};

enum { COLUMNS = 4096 / sizeof(T) }; // columns that rows are folded over at once

CP_FN const T *row_at(const void *values, size_t r, int64_t pitch) {
  return (const T *)(const void *)((const char *)values + (int64_t)r * pitch);
}

#if defined(CP_KIND_COMPLEX)
#define ARG(name, extreme, before)                                                                           \
  CP_FN size_t front_##name(acc_arg *acc, const T *v, const cp_positions *at, size_t n) {                    \
    (void)acc, (void)v, (void)at, (void)n;                                                                   \
    return 0;                                                                                                \
  }                                                                                                          \
  CP_FN int rows_##name(acc_arg *accs, const void *values, const cp_positions *at, size_t n, size_t rows,    \
                        int64_t pitch) {                                                                     \
    (void)accs, (void)values, (void)at, (void)n, (void)rows, (void)pitch;                                    \
    return 0;                                                                                                \
  }
#else
// An unsigned integer of T's size that counts rows.
#if defined(CP_LOOP_TYPE_float64)
#define ROW_COUNT unsigned long long
#elif defined(CP_LOOP_TYPE_float32)
#define ROW_COUNT unsigned
#elif defined(CP_KIND_BOOL)
#define ROW_COUNT unsigned char
#elif CP_WIDTH == 64
#define ROW_COUNT unsigned long long
#elif CP_WIDTH == 32
#define ROW_COUNT unsigned
#elif CP_WIDTH == 16
#define ROW_COUNT unsigned short
#else
#define ROW_COUNT unsigned char
#endif

// argmin and argmax. Where positions ascend, the extreme of every piece is found without branches, and only
// the first piece that contains the best one is searched for its position; else every piece is searched. By
// rows: the extreme of each column and the first row that has it; positions must ascend.
enum { ARG_PIECE = 8192 / sizeof(T), ARG_PIECES = 16, ARG_GROUP = 256, ARG_FEW = 32 };

#define ARG(name, extreme, before)                                                                           \
  CP_FN int holds_##name(const T *v, size_t n, T m) {                                                        \
    int here = 0;                                                                                            \
    for (size_t j = 0; j < n; j++) here |= v[j] == m;                                                        \
    return here;                                                                                             \
  }                                                                                                          \
  static acc_arg first_##name(const T *v, const cp_positions *at, size_t from, size_t end, T m) {            \
    while (end - from > ARG_GROUP && !holds_##name(v + from, ARG_GROUP, m)) from += ARG_GROUP;               \
    while (end - from > ARG_FEW && !holds_##name(v + from, ARG_FEW, m)) from += ARG_FEW;                     \
    while (from + 1 < end && v[from] != m) from++;                                                           \
    return arg_of(v[from], position_of(at, from));                                                           \
  }                                                                                                          \
  CP_FN acc_arg first_nan_##name(const T *v, const cp_positions *at, size_t from) {                          \
    while (!r_isnan(v[from])) from++;                                                                        \
    return arg_of(v[from], position_of(at, from));                                                           \
  }                                                                                                          \
  static acc_arg ascending_##name(const T *v, const cp_positions *at, size_t n) {                            \
    T found[ARG_PIECES];                                                                                     \
    int nan[ARG_PIECES], count = 0, best = 0;                                                                \
    size_t piece = n > ARG_PIECES * ARG_PIECE ? (n + ARG_PIECES - 1) / ARG_PIECES : ARG_PIECE;               \
    for (size_t from = 0, end; from < n; from = end, count++) {                                              \
      end = n - from < piece + EXTREME_STEP ? n : from + piece;                                              \
      found[count] = extreme_##extreme(v + from, end - from, &nan[count]);                                   \
    }                                                                                                        \
    for (int k = 0; k < count; k++) {                                                                        \
      if (nan[k]) return first_nan_##name(v, at, (size_t)k * piece);                                         \
      best = before(found[best], found[k]) ? k : best;                                                       \
    }                                                                                                        \
    size_t from = (size_t)best * piece;                                                                      \
    return first_##name(v, at, from, best + 1 < count ? from + piece : n, found[best]);                      \
  }                                                                                                          \
  static size_t front_##name(acc_arg *acc, const T *v, const cp_positions *at, size_t n) {                   \
    if (n < EXTREME_LEAST) return 0;                                                                         \
    if (!at->list && at->step > 0) {                                                                         \
      *acc = ascending_##name(v, at, n);                                                                     \
      return n;                                                                                              \
    }                                                                                                        \
    acc_arg best = arg_none();                                                                               \
    for (size_t from = 0, end; from < n; from = end) {                                                       \
      int nan = 0;                                                                                           \
      end = n - from < ARG_PIECE + EXTREME_STEP ? n : from + ARG_PIECE;                                      \
      T m = extreme_##extreme(v + from, end - from, &nan);                                                   \
      for (size_t k = from, next; k < end; k = next) {                                                       \
        next = end - k < ARG_GROUP ? end : k + ARG_GROUP;                                                    \
        if (!nan && !holds_##name(v + k, next - k, m)) continue;                                             \
        for (size_t j = k; j < next; j++) {                                                                  \
          if (nan ? r_isnan(v[j]) : v[j] == m) best = arg_##extreme(best, arg_of(v[j], position_of(at, j))); \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
    *acc = best;                                                                                             \
    return n;                                                                                                \
  }                                                                                                          \
  CP_FN int rows_##name(acc_arg *accs, const void *values, const cp_positions *at, size_t n, size_t rows,    \
                        int64_t pitch) {                                                                     \
    if (rows < 2 || at->list || at->step != 0 || at->row <= 0) return 0;                                     \
    for (size_t k = 0; k < n; k += COLUMNS) {                                                                \
      size_t m = n - k < COLUMNS ? n - k : COLUMNS;                                                          \
      T best[COLUMNS];                                                                                       \
      ROW_COUNT row[COLUMNS];                                                                                \
      memcpy(best, row_at(values, 0, pitch) + k, m * sizeof(T));                                             \
      memset(row, 0, m * sizeof *row);                                                                       \
      for (size_t r = 1; r < rows; r++) {                                                                    \
        const T *v = row_at(values, r, pitch) + k;                                                           \
        INDEPENDENT for (size_t j = 0; j < m; j++) {                                                         \
          T a = v[j], b = best[j];                                                                           \
          int wins = before(b, a) | (r_isnan(a) & !r_isnan(b));                                              \
          best[j] = wins ? a : b;                                                                            \
          row[j] = wins ? (ROW_COUNT)r : row[j];                                                             \
        }                                                                                                    \
      }                                                                                                      \
      for (size_t j = 0; j < m; j++) {                                                                       \
        acc_arg found = arg_of(best[j], at->start + (long long)row[j] * at->row);                            \
        accs[k + j] = arg_##extreme(accs[k + j], found);                                                     \
      }                                                                                                      \
    }                                                                                                        \
    return 1;                                                                                                \
  }
#endif
#if defined(CP_KIND_COMPLEX)
#define FRONT_EXTREME(extreme, acc, v, n) 0
#else
// A block with a nan is left to the loops below.
#define FRONT_EXTREME(extreme, acc, v, n) front_##extreme(acc, v, n)
#define EXTREME_FRONT(extreme)                                                                               \
  CP_FN size_t front_##extreme(T *acc, const T *v, size_t n) {                                               \
    int nan = 0;                                                                                             \
    if (n < EXTREME_LEAST) return 0;                                                                         \
    T m = extreme_##extreme(v, n, &nan);                                                                     \
    if (nan) return 0;                                                                                       \
    *acc = m;                                                                                                \
    return n;                                                                                                \
  }
EXTREME_FRONT(r_minimum)
EXTREME_FRONT(r_maximum)
#endif
#define front_min(acc, v, n)    FRONT_EXTREME(r_minimum, acc, v, n)
#define front_max(acc, v, n)    FRONT_EXTREME(r_maximum, acc, v, n)
#define front_nanmin(acc, v, n) 0
#define front_nanmax(acc, v, n) 0

static void reduce_min(void *acc, const void *values, const cp_positions *at, size_t n);
static void reduce_max(void *acc, const void *values, const cp_positions *at, size_t n);

// Both extremes of pieces that stay in a cache.
CP_FN size_t front_ptp(acc_range *acc, const T *v, size_t n) {
  enum { PIECE = 16384 / sizeof(T) };
  for (size_t k = 0; k < n; k += PIECE) {
    const size_t many = n - k < PIECE ? n - k : PIECE;
    T low, high;
    reduce_min(&low, v + k, 0, many);
    reduce_max(&high, v + k, 0, many);
    acc_range r = range_of(low);
    r.high = high;
    *acc = k == 0 ? r : range_add(*acc, r);
  }
  return n;
}

#define arg_r_minimum       arg_min
#define arg_r_maximum       arg_max
#define less_first(a, b)    r_before(b, a)
#define greater_first(a, b) r_before(a, b)
ARG(argmin, r_minimum, less_first)
ARG(argmax, r_maximum, greater_first)

#if HAS_VARIANCE
#include "cpu/loops/types/moments.h"
#endif

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
  static void fold_##name(void *accs, const void *values, const cp_positions *at, size_t n, size_t rows,     \
                          int64_t pitch) {                                                                   \
    A *x = accs;                                                                                             \
    if (ROWS_##cls(name, x, values, at, n, rows, pitch)) return;                                             \
    size_t r = 0;                                                                                            \
    for (; VALUE_##cls && r + 4 <= rows; r += 4) {                                                           \
      const T *v = row_at(values, r, pitch), *v1 = row_at(values, r + 1, pitch);                             \
      const T *v2 = row_at(values, r + 2, pitch), *v3 = row_at(values, r + 3, pitch);                        \
      INDEPENDENT for (size_t k = 0; k < n; k++) {                                                           \
        A a = merge_##name(merge_##name(x[k], map_##name(v[k], 0)), map_##name(v1[k], 0));                   \
        x[k] = merge_##name(merge_##name(a, map_##name(v2[k], 0)), map_##name(v3[k], 0));                    \
      }                                                                                                      \
    }                                                                                                        \
    for (; r < rows; r++) {                                                                                  \
      const T *v = row_at(values, r, pitch);                                                                 \
      const cp_positions row = positions_of_row(at, r, n);                                                   \
      (void)row;                                                                                             \
      INDEPENDENT for (size_t k = 0; k < n; k++) {                                                           \
        x[k] = merge_##name(x[k], map_##name(v[k], POSITION_##cls(&row, k)));                                \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  static void reduce_##name(void *acc, const void *values, const cp_positions *at, size_t n) {               \
    const T *v = values;                                                                                     \
    A r = none;                                                                                              \
    (void)at;                                                                                                \
    size_t k = FRONT_##cls(name, &r, v, at, n);                                                              \
    if (k == 0 && n >= LANES) {                                                                              \
      A lane[LANES];                                                                                         \
      do {                                                                                                   \
        size_t end = n - k < DEEP ? n : k + DEEP, first = k;                                                 \
        A part[LANES];                                                                                       \
        for (size_t j = 0; j < LANES; j++) part[j] = map_##name(v[k + j], POSITION_##cls(at, k + j));        \
        for (k += LANES; k + LANES <= end; k += LANES) {                                                     \
          INDEPENDENT for (size_t j = 0; j < LANES; j++) {                                                   \
            part[j] = merge_##name(part[j], map_##name(v[k + j], POSITION_##cls(at, k + j)));                \
          }                                                                                                  \
        }                                                                                                    \
        if (first == 0) {                                                                                    \
          memcpy(lane, part, sizeof lane);                                                                   \
        } else {                                                                                             \
          INDEPENDENT for (size_t j = 0; j < LANES; j++) lane[j] = merge_##name(lane[j], part[j]);           \
        }                                                                                                    \
      } while (k + LANES <= n);                                                                              \
      for (size_t j = 0; k + j < n; j++) {                                                                   \
        lane[j] = merge_##name(lane[j], map_##name(v[k + j], POSITION_##cls(at, k + j)));                    \
      }                                                                                                      \
      k = n;                                                                                                 \
      for (size_t half = LANES / 2; half > 0; half /= 2) {                                                   \
        INDEPENDENT for (size_t j = 0; j < half; j++) lane[j] = merge_##name(lane[j], lane[j + half]);       \
      }                                                                                                      \
      r = lane[0];                                                                                           \
    }                                                                                                        \
    while (k < n) {                                                                                          \
      size_t end = n - k < SHORT ? n : k + SHORT;                                                            \
      A part = map_##name(v[k], POSITION_##cls(at, k));                                                      \
      for (k++; k < end; k++) part = merge_##name(part, map_##name(v[k], POSITION_##cls(at, k)));            \
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

#define RED(name, cls, numeric, acc, identity, premap, combine, post)                                        \
  CAT(RED_, HAS_##cls)(name, cls, ACC_##acc, identity, premap, combine, post)
#include ROWS

#if defined(CP_LOOP_TYPE_float32) || defined(CP_LOOP_TYPE_float64)
// The loop of reduce_sum, whose elements are products.
static void sum_products(void *sum, const void *first, const void *second, size_t n) {
  const T *a = first, *b = second;
  T r = 0;
  size_t k = 0;
  if (n >= LANES) {
    T lane[LANES];
    do {
      size_t end = n - k < DEEP ? n : k + DEEP, begin = k;
      T part[LANES];
      for (size_t j = 0; j < LANES; j++) part[j] = a[k + j] * b[k + j];
      for (k += LANES; k + LANES <= end; k += LANES) {
        INDEPENDENT for (size_t j = 0; j < LANES; j++) part[j] += a[k + j] * b[k + j];
      }
      if (begin == 0) {
        memcpy(lane, part, sizeof lane);
      } else {
        INDEPENDENT for (size_t j = 0; j < LANES; j++) lane[j] += part[j];
      }
    } while (k + LANES <= n);
    for (size_t j = 0; k + j < n; j++) lane[j] += a[k + j] * b[k + j];
    k = n;
    for (size_t half = LANES / 2; half > 0; half /= 2) {
      INDEPENDENT for (size_t j = 0; j < half; j++) lane[j] += lane[j + half];
    }
    r = lane[0];
  }
  while (k < n) {
    size_t end = n - k < SHORT ? n : k + SHORT;
    T part = a[k] * b[k];
    for (k++; k < end; k++) part += a[k] * b[k];
    r += part;
  }
  *(T *)sum = r;
}
#endif
