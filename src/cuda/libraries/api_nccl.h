// The part of NCCL that cupola calls, declared by hand as in api.h. check_api.c compares it with nccl.h where
// that is installed.
#ifndef CP_CUDA_LIBRARIES_API_NCCL_H
#define CP_CUDA_LIBRARIES_API_NCCL_H

#include "cuda/driver/api.h"

// clang-format off
#define CPCU_NCCL_TYPES(CU_TYPE) \
  CU_TYPE(cpcu_nccl_result, ncclResult_t,   int) \
  CU_TYPE(cpcu_nccl_type,   ncclDataType_t, int) \
  CU_TYPE(cpcu_nccl_op,     ncclRedOp_t,    int) \
  CU_TYPE(cpcu_nccl_comm,   ncclComm_t,     struct cpcu_nccl_comm_handle *) \
  CU_TYPE(cpcu_nccl_id,     ncclUniqueId,   struct cpcu_nccl_id_bytes)
// clang-format on

struct cpcu_nccl_id_bytes {
  char internal[128];
};

#ifdef CPCU_FROM_TOOLKIT
#define CPCU_TYPEDEF(name, real, ...) typedef real name;
#else
#define CPCU_TYPEDEF(name, real, ...) typedef __VA_ARGS__ name;
#endif
CPCU_NCCL_TYPES(CPCU_TYPEDEF)
#undef CPCU_TYPEDEF

// clang-format off
#define CPCU_NCCL_CONSTANTS(CU_ENUM) \
  CU_ENUM(nccl, Success,          0) \
  CU_ENUM(nccl, InProgress,       7) \
  CU_ENUM(nccl, Int8,             0) \
  CU_ENUM(nccl, Uint8,            1) \
  CU_ENUM(nccl, Int32,            2) \
  CU_ENUM(nccl, Uint32,           3) \
  CU_ENUM(nccl, Int64,            4) \
  CU_ENUM(nccl, Uint64,           5) \
  CU_ENUM(nccl, Float16,          6) \
  CU_ENUM(nccl, Float32,          7) \
  CU_ENUM(nccl, Float64,          8) \
  CU_ENUM(nccl, Bfloat16,         9) \
  CU_ENUM(nccl, Sum,              0) \
  CU_ENUM(nccl, Prod,             1) \
  CU_ENUM(nccl, Max,              2) \
  CU_ENUM(nccl, Min,              3) \
  CU_ENUM(nccl, Avg,              4)

#define CPCU_NCCL_FUNCTIONS(CU_FN) \
  CU_FN(ncclGetVersion, ncclGetVersion, (int *version)) \
  CU_FN(ncclGetUniqueId, ncclGetUniqueId, (cpcu_nccl_id *id)) \
  CU_FN(ncclCommInitRank, ncclCommInitRank, \
        (cpcu_nccl_comm *comm, int size, cpcu_nccl_id id, int rank)) \
  CU_FN(ncclCommInitAll, ncclCommInitAll, (cpcu_nccl_comm *comms, int size, const int *devices)) \
  CU_FN(ncclCommDestroy, ncclCommDestroy, (cpcu_nccl_comm comm)) \
  CU_FN(ncclCommAbort, ncclCommAbort, (cpcu_nccl_comm comm)) \
  CU_FN(ncclCommGetAsyncError, ncclCommGetAsyncError, (cpcu_nccl_comm comm, cpcu_nccl_result *error)) \
  CU_FN(ncclAllReduce, ncclAllReduce, \
        (const void *in, void *out, size_t count, cpcu_nccl_type type, cpcu_nccl_op op, cpcu_nccl_comm comm, \
         cpcu_stream stream)) \
  CU_FN(ncclBroadcast, ncclBroadcast, \
        (const void *in, void *out, size_t count, cpcu_nccl_type type, int root, cpcu_nccl_comm comm, \
         cpcu_stream stream)) \
  CU_FN(ncclReduce, ncclReduce, \
        (const void *in, void *out, size_t count, cpcu_nccl_type type, cpcu_nccl_op op, int root, \
         cpcu_nccl_comm comm, cpcu_stream stream)) \
  CU_FN(ncclAllGather, ncclAllGather, \
        (const void *in, void *out, size_t count, cpcu_nccl_type type, cpcu_nccl_comm comm, \
         cpcu_stream stream)) \
  CU_FN(ncclReduceScatter, ncclReduceScatter, \
        (const void *in, void *out, size_t count, cpcu_nccl_type type, cpcu_nccl_op op, cpcu_nccl_comm comm, \
         cpcu_stream stream)) \
  CU_FN(ncclSend, ncclSend, \
        (const void *in, size_t count, cpcu_nccl_type type, int peer, cpcu_nccl_comm comm, \
         cpcu_stream stream)) \
  CU_FN(ncclRecv, ncclRecv, \
        (void *out, size_t count, cpcu_nccl_type type, int peer, cpcu_nccl_comm comm, cpcu_stream stream)) \
  CU_FN(ncclGroupStart, ncclGroupStart, (void)) \
  CU_FN(ncclGroupEnd, ncclGroupEnd, (void))
// clang-format on

enum {
#define CPCU_ENUM(prefix, name, value) CPCU_NCCL_##name = value,
  CPCU_NCCL_CONSTANTS(CPCU_ENUM)
#undef CPCU_ENUM
};

// Every function returns a cpcu_nccl_result, except ncclGetErrorString and ncclGetLastError (which older
// versions lack).
typedef struct cpcu_nccl {
#define CPCU_FN(field, symbol, arguments) cpcu_nccl_result(*field) arguments;
  CPCU_NCCL_FUNCTIONS(CPCU_FN)
#undef CPCU_FN
  const char *(*ncclGetErrorString)(cpcu_nccl_result result);
  const char *(*ncclGetLastError)(cpcu_nccl_comm comm);
} cpcu_nccl;

#endif
