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

// What becomes of the elements of a product before they are stored: f(c + bias).
typedef enum cp_activation { // ORDER as in src/lua/routines/matmul.c
  CP_ACTIVATION_NONE,
  CP_ACTIVATION_RELU,
  CP_ACTIVATION_GELU_TANH // x/2 (1 + tanh((x + 0.044715 x^3) sqrt(2/pi)))
} cp_activation;
typedef struct cp_epilogue {
  const void *bias; // an element for each row of c, of its dtype; NULL: none
  cp_activation activation;
} cp_epilogue;

// y = a x, or x a, for one matrix, of float32 or float64: `lines` lines of `length` adjacent elements,
// `pitch` elements apart. along: y has an element for each line, x one for each place in a line. Otherwise x
// has an element for each line, and y one for each place. The elements of x are `step` elements apart.
enum { CP_GEMV_MOST = 1 << 20 }; // longest line that is read along
typedef struct cp_gemv {
  cp_dtype dtype;
  bool along;
  int64_t lines, length, pitch, step;
  const void *a, *x;
  void *y;
} cp_gemv;

// One step of Gram's and Schmidt's method with the `lines` first, orthonormal lines of a matrix of float32 or
// float64, `length` long and one behind the other: w without its parts along them, divided by its size,
// becomes the line behind them. The first pass takes out the parts along lines from `first` (counted from 0)
// on, the second those along all, and so does a third where these were not small beside what was left.
typedef struct cp_orthogonal {
  cp_dtype dtype;
  int64_t lines, first, length;
  void *basis; // one line more than `lines`
  const void *w;
  double *parts; // the result: w's parts along the lines, and the size of the rest
} cp_orthogonal;

struct cp_blas_ops {
  bool half; // supports float16 and bfloat16, accumulated in float32
  // Prepares what gemm needs (libraries, handles), which may allocate. CP_EIO or CP_ECUDA: there is no
  // library.
  cp_status (*prepare)(cp_context *ctx, cp_stream *s);
  // Queues the products. Allocates nothing.
  cp_status (*gemm)(cp_stream *s, const cp_gemm *g);
  // Optional: queues one product with its epilogue, both by one kernel, which rounds once. *did is false, and
  // nothing is queued, where no library can do it for these matrices.
  cp_status (*fused)(cp_stream *s, const cp_gemm *g, const cp_epilogue *e, bool *did);
  // Optional: multiplies by a vector faster than a sum of products would, without a library.
  cp_status (*gemv)(cp_stream *s, const cp_gemv *g);
  // Optional: for vectors of the host's memory, whose sizes the host needs at once. Cannot be captured.
  cp_status (*orthogonalise)(cp_stream *s, const cp_orthogonal *o);
};

#endif
