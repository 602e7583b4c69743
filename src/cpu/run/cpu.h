// The CPU device: everything runs at the call, in the caller's thread and those of one process-wide pool.
#ifndef CP_CPU_RUN_CPU_H
#define CP_CPU_RUN_CPU_H

#include "device/device.h"
#include "routines/solver.h"

extern const cp_blas_ops cp_cpu_blas;
extern const cp_solver_ops cp_cpu_solver;
extern const cp_fft_ops cp_cpu_fft;

// Small systems (systems.c), as cp_solver_ops has them.
enum { CP_CPU_SMALL = 128 };
cp_status cp_cpu_systems(cp_context *ctx, cp_stream *s, cp_systems *c);

#endif
