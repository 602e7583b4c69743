// Evaluation: from expression nodes to memory.
#ifndef CP_LAZY_EVALUATION_EVAL_H
#define CP_LAZY_EVALUATION_EVAL_H

#include "plan/plan.h"

// Writes roots into targets by one kernel. The targets are views of the roots' common shape, on their device.
// If a leaf overlaps a target without being the same view, the values go through a temporary; fresh: all
// targets are new memory, which no leaf overlaps. The caller has passed the targets through the write barrier
// (cp_begin_write).
cp_status cp_evaluate(cp_context *ctx, int count, cp_node *const *roots, cp_array *const *targets,
                      bool fresh);

// Runs a plan on a stream. All plans reach their device through this function.
cp_status cp_run_plan(cp_context *ctx, cp_stream *stream, cp_plan *p);

// Reduces root, which already has the dtype acc (cp_red_types), over axes (one bit for each) into target.
cp_status cp_reduce(cp_context *ctx, cp_node *root, uint32_t axes, cp_red red, cp_dtype acc, double parameter,
                    cp_array *target);

// Computes an expression of scalars alone, on the host.
cp_status cp_evaluate_scalar(cp_context *ctx, cp_node *root, cp_scalar *out);

#endif
