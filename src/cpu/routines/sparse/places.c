// Entries of sparse matrices on the CPU: found by their places, and picked by masks and columns.
#include "cpu/routines/sparse/forms.h"

// ---- finding ----------------------------------------------------------------------------------------------

enum { SHARE = 4096 }; // places per task

// Short rows are searched from their beginning, as matrices that have short rows mostly have them in a
// pattern that processors foresee. In others the search takes as many steps for all of a length, without
// branches that depend on columns.
#define FIND(I)                                                                                              \
  static inline int64_t find_##I(const cp_sparse_layout *m, int64_t row, int64_t column) {                   \
    enum { FEW = 8 };                                                                                        \
    const I *starts = m->starts, *at = m->columns_of;                                                        \
    if (row < 0 || row >= m->rows) return -1;                                                                \
    int64_t low = CP_SPARSE_FIRST(m, starts, row);                                                           \
    const int64_t end = CP_SPARSE_FIRST(m, starts, row + 1);                                                 \
    if (end - low > FEW) {                                                                                   \
      int64_t n = end - low;                                                                                 \
      for (int64_t half = n / 2; n > 1; n -= half, half = n / 2)                                             \
        low += (int64_t)at[low + half] <= column ? half : 0;                                                 \
    } else {                                                                                                 \
      while (low < end && (int64_t)at[low] < column) low++;                                                  \
    }                                                                                                        \
    return low < end && (int64_t)at[low] == column ? low : -1;                                               \
  }
FIND(int32_t)
FIND(int64_t)

// The places k to `end` - 1 of the list, or the values there, 0 where there is no entry.
#define PLACES(I)                                                                                            \
  static inline int64_t place_##I(const cp_sparse_find_job *j, int64_t k) {                                  \
    return j->rows != NULL ? find_##I(&j->m, j->rows[k], j->columns[k])                                      \
                           : find_##I(&j->m, j->first_row + k, j->first_column + k);                         \
  }                                                                                                          \
  static void places_##I(const cp_sparse_find_job *j, int64_t k, int64_t end) {                              \
    for (; k < end; k++) j->places[k] = place_##I(j, k);                                                     \
  }
PLACES(int32_t)
PLACES(int64_t)
#define VALUES(name, I, T)                                                                                   \
  static void values_##name(const cp_sparse_find_job *j, int64_t k, int64_t end) {                           \
    const T *values = j->values, none = {0};                                                                 \
    T *out = j->out;                                                                                         \
    for (; k < end; k++) {                                                                                   \
      const int64_t at = place_##I(j, k);                                                                    \
      out[k] = *(at < 0 ? &none : &values[at]);                                                              \
    }                                                                                                        \
  }
#define EACH(SIZE, T) VALUES(narrow_##SIZE, int32_t, T) VALUES(wide_##SIZE, int64_t, T)
CP_SPARSE_SIZES(EACH)
#undef EACH
typedef void find_some(const cp_sparse_find_job *j, int64_t k, int64_t end);
#define EACH(SIZE, T) [SIZE] = {values_narrow_##SIZE, values_wide_##SIZE},
static find_some *const finders[17][2] = {[0] = {places_int32_t, places_int64_t}, CP_SPARSE_SIZES(EACH)};
#undef EACH

static void find_places(void *data, cp_tasks *tasks) {
  const cp_sparse_find_job *j = data;
  find_some *f = finders[j->values != NULL ? j->item : 0][j->m.index == CP_INT64];
  int64_t task;
  while (cp_next_task(tasks, &task)) {
    const int64_t k = task * SHARE;
    f(j, k, j->count - k < SHARE ? j->count : k + SHARE);
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

// Whether entry k is picked, 0 or 1, without a branch: masks have no pattern that a processor could foresee.
// turned, keep: whether there are such arrays.
#define IS_PICKED(I)                                                                                         \
  static inline __attribute__((always_inline))                                                               \
  int64_t is_picked_##I(const I *at, const I *turned_to, const unsigned char *kept, int64_t k, int64_t last, \
                        bool turned, bool keep) {                                                            \
    const int64_t mask = keep ? kept[k] != 0 : 1;                                                            \
    return turned ? mask & (turned_to[cp_sparse_place_##I(at[k], last)] >= 0) : mask;                        \
  }
IS_PICKED(int32_t)
IS_PICKED(int64_t)

// f, once for each of the arrays that there are.
#define FOR_EACH_WAY(f, j, first, end)                                                                       \
  do {                                                                                                       \
    if ((j)->turned == NULL)                                                                                 \
      f(j, first, end, false, true);                                                                         \
    else if ((j)->keep == NULL)                                                                              \
      f(j, first, end, true, false);                                                                         \
    else                                                                                                     \
      f(j, first, end, true, true);                                                                          \
  } while (0)

#define COUNT(I)                                                                                             \
  static inline __attribute__((always_inline)) void count_way_##I(                                           \
      const cp_sparse_pick_job *j, int64_t first, int64_t end, bool turned, bool keep) {                     \
    const I *starts = j->m.starts, *at = j->m.columns_of, *turned_to = j->turned;                            \
    const unsigned char *kept = j->keep;                                                                     \
    const int64_t last = j->m.columns - 1;                                                                   \
    I *lengths = (I *)j->starts + 1;                                                                         \
    for (int64_t r = first; r < end; r++) {                                                                  \
      const int64_t to = CP_SPARSE_FIRST(&j->m, starts, r + 1);                                              \
      int64_t n = 0;                                                                                         \
      for (int64_t k = CP_SPARSE_FIRST(&j->m, starts, r); k < to; k++)                                       \
        n += is_picked_##I(at, turned_to, kept, k, last, turned, keep);                                      \
      lengths[r] = (I)n;                                                                                     \
    }                                                                                                        \
  }                                                                                                          \
  static void count_rows_##I(const cp_sparse_pick_job *j, int64_t first, int64_t end) {                      \
    FOR_EACH_WAY(count_way_##I, j, first, end);                                                              \
  }                                                                                                          \
  static int64_t add_lengths_##I(const cp_sparse_pick_job *j) {                                              \
    I *starts = j->starts;                                                                                   \
    starts[0] = 0;                                                                                           \
    for (int64_t r = 0; r < j->m.rows; r++) starts[r + 1] = (I)(starts[r] + starts[r + 1]);                  \
    return (int64_t)starts[j->m.rows];                                                                       \
  }
COUNT(int32_t)
COUNT(int64_t)

// An entry that is not picked is overwritten by the next one that is. `limit`, where the task's entries end,
// stops the last ones, and whatever others may have written since the entries were counted.
#define PICK(name, I, T)                                                                                     \
  static inline __attribute__((always_inline)) void pick_way_##name(                                         \
      const cp_sparse_pick_job *j, int64_t first, int64_t end, bool turned, bool keep) {                     \
    const cp_sparse_pick_job p = *j; /* what is read through j might be in the results */                    \
    const I *starts = p.m.starts, *places = p.starts, *at = p.m.columns_of, *turned_to = p.turned;           \
    const T *values = p.values;                                                                              \
    I *columns = p.columns;                                                                                  \
    T *out = p.out;                                                                                          \
    const int64_t limit = cp_sparse_limit(places[end], p.entries), last = p.m.columns - 1;                   \
    int64_t to = cp_sparse_limit(places[first], p.entries);                                                  \
    const int64_t stop = CP_SPARSE_FIRST(&p.m, starts, end);                                                 \
    for (int64_t k = CP_SPARSE_FIRST(&p.m, starts, first); k < stop && to < limit; k++) {                    \
      columns[to] = turned ? turned_to[cp_sparse_place_##I(at[k], last)] : at[k];                            \
      out[to] = values[k];                                                                                   \
      to += is_picked_##I(at, turned_to, p.keep, k, last, turned, keep);                                     \
    }                                                                                                        \
  }                                                                                                          \
  static void pick_##name(const cp_sparse_pick_job *j, int64_t first, int64_t end) {                         \
    FOR_EACH_WAY(pick_way_##name, j, first, end);                                                            \
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
