// Evaluation: from expression nodes to memory.
#ifndef CP_LAZY_EVALUATION_EVAL_H
#define CP_LAZY_EVALUATION_EVAL_H

#include "lazy/expression/domain.h"
#include "plan/plan.h"

// Writes roots into targets by one kernel, unless their parts (parts.h) need others. The targets are views of
// the roots' shapes, on their device; only where one kernel computes reductions and what is made of them
// (phases.h) may the shapes differ.
// If a leaf overlaps a target without being the same view, the values go through a temporary; fresh: all
// targets are new memory, which no leaf overlaps. The caller has passed the targets through the write barrier
// (cp_begin_write).
cp_status cp_evaluate(cp_context *ctx, int count, cp_node *const *roots, cp_array *const *targets,
                      bool fresh);

// Whether the device has kernels with phases for rows of this number and length.
bool cp_is_phased_domain(cp_context *ctx, const cp_device *device, const cp_domain *d);
// Whether one pass over this domain may find these values on the device: none is made of elements and of
// reductions' results, or a reduction of such.
bool cp_is_joint_domain(cp_context *ctx, const cp_device *device, const cp_domain *d, int count,
                        cp_node *const *roots);
// Whether n is a reduction of elements that are not reductions' results.
bool cp_is_plain_reduction(const cp_node *n);
// Whether the device may run n, such a reduction, as a plan with phases although nothing else is computed.
bool cp_may_be_phased_alone(const cp_device *device, const cp_node *n);
// Computes roots, among them reductions, into targets of their shapes by one kernel with phases, if there is
// one; otherwise *done is false and nothing was done.
cp_status cp_evaluate_phases(cp_context *ctx, int count, cp_node *const *roots, cp_array *const *targets,
                             bool fresh, bool *done);

// Runs a plan on a stream. All plans reach their device through this function.
cp_status cp_run_plan(cp_context *ctx, cp_stream *stream, cp_plan *p);

// Computes an expression of scalars alone, on the host.
cp_status cp_evaluate_scalar(cp_context *ctx, cp_node *root, cp_scalar *out);

#endif
