// Evaluation: from expression nodes to memory.
#ifndef CP_LAZY_EVALUATION_EVAL_H
#define CP_LAZY_EVALUATION_EVAL_H

#include "plan/plan.h"

// Writes roots into targets (views of the roots' common shape, on their device) by one kernel. A target that a leaf overlaps without
// being the same view gets its values through a temporary; fresh: all targets are new memory, which no leaf overlaps. The caller has
// passed cp_begin_write for the targets.
cp_status cp_evaluate(cp_context *ctx, int count, cp_node *const *roots, cp_array *const *targets,
                      bool fresh);

// Runs a plan on a stream of its device: the one way to a device for all plans.
cp_status cp_run_plan(cp_context *ctx, cp_stream *stream, cp_plan *p);

// Reduces root (already of dtype acc, see cp_red_types) over axes (a bit per axis) into target.
cp_status cp_reduce(cp_context *ctx, cp_node *root, uint32_t axes, cp_red red, cp_dtype acc, double parameter,
                    cp_array *target);

// The value of a tree of scalars.
cp_status cp_evaluate_scalar(cp_context *ctx, cp_node *root, cp_scalar *out);

#endif
