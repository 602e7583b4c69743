// One evaluation of pending values by one kernel.
#ifndef CP_LAZY_EVALUATION_BATCH_H
#define CP_LAZY_EVALUATION_BATCH_H

#include "lazy/evaluation/home.h"
#include "plan/plan.h"

// In three steps, for what writes into arrays: parts that are worth keeping by now get memory (this may collect garbage),
// the caller settles where the target's memory is, the kernel runs.
typedef struct cp_batch {
  int count;
  cp_node *nodes[CP_MAX_OUTPUTS]; // retained
  cp_array *targets[CP_MAX_OUTPUTS];
  cp_new_output new_outputs[CP_MAX_OUTPUTS]; // new memory: targets[k] is homes[k].a where the batch made it
} cp_batch;
// root is retained until cp_batch_end.
cp_status cp_batch_begin(cp_context *ctx, cp_batch *b, cp_node *root, cp_array *target);
cp_status cp_batch_run(cp_context *ctx, cp_batch *b);
void cp_batch_end(cp_context *ctx, cp_batch *b, cp_status status);

// Before a reduction of root: computes the parts of it that are worth keeping by now, root included.
cp_status cp_keep_parts(cp_context *ctx, cp_node *root);
// Computes values of one shape and device, which are no leaves, into memory of their own. A failure names the operations.
cp_status cp_batch_force(cp_context *ctx, int count, cp_node *const *nodes);

#endif
