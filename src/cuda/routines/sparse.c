// Sparse matrices on a GPU: launches kernels/routine/sparse_rows.cu, sparse_product.cu, sparse_matrix.cu and
// sparse_solve.cu.
#include "routines/sparse.h"

#include "cuda/driver/cuda.h"

// ORDER as in the kernels.
enum {
  BLOCK = 256,
  WARP = 32,
  CHECK_LANES = 8, // per row
  TILE = 2048,     // entries per block
  SMALL = 1 << 16, // entries up to which a second launch costs more than uneven rows
  LONG = 24,       // average entries per row from which on a warp per row reads evenly
  EVEN = 16        // a row with more times the average makes rows uneven
};

static cp_cuda_device *device_of(cp_stream *s) { return (cp_cuda_device *)s->device; }

static const char *name_of(cp_dtype t) { return cp_dtypes[t].name; }

// Launches a kernel with one thread for each of `threads` pieces of work.
static cp_status launch(cp_context *ctx, cp_stream *s, const cp_cuda_function *f, int64_t threads,
                        const uint64_t *slots) {
  int64_t blocks = cp_divide_up(threads, BLOCK);
  if (blocks > INT32_MAX) return cp_fail(CP_EUSAGE, "there are more elements than one kernel can take");
  return cp_cuda_launch(ctx, (cp_cuda_stream *)s, f, (unsigned)blocks, BLOCK, 0, slots);
}

// ---- rows -------------------------------------------------------------------------------------------------

static cp_status run_rows(cp_context *ctx, cp_stream *s, const cp_sparse_layout *m, const char *mode,
                          void *result, int64_t threads) {
  cp_cuda_function *f;
  const uint64_t slots[] = {(uintptr_t)m->starts, (uintptr_t)m->columns_of, (uintptr_t)result,
                            (uint64_t)m->rows,    (uint64_t)m->columns,     (uint64_t)m->entries};
  CP_TRY(cp_cuda_routine(ctx, device_of(s), "sparse_rows", &f, "MODE=%s INDEX=%s", mode, name_of(m->index)));
  return launch(ctx, s, f, threads, slots);
}

static cp_status check(cp_context *ctx, cp_stream *s, const cp_sparse_check_job *job) {
  enum { PLACES = CP_SPARSE_BAD_ENTRY + 1 };
  CP_TRY(cp_cuda_fill_bytes(s, job->facts, 0xff, PLACES * sizeof *job->facts));
  CP_TRY(cp_cuda_fill_bytes(s, job->facts + PLACES, 0, (CP_SPARSE_FACTS - PLACES) * sizeof *job->facts));
  return run_rows(ctx, s, &job->m, "check", job->facts, job->m.rows * CHECK_LANES);
}

static cp_status rows(cp_context *ctx, cp_stream *s, const cp_sparse_rows_job *job) {
  return run_rows(ctx, s, &job->m, "rows", job->out, job->m.entries);
}

// ---- products ---------------------------------------------------------------------------------------------

static int64_t average(const cp_sparse_layout *m) {
  return cp_divide_up(m->entries, m->rows > 0 ? m->rows : 1);
}

static int64_t tile(const cp_sparse_product_job *j) {
  if (j->width != 1 || j->m.entries <= SMALL) return 0;
  bool even = j->longest <= EVEN * average(&j->m);
  return even && average(&j->m) >= LONG ? 0 : TILE;
}

static cp_status find(cp_context *ctx, cp_cuda_device *d, const cp_sparse_product_job *j, const char *mode,
                      int lanes, cp_cuda_function **f) {
  bool carry = mode[0] == 'c'; // which uses neither positions nor x
  return cp_cuda_routine(ctx, d, "sparse_product", f, "MODE=%s T=%s INDEX=%s SUM=%d LANES=%d", mode,
                         name_of(j->dtype), carry ? "int32" : name_of(j->m.index), !carry && j->x == NULL,
                         lanes);
}

static cp_status times_vector(cp_context *ctx, cp_stream *s, const cp_sparse_product_job *j) {
  cp_cuda_device *d = device_of(s);
  cp_cuda_function *f, *add;
  cpcu_deviceptr carries = 0, counters;
  int64_t tiles = cp_divide_up(j->m.entries, TILE);
  size_t size = cp_itemsize(j->dtype);
  bool tiled = tile(j) != 0 && j->tiles != NULL;
  int lanes = 1;
  while (!tiled && lanes < WARP && lanes < average(&j->m)) lanes *= 2;
  CP_TRY(find(ctx, d, j, tiled ? "tile" : "vector", lanes, &f));
  if (tiled) CP_TRY(find(ctx, d, j, "carry", 1, &add));
  if (tiled)
    CP_TRY(cp_cuda_workspace((cp_cuda_stream *)s, (size_t)tiles * (size + sizeof(int64_t)), 0, &carries,
                             &counters));
  const uint64_t slots[] = {(uintptr_t)j->m.starts,
                            (uintptr_t)j->m.columns_of,
                            (uintptr_t)j->values,
                            (uintptr_t)j->x,
                            (uintptr_t)j->out,
                            (uint64_t)j->m.rows,
                            (uint64_t)j->m.columns,
                            (uint64_t)j->m.entries,
                            (uintptr_t)j->tiles,
                            carries,
                            carries + (uint64_t)tiles * size,
                            (uint64_t)tiles};
  if (!tiled) return launch(ctx, s, f, j->m.rows * lanes, slots);
  CP_TRY(launch(ctx, s, f, tiles * BLOCK, slots));
  return launch(ctx, s, add, tiles * WARP, slots);
}

static cp_status times_matrix(cp_context *ctx, cp_stream *s, const cp_sparse_product_job *j) {
  cp_cuda_function *f;
  int lanes = 2, each = 1;
  while (lanes < WARP && lanes < j->width) lanes *= 2;
  while (each < 4 && lanes * each < j->width) each *= 2;
  int64_t across = cp_divide_up(j->width, lanes * each);
  const uint64_t slots[] = {(uintptr_t)j->m.starts, (uintptr_t)j->m.columns_of, (uintptr_t)j->values,
                            (uintptr_t)j->x,        (uintptr_t)j->out,          (uint64_t)j->m.rows,
                            (uint64_t)j->m.columns, (uint64_t)j->m.entries,     (uint64_t)j->width,
                            (uint64_t)across};
  CP_TRY(cp_cuda_routine(ctx, device_of(s), "sparse_matrix", &f, "T=%s INDEX=%s LANES=%d EACH=%d",
                         name_of(j->dtype), name_of(j->m.index), lanes, each));
  return launch(ctx, s, f, j->m.rows * across * lanes, slots);
}

static cp_status product(cp_context *ctx, cp_stream *s, const cp_sparse_product_job *j) {
  return j->width == 1 ? times_vector(ctx, s, j) : times_matrix(ctx, s, j);
}

// ---- triangular systems -----------------------------------------------------------------------------------

// The counter of rows and a word for each row.
static size_t solve_scratch(const cp_sparse_solve_job *j) {
  return ((size_t)j->m.rows + 1) * sizeof *j->ready;
}

static cp_status solve(cp_context *ctx, cp_stream *s, const cp_sparse_solve_job *j) {
  cp_cuda_function *f;
  const uint64_t slots[] = {
      (uintptr_t)j->m.starts, (uintptr_t)j->m.columns_of, (uintptr_t)j->values,
      (uintptr_t)j->x,        (uint64_t)j->m.rows,        (uint64_t)j->m.entries,
      (uint64_t)j->width,     (uintptr_t)j->ready,        (uint64_t)j->lower | (uint64_t)j->unit << 1};
  CP_TRY(cp_cuda_routine(ctx, device_of(s), "sparse_solve", &f, "T=%s INDEX=%s", name_of(j->dtype),
                         name_of(j->m.index)));
  CP_TRY(cp_cuda_fill_bytes(s, j->ready, 0, solve_scratch(j)));
  return launch(ctx, s, f, j->m.rows * WARP, slots);
}

const cp_sparse_ops cp_cuda_sparse_ops = {.check = check,
                                          .rows = rows,
                                          .tile = tile,
                                          .product = product,
                                          .solve_scratch = solve_scratch,
                                          .solve = solve};
