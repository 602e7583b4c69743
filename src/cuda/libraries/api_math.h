// The parts of cuBLAS, cuBLASLt, cuSOLVER (dense), cuFFT and cuRAND that cupola calls, declared by hand
// like api.h, and compared with the toolkit's headers by check_api.c. Every function but the optional ones
// is exported since CUDA 12.0.
#ifndef CP_CUDA_LIBRARIES_API_MATH_H
#define CP_CUDA_LIBRARIES_API_MATH_H

#include "cuda/driver/api.h"

#include <stdint.h>

// ---- types: our name, the toolkit's, the definition ----

struct cpcu_complex_fields {
  _Alignas(8) float x;
  float y;
};
struct cpcu_double_complex_fields {
  _Alignas(16) double x;
  double y;
};
struct cpcu_lt_algorithm_fields {
  uint64_t data[8];
};
struct cpcu_lt_found_fields {
  struct cpcu_lt_algorithm_fields algo;
  size_t workspaceSize;
  int state;
  float wavesCount;
  int reserved[4];
};

// clang-format off
#define CPCU_MATH_TYPES(CU_TYPE) \
  CU_TYPE(cpcu_data_type,          cudaDataType,         int) \
  CU_TYPE(cpcu_cublas,             cublasHandle_t,       struct cpcu_cublas_handle *) \
  CU_TYPE(cpcu_cublas_status,      cublasStatus_t,       int) \
  CU_TYPE(cpcu_cublas_operation,   cublasOperation_t,    int) \
  CU_TYPE(cpcu_cublas_fill,        cublasFillMode_t,     int) \
  CU_TYPE(cpcu_cublas_diagonal,    cublasDiagType_t,     int) \
  CU_TYPE(cpcu_cublas_side,        cublasSideMode_t,     int) \
  CU_TYPE(cpcu_cublas_math,        cublasMath_t,         int) \
  CU_TYPE(cpcu_cublas_compute,     cublasComputeType_t,  int) \
  CU_TYPE(cpcu_cublas_algorithm,   cublasGemmAlgo_t,     int) \
  CU_TYPE(cpcu_lt,                 cublasLtHandle_t,     struct cpcu_lt_handle *) \
  CU_TYPE(cpcu_lt_operation,       cublasLtMatmulDesc_t, struct cpcu_lt_operation_fields *) \
  CU_TYPE(cpcu_lt_layout,          cublasLtMatrixLayout_t, struct cpcu_lt_layout_fields *) \
  CU_TYPE(cpcu_lt_preference,      cublasLtMatmulPreference_t, struct cpcu_lt_preference_fields *) \
  CU_TYPE(cpcu_lt_attribute,       cublasLtMatmulDescAttributes_t, int) \
  CU_TYPE(cpcu_lt_wish,            cublasLtMatmulPreferenceAttributes_t, int) \
  CU_TYPE(cpcu_lt_algorithm,       cublasLtMatmulAlgo_t, struct cpcu_lt_algorithm_fields) \
  CU_TYPE(cpcu_lt_found,           cublasLtMatmulHeuristicResult_t, struct cpcu_lt_found_fields) \
  CU_TYPE(cpcu_cusolver,           cusolverDnHandle_t,   struct cpcu_cusolver_handle *) \
  CU_TYPE(cpcu_cusolver_status,    cusolverStatus_t,     int) \
  CU_TYPE(cpcu_cusolver_params,    cusolverDnParams_t,   struct cpcu_cusolver_params_handle *) \
  CU_TYPE(cpcu_cusolver_jobz,      cusolverEigMode_t,    int) \
  CU_TYPE(cpcu_syevj_info,         syevjInfo_t,          struct cpcu_syevj_handle *) \
  CU_TYPE(cpcu_cufft,              cufftHandle,          int) \
  CU_TYPE(cpcu_cufft_result,       cufftResult,          int) \
  CU_TYPE(cpcu_cufft_type,         cufftType,            int) \
  CU_TYPE(cpcu_curand,             curandGenerator_t,    struct cpcu_curand_handle *) \
  CU_TYPE(cpcu_curand_status,      curandStatus_t,       int) \
  CU_TYPE(cpcu_curand_type,        curandRngType_t,      int) \
  CU_TYPE(cpcu_curand_ordering,    curandOrdering_t,     int) \
  CU_TYPE(cpcu_complex,            cuComplex,            struct cpcu_complex_fields) \
  CU_TYPE(cpcu_double_complex,     cuDoubleComplex,      struct cpcu_double_complex_fields)
// clang-format on

#ifdef CPCU_FROM_TOOLKIT
#define CPCU_TYPEDEF(name, real, ...) typedef real name;
#else
#define CPCU_TYPEDEF(name, real, ...) typedef __VA_ARGS__ name;
#endif
CPCU_MATH_TYPES(CPCU_TYPEDEF)
#undef CPCU_TYPEDEF

// ---- constants ----

// clang-format off
#define CPCU_MATH_CONSTANTS(CU_ENUM) \
  CU_ENUM(CUDA_, R_32F,                              0) \
  CU_ENUM(CUDA_, R_64F,                              1) \
  CU_ENUM(CUDA_, R_16F,                              2) \
  CU_ENUM(CUDA_, C_32F,                              4) \
  CU_ENUM(CUDA_, C_64F,                              5) \
  CU_ENUM(CUDA_, R_16BF,                            14) \
  CU_ENUM(, CUBLAS_STATUS_SUCCESS,                   0) \
  CU_ENUM(, CUBLAS_STATUS_ALLOC_FAILED,              3) \
  CU_ENUM(, CUBLAS_OP_N,                             0) \
  CU_ENUM(, CUBLAS_OP_T,                             1) \
  CU_ENUM(, CUBLAS_OP_C,                             2) \
  CU_ENUM(, CUBLAS_FILL_MODE_LOWER,                  0) \
  CU_ENUM(, CUBLAS_FILL_MODE_UPPER,                  1) \
  CU_ENUM(, CUBLAS_DIAG_NON_UNIT,                    0) \
  CU_ENUM(, CUBLAS_DIAG_UNIT,                        1) \
  CU_ENUM(, CUBLAS_SIDE_LEFT,                        0) \
  CU_ENUM(, CUBLAS_DEFAULT_MATH,                     0) \
  CU_ENUM(, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, 16) \
  CU_ENUM(, CUBLAS_COMPUTE_32F,                     68) \
  CU_ENUM(, CUBLAS_COMPUTE_64F,                     70) \
  CU_ENUM(, CUBLAS_COMPUTE_32F_FAST_TF32,           77) \
  CU_ENUM(, CUBLAS_GEMM_DEFAULT,                    -1) \
  CU_ENUM(, CUBLASLT_MATMUL_DESC_TRANSA,             3) \
  CU_ENUM(, CUBLASLT_MATMUL_DESC_TRANSB,             4) \
  CU_ENUM(, CUBLASLT_MATMUL_DESC_EPILOGUE,           7) \
  CU_ENUM(, CUBLASLT_MATMUL_DESC_BIAS_POINTER,       8) \
  CU_ENUM(, CUBLASLT_EPILOGUE_DEFAULT,               1) \
  CU_ENUM(, CUBLASLT_EPILOGUE_RELU,                  2) \
  CU_ENUM(, CUBLASLT_EPILOGUE_BIAS,                  4) \
  CU_ENUM(, CUBLASLT_EPILOGUE_RELU_BIAS,             6) \
  CU_ENUM(, CUBLASLT_EPILOGUE_GELU,                 32) \
  CU_ENUM(, CUBLASLT_EPILOGUE_GELU_BIAS,            36) \
  CU_ENUM(, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE,  2) \
  CU_ENUM(, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,   1) \
  CU_ENUM(, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 3) \
  CU_ENUM(, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 5) \
  CU_ENUM(, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 6) \
  CU_ENUM(, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 7) \
  CU_ENUM(, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 8) \
  CU_ENUM(, CUSOLVER_STATUS_SUCCESS,                 0) \
  CU_ENUM(, CUSOLVER_STATUS_ALLOC_FAILED,            2) \
  CU_ENUM(, CUSOLVER_EIG_MODE_NOVECTOR,              0) \
  CU_ENUM(, CUSOLVER_EIG_MODE_VECTOR,                1) \
  CU_ENUM(, CUFFT_SUCCESS,                           0) \
  CU_ENUM(, CUFFT_ALLOC_FAILED,                      2) \
  CU_ENUM(, CUFFT_FORWARD,                          -1) \
  CU_ENUM(, CUFFT_INVERSE,                           1) \
  CU_ENUM(, CUFFT_R2C,                            0x2a) \
  CU_ENUM(, CUFFT_C2R,                            0x2c) \
  CU_ENUM(, CUFFT_C2C,                            0x29) \
  CU_ENUM(, CUFFT_D2Z,                            0x6a) \
  CU_ENUM(, CUFFT_Z2D,                            0x6c) \
  CU_ENUM(, CUFFT_Z2Z,                            0x69) \
  CU_ENUM(, CURAND_STATUS_SUCCESS,                   0) \
  CU_ENUM(, CURAND_STATUS_ALLOCATION_FAILED,       102) \
  CU_ENUM(, CURAND_STATUS_TYPE_ERROR,              103) \
  CU_ENUM(, CURAND_STATUS_OUT_OF_RANGE,            104) \
  CU_ENUM(, CURAND_RNG_PSEUDO_XORWOW,              101) \
  CU_ENUM(, CURAND_RNG_PSEUDO_MRG32K3A,            121) \
  CU_ENUM(, CURAND_RNG_PSEUDO_MTGP32,              141) \
  CU_ENUM(, CURAND_RNG_PSEUDO_MT19937,             142) \
  CU_ENUM(, CURAND_RNG_PSEUDO_PHILOX4_32_10,       161) \
  CU_ENUM(, CURAND_RNG_QUASI_SOBOL32,              201) \
  CU_ENUM(, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,    202) \
  CU_ENUM(, CURAND_RNG_QUASI_SOBOL64,              203) \
  CU_ENUM(, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64,    204) \
  CU_ENUM(, CURAND_ORDERING_PSEUDO_BEST,           100) \
  CU_ENUM(, CURAND_ORDERING_PSEUDO_DEFAULT,        101) \
  CU_ENUM(, CURAND_ORDERING_PSEUDO_SEEDED,         102) \
  CU_ENUM(, CURAND_ORDERING_PSEUDO_LEGACY,         103) \
  CU_ENUM(, CURAND_ORDERING_PSEUDO_DYNAMIC,        104)
// clang-format on

enum {
#define CPCU_ENUM(prefix, name, value) CPCU_##name = value,
  CPCU_MATH_CONSTANTS(CPCU_ENUM)
#undef CPCU_ENUM
};

// ---- functions ----

// CU_FN(field, symbol, arguments) as in api.h. CU_TYPED(field, symbols for float32, float64, complex64 and
// complex128, arguments of (T, R)): functions that differ only by the element type T and its real part R. The
// table has them as an array of pointers, declared with void for both.

// clang-format off
#define CPCU_CUBLAS_FUNCTIONS(CU_FN) \
  CU_FN(cublasCreate, cublasCreate_v2, (cpcu_cublas *handle)) \
  CU_FN(cublasDestroy, cublasDestroy_v2, (cpcu_cublas handle)) \
  CU_FN(cublasSetStream, cublasSetStream_v2, (cpcu_cublas handle, cpcu_stream stream)) \
  CU_FN(cublasSetWorkspace, cublasSetWorkspace_v2, (cpcu_cublas handle, void *memory, size_t bytes)) \
  CU_FN(cublasSetMathMode, cublasSetMathMode, (cpcu_cublas handle, cpcu_cublas_math mode)) \
  CU_FN(cublasGemmEx, cublasGemmEx_64, \
        (cpcu_cublas handle, cpcu_cublas_operation ta, cpcu_cublas_operation tb, int64_t m, int64_t n, \
         int64_t k, const void *alpha, const void *a, cpcu_data_type type_a, int64_t lda, const void *b, \
         cpcu_data_type type_b, int64_t ldb, const void *beta, void *c, cpcu_data_type type_c, int64_t ldc, \
         cpcu_cublas_compute compute, cpcu_cublas_algorithm algorithm)) \
  CU_FN(cublasGemmStridedBatchedEx, cublasGemmStridedBatchedEx_64, \
        (cpcu_cublas handle, cpcu_cublas_operation ta, cpcu_cublas_operation tb, int64_t m, int64_t n, \
         int64_t k, const void *alpha, const void *a, cpcu_data_type type_a, int64_t lda, long long step_a, \
         const void *b, cpcu_data_type type_b, int64_t ldb, long long step_b, const void *beta, void *c, \
         cpcu_data_type type_c, int64_t ldc, long long step_c, int64_t count, cpcu_cublas_compute compute, \
         cpcu_cublas_algorithm algorithm))

#define CPCU_CUBLASLT_FUNCTIONS(CU_FN) \
  CU_FN(make_operation, cublasLtMatmulDescCreate, \
        (cpcu_lt_operation *operation, cpcu_cublas_compute compute, cpcu_data_type scale)) \
  CU_FN(set_operation, cublasLtMatmulDescSetAttribute, \
        (cpcu_lt_operation operation, cpcu_lt_attribute which, const void *value, size_t bytes)) \
  CU_FN(end_operation, cublasLtMatmulDescDestroy, (cpcu_lt_operation operation)) \
  CU_FN(make_layout, cublasLtMatrixLayoutCreate, \
        (cpcu_lt_layout *layout, cpcu_data_type type, uint64_t rows, uint64_t columns, int64_t leading)) \
  CU_FN(end_layout, cublasLtMatrixLayoutDestroy, (cpcu_lt_layout layout)) \
  CU_FN(make_preference, cublasLtMatmulPreferenceCreate, (cpcu_lt_preference *preference)) \
  CU_FN(set_preference, cublasLtMatmulPreferenceSetAttribute, \
        (cpcu_lt_preference preference, cpcu_lt_wish which, const void *value, size_t bytes)) \
  CU_FN(end_preference, cublasLtMatmulPreferenceDestroy, (cpcu_lt_preference preference)) \
  CU_FN(find, cublasLtMatmulAlgoGetHeuristic, \
        (cpcu_lt handle, cpcu_lt_operation operation, cpcu_lt_layout a, cpcu_lt_layout b, cpcu_lt_layout c, \
         cpcu_lt_layout d, cpcu_lt_preference preference, int most, cpcu_lt_found *found, int *count)) \
  CU_FN(multiply, cublasLtMatmul, \
        (cpcu_lt handle, cpcu_lt_operation operation, const void *alpha, const void *a, \
         cpcu_lt_layout layout_a, const void *b, cpcu_lt_layout layout_b, const void *beta, const void *c, \
         cpcu_lt_layout layout_c, void *d, cpcu_lt_layout layout_d, const cpcu_lt_algorithm *algorithm, \
         void *workspace, size_t bytes, cpcu_stream stream))

#define CPCU_GETRF_BATCHED(T, R) \
  (cpcu_cublas handle, int n, T *const *a, int lda, int *pivots, int *infos, int count)
#define CPCU_GETRS_BATCHED(T, R) \
  (cpcu_cublas handle, cpcu_cublas_operation trans, int n, int right, const T *const *a, int lda, \
   const int *pivots, T *const *b, int ldb, int *info, int count)
#define CPCU_TRSM(T, R) \
  (cpcu_cublas handle, cpcu_cublas_side side, cpcu_cublas_fill uplo, cpcu_cublas_operation trans, \
   cpcu_cublas_diagonal diag, int64_t m, int64_t n, const T *alpha, const T *a, int64_t lda, T *b, \
   int64_t ldb)
#define CPCU_TRSM_BATCHED(T, R) \
  (cpcu_cublas handle, cpcu_cublas_side side, cpcu_cublas_fill uplo, cpcu_cublas_operation trans, \
   cpcu_cublas_diagonal diag, int m, int n, const T *alpha, const T *const *a, int lda, T *const *b, \
   int ldb, int count)

#define CPCU_CUBLAS_TYPED(CU_TYPED) \
  CU_TYPED(getrfBatched, cublasSgetrfBatched, cublasDgetrfBatched, cublasCgetrfBatched, cublasZgetrfBatched, \
           CPCU_GETRF_BATCHED) \
  CU_TYPED(getrsBatched, cublasSgetrsBatched, cublasDgetrsBatched, cublasCgetrsBatched, cublasZgetrsBatched, \
           CPCU_GETRS_BATCHED) \
  CU_TYPED(trsm, cublasStrsm_v2_64, cublasDtrsm_v2_64, cublasCtrsm_v2_64, cublasZtrsm_v2_64, CPCU_TRSM) \
  CU_TYPED(trsmBatched, cublasStrsmBatched, cublasDtrsmBatched, cublasCtrsmBatched, cublasZtrsmBatched, \
           CPCU_TRSM_BATCHED)

#define CPCU_CUSOLVER_FUNCTIONS(CU_FN) \
  CU_FN(cusolverDnCreate, cusolverDnCreate, (cpcu_cusolver *handle)) \
  CU_FN(cusolverDnDestroy, cusolverDnDestroy, (cpcu_cusolver handle)) \
  CU_FN(cusolverDnSetStream, cusolverDnSetStream, (cpcu_cusolver handle, cpcu_stream stream)) \
  CU_FN(cusolverDnCreateParams, cusolverDnCreateParams, (cpcu_cusolver_params *params)) \
  CU_FN(cusolverDnDestroyParams, cusolverDnDestroyParams, (cpcu_cusolver_params params)) \
  CU_FN(cusolverDnCreateSyevjInfo, cusolverDnCreateSyevjInfo, (cpcu_syevj_info *info)) \
  CU_FN(cusolverDnDestroySyevjInfo, cusolverDnDestroySyevjInfo, (cpcu_syevj_info info)) \
  CU_FN(getrf_bufferSize, cusolverDnXgetrf_bufferSize, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, int64_t m, int64_t n, cpcu_data_type type, \
         const void *a, int64_t lda, cpcu_data_type compute, size_t *device_bytes, size_t *host_bytes)) \
  CU_FN(getrf, cusolverDnXgetrf, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, int64_t m, int64_t n, cpcu_data_type type, \
         void *a, int64_t lda, int64_t *pivots, cpcu_data_type compute, void *device_memory, \
         size_t device_bytes, void *host_memory, size_t host_bytes, int *info)) \
  CU_FN(getrs, cusolverDnXgetrs, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, cpcu_cublas_operation trans, int64_t n, \
         int64_t right, cpcu_data_type type_a, const void *a, int64_t lda, const int64_t *pivots, \
         cpcu_data_type type_b, void *b, int64_t ldb, int *info)) \
  CU_FN(potrf_bufferSize, cusolverDnXpotrf_bufferSize, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, cpcu_cublas_fill uplo, int64_t n, \
         cpcu_data_type type, const void *a, int64_t lda, cpcu_data_type compute, size_t *device_bytes, \
         size_t *host_bytes)) \
  CU_FN(potrf, cusolverDnXpotrf, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, cpcu_cublas_fill uplo, int64_t n, \
         cpcu_data_type type, void *a, int64_t lda, cpcu_data_type compute, void *device_memory, \
         size_t device_bytes, void *host_memory, size_t host_bytes, int *info)) \
  CU_FN(geqrf_bufferSize, cusolverDnXgeqrf_bufferSize, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, int64_t m, int64_t n, cpcu_data_type type, \
         const void *a, int64_t lda, cpcu_data_type type_tau, const void *tau, cpcu_data_type compute, \
         size_t *device_bytes, size_t *host_bytes)) \
  CU_FN(geqrf, cusolverDnXgeqrf, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, int64_t m, int64_t n, cpcu_data_type type, \
         void *a, int64_t lda, cpcu_data_type type_tau, void *tau, cpcu_data_type compute, \
         void *device_memory, size_t device_bytes, void *host_memory, size_t host_bytes, int *info)) \
  CU_FN(syevd_bufferSize, cusolverDnXsyevd_bufferSize, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, cpcu_cusolver_jobz job, cpcu_cublas_fill uplo, \
         int64_t n, cpcu_data_type type, const void *a, int64_t lda, cpcu_data_type type_w, const void *w, \
         cpcu_data_type compute, size_t *device_bytes, size_t *host_bytes)) \
  CU_FN(syevd, cusolverDnXsyevd, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, cpcu_cusolver_jobz job, cpcu_cublas_fill uplo, \
         int64_t n, cpcu_data_type type, void *a, int64_t lda, cpcu_data_type type_w, void *w, \
         cpcu_data_type compute, void *device_memory, size_t device_bytes, void *host_memory, \
         size_t host_bytes, int *info)) \
  CU_FN(gesvd_bufferSize, cusolverDnXgesvd_bufferSize, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, signed char job_u, signed char job_v, \
         int64_t m, int64_t n, cpcu_data_type type, const void *a, int64_t lda, cpcu_data_type type_s, \
         const void *s, cpcu_data_type type_u, const void *u, int64_t ldu, cpcu_data_type type_v, \
         const void *v, int64_t ldv, cpcu_data_type compute, size_t *device_bytes, size_t *host_bytes)) \
  CU_FN(gesvd, cusolverDnXgesvd, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, signed char job_u, signed char job_v, \
         int64_t m, int64_t n, cpcu_data_type type, void *a, int64_t lda, cpcu_data_type type_s, void *s, \
         cpcu_data_type type_u, void *u, int64_t ldu, cpcu_data_type type_v, void *v, int64_t ldv, \
         cpcu_data_type compute, void *device_memory, size_t device_bytes, void *host_memory, \
         size_t host_bytes, int *info)) \
  CU_FN(gesvdp_bufferSize, cusolverDnXgesvdp_bufferSize, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, cpcu_cusolver_jobz job, int economy, int64_t m, \
         int64_t n, cpcu_data_type type, const void *a, int64_t lda, cpcu_data_type type_s, const void *s, \
         cpcu_data_type type_u, const void *u, int64_t ldu, cpcu_data_type type_v, const void *v, \
         int64_t ldv, cpcu_data_type compute, size_t *device_bytes, size_t *host_bytes)) \
  CU_FN(gesvdp, cusolverDnXgesvdp, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, cpcu_cusolver_jobz job, int economy, int64_t m, \
         int64_t n, cpcu_data_type type, void *a, int64_t lda, cpcu_data_type type_s, void *s, \
         cpcu_data_type type_u, void *u, int64_t ldu, cpcu_data_type type_v, void *v, int64_t ldv, \
         cpcu_data_type compute, void *device_memory, size_t device_bytes, void *host_memory, \
         size_t host_bytes, int *info, double *shift))

// Since about CUDA 12.6.
#define CPCU_CUSOLVER_OPTIONAL(CU_FN) \
  CU_FN(geev_bufferSize, cusolverDnXgeev_bufferSize, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, cpcu_cusolver_jobz job_left, \
         cpcu_cusolver_jobz job_right, int64_t n, cpcu_data_type type, const void *a, int64_t lda, \
         cpcu_data_type type_w, const void *w, cpcu_data_type type_left, const void *left, int64_t ld_left, \
         cpcu_data_type type_right, const void *right, int64_t ld_right, cpcu_data_type compute, \
         size_t *device_bytes, size_t *host_bytes)) \
  CU_FN(geev, cusolverDnXgeev, \
        (cpcu_cusolver handle, cpcu_cusolver_params params, cpcu_cusolver_jobz job_left, \
         cpcu_cusolver_jobz job_right, int64_t n, cpcu_data_type type, void *a, int64_t lda, \
         cpcu_data_type type_w, void *w, cpcu_data_type type_left, void *left, int64_t ld_left, \
         cpcu_data_type type_right, void *right, int64_t ld_right, cpcu_data_type compute, \
         void *device_memory, size_t device_bytes, void *host_memory, size_t host_bytes, int *info))

#define CPCU_ORGQR_SIZE(T, R) \
  (cpcu_cusolver handle, int m, int n, int k, const T *a, int lda, const T *tau, int *elements)
#define CPCU_ORGQR(T, R) \
  (cpcu_cusolver handle, int m, int n, int k, T *a, int lda, const T *tau, T *work, int elements, int *info)
#define CPCU_POTRF_BATCHED(T, R) \
  (cpcu_cusolver handle, cpcu_cublas_fill uplo, int n, T **a, int lda, int *infos, int count)
#define CPCU_SYEVJ_BATCHED_SIZE(T, R) \
  (cpcu_cusolver handle, cpcu_cusolver_jobz job, cpcu_cublas_fill uplo, int n, const T *a, int lda, \
   const R *w, int *elements, cpcu_syevj_info params, int count)
#define CPCU_SYEVJ_BATCHED(T, R) \
  (cpcu_cusolver handle, cpcu_cusolver_jobz job, cpcu_cublas_fill uplo, int n, T *a, int lda, R *w, T *work, \
   int elements, int *infos, cpcu_syevj_info params, int count)

#define CPCU_CUSOLVER_TYPED(CU_TYPED) \
  CU_TYPED(orgqr_bufferSize, cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize, \
           cusolverDnCungqr_bufferSize, cusolverDnZungqr_bufferSize, CPCU_ORGQR_SIZE) \
  CU_TYPED(orgqr, cusolverDnSorgqr, cusolverDnDorgqr, cusolverDnCungqr, cusolverDnZungqr, CPCU_ORGQR) \
  CU_TYPED(potrfBatched, cusolverDnSpotrfBatched, cusolverDnDpotrfBatched, cusolverDnCpotrfBatched, \
           cusolverDnZpotrfBatched, CPCU_POTRF_BATCHED) \
  CU_TYPED(syevjBatched_bufferSize, cusolverDnSsyevjBatched_bufferSize, cusolverDnDsyevjBatched_bufferSize, \
           cusolverDnCheevjBatched_bufferSize, cusolverDnZheevjBatched_bufferSize, CPCU_SYEVJ_BATCHED_SIZE) \
  CU_TYPED(syevjBatched, cusolverDnSsyevjBatched, cusolverDnDsyevjBatched, cusolverDnCheevjBatched, \
           cusolverDnZheevjBatched, CPCU_SYEVJ_BATCHED)

#define CPCU_CUFFT_FUNCTIONS(CU_FN) \
  CU_FN(cufftCreate, cufftCreate, (cpcu_cufft *plan)) \
  CU_FN(cufftDestroy, cufftDestroy, (cpcu_cufft plan)) \
  CU_FN(cufftSetStream, cufftSetStream, (cpcu_cufft plan, cpcu_stream stream)) \
  CU_FN(cufftSetAutoAllocation, cufftSetAutoAllocation, (cpcu_cufft plan, int automatic)) \
  CU_FN(cufftSetWorkArea, cufftSetWorkArea, (cpcu_cufft plan, void *memory)) \
  CU_FN(cufftMakePlanMany64, cufftMakePlanMany64, \
        (cpcu_cufft plan, int rank, long long *n, long long *in_embed, long long in_stride, \
         long long in_step, long long *out_embed, long long out_stride, long long out_step, \
         cpcu_cufft_type type, long long count, size_t *bytes)) \
  CU_FN(cufftExecC2C, cufftExecC2C, (cpcu_cufft plan, cpcu_complex *in, cpcu_complex *out, int direction)) \
  CU_FN(cufftExecR2C, cufftExecR2C, (cpcu_cufft plan, float *in, cpcu_complex *out)) \
  CU_FN(cufftExecC2R, cufftExecC2R, (cpcu_cufft plan, cpcu_complex *in, float *out)) \
  CU_FN(cufftExecZ2Z, cufftExecZ2Z, \
        (cpcu_cufft plan, cpcu_double_complex *in, cpcu_double_complex *out, int direction)) \
  CU_FN(cufftExecD2Z, cufftExecD2Z, (cpcu_cufft plan, double *in, cpcu_double_complex *out)) \
  CU_FN(cufftExecZ2D, cufftExecZ2D, (cpcu_cufft plan, cpcu_double_complex *in, double *out))

#define CPCU_CURAND_FUNCTIONS(CU_FN) \
  CU_FN(curandCreateGenerator, curandCreateGenerator, (cpcu_curand *generator, cpcu_curand_type type)) \
  CU_FN(curandCreateGeneratorHost, curandCreateGeneratorHost, \
        (cpcu_curand *generator, cpcu_curand_type type)) \
  CU_FN(curandDestroyGenerator, curandDestroyGenerator, (cpcu_curand generator)) \
  CU_FN(curandSetStream, curandSetStream, (cpcu_curand generator, cpcu_stream stream)) \
  CU_FN(curandSetSeed, curandSetPseudoRandomGeneratorSeed, (cpcu_curand generator, unsigned long long seed)) \
  CU_FN(curandSetOffset, curandSetGeneratorOffset, (cpcu_curand generator, unsigned long long offset)) \
  CU_FN(curandSetOrdering, curandSetGeneratorOrdering, (cpcu_curand generator, cpcu_curand_ordering order)) \
  CU_FN(curandSetDimensions, curandSetQuasiRandomGeneratorDimensions, \
        (cpcu_curand generator, unsigned count)) \
  CU_FN(curandGenerate, curandGenerate, (cpcu_curand generator, unsigned *out, size_t count)) \
  CU_FN(curandGenerateUniform, curandGenerateUniform, (cpcu_curand generator, float *out, size_t count)) \
  CU_FN(curandGenerateUniformDouble, curandGenerateUniformDouble, \
        (cpcu_curand generator, double *out, size_t count)) \
  CU_FN(curandGenerateNormal, curandGenerateNormal, \
        (cpcu_curand generator, float *out, size_t count, float mean, float deviation)) \
  CU_FN(curandGenerateNormalDouble, curandGenerateNormalDouble, \
        (cpcu_curand generator, double *out, size_t count, double mean, double deviation)) \
  CU_FN(curandGeneratePoisson, curandGeneratePoisson, \
        (cpcu_curand generator, unsigned *out, size_t count, double lambda))
// clang-format on

// Tables: every function returns its library's status.
#define CPCU_TYPED(field, s, d, c, z, arguments) CPCU_STATUS(*field[4]) arguments(void, void);
#define CPCU_FN(field, symbol, arguments)        CPCU_STATUS(*field) arguments;

#define CPCU_STATUS                              cpcu_cublas_status
typedef struct cpcu_cublas_table {
  CPCU_CUBLAS_FUNCTIONS(CPCU_FN)
  CPCU_CUBLAS_TYPED(CPCU_TYPED)
  const char *(*cublasGetStatusString)(cpcu_cublas_status status);
} cpcu_cublas_table;
typedef struct cpcu_cublaslt_table {
  CPCU_CUBLASLT_FUNCTIONS(CPCU_FN)
} cpcu_cublaslt_table;
#undef CPCU_STATUS

#define CPCU_STATUS cpcu_cusolver_status
typedef struct cpcu_cusolver_table {
  CPCU_CUSOLVER_FUNCTIONS(CPCU_FN)
  CPCU_CUSOLVER_OPTIONAL(CPCU_FN)
  CPCU_CUSOLVER_TYPED(CPCU_TYPED)
} cpcu_cusolver_table;
#undef CPCU_STATUS

#define CPCU_STATUS cpcu_cufft_result
typedef struct cpcu_cufft_table {
  CPCU_CUFFT_FUNCTIONS(CPCU_FN)
} cpcu_cufft_table;
#undef CPCU_STATUS

#define CPCU_STATUS cpcu_curand_status
typedef struct cpcu_curand_table {
  CPCU_CURAND_FUNCTIONS(CPCU_FN)
} cpcu_curand_table;
#undef CPCU_STATUS

#undef CPCU_TYPED
#undef CPCU_FN

#endif
