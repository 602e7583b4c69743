// What the CPU device's functions for sparse matrices share.
#ifndef CP_CPU_ROUTINES_SPARSE_H
#define CP_CPU_ROUTINES_SPARSE_H

#include "host/threads.h"
#include "routines/sparse.h"

// Rows of m are split into tasks, each a run of rows with about WORK entries. These are the number of tasks,
// and whether they are worth sharing.
int64_t cp_sparse_tasks(const cp_sparse_layout *m);
bool cp_sparse_shared(const cp_sparse_layout *m);
// Takes the next task's rows; false: none is left.
bool cp_sparse_next(cp_tasks *tasks, const cp_sparse_layout *m, int64_t *first, int64_t *end);

cp_status cp_cpu_sparse_product(cp_context *ctx, cp_stream *s, const cp_sparse_product_job *job);
cp_status cp_cpu_sparse_solve(cp_context *ctx, cp_stream *s, const cp_sparse_solve_job *job);
cp_status cp_cpu_sparse_incomplete(cp_context *ctx, cp_stream *s, const cp_sparse_incomplete_job *job,
                                   int64_t *singular);

// The entries of row r, limited to those that exist, in arrays of positions of type I.
#define CP_SPARSE_FIRST(m, starts, r) cp_sparse_limit((int64_t)(starts)[r], (m)->entries)
static inline int64_t cp_sparse_limit(int64_t v, int64_t most) { return v < 0 ? 0 : v > most ? most : v; }
// A position in range: `last` instead of one that is not.
static inline int64_t cp_sparse_place(int64_t v, int64_t last) {
  return (uint64_t)v <= (uint64_t)last ? v : last;
}

#endif
