// Decompositions by cuSOLVER, and by cuBLAS where it has batches of small matrices. Other batches run one matrix after the other on the
// stream; their status is read once, at the end.
#include "cuda/libraries/math.h"

#include "memory/allocator.h"

#include <limits.h>
#include <stdlib.h>

// Up to this size a batch of several matrices goes to the functions for batches.
enum { BATCHED_LU = 512, BATCHED_TRIANGULAR = 128, BATCHED_CHOLESKY = 512, BATCHED_EIGH = 32 };
// From this many columns on a polar decomposition is the faster way to singular values, up to so many elements that its scratch memory, four
// times those of the matrix, is not too much. In float64 it takes hardly longer than in float32 where the hardware has the units for it, and a shift
// (judge_shift) matters less.
enum { POLAR_COLUMNS = 96, POLAR_ELEMENTS = 100000000, FAST_DOUBLE = 2 };

// ---- the library ----

static cpcu_cusolver_table table;

static const cp_symbol symbols[] = {
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_cusolver_table, field), false},
    CPCU_CUSOLVER_FUNCTIONS(SYMBOL)
#undef SYMBOL
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_cusolver_table, field), true},
        CPCU_CUSOLVER_OPTIONAL(SYMBOL)
#undef SYMBOL
#define PLACE(field, k) (offsetof(cpcu_cusolver_table, field) + (k) * sizeof table.field[0])
#define SYMBOLS(field, s, d, c, z, arguments)                                                                \
  {#s, PLACE(field, 0), false}, {#d, PLACE(field, 1), false}, {#c, PLACE(field, 2), false},                  \
      {#z, PLACE(field, 3), false},
            CPCU_CUSOLVER_TYPED(SYMBOLS)
#undef SYMBOLS
};

static cp_library library = {
    .title = "cuSOLVER",
    // CUDA 12 came with number 11, CUDA 13 with number 12.
    .names = CP_LIST("libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"),
    .second_first = cp_cuda_prefers_12,
    CP_TOOLKIT_PLACES("cusolver"),
    .hint = CP_TOOLKIT_HINT("nvidia-cusolver"),
    CP_FILLS(&table, symbols),
};

const char *cp_cusolver_path(void) { return cp_opened_path(&library); }

static const char *const status_names[] = {
    "CUSOLVER_STATUS_SUCCESS",
    "CUSOLVER_STATUS_NOT_INITIALIZED",
    "CUSOLVER_STATUS_ALLOC_FAILED",
    "CUSOLVER_STATUS_INVALID_VALUE",
    "CUSOLVER_STATUS_ARCH_MISMATCH",
    "CUSOLVER_STATUS_MAPPING_ERROR",
    "CUSOLVER_STATUS_EXECUTION_FAILED",
    "CUSOLVER_STATUS_INTERNAL_ERROR",
    "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
    "CUSOLVER_STATUS_NOT_SUPPORTED",
};

static cp_status check(cpcu_cusolver_status status, const char *call) {
  if (status == CPCU_CUSOLVER_STATUS_SUCCESS) return CP_OK;
  bool known = status > 0 && (size_t)status < sizeof status_names / sizeof status_names[0];
  return cp_fail(status == CPCU_CUSOLVER_STATUS_ALLOC_FAILED ? CP_EMEMORY : CP_ECUDA, "%s: %s (%d)", call,
                 known ? status_names[status] : "cuSOLVER error", status);
}

static cp_status make_handles(cp_cuda_stream *s, cp_cuda_math *m) {
  CP_TRY(check(table.cusolverDnCreate(&m->solver), "cusolverDnCreate"));
  CP_TRY(check(table.cusolverDnSetStream(m->solver, s->stream), "cusolverDnSetStream"));
  CP_TRY(check(table.cusolverDnCreateParams(&m->params), "cusolverDnCreateParams"));
  return check(table.cusolverDnCreateSyevjInfo(&m->syevj), "cusolverDnCreateSyevjInfo");
}

void cp_cusolver_close(cp_cuda_math *m) {
  if (m->syevj != NULL) (void)table.cusolverDnDestroySyevjInfo(m->syevj);
  if (m->params != NULL) (void)table.cusolverDnDestroyParams(m->params);
  if (m->solver != NULL) (void)table.cusolverDnDestroy(m->solver);
  m->syevj = NULL;
  m->params = NULL;
  m->solver = NULL;
}

static cp_status open_solver(cp_cuda_stream *s, cp_cuda_math **out) {
  CP_TRY(cp_open_library(&library));
  CP_TRY(cp_cuda_math_of(s, out));
  if ((*out)->solver != NULL) return CP_OK;
  cp_status status = make_handles(s, *out);
  if (status != CP_OK) cp_cusolver_close(*out);
  return status;
}

// ---- a call and its scratch memory ----

typedef struct job {
  cp_context *ctx;
  cp_cuda_stream *s;
  cp_solver_call *c;
  cp_cuda_math *m;
  size_t device_bytes, host_bytes; // one matrix's scratch memory
  int elements;                    // the same in elements, for older functions
  cp_block *block;
  char *work;                // on the device
  int *infos;                // on the device, one for each matrix
  void *const *a, *const *b; // on the device: addresses of the matrices, for functions for batches
  void *host;
  bool inaccurate; // the last matrix's result: info becomes 1
} job;

static char *matrix(const cp_solver_call *c, void *p, int64_t k, int64_t size) {
  return (char *)p + (size_t)(k * size) * cp_itemsize(c->dtype);
}
static char *reals(const cp_solver_call *c, void *p, int64_t k, int64_t size) {
  return (char *)p + (size_t)(k * size) * cp_itemsize(cp_dtypes[c->dtype].real);
}

static size_t rounded(size_t bytes) { return (bytes + 255) / 256 * 256; }

// ORDER kernels/routine/addresses.cu. Longer lists than FEW are made by a kernel: copying them would wait for the device.
enum { BLOCK = 256, FEW = 2048 };

static cp_status make_addresses(const job *j, void *p, int64_t size, void *const *to) {
  cp_cuda_device *d = (cp_cuda_device *)j->s->base.device;
  cp_cuda_function *f;
  int64_t count = j->c->count;
  const uint64_t slots[] = {(uintptr_t)to, (uintptr_t)p, (uint64_t)size * cp_itemsize(j->c->dtype),
                            (uint64_t)count};
  CP_TRY(cp_cuda_routine(j->ctx, d, "addresses", &f, "BLOCK=%d", (int)BLOCK));
  CP_TRY(cp_cuda_enter(d)); // making the kernel may have run the host program's code
  return cp_cuda_launch(j->ctx, j->s, f, (unsigned)((count + BLOCK - 1) / BLOCK), BLOCK, 0, slots);
}

// Brings the addresses of the matrices at p, `size` elements each, to the device.
static cp_status send_addresses(const job *j, void *p, int64_t size, void *const *to) {
  size_t bytes = (size_t)j->c->count * sizeof(void *);
  if (j->c->count > FEW) return make_addresses(j, p, size, to);
  void **list = malloc(bytes);
  if (list == NULL) return cp_no_memory(NULL);
  for (int64_t k = 0; k < j->c->count; k++) list[k] = matrix(j->c, p, k, size);
  cp_status status = cp_cuda_copy(&j->s->base, (void *)(uintptr_t)to, list, bytes, CP_TO_DEVICE);
  free(list);
  return status;
}

// Scratch memory of device_bytes and host_bytes, and room for infos and addresses.
static cp_status make_scratch(job *j) {
  size_t count = (size_t)j->c->count, work = rounded(j->device_bytes), infos = rounded(count * sizeof(int)),
         list = rounded(count * sizeof(void *));
  cp_device *d = j->s->base.device;
  j->host = j->host_bytes > 0 ? malloc(j->host_bytes) : NULL;
  if (j->host_bytes > 0 && j->host == NULL) return cp_no_memory(NULL);
  CP_TRY(cp_context_allocate(j->ctx, d, &j->s->base, work + infos + 2 * list, &j->block));
  j->work = j->block->pointer;
  j->infos = (int *)(void *)(j->work + work);
  j->a = (void *const *)(void *)(j->work + work + infos);
  j->b = (void *const *)(void *)(j->work + work + infos + list);
  CP_TRY(cp_cuda_enter((cp_cuda_device *)d)); // the collector may have run the host program's code
  return cp_cuda_fill_bytes(&j->s->base, j->infos, 0, count * sizeof(int));
}

static cp_status read_infos(job *j) {
  cp_solver_call *c = j->c;
  int *infos = malloc((size_t)c->count * sizeof *infos);
  if (infos == NULL) return cp_no_memory(NULL);
  cp_status status = cp_cuda_copy(&j->s->base, infos, j->infos, (size_t)c->count * sizeof *infos, CP_TO_HOST);
  c->info = 0;
  c->which = -1;
  for (int64_t k = 0; status == CP_OK && k < c->count && c->info == 0; k++)
    if (infos[k] != 0) c->info = infos[k], c->which = k;
  if (j->inaccurate && c->info == 0) c->info = 1;
  free(infos);
  return status;
}

// Each function of the table: asks for sizes (which may be NULL: none), queues the work, reads the infos where it can fail.
static cp_status run_job(cp_context *ctx, cp_stream *s, cp_solver_call *c, cp_status (*sizes)(job *),
                         cp_status (*queue)(job *), bool can_fail) {
  job j = {.ctx = ctx, .s = (cp_cuda_stream *)s, .c = c};
  CP_TRY(cp_may_wait(ctx, s->device)); // no graph holds the scratch memory
  CP_TRY(open_solver(j.s, &j.m));
  if (sizes != NULL) CP_TRY(sizes(&j));
  cp_status status = make_scratch(&j);
  if (status == CP_OK) status = queue(&j);
  c->info = 0;
  c->which = -1;
  if (status == CP_OK) ctx->counters.launches++;
  if (status == CP_OK && can_fail) {
    ctx->counters.synchronizations++;
    status = read_infos(&j);
  } else if (j.host != NULL) {
    (void)cp_cuda_stream_finish(s); // host memory may be in use
  }
  if (j.block != NULL) cp_context_release(ctx, j.block);
  free(j.host);
  return status;
}

static cp_status fits(int64_t n) {
  if (n <= INT_MAX) return CP_OK;
  return cp_fail(CP_ESHAPE, "%lld elements are too many for this cuSOLVER function (at most %d)",
                 (long long)n, INT_MAX);
}

static cpcu_cublas_fill fill_of(char uplo) {
  return uplo == 'U' ? CPCU_CUBLAS_FILL_MODE_UPPER : CPCU_CUBLAS_FILL_MODE_LOWER;
}
static cpcu_cublas_operation operation_of(char trans) {
  return trans == 'T' ? CPCU_CUBLAS_OP_T : trans == 'C' ? CPCU_CUBLAS_OP_C : CPCU_CUBLAS_OP_N;
}
static int64_t smaller(const cp_solver_call *c) { return c->rows < c->columns ? c->rows : c->columns; }

static bool many(const cp_solver_call *c, int64_t largest) {
  return c->count > 1 && c->count <= INT_MAX && c->rows == c->columns && c->rows <= largest;
}

// ---- linear systems ----

static size_t pivot_size(int64_t count, int64_t rows, int64_t columns) {
  cp_solver_call c = {.count = count, .rows = rows, .columns = columns};
  return many(&c, BATCHED_LU) ? sizeof(int) : sizeof(int64_t);
}

static cp_status lu_sizes(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (many(c, BATCHED_LU)) return CP_OK;
  return check(table.getrf_bufferSize(j->m->solver, j->m->params, c->rows, c->columns, type, c->a, c->rows,
                                      type, &j->device_bytes, &j->host_bytes),
               "cusolverDnXgetrf_bufferSize");
}

static cp_status lu_queue(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (many(c, BATCHED_LU)) {
    const cpcu_cublas_table *blas;
    cpcu_cublas handle;
    CP_TRY(cp_cublas(j->s, &blas, &handle));
    CP_TRY(send_addresses(j, c->a, c->rows * c->rows, j->a));
    return cp_cublas_check(blas->getrfBatched[cp_cuda_typed(c->dtype)](
                               handle, (int)c->rows, j->a, (int)c->rows, c->pivots, j->infos, (int)c->count),
                           "cublasgetrfBatched");
  }
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(check(table.getrf(j->m->solver, j->m->params, c->rows, c->columns, type,
                             matrix(c, c->a, k, c->rows * c->columns), c->rows,
                             (int64_t *)c->pivots + k * smaller(c), type, j->work, j->device_bytes, j->host,
                             j->host_bytes, j->infos + k),
                 "cusolverDnXgetrf"));
  return CP_OK;
}

static cp_status lu_solve_queue(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (many(c, BATCHED_LU)) {
    const cpcu_cublas_table *blas;
    cpcu_cublas handle;
    int info = 0;
    CP_TRY(fits(c->right));
    CP_TRY(cp_cublas(j->s, &blas, &handle));
    CP_TRY(send_addresses(j, c->a, c->rows * c->rows, j->a));
    CP_TRY(send_addresses(j, c->b, c->rows * c->right, j->b));
    return cp_cublas_check(
        blas->getrsBatched[cp_cuda_typed(c->dtype)](handle, operation_of(c->trans), (int)c->rows,
                                                    (int)c->right, (const void *const *)j->a, (int)c->rows,
                                                    c->pivots, j->b, (int)c->rows, &info, (int)c->count),
        "cublasgetrsBatched");
  }
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(
        check(table.getrs(j->m->solver, j->m->params, operation_of(c->trans), c->rows, c->right, type,
                          matrix(c, c->a, k, c->rows * c->rows), c->rows, (int64_t *)c->pivots + k * c->rows,
                          type, matrix(c, c->b, k, c->rows * c->right), c->rows, j->infos + k),
              "cusolverDnXgetrs"));
  return CP_OK;
}

static cp_status triangular_queue(job *j) {
  static const double one[2] = {1, 0};
  static const float one_single[2] = {1, 0};
  cp_solver_call *c = j->c;
  bool single = c->dtype == CP_FLOAT32 || c->dtype == CP_COMPLEX64;
  const void *alpha = single ? (const void *)one_single : one;
  const cpcu_cublas_table *blas;
  cpcu_cublas handle;
  cpcu_cublas_diagonal diagonal = c->unit ? CPCU_CUBLAS_DIAG_UNIT : CPCU_CUBLAS_DIAG_NON_UNIT;
  CP_TRY(cp_cublas(j->s, &blas, &handle));
  if (many(c, BATCHED_TRIANGULAR) && c->right <= INT_MAX) {
    CP_TRY(send_addresses(j, c->a, c->rows * c->rows, j->a));
    CP_TRY(send_addresses(j, c->b, c->rows * c->right, j->b));
    return cp_cublas_check(blas->trsmBatched[cp_cuda_typed(c->dtype)](
                               handle, CPCU_CUBLAS_SIDE_LEFT, fill_of(c->uplo), operation_of(c->trans),
                               diagonal, (int)c->rows, (int)c->right, alpha, (const void *const *)j->a,
                               (int)c->rows, j->b, (int)c->rows, (int)c->count),
                           "cublastrsmBatched");
  }
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(cp_cublas_check(blas->trsm[cp_cuda_typed(c->dtype)](
                               handle, CPCU_CUBLAS_SIDE_LEFT, fill_of(c->uplo), operation_of(c->trans),
                               diagonal, c->rows, c->right, alpha, matrix(c, c->a, k, c->rows * c->rows),
                               c->rows, matrix(c, c->b, k, c->rows * c->right), c->rows),
                           "cublastrsm"));
  return CP_OK;
}

static cp_status cholesky_sizes(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (many(c, BATCHED_CHOLESKY)) return CP_OK;
  return check(table.potrf_bufferSize(j->m->solver, j->m->params, fill_of(c->uplo), c->rows, type, c->a,
                                      c->rows, type, &j->device_bytes, &j->host_bytes),
               "cusolverDnXpotrf_bufferSize");
}

static cp_status cholesky_queue(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (many(c, BATCHED_CHOLESKY)) {
    CP_TRY(send_addresses(j, c->a, c->rows * c->rows, j->a));
    return check(table.potrfBatched[cp_cuda_typed(c->dtype)](j->m->solver, fill_of(c->uplo), (int)c->rows,
                                                             (void **)(uintptr_t)j->a, (int)c->rows, j->infos,
                                                             (int)c->count),
                 "cusolverDnpotrfBatched");
  }
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(check(table.potrf(j->m->solver, j->m->params, fill_of(c->uplo), c->rows, type,
                             matrix(c, c->a, k, c->rows * c->rows), c->rows, type, j->work, j->device_bytes,
                             j->host, j->host_bytes, j->infos + k),
                 "cusolverDnXpotrf"));
  return CP_OK;
}

// ---- orthogonal factors ----

static cp_status qr_sizes(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  return check(table.geqrf_bufferSize(j->m->solver, j->m->params, c->rows, c->columns, type, c->a, c->rows,
                                      type, c->w, type, &j->device_bytes, &j->host_bytes),
               "cusolverDnXgeqrf_bufferSize");
}

static cp_status qr_queue(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(check(table.geqrf(j->m->solver, j->m->params, c->rows, c->columns, type,
                             matrix(c, c->a, k, c->rows * c->columns), c->rows, type,
                             matrix(c, c->w, k, smaller(c)), type, j->work, j->device_bytes, j->host,
                             j->host_bytes, j->infos + k),
                 "cusolverDnXgeqrf"));
  return CP_OK;
}

static cp_status form_q_sizes(job *j) {
  cp_solver_call *c = j->c;
  CP_TRY(fits(c->rows));
  CP_TRY(fits(c->columns));
  CP_TRY(check(table.orgqr_bufferSize[cp_cuda_typed(c->dtype)](j->m->solver, (int)c->rows, (int)c->columns,
                                                               (int)c->right, c->a, (int)c->rows, c->w,
                                                               &j->elements),
               "cusolverDnorgqr_bufferSize"));
  j->device_bytes = (size_t)j->elements * cp_itemsize(c->dtype);
  return CP_OK;
}

static cp_status form_q_queue(job *j) {
  cp_solver_call *c = j->c;
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(check(table.orgqr[cp_cuda_typed(c->dtype)](j->m->solver, (int)c->rows, (int)c->columns,
                                                      (int)c->right, matrix(c, c->a, k, c->rows * c->columns),
                                                      (int)c->rows, matrix(c, c->w, k, c->right), j->work,
                                                      j->elements, j->infos + k),
                 "cusolverDnorgqr"));
  return CP_OK;
}

static signed char svd_mode(const cp_solver_call *c) { return !c->vectors ? 'N' : c->full ? 'A' : 'S'; }

static cp_status svd_sizes(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  signed char mode = svd_mode(c);
  return check(table.gesvd_bufferSize(j->m->solver, j->m->params, mode, mode, c->rows, c->columns, type, c->a,
                                      c->rows, real, c->w, type, c->u, c->rows, type, c->v, c->columns, type,
                                      &j->device_bytes, &j->host_bytes),
               "cusolverDnXgesvd_bufferSize");
}

static cp_status svd_queue(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  signed char mode = svd_mode(c);
  int64_t u_size = c->rows * (c->full ? c->rows : c->columns);
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(
        check(table.gesvd(j->m->solver, j->m->params, mode, mode, c->rows, c->columns, type,
                          matrix(c, c->a, k, c->rows * c->columns), c->rows, real,
                          reals(c, c->w, k, c->columns), type, c->vectors ? matrix(c, c->u, k, u_size) : NULL,
                          c->rows, type, c->vectors ? matrix(c, c->v, k, c->columns * c->columns) : NULL,
                          c->columns, type, j->work, j->device_bytes, j->host, j->host_bytes, j->infos + k),
              "cusolverDnXgesvd"));
  return CP_OK;
}

static bool prefers_polar(cp_device *device, cp_dtype t, int64_t rows, int64_t columns) {
  cp_cuda_device *d = (cp_cuda_device *)device;
  int ratio = 0;
  if (columns < POLAR_COLUMNS || rows > POLAR_ELEMENTS / columns) return false;
  if (t == CP_FLOAT64 || t == CP_COMPLEX128) return true;
  return d->driver->cuDeviceGetAttribute(&ratio, CPCU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,
                                         d->device) == CPCU_SUCCESS &&
         ratio <= FAST_DOUBLE;
}

static cp_status svd_polar_sizes(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  return check(table.gesvdp_bufferSize(j->m->solver, j->m->params, CPCU_CUSOLVER_EIG_MODE_VECTOR, 1, c->rows,
                                       c->columns, type, c->a, c->rows, real, c->w, type, c->u, c->rows, type,
                                       c->v, c->columns, type, &j->device_bytes, &j->host_bytes),
               "cusolverDnXgesvdp_bufferSize");
}

// A matrix that is nearly singular is shifted a little, and its singular values with it. Whether that is more than what rounding may do
// to matrices of this size: a sixteenth of what counts as 0 beside the largest one (linalg.matrix_rank).
static cp_status judge_shift(job *j, int64_t k, double shift) {
  cp_solver_call *c = j->c;
  double largest = 0, least = (c->narrow ? 0x1p-23 : 0x1p-52) * (double)c->columns / 16;
  CP_TRY(cp_cuda_copy(&j->s->base, &largest, reals(c, c->w, k, c->columns), sizeof largest, CP_TO_HOST));
  j->inaccurate = !(shift <= least * largest);
  return CP_OK;
}

static cp_status svd_polar_queue(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  for (int64_t k = 0; k < c->count && !j->inaccurate; k++) {
    double shift = 0;
    CP_TRY(check(table.gesvdp(j->m->solver, j->m->params, CPCU_CUSOLVER_EIG_MODE_VECTOR, 1, c->rows,
                              c->columns, type, matrix(c, c->a, k, c->rows * c->columns), c->rows, real,
                              reals(c, c->w, k, c->columns), type, matrix(c, c->u, k, c->rows * c->columns),
                              c->rows, type, matrix(c, c->v, k, c->columns * c->columns), c->columns, type,
                              j->work, j->device_bytes, j->host, j->host_bytes, j->infos + k, &shift),
                 "cusolverDnXgesvdp"));
    if (shift != 0) CP_TRY(judge_shift(j, k, shift));
  }
  return CP_OK;
}

// ---- eigenvalues ----

static cpcu_cusolver_jobz jobz(const cp_solver_call *c) {
  return c->vectors ? CPCU_CUSOLVER_EIG_MODE_VECTOR : CPCU_CUSOLVER_EIG_MODE_NOVECTOR;
}

static cp_status eigh_sizes(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  if (!many(c, BATCHED_EIGH))
    return check(table.syevd_bufferSize(j->m->solver, j->m->params, jobz(c), fill_of(c->uplo), c->rows, type,
                                        c->a, c->rows, real, c->w, type, &j->device_bytes, &j->host_bytes),
                 "cusolverDnXsyevd_bufferSize");
  CP_TRY(check(table.syevjBatched_bufferSize[cp_cuda_typed(c->dtype)](
                   j->m->solver, jobz(c), fill_of(c->uplo), (int)c->rows, c->a, (int)c->rows, c->w,
                   &j->elements, j->m->syevj, (int)c->count),
               "cusolverDnsyevjBatched_bufferSize"));
  j->device_bytes = (size_t)j->elements * cp_itemsize(c->dtype);
  return CP_OK;
}

static cp_status eigh_queue(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  if (many(c, BATCHED_EIGH))
    return check(table.syevjBatched[cp_cuda_typed(c->dtype)](
                     j->m->solver, jobz(c), fill_of(c->uplo), (int)c->rows, c->a, (int)c->rows, c->w, j->work,
                     j->elements, j->infos, j->m->syevj, (int)c->count),
                 "cusolverDnsyevjBatched");
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(check(table.syevd(j->m->solver, j->m->params, jobz(c), fill_of(c->uplo), c->rows, type,
                             matrix(c, c->a, k, c->rows * c->rows), c->rows, real, reals(c, c->w, k, c->rows),
                             type, j->work, j->device_bytes, j->host, j->host_bytes, j->infos + k),
                 "cusolverDnXsyevd"));
  return CP_OK;
}

static cp_status eig_sizes(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (table.geev == NULL || table.geev_bufferSize == NULL)
    return cp_fail(
        CP_ECUDA,
        "%s has no cusolverDnXgeev: CUDA 12.8 or later is needed for eigenvalues of general matrices "
        "on the GPU; on the CPU device they are computed too (x:cpu())",
        cp_cusolver_path());
  return check(table.geev_bufferSize(j->m->solver, j->m->params, CPCU_CUSOLVER_EIG_MODE_NOVECTOR, jobz(c),
                                     c->rows, type, c->a, c->rows, type, c->w, type, NULL, c->rows, type,
                                     c->v, c->rows, type, &j->device_bytes, &j->host_bytes),
               "cusolverDnXgeev_bufferSize");
}

static cp_status eig_queue(job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  int64_t w_size = cp_is_complex(c->dtype) ? c->rows : 2 * c->rows;
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(
        check(table.geev(j->m->solver, j->m->params, CPCU_CUSOLVER_EIG_MODE_NOVECTOR, jobz(c), c->rows, type,
                         matrix(c, c->a, k, c->rows * c->rows), c->rows, type, matrix(c, c->w, k, w_size),
                         type, NULL, c->rows, type, c->vectors ? matrix(c, c->v, k, c->rows * c->rows) : NULL,
                         c->rows, type, j->work, j->device_bytes, j->host, j->host_bytes, j->infos + k),
              "cusolverDnXgeev"));
  return CP_OK;
}

// ---- the table ----

#define FUNCTION(name, sizes, can_fail)                                                                      \
  static cp_status name(cp_context *ctx, cp_stream *s, cp_solver_call *c) {                                  \
    return run_job(ctx, s, c, sizes, name##_queue, can_fail);                                                \
  }
FUNCTION(lu, lu_sizes, true)
FUNCTION(lu_solve, NULL, false)
FUNCTION(triangular, NULL, false)
FUNCTION(cholesky, cholesky_sizes, true)
FUNCTION(qr, qr_sizes, true)
FUNCTION(form_q, form_q_sizes, true)
FUNCTION(svd, svd_sizes, true)
FUNCTION(svd_polar, svd_polar_sizes, true)
FUNCTION(eigh, eigh_sizes, true)
FUNCTION(eig, eig_sizes, true)
#undef FUNCTION

const cp_solver_ops cp_cuda_solver = {
    .pivot_size = pivot_size,
    .lu = lu,
    .lu_solve = lu_solve,
    .small = CP_CUDA_SMALL,
    .small_right = CP_CUDA_SMALL_RIGHT,
    .systems = cp_cuda_systems,
    .triangular = triangular,
    .cholesky = cholesky,
    .qr = qr,
    .form_q = form_q,
    .any_shape = false,
    .svd = svd,
    .prefers_polar = prefers_polar,
    .svd_polar = svd_polar,
    .eigh = eigh,
    .eig = eig,
};
