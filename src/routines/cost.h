// Estimates, from shapes alone, how long library calls take that a host's interrupt (interrupt.h) cannot end.
// cp_context.interrupt.longest_piece limits them.
#ifndef CP_ROUTINES_COST_H
#define CP_ROUTINES_COST_H

#include "routines/blas.h"
#include "routines/fft.h"
#include "routines/solver.h"

// CP_EUSAGE with the estimate and the limit when the call is expected to take too long: the function of
// cp_solver_ops ("svd") on these matrices, the transform, or the product. The CPU device checks for an
// interrupt between the matrices of a batch and between parts of products, so there a single matrix counts,
// and products do not.
cp_status cp_may_decompose(const cp_context *ctx, const cp_device *d, const char *function,
                           const cp_solver_call *c);
cp_status cp_may_transform(const cp_context *ctx, const cp_device *d, const cp_fft_shape *s);
cp_status cp_may_multiply(const cp_context *ctx, const cp_device *d, const cp_gemm *g);

#endif
