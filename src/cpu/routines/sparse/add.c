// Sums and differences of two sparse matrices on the CPU, in one pass: a row's entries are merged without
// branches that depend on their columns, which would be mispredicted half of the time, and those that are 0
// are overwritten by the next. Rows that both matrices have alike need no merging.
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
#define REAL_IS_ZERO(v) ((v) == 0)
#define PARTS_ADD(v, w)                                                                                      \
  { (v).re + (w).re, (v).im + (w).im }
#define PARTS_TAKE(v, w)                                                                                     \
  { (v).re - (w).re, (v).im - (w).im }
#define PARTS_IS_ZERO(v) ((v).re == 0 && (v).im == 0)

// ---- rows -------------------------------------------------------------------------------------------------

// merge_NAME adds one row to a piece; alike_NAME adds n entries at places that both have, and returns whether
// none of them is 0.
#define ADD(name, I, T, OP, IS_ZERO)                                                                         \
  static int64_t merge_##name(const cp_sparse_add_job *j, span s, I *columns, T *values) {                   \
    const I *a = j->a.columns_of, *b = j->b.columns_of;                                                      \
    const T *a_values = j->a_values, *b_values = j->b_values, none = {0};                                    \
    int64_t n = 0;                                                                                           \
    while (s.a < s.a_end && s.b < s.b_end) {                                                                 \
      const I x = a[s.a], y = b[s.b];                                                                        \
      const bool of_a = x <= y, of_b = y <= x;                                                               \
      const T v = *(of_a ? &a_values[s.a] : &none), w = *(of_b ? &b_values[s.b] : &none);                    \
      const T sum = OP(v, w);                                                                                \
      columns[n] = of_a ? x : y;                                                                             \
      values[n] = sum;                                                                                       \
      n += !IS_ZERO(sum);                                                                                    \
      s.a += of_a;                                                                                           \
      s.b += of_b;                                                                                           \
    }                                                                                                        \
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
  static bool add_##name(adding *x, int64_t first, int64_t end, cp_sparse_piece *p) {                        \
    const cp_sparse_add_job *j = x->job;                                                                     \
    const span all = span_of(j, first, end);                                                                 \
    const int64_t n = upward(all.a, all.a_end), m = upward(all.b, all.b_end);                                \
    if (!cp_sparse_extend(&x->pieces, p, n + m + 1)) return false;                                           \
    I *columns = (I *)(void *)p->columns + p->entries;                                                       \
    T *values = (T *)(void *)p->values + p->entries;                                                         \
    int64_t *lengths = x->pieces.lengths;                                                                    \
    if (same_rows(j, first, end, all) && alike_##name(j, all, n, values)) {                                  \
      if (n > 0) memcpy(columns, (const I *)j->a.columns_of + all.a, (size_t)n * sizeof(I));                 \
      for (int64_t r = first; r < end; r++)                                                                  \
        lengths[r] = cp_sparse_start(&j->a, r + 1) - cp_sparse_start(&j->a, r);                              \
      p->entries += n;                                                                                       \
      return true;                                                                                           \
    }                                                                                                        \
    int64_t sum = 0;                                                                                         \
    for (int64_t r = first; r < end; r++) {                                                                  \
      const span s = span_of(j, r, r + 1);                                                                   \
      if (upward(s.a, s.a_end) + upward(s.b, s.b_end) > n + m - sum) break; /* starts that fall */           \
      lengths[r] = merge_##name(j, s, columns + sum, values + sum);                                          \
      sum += lengths[r];                                                                                     \
    }                                                                                                        \
    p->entries += sum;                                                                                       \
    return true;                                                                                             \
  }

// Whether both have the same entries in each of some rows.
static bool same_rows(const cp_sparse_add_job *j, int64_t first, int64_t end, span s) {
  const int64_t n = s.a_end - s.a;
  if (n < 0 || s.b_end - s.b != n) return false;
  for (int64_t r = first; r <= end; r++)
    if (cp_sparse_start(&j->a, r) - s.a != cp_sparse_start(&j->b, r) - s.b) return false;
  for (int64_t r = first; r < end; r++)
    if (cp_sparse_start(&j->a, r + 1) < cp_sparse_start(&j->a, r)) return false;
  const size_t item = cp_itemsize(j->a.index);
  const char *a = j->a.columns_of, *b = j->b.columns_of;
  return n == 0 || memcmp(a + (size_t)s.a * item, b + (size_t)s.b * item, (size_t)n * item) == 0;
}

#define EACH(ID, T, HOW)                                                                                     \
  ADD(ID##_plus_narrow, int32_t, T, HOW##_ADD, HOW##_IS_ZERO)                                                \
  ADD(ID##_plus_wide, int64_t, T, HOW##_ADD, HOW##_IS_ZERO)                                                  \
  ADD(ID##_minus_narrow, int32_t, T, HOW##_TAKE, HOW##_IS_ZERO)                                              \
  ADD(ID##_minus_wide, int64_t, T, HOW##_TAKE, HOW##_IS_ZERO)
CP_SPARSE_TYPES(EACH)
#undef EACH

typedef bool add_rows(adding *x, int64_t first, int64_t end, cp_sparse_piece *p);
#define EACH(ID, T, HOW)                                                                                     \
  [CP_##ID] = {{add_##ID##_plus_narrow, add_##ID##_plus_wide},                                               \
               {add_##ID##_minus_narrow, add_##ID##_minus_wide}},
static add_rows *const adders[CP_NDTYPES][2][2] = {CP_SPARSE_TYPES(EACH)};
#undef EACH

// ---- the job ----------------------------------------------------------------------------------------------

static void add(void *data, cp_tasks *tasks) {
  adding *x = data;
  const cp_sparse_add_job *j = x->job;
  add_rows *rows = adders[j->dtype][j->subtract][j->a.index == CP_INT64];
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
