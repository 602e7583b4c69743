// How GPUs run plans with phases.
#ifndef CP_CUDA_RUN_ROWS_H
#define CP_CUDA_RUN_ROWS_H

#include "plan/plan.h"

// Elements of rows that cp_cuda_takes_phases may take.
enum { CP_CUDA_PHASED_LEAST = 65, CP_CUDA_PHASED_MOST = 65536 };
enum {
  CP_CUDA_CELL = 48,  // most bytes of the accumulators that a thread passes on
  CP_CUDA_SHORT = 16, // most elements of the rows that a thread reduces alone (strategy short)
  CP_CUDA_LINE = 32   // least outputs of a line whose rows blocks share (strategy domain)
};
// Whether the rows of most leaves are closer together than the elements of a row.
bool cp_cuda_lies_across(const cp_plan *p);
// Whether threads may compute several outputs of a reduction of one dimension and share what they read.
bool cp_cuda_shares(const cp_plan *p);
// Whether a reduction has long rows none of whose leaves varies both along the outputs and along the rows:
// strategy domain.
bool cp_cuda_prefers_domain(const cp_plan *p);
// Whether a reduction of short rows has elements that lie apart, or that several rows use: strategy short.
bool cp_cuda_prefers_short(const cp_plan *p);
// Whether threads can keep the rows of a plan with phases in registers.
bool cp_cuda_takes_rows(const cp_plan *p);
// Whether they could, if each element took so many bytes.
bool cp_cuda_fits_rows(const cp_plan *p, int bytes);
// cp_device_ops.takes_phases: such plans, which it arranges, and those that one pass computes (joint.h).
bool cp_cuda_takes_phases(cp_plan *p);
// Sets strategy, lanes, share and the groups of a plan that cp_cuda_takes_rows takes.
void cp_cuda_arrange_rows(cp_plan *p);

#endif
