// Decompositions by cuSOLVER, and by cuBLAS where that has functions for batches of small matrices. Other
// batches run one matrix after the other on the stream; their statuses are read once, at the end
// (solver_job.c).
#include "cuda/libraries/solver_job.h"

#include <limits.h>

// Largest matrices for which a batch is passed to a batched function.
enum { BATCHED_LU = 512, BATCHED_TRIANGULAR = 128, BATCHED_CHOLESKY = 512, BATCHED_EIGH = 32 };
// From this many columns on, singular values are computed faster by a polar decomposition, up to a size where
// its scratch memory, four times that of the matrix, becomes too large. In float64 this is hardly slower than
// in float32 on hardware with fast float64 units, and a shift (judge_shift) matters less.
enum { POLAR_COLUMNS = 96, POLAR_ELEMENTS = 100000000, FAST_DOUBLE = 2 };

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

static cp_status lu_sizes(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (many(c, BATCHED_LU)) return CP_OK;
  return cp_cusolver_check(j->library->getrf_bufferSize(j->m->solver, j->m->params, c->rows, c->columns, type,
                                                        c->a, c->rows, type, &j->device_bytes,
                                                        &j->host_bytes),
                           "cusolverDnXgetrf_bufferSize");
}

static cp_status lu_queue(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (many(c, BATCHED_LU)) {
    const cpcu_cublas_table *blas;
    cpcu_cublas handle;
    CP_TRY(cp_cublas(j->s, &blas, &handle));
    CP_TRY(cp_solver_addresses(j, c->a, c->rows * c->rows, j->a));
    return cp_cublas_check(blas->getrfBatched[cp_cuda_typed(c->dtype)](
                               handle, (int)c->rows, j->a, (int)c->rows, c->pivots, j->infos, (int)c->count),
                           "cublasgetrfBatched");
  }
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(cp_cusolver_check(j->library->getrf(j->m->solver, j->m->params, c->rows, c->columns, type,
                                               cp_solver_matrix(c, c->a, k, c->rows * c->columns), c->rows,
                                               (int64_t *)c->pivots + k * smaller(c), type, j->work,
                                               j->device_bytes, j->host, j->host_bytes, j->infos + k),
                             "cusolverDnXgetrf"));
  return CP_OK;
}

static cp_status lu_solve_queue(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (many(c, BATCHED_LU)) {
    const cpcu_cublas_table *blas;
    cpcu_cublas handle;
    int info = 0;
    CP_TRY(fits(c->right));
    CP_TRY(cp_cublas(j->s, &blas, &handle));
    CP_TRY(cp_solver_addresses(j, c->a, c->rows * c->rows, j->a));
    CP_TRY(cp_solver_addresses(j, c->b, c->rows * c->right, j->b));
    return cp_cublas_check(
        blas->getrsBatched[cp_cuda_typed(c->dtype)](handle, operation_of(c->trans), (int)c->rows,
                                                    (int)c->right, (const void *const *)j->a, (int)c->rows,
                                                    c->pivots, j->b, (int)c->rows, &info, (int)c->count),
        "cublasgetrsBatched");
  }
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(cp_cusolver_check(
        j->library->getrs(j->m->solver, j->m->params, operation_of(c->trans), c->rows, c->right, type,
                          cp_solver_matrix(c, c->a, k, c->rows * c->rows), c->rows,
                          (int64_t *)c->pivots + k * c->rows, type,
                          cp_solver_matrix(c, c->b, k, c->rows * c->right), c->rows, j->infos + k),
        "cusolverDnXgetrs"));
  return CP_OK;
}

static cp_status triangular_queue(cp_solver_job *j) {
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
    CP_TRY(cp_solver_addresses(j, c->a, c->rows * c->rows, j->a));
    CP_TRY(cp_solver_addresses(j, c->b, c->rows * c->right, j->b));
    return cp_cublas_check(blas->trsmBatched[cp_cuda_typed(c->dtype)](
                               handle, CPCU_CUBLAS_SIDE_LEFT, fill_of(c->uplo), operation_of(c->trans),
                               diagonal, (int)c->rows, (int)c->right, alpha, (const void *const *)j->a,
                               (int)c->rows, j->b, (int)c->rows, (int)c->count),
                           "cublastrsmBatched");
  }
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(cp_cublas_check(
        blas->trsm[cp_cuda_typed(c->dtype)](handle, CPCU_CUBLAS_SIDE_LEFT, fill_of(c->uplo),
                                            operation_of(c->trans), diagonal, c->rows, c->right, alpha,
                                            cp_solver_matrix(c, c->a, k, c->rows * c->rows), c->rows,
                                            cp_solver_matrix(c, c->b, k, c->rows * c->right), c->rows),
        "cublastrsm"));
  return CP_OK;
}

static cp_status cholesky_sizes(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (many(c, BATCHED_CHOLESKY)) return CP_OK;
  return cp_cusolver_check(j->library->potrf_bufferSize(j->m->solver, j->m->params, fill_of(c->uplo), c->rows,
                                                        type, c->a, c->rows, type, &j->device_bytes,
                                                        &j->host_bytes),
                           "cusolverDnXpotrf_bufferSize");
}

static cp_status cholesky_queue(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (many(c, BATCHED_CHOLESKY)) {
    CP_TRY(cp_solver_addresses(j, c->a, c->rows * c->rows, j->a));
    return cp_cusolver_check(j->library->potrfBatched[cp_cuda_typed(c->dtype)](
                                 j->m->solver, fill_of(c->uplo), (int)c->rows, (void **)(uintptr_t)j->a,
                                 (int)c->rows, j->infos, (int)c->count),
                             "cusolverDnpotrfBatched");
  }
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(
        cp_cusolver_check(j->library->potrf(j->m->solver, j->m->params, fill_of(c->uplo), c->rows, type,
                                            cp_solver_matrix(c, c->a, k, c->rows * c->rows), c->rows, type,
                                            j->work, j->device_bytes, j->host, j->host_bytes, j->infos + k),
                          "cusolverDnXpotrf"));
  return CP_OK;
}

// ---- orthogonal factors ----

static cp_status qr_sizes(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  return cp_cusolver_check(j->library->geqrf_bufferSize(j->m->solver, j->m->params, c->rows, c->columns, type,
                                                        c->a, c->rows, type, c->w, type, &j->device_bytes,
                                                        &j->host_bytes),
                           "cusolverDnXgeqrf_bufferSize");
}

static cp_status qr_queue(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(cp_cusolver_check(j->library->geqrf(j->m->solver, j->m->params, c->rows, c->columns, type,
                                               cp_solver_matrix(c, c->a, k, c->rows * c->columns), c->rows,
                                               type, cp_solver_matrix(c, c->w, k, smaller(c)), type, j->work,
                                               j->device_bytes, j->host, j->host_bytes, j->infos + k),
                             "cusolverDnXgeqrf"));
  return CP_OK;
}

static cp_status form_q_sizes(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  CP_TRY(fits(c->rows));
  CP_TRY(fits(c->columns));
  CP_TRY(cp_cusolver_check(
      j->library->orgqr_bufferSize[cp_cuda_typed(c->dtype)](
          j->m->solver, (int)c->rows, (int)c->columns, (int)c->right, c->a, (int)c->rows, c->w, &j->elements),
      "cusolverDnorgqr_bufferSize"));
  j->device_bytes = (size_t)j->elements * cp_itemsize(c->dtype);
  return CP_OK;
}

static cp_status form_q_queue(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(cp_cusolver_check(j->library->orgqr[cp_cuda_typed(c->dtype)](
                                 j->m->solver, (int)c->rows, (int)c->columns, (int)c->right,
                                 cp_solver_matrix(c, c->a, k, c->rows * c->columns), (int)c->rows,
                                 cp_solver_matrix(c, c->w, k, c->right), j->work, j->elements, j->infos + k),
                             "cusolverDnorgqr"));
  return CP_OK;
}

static signed char svd_mode(const cp_solver_call *c) { return !c->vectors ? 'N' : c->full ? 'A' : 'S'; }

static cp_status svd_sizes(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  signed char mode = svd_mode(c);
  return cp_cusolver_check(j->library->gesvd_bufferSize(j->m->solver, j->m->params, mode, mode, c->rows,
                                                        c->columns, type, c->a, c->rows, real, c->w, type,
                                                        c->u, c->rows, type, c->v, c->columns, type,
                                                        &j->device_bytes, &j->host_bytes),
                           "cusolverDnXgesvd_bufferSize");
}

static cp_status svd_queue(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  signed char mode = svd_mode(c);
  int64_t u_size = c->rows * (c->full ? c->rows : c->columns);
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(cp_cusolver_check(
        j->library->gesvd(j->m->solver, j->m->params, mode, mode, c->rows, c->columns, type,
                          cp_solver_matrix(c, c->a, k, c->rows * c->columns), c->rows, real,
                          cp_solver_reals(c, c->w, k, c->columns), type,
                          c->vectors ? cp_solver_matrix(c, c->u, k, u_size) : NULL, c->rows, type,
                          c->vectors ? cp_solver_matrix(c, c->v, k, c->columns * c->columns) : NULL,
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

static cp_status svd_polar_sizes(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  return cp_cusolver_check(
      j->library->gesvdp_bufferSize(j->m->solver, j->m->params, CPCU_CUSOLVER_EIG_MODE_VECTOR, 1, c->rows,
                                    c->columns, type, c->a, c->rows, real, c->w, type, c->u, c->rows, type,
                                    c->v, c->columns, type, &j->device_bytes, &j->host_bytes),
      "cusolverDnXgesvdp_bufferSize");
}

// cuSOLVER shifts a nearly singular matrix slightly, and so its singular values. This fails when the shift
// exceeds what rounding may cause in matrices of this size: a sixteenth of what counts as 0 relative to the
// largest singular value (linalg.matrix_rank).
static cp_status judge_shift(cp_solver_job *j, int64_t k, double shift) {
  cp_solver_call *c = j->c;
  double largest = 0, least = (c->narrow ? 0x1p-23 : 0x1p-52) * (double)c->columns / 16;
  CP_TRY(cp_cuda_copy(&j->s->base, &largest, cp_solver_reals(c, c->w, k, c->columns), sizeof largest,
                      CP_TO_HOST));
  j->inaccurate = !(shift <= least * largest);
  return CP_OK;
}

static cp_status svd_polar_queue(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  for (int64_t k = 0; k < c->count && !j->inaccurate; k++) {
    double shift = 0;
    CP_TRY(cp_cusolver_check(
        j->library->gesvdp(j->m->solver, j->m->params, CPCU_CUSOLVER_EIG_MODE_VECTOR, 1, c->rows, c->columns,
                           type, cp_solver_matrix(c, c->a, k, c->rows * c->columns), c->rows, real,
                           cp_solver_reals(c, c->w, k, c->columns), type,
                           cp_solver_matrix(c, c->u, k, c->rows * c->columns), c->rows, type,
                           cp_solver_matrix(c, c->v, k, c->columns * c->columns), c->columns, type, j->work,
                           j->device_bytes, j->host, j->host_bytes, j->infos + k, &shift),
        "cusolverDnXgesvdp"));
    if (shift != 0) CP_TRY(judge_shift(j, k, shift));
  }
  return CP_OK;
}

// ---- eigenvalues ----

static cpcu_cusolver_jobz jobz(const cp_solver_call *c) {
  return c->vectors ? CPCU_CUSOLVER_EIG_MODE_VECTOR : CPCU_CUSOLVER_EIG_MODE_NOVECTOR;
}

static cp_status eigh_sizes(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  if (!many(c, BATCHED_EIGH))
    return cp_cusolver_check(j->library->syevd_bufferSize(j->m->solver, j->m->params, jobz(c),
                                                          fill_of(c->uplo), c->rows, type, c->a, c->rows,
                                                          real, c->w, type, &j->device_bytes, &j->host_bytes),
                             "cusolverDnXsyevd_bufferSize");
  CP_TRY(cp_cusolver_check(j->library->syevjBatched_bufferSize[cp_cuda_typed(c->dtype)](
                               j->m->solver, jobz(c), fill_of(c->uplo), (int)c->rows, c->a, (int)c->rows,
                               c->w, &j->elements, j->m->syevj, (int)c->count),
                           "cusolverDnsyevjBatched_bufferSize"));
  j->device_bytes = (size_t)j->elements * cp_itemsize(c->dtype);
  return CP_OK;
}

static cp_status eigh_queue(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype), real = cp_cuda_data_type(cp_dtypes[c->dtype].real);
  if (many(c, BATCHED_EIGH))
    return cp_cusolver_check(j->library->syevjBatched[cp_cuda_typed(c->dtype)](
                                 j->m->solver, jobz(c), fill_of(c->uplo), (int)c->rows, c->a, (int)c->rows,
                                 c->w, j->work, j->elements, j->infos, j->m->syevj, (int)c->count),
                             "cusolverDnsyevjBatched");
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(cp_cusolver_check(j->library->syevd(j->m->solver, j->m->params, jobz(c), fill_of(c->uplo), c->rows,
                                               type, cp_solver_matrix(c, c->a, k, c->rows * c->rows), c->rows,
                                               real, cp_solver_reals(c, c->w, k, c->rows), type, j->work,
                                               j->device_bytes, j->host, j->host_bytes, j->infos + k),
                             "cusolverDnXsyevd"));
  return CP_OK;
}

static cp_status eig_sizes(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  if (j->library->geev == NULL || j->library->geev_bufferSize == NULL)
    return cp_fail(
        CP_ECUDA,
        "%s has no cusolverDnXgeev: CUDA 12.8 or later is needed for eigenvalues of general matrices "
        "on the GPU; on the CPU device they are computed too (x:cpu())",
        cp_cusolver_path());
  return cp_cusolver_check(
      j->library->geev_bufferSize(j->m->solver, j->m->params, CPCU_CUSOLVER_EIG_MODE_NOVECTOR, jobz(c),
                                  c->rows, type, c->a, c->rows, type, c->w, type, NULL, c->rows, type, c->v,
                                  c->rows, type, &j->device_bytes, &j->host_bytes),
      "cusolverDnXgeev_bufferSize");
}

static cp_status eig_queue(cp_solver_job *j) {
  cp_solver_call *c = j->c;
  cpcu_data_type type = cp_cuda_data_type(c->dtype);
  int64_t w_size = cp_is_complex(c->dtype) ? c->rows : 2 * c->rows;
  for (int64_t k = 0; k < c->count; k++)
    CP_TRY(cp_cusolver_check(
        j->library->geev(j->m->solver, j->m->params, CPCU_CUSOLVER_EIG_MODE_NOVECTOR, jobz(c), c->rows, type,
                         cp_solver_matrix(c, c->a, k, c->rows * c->rows), c->rows, type,
                         cp_solver_matrix(c, c->w, k, w_size), type, NULL, c->rows, type,
                         c->vectors ? cp_solver_matrix(c, c->v, k, c->rows * c->rows) : NULL, c->rows, type,
                         j->work, j->device_bytes, j->host, j->host_bytes, j->infos + k),
        "cusolverDnXgeev"));
  return CP_OK;
}

// ---- the table ----

#define FUNCTION(name, sizes, can_fail)                                                                      \
  static cp_status name(cp_context *ctx, cp_stream *s, cp_solver_call *c) {                                  \
    return cp_solver_run(ctx, s, c, sizes, name##_queue, can_fail);                                          \
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
    .factors_lower = true, // half the time or less: 0.9 ms, not 2.1, for 2048 x 2048 of float64
    .cholesky = cholesky,
    .qr = qr,
    .form_q = form_q,
    .any_shape = false,
    .svd = svd,
    .prefers_polar = prefers_polar,
    .svd_polar = svd_polar,
    .eigh = eigh,
    .eig = eig,
    .direct = &cp_cuda_direct,
};
