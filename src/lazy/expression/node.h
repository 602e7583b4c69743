// Expression nodes, which operators build into a DAG. A node is a leaf (a view of a buffer), a scalar (one
// value in any shape), an index (an affine function of the position, without memory) or an operation on other
// nodes. Nodes have reference counts, and are walked with explicit stacks (graph.h), never by recursion.
//
// If an array waits for a node's value, the node has the array's address in `handle` and is in the context's
// list of pending values. When the value has been computed, the node becomes a leaf in place, so everything
// that was built on it reads the memory. A finalizer takes the array away, but what kernels store must not
// depend on when the collector runs, or each would be compiled in many variants: so the node stays `awaited`
// until the script itself frees the array.
#ifndef CP_LAZY_EXPRESSION_NODE_H
#define CP_LAZY_EXPRESSION_NODE_H

#include "array/array.h"
#include "lazy/expression/reduced.h"
#include "plan/function.h"
#include "plan/move.h"
#include "plan/ops.h"
#include "plan/selected.h"

typedef enum cp_node_kind { CP_NODE_LEAF, CP_NODE_SCALAR, CP_NODE_INDEX, CP_NODE_OP } cp_node_kind;

// Shared parts may be counted more than once, except where cp_weigh (graph.h) counted exactly.
static inline void cp_weight_add(cp_weight *sum, const cp_weight *w) {
  sum->ops += w->ops;
  sum->leaves += w->leaves;
  sum->scalars += w->scalars;
  sum->functions += w->functions;
  sum->slots += w->slots;
}

// Moves of a leaf: at most one for each dimension.
typedef struct cp_moves {
  int count;
  int64_t shape[CP_MAXDIM]; // of what it reads: its own shape, with the extent of each move
  cp_move list[];
} cp_moves;

// A node of operation CP_OP_reduce. Its argument has the accumulator's dtype (cp_red_types), which is `loop`.
typedef struct cp_node_reduction {
  cp_red red;
  uint32_t axes;    // of the argument: one bit for each reduced axis
  double parameter; // ddof
  uint64_t born;    // ctx->lazy.operators when it was made
} cp_node_reduction;

// A node of operation CP_OP_product.
typedef struct cp_node_product {
  struct cp_sparse_product_job *job; // the node's own; NULL: of dense matrices
  struct cp_gemm *gemm;              // the node's own, of dense matrices; else NULL
  uint64_t born;                     // ctx->lazy.operators when it was made
  bool absorbed;                     // a kernel has computed it without storing it (lazy/work/product.h)
} cp_node_product;

// A node of operation CP_OP_lookup. Its first argument is the leaf that the positions select from, which is
// read at any of its elements, in whatever shape it has (scattered). The others broadcast to the node's
// shape: if `offset` is set, an index with the distance in bytes that the axes add which are not selected
// from; then the positions, of int32 or int64, as many as there are in `positions`.
typedef struct cp_node_lookup {
  cp_selected *positions; // with a reference
  bool offset;
} cp_node_lookup;

struct cp_node {
  int refs;
  int mark;       // scratch of the plan builder (planning.c); -1 otherwise
  unsigned epoch; // number of the last walk that saw it
  cp_node_kind kind;
  cp_op op;
  cp_dtype loop, dtype; // the dtype that the operation computes in, and that of its result
  int nargs, ndim;
  // More than a few operations, or a slow one: not to be computed again for each element of a larger shape.
  // Reductions are not counted, as nothing computes them again.
  bool costly;
  short steps;     // the operations that computing an element again takes
  signed char way; // scratch of cp_find_domain
  // contains what no plan can compute but a routine: elements that a mask selects (lazy/work/mask.h),
  // products (lazy/work/product.h)
  bool apart;
  bool reduces;   // contains reductions, which no elementwise plan can compute (lazy/evaluation/parts.h)
  bool looks;     // contains lookups
  bool traced;    // contains placeholders (cp_node_placeholder), so it has no value
  bool exposed;   // reads memory whose address is exposed: its value is computed at once
  bool read;      // an evaluation has already used its value without keeping it
  bool touched;   // scratch of the write barrier: a leaf that the write would change
  bool scattered; // the leaf that a lookup reads
  bool awaited;   // an array waits for the value, or did until a finalizer took it away
  bool planned;   // handle is that of planned memory (lazy/expression/planned.h)
  bool view;      // the elements of an array on planned memory: not in the context's list, but in its list
  cp_weight weight;
  cp_reduced reduced;
  cp_node *args[CP_MAX_ARGS];
  cp_device *device; // NULL for plain numbers
  // Of a pending value: the stream that was current when it was made; NULL: the state's own.
  cp_stream *stream;
  cp_array *handle;    // the array that waits for the value, or NULL
  cp_context *context; // may be NULL for numbers
  // A leaf is in the list of its buffer's readers, another node with a handle in the list of pending values.
  // A view is in a list of views.
  cp_node *prev, *next;
  union {
    struct {
      cp_buffer *buffer;
      int64_t offset;  // bytes
      cp_moves *moves; // NULL: none
    } leaf;
    cp_scalar scalar;
    int64_t start; // of an index: its value at position 0 of every axis
    cp_node_reduction reduction;
    cp_node_product product;
    cp_node_lookup lookup;
    cp_function *function; // of a call: the node has a reference to it
    struct {
      cp_node **list; // of views, where it begins
      int64_t offset; // bytes, in the planned memory
    } view;
  } u;
  // The shape, then the strides. A leaf's strides are in bytes (along a moved dimension, those of what it
  // reads); an index's are the change of its value for
  // each position; other nodes have the strides that the memory of their value will have (NumPy's "K" order).
  int64_t dims[];
};

static inline int64_t *cp_node_strides(const cp_node *n) { return (int64_t *)n->dims + n->ndim; }
// The elements that a leaf reads.
static inline cp_region cp_leaf_region(const cp_node *n) {
  return (cp_region){(intptr_t)n->u.leaf.buffer->pointer + (intptr_t)n->u.leaf.offset, cp_itemsize(n->dtype),
                     n->ndim, n->u.leaf.moves != NULL ? n->u.leaf.moves->shape : n->dims, cp_node_strides(n)};
}

// Each constructor sets *out to a node with one reference, or fails with CP_EMEMORY if the host is out of
// memory.
cp_status cp_node_leaf(const cp_array *a, cp_node **out);
// Another leaf on the same elements, without the leaf's moves.
cp_status cp_node_leaf_again(const cp_node *leaf, cp_node **out);
// Another leaf on the same elements, with `length` positions along dimension move->dim, which move maps to
// positions in memory, in place of leaf's own move along it.
cp_status cp_node_moved(const cp_node *leaf, const cp_move *move, int64_t length, cp_node **out);
// Another leaf on the leaf's buffer, with another layout.
cp_status cp_node_leaf_at(const cp_node *leaf, int64_t offset, int ndim, const int64_t *shape,
                          const int64_t *strides, cp_node **out);
// The move of a leaf along a dimension, or NULL.
const cp_move *cp_leaf_move(const cp_node *leaf, int dim);
// The leaf whose elements are n's, if n is a leaf or stands for one (cp_node_same); otherwise NULL.
const cp_node *cp_node_reads(const cp_node *n);
cp_status cp_node_scalar(cp_scalar s, cp_node **out);
// An operation on arrays of one shape, dtype and device, in memory or pending, and on numbers of that dtype.
// A fast path, equal to cp_node_op. It applies no type rule: op must compute in t and give t. Only while
// nothing is captured and the state has one stream.
typedef struct cp_term {
  cp_array *array; // NULL: the number
  cp_scalar number;
} cp_term;
cp_status cp_node_of_terms(cp_context *ctx, cp_op op, cp_dtype t, int n, const cp_term *terms, cp_node **out);
// The value s in this shape on device; order 'C' or 'F' is that of the memory that it will have.
cp_status cp_node_constant(cp_device *device, cp_scalar s, int ndim, const int64_t *shape, char order,
                           cp_node **out);
// int64 values start + sum(position[k] * steps[k]) in this shape.
cp_status cp_node_index(cp_device *device, int ndim, const int64_t *shape, int64_t start,
                        const int64_t *steps, cp_node **out);
// op on args, as many as op takes, whose references it takes even on failure. Adds the casts that op's type
// rule asks for, broadcasts, and checks shapes and devices: CP_ESHAPE, CP_EDTYPE, CP_EUSAGE.
cp_status cp_node_op(cp_op op, cp_node **args, cp_node **out);
// A placeholder for an element that is not known yet, in a traced expression, which is later rebuilt with
// other nodes in its place (src/lua/kernels/trace.c).
cp_status cp_node_placeholder(cp_context *ctx, cp_device *device, cp_dtype dtype, cp_node **out);
static inline bool cp_is_placeholder(const cp_node *n) { return n->kind == CP_NODE_OP && n->nargs == 0; }
// n converted to a dtype; n itself if it already has that dtype. Takes n's reference even on failure.
cp_status cp_node_cast(cp_node *n, cp_dtype to, cp_node **out);
// Another node with n's value. Takes n's reference even on failure.
cp_status cp_node_same(cp_node *n, cp_node **out);
// n's value broadcast to a larger shape. Takes n's reference even on failure.
cp_status cp_node_broadcast(cp_node *n, int ndim, const int64_t *shape, cp_node **out);
// An operation that no plan can compute: CP_OP_masked or CP_OP_product, on leaves, with a value in C order.
// Takes the references even on failure.
cp_status cp_node_apart(cp_op op, int nargs, cp_node *const *args, cp_dtype dtype, int ndim,
                        const int64_t *shape, cp_node **out);
// The reduction r of arg, whose reference it takes even on failure. shape is that of the result, which has
// all of arg's axes (with keepdims) or those that are not reduced; dtype is its dtype.
cp_status cp_node_reduce(cp_node *arg, const cp_node_reduction *r, cp_dtype dtype, int ndim,
                         const int64_t *shape, cp_node **out);
static inline bool cp_is_product(const cp_node *n) { return n->kind == CP_NODE_OP && n->op == CP_OP_product; }
static inline bool cp_is_reduction(const cp_node *n) {
  return n->kind == CP_NODE_OP && n->op == CP_OP_reduce;
}
// Whether n, an operand that contains reductions, broadcasts to this shape along the axes that they reduce:
// then one kernel may keep rows of the shape and compute all (domain.h).
static inline bool cp_is_within_reduced(const cp_node *n, int ndim, const int64_t *shape) {
  return cp_reduced_spreads(n->reduced, n->ndim, n->dims, ndim, shape);
}
// The elements of `source`, a leaf, that the positions select, in this shape. offset: NULL, or an index in
// it. Takes all references, that of l->positions too, even on failure.
cp_status cp_node_looked_up(cp_node *source, cp_node *offset, cp_selected *positions,
                            cp_node *const *selecting, int ndim, const int64_t *shape, cp_node **out);
// n, a lookup, with other arguments of the same dtypes, in this shape. Takes the references even on failure.
cp_status cp_node_look_again(const cp_node *n, cp_node **args, int ndim, const int64_t *shape, cp_node **out);
// Adds what a lookup needs in a kernel besides its operands.
void cp_weigh_lookup(const cp_node *n, cp_weight *sum);
static inline bool cp_is_lookup(const cp_node *n) { return n->kind == CP_NODE_OP && n->op == CP_OP_lookup; }
// The first of n's arguments that broadcast to its shape.
static inline int cp_first_operand(const cp_node *n) { return n->op == CP_OP_lookup; }
// f on args of its dtypes, as many as it takes, whose references it takes even on failure. Broadcasts, and
// checks shapes and devices.
cp_status cp_node_call(cp_function *f, cp_node **args, cp_node **out);
// Completes a node of operation CP_OP_call.
void cp_node_set_function(cp_node *n, cp_function *f);
// n's operation on other arguments of the same dtypes, whose references it takes even on failure.
cp_status cp_node_remake(const cp_node *n, cp_node **args, cp_node **out);
// The same with a result of this shape, to which the arguments broadcast.
cp_status cp_node_remake_as(const cp_node *n, cp_node **args, int ndim, const int64_t *shape, cp_node **out);
// Lays out the memory of an operation's value: in the order of axes that its operands share, otherwise in C
// order.
void cp_node_follow_operands(cp_node *node);
// Sets the order ('C' or 'F') of the memory that the value of n, which is not a leaf, will have.
void cp_node_set_order(cp_node *n, char order);

// Adds n, a node of cp_node_same or cp_node_broadcast, to a list of views, until it is released or taken out.
void cp_node_list_view(cp_node *n, cp_node **list, int64_t offset);
void cp_node_unlist_view(cp_node *n);

// Makes n a leaf: its value is now in the buffer, with these strides.
void cp_node_become_leaf(cp_node *n, cp_buffer *buffer, int64_t offset, const int64_t *strides);

static inline void cp_node_retain(cp_node *n) { n->refs++; }
void cp_node_release(cp_node *n); // n may be NULL

// Whether computing the operation again takes longer than reading its value: functions that are not exact,
// and random draws other than the simplest two.
static inline bool cp_is_long(cp_op op) {
  if (op >= CP_OP_cast) return op == CP_OP_lookup;
  bool plain = op == CP_OP_random_uniform || op == CP_OP_random_integer;
  return cp_ops[op].numeric > 0 || (cp_is_draw(op) && !plain);
}

#endif
