// The memory that a node's value gets when it is computed.
#ifndef CP_LAZY_EVALUATION_HOME_H
#define CP_LAZY_EVALUATION_HOME_H

#include "lazy/expression/node.h"

typedef struct cp_new_output {
  cp_array a;
  int64_t strides[CP_MAXDIM];
} cp_new_output;

// New memory for the value of n, laid out as n says, in h->a. This may collect garbage.
cp_status cp_home_make(cp_context *ctx, const cp_node *n, cp_new_output *h);
// The value of n, to which the caller has a reference, is in home now: the array that waits for it gets that, and what is
// built on n reads it.
void cp_home_settle(cp_node *n, cp_array *home);

#endif
