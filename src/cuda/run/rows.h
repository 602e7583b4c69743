// How GPUs run plans with phases.
#ifndef CP_CUDA_RUN_ROWS_H
#define CP_CUDA_RUN_ROWS_H

#include "plan/plan.h"

// Elements of rows that cp_cuda_takes_phases may take.
enum { CP_CUDA_PHASED_LEAST = 65, CP_CUDA_PHASED_MOST = 65536 };
// cp_device_ops.takes_phases: rows of one dimension that threads can keep in registers.
bool cp_cuda_takes_phases(const cp_plan *p);
// Sets strategy, lanes, share and the groups of such a plan.
void cp_cuda_arrange_rows(cp_plan *p);

#endif
