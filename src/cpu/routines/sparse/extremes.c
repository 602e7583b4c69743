// Extremes of the rows of sparse matrices on the CPU, by the loops that reduce dense arrays.
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
