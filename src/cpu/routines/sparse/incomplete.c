// Incomplete factors of sparse matrices on the CPU, in the places of the matrix (routines/sparse.h): ILU(0)
// and IC(0), row by row (Saad, "Iterative Methods for Sparse Linear Systems", 10.3).
#include "cpu/routines/sparse/sparse.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 256 }; // rows between looks at an interrupt

typedef struct factoring {
  cp_sparse_incomplete_job job;
  int64_t *place; // of each column: where the current row has it; -1: nowhere
  int64_t singular;
} factoring;

#define SAME(v) (v)

// Rows ascend and have their diagonal entry. LU: divides row r's entries before the diagonal by the pivots of
// their columns and takes these multiples of the pivots' rows out of it. CHOLESKY (only places up to the
// diagonal): an entry is what the products of the parts of both rows before it leave, divided by the pivot.
// CONJUGATE: of a value; SIZE: its real part.
#define ROWS(name, T, CONJUGATE, SIZE)                                                                       \
  static int64_t diagonal_##name(const factoring *f, int64_t r) {                                            \
    const int64_t *starts = f->job.m.starts, *columns = f->job.m.columns_of;                                 \
    int64_t k = starts[r];                                                                                   \
    while (k < starts[r + 1] && columns[k] < r) k++;                                                         \
    return k < starts[r + 1] && columns[k] == r ? k : -1;                                                    \
  }                                                                                                          \
  static void lu_##name(factoring *f, int64_t r) {                                                           \
    const int64_t *starts = f->job.m.starts, *columns = f->job.m.columns_of;                                 \
    T *values = f->job.values;                                                                               \
    for (int64_t k = starts[r]; k < starts[r + 1] && columns[k] < r; k++) {                                  \
      const int64_t pivot = diagonal_##name(f, columns[k]);                                                  \
      const T multiple = values[k] / values[pivot];                                                          \
      values[k] = multiple;                                                                                  \
      for (int64_t j = pivot + 1; j < starts[columns[k] + 1]; j++)                                           \
        if (f->place[columns[j]] >= 0) values[f->place[columns[j]]] -= multiple * values[j];                 \
    }                                                                                                        \
    const int64_t own = diagonal_##name(f, r);                                                               \
    if (own < 0 || values[own] == 0) f->singular = r + 1;                                                    \
  }                                                                                                          \
  static void cholesky_##name(factoring *f, int64_t r) {                                                     \
    const int64_t *starts = f->job.m.starts, *columns = f->job.m.columns_of;                                 \
    T *values = f->job.values;                                                                               \
    for (int64_t k = starts[r]; k < starts[r + 1] && columns[k] <= r; k++) {                                 \
      const int64_t c = columns[k];                                                                          \
      T left = values[k];                                                                                    \
      int64_t j = starts[c];                                                                                 \
      for (; columns[j] < c; j++)                                                                            \
        if (f->place[columns[j]] >= 0) left -= values[f->place[columns[j]]] * CONJUGATE(values[j]);          \
      if (c < r) {                                                                                           \
        values[k] = left / values[j];                                                                        \
        continue;                                                                                            \
      }                                                                                                      \
      if (SIZE(left) > 0)                                                                                    \
        values[k] = sqrt(SIZE(left));                                                                        \
      else                                                                                                   \
        f->singular = r + 1;                                                                                 \
    }                                                                                                        \
  }
ROWS(real, double, SAME, SAME)
ROWS(complex, double complex, conj, creal)

static void factor_row(factoring *f, int64_t r) {
  const int64_t *starts = f->job.m.starts, *columns = f->job.m.columns_of;
  for (int64_t k = starts[r]; k < starts[r + 1]; k++) f->place[columns[k]] = k;
  if (f->job.dtype == CP_FLOAT64)
    (f->job.cholesky ? cholesky_real : lu_real)(f, r);
  else
    (f->job.cholesky ? cholesky_complex : lu_complex)(f, r);
  for (int64_t k = starts[r]; k < starts[r + 1]; k++) f->place[columns[k]] = -1;
}

static void factor_all(void *data, cp_tasks *tasks) {
  factoring *f = data;
  int64_t task;
  while (cp_next_task(tasks, &task))
    for (int64_t r = 0; r < f->job.m.rows && f->singular == 0 && (r % PIECE != 0 || cp_go_on(tasks)); r++)
      factor_row(f, r);
}

// Whether the rows ascend, are in range and have their diagonal entries.
static bool is_usable(const cp_sparse_layout *m) {
  const int64_t *starts = m->starts, *columns = m->columns_of;
  if (starts[0] != 0 || starts[m->rows] != m->entries) return false;
  for (int64_t r = 0; r < m->rows; r++) {
    bool has_diagonal = false;
    if (starts[r] > starts[r + 1] || starts[r + 1] > m->entries) return false;
    for (int64_t k = starts[r]; k < starts[r + 1]; k++) {
      if (columns[k] < 0 || columns[k] >= m->rows || (k > starts[r] && columns[k] <= columns[k - 1]))
        return false;
      has_diagonal |= columns[k] == r;
    }
    if (!has_diagonal) return false;
  }
  return true;
}

cp_status cp_cpu_sparse_incomplete(cp_context *ctx, cp_stream *s, const cp_sparse_incomplete_job *job,
                                   int64_t *singular) {
  factoring f = {.job = *job};
  (void)s;
  *singular = 0;
  ctx->counters.launches++;
  if (!is_usable(&job->m))
    return cp_fail(CP_EUSAGE, "the rows' columns must ascend, be in range and include the diagonal");
  f.place = malloc((size_t)job->m.rows * sizeof *f.place);
  if (f.place == NULL) return cp_no_memory("factoring a sparse array");
  for (int64_t k = 0; k < job->m.rows; k++) f.place[k] = -1;
  cp_status status = cp_parallel(ctx, factor_all, &f, 1, false);
  free(f.place);
  *singular = f.singular;
  return status;
}
