// Evaluation: from expression nodes to memory.
#ifndef CP_LAZY_EVALUATION_EVAL_H
#define CP_LAZY_EVALUATION_EVAL_H

#include "lazy/evaluation/prepared.h"
#include "plan/plan.h"

// Writes roots into targets by one kernel, unless their parts (parts.h) need others. The targets are views of
// the roots' shapes, on their device; only where one kernel computes reductions and what is made of them
// (phases.h) may the shapes differ.
// If a leaf overlaps a target without being the same view, the values go through a temporary; fresh: all
// targets are new memory, which no leaf overlaps. The caller has passed the targets through the write barrier
// (cp_begin_write).
cp_status cp_evaluate(cp_context *ctx, int count, cp_node *const *roots, cp_array *const *targets,
                      bool fresh);

// What the caller knows about values that a kernel with phases may compute.
typedef struct cp_phases_known {
  bool fresh;                 // as above
  const cp_domain *domain;    // of the values; NULL: it is to be found
  cp_preparation *to_prepare; // NULL: the plan is not to be kept
} cp_phases_known;

// Computes roots, among them reductions, into targets of their shapes by one kernel with phases, if there is
// one; otherwise *done is false and nothing was done.
cp_status cp_evaluate_phases(cp_context *ctx, int count, cp_node *const *roots, cp_array *const *targets,
                             const cp_phases_known *known, bool *done);
// Computes roots by a prepared plan of the structure s into new memory.
cp_status cp_evaluate_prepared(cp_context *ctx, const cp_prepared *prepared, const cp_structure *s,
                               cp_node *const *roots, cp_array *const *targets);

// Runs a plan on a stream. All plans reach their device through this function.
cp_status cp_run_plan(cp_context *ctx, cp_stream *stream, cp_plan *p);

// Computes an expression of scalars alone, on the host.
cp_status cp_evaluate_scalar(cp_context *ctx, cp_node *root, cp_scalar *out);

#endif
