// New memory for a node's value, and what happens to the node when the value is there.
#ifndef CP_LAZY_WORK_NEW_OUTPUT_H
#define CP_LAZY_WORK_NEW_OUTPUT_H

#include "lazy/expression/node.h"

typedef struct cp_new_output {
  cp_array a;
  int64_t strides[CP_MAXDIM];
} cp_new_output;

// Allocates memory for the value of n, with n's strides, as the array h->a. May collect garbage.
cp_status cp_output_make(cp_context *ctx, const cp_node *n, cp_new_output *h);
// Called when the value of n is in `output`: the array that waits for n gets this memory, and nodes built on
// n read it. The caller has a reference to n.
void cp_output_settle(cp_node *n, cp_array *output);

#endif
