// Compares src/cuda/driver/api.h and api_math.h with the headers of an installed CUDA toolkit, at compile
// time.
//
// This file is not part of the library: tools/check-api.sh compiles it where a toolkit is present. A line of
// api.h that disagrees with cuda.h, cudaProfiler.h or nvrtc.h is a compile error that names it.
// __CUDA_API_VERSION_INTERNAL makes cuda.h declare each exported symbol under its own name, old ABIs
// included, and not hide them behind macros; so the symbols compared are those that the loader looks up.
#define __CUDA_API_VERSION_INTERNAL
#define CPCU_FROM_TOOLKIT
#include <cuda.h>
#include <cudaProfiler.h>
#include <nvrtc.h>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>

#include "cuda/driver/api.h"
#include "cuda/libraries/api_math.h"

// Types: our definition is compared with the toolkit's, which the function types below use.
#define CHECK_TYPE(name, real, ...)                                                                          \
  typedef __VA_ARGS__ own_##name;                                                                            \
  _Static_assert(sizeof(own_##name) == sizeof(real), #real ": size differs");                                \
  _Static_assert(_Alignof(own_##name) == _Alignof(real), #real ": alignment differs");
CPCU_TYPES(CHECK_TYPE)
CPCU_MATH_TYPES(CHECK_TYPE)
_Static_assert(__builtin_types_compatible_p(own_cpcu_deviceptr, CUdeviceptr), "CUdeviceptr differs");
#define CHECK_FOUND(member)                                                                                  \
  _Static_assert(offsetof(struct cpcu_lt_found_fields, member) ==                                            \
                     offsetof(cublasLtMatmulHeuristicResult_t, member),                                      \
                 "cublasLtMatmulHeuristicResult_t." #member ": offset differs");
CHECK_FOUND(algo)
CHECK_FOUND(workspaceSize)
CHECK_FOUND(state)
_Static_assert(__builtin_types_compatible_p(own_cpcu_device, CUdevice), "CUdevice differs");

#define CHECK_FIELD(member)                                                                                  \
  _Static_assert(offsetof(struct cpcu_memcpy2d_fields, member) == offsetof(CUDA_MEMCPY2D, member),           \
                 "CUDA_MEMCPY2D." #member ": offset differs");                                               \
  _Static_assert(sizeof(((struct cpcu_memcpy2d_fields *)0)->member) == sizeof(((CUDA_MEMCPY2D *)0)->member), \
                 "CUDA_MEMCPY2D." #member ": size differs");
CHECK_FIELD(srcXInBytes)
CHECK_FIELD(srcY)
CHECK_FIELD(srcMemoryType)
CHECK_FIELD(srcHost)
CHECK_FIELD(srcDevice)
CHECK_FIELD(srcArray)
CHECK_FIELD(srcPitch)
CHECK_FIELD(dstXInBytes)
CHECK_FIELD(dstY)
CHECK_FIELD(dstMemoryType)
CHECK_FIELD(dstHost)
CHECK_FIELD(dstDevice)
CHECK_FIELD(dstArray)
CHECK_FIELD(dstPitch)
CHECK_FIELD(WidthInBytes)
CHECK_FIELD(Height)

#define CHECK_BOX(member)                                                                                    \
  _Static_assert(offsetof(struct cpcu_memcpy3d_fields, member) == offsetof(CUDA_MEMCPY3D, member),           \
                 "CUDA_MEMCPY3D." #member ": offset differs");
CHECK_BOX(srcXInBytes)
CHECK_BOX(srcY)
CHECK_BOX(srcZ)
CHECK_BOX(srcLOD)
CHECK_BOX(srcMemoryType)
CHECK_BOX(srcHost)
CHECK_BOX(srcDevice)
CHECK_BOX(srcArray)
CHECK_BOX(reserved0)
CHECK_BOX(srcPitch)
CHECK_BOX(srcHeight)
CHECK_BOX(dstXInBytes)
CHECK_BOX(dstY)
CHECK_BOX(dstZ)
CHECK_BOX(dstLOD)
CHECK_BOX(dstMemoryType)
CHECK_BOX(dstHost)
CHECK_BOX(dstDevice)
CHECK_BOX(dstArray)
CHECK_BOX(reserved1)
CHECK_BOX(dstPitch)
CHECK_BOX(dstHeight)
CHECK_BOX(WidthInBytes)
CHECK_BOX(Height)
CHECK_BOX(Depth)

#define CHECK_POOL(member)                                                                                   \
  _Static_assert(offsetof(struct cpcu_pool_fields, member) == offsetof(CUmemPoolProps, member),              \
                 "CUmemPoolProps." #member ": offset differs");
CHECK_POOL(allocType)
CHECK_POOL(handleTypes)
CHECK_POOL(location)
CHECK_POOL(win32SecurityAttributes)
CHECK_POOL(maxSize)

#define CHECK_RESOURCE(ours, real, member)                                                                   \
  _Static_assert(offsetof(struct ours, member) == offsetof(real, member),                                    \
                 #real "." #member ": offset differs");
CHECK_RESOURCE(cpcu_array_fields, CUDA_ARRAY3D_DESCRIPTOR, Height)
CHECK_RESOURCE(cpcu_array_fields, CUDA_ARRAY3D_DESCRIPTOR, Format)
CHECK_RESOURCE(cpcu_array_fields, CUDA_ARRAY3D_DESCRIPTOR, NumChannels)
CHECK_RESOURCE(cpcu_array_fields, CUDA_ARRAY3D_DESCRIPTOR, Flags)
CHECK_RESOURCE(cpcu_resource_fields, CUDA_RESOURCE_DESC, resType)
CHECK_RESOURCE(cpcu_resource_fields, CUDA_RESOURCE_DESC, res.array.hArray)
CHECK_RESOURCE(cpcu_resource_fields, CUDA_RESOURCE_DESC, res.linear.devPtr)
CHECK_RESOURCE(cpcu_resource_fields, CUDA_RESOURCE_DESC, res.linear.format)
CHECK_RESOURCE(cpcu_resource_fields, CUDA_RESOURCE_DESC, res.linear.numChannels)
CHECK_RESOURCE(cpcu_resource_fields, CUDA_RESOURCE_DESC, res.linear.sizeInBytes)
CHECK_RESOURCE(cpcu_resource_fields, CUDA_RESOURCE_DESC, res.pitch2D.width)
CHECK_RESOURCE(cpcu_resource_fields, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes)
CHECK_RESOURCE(cpcu_resource_fields, CUDA_RESOURCE_DESC, flags)
CHECK_RESOURCE(cpcu_texture_fields, CUDA_TEXTURE_DESC, filterMode)
CHECK_RESOURCE(cpcu_texture_fields, CUDA_TEXTURE_DESC, flags)
CHECK_RESOURCE(cpcu_texture_fields, CUDA_TEXTURE_DESC, maxAnisotropy)
CHECK_RESOURCE(cpcu_texture_fields, CUDA_TEXTURE_DESC, mipmapLevelBias)
CHECK_RESOURCE(cpcu_texture_fields, CUDA_TEXTURE_DESC, borderColor)

#define CHECK_UPDATE(member)                                                                                 \
  _Static_assert(offsetof(struct cpcu_update_fields, member) ==                                              \
                     offsetof(CUgraphExecUpdateResultInfo, member),                                          \
                 "CUgraphExecUpdateResultInfo." #member ": offset differs");
CHECK_UPDATE(result)
CHECK_UPDATE(errorNode)
CHECK_UPDATE(errorFromNode)

#define CHECK_LAUNCH(ours, real, member)                                                                     \
  _Static_assert(offsetof(struct ours, member) == offsetof(real, member),                                    \
                 #real "." #member ": offset differs");
CHECK_LAUNCH(cpcu_launch_fields, CUlaunchConfig, gridDimX)
CHECK_LAUNCH(cpcu_launch_fields, CUlaunchConfig, gridDimY)
CHECK_LAUNCH(cpcu_launch_fields, CUlaunchConfig, gridDimZ)
CHECK_LAUNCH(cpcu_launch_fields, CUlaunchConfig, blockDimX)
CHECK_LAUNCH(cpcu_launch_fields, CUlaunchConfig, blockDimY)
CHECK_LAUNCH(cpcu_launch_fields, CUlaunchConfig, blockDimZ)
CHECK_LAUNCH(cpcu_launch_fields, CUlaunchConfig, sharedMemBytes)
CHECK_LAUNCH(cpcu_launch_fields, CUlaunchConfig, hStream)
CHECK_LAUNCH(cpcu_launch_fields, CUlaunchConfig, attrs)
CHECK_LAUNCH(cpcu_launch_fields, CUlaunchConfig, numAttrs)
CHECK_LAUNCH(cpcu_launch_attribute_fields, CUlaunchAttribute, id)
CHECK_LAUNCH(cpcu_launch_attribute_fields, CUlaunchAttribute, value.programmaticStreamSerializationAllowed)

// Constants, enum members and macros alike.
#define CHECK_ENUM(prefix, name, value)                                                                      \
  _Static_assert((long long)(prefix##name) == (long long)(value), #prefix #name ": value differs");
CPCU_CONSTANTS(CHECK_ENUM)
CPCU_MATH_CONSTANTS(CHECK_ENUM)

// Functions: the symbol that we look up has exactly the type of our table's field.
#define CHECK_DRIVER(field, symbol, arguments)                                                               \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&symbol), __typeof__(((cpcu_driver *)0)->field)),   \
                 #symbol ": type differs");
CPCU_DRIVER_FUNCTIONS(CHECK_DRIVER)
CPCU_OPTIONAL_FUNCTIONS(CHECK_DRIVER)
#define CHECK_NVRTC(field, symbol, arguments)                                                                \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&symbol), __typeof__(((cpcu_nvrtc *)0)->field)),    \
                 #symbol ": type differs");
CPCU_NVRTC_FUNCTIONS(CHECK_NVRTC)
CHECK_NVRTC(nvrtcGetErrorString, nvrtcGetErrorString, )

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

#include "cuda/driver/nvtx.h"
_Static_assert((int)CP_NVTX_CORE == NVTX_CB_MODULE_CORE && (int)CP_NVTX_CORE2 == NVTX_CB_MODULE_CORE2,
               "modules");
_Static_assert((int)CP_NVTX_MARK == NVTX_CBID_CORE_MarkA && (int)CP_NVTX_PUSH == NVTX_CBID_CORE_RangePushA &&
                   (int)CP_NVTX_POP == NVTX_CBID_CORE_RangePop && (int)CP_NVTX_SIZE == NVTX_CBID_CORE_SIZE &&
                   (int)CP_NVTX_SIZE == NVTX_CBID_CORE2_SIZE,
               "functions");
_Static_assert((int)CP_NVTX_CALLBACKS == NVTX_ETID_CALLBACKS && (int)CP_NVTX_VERSION == NVTX_ETID_VERSIONINFO,
               "tables");
#endif

#if __has_include(<nccl.h>)
#include <nccl.h>

#include "cuda/libraries/api_nccl.h"
CPCU_NCCL_TYPES(CHECK_TYPE)
#undef CHECK_ENUM
#define CHECK_ENUM(prefix, name, value)                                                                      \
  _Static_assert((long long)(prefix##name) == (long long)(value), #prefix #name ": value differs");
CPCU_NCCL_CONSTANTS(CHECK_ENUM)
#define CHECK_NCCL(field, symbol, arguments)                                                                 \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&symbol), __typeof__(((cpcu_nccl *)0)->field)),     \
                 #symbol ": type differs");
CPCU_NCCL_FUNCTIONS(CHECK_NCCL)
CHECK_NCCL(ncclGetErrorString, ncclGetErrorString, )
CHECK_NCCL(ncclGetLastError, ncclGetLastError, )
#endif

#if __has_include(<cudss.h>)
#include <cudss.h>

#include "cuda/libraries/api_cudss.h"
CPCU_CUDSS_TYPES(CHECK_TYPE)
CPCU_CUDSS_CONSTANTS(CHECK_ENUM)
#define CHECK_CUDSS(symbol, arguments)                                                                       \
  _Static_assert(                                                                                            \
      __builtin_types_compatible_p(__typeof__(&symbol), __typeof__(((cpcu_cudss_table *)0)->symbol)),        \
      #symbol ": type differs");
CPCU_CUDSS_FUNCTIONS(CHECK_CUDSS)
#endif

#define CHECK_IN(table, symbol, field)                                                                       \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&symbol), __typeof__(((table *)0)->field)),         \
                 #symbol ": type differs");
#define CHECK_CUBLAS(field, symbol, arguments)   CHECK_IN(cpcu_cublas_table, symbol, field)
#define CHECK_CUBLASLT(field, symbol, arguments) CHECK_IN(cpcu_cublaslt_table, symbol, field)
#define CHECK_CUSOLVER(field, symbol, arguments) CHECK_IN(cpcu_cusolver_table, symbol, field)
#define CHECK_CUFFT(field, symbol, arguments)    CHECK_IN(cpcu_cufft_table, symbol, field)
#define CHECK_CURAND(field, symbol, arguments)   CHECK_IN(cpcu_curand_table, symbol, field)
CPCU_CUBLAS_FUNCTIONS(CHECK_CUBLAS)
CHECK_CUBLAS(cublasGetStatusString, cublasGetStatusString, )
CPCU_CUBLASLT_FUNCTIONS(CHECK_CUBLASLT)
CPCU_CUSOLVER_FUNCTIONS(CHECK_CUSOLVER)
CPCU_CUFFT_FUNCTIONS(CHECK_CUFFT)
CPCU_CURAND_FUNCTIONS(CHECK_CURAND)
#if CUSOLVER_VERSION >= 11701
CPCU_CUSOLVER_OPTIONAL(CHECK_CUSOLVER)
#endif

// Families of functions that differ by the element type: our argument list, expanded for each type.
#define CHECK_AS(status, symbol, arguments)                                                                  \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&symbol), status(*) arguments),                     \
                 #symbol ": type differs");
#define CHECK_FAMILY(status, s, d, c, z, arguments)                                                          \
  CHECK_AS(status, s, arguments(float, float))                                                               \
  CHECK_AS(status, d, arguments(double, double))                                                             \
  CHECK_AS(status, c, arguments(cuComplex, float))                                                           \
  CHECK_AS(status, z, arguments(cuDoubleComplex, double))
#define CHECK_CUBLAS_FAMILY(field, s, d, c, z, arguments) CHECK_FAMILY(cublasStatus_t, s, d, c, z, arguments)
#define CHECK_CUSOLVER_FAMILY(field, s, d, c, z, arguments)                                                  \
  CHECK_FAMILY(cusolverStatus_t, s, d, c, z, arguments)
CPCU_CUBLAS_TYPED(CHECK_CUBLAS_FAMILY)
CPCU_CUSOLVER_TYPED(CHECK_CUSOLVER_FAMILY)
