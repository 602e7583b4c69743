// Pending values: arrays whose elements nobody has asked for yet.
//
// An elementwise operation gives its array a node instead of memory. cp_force (force.h) computes the value, with all that it is made of, in one kernel; a
// reduction or an assignment takes the node itself (cp_array_node). What was computed becomes a leaf in place. A value that a second evaluation
// needs, and that an array still waits for, is written to memory by that evaluation.
//
// A value belongs to the stream that was current when its operator was written: it is computed there, and an expression is of one stream. Values
// that are cheaper to compute than to read belong to none.
#ifndef CP_LAZY_ARRAYS_PENDING_H
#define CP_LAZY_ARRAYS_PENDING_H

#include "lazy/expression/node.h"

// Makes the array (placed with n->ndim dimensions or more) wait for n (no leaf), whose reference it takes even on failure: the array has n's shape,
// dtype and strides; its memory comes later. CP_ESHAPE when it can have none.
cp_status cp_pend(cp_context *ctx, cp_array *a, cp_node *n);
// Ends the waiting: nothing is computed. Safe in finalizers; does nothing when the array is not pending.
void cp_pending_drop(cp_array *a);

// Whether the array is pending or has memory: CP_EUSAGE after free.
static inline cp_status cp_array_alive(const cp_array *a) {
  return a->node != NULL ? CP_OK : cp_array_check(a);
}
// A reference to the array's value as a node for work on the current stream: the pending one (which is computed first when it belongs to another
// stream), or a new leaf.
cp_status cp_array_node(cp_array *a, cp_node **out);

#endif
