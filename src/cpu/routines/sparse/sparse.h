// What the CPU device's functions for sparse matrices share.
#ifndef CP_CPU_ROUTINES_SPARSE_H
#define CP_CPU_ROUTINES_SPARSE_H

#include "host/threads.h"
#include "routines/sparse.h"

// Rows of m are split into tasks, each a run of rows with about WORK entries. These are the number of tasks,
// and whether they are worth sharing.
int64_t cp_sparse_tasks(const cp_sparse_layout *m);
bool cp_sparse_shared(const cp_sparse_layout *m);
void cp_sparse_rows_of(const cp_sparse_layout *m, int64_t task, int64_t *first, int64_t *end);
// Takes the next task's rows; false: none is left.
bool cp_sparse_next(cp_tasks *tasks, const cp_sparse_layout *m, int64_t *first, int64_t *end);

cp_status cp_cpu_sparse_product(cp_context *ctx, cp_stream *s, const cp_sparse_product_job *job);
cp_status cp_cpu_sparse_sample(cp_context *ctx, cp_stream *s, const cp_sparse_sample_job *job);
cp_status cp_cpu_sparse_solve(cp_context *ctx, cp_stream *s, const cp_sparse_solve_job *job);
cp_status cp_cpu_sparse_incomplete(cp_context *ctx, cp_stream *s, const cp_sparse_incomplete_job *job,
                                   int64_t *singular);

// The entries of row r, limited to those that exist, in arrays of positions of type I.
#define CP_SPARSE_FIRST(m, starts, r) cp_sparse_limit((int64_t)(starts)[r], (m)->entries)
static inline int64_t cp_sparse_limit(int64_t v, int64_t most) { return v < 0 ? 0 : v > most ? most : v; }
static inline int64_t cp_sparse_start(const cp_sparse_layout *m, int64_t r) {
  return m->index == CP_INT64 ? CP_SPARSE_FIRST(m, (const int64_t *)m->starts, r)
                              : CP_SPARSE_FIRST(m, (const int32_t *)m->starts, r);
}
// A position in range: `last` instead of one that is not. For each type of positions, as the narrow one takes
// one instruction less.
static inline int64_t cp_sparse_place_int64_t(int64_t v, int64_t last) {
  return (uint64_t)v <= (uint64_t)last ? v : last;
}
static inline int64_t cp_sparse_place_int32_t(int32_t v, int64_t last) {
  const uint32_t place = (uint32_t)v, most = last < INT32_MAX ? (uint32_t)last : INT32_MAX;
  return (int64_t)(place <= most ? place : most);
}

// Arithmetic of each dtype: sum + v * w, sum - v * w and sum + v, in sum.
#define CP_SPARSE_REAL_STEP(sum, v, w)  ((sum) += (v) * (w))
#define CP_SPARSE_REAL_TIMES(out, v, w) ((out) = (v) * (w))
#define CP_SPARSE_REAL_BACK(sum, v, w)  ((sum) -= (v) * (w))
#define CP_SPARSE_REAL_SUM(sum, v)      ((sum) += (v))
#define CP_SPARSE_PARTS_STEP(sum, v, w)                                                                      \
  ((sum).re += (v).re * (w).re + -(v).im * (w).im, (sum).im += (v).re * (w).im + (v).im * (w).re)
#define CP_SPARSE_PARTS_TIMES(out, v, w)                                                                     \
  ((out).re = (v).re * (w).re + -(v).im * (w).im, (out).im = (v).re * (w).im + (v).im * (w).re)
#define CP_SPARSE_PARTS_BACK(sum, v, w)                                                                      \
  ((sum).re += -(v).re * (w).re + (v).im * (w).im, (sum).im += -(v).re * (w).im + -(v).im * (w).re)
#define CP_SPARSE_PARTS_SUM(sum, v) ((sum).re += (v).re, (sum).im += (v).im)

// EACH(dtype, C type, kind of arithmetic). Signed integers wrap as unsigned ones do.
#define CP_SPARSE_TYPES(EACH)                                                                                \
  EACH(INT32, uint32_t, REAL)                                                                                \
  EACH(INT64, uint64_t, REAL)                                                                                \
  EACH(FLOAT32, float, REAL)                                                                                 \
  EACH(FLOAT64, double, REAL)                                                                                \
  EACH(COMPLEX64, cp_complex64, PARTS)                                                                       \
  EACH(COMPLEX128, cp_complex128, PARTS)

#endif
