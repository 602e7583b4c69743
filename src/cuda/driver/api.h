// The part of the CUDA driver API and of NVRTC that cupola calls, declared by hand.
//
// No CUDA header is needed to build cupola: the libraries are opened at run time (library.h) and called
// through the tables of function pointers declared here. Each function is one line of an X-macro list,
// CU_FN(field, symbol, arguments): `field` is the documented name, `symbol` the exported one. They differ
// where CUDA kept an old ABI under the plain name. Every driver since CUDA 12.0 exports these symbols. Enums
// are declared as int, as the ABI passes them. CPCU_FROM_TOOLKIT makes the scalar types those of the real
// headers; check_api.c uses it to compare every type, value and offset with an installed toolkit.
#ifndef CP_CUDA_DRIVER_API_H
#define CP_CUDA_DRIVER_API_H

#include "cuda/driver/api_texture.h"

#include <stddef.h>

// ---- types: our name, the toolkit's, the definition ----

// clang-format off
#define CPCU_TYPES(CU_TYPE) \
  CU_TYPE(cpcu_result,         CUresult,               int) \
  CU_TYPE(cpcu_device,         CUdevice,               int) \
  CU_TYPE(cpcu_deviceptr,      CUdeviceptr,            unsigned long long) \
  CU_TYPE(cpcu_attribute,      CUdevice_attribute,     int) \
  CU_TYPE(cpcu_func_attribute, CUfunction_attribute,   int) \
  CU_TYPE(cpcu_jit_option,     CUjit_option,           int) \
  CU_TYPE(cpcu_memory_type,    CUmemorytype,           int) \
  CU_TYPE(cpcu_capture_status, CUstreamCaptureStatus,  int) \
  CU_TYPE(cpcu_capture_mode,   CUstreamCaptureMode,    int) \
  CU_TYPE(cpcu_graph_node_type, CUgraphNodeType,       int) \
  CU_TYPE(cpcu_graph,          CUgraph,                struct cpcu_graph_handle *) \
  CU_TYPE(cpcu_graph_exec,     CUgraphExec,            struct cpcu_graph_exec_handle *) \
  CU_TYPE(cpcu_graph_node,     CUgraphNode,            struct cpcu_graph_node_handle *) \
  CU_TYPE(cpcu_update_info,    CUgraphExecUpdateResultInfo, struct cpcu_update_fields) \
  CU_TYPE(cpcu_context,        CUcontext,              struct cpcu_context_handle *) \
  CU_TYPE(cpcu_module,         CUmodule,               struct cpcu_module_handle *) \
  CU_TYPE(cpcu_function,       CUfunction,             struct cpcu_function_handle *) \
  CU_TYPE(cpcu_stream,         CUstream,               struct cpcu_stream_handle *) \
  CU_TYPE(cpcu_event,          CUevent,                struct cpcu_event_handle *) \
  CU_TYPE(cpcu_memory_pool,    CUmemoryPool,           struct cpcu_memory_pool_handle *) \
  CU_TYPE(cpcu_pool_attribute, CUmemPool_attribute,    int) \
  CU_TYPE(cpcu_array,          CUarray,                struct cpcu_array_handle *) \
  CU_TYPE(cpcu_nvrtc_result,   nvrtcResult,            int) \
  CU_TYPE(cpcu_nvrtc_program,  nvrtcProgram,           struct cpcu_nvrtc_program_handle *) \
  CU_TYPE(cpcu_uuid,           CUuuid,                 struct cpcu_uuid_fields) \
  CU_TYPE(cpcu_launch_attribute, CUlaunchAttribute,    struct cpcu_launch_attribute_fields) \
  CU_TYPE(cpcu_launch_config,  CUlaunchConfig,         struct cpcu_launch_fields) \
  CU_TYPE(cpcu_memcpy2d,       CUDA_MEMCPY2D,          struct cpcu_memcpy2d_fields) \
  CU_TYPE(cpcu_memcpy3d,       CUDA_MEMCPY3D,          struct cpcu_memcpy3d_fields) \
  CPCU_TEXTURE_TYPES(CU_TYPE) \
  CU_TYPE(cpcu_limit,          CUlimit,                int) \
  CU_TYPE(cpcu_advice,         CUmem_advise,           int) \
  CU_TYPE(cpcu_location,       CUmemLocation,          struct cpcu_location_fields) \
  CU_TYPE(cpcu_pool_props,     CUmemPoolProps,         struct cpcu_pool_fields) \
  CU_TYPE(cpcu_pointer_attribute, CUpointer_attribute, int) \
  CU_TYPE(cpcu_ipc_memory,     CUipcMemHandle,         struct cpcu_ipc_fields) \
  CU_TYPE(cpcu_ipc_event,      CUipcEventHandle,       struct cpcu_ipc_fields)
// clang-format on

struct cpcu_uuid_fields {
  char bytes[16];
};

// The result of cuGraphExecUpdate. Nodes are handles.
struct cpcu_update_fields {
  int result;
  void *errorNode, *errorFromNode;
};

// One attribute of a launch: its number and its value.
struct cpcu_launch_attribute_fields {
  int id; // CPCU_LAUNCH_ATTRIBUTE_
  char pad[4];
  union {
    unsigned long long words[8];
    int programmaticStreamSerializationAllowed;
  } value;
};

struct cpcu_launch_fields {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes; // bytes of dynamic shared memory
  void *hStream;
  void *attrs;
  unsigned numAttrs;
};

// Unused members must be zero. A pitch is the number of bytes between rows.
struct cpcu_memcpy2d_fields {
  size_t srcXInBytes, srcY;
  int srcMemoryType; // CPCU_MEMORYTYPE_
  const void *srcHost;
  unsigned long long srcDevice;
  void *srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  int dstMemoryType;
  void *dstHost;
  unsigned long long dstDevice;
  void *dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
};

struct cpcu_memcpy3d_fields {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType; // CPCU_MEMORYTYPE_
  const void *srcHost;
  unsigned long long srcDevice;
  void *srcArray, *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void *dstHost;
  unsigned long long dstDevice;
  void *dstArray, *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
};

struct cpcu_location_fields {
  int type; // CPCU_MEM_LOCATION_TYPE_
  int id;   // a GPU's ordinal
};

struct cpcu_pool_fields {
  int allocType; // CPCU_MEM_ALLOCATION_TYPE_
  int handleTypes;
  struct cpcu_location_fields location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

struct cpcu_ipc_fields {
  char reserved[64];
};

#ifdef CPCU_FROM_TOOLKIT
typedef CUoccupancyB2DSize cpcu_block_shared;
#define CPCU_TYPEDEF(name, real, ...) typedef real name;
#else
typedef size_t (*cpcu_block_shared)(int block);
#define CPCU_TYPEDEF(name, real, ...) typedef __VA_ARGS__ name;
#endif
CPCU_TYPES(CPCU_TYPEDEF)
#undef CPCU_TYPEDEF

// ---- constants: CU_ENUM(prefix, name, value) declares CPCU_<name>; prefix##name is CUDA's name ----

// clang-format off
#define CPCU_CONSTANTS(CU_ENUM) \
  CU_ENUM(CUDA_, SUCCESS,                               0) \
  CU_ENUM(CUDA_, ERROR_INVALID_VALUE,                   1) \
  CU_ENUM(CUDA_, ERROR_OUT_OF_MEMORY,                   2) \
  CU_ENUM(CUDA_, ERROR_NOT_INITIALIZED,                 3) \
  CU_ENUM(CUDA_, ERROR_DEINITIALIZED,                   4) \
  CU_ENUM(CUDA_, ERROR_STUB_LIBRARY,                   34) \
  CU_ENUM(CUDA_, ERROR_DEVICE_UNAVAILABLE,             46) \
  CU_ENUM(CUDA_, ERROR_NO_DEVICE,                     100) \
  CU_ENUM(CUDA_, ERROR_INVALID_DEVICE,                101) \
  CU_ENUM(CUDA_, ERROR_INVALID_IMAGE,                 200) \
  CU_ENUM(CUDA_, ERROR_INVALID_CONTEXT,               201) \
  CU_ENUM(CUDA_, ERROR_NO_BINARY_FOR_GPU,             209) \
  CU_ENUM(CUDA_, ERROR_ECC_UNCORRECTABLE,             214) \
  CU_ENUM(CUDA_, ERROR_PEER_ACCESS_UNSUPPORTED,       217) \
  CU_ENUM(CUDA_, ERROR_INVALID_PTX,                   218) \
  CU_ENUM(CUDA_, ERROR_NVLINK_UNCORRECTABLE,          220) \
  CU_ENUM(CUDA_, ERROR_JIT_COMPILER_NOT_FOUND,        221) \
  CU_ENUM(CUDA_, ERROR_UNSUPPORTED_PTX_VERSION,       222) \
  CU_ENUM(CUDA_, ERROR_INVALID_HANDLE,                400) \
  CU_ENUM(CUDA_, ERROR_NOT_FOUND,                     500) \
  CU_ENUM(CUDA_, ERROR_NOT_READY,                     600) \
  CU_ENUM(CUDA_, ERROR_ILLEGAL_ADDRESS,               700) \
  CU_ENUM(CUDA_, ERROR_LAUNCH_OUT_OF_RESOURCES,       701) \
  CU_ENUM(CUDA_, ERROR_LAUNCH_TIMEOUT,                702) \
  CU_ENUM(CUDA_, ERROR_PEER_ACCESS_ALREADY_ENABLED,   704) \
  CU_ENUM(CUDA_, ERROR_CONTEXT_IS_DESTROYED,          709) \
  CU_ENUM(CUDA_, ERROR_ASSERT,                        710) \
  CU_ENUM(CUDA_, ERROR_HARDWARE_STACK_ERROR,          714) \
  CU_ENUM(CUDA_, ERROR_ILLEGAL_INSTRUCTION,           715) \
  CU_ENUM(CUDA_, ERROR_MISALIGNED_ADDRESS,            716) \
  CU_ENUM(CUDA_, ERROR_INVALID_ADDRESS_SPACE,         717) \
  CU_ENUM(CUDA_, ERROR_INVALID_PC,                    718) \
  CU_ENUM(CUDA_, ERROR_LAUNCH_FAILED,                 719) \
  CU_ENUM(CUDA_, ERROR_NOT_PERMITTED,                 800) \
  CU_ENUM(CUDA_, ERROR_NOT_SUPPORTED,                 801) \
  CU_ENUM(CUDA_, ERROR_SYSTEM_NOT_READY,              802) \
  CU_ENUM(CUDA_, ERROR_SYSTEM_DRIVER_MISMATCH,        803) \
  CU_ENUM(CUDA_, ERROR_STREAM_CAPTURE_UNSUPPORTED,    900) \
  CU_ENUM(CUDA_, ERROR_STREAM_CAPTURE_INVALIDATED,    901) \
  CU_ENUM(CUDA_, ERROR_STREAM_CAPTURE_IMPLICIT,       906) \
  CU_ENUM(CUDA_, ERROR_CAPTURED_EVENT,                907) \
  CU_ENUM(CUDA_, ERROR_UNKNOWN,                       999) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,              1) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,                    2) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,                    3) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,                    4) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,                     5) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,                     6) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,                     7) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,        8) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,              9) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_WARP_SIZE,                         10) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,           12) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_CLOCK_RATE,                        13) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,              16) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT,               17) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_INTEGRATED,                        18) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY,               19) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_COMPUTE_MODE,                      20) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_CONCURRENT_KERNELS,                31) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_ECC_ENABLED,                       32) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_PCI_BUS_ID,                        33) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_PCI_DEVICE_ID,                     34) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,                 36) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,           37) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_L2_CACHE_SIZE,                     38) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,    39) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT,                40) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING,                41) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_PCI_DOMAIN_ID,                     50) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,          75) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,          76) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED,       78) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,  82) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MANAGED_MEMORY,                    83) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 87) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,                95) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,    106) \
  CU_ENUM(CU_, DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,           115) \
  CU_ENUM(CU_, CTX_SCHED_AUTO,                          0) \
  CU_ENUM(CU_, CTX_SCHED_SPIN,                          1) \
  CU_ENUM(CU_, CTX_SCHED_YIELD,                         2) \
  CU_ENUM(CU_, CTX_SCHED_BLOCKING_SYNC,                 4) \
  CU_ENUM(CU_, STREAM_DEFAULT,                          0) \
  CU_ENUM(CU_, STREAM_NON_BLOCKING,                     1) \
  CU_ENUM(CU_, STREAM_CAPTURE_STATUS_NONE,              0) \
  CU_ENUM(CU_, STREAM_CAPTURE_STATUS_ACTIVE,            1) \
  CU_ENUM(CU_, STREAM_CAPTURE_STATUS_INVALIDATED,       2) \
  CU_ENUM(CU_, STREAM_CAPTURE_MODE_RELAXED,             2) \
  CU_ENUM(CU_, GRAPH_NODE_TYPE_KERNEL,                  0) \
  CU_ENUM(CU_, LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 6) \
  CU_ENUM(CU_, EVENT_DEFAULT,                           0) \
  CU_ENUM(CU_, EVENT_BLOCKING_SYNC,                     1) \
  CU_ENUM(CU_, EVENT_DISABLE_TIMING,                    2) \
  CU_ENUM(CU_, EVENT_INTERPROCESS,                      4) \
  CU_ENUM(CU_, MEMHOSTALLOC_PORTABLE,                   1) \
  CU_ENUM(CU_, MEMHOSTALLOC_DEVICEMAP,                  2) \
  CU_ENUM(CU_, MEMHOSTALLOC_WRITECOMBINED,              4) \
  CU_ENUM(CU_, MEM_ATTACH_GLOBAL,                       1) \
  CU_ENUM(CU_, MEMPOOL_ATTR_RELEASE_THRESHOLD,          4) \
  CU_ENUM(CU_, MEMORYTYPE_HOST,                         1) \
  CU_ENUM(CU_, MEMORYTYPE_DEVICE,                       2) \
  CU_ENUM(CU_, MEMORYTYPE_UNIFIED,                      4) \
  CPCU_TEXTURE_CONSTANTS(CU_ENUM) \
  CU_ENUM(CU_, MEMHOSTREGISTER_PORTABLE,                1) \
  CU_ENUM(CU_, MEM_LOCATION_TYPE_DEVICE,                1) \
  CU_ENUM(CU_, MEM_LOCATION_TYPE_HOST,                  2) \
  CU_ENUM(CU_, MEM_ALLOCATION_TYPE_PINNED,              1) \
  CU_ENUM(CU_, DEVICE_CPU,                             -1) \
  CU_ENUM(CU_, POINTER_ATTRIBUTE_MEMORY_TYPE,           2) \
  CU_ENUM(CU_, POINTER_ATTRIBUTE_DEVICE_POINTER,        3) \
  CU_ENUM(CU_, POINTER_ATTRIBUTE_HOST_POINTER,          4) \
  CU_ENUM(CU_, POINTER_ATTRIBUTE_IS_MANAGED,            8) \
  CU_ENUM(CU_, POINTER_ATTRIBUTE_DEVICE_ORDINAL,        9) \
  CU_ENUM(CU_, IPC_MEM_LAZY_ENABLE_PEER_ACCESS,         1) \
  CU_ENUM(CU_, JIT_MAX_REGISTERS,                       0) \
  CU_ENUM(CU_, JIT_INFO_LOG_BUFFER,                     3) \
  CU_ENUM(CU_, JIT_INFO_LOG_BUFFER_SIZE_BYTES,          4) \
  CU_ENUM(CU_, JIT_ERROR_LOG_BUFFER,                    5) \
  CU_ENUM(CU_, JIT_ERROR_LOG_BUFFER_SIZE_BYTES,         6) \
  CU_ENUM(CU_, FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,    0) \
  CU_ENUM(CU_, FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,        1) \
  CU_ENUM(CU_, FUNC_ATTRIBUTE_CONST_SIZE_BYTES,         2) \
  CU_ENUM(CU_, FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,         3) \
  CU_ENUM(CU_, FUNC_ATTRIBUTE_NUM_REGS,                 4) \
  CU_ENUM(CU_, FUNC_ATTRIBUTE_PTX_VERSION,              5) \
  CU_ENUM(CU_, FUNC_ATTRIBUTE_BINARY_VERSION,           6) \
  CU_ENUM(CU_, FUNC_ATTRIBUTE_CACHE_MODE_CA,            7) \
  CU_ENUM(CU_, FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,   8) \
  CU_ENUM(CU_, FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9) \
  CU_ENUM(, NVRTC_SUCCESS,                              0) \
  CU_ENUM(, NVRTC_ERROR_OUT_OF_MEMORY,                  1) \
  CU_ENUM(, NVRTC_ERROR_PROGRAM_CREATION_FAILURE,       2) \
  CU_ENUM(, NVRTC_ERROR_INVALID_INPUT,                  3) \
  CU_ENUM(, NVRTC_ERROR_INVALID_PROGRAM,                4) \
  CU_ENUM(, NVRTC_ERROR_INVALID_OPTION,                 5) \
  CU_ENUM(, NVRTC_ERROR_COMPILATION,                    6) \
  CU_ENUM(, NVRTC_ERROR_BUILTIN_OPERATION_FAILURE,      7) \
  CU_ENUM(, NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID,     10) \
  CU_ENUM(, NVRTC_ERROR_INTERNAL_ERROR,                11)
// clang-format on

enum {
#define CPCU_ENUM(prefix, name, value) CPCU_##name = value,
  CPCU_CONSTANTS(CPCU_ENUM)
#undef CPCU_ENUM
};

// ---- functions ----

// clang-format off
#define CPCU_DRIVER_FUNCTIONS(CU_FN) \
  CU_FN(cuInit, cuInit, (unsigned flags)) \
  CU_FN(cuDriverGetVersion, cuDriverGetVersion, (int *version)) \
  CU_FN(cuGetErrorName, cuGetErrorName, (cpcu_result error, const char **name)) \
  CU_FN(cuGetErrorString, cuGetErrorString, (cpcu_result error, const char **text)) \
  CU_FN(cuDeviceGetCount, cuDeviceGetCount, (int *count)) \
  CU_FN(cuDeviceGet, cuDeviceGet, (cpcu_device *device, int ordinal)) \
  CU_FN(cuDeviceGetName, cuDeviceGetName, (char *name, int size, cpcu_device device)) \
  CU_FN(cuDeviceGetAttribute, cuDeviceGetAttribute, \
        (int *value, cpcu_attribute attribute, cpcu_device device)) \
  CU_FN(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t *bytes, cpcu_device device)) \
  CU_FN(cuDeviceGetUuid, cuDeviceGetUuid_v2, (cpcu_uuid *uuid, cpcu_device device)) \
  CU_FN(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, (int *can, cpcu_device device, cpcu_device peer)) \
  CU_FN(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (cpcu_context *context, cpcu_device device)) \
  CU_FN(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (cpcu_device device)) \
  CU_FN(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, \
        (cpcu_device device, unsigned *flags, int *active)) \
  CU_FN(cuCtxSetCurrent, cuCtxSetCurrent, (cpcu_context context)) \
  CU_FN(cuCtxGetCurrent, cuCtxGetCurrent, (cpcu_context *context)) \
  CU_FN(cuCtxPushCurrent, cuCtxPushCurrent_v2, (cpcu_context context)) \
  CU_FN(cuCtxPopCurrent, cuCtxPopCurrent_v2, (cpcu_context *context)) \
  CU_FN(cuCtxGetDevice, cuCtxGetDevice, (cpcu_device *device)) \
  CU_FN(cuCtxSynchronize, cuCtxSynchronize, (void)) \
  CU_FN(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, (int *least, int *greatest)) \
  CU_FN(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, (cpcu_context peer, unsigned flags)) \
  CU_FN(cuMemGetInfo, cuMemGetInfo_v2, (size_t *available, size_t *total)) \
  CU_FN(cuMemAlloc, cuMemAlloc_v2, (cpcu_deviceptr *pointer, size_t bytes)) \
  CU_FN(cuMemFree, cuMemFree_v2, (cpcu_deviceptr pointer)) \
  CU_FN(cuMemAllocAsync, cuMemAllocAsync, (cpcu_deviceptr *pointer, size_t bytes, cpcu_stream stream)) \
  CU_FN(cuMemFreeAsync, cuMemFreeAsync, (cpcu_deviceptr pointer, cpcu_stream stream)) \
  CU_FN(cuMemAllocManaged, cuMemAllocManaged, (cpcu_deviceptr *pointer, size_t bytes, unsigned flags)) \
  CU_FN(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, (cpcu_memory_pool *pool, cpcu_device device)) \
  CU_FN(cuMemPoolSetAttribute, cuMemPoolSetAttribute, \
        (cpcu_memory_pool pool, cpcu_pool_attribute attribute, void *value)) \
  CU_FN(cuMemPoolTrimTo, cuMemPoolTrimTo, (cpcu_memory_pool pool, size_t bytes)) \
  CU_FN(cuMemHostAlloc, cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags)) \
  CU_FN(cuMemFreeHost, cuMemFreeHost, (void *pointer)) \
  CU_FN(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, \
        (cpcu_deviceptr *pointer, void *host, unsigned flags)) \
  CU_FN(cuMemcpyAsync, cuMemcpyAsync, \
        (cpcu_deviceptr to, cpcu_deviceptr from, size_t bytes, cpcu_stream stream)) \
  CU_FN(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, \
        (cpcu_deviceptr to, const void *from, size_t bytes, cpcu_stream stream)) \
  CU_FN(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, \
        (void *to, cpcu_deviceptr from, size_t bytes, cpcu_stream stream)) \
  CU_FN(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, \
        (cpcu_deviceptr to, cpcu_deviceptr from, size_t bytes, cpcu_stream stream)) \
  CU_FN(cuMemcpyPeerAsync, cuMemcpyPeerAsync, \
        (cpcu_deviceptr to, cpcu_context to_context, cpcu_deviceptr from, cpcu_context from_context, \
         size_t bytes, cpcu_stream stream)) \
  CU_FN(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, (const cpcu_memcpy2d *copy, cpcu_stream stream)) \
  CU_FN(cuMemsetD8Async, cuMemsetD8Async, \
        (cpcu_deviceptr to, unsigned char value, size_t count, cpcu_stream stream)) \
  CU_FN(cuMemsetD16Async, cuMemsetD16Async, \
        (cpcu_deviceptr to, unsigned short value, size_t count, cpcu_stream stream)) \
  CU_FN(cuMemsetD32Async, cuMemsetD32Async, \
        (cpcu_deviceptr to, unsigned value, size_t count, cpcu_stream stream)) \
  CU_FN(cuStreamCreate, cuStreamCreate, (cpcu_stream *stream, unsigned flags)) \
  CU_FN(cuStreamCreateWithPriority, cuStreamCreateWithPriority, \
        (cpcu_stream *stream, unsigned flags, int priority)) \
  CU_FN(cuStreamGetFlags, cuStreamGetFlags, (cpcu_stream stream, unsigned *flags)) \
  CU_FN(cuStreamGetCtx, cuStreamGetCtx, (cpcu_stream stream, cpcu_context *context)) \
  CU_FN(cuStreamDestroy, cuStreamDestroy_v2, (cpcu_stream stream)) \
  CU_FN(cuStreamSynchronize, cuStreamSynchronize, (cpcu_stream stream)) \
  CU_FN(cuStreamQuery, cuStreamQuery, (cpcu_stream stream)) \
  CU_FN(cuStreamWaitEvent, cuStreamWaitEvent, (cpcu_stream stream, cpcu_event event, unsigned flags)) \
  CU_FN(cuStreamIsCapturing, cuStreamIsCapturing, (cpcu_stream stream, cpcu_capture_status *status)) \
  CU_FN(cuStreamBeginCapture, cuStreamBeginCapture_v2, (cpcu_stream stream, cpcu_capture_mode mode)) \
  CU_FN(cuStreamEndCapture, cuStreamEndCapture, (cpcu_stream stream, cpcu_graph *graph)) \
  CU_FN(cuGraphCreate, cuGraphCreate, (cpcu_graph *graph, unsigned flags)) \
  CU_FN(cuGraphDestroy, cuGraphDestroy, (cpcu_graph graph)) \
  CU_FN(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, \
        (cpcu_graph_node *node, cpcu_graph graph, const cpcu_graph_node *before, size_t count, \
         cpcu_graph child)) \
  CU_FN(cuGraphGetNodes, cuGraphGetNodes, (cpcu_graph graph, cpcu_graph_node *nodes, size_t *count)) \
  CU_FN(cuGraphNodeGetType, cuGraphNodeGetType, (cpcu_graph_node node, cpcu_graph_node_type *type)) \
  CU_FN(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, \
        (cpcu_graph_exec *exec, cpcu_graph graph, unsigned long long flags)) \
  CU_FN(cuGraphExecUpdate, cuGraphExecUpdate_v2, \
        (cpcu_graph_exec exec, cpcu_graph graph, cpcu_update_info *info)) \
  CU_FN(cuGraphLaunch, cuGraphLaunch, (cpcu_graph_exec exec, cpcu_stream stream)) \
  CU_FN(cuGraphExecDestroy, cuGraphExecDestroy, (cpcu_graph_exec exec)) \
  CU_FN(cuEventCreate, cuEventCreate, (cpcu_event *event, unsigned flags)) \
  CU_FN(cuEventDestroy, cuEventDestroy_v2, (cpcu_event event)) \
  CU_FN(cuEventRecord, cuEventRecord, (cpcu_event event, cpcu_stream stream)) \
  CU_FN(cuEventSynchronize, cuEventSynchronize, (cpcu_event event)) \
  CU_FN(cuEventQuery, cuEventQuery, (cpcu_event event)) \
  CU_FN(cuEventElapsedTime, cuEventElapsedTime, (float *milliseconds, cpcu_event start, cpcu_event end)) \
  CU_FN(cuModuleLoadData, cuModuleLoadData, (cpcu_module *module, const void *image)) \
  CU_FN(cuModuleLoadDataEx, cuModuleLoadDataEx, \
        (cpcu_module *module, const void *image, unsigned count, cpcu_jit_option *options, void **values)) \
  CU_FN(cuModuleUnload, cuModuleUnload, (cpcu_module module)) \
  CU_FN(cuModuleGetFunction, cuModuleGetFunction, \
        (cpcu_function *function, cpcu_module module, const char *name)) \
  CU_FN(cuModuleGetGlobal, cuModuleGetGlobal_v2, \
        (cpcu_deviceptr *pointer, size_t *bytes, cpcu_module module, const char *name)) \
  CU_FN(cuFuncGetAttribute, cuFuncGetAttribute, \
        (int *value, cpcu_func_attribute attribute, cpcu_function function)) \
  CU_FN(cuFuncSetAttribute, cuFuncSetAttribute, \
        (cpcu_function function, cpcu_func_attribute attribute, int value)) \
  CU_FN(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, \
        (int *blocks, cpcu_function function, int block_size, size_t dynamic_shared)) \
  CU_FN(cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize, \
        (int *grid, int *block, cpcu_function function, cpcu_block_shared dynamic_shared_of, \
         size_t dynamic_shared, int limit)) \
  CU_FN(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, \
        (cpcu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
         unsigned block_y, unsigned block_z, unsigned dynamic_shared, cpcu_stream stream, \
         void **arguments)) \
  CU_FN(cuLaunchKernel, cuLaunchKernel, \
        (cpcu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
         unsigned block_y, unsigned block_z, unsigned dynamic_shared, cpcu_stream stream, void **arguments, \
         void **extra)) \
  CU_FN(cuLaunchKernelEx, cuLaunchKernelEx, \
        (const cpcu_launch_config *config, cpcu_function function, void **arguments, void **extra)) \
  CU_FN(cuProfilerStart, cuProfilerStart, (void)) \
  CU_FN(cuProfilerStop, cuProfilerStop, (void)) \
  CU_FN(cuMemcpy3DAsync, cuMemcpy3DAsync_v2, (const cpcu_memcpy3d *copy, cpcu_stream stream)) \
  CPCU_TEXTURE_FUNCTIONS(CU_FN) \
  CU_FN(cuMemHostRegister, cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags)) \
  CU_FN(cuMemHostUnregister, cuMemHostUnregister, (void *memory)) \
  CU_FN(cuCtxGetLimit, cuCtxGetLimit, (size_t *value, cpcu_limit limit)) \
  CU_FN(cuCtxSetLimit, cuCtxSetLimit, (cpcu_limit limit, size_t value)) \
  CU_FN(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, (char *text, int size, cpcu_device device)) \
  CU_FN(cuPointerGetAttribute, cuPointerGetAttribute, \
        (void *value, cpcu_pointer_attribute attribute, cpcu_deviceptr pointer)) \
  CU_FN(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, \
        (cpcu_deviceptr *pointer, size_t bytes, cpcu_memory_pool pool, cpcu_stream stream)) \
  CU_FN(cuDeviceGetMemPool, cuDeviceGetMemPool, (cpcu_memory_pool *pool, cpcu_device device)) \
  CU_FN(cuDeviceSetMemPool, cuDeviceSetMemPool, (cpcu_device device, cpcu_memory_pool pool)) \
  CU_FN(cuMemPoolCreate, cuMemPoolCreate, (cpcu_memory_pool *pool, const cpcu_pool_props *properties)) \
  CU_FN(cuMemPoolDestroy, cuMemPoolDestroy, (cpcu_memory_pool pool)) \
  CU_FN(cuIpcGetMemHandle, cuIpcGetMemHandle, (cpcu_ipc_memory *handle, cpcu_deviceptr pointer)) \
  CU_FN(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2, \
        (cpcu_deviceptr *pointer, cpcu_ipc_memory handle, unsigned flags)) \
  CU_FN(cuIpcCloseMemHandle, cuIpcCloseMemHandle, (cpcu_deviceptr pointer)) \
  CU_FN(cuIpcGetEventHandle, cuIpcGetEventHandle, (cpcu_ipc_event *handle, cpcu_event event)) \
  CU_FN(cuIpcOpenEventHandle, cuIpcOpenEventHandle, (cpcu_event *event, cpcu_ipc_event handle))

// Functions that older drivers lack.
#define CPCU_OPTIONAL_FUNCTIONS(CU_FN) \
  CU_FN(cuFuncGetParamInfo, cuFuncGetParamInfo, \
        (cpcu_function function, size_t index, size_t *offset, size_t *size)) \
  CU_FN(cuMemAdvise_v2, cuMemAdvise_v2, \
        (cpcu_deviceptr pointer, size_t bytes, cpcu_advice advice, cpcu_location location)) \
  CU_FN(cuMemPrefetchAsync_v2, cuMemPrefetchAsync_v2, \
        (cpcu_deviceptr pointer, size_t bytes, cpcu_location location, unsigned flags, cpcu_stream stream)) \
  CU_FN(cuMemAdvise, cuMemAdvise, \
        (cpcu_deviceptr pointer, size_t bytes, cpcu_advice advice, cpcu_device device)) \
  CU_FN(cuMemPrefetchAsync, cuMemPrefetchAsync, \
        (cpcu_deviceptr pointer, size_t bytes, cpcu_device device, cpcu_stream stream))

#define CPCU_NVRTC_FUNCTIONS(CU_FN) \
  CU_FN(nvrtcVersion, nvrtcVersion, (int *major, int *minor)) \
  CU_FN(nvrtcGetNumSupportedArchs, nvrtcGetNumSupportedArchs, (int *count)) \
  CU_FN(nvrtcGetSupportedArchs, nvrtcGetSupportedArchs, (int *archs)) \
  CU_FN(nvrtcCreateProgram, nvrtcCreateProgram, \
        (cpcu_nvrtc_program *program, const char *source, const char *name, int nheaders, \
         const char *const *headers, const char *const *header_names)) \
  CU_FN(nvrtcDestroyProgram, nvrtcDestroyProgram, (cpcu_nvrtc_program *program)) \
  CU_FN(nvrtcCompileProgram, nvrtcCompileProgram, \
        (cpcu_nvrtc_program program, int count, const char *const *options)) \
  CU_FN(nvrtcGetCUBINSize, nvrtcGetCUBINSize, (cpcu_nvrtc_program program, size_t *size)) \
  CU_FN(nvrtcGetCUBIN, nvrtcGetCUBIN, (cpcu_nvrtc_program program, char *cubin)) \
  CU_FN(nvrtcGetPTXSize, nvrtcGetPTXSize, (cpcu_nvrtc_program program, size_t *size)) \
  CU_FN(nvrtcGetPTX, nvrtcGetPTX, (cpcu_nvrtc_program program, char *ptx)) \
  CU_FN(nvrtcGetProgramLogSize, nvrtcGetProgramLogSize, (cpcu_nvrtc_program program, size_t *size)) \
  CU_FN(nvrtcGetProgramLog, nvrtcGetProgramLog, (cpcu_nvrtc_program program, char *log)) \
  CU_FN(nvrtcAddNameExpression, nvrtcAddNameExpression, \
        (cpcu_nvrtc_program program, const char *expression)) \
  CU_FN(nvrtcGetLoweredName, nvrtcGetLoweredName, \
        (cpcu_nvrtc_program program, const char *expression, const char **lowered))
// clang-format on

// Every driver function returns a cpcu_result.
typedef struct cpcu_driver {
#define CPCU_FN(field, symbol, arguments) cpcu_result(*field) arguments;
  CPCU_DRIVER_FUNCTIONS(CPCU_FN)
  CPCU_OPTIONAL_FUNCTIONS(CPCU_FN) // NULL if the driver lacks the function
#undef CPCU_FN
} cpcu_driver;

// Every NVRTC function but nvrtcGetErrorString returns a cpcu_nvrtc_result.
typedef struct cpcu_nvrtc {
#define CPCU_FN(field, symbol, arguments) cpcu_nvrtc_result(*field) arguments;
  CPCU_NVRTC_FUNCTIONS(CPCU_FN)
#undef CPCU_FN
  const char *(*nvrtcGetErrorString)(cpcu_nvrtc_result result);
} cpcu_nvrtc;

#endif
