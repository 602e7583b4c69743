// The places that one of two sparse matrices has, on the CPU. A row's columns are merged without branches
// that depend on them, which would be mispredicted half of the time. Where both have the same rows, as
// with a symmetric pattern, they are copied.
#include "cpu/routines/sparse/forms.h"

#include <string.h>

// ---- counting ---------------------------------------------------------------------------------------------

#define COUNT(I)                                                                                             \
  static int64_t count_row_##I(const I *a, const I *a_end, const I *b, const I *b_end) {                     \
    int64_t n = 0;                                                                                           \
    while (a < a_end && b < b_end) {                                                                         \
      const I x = *a, y = *b;                                                                                \
      n++;                                                                                                   \
      a += x <= y;                                                                                           \
      b += y <= x;                                                                                           \
    }                                                                                                        \
    return n + (a_end - a) + (b_end - b);                                                                    \
  }                                                                                                          \
  static void count_##I(const cp_sparse_union_job *j, int64_t first, int64_t end) {                          \
    const I *a = j->a.columns_of, *b = j->b.columns_of;                                                      \
    for (int64_t r = first; r < end; r++)                                                                    \
      j->lengths[r] = count_row_##I(a + cp_sparse_start(&j->a, r), a + cp_sparse_start(&j->a, r + 1),        \
                                    b + cp_sparse_start(&j->b, r), b + cp_sparse_start(&j->b, r + 1));       \
  }
COUNT(int32_t)
COUNT(int64_t)

// ---- filling ----------------------------------------------------------------------------------------------

// A row of either matrix, or of the result: its entries from k to `end`.
typedef struct row {
  int64_t k, end;
} row;

static row row_of(const cp_sparse_layout *m, int64_t r) {
  return (row){cp_sparse_start(m, r), cp_sparse_start(m, r + 1)};
}

#define FILL(name, I, T)                                                                                     \
  static void rest_##name(const cp_sparse_union_job *j, bool of_b, row from, row *to) {                      \
    const I *columns = of_b ? j->b.columns_of : j->a.columns_of;                                             \
    const T *values = of_b ? j->b_values : j->a_values;                                                      \
    T *out = of_b ? j->b_out : j->a_out, *none = of_b ? j->a_out : j->b_out;                                 \
    for (; from.k < from.end && to->k < to->end; from.k++, to->k++) {                                        \
      ((I *)j->columns)[to->k] = columns[from.k];                                                            \
      out[to->k] = values[from.k];                                                                           \
      none[to->k] = (T){0};                                                                                  \
    }                                                                                                        \
  }                                                                                                          \
  static void fill_row_##name(const cp_sparse_union_job *j, row a, row b, row to) {                          \
    const I *a_columns = j->a.columns_of, *b_columns = j->b.columns_of;                                      \
    const T *a_values = j->a_values, *b_values = j->b_values, none = {0};                                    \
    I *columns = j->columns;                                                                                 \
    T *a_out = j->a_out, *b_out = j->b_out;                                                                  \
    while (a.k < a.end && b.k < b.end && to.k < to.end) {                                                    \
      const I x = a_columns[a.k], y = b_columns[b.k];                                                        \
      const bool of_a = x <= y, of_b = y <= x;                                                               \
      columns[to.k] = of_a ? x : y;                                                                          \
      a_out[to.k] = *(of_a ? &a_values[a.k] : &none);                                                        \
      b_out[to.k] = *(of_b ? &b_values[b.k] : &none);                                                        \
      a.k += of_a;                                                                                           \
      b.k += of_b;                                                                                           \
      to.k++;                                                                                                \
    }                                                                                                        \
    rest_##name(j, false, a, &to);                                                                           \
    rest_##name(j, true, b, &to);                                                                            \
  }                                                                                                          \
  static void fill_##name(const cp_sparse_union_job *j, int64_t first, int64_t end) {                        \
    const cp_sparse_layout out = {.index = j->a.index, .entries = j->entries, .starts = j->starts};          \
    for (int64_t r = first; r < end; r++)                                                                    \
      fill_row_##name(j, row_of(&j->a, r), row_of(&j->b, r), row_of(&out, r));                               \
  }
#define EACH(SIZE, T) FILL(narrow_##SIZE, int32_t, T) FILL(wide_##SIZE, int64_t, T)
CP_SPARSE_SIZES(EACH)
#undef EACH

typedef void unite_rows(const cp_sparse_union_job *j, int64_t first, int64_t end);
#define EACH(SIZE, T) [SIZE] = {fill_narrow_##SIZE, fill_wide_##SIZE},
static unite_rows *const fillers[17][2] = {CP_SPARSE_SIZES(EACH)};
#undef EACH

// ---- the same rows ----------------------------------------------------------------------------------------

// The number of entries in the rows first .. end - 1, if both matrices have the same there; else -1.
static int64_t same_entries(const cp_sparse_union_job *j, int64_t first, int64_t end) {
  const int64_t a = cp_sparse_start(&j->a, first), b = cp_sparse_start(&j->b, first);
  const int64_t n = cp_sparse_start(&j->a, end) - a;
  const size_t item = cp_itemsize(j->a.index);
  if (n < 0 || n != cp_sparse_start(&j->b, end) - b) return -1;
  for (int64_t r = first; r < end; r++)
    if (cp_sparse_start(&j->a, r) - a != cp_sparse_start(&j->b, r) - b) return -1;
  if (n == 0) return 0;
  const char *a_columns = (const char *)j->a.columns_of + (size_t)a * item;
  return memcmp(a_columns, (const char *)j->b.columns_of + (size_t)b * item, (size_t)n * item) == 0 ? n : -1;
}

static void copy_part(void *to, int64_t at, const void *from, int64_t k, int64_t n, size_t item) {
  if (n > 0) memcpy((char *)to + (size_t)at * item, (const char *)from + (size_t)k * item, (size_t)n * item);
}

// Does the work for rows in which both have the same n entries; false: there is no room for them.
static bool unite_same(const cp_sparse_union_job *j, int64_t first, int64_t end, int64_t n) {
  const int64_t a = cp_sparse_start(&j->a, first), b = cp_sparse_start(&j->b, first);
  if (j->starts == NULL) {
    for (int64_t r = first; r < end; r++)
      j->lengths[r] = cp_sparse_start(&j->a, r + 1) - cp_sparse_start(&j->a, r);
    return true;
  }
  const cp_sparse_layout out = {.index = j->a.index, .entries = j->entries, .starts = j->starts};
  const int64_t at = cp_sparse_start(&out, first);
  if (cp_sparse_start(&out, end) - at != n) return false;
  copy_part(j->columns, at, j->a.columns_of, a, n, cp_itemsize(j->a.index));
  copy_part(j->a_out, at, j->a_values, a, n, j->item);
  copy_part(j->b_out, at, j->b_values, b, n, j->item);
  return true;
}

// ---- the job ----------------------------------------------------------------------------------------------

// Tasks are of rows with about as many entries as the longer matrix has.
static const cp_sparse_layout *longer(const cp_sparse_union_job *j) {
  return j->a.entries > j->b.entries ? &j->a : &j->b;
}

static void unite(void *data, cp_tasks *tasks) {
  const cp_sparse_union_job *j = data;
  const bool wide = j->a.index == CP_INT64;
  unite_rows *f = j->starts != NULL ? fillers[j->item][wide] : wide ? count_int64_t : count_int32_t;
  int64_t first, end;
  while (cp_sparse_next(tasks, longer(j), &first, &end)) {
    const int64_t n = same_entries(j, first, end);
    if (n < 0 || !unite_same(j, first, end, n)) f(j, first, end);
  }
}

cp_status cp_cpu_sparse_unite(cp_context *ctx, cp_stream *s, const cp_sparse_union_job *job) {
  cp_sparse_union_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, unite, &copy, cp_sparse_tasks(longer(job)), cp_sparse_shared(longer(job)));
}
