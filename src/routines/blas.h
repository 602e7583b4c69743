// Matrix products of a device's BLAS. Matrices are column-major, as in BLAS; callers with row-major matrices
// swap the operands.
#ifndef CP_ROUTINES_BLAS_H
#define CP_ROUTINES_BLAS_H

#include "base/dtype.h"
#include "device/device.h"

// c = op(a) op(b) for `count` matrices: op(a) is m x k, op(b) k x n, c m x n, none of them 0. Leading
// dimensions and the steps between the matrices of a batch are in elements; a step of a or b may be 0.
typedef struct cp_gemm {
  cp_dtype dtype; // of all three matrices: floating or complex
  bool turn_a, turn_b;
  int64_t m, n, k, count;
  const void *a, *b;
  void *c;
  int64_t lda, ldb, ldc, step_a, step_b, step_c;
  bool tf32; // float32 may be multiplied with the 10 mantissa bits of TF32
} cp_gemm;

struct cp_blas_ops {
  bool half; // supports float16 and bfloat16, accumulated in float32
  // Prepares what gemm needs (libraries, handles), which may allocate. CP_EIO or CP_ECUDA: there is no
  // library.
  cp_status (*prepare)(cp_context *ctx, cp_stream *s);
  // Queues the products. Allocates nothing.
  cp_status (*gemm)(cp_stream *s, const cp_gemm *g);
};

#endif
