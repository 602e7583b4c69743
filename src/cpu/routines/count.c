// Counts elements by bins on the CPU (histograms). Elements are split into parts, each with a table to count
// in. The number of parts depends on the sizes alone, so sums of weights do not vary.
#include "cpu/loops/loops.h"
#include "cpu/routines/search.h"
#include "host/threads.h"

#include <stdlib.h>
#include <string.h>

enum {
  PART = 65536, // least elements per part
  MAX_PARTS = 64,
  BLOCK = 1024 // elements whose bins are computed at a time
};

typedef struct counting {
  const cp_count_job *job;
  int64_t parts;
  char *tables; // of each part but the first, which counts in the result itself
} counting;

// Bins of integers. The conversions keep values out of range out of range.
#define INTEGER_BINS(T)                                                                                      \
  static void bins_##T(const cp_count_job *j, int64_t first, size_t n, int64_t *bins) {                      \
    const T *in = (const T *)j->in + first;                                                                  \
    for (size_t k = 0; k < n; k++) bins[k] = (int64_t)in[k];                                                 \
  }
INTEGER_BINS(int8_t)
INTEGER_BINS(int16_t)
INTEGER_BINS(int32_t)
INTEGER_BINS(int64_t)
INTEGER_BINS(uint8_t)
INTEGER_BINS(uint16_t)
INTEGER_BINS(uint32_t)
INTEGER_BINS(uint64_t)

// Bins of floats: from the distance to the first edge, then corrected by comparing with the edges, since
// rounding may be off by one bin.
#define REAL_BINS(T)                                                                                         \
  static void bins_##T(const cp_count_job *j, int64_t first, size_t n, int64_t *bins) {                      \
    const T *in = (const T *)j->in + first, *edges = j->edges;                                               \
    const T low = (T)j->first, high = (T)j->last, width = high - low, count = (T)j->bins;                    \
    for (size_t k = 0; k < n; k++) {                                                                         \
      T v = in[k];                                                                                           \
      bins[k] = -1;                                                                                          \
      if (!(v >= low && v <= high)) continue;                                                                \
      T place = (v - low) / width * count; /* nan where the width is 0 or infinite */                        \
      int64_t bin = place < count ? (int64_t)place : place >= count ? j->bins - 1 : 0;                       \
      if (v < edges[bin])                                                                                    \
        bin--;                                                                                               \
      else if (bin != j->bins - 1 && v >= edges[bin + 1])                                                    \
        bin++;                                                                                               \
      bins[k] = bin;                                                                                         \
    }                                                                                                        \
  }
REAL_BINS(float)
REAL_BINS(double)

typedef void find_bins(const cp_count_job *j, int64_t first, size_t n, int64_t *bins);
static find_bins *const finders[CP_NDTYPES] = {
    [CP_BOOL] = bins_uint8_t,    [CP_INT8] = bins_int8_t,     [CP_INT16] = bins_int16_t,
    [CP_INT32] = bins_int32_t,   [CP_INT64] = bins_int64_t,   [CP_UINT8] = bins_uint8_t,
    [CP_UINT16] = bins_uint16_t, [CP_UINT32] = bins_uint32_t, [CP_UINT64] = bins_uint64_t,
    [CP_FLOAT32] = bins_float,   [CP_FLOAT64] = bins_double};

static void count_part(const counting *c, cp_tasks *tasks, int64_t part) {
  const cp_count_job *j = c->job;
  int64_t bins[BLOCK], share = j->count / c->parts + (j->count % c->parts != 0), first = part * share;
  int64_t end = j->count - first < share ? j->count : first + share;
  char *table = part == 0 ? j->out : c->tables + (size_t)((part - 1) * j->bins) * 8;
  int64_t *counts = (int64_t *)(void *)table;
  double *sums = (double *)(void *)table;
  if (part > 0) memset(table, 0, (size_t)j->bins * 8);
  for (; first < end && cp_go_on(tasks); first += BLOCK) {
    size_t n = end - first < BLOCK ? (size_t)(end - first) : BLOCK;
    finders[j->dtype](j, first, n, bins);
    for (size_t k = 0; k < n; k++) {
      if (bins[k] < 0 || bins[k] >= j->bins) continue;
      if (j->weights)
        sums[bins[k]] += j->weights[first + (int64_t)k];
      else
        counts[bins[k]]++;
    }
  }
}

static void work(void *data, cp_tasks *tasks) {
  const counting *c = data;
  int64_t part;
  while (cp_next_task(tasks, &part)) count_part(c, tasks, part);
}

static void add_table(const cp_count_job *j, const void *table, int64_t first, int64_t end) {
  for (int64_t k = first; k < end; k++) {
    if (j->weights)
      ((double *)j->out)[k] += ((const double *)table)[k];
    else
      ((int64_t *)j->out)[k] += ((const int64_t *)table)[k];
  }
}

static cp_status add_tables(cp_context *ctx, const counting *c) {
  const cp_count_job *j = c->job;
  for (int64_t p = 0; p < c->parts - 1; p++) {
    for (int64_t k = 0; k < j->bins; k += PART) {
      CP_TRY(cp_poll(ctx));
      add_table(j, c->tables + (size_t)(p * j->bins) * 8, k, j->bins - k < PART ? j->bins : k + PART);
    }
  }
  return CP_OK;
}

cp_status cp_cpu_count(cp_context *ctx, cp_stream *s, const cp_count_job *job) {
  counting c = {.job = job, .parts = job->count / PART};
  (void)s;
  if (c.parts > MAX_PARTS) c.parts = MAX_PARTS;
  if (c.parts < 1 || job->bins > job->count / c.parts / 4)
    c.parts = 1; // with this many bins, clearing and adding tables would cost more than threads gain
  ctx->counters.launches++;
  if (c.parts > 1) c.tables = malloc((size_t)((c.parts - 1) * job->bins) * 8);
  if (c.parts > 1 && c.tables == NULL) return cp_no_memory("counting");
  cp_status status = cp_parallel(ctx, work, &c, c.parts, c.parts > 1);
  if (status == CP_OK) status = add_tables(ctx, &c);
  free(c.tables);
  return status;
}
