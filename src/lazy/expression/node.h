// Expression nodes: the DAG that operators build. A node is a leaf (a view of a buffer), a scalar (one value in any shape), an index (a value
// that is affine in the position, without memory) or an operation on other nodes. Counted by reference; walked with explicit
// stacks (graph.h), never by recursion.
//
// A node whose value an array handle waits for has the handle's address, and stands in the context's list of pending values. When its value
// is computed it becomes a leaf where it is, so everything that was built on it reads the memory.
#ifndef CP_LAZY_EXPRESSION_NODE_H
#define CP_LAZY_EXPRESSION_NODE_H

#include "array/array.h"
#include "plan/ops.h"

typedef enum cp_node_kind { CP_NODE_LEAF, CP_NODE_SCALAR, CP_NODE_INDEX, CP_NODE_OP } cp_node_kind;

// Upper bounds of what a kernel for the node needs, shared parts counted once where they were counted exactly (graph.h).
typedef struct cp_weight {
  int ops, leaves, scalars, slots; // slots: 8-byte kernel arguments
} cp_weight;

struct cp_node {
  int refs;
  int mark;       // scratch of the plan builder; -1 outside of it
  unsigned epoch; // the last walk that saw it
  cp_node_kind kind;
  cp_op op;
  cp_dtype loop, dtype; // what the operation computes in, what it gives
  int nargs, ndim;
  bool
      costly; // more than a few operations, or one that is not exact: not to be repeated for each element of a larger shape
  bool masked;  // has a part that a mask takes from an array, which no plan can have: see mask.h
  bool traced;  // is made of placeholders (cp_node_placeholder): it has no value
  bool exposed; // reads memory whose address is out: its value is computed at once
  bool read;    // an evaluation has taken its value already without keeping it
  bool touched; // scratch of cp_begin_write: a leaf that the write would change
  cp_weight weight;
  cp_node *args[CP_MAX_ARGS];
  cp_device *device; // NULL for plain numbers
  cp_stream *
      stream; // of a value in the list of pending ones: the current one when it was made; NULL: the state's own
  cp_array *handle;    // the array that waits for the value, or NULL
  cp_context *context; // of the state that it belongs to; may be NULL for numbers
  cp_node *prev,
      *next; // leaf: among the readers of its buffer; others with a handle: among the pending values
  union {
    struct {
      cp_buffer *buffer;
      int64_t offset; // bytes
    } leaf;
    cp_scalar scalar;
    int64_t start; // index: value at position 0 of every axis
  } u;
  // Shape; then strides: of a leaf in bytes, of an index in value per position, else of the memory that the value gets ("K" order).
  int64_t dims[];
};

static inline int64_t *cp_node_strides(const cp_node *n) { return (int64_t *)n->dims + n->ndim; }
static inline cp_region cp_leaf_region(const cp_node *n) {
  return (cp_region){(intptr_t)n->u.leaf.buffer->pointer + (intptr_t)n->u.leaf.offset, cp_itemsize(n->dtype),
                     n->ndim, n->dims, cp_node_strides(n)};
}

// Each constructor sets *out to a node with one reference; CP_EMEMORY when the host is out of memory.
cp_status cp_node_leaf(const cp_array *a, cp_node **out);
cp_status cp_node_scalar(cp_scalar s, cp_node **out);
// op on arrays of one shape, dtype and device, which have memory or wait for their values, and on numbers of that dtype. No type rule is asked: op
// computes in t, and gives it. No capture runs, and there is one stream.
typedef struct cp_term {
  cp_array *array; // NULL: the number
  cp_scalar number;
} cp_term;
cp_status cp_node_of_terms(cp_context *ctx, cp_op op, cp_dtype t, int n, const cp_term *terms, cp_node **out);
// An array of this shape on device with s everywhere; order 'C' or 'F' of the memory that it gets.
cp_status cp_node_constant(cp_device *device, cp_scalar s, int ndim, const int64_t *shape, char order,
                           cp_node **out);
// int64 values start + sum(position[k] * steps[k]) over an array of this shape.
cp_status cp_node_index(cp_device *device, int ndim, const int64_t *shape, int64_t start,
                        const int64_t *steps, cp_node **out);
// op on args (0-based, op's arity of them), whose references it takes even on failure. Adds the casts that op's type rule asks for, broadcasts, and
// checks shapes and devices: CP_ESHAPE, CP_EDTYPE, CP_EUSAGE.
cp_status cp_node_op(cp_op op, cp_node **args, cp_node **out);
// Stands for an element that is not known yet, in expressions that are kept and remade with others in its place (src/lua/kernels/trace.c).
cp_status cp_node_placeholder(cp_context *ctx, cp_device *device, cp_dtype dtype, cp_node **out);
static inline bool cp_is_placeholder(const cp_node *n) { return n->kind == CP_NODE_OP && n->nargs == 0; }
// n itself when it has the dtype already. Takes n's reference even on failure.
cp_status cp_node_cast(cp_node *n, cp_dtype to, cp_node **out);
// Another node of n's value. Takes n's reference even on failure.
cp_status cp_node_same(cp_node *n, cp_node **out);
// n's value repeated in a larger shape, to which it must broadcast. Takes n's reference even on failure.
cp_status cp_node_broadcast(cp_node *n, int ndim, const int64_t *shape, cp_node **out);
// The elements of source where mask, a leaf of bool of its shape, is true: `count` of them in C order. Takes the references even on failure.
cp_status cp_node_masked(cp_node *source, cp_node *mask, int64_t count, cp_node **out);
// n's operation on other arguments of the same dtypes, whose references it takes even on failure.
cp_status cp_node_remake(const cp_node *n, cp_node **args, cp_node **out);
// Sets the strides of the memory that the value of n (no leaf) gets.
void cp_node_set_order(cp_node *n, char order);

// n's value lies in the buffer: makes it a leaf there, with these strides.
void cp_node_become_leaf(cp_node *n, cp_buffer *buffer, int64_t offset, const int64_t *strides);

static inline void cp_node_retain(cp_node *n) { n->refs++; }
void cp_node_release(cp_node *n); // NULL is fine

#endif
