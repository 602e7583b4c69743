// Sparse matrices on the CPU (routines/sparse.h): tasks, checks, and the rows of entries. Products and
// triangular systems are in sparse_product.c.
#include "cpu/routines/sparse/sparse.h"
#include "cpu/libraries/superlu.h"

#include <pthread.h>

// Rows and entries per task.
enum { WORK = 16384 };

// ---- tasks ------------------------------------------------------------------------------------------------

static int64_t rows_per_task(const cp_sparse_layout *m) {
  int64_t average = m->entries / (m->rows > 0 ? m->rows : 1) + 1;
  return average < WORK ? WORK / average : 1;
}

int64_t cp_sparse_tasks(const cp_sparse_layout *m) {
  int64_t rows = rows_per_task(m);
  return m->rows / rows + (m->rows % rows != 0);
}

bool cp_sparse_shared(const cp_sparse_layout *m) { return m->rows + m->entries >= 2 * (int64_t)WORK; }

void cp_sparse_rows_of(const cp_sparse_layout *m, int64_t task, int64_t *first, int64_t *end) {
  const int64_t rows = rows_per_task(m);
  *first = task * rows;
  *end = m->rows - *first < rows ? m->rows : *first + rows;
}

bool cp_sparse_next(cp_tasks *tasks, const cp_sparse_layout *m, int64_t *first, int64_t *end) {
  int64_t task;
  if (!cp_next_task(tasks, &task)) return false;
  cp_sparse_rows_of(m, task, first, end);
  return true;
}

// ---- checks -----------------------------------------------------------------------------------------------

// The lower place; -1 is none.
static int64_t least(int64_t a, int64_t b) { return (uint64_t)a < (uint64_t)b ? a : b; }

// What is known of the rows first .. end - 1.
#define CHECK(I)                                                                                             \
  static void check_##I(const cp_sparse_layout *m, int64_t first, int64_t end, int64_t *facts) {             \
    const I *starts = m->starts, *columns = m->columns_of;                                                   \
    if (first == 0) facts[CP_SPARSE_BEGIN] = starts[0];                                                      \
    if (end == m->rows) facts[CP_SPARSE_END] = starts[end];                                                  \
    for (int64_t r = first; r < end; r++) {                                                                  \
      const int64_t from = starts[r], to = starts[r + 1];                                                    \
      if (from < 0 || to < from || to > m->entries) {                                                        \
        facts[CP_SPARSE_BAD_ROW] = least(facts[CP_SPARSE_BAD_ROW], r);                                       \
        continue;                                                                                            \
      }                                                                                                      \
      if (to - from > facts[CP_SPARSE_LONGEST]) facts[CP_SPARSE_LONGEST] = to - from;                        \
      for (int64_t k = from; k < to; k++) {                                                                  \
        if (columns[k] < 0 || columns[k] >= m->columns)                                                      \
          facts[CP_SPARSE_BAD_ENTRY] = least(facts[CP_SPARSE_BAD_ENTRY], k);                                 \
        if (k == from) continue;                                                                             \
        facts[CP_SPARSE_UNSORTED] |= columns[k] < columns[k - 1];                                            \
        facts[CP_SPARSE_REPEATED] |= columns[k] == columns[k - 1];                                           \
      }                                                                                                      \
    }                                                                                                        \
  }
CHECK(int32_t)
CHECK(int64_t)

// The facts of all tasks, combined under the lock of their job.
typedef struct checking {
  const cp_sparse_layout *m;
  pthread_mutex_t lock;
  int64_t *facts;
} checking;

static void begin_facts(int64_t *facts) {
  for (int k = 0; k < CP_SPARSE_FACTS; k++) facts[k] = 0;
  facts[CP_SPARSE_BAD_ROW] = facts[CP_SPARSE_BAD_ENTRY] = -1;
}

static void join_facts(int64_t *all, const int64_t *some) {
  for (int k = 0; k < CP_SPARSE_FACTS; k++) {
    if (k == CP_SPARSE_BAD_ROW || k == CP_SPARSE_BAD_ENTRY)
      all[k] = least(all[k], some[k]);
    else if (k >= CP_SPARSE_BEGIN) // known to one task
      all[k] |= some[k];
    else if (some[k] > all[k])
      all[k] = some[k];
  }
}

static void check_rows(void *data, cp_tasks *tasks) {
  checking *c = data;
  int64_t first, end, facts[CP_SPARSE_FACTS];
  begin_facts(facts);
  while (cp_sparse_next(tasks, c->m, &first, &end)) {
    if (c->m->index == CP_INT32)
      check_int32_t(c->m, first, end, facts);
    else
      check_int64_t(c->m, first, end, facts);
  }
  pthread_mutex_lock(&c->lock);
  join_facts(c->facts, facts);
  pthread_mutex_unlock(&c->lock);
}

static cp_status check(cp_context *ctx, cp_stream *s, const cp_sparse_check_job *job) {
  checking c = {.m = &job->m, .lock = PTHREAD_MUTEX_INITIALIZER, .facts = job->facts};
  (void)s;
  ctx->counters.launches++;
  begin_facts(job->facts);
  cp_status status = cp_parallel(ctx, check_rows, &c, cp_sparse_tasks(&job->m), cp_sparse_shared(&job->m));
  pthread_mutex_destroy(&c.lock);
  return status;
}

// ---- rows -------------------------------------------------------------------------------------------------

// The first row takes the entries before it, and the last row those behind it.
#define ROWS(I)                                                                                              \
  static void rows_##I(const cp_sparse_rows_job *j, int64_t first, int64_t end) {                            \
    const cp_sparse_layout *m = &j->m;                                                                       \
    const I *starts = m->starts;                                                                             \
    I *out = j->out;                                                                                         \
    for (int64_t r = first; r < end; r++) {                                                                  \
      int64_t k = r == 0 ? 0 : CP_SPARSE_FIRST(m, starts, r);                                                \
      int64_t to = r + 1 == m->rows ? m->entries : CP_SPARSE_FIRST(m, starts, r + 1);                        \
      for (; k < to; k++) out[k] = (I)r;                                                                     \
    }                                                                                                        \
  }
ROWS(int32_t)
ROWS(int64_t)

static void fill_rows(void *data, cp_tasks *tasks) {
  const cp_sparse_rows_job *j = data;
  int64_t first, end;
  while (cp_sparse_next(tasks, &j->m, &first, &end)) {
    if (j->m.index == CP_INT32)
      rows_int32_t(j, first, end);
    else
      rows_int64_t(j, first, end);
  }
}

static cp_status rows(cp_context *ctx, cp_stream *s, const cp_sparse_rows_job *job) {
  cp_sparse_rows_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, fill_rows, &copy, cp_sparse_tasks(&job->m), cp_sparse_shared(&job->m));
}

static int64_t parts(cp_device *d, const cp_sparse_product_job *job) {
  (void)d;
  return cp_sparse_tasks(&job->m);
}

static int64_t no_tile(const cp_sparse_product_job *job) {
  (void)job;
  return 0;
}

static size_t no_scratch(const cp_sparse_solve_job *job) {
  (void)job;
  return 0;
}

const cp_sparse_ops cp_cpu_sparse_ops = {.check = check,
                                         .rows = rows,
                                         .tile = no_tile,
                                         .parts = parts,
                                         .product = cp_cpu_sparse_product,
                                         .sample = cp_cpu_sparse_sample,
                                         .solve_scratch = no_scratch,
                                         .solve = cp_cpu_sparse_solve,
                                         .factor = cp_cpu_sparse_factor,
                                         .incomplete = cp_cpu_sparse_incomplete};
