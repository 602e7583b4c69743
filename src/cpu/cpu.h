// The CPU device: everything runs at the call, in the caller's thread and those of one process-wide pool.
#ifndef CP_CPU_CPU_H
#define CP_CPU_CPU_H

#include "device/device.h"

extern const cp_device_ops cp_cpu_ops;
extern const cp_blas_ops cp_cpu_blas;
extern const cp_solver_ops cp_cpu_solver;
extern const cp_fft_ops cp_cpu_fft;

#endif
