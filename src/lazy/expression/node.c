// Makes and releases expression nodes. Type rules are applied, shapes are broadcast and devices are compared
// here, when the operator is called.
#include "lazy/expression/node.h"

#include "array/freed_structs.h"
#include "lazy/expression/pending_list.h"

#include <stdlib.h>
#include <string.h>

// Nodes of up to so many dimensions are allocated in one size, and their memory is kept for reuse.
enum { SPARE_DIMS = 4 };

static inline cp_status new_node(cp_context *ctx, cp_node_kind kind, cp_dtype dtype, int ndim,
                                 cp_node **out) {
  size_t room = (size_t)(ndim > SPARE_DIMS ? ndim : SPARE_DIMS) * 2 * sizeof(int64_t);
  cp_node *n = ctx != NULL && ndim <= SPARE_DIMS ? cp_struct_take(&ctx->lazy.nodes, sizeof *n + room)
                                                 : malloc(sizeof *n + room);
  if (n == NULL) return cp_no_memory(NULL);
  n->context = ctx;
  n->refs = 1;
  n->mark = -1;
  n->epoch = 0;
  n->kind = kind;
  n->op = CP_NOPS;
  n->loop = n->dtype = dtype;
  n->nargs = 0;
  n->ndim = ndim;
  n->read = n->touched = n->awaited = n->exposed = n->apart = n->reduces = n->costly = n->traced = false;
  n->looks = n->scattered = false;
  n->planned = n->view = false;
  n->steps = 0;
  n->weight = (cp_weight){0};
  n->reduced = (cp_reduced){0, 0};
  n->device = NULL;
  n->stream = NULL;
  n->handle = NULL;
  n->prev = n->next = NULL;
  *out = n;
  return CP_OK;
}

static void free_node(cp_node *n) {
  if (n->context != NULL && n->ndim <= SPARE_DIMS)
    cp_struct_put(n->context, &n->context->lazy.nodes, n);
  else
    free(n);
}

// Releases what an operation has besides its arguments.
static inline void drop_extra(cp_node *n) {
  if (n->op == CP_OP_call) cp_function_release(n->u.function);
  if (n->op == CP_OP_lookup) cp_selected_release(n->u.lookup.positions);
  if (n->op == CP_OP_product) {
    free(n->u.product.job);
    free(n->u.product.gemm);
  }
}

// ---- leaves: the readers of a buffer ----------------------------------------------------------------------

static void link_reader(cp_node *n, cp_buffer *b) {
  n->prev = NULL;
  n->next = b->readers;
  if (b->readers != NULL) b->readers->prev = n;
  b->readers = n;
}

static void unlink_reader(cp_node *n) {
  if (n->prev == NULL)
    n->u.leaf.buffer->readers = n->next;
  else
    n->prev->next = n->next;
  if (n->next != NULL) n->next->prev = n->prev;
}

// Whether others may write the memory at any time. A captured graph writes when it is launched, which cannot
// happen during a capture.
static bool may_change(const cp_buffer *b) {
  if (b->exposed == CP_EXPOSED_GRAPH) return b->context->capture.graph == NULL;
  return b->exposed != 0;
}

static void set_leaf(cp_node *n, cp_buffer *buffer, int64_t offset) {
  n->u.leaf.buffer = buffer;
  n->u.leaf.offset = offset;
  n->u.leaf.moves = NULL;
  n->exposed = may_change(buffer);
  n->weight = (cp_weight){.leaves = 1, .slots = 1 + n->ndim};
  cp_buffer_retain(buffer);
  link_reader(n, buffer);
}

cp_status cp_node_leaf(const cp_array *a, cp_node **out) {
  CP_TRY(cp_array_check(a));
  CP_TRY(new_node(a->storage->buffer->context, CP_NODE_LEAF, a->dtype, a->ndim, out));
  cp_node *n = *out;
  n->device = a->device;
  set_leaf(n, a->storage->buffer, a->offset);
  cp_copy_lengths(n->dims, a->shape, a->ndim);
  cp_copy_lengths(cp_node_strides(n), a->strides, a->ndim);
  return CP_OK;
}

const cp_node *cp_node_reads(const cp_node *n) {
  while (n->kind == CP_NODE_OP && n->op == CP_OP_cast && n->loop == n->dtype &&
         cp_shape_equal(n->ndim, n->dims, n->args[0]->ndim, n->args[0]->dims))
    n = n->args[0];
  return n->kind == CP_NODE_LEAF ? n : NULL;
}

cp_status cp_node_leaf_at(const cp_node *leaf, int64_t offset, int ndim, const int64_t *shape,
                          const int64_t *strides, cp_node **out) {
  CP_TRY(new_node(leaf->context, CP_NODE_LEAF, leaf->dtype, ndim, out));
  cp_node *n = *out;
  n->device = leaf->device;
  set_leaf(n, leaf->u.leaf.buffer, offset);
  cp_copy_lengths(n->dims, shape, ndim);
  cp_copy_lengths(cp_node_strides(n), strides, ndim);
  return CP_OK;
}

cp_status cp_node_leaf_again(const cp_node *leaf, cp_node **out) {
  return cp_node_leaf_at(leaf, leaf->u.leaf.offset, leaf->ndim, leaf->dims, cp_node_strides(leaf), out);
}

void cp_node_become_leaf(cp_node *n, cp_buffer *buffer, int64_t offset, const int64_t *strides) {
  if (n->context != NULL) {
    n->context->lazy.weighed = 0;
    n->context->lazy.settled++;
  }
  cp_node *args[CP_MAX_ARGS];
  int nargs = n->nargs;
  memcpy(args, n->args, sizeof args);
  if (n->handle != NULL) cp_pending_remove(n);
  drop_extra(n);
  n->kind = CP_NODE_LEAF;
  n->op = CP_NOPS;
  n->nargs = 0;
  n->read = n->apart = n->reduces = n->looks = n->costly = false;
  n->steps = 0;
  memmove(cp_node_strides(n), strides, (size_t)n->ndim * sizeof *strides);
  set_leaf(n, buffer, offset);
  for (int k = 0; k < nargs; k++) cp_node_release(args[k]);
}

// ---- values without memory --------------------------------------------------------------------------------

static cp_weight number_weight(cp_dtype t) {
  return (cp_weight){.scalars = 1, .slots = t == CP_COMPLEX128 ? 2 : 1};
}

static cp_status new_scalar(cp_context *ctx, cp_scalar s, cp_node **out) {
  CP_TRY(new_node(ctx, CP_NODE_SCALAR, s.dtype, 0, out));
  (*out)->u.scalar = s;
  (*out)->weight = number_weight(s.dtype);
  return CP_OK;
}

cp_status cp_node_scalar(cp_scalar s, cp_node **out) { return new_scalar(NULL, s, out); }

cp_status cp_node_constant(cp_device *device, cp_scalar s, int ndim, const int64_t *shape, char order,
                           cp_node **out) {
  CP_TRY(new_node(NULL, CP_NODE_SCALAR, s.dtype, ndim, out));
  cp_node *n = *out;
  n->u.scalar = s;
  n->weight = number_weight(s.dtype);
  n->device = device;
  memcpy(n->dims, shape, (size_t)ndim * sizeof *shape);
  cp_node_set_order(n, order);
  return CP_OK;
}

cp_status cp_node_index(cp_device *device, int ndim, const int64_t *shape, int64_t start,
                        const int64_t *steps, cp_node **out) {
  CP_TRY(new_node(NULL, CP_NODE_INDEX, CP_INT64, ndim, out));
  cp_node *n = *out;
  n->device = device;
  n->u.start = start;
  n->weight = (cp_weight){.leaves = 1, .slots = 1 + ndim};
  memcpy(n->dims, shape, (size_t)ndim * sizeof *shape);
  memcpy(cp_node_strides(n), steps, (size_t)ndim * sizeof *steps);
  return CP_OK;
}

void cp_node_set_order(cp_node *n, char order) {
  if (n->kind != CP_NODE_INDEX)
    cp_contiguous_strides(n->ndim, n->dims, cp_itemsize(n->dtype), order, cp_node_strides(n));
}

// ---- references -------------------------------------------------------------------------------------------

// Frees a node at once unless it is an operation. Dead operations are put on the list *todo, so that
// releasing a deep expression needs no recursion.
static void defer_destroy(cp_node *n, cp_node **todo) {
  if (n->kind == CP_NODE_OP) {
    if (n->view) cp_node_unlist_view(n);
    n->next = *todo;
    *todo = n;
    return;
  }
  if (n->kind == CP_NODE_LEAF) {
    unlink_reader(n);
    cp_buffer_release(n->u.leaf.buffer);
    if (n->u.leaf.moves != NULL) free(n->u.leaf.moves);
  }
  free_node(n);
}

void cp_node_release(cp_node *n) {
  if (n == NULL || --n->refs > 0) return;
  cp_node *todo = NULL;
  defer_destroy(n, &todo);
  while (todo != NULL) {
    cp_node *dead = todo;
    todo = dead->next;
    for (int k = 0; k < dead->nargs; k++)
      if (--dead->args[k]->refs == 0) defer_destroy(dead->args[k], &todo);
    drop_extra(dead);
    free_node(dead);
  }
}

static void release_all(int n, cp_node *const *args) {
  for (int k = 0; k < n; k++) cp_node_release(args[k]);
}

// ---- operations -------------------------------------------------------------------------------------------

static cp_status fail_devices(const cp_device *a, const cp_device *b) {
  return cp_fail(CP_EUSAGE, "operands are on different devices, %s and %s; move one with :to(\"%s\")",
                 a->name, b->name, a->name);
}

static cp_status common_shape(int n, cp_node **args, int *ndim, int64_t *shape) {
  *ndim = args[0]->ndim;
  cp_copy_lengths(shape, args[0]->dims, *ndim);
  for (int k = 1; k < n; k++) {
    if (args[k]->ndim == 0 || cp_shape_equal(args[k]->ndim, args[k]->dims, *ndim, shape)) continue;
    if (cp_broadcast(ndim, shape, args[k]->ndim, args[k]->dims)) continue;
    char so_far[CP_SHAPE_TEXT], other[CP_SHAPE_TEXT];
    return cp_fail(CP_ESHAPE, "shapes %s and %s do not broadcast", cp_shape_text(*ndim, shape, so_far),
                   cp_shape_text(args[k]->ndim, args[k]->dims, other));
  }
  return CP_OK;
}

// Takes over what the operations say that n's arguments are made of.
static void inherit(cp_node *n) {
  enum { FEW = 3 };
  int steps = n->steps;
  for (int k = 0; k < n->nargs; k++) {
    const cp_node *a = n->args[k];
    if (a->kind != CP_NODE_OP) continue;
    n->apart |= a->apart;
    n->looks |= a->looks;
    n->traced |= a->traced;
    n->reduces |= a->reduces;
    n->costly |= a->costly;
    steps += a->steps;
    cp_reduced_join(&n->reduced, a->reduced);
  }
  n->costly = n->costly || steps > FEW;
  n->steps = (short)(steps < INT16_MAX ? steps : INT16_MAX);
}

static void add_up(cp_node *n) {
  const int functions = cp_is_long(n->op);
  bool made = false, exposed = false;
  cp_weight w = {.ops = 1, .functions = functions};
  for (int k = 0; k < n->nargs; k++) {
    const cp_node *a = n->args[k];
    cp_weight_add(&w, &a->weight);
    exposed |= a->exposed;
    made |= a->kind == CP_NODE_OP;
  }
  n->weight = w;
  n->exposed = exposed;
  n->apart = false;
  n->costly = functions > 0;
  n->steps = 1;
  if (made) inherit(n);
}

cp_status cp_node_placeholder(cp_context *ctx, cp_device *device, cp_dtype dtype, cp_node **out) {
  CP_TRY(new_node(ctx, CP_NODE_OP, dtype, 0, out));
  (*out)->op = CP_OP_positive;
  (*out)->device = device;
  (*out)->traced = true;
  (*out)->weight = (cp_weight){.ops = 1};
  return CP_OK;
}

// An operation on arguments that already have the right dtypes.
typedef struct operation {
  cp_op op;
  cp_dtype loop, result;
  int nargs;
  cp_node **args;
} operation;

// Makes the node of an operation on arguments that broadcast to the shape. Takes their references only if it
// succeeds.
static inline cp_status make_op(cp_context *ctx, const operation *w, int ndim, const int64_t *shape,
                                cp_device *device, cp_node **out) {
  CP_TRY(new_node(ctx, CP_NODE_OP, w->result, ndim, out));
  cp_node *node = *out;
  node->op = w->op;
  node->loop = w->loop;
  node->nargs = w->nargs;
  node->device = device;
  for (int k = 0; k < w->nargs; k++) node->args[k] = w->args[k];
  cp_copy_lengths(node->dims, shape, ndim);
  add_up(node);
  if (ndim > 1)
    cp_node_follow_operands(node);
  else
    cp_node_set_order(node, 'C');
  return CP_OK;
}

// The same, but finds and checks shape and device.
static cp_status new_op(const operation *w, cp_node **out) {
  cp_node **args = w->args;
  int ndim = args[0]->ndim;
  int64_t broad[CP_MAXDIM];
  const int64_t *shape = args[0]->dims;
  cp_device *device = args[0]->device;
  cp_context *ctx = args[0]->context;
  bool alike = true; // each other argument has the shape of the first, or is a number
  for (int k = 1; k < w->nargs; k++) {
    const cp_node *a = args[k];
    if (device == NULL) device = a->device;
    if (a->device != device && a->device != NULL) return fail_devices(device, a->device);
    if (ctx == NULL) ctx = a->context;
    alike = alike && (a->ndim == 0 || cp_shape_equal(a->ndim, a->dims, ndim, shape));
  }
  if (!alike) {
    CP_TRY(common_shape(w->nargs, args, &ndim, broad));
    shape = broad;
  }
  return make_op(ctx, w, ndim, shape, device, out);
}

static cp_status node_of_term(cp_context *ctx, const cp_term *t, cp_node **out) {
  if (t->array == NULL) return new_scalar(ctx, t->number, out);
  if (t->array->node == NULL) return cp_node_leaf(t->array, out);
  *out = t->array->node;
  cp_node_retain(*out);
  return CP_OK;
}

cp_status cp_node_of_terms(cp_context *ctx, cp_op op, cp_dtype t, int n, const cp_term *terms,
                           cp_node **out) {
  cp_node *args[CP_MAX_ARGS];
  const cp_array *first = NULL;
  cp_status status = CP_OK;
  int made = 0;
  for (; made < n && status == CP_OK; made++) {
    status = node_of_term(ctx, &terms[made], &args[made]);
    if (first == NULL) first = terms[made].array;
  }
  if (status != CP_OK) made--;
  if (status == CP_OK)
    status = make_op(ctx, &(operation){op, t, t, n, args}, first->ndim, first->shape, first->device, out);
  if (status != CP_OK) release_all(made, args);
  return status;
}

// Converts a scalar to another dtype. Makes a new node, as n may have other users.
static cp_status cast_scalar(cp_node *n, cp_dtype to, cp_node **out) {
  char order = cp_is_contiguous(n->ndim, n->dims, cp_node_strides(n), cp_itemsize(n->dtype), 'C') ? 'C' : 'F';
  cp_scalar s = cp_scalar_cast(n->u.scalar, to);
  cp_status status = cp_node_constant(n->device, s, n->ndim, n->dims, order, out);
  cp_node_release(n);
  return status;
}

cp_status cp_node_cast(cp_node *n, cp_dtype to, cp_node **out) {
  *out = n;
  if (n->dtype == to) return CP_OK;
  if (n->kind == CP_NODE_SCALAR) return cast_scalar(n, to, out);
  cp_status status = new_op(&(operation){CP_OP_cast, n->dtype, to, 1, &n}, out);
  if (status != CP_OK) cp_node_release(n);
  return status;
}

// Wraps n in a cast to its own dtype, in a shape to which n broadcasts. Plans use the operand in place of
// such a cast.
static cp_status wrap(cp_node *n, int ndim, const int64_t *shape, cp_node **out) {
  const operation w = {CP_OP_cast, n->dtype, n->dtype, 1, &n};
  cp_status status = make_op(n->context, &w, ndim, shape, n->device, out);
  if (status != CP_OK) cp_node_release(n);
  return status;
}

cp_status cp_node_same(cp_node *n, cp_node **out) { return wrap(n, n->ndim, n->dims, out); }

cp_status cp_node_broadcast(cp_node *n, int ndim, const int64_t *shape, cp_node **out) {
  int64_t strides[CP_MAXDIM];
  cp_status status;
  if (n->kind != CP_NODE_SCALAR && n->kind != CP_NODE_INDEX) {
    CP_TRY(wrap(n, ndim, shape, out));
    cp_node_set_order(*out, 'C');
    return CP_OK;
  }
  cp_broadcast_strides(ndim, shape, n->ndim, n->dims, cp_node_strides(n), strides);
  if (n->kind == CP_NODE_SCALAR)
    status = cp_node_constant(n->device, n->u.scalar, ndim, shape, 'C', out);
  else
    status = cp_node_index(n->device, ndim, shape, n->u.start, strides, out);
  cp_node_release(n);
  return status;
}

cp_status cp_node_op(cp_op op, cp_node **given, cp_node **out) {
  int n = cp_ops[op].arity;
  cp_node *args[CP_MAX_ARGS];
  cp_dtype dtypes[CP_MAX_ARGS] = {CP_BOOL}, loop, result;
  for (int k = 0; k < n; k++) {
    args[k] = given[k];
    dtypes[k] = args[k]->dtype;
  }
  cp_status status = cp_op_types(op, n, dtypes, &loop, &result);
  for (int k = 0; k < n && status == CP_OK; k++) {
    cp_node *arg = args[k];
    cp_dtype wanted = cp_op_arg_dtype(op, loop, k);
    if (arg->dtype == wanted) continue;
    args[k] = NULL; // cp_node_cast takes the reference, even on failure
    status = cp_node_cast(arg, wanted, &arg);
    if (status == CP_OK) args[k] = arg;
  }
  if (status == CP_OK) status = new_op(&(operation){op, loop, result, n, args}, out);
  if (status != CP_OK) release_all(n, args);
  return status;
}

cp_status cp_node_remake(const cp_node *n, cp_node **args, cp_node **out) {
  cp_status status = new_op(&(operation){n->op, n->loop, n->dtype, n->nargs, args}, out);
  if (status == CP_OK && n->op == CP_OP_call) cp_node_set_function(*out, n->u.function);
  if (status != CP_OK) release_all(n->nargs, args);
  return status;
}

cp_status cp_node_remake_as(const cp_node *n, cp_node **args, int ndim, const int64_t *shape, cp_node **out) {
  const operation w = {n->op, n->loop, n->dtype, n->nargs, args};
  cp_status status = make_op(n->context, &w, ndim, shape, n->device, out);
  if (status == CP_OK && n->op == CP_OP_call) cp_node_set_function(*out, n->u.function);
  if (status != CP_OK) release_all(n->nargs, args);
  return status;
}

cp_status cp_node_reduce(cp_node *arg, const cp_node_reduction *r, cp_dtype dtype, int ndim,
                         const int64_t *shape, cp_node **out) {
  cp_status status = new_node(arg->context, CP_NODE_OP, dtype, ndim, out);
  if (status != CP_OK) {
    cp_node_release(arg);
    return status;
  }
  cp_node *node = *out;
  node->op = CP_OP_reduce;
  node->loop = arg->dtype;
  node->nargs = 1;
  node->args[0] = arg;
  node->device = arg->device;
  node->u.reduction = *r;
  cp_copy_lengths(node->dims, shape, ndim);
  add_up(node);
  node->reduces = true;
  node->reduced = cp_reduced_over(r->axes, arg->ndim, arg->dims);
  node->costly = false;
  node->steps = 0;
  cp_node_set_order(node, 'C');
  return CP_OK;
}

cp_status cp_node_apart(cp_op op, int nargs, cp_node *const *args, cp_dtype dtype, int ndim,
                        const int64_t *shape, cp_node **out) {
  cp_status status = new_node(args[0]->context, CP_NODE_OP, dtype, ndim, out);
  if (status != CP_OK) {
    release_all(nargs, args);
    return status;
  }
  cp_node *node = *out;
  node->op = op;
  node->nargs = nargs;
  memcpy(node->args, args, (size_t)nargs * sizeof *args);
  node->device = args[0]->device;
  cp_copy_lengths(node->dims, shape, ndim);
  add_up(node);
  node->apart = node->costly = true;
  cp_node_set_order(node, 'C');
  return CP_OK;
}
