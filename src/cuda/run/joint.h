// Which plans with phases one pass over the elements computes (kernels/reduce.cu): several reductions, what
// is made of them for each row, and elements that are stored on the way.
#ifndef CP_CUDA_RUN_JOINT_H
#define CP_CUDA_RUN_JOINT_H

#include "plan/plan.h"

// Whether the order in which a reduction combines elements matters, and its accumulators are plain values:
// then the order depends on its own shape, dtype and layout alone, and others may be found beside it.
bool cp_cuda_is_ordered(cp_red red, cp_dtype acc);
// The groups that a thread combines at once in an arranged plan of such reductions.
int cp_cuda_batch(const cp_plan *p);
// Whether the plan, which has phases, is a single reduction.
bool cp_cuda_is_alone(const cp_plan *p);
// Whether one pass finds all that the plan stores, in the order in which a kernel for each reduction would
// combine its elements.
bool cp_cuda_joins(const cp_plan *p);

#endif
