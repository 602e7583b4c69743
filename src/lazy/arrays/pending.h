// Pending values: arrays whose elements have not been needed yet.
//
// An elementwise operation gives its array a node instead of memory. cp_force (lazy/evaluation/force.h)
// computes the value, with everything that it depends on, by one kernel; a reduction or an assignment takes
// the node itself (cp_array_node). A computed node becomes a leaf in place. If a second evaluation needs a
// value that an array still waits for, it also writes that value to memory.
//
// A value belongs to the stream that was current when its operator was called, and is computed there; so an
// expression belongs to one stream. Values that are cheaper to compute than to read belong to none.
#ifndef CP_LAZY_ARRAYS_PENDING_H
#define CP_LAZY_ARRAYS_PENDING_H

#include "lazy/expression/node.h"

// Makes the array wait for n, other than a leaf: the array gets n's shape, dtype and strides, and its memory
// later. The array must have room for n->ndim dimensions. Takes n's reference even on failure. CP_ESHAPE if
// the shape is too large for any memory.
cp_status cp_pend(cp_context *ctx, cp_array *a, cp_node *n);
// Drops the array's pending value without computing it. Safe in finalizers. Does nothing if the array is not
// pending.
void cp_pending_drop(cp_array *a);
// The same for a finalizer, whose time is not the script's choice: an evaluation stores the value as if the
// array still waited.
void cp_pending_finalize(cp_array *a);

// CP_OK if the array is pending or has memory; CP_EUSAGE after it was freed.
static inline cp_status cp_array_alive(const cp_array *a) {
  return a->node != NULL ? CP_OK : cp_array_check(a);
}
// Whether the array stands for an element that is not known yet (cp_node_placeholder); a may be NULL.
static inline bool cp_is_traced(const cp_array *a) { return a != NULL && a->node != NULL && a->node->traced; }
// The array's value as a node, with one reference, for work on the current stream: its pending node, or a new
// leaf. A pending value of another stream is computed first.
cp_status cp_array_node(cp_array *a, cp_node **out);

#endif
