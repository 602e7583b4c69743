// Entries of sparse matrices moved on the CPU: grouped by keys, copied in runs, and put into dense matrices.
#include "cpu/routines/sparse/forms.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 65536 }; // entries between two checks for an interrupt, and the least of a part

// ---- grouping ---------------------------------------------------------------------------------------------

// Entries are split into parts, each with a table of what it has of each group, which then says where the
// part's next entry of a group goes. The result does not depend on the number of parts.
typedef struct grouping {
  const cp_sparse_group_job *job;
  int64_t parts;
  void *tables;
} grouping;

static int64_t first_of(const grouping *g, int64_t part) {
  const int64_t n = g->job->m.entries, each = n / g->parts, rest = n % g->parts;
  return part * each + (part < rest ? part : rest);
}

// Keys that were checked are taken as they are.
#define KEY(I, key) (within ? (int64_t)(key) : cp_sparse_place_##I(key, last))

#define COUNT(I)                                                                                             \
  static inline __attribute__((always_inline)) void count_part_##I(const grouping *g, cp_tasks *tasks,       \
                                                                   int64_t part, const bool within) {        \
    const cp_sparse_group_job *j = g->job;                                                                   \
    const I *keys = j->keys;                                                                                 \
    I *table = (I *)g->tables + part * j->groups;                                                            \
    int64_t k = first_of(g, part), end = first_of(g, part + 1), last = j->groups - 1;                        \
    while (k < end && cp_go_on(tasks)) {                                                                     \
      const int64_t to = end - k < PIECE ? end : k + PIECE;                                                  \
      for (; k < to; k++) table[KEY(I, keys[k])]++;                                                          \
    }                                                                                                        \
  }                                                                                                          \
  static void count_##I(const grouping *g, cp_tasks *tasks, int64_t part) {                                  \
    if (g->job->within)                                                                                      \
      count_part_##I(g, tasks, part, true);                                                                  \
    else                                                                                                     \
      count_part_##I(g, tasks, part, false);                                                                 \
  }                                                                                                          \
  static void add_up_##I(const grouping *g) {                                                                \
    const cp_sparse_group_job *j = g->job;                                                                   \
    I *starts = j->starts, sum = 0;                                                                          \
    for (int64_t key = 0; key < j->groups; key++) {                                                          \
      starts[key] = sum;                                                                                     \
      for (int64_t part = 0; part < g->parts; part++) {                                                      \
        I *table = (I *)g->tables + part * j->groups;                                                        \
        const I count = table[key];                                                                          \
        table[key] = sum;                                                                                    \
        sum = (I)(sum + count);                                                                              \
      }                                                                                                      \
    }                                                                                                        \
    starts[j->groups] = sum;                                                                                 \
  }                                                                                                          \
  static int64_t row_of_##I(const cp_sparse_layout *m, int64_t k) {                                          \
    const I *starts = m->starts;                                                                             \
    int64_t low = 0, high = m->rows - 1;                                                                     \
    while (low < high) {                                                                                     \
      const int64_t middle = low + (high - low + 1) / 2;                                                     \
      if ((int64_t)starts[middle] <= k)                                                                      \
        low = middle;                                                                                        \
      else                                                                                                   \
        high = middle - 1;                                                                                   \
    }                                                                                                        \
    return low;                                                                                              \
  }
COUNT(int32_t)
COUNT(int64_t)

// Moves the part's entries, whose other positions are their rows unless `others` has them. (A place behind
// the end is possible only where others write the keys meanwhile.)
#define SPREAD(name, I, T)                                                                                   \
  static inline __attribute__((always_inline)) void move_part_##name(const grouping *g, cp_tasks *tasks,     \
                                                                     int64_t part, const bool within) {      \
    const cp_sparse_group_job j = *g->job; /* what is read through g might be in the results */              \
    const I *starts = j.m.starts, *keys = j.keys, *others = j.others;                                        \
    const T *values = j.values;                                                                              \
    I *table = (I *)g->tables + part * j.groups, *out_others = j.out_others;                                 \
    T *out_values = j.out_values;                                                                            \
    const int64_t last = j.groups - 1, n = j.m.entries, end = first_of(g, part + 1);                         \
    int64_t k = first_of(g, part), row = others == NULL ? row_of_##I(&j.m, k) : j.m.rows - 1;                \
    while (k < end && cp_go_on(tasks)) {                                                                     \
      const int64_t stop = end - k < PIECE ? end : k + PIECE;                                                \
      while (k < stop) {                                                                                     \
        int64_t to = stop;                                                                                   \
        if (others == NULL && row + 1 < j.m.rows && (int64_t)starts[row + 1] < stop) to = starts[row + 1];   \
        for (; k < to; k++) {                                                                                \
          const int64_t at = table[KEY(I, keys[k])]++;                                                       \
          if ((uint64_t)at >= (uint64_t)n) continue;                                                         \
          out_others[at] = others != NULL ? others[k] : (I)row;                                              \
          out_values[at] = values[k];                                                                        \
        }                                                                                                    \
        if (k < stop) row++;                                                                                 \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  static void spread_##name(const grouping *g, cp_tasks *tasks, int64_t part) {                              \
    if (g->job->within)                                                                                      \
      move_part_##name(g, tasks, part, true);                                                                \
    else                                                                                                     \
      move_part_##name(g, tasks, part, false);                                                               \
  }
#define EACH(SIZE, T) SPREAD(narrow_##SIZE, int32_t, T) SPREAD(wide_##SIZE, int64_t, T)
CP_SPARSE_SIZES(EACH)
#undef EACH

typedef void spread_part(const grouping *g, cp_tasks *tasks, int64_t part);
#define EACH(SIZE, T) [SIZE] = {spread_narrow_##SIZE, spread_wide_##SIZE},
static spread_part *const spreaders[17][2] = {CP_SPARSE_SIZES(EACH)};
#undef EACH

static void count_parts(void *data, cp_tasks *tasks) {
  const grouping *g = data;
  int64_t part;
  while (cp_next_task(tasks, &part))
    (g->job->m.index == CP_INT64 ? count_int64_t : count_int32_t)(g, tasks, part);
}

static void spread_parts(void *data, cp_tasks *tasks) {
  const grouping *g = data;
  int64_t part;
  while (cp_next_task(tasks, &part)) spreaders[g->job->item][g->job->m.index == CP_INT64](g, tasks, part);
}

cp_status cp_cpu_sparse_group(cp_context *ctx, cp_stream *s, const cp_sparse_group_job *job) {
  grouping g = {.job = job, .parts = cp_thread_count()};
  const size_t position = cp_itemsize(job->m.index);
  (void)s;
  ctx->counters.launches++;
  // More tables than this would cost more than threads gain.
  while (g.parts > 1 && (job->m.entries < g.parts * PIECE || job->groups > 2 * job->m.entries / g.parts))
    g.parts--;
  g.tables = calloc((size_t)(g.parts * job->groups) + 1, position);
  if (g.tables == NULL) return cp_no_memory("sorting entries");
  cp_status status = cp_parallel(ctx, count_parts, &g, g.parts, g.parts > 1);
  if (status == CP_OK) {
    (position == 8 ? add_up_int64_t : add_up_int32_t)(&g);
    status = cp_parallel(ctx, spread_parts, &g, g.parts, g.parts > 1);
  }
  free(g.tables);
  return status;
}

// ---- rows -------------------------------------------------------------------------------------------------

#define STARTS(I)                                                                                            \
  static int64_t starts_##I(const cp_sparse_runs_job *j, cp_tasks *tasks) {                                  \
    const I *starts = j->m.starts;                                                                           \
    I *out = j->starts;                                                                                      \
    int64_t sum = 0, k = 0;                                                                                  \
    while (k < j->count && cp_go_on(tasks)) {                                                                \
      const int64_t to = j->count - k < PIECE ? j->count : k + PIECE;                                        \
      for (; k < to; k++) {                                                                                  \
        const int64_t row = cp_sparse_place_int64_t(j->at[k], j->m.rows - 1);                                \
        const int64_t from = CP_SPARSE_FIRST(&j->m, starts, row);                                            \
        const int64_t end = CP_SPARSE_FIRST(&j->m, starts, row + 1);                                         \
        j->from[k] = from;                                                                                   \
        out[k] = (I)sum;                                                                                     \
        sum += end > from ? end - from : 0;                                                                  \
      }                                                                                                      \
    }                                                                                                        \
    out[j->count] = (I)sum;                                                                                  \
    return sum;                                                                                              \
  }
STARTS(int32_t)
STARTS(int64_t)

static void find_runs(void *data, cp_tasks *tasks) {
  const cp_sparse_runs_job *j = data;
  int64_t task;
  while (cp_next_task(tasks, &task))
    *j->entries = (j->m.index == CP_INT64 ? starts_int64_t : starts_int32_t)(j, tasks);
}

cp_status cp_cpu_sparse_runs(cp_context *ctx, cp_stream *s, const cp_sparse_runs_job *job) {
  cp_sparse_runs_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, find_runs, &copy, 1, false);
}

// ---- runs -------------------------------------------------------------------------------------------------

// Copies n bytes. Most runs are short, and a call would take longer than the copy: while both sides have
// `room` for more, whole chunks are copied; what they leave behind the run is overwritten by the next one.
static inline void copy_part(char *out, const char *from, size_t n, size_t room) {
  enum { CHUNK = 32 };
  if (n == 0) return;
  if (n > 8 * CHUNK || n + CHUNK > room) {
    memcpy(out, from, n);
    return;
  }
  size_t k = 0;
  do {
    memcpy(out + k, from + k, CHUNK);
    k += CHUNK;
  } while (k < n);
}

// Prefetches the first entries of a run that is copied soon: runs lie anywhere, and few are in a cache.
static inline void expect_run(const cp_sparse_take_job *j, int64_t r) {
  const int64_t from = cp_sparse_limit(j->from[r], j->source);
  __builtin_prefetch((const char *)j->m.columns_of + (size_t)from * cp_itemsize(j->m.index));
  __builtin_prefetch((const char *)j->values + (size_t)from * j->item);
}

// end: where the entries that this thread writes end.
static inline void copy_run(const cp_sparse_take_job *j, int64_t to, int64_t from, int64_t next,
                            int64_t end) {
  const size_t position = cp_itemsize(j->m.index);
  const int64_t rest = j->source - from, room = end - to < rest ? end - to : rest;
  const int64_t n = next - to < room ? next - to : room;
  copy_part((char *)j->columns + (size_t)to * position,
            (const char *)j->m.columns_of + (size_t)from * position, (size_t)n * position,
            (size_t)room * position);
  copy_part((char *)j->out + (size_t)to * j->item, (const char *)j->values + (size_t)from * j->item,
            (size_t)n * j->item, (size_t)room * j->item);
}

static void copy_runs(void *data, cp_tasks *tasks) {
  enum { AHEAD = 12 };
  const cp_sparse_take_job *j = data;
  int64_t first, end;
  while (cp_sparse_next(tasks, &j->m, &first, &end)) {
    const int64_t last = cp_sparse_start(&j->m, end);
    for (int64_t r = first, to = cp_sparse_start(&j->m, first); r < end; r++) {
      const int64_t next = cp_sparse_start(&j->m, r + 1), from = cp_sparse_limit(j->from[r], j->source);
      if (r + AHEAD < end) expect_run(j, r + AHEAD);
      if (next > to && next <= last) copy_run(j, to, from, next, last);
      to = next;
    }
  }
}

cp_status cp_cpu_sparse_take(cp_context *ctx, cp_stream *s, const cp_sparse_take_job *job) {
  cp_sparse_take_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, copy_runs, &copy, cp_sparse_tasks(&job->m), cp_sparse_shared(&job->m));
}

// ---- dense matrices ---------------------------------------------------------------------------------------

// Rows per task: about PIECE elements.
static int64_t dense_rows(const cp_sparse_layout *m) {
  return m->columns < PIECE ? PIECE / (m->columns + 1) + 1 : 1;
}

#define DENSE(name, I, T)                                                                                    \
  static void dense_##name(const cp_sparse_dense_job *j, int64_t first, int64_t end) {                       \
    const cp_sparse_layout *m = &j->m;                                                                       \
    const I *starts = m->starts, *at = m->columns_of;                                                        \
    const T *values = j->values;                                                                             \
    for (int64_t r = first; r < end; r++) {                                                                  \
      T *out = (T *)j->out + r * m->columns;                                                                 \
      int64_t k = CP_SPARSE_FIRST(m, starts, r), to = CP_SPARSE_FIRST(m, starts, r + 1);                     \
      memset(out, 0, (size_t)m->columns * sizeof(T));                                                        \
      for (; k < to; k++) out[cp_sparse_place_##I(at[k], m->columns - 1)] = values[k];                       \
    }                                                                                                        \
  }
#define EACH(SIZE, T) DENSE(narrow_##SIZE, int32_t, T) DENSE(wide_##SIZE, int64_t, T)
CP_SPARSE_SIZES(EACH)
#undef EACH

typedef void fill_rows(const cp_sparse_dense_job *j, int64_t first, int64_t end);
#define EACH(SIZE, T) [SIZE] = {dense_narrow_##SIZE, dense_wide_##SIZE},
static fill_rows *const fillers[17][2] = {CP_SPARSE_SIZES(EACH)};
#undef EACH

static void fill_dense(void *data, cp_tasks *tasks) {
  const cp_sparse_dense_job *j = data;
  const int64_t rows = dense_rows(&j->m);
  int64_t task;
  while (cp_next_task(tasks, &task)) {
    const int64_t first = task * rows, end = j->m.rows - first < rows ? j->m.rows : first + rows;
    fillers[j->item][j->m.index == CP_INT64](j, first, end);
  }
}

cp_status cp_cpu_sparse_dense(cp_context *ctx, cp_stream *s, const cp_sparse_dense_job *job) {
  cp_sparse_dense_job copy = *job;
  const int64_t rows = dense_rows(&job->m), tasks = job->m.rows / rows + (job->m.rows % rows != 0);
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, fill_dense, &copy, tasks, tasks > 1);
}
