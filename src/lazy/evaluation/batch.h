// A batch: one evaluation, which computes one or more values by one kernel.
#ifndef CP_LAZY_EVALUATION_BATCH_H
#define CP_LAZY_EVALUATION_BATCH_H

#include "lazy/expression/domain.h"
#include "lazy/expression/structure.h"
#include "lazy/work/new_output.h"
#include "plan/plan.h"

// A write into an array has three steps: cp_batch_begin gives memory to parts of the expression that are
// worth keeping by now, which may collect garbage; then the caller makes the target's memory ready; then
// cp_batch_run launches the kernel.
typedef struct cp_batch {
  int count;
  int asked;   // how many of the first outputs somebody asked for; the kernel computes the others beside them
  bool phased; // the values are made of reductions over `domain`, and one kernel may compute it all
  cp_domain domain;
  // How many outputs `domain` was found for, and what ctx->lazy.settled was then; 0 outputs: it is none's.
  int known;
  unsigned settled;
  cp_structure *structure;        // of what was asked for; NULL: it is not described
  bool prepared;                  // the outputs are those of a prepared batch of that structure (prepared.h)
  const cp_node *needed;          // computed even if no array waits for it any more
  cp_node *nodes[CP_MAX_OUTPUTS]; // retained
  cp_array *targets[CP_MAX_OUTPUTS];
  // New memory: where the batch made the target, targets[k] is &new_outputs[k].a.
  cp_new_output new_outputs[CP_MAX_OUTPUTS];
} cp_batch;
// The batch holds a reference to root until cp_batch_end.
cp_status cp_batch_begin(cp_context *ctx, cp_batch *b, cp_node *root, cp_array *target);
cp_status cp_batch_run(cp_context *ctx, cp_batch *b);
void cp_batch_end(cp_context *ctx, cp_batch *b, cp_status status);

// Computes n alone, into new memory, with what it needs. A node that more than its array and the caller refer
// to becomes a leaf.
cp_status cp_batch_alone(cp_context *ctx, cp_node *n);
// Before a reduction of root: computes the values of its expression that are worth keeping by now, possibly
// root itself.
cp_status cp_keep_values(cp_context *ctx, cp_node *root);
// Computes values of one shape and stream, or made of reductions over one domain, into new memory. They must
// not be leaves. The message of a failure names the operations.
cp_status cp_batch_force(cp_context *ctx, int count, cp_node *const *nodes);

#endif
