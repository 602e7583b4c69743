// The part of cuDSS 1.0 and later that cupola calls, declared by hand as in api.h. check_api.c compares it
// with cudss.h where that is installed. Earlier versions have other constants and arguments.
#ifndef CP_CUDA_LIBRARIES_API_CUDSS_H
#define CP_CUDA_LIBRARIES_API_CUDSS_H

#include "cuda/libraries/api_math.h"

// clang-format off
#define CPCU_CUDSS_TYPES(CU_TYPE) \
  CU_TYPE(cpcu_cudss_status,   cudssStatus_t,           int) \
  CU_TYPE(cpcu_cudss_setting,  cudssConfigParam_t,      int) \
  CU_TYPE(cpcu_cudss_fact,     cudssDataParam_t,        int) \
  CU_TYPE(cpcu_cudss_layout,   cudssLayout_t,           int) \
  CU_TYPE(cpcu_cudss_kind,     cudssMatrixType_t,       int) \
  CU_TYPE(cpcu_cudss_view,     cudssMatrixViewType_t,   int) \
  CU_TYPE(cpcu_cudss_base,     cudssIndexBase_t,        int) \
  CU_TYPE(cpcu_cudss,          cudssHandle_t,           struct cpcu_cudss_handle *) \
  CU_TYPE(cpcu_cudss_config,   cudssConfig_t,           struct cpcu_cudss_config_fields *) \
  CU_TYPE(cpcu_cudss_data,     cudssData_t,             struct cpcu_cudss_data_fields *) \
  CU_TYPE(cpcu_cudss_matrix,   cudssMatrix_t,           struct cpcu_cudss_matrix_fields *)
// clang-format on

#ifdef CPCU_FROM_TOOLKIT
#define CPCU_TYPEDEF(name, real, ...) typedef real name;
#else
#define CPCU_TYPEDEF(name, real, ...) typedef __VA_ARGS__ name;
#endif
CPCU_CUDSS_TYPES(CPCU_TYPEDEF)
#undef CPCU_TYPEDEF

// clang-format off
#define CPCU_CUDSS_CONSTANTS(CU_ENUM) \
  CU_ENUM(CUDA_, R_32I,                                10) \
  CU_ENUM(CUDA_, R_64I,                                24) \
  CU_ENUM(, CUDSS_STATUS_SUCCESS,                       0) \
  CU_ENUM(, CUDSS_STATUS_ALLOC_FAILED,                  2) \
  CU_ENUM(, CUDSS_STATUS_NOT_SUPPORTED,                 4) \
  CU_ENUM(, CUDSS_CONFIG_SOLVE_MODE,                    4) \
  CU_ENUM(, CUDSS_CONFIG_DETERMINISTIC_MODE,           24) \
  CU_ENUM(, CUDSS_DATA_INFO,                            0) \
  CU_ENUM(, CUDSS_DATA_NPIVOTS,                         2) \
  CU_ENUM(, CUDSS_PHASE_REORDERING,                     1) \
  CU_ENUM(, CUDSS_PHASE_SYMBOLIC_FACTORIZATION,         2) \
  CU_ENUM(, CUDSS_PHASE_FACTORIZATION,                  4) \
  CU_ENUM(, CUDSS_PHASE_SOLVE,                      0x3f0) \
  CU_ENUM(, CUDSS_SOLVE_MODE_NORMAL,                    0) \
  CU_ENUM(, CUDSS_SOLVE_MODE_TRANSPOSE,                 1) \
  CU_ENUM(, CUDSS_SOLVE_MODE_CONJUGATE_TRANSPOSE,       2) \
  CU_ENUM(, CUDSS_MTYPE_GENERAL,                        0) \
  CU_ENUM(, CUDSS_MVIEW_FULL,                           0) \
  CU_ENUM(, CUDSS_BASE_ZERO,                            0) \
  CU_ENUM(, CUDSS_LAYOUT_COL_MAJOR,                     0)

enum {
#define CPCU_ENUM(prefix, name, value) CPCU_##name = value,
  CPCU_CUDSS_CONSTANTS(CPCU_ENUM)
#undef CPCU_ENUM
};

// CU_FN(symbol, arguments)
#define CPCU_CUDSS_FUNCTIONS(CU_FN) \
  CU_FN(cudssCreate, (cpcu_cudss *handle)) \
  CU_FN(cudssDestroy, (cpcu_cudss handle)) \
  CU_FN(cudssSetStream, (cpcu_cudss handle, cpcu_stream stream)) \
  CU_FN(cudssSetJitCacheDir, (cpcu_cudss handle, const char *folder)) \
  CU_FN(cudssConfigCreate, (cpcu_cudss_config *config)) \
  CU_FN(cudssConfigDestroy, (cpcu_cudss_config config)) \
  CU_FN(cudssConfigSet, \
        (cpcu_cudss_config config, cpcu_cudss_setting which, const void *value, size_t bytes)) \
  CU_FN(cudssDataCreate, (const cpcu_cudss handle, cpcu_cudss_data *data)) \
  CU_FN(cudssDataDestroy, (cpcu_cudss handle, cpcu_cudss_data data)) \
  CU_FN(cudssDataGet, \
        (const cpcu_cudss handle, const cpcu_cudss_data data, cpcu_cudss_fact which, void *value, \
         size_t bytes, size_t *written)) \
  CU_FN(cudssMatrixCreateDn, \
        (cpcu_cudss_matrix *matrix, int64_t rows, int64_t columns, int64_t ld, const void *values, \
         cpcu_data_type type, cpcu_cudss_layout layout)) \
  CU_FN(cudssMatrixCreateCsr, \
        (cpcu_cudss_matrix *matrix, int64_t rows, int64_t columns, int64_t entries, const void *starts, \
         const void *ends, const void *columns_of, const void *values, cpcu_data_type starts_type, \
         cpcu_data_type columns_type, cpcu_data_type type, cpcu_cudss_kind kind, cpcu_cudss_view view, \
         cpcu_cudss_base base)) \
  CU_FN(cudssMatrixDestroy, (cpcu_cudss_matrix matrix)) \
  CU_FN(cudssExecute, \
        (cpcu_cudss handle, int phase, const cpcu_cudss_config config, cpcu_cudss_data data, \
         const cpcu_cudss_matrix a, cpcu_cudss_matrix x, const cpcu_cudss_matrix b))
// clang-format on

#define CPCU_FN(symbol, arguments) cpcu_cudss_status(*symbol) arguments;
typedef struct cpcu_cudss_table {
  CPCU_CUDSS_FUNCTIONS(CPCU_FN)
} cpcu_cudss_table;
#undef CPCU_FN

#endif
