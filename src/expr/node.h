// Expression nodes: the DAG that operators build. A node is a leaf (a view of a buffer), a scalar, an index (a value that is affine in
// the position, without memory) or an operation on other nodes. Counted by reference; walked with explicit stacks, never by recursion.
#ifndef CP_EXPR_NODE_H
#define CP_EXPR_NODE_H

#include "array/array.h"
#include "expr/ops.h"

enum { CP_MAX_ARGS = 4 };

typedef enum cp_node_kind { CP_NODE_LEAF, CP_NODE_SCALAR, CP_NODE_INDEX, CP_NODE_OP } cp_node_kind;

struct cp_node {
  int refs;
  int mark; // scratch of the plan builder; -1 outside of it
  cp_node_kind kind;
  cp_op op;
  cp_dtype loop, dtype; // what the operation computes in, what it gives
  int nargs, ndim;
  cp_node *args[CP_MAX_ARGS];
  cp_device *device; // NULL for scalars
  union {
    struct {
      cp_buffer *buffer;
      int64_t offset; // bytes
    } leaf;
    cp_scalar scalar;
    int64_t start; // index: value at position 0 of every axis
    cp_node *next; // operation: link of dead nodes while a DAG is released
  } u;
  int64_t dims[]; // shape; then strides for a leaf (bytes) and an index (value per position)
};

static inline int64_t *cp_node_strides(cp_node *n) { return n->dims + n->ndim; }

// Each constructor sets *out to a node with one reference; CP_EMEMORY when the host is out of memory.
cp_status cp_node_leaf(const cp_array *a, cp_node **out);
cp_status cp_node_scalar(cp_scalar s, cp_node **out);
// int64 values start + sum(position[k] * steps[k]) over an array of this shape.
cp_status cp_node_index(cp_device *device, int ndim, const int64_t *shape, int64_t start,
                        const int64_t *steps, cp_node **out);
// op on args (0-based, op's arity of them), whose references it takes even on failure. Adds the casts that op's type rule asks for, broadcasts, and
// checks shapes and devices: CP_ESHAPE, CP_EDTYPE, CP_EUSAGE.
cp_status cp_node_op(cp_op op, cp_node **args, cp_node **out);
// n itself when it has the dtype already. Takes n's reference even on failure.
cp_status cp_node_cast(cp_node *n, cp_dtype to, cp_node **out);

void cp_node_retain(cp_node *n);
void cp_node_release(cp_node *n); // NULL is fine

#endif
