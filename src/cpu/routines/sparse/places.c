// Entries of sparse matrices on the CPU: found by their places, and picked by masks and columns.
#include "cpu/routines/sparse/forms.h"

// ---- finding ----------------------------------------------------------------------------------------------

enum { SHARE = 4096 }; // places per task

#define FIND(I)                                                                                              \
  static int64_t find_##I(const cp_sparse_layout *m, int64_t row, int64_t column) {                          \
    const I *starts = m->starts, *at = m->columns_of;                                                        \
    int64_t low = CP_SPARSE_FIRST(m, starts, row), end = CP_SPARSE_FIRST(m, starts, row + 1);                \
    const int64_t last = end;                                                                                \
    while (low < end) {                                                                                      \
      const int64_t middle = low + (end - low) / 2;                                                          \
      if ((int64_t)at[middle] < column)                                                                      \
        low = middle + 1;                                                                                    \
      else                                                                                                   \
        end = middle;                                                                                        \
    }                                                                                                        \
    return low < last && (int64_t)at[low] == column ? low : -1;                                              \
  }
FIND(int32_t)
FIND(int64_t)

static void find_places(void *data, cp_tasks *tasks) {
  const cp_sparse_find_job *j = data;
  int64_t task;
  while (cp_next_task(tasks, &task)) {
    const int64_t first = task * SHARE, end = j->count - first < SHARE ? j->count : first + SHARE;
    for (int64_t k = first; k < end; k++) {
      const int64_t row = j->rows[k];
      const bool inside = row >= 0 && row < j->m.rows;
      j->places[k] = !inside                  ? -1
                     : j->m.index == CP_INT64 ? find_int64_t(&j->m, row, j->columns[k])
                                              : find_int32_t(&j->m, row, j->columns[k]);
    }
  }
}

cp_status cp_cpu_sparse_find(cp_context *ctx, cp_stream *s, const cp_sparse_find_job *job) {
  cp_sparse_find_job copy = *job;
  const int64_t tasks = job->count / SHARE + (job->count % SHARE != 0);
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, find_places, &copy, tasks, tasks > 1);
}

// ---- picking ----------------------------------------------------------------------------------------------

#define WANTED(I)                                                                                            \
  /* The column of entry k in the result; negative: it is not picked. */                                     \
  static inline __attribute__((always_inline)) int64_t wanted_##I(const cp_sparse_pick_job *j, int64_t k) {  \
    const I *at = j->m.columns_of, *turned = j->turned;                                                      \
    if (j->keep != NULL && !j->keep[k]) return -1;                                                           \
    if (turned == NULL) return (int64_t)at[k];                                                               \
    return (int64_t)turned[cp_sparse_place_##I(at[k], j->m.columns - 1)];                                    \
  }                                                                                                          \
  static void count_rows_##I(const cp_sparse_pick_job *j, int64_t first, int64_t end) {                      \
    const I *starts = j->m.starts;                                                                           \
    I *lengths = (I *)j->starts + 1;                                                                         \
    for (int64_t r = first; r < end; r++) {                                                                  \
      const int64_t to = CP_SPARSE_FIRST(&j->m, starts, r + 1);                                              \
      int64_t n = 0;                                                                                         \
      for (int64_t k = CP_SPARSE_FIRST(&j->m, starts, r); k < to; k++) n += wanted_##I(j, k) >= 0;           \
      lengths[r] = (I)n;                                                                                     \
    }                                                                                                        \
  }                                                                                                          \
  static int64_t add_lengths_##I(const cp_sparse_pick_job *j) {                                              \
    I *starts = j->starts;                                                                                   \
    starts[0] = 0;                                                                                           \
    for (int64_t r = 0; r < j->m.rows; r++) starts[r + 1] = (I)(starts[r] + starts[r + 1]);                  \
    return (int64_t)starts[j->m.rows];                                                                       \
  }
WANTED(int32_t)
WANTED(int64_t)

// What others write meanwhile may make a row longer than it was counted; its end then stays.
#define PICK(name, I, T)                                                                                     \
  static void pick_##name(const cp_sparse_pick_job *j, int64_t first, int64_t end) {                         \
    const cp_sparse_layout *m = &j->m;                                                                       \
    const I *starts = m->starts, *places = j->starts;                                                        \
    const T *values = j->values;                                                                             \
    I *columns = j->columns;                                                                                 \
    T *out = j->out;                                                                                         \
    for (int64_t r = first; r < end; r++) {                                                                  \
      const int64_t to = CP_SPARSE_FIRST(m, starts, r + 1),                                                  \
                    last = cp_sparse_limit(places[r + 1], j->entries);                                       \
      int64_t at = cp_sparse_limit(places[r], j->entries);                                                   \
      for (int64_t k = CP_SPARSE_FIRST(m, starts, r); k < to && at < last; k++) {                            \
        const int64_t column = wanted_##I(j, k);                                                             \
        columns[at] = (I)column;                                                                             \
        out[at] = values[k];                                                                                 \
        at += column >= 0;                                                                                   \
      }                                                                                                      \
    }                                                                                                        \
  }
#define EACH(SIZE, T) PICK(narrow_##SIZE, int32_t, T) PICK(wide_##SIZE, int64_t, T)
CP_SPARSE_SIZES(EACH)
#undef EACH

typedef void pick_rows(const cp_sparse_pick_job *j, int64_t first, int64_t end);
#define EACH(SIZE, T) [SIZE] = {pick_narrow_##SIZE, pick_wide_##SIZE},
static pick_rows *const pickers[17][2] = {CP_SPARSE_SIZES(EACH)};
#undef EACH

static void count_all(void *data, cp_tasks *tasks) {
  const cp_sparse_pick_job *j = data;
  int64_t first, end;
  while (cp_sparse_next(tasks, &j->m, &first, &end))
    (j->m.index == CP_INT64 ? count_rows_int64_t : count_rows_int32_t)(j, first, end);
}

static void pick_all(void *data, cp_tasks *tasks) {
  const cp_sparse_pick_job *j = data;
  int64_t first, end;
  while (cp_sparse_next(tasks, &j->m, &first, &end)) pickers[j->item][j->m.index == CP_INT64](j, first, end);
}

cp_status cp_cpu_sparse_pick(cp_context *ctx, cp_stream *s, cp_sparse_pick_job *job) {
  const bool counts = job->columns == NULL;
  (void)s;
  ctx->counters.launches++;
  CP_TRY(cp_parallel(ctx, counts ? count_all : pick_all, job, cp_sparse_tasks(&job->m),
                     cp_sparse_shared(&job->m)));
  if (counts) job->entries = job->m.index == CP_INT64 ? add_lengths_int64_t(job) : add_lengths_int32_t(job);
  return CP_OK;
}
