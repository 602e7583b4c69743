// Making and releasing expression nodes; type rules, broadcasting and device checks happen here, at the operator.
#include "expr/node.h"

#include <stdlib.h>
#include <string.h>

static cp_status new_node(cp_node_kind kind, cp_dtype dtype, int ndim, cp_node **out) {
  cp_node *n = malloc(sizeof *n + (size_t)ndim * 2 * sizeof(int64_t));
  if (n == NULL) return cp_fail(CP_EMEMORY, "out of host memory");
  n->refs = 1;
  n->mark = -1;
  n->kind = kind;
  n->op = CP_NOPS;
  n->loop = n->dtype = dtype;
  n->nargs = 0;
  n->ndim = ndim;
  n->device = NULL;
  *out = n;
  return CP_OK;
}

cp_status cp_node_leaf(const cp_array *a, cp_node **out) {
  if (a->storage == NULL || a->storage->buffer == NULL)
    return cp_fail(CP_EUSAGE, "the array's memory was freed");
  CP_TRY(new_node(CP_NODE_LEAF, a->dtype, a->ndim, out));
  cp_node *n = *out;
  n->device = a->device;
  n->u.leaf.buffer = a->storage->buffer;
  n->u.leaf.offset = a->offset;
  cp_buffer_retain(n->u.leaf.buffer);
  size_t bytes = (size_t)a->ndim * sizeof(int64_t);
  memcpy(n->dims, a->shape, bytes);
  memcpy(cp_node_strides(n), a->strides, bytes);
  return CP_OK;
}

cp_status cp_node_scalar(cp_scalar s, cp_node **out) {
  CP_TRY(new_node(CP_NODE_SCALAR, s.dtype, 0, out));
  (*out)->u.scalar = s;
  return CP_OK;
}

cp_status cp_node_index(cp_device *device, int ndim, const int64_t *shape, int64_t start,
                        const int64_t *steps, cp_node **out) {
  CP_TRY(new_node(CP_NODE_INDEX, CP_INT64, ndim, out));
  cp_node *n = *out;
  n->device = device;
  n->u.start = start;
  memcpy(n->dims, shape, (size_t)ndim * sizeof *shape);
  memcpy(cp_node_strides(n), steps, (size_t)ndim * sizeof *steps);
  return CP_OK;
}

void cp_node_retain(cp_node *n) { n->refs++; }

// Frees what holds no other nodes at once; chains dead operations on *todo, so that no depth of DAG needs recursion.
static void bury(cp_node *n, cp_node **todo) {
  if (n->kind == CP_NODE_OP) {
    n->u.next = *todo;
    *todo = n;
    return;
  }
  if (n->kind == CP_NODE_LEAF) cp_buffer_release(n->u.leaf.buffer);
  free(n);
}

void cp_node_release(cp_node *n) {
  if (n == NULL || --n->refs > 0) return;
  cp_node *todo = NULL;
  bury(n, &todo);
  while (todo != NULL) {
    cp_node *dead = todo;
    todo = dead->u.next;
    for (int k = 0; k < dead->nargs; k++)
      if (--dead->args[k]->refs == 0) bury(dead->args[k], &todo);
    free(dead);
  }
}

static void release_all(int n, cp_node **args) {
  for (int k = 0; k < n; k++) cp_node_release(args[k]);
}

static cp_status common_device(int n, cp_node **args, cp_device **device) {
  *device = NULL;
  for (int k = 0; k < n; k++) {
    if (args[k]->device == NULL) continue;
    if (*device == NULL) *device = args[k]->device;
    if (*device != args[k]->device)
      return cp_fail(CP_EUSAGE, "operands are on different devices, %s and %s; move one with :to(\"%s\")",
                     (*device)->name, args[k]->device->name, (*device)->name);
  }
  return CP_OK;
}

static cp_status common_shape(int n, cp_node **args, int *ndim, int64_t *shape) {
  *ndim = 0;
  for (int k = 0; k < n; k++) {
    if (cp_broadcast(ndim, shape, args[k]->ndim, args[k]->dims)) continue;
    char so_far[CP_SHAPE_TEXT], other[CP_SHAPE_TEXT];
    return cp_fail(CP_ESHAPE, "shapes %s and %s do not broadcast", cp_shape_text(*ndim, shape, so_far),
                   cp_shape_text(args[k]->ndim, args[k]->dims, other));
  }
  return CP_OK;
}

// Makes the operation on args of the right dtypes already; takes their references on success only.
static cp_status new_op(cp_op op, cp_dtype loop, cp_dtype result, int n, cp_node **args, cp_node **out) {
  int ndim = 0;
  int64_t shape[CP_MAXDIM];
  cp_device *device = NULL;
  CP_TRY(common_device(n, args, &device));
  CP_TRY(common_shape(n, args, &ndim, shape));
  CP_TRY(new_node(CP_NODE_OP, result, ndim, out));
  cp_node *node = *out;
  node->op = op;
  node->loop = loop;
  node->nargs = n;
  node->device = device;
  memcpy(node->args, args, (size_t)n * sizeof *args);
  memcpy(node->dims, shape, (size_t)ndim * sizeof *shape);
  return CP_OK;
}

cp_status cp_node_cast(cp_node *n, cp_dtype to, cp_node **out) {
  *out = n;
  if (n->dtype == to) return CP_OK;
  if (n->kind == CP_NODE_SCALAR && n->refs == 1) {
    n->u.scalar = cp_scalar_cast(n->u.scalar, to);
    n->loop = n->dtype = to;
    return CP_OK;
  }
  cp_status status = new_op(CP_OP_cast, n->dtype, to, 1, &n, out);
  if (status != CP_OK) cp_node_release(n);
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
    args[k] = NULL; // cp_node_cast owns it now
    status = cp_node_cast(arg, cp_op_arg_dtype(op, loop, k), &arg);
    if (status == CP_OK) args[k] = arg;
  }
  if (status == CP_OK) status = new_op(op, loop, result, n, args, out);
  if (status != CP_OK) release_all(n, args);
  return status;
}
