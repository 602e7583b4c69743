// Triangular systems on a GPU: launches order.cu and solve.cu of kernels/routine/sparse.
#include "routines/sparse.h"

#include "cuda/driver/cuda.h"

enum {
  BLOCK = 256, // ORDER as in the kernels, as are
  HEAD = 16,   // the bytes of the counters before what is known or left, and
  ITEMS = 4,   // the entries that a thread counts
  WARP = 32,
  SHORT = 8,        // average entries of a row up to which one thread solves for it
  ORDERED = 1 << 18 // rows up to which all are under way at once, in whichever order
};

size_t cp_cuda_sparse_order_scratch(const cp_sparse_order_job *j) {
  return j->m.rows <= ORDERED ? 0 : HEAD + (size_t)j->m.rows * sizeof(unsigned);
}

cp_status cp_cuda_sparse_order(cp_context *ctx, cp_stream *s, const cp_sparse_order_job *j) {
  static const char *const modes[] = {"count", "begin", "follow"};
  const int64_t threads[] = {cp_divide_up(j->m.entries, ITEMS), j->m.rows, j->m.rows};
  const uint64_t slots[] = {(uintptr_t)j->m.starts, (uintptr_t)j->m.columns_of, (uintptr_t)j->order,
                            (uintptr_t)j->scratch,  (uint64_t)j->m.rows,        (uint64_t)j->m.entries,
                            (uint64_t)j->lower};
  CP_TRY(cp_cuda_fill_bytes(s, j->order, 0xff, (size_t)j->m.rows * cp_itemsize(j->m.index)));
  CP_TRY(cp_cuda_fill_bytes(s, j->scratch, 0, cp_cuda_sparse_order_scratch(j)));
  for (int k = j->m.entries > 0 ? 0 : 1; k < 3; k++) {
    cp_cuda_function *f;
    CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "sparse/order", &f, "MODE=%s INDEX=%s", modes[k],
                           cp_dtypes[j->m.index].name));
    CP_TRY(cp_cuda_launch_each(ctx, s, f, threads[k], BLOCK, slots));
  }
  return CP_OK;
}

size_t cp_cuda_sparse_solve_scratch(const cp_sparse_solve_job *j) {
  return HEAD + (size_t)j->m.rows * (size_t)j->width * cp_itemsize(j->dtype);
}

cp_status cp_cuda_sparse_solve(cp_context *ctx, cp_stream *s, const cp_sparse_solve_job *j) {
  cp_cuda_function *f;
  const uint64_t slots[] = {
      (uintptr_t)j->m.starts, (uintptr_t)j->m.columns_of, (uintptr_t)j->values,
      (uintptr_t)j->x,        (uint64_t)j->m.rows,        (uint64_t)j->m.entries,
      (uint64_t)j->width,     (uintptr_t)j->scratch,      (uint64_t)j->lower | (uint64_t)j->unit << 1,
      (uintptr_t)j->order};
  const int lanes = j->m.entries <= SHORT * j->m.rows ? 1 : WARP;
  CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "sparse/solve", &f, "T=%s INDEX=%s LANES=%d",
                         cp_dtypes[j->dtype].name, cp_dtypes[j->m.index].name, lanes));
  CP_TRY(cp_cuda_fill_bytes(s, j->scratch, 0xff, cp_cuda_sparse_solve_scratch(j)));
  CP_TRY(cp_cuda_fill_bytes(s, j->scratch, 0, HEAD));
  return cp_cuda_launch_each(ctx, s, f, j->m.rows * j->width * lanes, BLOCK, slots);
}
