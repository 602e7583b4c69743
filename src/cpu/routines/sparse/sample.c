// Products of dense matrices at the places of a sparse one, on the CPU. An element is summed in several
// interleaved sums, which a vector holds.
#include "cpu/routines/sparse/sparse.h"

typedef void sample_rows(const cp_sparse_sample_job *j, int64_t first, int64_t end);

#define WIDE(T) ((int64_t)(64 / sizeof(T)))

#define SAMPLE(name, I, T, STEP, SUM)                                                                        \
  static T dot_##name(const T *x, const T *y, int64_t width) {                                               \
    T sums[WIDE(T)], sum = {0};                                                                              \
    int64_t i = 0;                                                                                           \
    for (int64_t u = 0; u < WIDE(T); u++) sums[u] = (T){0};                                                  \
    for (; i + WIDE(T) <= width; i += WIDE(T))                                                               \
      for (int64_t u = 0; u < WIDE(T); u++) STEP(sums[u], x[i + u], y[i + u]);                               \
    for (int64_t u = 0; u < WIDE(T); u++) SUM(sum, sums[u]);                                                 \
    for (; i < width; i++) STEP(sum, x[i], y[i]);                                                            \
    return sum;                                                                                              \
  }                                                                                                          \
  static void sample_##name(const cp_sparse_sample_job *j, int64_t first, int64_t end) {                     \
    const cp_sparse_layout *m = &j->m;                                                                       \
    const I *starts = m->starts, *at = m->columns_of;                                                        \
    const T *x = j->x, *y = j->y;                                                                            \
    T *out = j->out;                                                                                         \
    const int64_t last = m->columns - 1, width = j->width;                                                   \
    for (int64_t r = first; r < end; r++) {                                                                  \
      int64_t k = CP_SPARSE_FIRST(m, starts, r), to = CP_SPARSE_FIRST(m, starts, r + 1);                     \
      for (; k < to; k++)                                                                                    \
        out[k] = dot_##name(x + r * width, y + cp_sparse_place_##I(at[k], last) * width, width);             \
    }                                                                                                        \
  }

#define EACH(ID, T, HOW)                                                                                     \
  SAMPLE(ID##_narrow, int32_t, T, CP_SPARSE_##HOW##_STEP, CP_SPARSE_##HOW##_SUM)                             \
  SAMPLE(ID##_wide, int64_t, T, CP_SPARSE_##HOW##_STEP, CP_SPARSE_##HOW##_SUM)
CP_SPARSE_TYPES(EACH)
#undef EACH

// By whether positions are int64, then by dtype.
static sample_rows *const loops[2][CP_NDTYPES] = {
#define EACH(ID, T, HOW) [CP_##ID] = sample_##ID##_narrow,
    {CP_SPARSE_TYPES(EACH)},
#undef EACH
#define EACH(ID, T, HOW) [CP_##ID] = sample_##ID##_wide,
    {CP_SPARSE_TYPES(EACH)}
#undef EACH
};

static void sample(void *data, cp_tasks *tasks) {
  const cp_sparse_sample_job *j = data;
  int64_t first, end;
  while (cp_sparse_next(tasks, &j->m, &first, &end)) loops[j->m.index == CP_INT64][j->dtype](j, first, end);
}

cp_status cp_cpu_sparse_sample(cp_context *ctx, cp_stream *s, const cp_sparse_sample_job *job) {
  cp_sparse_sample_job copy = *job;
  (void)s;
  ctx->counters.launches++;
  bool share = cp_sparse_shared(&job->m) || job->width * job->m.entries > (1 << 16);
  return cp_parallel(ctx, sample, &copy, cp_sparse_tasks(&job->m), share);
}
