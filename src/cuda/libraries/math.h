// cuBLAS, cuSOLVER and cuFFT. Their handles belong to a stream, so that concurrent work never shares scratch
// memory, and are destroyed with it. cuRAND's generators (curand.h) are destroyed with the stream that they
// were made on, and cuDSS's factors with the state's own stream.
#ifndef CP_CUDA_LIBRARIES_MATH_H
#define CP_CUDA_LIBRARIES_MATH_H

#include "cuda/driver/cuda.h"
#include "cuda/libraries/api_math.h"
#include "routines/blas.h"
#include "routines/fft.h"
#include "routines/solver.h"

typedef struct cp_cuda_math {
  cpcu_cublas blas;
  cpcu_deviceptr blas_memory; // cuBLAS's workspace; 0: the library's own
  size_t blas_bytes;          // of blas_memory
  cpcu_cusolver solver;
  cpcu_cusolver_params params;
  cpcu_syevj_info syevj;
  bool has_plans;
  cp_fft_cache plans;
  struct cp_curand *generators;
  struct cp_cudss *direct;
  // of the libraries that have something to destroy
  void (*closers[5])(struct cp_cuda_math *m, const cpcu_driver *driver);
  int nclosers;
} cp_cuda_math;

extern const cp_blas_ops cp_cuda_blas;
extern const cp_solver_ops cp_cuda_solver;
extern const cp_fft_ops cp_cuda_fft;
// Solves small linear systems (systems.c); see cp_solver_ops for the arguments.
enum { CP_CUDA_SMALL = 32, CP_CUDA_SMALL_RIGHT = 64 };
cp_status cp_cuda_systems(cp_context *ctx, cp_stream *s, cp_systems *c);

// Whether a product is one of tall matrices for the kernel of our own, and that kernel's launch (tall.c),
// with `bytes` of scratch memory. *did is false, and nothing is queued, where they do not suffice.
bool cp_cuda_is_tall(const cp_gemm *g);
cp_status cp_cuda_tall(cp_cuda_stream *s, const cp_gemm *g, cpcu_deviceptr memory, size_t bytes, bool *did);

// The stream's handles, none of them created yet. Enters the device.
cp_status cp_cuda_math_of(cp_cuda_stream *s, cp_cuda_math **out);
// Registers `close` to be called when the stream ends, before those registered earlier. Registering twice
// does no harm.
void cp_cuda_math_closes(cp_cuda_math *m, void (*close)(cp_cuda_math *m, const cpcu_driver *driver));

// Returns cuBLAS's table and the stream's handle, ready for calls.
cp_status cp_cublas(cp_cuda_stream *s, const cpcu_cublas_table **table, cpcu_cublas *handle);
cp_status cp_cublas_check(cpcu_cublas_status status, const char *call);
cpcu_cublas_compute cp_cublas_compute(const cp_gemm *g);
// cp_blas_ops.fused, by cuBLASLt (cublaslt.c).
cp_status cp_cublaslt_fused(cp_stream *s, const cp_gemm *g, const cp_epilogue *e, bool *did);

// CUDA's name of a floating or complex dtype, and the index of a dtype among functions for float32, float64,
// complex64 and complex128.
cpcu_data_type cp_cuda_data_type(cp_dtype t);
static inline int cp_cuda_typed(cp_dtype t) {
  return (t == CP_FLOAT64 || t == CP_COMPLEX128) + 2 * cp_is_complex(t);
}

// Factors of sparse matrices by cuDSS (cudss.c).
extern const struct cp_direct_ops cp_cuda_direct;
// Whether cuBLAS could be opened.
bool cp_cublas_there(void);

// Each library's part of the above.
const char *cp_cublas_path(void);
const char *cp_cusolver_path(void);
const char *cp_cufft_path(void);
const char *cp_curand_path(void);
const char *cp_cudss_path(void);

#endif
