// Pending values: arrays whose elements nobody has asked for yet.
//
// An elementwise operation gives its array a node instead of memory. cp_force computes the value, with all that it is made of, in one kernel; a
// reduction or an assignment takes the node itself (cp_array_node). What was computed becomes a leaf in place. A value that a second evaluation
// needs, and that an array still waits for, is written to memory by that evaluation.
//
// A value belongs to the stream that was current when its operator was written: it is computed there, and an expression is of one stream. Values
// that are cheaper to compute than to read belong to none.
#ifndef CP_LAZY_PENDING_H
#define CP_LAZY_PENDING_H

#include "lazy/graph.h"

// Makes the array (placed with n->ndim dimensions or more) wait for n (no leaf), whose reference it takes even on failure: the array has n's shape,
// dtype and strides; its memory comes later. CP_ESHAPE when it can have none.
cp_status cp_pend(cp_context *ctx, cp_array *a, cp_node *n);
// Ends the waiting: nothing is computed. Safe in finalizers; does nothing when the array is not pending.
void cp_pending_drop(cp_array *a);
// Takes n from the list of pending values (it has a handle and is no leaf).
void cp_pending_remove(cp_node *n);

// A walk along the list, oldest first, during which anything may leave it; walks nest, as finalizers run inside of evaluations.
typedef struct cp_pending_walk {
  cp_node *next;
  struct cp_pending_walk *outer;
} cp_pending_walk;
void cp_pending_begin(cp_context *ctx, cp_pending_walk *w);
cp_node *cp_pending_next(cp_pending_walk *w); // NULL at the end
void cp_pending_end(cp_context *ctx, const cp_pending_walk *w);

// Whether the array is pending or has memory: CP_EUSAGE after free.
static inline cp_status cp_array_alive(const cp_array *a) {
  return a->node != NULL ? CP_OK : cp_array_check(a);
}
// A reference to the array's value as a node for work on the current stream: the pending one (which is computed first when it belongs to another
// stream), or a new leaf.
cp_status cp_array_node(cp_array *a, cp_node **out);

// Gives the array memory with its value. On failure (memory, compiling) it stays pending, and the message names the operations.
cp_status cp_force(cp_context *ctx, cp_array *a);
// The same for several arrays: those of one shape and device by one kernel, as far as bounds allow.
cp_status cp_force_all(cp_context *ctx, int count, cp_array *const *arrays);
// The same for n in the list, whose array may be garbage.
cp_status cp_force_listed(cp_context *ctx, cp_node *n);
// Launches all pending values on device (NULL: on every device) that nothing else pending is made of, in the order they were written.
cp_status cp_launch_pending(cp_context *ctx, cp_device *device);
// The same for the values of one stream.
cp_status cp_launch_stream(cp_context *ctx, cp_stream *stream);
// Bytes that computing the pending values made of a leaf whose `touched` is set would move, about; SIZE_MAX when they are many.
size_t cp_touched_bytes(cp_context *ctx);
// Computes them, except one, and gives memory of their own to arrays that wait for such leaves of b themselves.
cp_status cp_force_touched(cp_context *ctx, const cp_buffer *b, const cp_node *except);

// ---- bounds.c ----
// Before an operation on the arrays (NULL: a number): forces operands that it would repeat, the largest ones until it is within the bounds, and old
// values while they alone keep too much memory.
cp_status cp_bound_operands(cp_context *ctx, int count, cp_array *const *arrays);

// Whether a kernel over this shape would compute n, which an array waits for, again and again for elements that share it.
bool cp_is_repeated(const cp_node *n, int ndim, const int64_t *shape);

#endif
