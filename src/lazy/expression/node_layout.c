// How the memory of an operation's value is laid out.
#include "lazy/expression/node.h"

#include <string.h>

// The strides that an argument's value has, or would have, in memory; NULL if it has no axes.
static const int64_t *memory_strides(const cp_node *n, int64_t *store) {
  if (n->ndim == 0) return NULL;
  if (n->kind != CP_NODE_INDEX) return cp_node_strides(n);
  cp_contiguous_strides(n->ndim, n->dims, cp_itemsize(n->dtype), 'C', store);
  return store;
}

// Lays out the memory of an operation's value: in the order of axes that its operands share, otherwise in C
// order.
void cp_node_follow_operands(cp_node *node) {
  const int64_t *strides[CP_MAX_ARGS];
  int64_t store[CP_MAX_ARGS][CP_MAXDIM];
  int count = 0, order[CP_MAXDIM], ndim = node->ndim;
  for (int k = 0; k < node->nargs; k++) {
    const cp_node *arg = node->args[k];
    const int64_t *own = memory_strides(arg, store[count]);
    if (own == NULL) continue;
    if (arg->ndim == ndim && cp_is_contiguous(ndim, node->dims, own, cp_itemsize(arg->dtype), 'C')) {
      cp_node_set_order(node, 'C'); // an operand in C order decides
      return;
    }
    if (own != store[count] || arg->ndim != ndim) {
      int64_t wide[CP_MAXDIM];
      cp_broadcast_strides(ndim, node->dims, arg->ndim, arg->dims, own, wide);
      memcpy(store[count], wide, (size_t)ndim * sizeof *wide);
    }
    strides[count] = store[count];
    count++;
  }
  cp_stride_order(ndim, node->dims, count, strides, order);
  cp_ordered_strides(ndim, node->dims, cp_itemsize(node->dtype), order, cp_node_strides(node));
}
