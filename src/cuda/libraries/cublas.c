// Matrix products by cuBLAS.
#include "cuda/driver/graph.h"
#include "cuda/libraries/math.h"

enum { MAX_BATCH = 65535 }; // matrices per call: a limit that every version accepts

// ---- the library ----

static cpcu_cublas_table table;

static const cp_symbol symbols[] = {
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_cublas_table, field), false},
    CPCU_CUBLAS_FUNCTIONS(SYMBOL)
#undef SYMBOL
#define PLACE(field, k) (offsetof(cpcu_cublas_table, field) + (k) * sizeof table.field[0])
#define SYMBOLS(field, s, d, c, z, arguments)                                                                \
  {#s, PLACE(field, 0), false}, {#d, PLACE(field, 1), false}, {#c, PLACE(field, 2), false},                  \
      {#z, PLACE(field, 3), false},
        CPCU_CUBLAS_TYPED(SYMBOLS)
#undef SYMBOLS
            {"cublasGetStatusString", offsetof(cpcu_cublas_table, cublasGetStatusString), false},
};

static cp_library library = {
    .title = "cuBLAS",
    .names = CP_LIST("libcublas.so.13", "libcublas.so.12", "libcublas.so"),
    .second_first = cp_cuda_prefers_12,
    CP_TOOLKIT_PLACES("cublas"),
    .hint = CP_TOOLKIT_HINT("nvidia-cublas"),
    CP_FILLS(&table, symbols),
};

const char *cp_cublas_path(void) { return cp_opened_path(&library); }
bool cp_cublas_there(void) { return cp_try_library(&library); }

cp_status cp_cublas_check(cpcu_cublas_status status, const char *call) {
  if (status == CPCU_CUBLAS_STATUS_SUCCESS) return CP_OK;
  return cp_fail(status == CPCU_CUBLAS_STATUS_ALLOC_FAILED ? CP_EMEMORY : CP_ECUDA, "%s: %s (%d)", call,
                 table.cublasGetStatusString(status), status);
}

// ---- handles ----

// A workspace of our own, of the size that NVIDIA recommends, so that cuBLAS does not allocate during calls.
// If it cannot be allocated, the library uses its own.
static void give_workspace(cp_cuda_device *d, cp_cuda_math *m) {
  size_t bytes = d->arch >= 90 ? (size_t)32 << 20 : (size_t)8 << 20;
  if (d->driver->cuMemAlloc(&m->blas_memory, bytes) != CPCU_SUCCESS) m->blas_memory = 0;
  m->blas_bytes = m->blas_memory != 0 ? bytes : 0;
  if (m->blas_memory != 0) (void)table.cublasSetWorkspace(m->blas, (void *)(uintptr_t)m->blas_memory, bytes);
}

static cp_status make_handle(cp_cuda_stream *s, cp_cuda_math *m) {
  CP_TRY(cp_cublas_check(table.cublasCreate(&m->blas), "cublasCreate"));
  CP_TRY(cp_cublas_check(table.cublasSetStream(m->blas, s->stream), "cublasSetStream"));
  give_workspace((cp_cuda_device *)s->base.device, m);
  // Half-precision products accumulate in float32, split ones too.
  return cp_cublas_check(
      table.cublasSetMathMode(m->blas,
                              (cpcu_cublas_math)(CPCU_CUBLAS_DEFAULT_MATH |
                                                 CPCU_CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
      "cublasSetMathMode");
}

static void close_blas(cp_cuda_math *m, const cpcu_driver *driver) {
  if (m->blas != NULL) (void)table.cublasDestroy(m->blas);
  if (m->blas_memory != 0) driver->cuMemFree(m->blas_memory);
  m->blas = NULL;
  m->blas_memory = 0;
  m->blas_bytes = 0;
}

cp_status cp_cublas(cp_cuda_stream *s, const cpcu_cublas_table **out, cpcu_cublas *handle) {
  cp_cuda_math *m;
  CP_TRY(cp_open_library(&library));
  CP_TRY(cp_cuda_math_of(s, &m));
  if (m->blas == NULL) {
    cp_cuda_pause();
    cp_cuda_math_closes(m, close_blas);
    cp_status status = make_handle(s, m);
    cp_cuda_resume();
    if (status != CP_OK) {
      close_blas(m, ((cp_cuda_device *)s->base.device)->driver);
      return status;
    }
  }
  if (out != NULL) *out = &table;
  *handle = m->blas;
  return CP_OK;
}

static cp_status prepare(cp_context *ctx, cp_stream *s) {
  cpcu_cublas handle;
  (void)ctx;
  return cp_cublas((cp_cuda_stream *)s, NULL, &handle);
}

// ---- products ----

cpcu_cublas_compute cp_cublas_compute(const cp_gemm *g) {
  if (g->dtype == CP_FLOAT64 || g->dtype == CP_COMPLEX128) return CPCU_CUBLAS_COMPUTE_64F;
  bool single = g->dtype == CP_FLOAT32 || g->dtype == CP_COMPLEX64;
  return g->tf32 && single ? CPCU_CUBLAS_COMPUTE_32F_FAST_TF32 : CPCU_CUBLAS_COMPUTE_32F;
}

// Multiplies `count` matrices of the batch from `first` on.
static cp_status multiply(cpcu_cublas handle, const cp_gemm *g, int64_t first, int64_t count) {
  static const double one[2] = {1, 0}, zero[2] = {0, 0};
  static const float one_single[2] = {1, 0};
  cpcu_data_type type = cp_cuda_data_type(g->dtype);
  cpcu_cublas_compute compute = cp_cublas_compute(g);
  const void *alpha = compute == CPCU_CUBLAS_COMPUTE_64F ? (const void *)one : one_single;
  int64_t item = (int64_t)cp_itemsize(g->dtype);
  const char *a = (const char *)g->a + first * g->step_a * item,
             *b = (const char *)g->b + first * g->step_b * item;
  char *c = (char *)g->c + first * g->step_c * item;
  cpcu_cublas_operation ta = g->turn_a ? CPCU_CUBLAS_OP_T : CPCU_CUBLAS_OP_N,
                        tb = g->turn_b ? CPCU_CUBLAS_OP_T : CPCU_CUBLAS_OP_N;
  if (count == 1)
    return cp_cublas_check(table.cublasGemmEx(handle, ta, tb, g->m, g->n, g->k, alpha, a, type, g->lda, b,
                                              type, g->ldb, zero, c, type, g->ldc, compute,
                                              CPCU_CUBLAS_GEMM_DEFAULT),
                           "cublasGemmEx");
  return cp_cublas_check(table.cublasGemmStridedBatchedEx(handle, ta, tb, g->m, g->n, g->k, alpha, a, type,
                                                          g->lda, g->step_a, b, type, g->ldb, g->step_b, zero,
                                                          c, type, g->ldc, g->step_c, count, compute,
                                                          CPCU_CUBLAS_GEMM_DEFAULT),
                         "cublasGemmStridedBatchedEx");
}

static cp_status gemm(cp_stream *s, const cp_gemm *g) {
  cpcu_cublas handle;
  bool did = false;
  CP_TRY(cp_cublas((cp_cuda_stream *)s, NULL, &handle));
  if (cp_cuda_is_tall(g)) {
    const cp_cuda_math *m = ((cp_cuda_stream *)s)->math;
    CP_TRY(cp_cuda_tall((cp_cuda_stream *)s, g, m->blas_memory, m->blas_bytes, &did));
  }
  if (did) return CP_OK;
  for (int64_t first = 0; first < g->count; first += MAX_BATCH)
    CP_TRY(multiply(handle, g, first, g->count - first < MAX_BATCH ? g->count - first : MAX_BATCH));
  return CP_OK;
}

const cp_blas_ops cp_cuda_blas = {.half = true, .prepare = prepare, .gemm = gemm, .fused = cp_cublaslt_fused};
