// Products with a bias and an activation by cuBLASLt, whose kernels apply both to what they store. It is
// opened when the first such product is asked for, and works on the stream's handle and workspace of
// cuBLAS.
#include "cuda/libraries/math.h"

// ---- the library ----

static cpcu_cublaslt_table table;

static const cp_symbol symbols[] = {
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_cublaslt_table, field), false},
    CPCU_CUBLASLT_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

static cp_library library = {
    .title = "cuBLASLt",
    .names = CP_LIST("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"),
    .second_first = cp_cuda_prefers_12,
    CP_TOOLKIT_PLACES("cublas"),
    .hint = CP_TOOLKIT_HINT("nvidia-cublas"),
    CP_FILLS(&table, symbols),
};

// ---- a product ----

// What a call is described by; each is NULL before it is made.
typedef struct description {
  cpcu_lt_operation operation;
  cpcu_lt_layout a, b, c;
  cpcu_lt_preference preference;
} description;

static void forget(description *d) {
  if (d->preference != NULL) (void)table.end_preference(d->preference);
  if (d->c != NULL) (void)table.end_layout(d->c);
  if (d->b != NULL) (void)table.end_layout(d->b);
  if (d->a != NULL) (void)table.end_layout(d->a);
  if (d->operation != NULL) (void)table.end_operation(d->operation);
}

static int epilogue_of(const cp_epilogue *e) {
  const bool bias = e->bias != NULL;
  switch (e->activation) {
  case CP_ACTIVATION_RELU: return bias ? CPCU_CUBLASLT_EPILOGUE_RELU_BIAS : CPCU_CUBLASLT_EPILOGUE_RELU;
  case CP_ACTIVATION_GELU_TANH: return bias ? CPCU_CUBLASLT_EPILOGUE_GELU_BIAS : CPCU_CUBLASLT_EPILOGUE_GELU;
  default: return bias ? CPCU_CUBLASLT_EPILOGUE_BIAS : CPCU_CUBLASLT_EPILOGUE_DEFAULT;
  }
}

static cp_status set_operation(cpcu_lt_operation operation, cpcu_lt_attribute which, const void *value,
                               size_t bytes) {
  return cp_cublas_check(table.set_operation(operation, which, value, bytes),
                         "cublasLtMatmulDescSetAttribute");
}

static cp_status describe_operation(description *d, const cp_gemm *g, const cp_epilogue *e) {
  const cpcu_cublas_operation ta = g->turn_a ? CPCU_CUBLAS_OP_T : CPCU_CUBLAS_OP_N,
                              tb = g->turn_b ? CPCU_CUBLAS_OP_T : CPCU_CUBLAS_OP_N;
  const int epilogue = epilogue_of(e);
  CP_TRY(cp_cublas_check(table.make_operation(&d->operation, cp_cublas_compute(g), CPCU_R_32F),
                         "cublasLtMatmulDescCreate"));
  CP_TRY(set_operation(d->operation, CPCU_CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta));
  CP_TRY(set_operation(d->operation, CPCU_CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof tb));
  CP_TRY(set_operation(d->operation, CPCU_CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
  if (e->bias == NULL) return CP_OK;
  return set_operation(d->operation, CPCU_CUBLASLT_MATMUL_DESC_BIAS_POINTER, &e->bias, sizeof e->bias);
}

// A matrix of so many rows and columns as it lies in memory: op(x) has them the other way where it is turned.
static cp_status describe_matrix(cpcu_lt_layout *layout, cp_dtype t, bool turned, int64_t rows,
                                 int64_t columns, int64_t leading) {
  return cp_cublas_check(table.make_layout(layout, cp_cuda_data_type(t), (uint64_t)(turned ? columns : rows),
                                           (uint64_t)(turned ? rows : columns), leading),
                         "cublasLtMatrixLayoutCreate");
}

static cp_status prefer(cpcu_lt_preference preference, cpcu_lt_wish which, const void *value, size_t bytes) {
  return cp_cublas_check(table.set_preference(preference, which, value, bytes),
                         "cublasLtMatmulPreferenceSetAttribute");
}

// The greatest power of 2 up to 256 that divides the address.
static uint32_t alignment_of(const void *p) {
  const uintptr_t bits = (uintptr_t)p | 256;
  return (uint32_t)(bits & (~bits + 1));
}

// Kernels that need no more than the stream's workspace and the matrices' alignment, and add up partial sums
// in float32, as cuBLAS is told to.
static cp_status describe_preference(description *d, const cp_gemm *g, size_t workspace) {
  const uint32_t reduction = CPCU_CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, a = alignment_of(g->a),
                 b = alignment_of(g->b), c = alignment_of(g->c);
  const uint64_t bytes = workspace;
  CP_TRY(cp_cublas_check(table.make_preference(&d->preference), "cublasLtMatmulPreferenceCreate"));
  CP_TRY(prefer(d->preference, CPCU_CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes));
  CP_TRY(
      prefer(d->preference, CPCU_CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reduction, sizeof reduction));
  CP_TRY(prefer(d->preference, CPCU_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &a, sizeof a));
  CP_TRY(prefer(d->preference, CPCU_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &b, sizeof b));
  CP_TRY(prefer(d->preference, CPCU_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &c, sizeof c));
  return prefer(d->preference, CPCU_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &c, sizeof c);
}

static cp_status describe(description *d, const cp_gemm *g, const cp_epilogue *e, size_t workspace) {
  CP_TRY(describe_operation(d, g, e));
  CP_TRY(describe_matrix(&d->a, g->dtype, g->turn_a, g->m, g->k, g->lda));
  CP_TRY(describe_matrix(&d->b, g->dtype, g->turn_b, g->k, g->n, g->ldb));
  CP_TRY(describe_matrix(&d->c, g->dtype, false, g->m, g->n, g->ldc));
  return describe_preference(d, g, workspace);
}

static cp_status multiply(cp_cuda_stream *s, const description *d, const cp_gemm *g, bool *did) {
  static const float one = 1, zero = 0;
  const cp_cuda_math *m = s->math;
  const cpcu_lt handle = (cpcu_lt)(void *)m->blas; // one of cuBLAS is one of cuBLASLt
  cpcu_lt_found found;
  int count = 0;
  if (table.find(handle, d->operation, d->a, d->b, d->c, d->c, d->preference, 1, &found, &count) !=
          CPCU_CUBLAS_STATUS_SUCCESS ||
      count == 0 || found.state != CPCU_CUBLAS_STATUS_SUCCESS)
    return CP_OK;
  *did = true;
  return cp_cublas_check(table.multiply(handle, d->operation, &one, g->a, d->a, g->b, d->b, &zero, g->c, d->c,
                                        g->c, d->c, &found.algo, (void *)(uintptr_t)m->blas_memory,
                                        m->blas_bytes, s->stream),
                         "cublasLtMatmul");
}

cp_status cp_cublaslt_fused(cp_stream *stream, const cp_gemm *g, const cp_epilogue *e, bool *did) {
  cp_cuda_stream *s = (cp_cuda_stream *)stream;
  cpcu_cublas handle;
  description d = {0};
  *did = false;
  if (g->count != 1 || (g->dtype != CP_FLOAT32 && !cp_is_half(g->dtype))) return CP_OK;
  if (cp_open_library(&library) != CP_OK) return CP_OK;
  CP_TRY(cp_cublas(s, NULL, &handle));
  cp_status status = describe(&d, g, e, s->math->blas_bytes);
  if (status == CP_OK) status = multiply(s, &d, g, did);
  forget(&d);
  return status;
}
