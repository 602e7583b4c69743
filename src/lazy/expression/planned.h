// Planned memory: what views of pending values share.
//
// The first view that is taken of a pending value gives its array a storage without a buffer, but with the
// layout that the value will have. The array and its views refer to that storage, and each waits for a node
// of its own (cp_node.view): the array for the value, a view for an expression of the elements that it shows
// (lazy/transforms/viewed.h). In the context's list of pending values, the value waits in the name of
// `value`, which belongs to the storage. Whoever needs memory of the array or of a view, to write or to hand
// it out, computes the value as a whole: then the storage gets its buffer, and all are ordinary views.
#ifndef CP_LAZY_EXPRESSION_PLANNED_H
#define CP_LAZY_EXPRESSION_PLANNED_H

#include "lazy/expression/node.h"

typedef struct cp_planned {
  cp_array value; // must be the first field
  cp_storage *storage;
  cp_node *views; // those of the array and its views; some may be used by other pending values only
  int64_t viewed; // the elements of all views taken so far
  bool used;      // something has used a view whose array is gone
} cp_planned;

// Whether the array, which is pending, is on planned memory.
static inline bool cp_is_planned(const cp_array *a) { return a->node != NULL && a->storage != NULL; }
// The node to compute so that a has memory; NULL if it has.
static inline cp_node *cp_awaited_node(const cp_array *a) {
  return cp_is_planned(a) ? a->storage->planned->value.node : a->node;
}

// Gives the array, which waits for an operation, planned memory. CP_EMEMORY.
cp_status cp_plan_memory(cp_context *ctx, cp_array *a);
// Makes v (placed) the view of planned memory that `view` describes, and lets it wait for the value of n.
// Takes n's reference even on failure. CP_EMEMORY.
cp_status cp_wait_for_view(cp_array *v, const cp_array *view, cp_node *n);
// The value has been computed into output's memory: p's storage shares the buffer, all views become ordinary
// ones, and p is freed.
void cp_planned_settle(cp_planned *p, const cp_array *output);
// Drops the array's pending value and its reference to the storage. Safe in finalizers.
void cp_planned_leave(cp_array *a);
// Frees the memory before it was made, for x:free(): every use of a view raises afterwards.
void cp_planned_free(cp_array *a);
// Whether other values, pending or computed, have used a view of the value n.
bool cp_planned_used(const cp_node *n);
// Whether the expression of a view of the value n reads a leaf with `touched` set.
bool cp_planned_reaches_touched(cp_context *ctx, const cp_node *n);

#endif
