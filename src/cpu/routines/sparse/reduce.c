// Extremes of the rows of sparse matrices on the CPU, by the loops that reduce dense arrays, and sums of
// their columns.
#include "cpu/loops/loops.h"
#include "cpu/routines/sparse/forms.h"

#include <string.h>

static void find_extremes(void *data, cp_tasks *tasks) {
  const cp_sparse_extremes_job *j = data;
  const cp_red_loops *loops = &cp_cpu_loops(j->dtype)->reds[j->least ? CP_RED_min : CP_RED_max];
  const size_t item = cp_itemsize(j->dtype);
  const char *values = j->values;
  const uint64_t zero = 0;
  int64_t first, end;
  while (cp_sparse_next(tasks, &j->m, &first, &end)) {
    char *out = (char *)j->out + (size_t)first * item;
    int64_t k = cp_sparse_start(&j->m, first);
    for (int64_t r = first; r < end; r++, out += item) {
      const int64_t to = cp_sparse_start(&j->m, r + 1), n = to - k;
      if (n > 0) {
        loops->reduce(out, values + (size_t)k * item, NULL, (size_t)n);
        if (!j->stored && n < j->m.columns) loops->combine(out, &zero, 1);
      } else {
        memset(out, 0, item);
      }
      k = to;
    }
  }
}

cp_status cp_cpu_sparse_extremes(cp_context *ctx, cp_stream *s, const cp_sparse_extremes_job *job) {
  cp_sparse_extremes_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, find_extremes, &copy, cp_sparse_tasks(&job->m), cp_sparse_shared(&job->m));
}

// ---- sums -------------------------------------------------------------------------------------------------

enum { PIECE = 65536 }; // entries between two checks for an interrupt

#define SUMS(name, I, T, SUM)                                                                                \
  static void sums_##name(const cp_sparse_sums_job *j, int64_t first, int64_t end) {                         \
    const I *at = j->m.columns_of;                                                                           \
    const T *values = j->values;                                                                             \
    const int64_t last = j->m.columns - 1;                                                                   \
    T *out = j->out;                                                                                         \
    for (int64_t k = first; k < end; k++) SUM(out[cp_sparse_place_##I(at[k], last)], values[k]);             \
  }
#define EACH(ID, T, KIND)                                                                                    \
  SUMS(ID##_narrow, int32_t, T, CP_SPARSE_##KIND##_SUM) SUMS(ID##_wide, int64_t, T, CP_SPARSE_##KIND##_SUM)
CP_SPARSE_TYPES(EACH)
#undef EACH

typedef void add_entries(const cp_sparse_sums_job *j, int64_t first, int64_t end);
#define EACH(ID, T, KIND) [CP_##ID] = {sums_##ID##_narrow, sums_##ID##_wide},
static add_entries *const adders[CP_NDTYPES][2] = {CP_SPARSE_TYPES(EACH)};
#undef EACH

static void add_all(void *data, cp_tasks *tasks) {
  const cp_sparse_sums_job *j = data;
  add_entries *f = adders[j->dtype][j->m.index == CP_INT64];
  const int64_t n = j->m.entries;
  int64_t task;
  if (!cp_next_task(tasks, &task)) return;
  memset(j->out, 0, (size_t)j->m.columns * cp_itemsize(j->dtype));
  for (int64_t k = 0; k < n && cp_go_on(tasks); k += PIECE) f(j, k, n - k < PIECE ? n : k + PIECE);
}

cp_status cp_cpu_sparse_sums(cp_context *ctx, cp_stream *s, const cp_sparse_sums_job *job) {
  cp_sparse_sums_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  return cp_parallel(ctx, add_all, &copy, 1, false);
}
