// Estimates, by shapes alone, of work of libraries that a host's interrupt (interrupt.h) cannot end: cp_context.interrupt.longest_piece bounds it.
#ifndef CP_ROUTINES_COST_H
#define CP_ROUTINES_COST_H

#include "routines/blas.h"
#include "routines/fft.h"
#include "routines/solver.h"

// CP_EUSAGE with the estimate and the bound when the function of cp_solver_ops ("svd") is expected to take too long on these matrices, the transform,
// or the product. On the CPU device batches of matrices and products are done in pieces, between which the host is asked, so one matrix counts, and no product.
cp_status cp_may_decompose(const cp_context *ctx, const cp_device *d, const char *function,
                           const cp_solver_call *c);
cp_status cp_may_transform(const cp_context *ctx, const cp_device *d, const cp_fft_shape *s);
cp_status cp_may_multiply(const cp_context *ctx, const cp_device *d, const cp_gemm *g);

#endif
