// Sums of two sparse matrices, and other operations on pairs of values, on the CPU, in one pass: a row's
// entries are merged without branches that depend on their columns, which would be mispredicted half of the
// time, and those that are 0 are overwritten by the next. Rows that both matrices have alike need no merging.
#include "cpu/routines/sparse/forms.h"

#include <string.h>

enum { ROWS_AT_ONCE = 256 }; // between two looks at whether both have the same columns

typedef struct adding {
  const cp_sparse_add_job *job;
  cp_sparse_pieces pieces;
} adding;

// The entries of some rows of both matrices.
typedef struct span {
  int64_t a, a_end, b, b_end;
} span;

static span span_of(const cp_sparse_add_job *j, int64_t first, int64_t end) {
  return (span){cp_sparse_start(&j->a, first), cp_sparse_start(&j->a, end), cp_sparse_start(&j->b, first),
                cp_sparse_start(&j->b, end)};
}

static int64_t upward(int64_t from, int64_t to) { return to > from ? to - from : 0; }

// ---- arithmetic -------------------------------------------------------------------------------------------

#define REAL_ADD(v, w)  ((v) + (w))
#define REAL_TAKE(v, w) ((v) - (w))
#define PARTS_ADD(v, w)                                                                                      \
  { (v).re + (w).re, (v).im + (w).im }
#define PARTS_TAKE(v, w)                                                                                     \
  { (v).re - (w).re, (v).im - (w).im }

// Of real ones by their bits, which takes fewer instructions than a comparison that minds NaN.
static inline bool is_zero_float(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits << 1 == 0;
}
static inline bool is_zero_double(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits << 1 == 0;
}
#define INT32_IS_ZERO(v)      ((v) == 0)
#define INT64_IS_ZERO(v)      ((v) == 0)
#define FLOAT32_IS_ZERO(v)    is_zero_float(v)
#define FLOAT64_IS_ZERO(v)    is_zero_double(v)
#define COMPLEX64_IS_ZERO(v)  ((v).re == 0 && (v).im == 0)
#define COMPLEX128_IS_ZERO(v) ((v).re == 0 && (v).im == 0)

// Integers are stored as unsigned ones, S is how they are ordered. The greater and the lesser one of two real
// values, of which nan is either.
#define ORDER(ID, T, S, IS_NAN)                                                                              \
  static inline bool less_##ID(T v, T w) { return (S)v < (S)w; }                                             \
  static inline bool greater_##ID(T v, T w) { return (S)v > (S)w; }                                          \
  static inline T maximum_##ID(T v, T w) { return greater_##ID(v, w) || IS_NAN(v) ? v : w; }                 \
  static inline T minimum_##ID(T v, T w) { return less_##ID(v, w) || IS_NAN(v) ? v : w; }
#define NEVER_NAN(v)  false
#define MAY_BE_NAN(v) ((v) != (v))
ORDER(INT32, uint32_t, int32_t, NEVER_NAN)
ORDER(INT64, uint64_t, int64_t, NEVER_NAN)
ORDER(FLOAT32, float, float, MAY_BE_NAN)
ORDER(FLOAT64, double, double, MAY_BE_NAN)
#define TIMES(v, w)  ((v) * (w))
#define DIFFER(v, w) ((v) != (w))

// ---- rows that both have alike ----------------------------------------------------------------------------

// Whether both have the same entries in each of some rows, which are those of s.
#define SAME(I, U)                                                                                           \
  static bool same_rows_##I(const cp_sparse_add_job *j, int64_t first, int64_t end, span s) {                \
    const I *a = j->a.starts, *b = j->b.starts, *x = j->a.columns_of, *y = j->b.columns_of;                  \
    const U apart = (U)b[first] - (U)a[first];                                                               \
    U differ = 0;                                                                                            \
    if (a[first] != s.a || a[end] != s.a_end || b[first] != s.b || b[end] != s.b_end) return false;          \
    for (int64_t r = first; r < end; r++)                                                                    \
      differ |= (((U)b[r + 1] - (U)a[r + 1]) ^ apart) | (a[r + 1] < a[r]);                                   \
    return differ == 0 &&                                                                                    \
           (s.a == s.a_end || memcmp(x + s.a, y + s.b, (size_t)(s.a_end - s.a) * sizeof(I)) == 0);           \
  }                                                                                                          \
  static void put_lengths_##I(const cp_sparse_add_job *j, int64_t first, int64_t end, int64_t *lengths) {    \
    const I *a = j->a.starts;                                                                                \
    for (int64_t r = first; r < end; r++) lengths[r] = (int64_t)a[r + 1] - a[r];                             \
  }
SAME(int32_t, uint32_t)
SAME(int64_t, uint64_t)

// ---- rows -------------------------------------------------------------------------------------------------

// merge_NAME adds one row to a piece; alike_NAME adds n entries at places that both have, and returns whether
// none of them is 0. ahead: while both rows have entries left, the next entry of each is read before it is
// known which one is needed, so that no read waits for a comparison. This reads beyond a row's end, and so is
// not done for the last rows of a matrix.
#define ADD(name, I, T, OP, IS_ZERO)                                                                         \
  static inline __attribute__((always_inline))                                                               \
  int64_t both_##name(const cp_sparse_add_job *j, span *s, I *columns, T *values, const bool ahead) {        \
    const I *a = j->a.columns_of, *b = j->b.columns_of;                                                      \
    const T *a_values = j->a_values, *b_values = j->b_values, none = {0};                                    \
    int64_t n = 0, i = s->a, k = s->b;                                                                       \
    I x = a[i], y = b[k];                                                                                    \
    while (i < s->a_end && k < s->b_end) {                                                                   \
      if (!ahead) x = a[i], y = b[k];                                                                        \
      const I next_x = ahead ? a[i + 1] : x, next_y = ahead ? b[k + 1] : y;                                  \
      const bool of_a = x <= y, of_b = y <= x;                                                               \
      const T v = *(of_a ? &a_values[i] : &none), w = *(of_b ? &b_values[k] : &none);                        \
      const T sum = OP(v, w);                                                                                \
      columns[n] = of_a ? x : y;                                                                             \
      values[n] = sum;                                                                                       \
      n += !IS_ZERO(sum);                                                                                    \
      x = of_a ? next_x : x;                                                                                 \
      y = of_b ? next_y : y;                                                                                 \
      i += of_a;                                                                                             \
      k += of_b;                                                                                             \
    }                                                                                                        \
    s->a = i;                                                                                                \
    s->b = k;                                                                                                \
    return n;                                                                                                \
  }                                                                                                          \
  static int64_t merge_##name(const cp_sparse_add_job *j, span s, I *columns, T *values) {                   \
    const I *a = j->a.columns_of, *b = j->b.columns_of;                                                      \
    const T *a_values = j->a_values, *b_values = j->b_values, none = {0};                                    \
    int64_t n = 0;                                                                                           \
    if (s.a < s.a_end && s.b < s.b_end)                                                                      \
      n = s.a_end < j->a.entries && s.b_end < j->b.entries ? both_##name(j, &s, columns, values, true)       \
                                                           : both_##name(j, &s, columns, values, false);     \
    for (; s.a < s.a_end; s.a++) {                                                                           \
      const T sum = OP(a_values[s.a], none);                                                                 \
      columns[n] = a[s.a];                                                                                   \
      values[n] = sum;                                                                                       \
      n += !IS_ZERO(sum);                                                                                    \
    }                                                                                                        \
    for (; s.b < s.b_end; s.b++) {                                                                           \
      const T sum = OP(none, b_values[s.b]);                                                                 \
      columns[n] = b[s.b];                                                                                   \
      values[n] = sum;                                                                                       \
      n += !IS_ZERO(sum);                                                                                    \
    }                                                                                                        \
    return n;                                                                                                \
  }                                                                                                          \
  static bool alike_##name(const cp_sparse_add_job *j, span s, int64_t n, T *values) {                       \
    const T *a_values = (const T *)j->a_values + s.a, *b_values = (const T *)j->b_values + s.b;              \
    int zeros = 0;                                                                                           \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      const T sum = OP(a_values[k], b_values[k]);                                                            \
      values[k] = sum;                                                                                       \
      zeros |= IS_ZERO(sum);                                                                                 \
    }                                                                                                        \
    return zeros == 0;                                                                                       \
  }                                                                                                          \
  /* The entries that are not 0 of the values of rows that both have alike. */                               \
  static int64_t keep_##name(const cp_sparse_add_job *j, int64_t first, int64_t end, int64_t *lengths,       \
                             I *columns, T *values) {                                                        \
    const I *a = j->a.columns_of, *starts = j->a.starts;                                                     \
    const T *all = values;                                                                                   \
    int64_t n = 0;                                                                                           \
    for (int64_t r = first, k = starts[first]; r < end; r++) {                                               \
      const int64_t before = n, to = starts[r + 1];                                                          \
      for (; k < to; k++) {                                                                                  \
        const T sum = *all++;                                                                                \
        columns[n] = a[k];                                                                                   \
        values[n] = sum;                                                                                     \
        n += !IS_ZERO(sum);                                                                                  \
      }                                                                                                      \
      lengths[r] = n - before;                                                                               \
    }                                                                                                        \
    return n;                                                                                                \
  }                                                                                                          \
  static bool add_##name(adding *x, int64_t first, int64_t end, cp_sparse_piece *p) {                        \
    const cp_sparse_add_job *j = x->job;                                                                     \
    const I *a_starts = j->a.starts, *b_starts = j->b.starts;                                                \
    const span all = span_of(j, first, end);                                                                 \
    const int64_t n = upward(all.a, all.a_end), m = upward(all.b, all.b_end);                                \
    if (!cp_sparse_extend(&x->pieces, p, n + m + 1)) return false;                                           \
    I *columns = (I *)(void *)p->columns + p->entries;                                                       \
    T *values = (T *)(void *)p->values + p->entries;                                                         \
    int64_t *lengths = x->pieces.lengths;                                                                    \
    if (same_rows_##I(j, first, end, all)) {                                                                 \
      if (alike_##name(j, all, n, values)) {                                                                 \
        if (n > 0) memcpy(columns, (const I *)j->a.columns_of + all.a, (size_t)n * sizeof(I));               \
        put_lengths_##I(j, first, end, lengths);                                                             \
        p->entries += n;                                                                                     \
      } else {                                                                                               \
        p->entries += keep_##name(j, first, end, lengths, columns, values);                                  \
      }                                                                                                      \
      return true;                                                                                           \
    }                                                                                                        \
    int64_t sum = 0;                                                                                         \
    span s = {.a_end = all.a, .b_end = all.b};                                                               \
    for (int64_t r = first; r < end; r++) {                                                                  \
      s = (span){.a = s.a_end, .b = s.b_end};                                                                \
      s.a_end = CP_SPARSE_FIRST(&j->a, a_starts, r + 1);                                                     \
      s.b_end = CP_SPARSE_FIRST(&j->b, b_starts, r + 1);                                                     \
      if (upward(s.a, s.a_end) + upward(s.b, s.b_end) > n + m - sum) break; /* starts that fall */           \
      lengths[r] = merge_##name(j, s, columns + sum, values + sum);                                          \
      sum += lengths[r];                                                                                     \
    }                                                                                                        \
    p->entries += sum;                                                                                       \
    return true;                                                                                             \
  }
#define BOTH(ID, T, NAME, OP)                                                                                \
  ADD(ID##_##NAME##_narrow, int32_t, T, OP, ID##_IS_ZERO)                                                    \
  ADD(ID##_##NAME##_wide, int64_t, T, OP, ID##_IS_ZERO)
#define REAL_PAIRINGS(ID, T)                                                                                 \
  BOTH(ID, T, MULTIPLY, TIMES)                                                                               \
  BOTH(ID, T, MAXIMUM, maximum_##ID)                                                                         \
  BOTH(ID, T, MINIMUM, minimum_##ID)                                                                         \
  BOTH(ID, T, LESS, less_##ID)                                                                               \
  BOTH(ID, T, GREATER, greater_##ID)                                                                         \
  BOTH(ID, T, NOT_EQUAL, DIFFER)
#define PARTS_PAIRINGS(ID, T)
#define EACH(ID, T, HOW) BOTH(ID, T, ADD, HOW##_ADD) BOTH(ID, T, SUBTRACT, HOW##_TAKE) HOW##_PAIRINGS(ID, T)
CP_SPARSE_TYPES(EACH)
#undef EACH

typedef bool add_rows(adding *x, int64_t first, int64_t end, cp_sparse_piece *p);
#define ROW(ID, NAME) [CP_SPARSE_##NAME] = {add_##ID##_##NAME##_narrow, add_##ID##_##NAME##_wide}
#define REAL_ROWS(ID)                                                                                        \
  ROW(ID, MULTIPLY), ROW(ID, MAXIMUM), ROW(ID, MINIMUM), ROW(ID, LESS), ROW(ID, GREATER), ROW(ID, NOT_EQUAL)
#define PARTS_ROWS(ID)   [CP_SPARSE_MULTIPLY] = {NULL, NULL}
#define EACH(ID, T, HOW) [CP_##ID] = {ROW(ID, ADD), ROW(ID, SUBTRACT), HOW##_ROWS(ID)},
static add_rows *const adders[CP_NDTYPES][CP_SPARSE_PAIRINGS][2] = {CP_SPARSE_TYPES(EACH)};
#undef EACH

// ---- the job ----------------------------------------------------------------------------------------------

static void add(void *data, cp_tasks *tasks) {
  adding *x = data;
  const cp_sparse_add_job *j = x->job;
  add_rows *rows = adders[j->dtype][j->pairing][j->a.index == CP_INT64];
  int64_t task, first, end;
  while (cp_next_task(tasks, &task)) {
    cp_sparse_piece *piece = &x->pieces.list[task];
    cp_sparse_rows_of(x->pieces.m, task, &first, &end);
    const span s = span_of(j, first, end);
    cp_sparse_begin_piece(&x->pieces, piece, upward(s.a, s.a_end) + upward(s.b, s.b_end) + 1);
    for (; first < end; first += ROWS_AT_ONCE)
      if (!rows(x, first, end - first < ROWS_AT_ONCE ? end : first + ROWS_AT_ONCE, piece)) return;
    cp_sparse_end_piece(&x->pieces, piece);
  }
}

cp_status cp_cpu_sparse_add(cp_context *ctx, cp_stream *s, const cp_sparse_add_job *job) {
  adding x = {.job = job};
  const cp_sparse_layout *longer = job->a.entries > job->b.entries ? &job->a : &job->b;
  (void)s;
  ctx->counters.launches++;
  CP_TRY(cp_sparse_open_pieces(&x.pieces, longer, cp_itemsize(job->dtype), &job->target));
  cp_status status = cp_parallel(ctx, add, &x, x.pieces.count, cp_sparse_shared(longer));
  status = cp_sparse_join_pieces(ctx, &x.pieces, status);
  cp_sparse_close_pieces(&x.pieces);
  return status;
}
