// Entry points of the CPU device. All work runs during the call, in the caller's thread and in the threads of
// one pool that the process shares.
#ifndef CP_CPU_RUN_CPU_H
#define CP_CPU_RUN_CPU_H

#include "device/context.h"
#include "routines/blas.h"
#include "routines/solver.h"

extern const cp_blas_ops cp_cpu_blas;
// The product of a matrix and a vector (matvec.c).
cp_status cp_cpu_gemv(cp_stream *s, const cp_gemv *g);
// A vector without its parts along others (orthogonal.c).
cp_status cp_cpu_orthogonalise(cp_stream *s, const cp_orthogonal *o);
extern const cp_solver_ops cp_cpu_solver;
extern const cp_fft_ops cp_cpu_fft;

// Solves small linear systems (systems.c); see cp_solver_ops for the arguments.
enum { CP_CPU_SMALL = 128 };
cp_status cp_cpu_systems(cp_context *ctx, cp_stream *s, cp_systems *c);

#endif
