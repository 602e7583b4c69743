// What a kernel computes beside the values that were asked for: one with phases reductions over the same
// domain, and values of whole rows; an elementwise one other values that are made of the same parts.
#ifndef CP_LAZY_EVALUATION_BESIDE_H
#define CP_LAZY_EVALUATION_BESIDE_H

#include "lazy/evaluation/batch.h"

// Finds the domain of these outputs, which the batch has or is to have.
bool cp_batch_find_domain(cp_context *ctx, cp_batch *b, int count, cp_node *const *nodes);
bool cp_is_output(const cp_batch *b, const cp_node *n);
// Finds values that one kernel may also store, for a batch with a domain, and the domain of all of them.
// Returns how many are in `list`.
int cp_find_beside(cp_context *ctx, cp_batch *b, cp_node **list);

// Finds pending elementwise values of the shape of the batch's that share operations with them, without
// being made of each other: computed now, they take the shared operations and a launch less. Returns how many
// are in `list`.
int cp_find_alike(cp_context *ctx, const cp_batch *b, cp_node **list);

#endif
