// Leaves whose positions along some dimensions are mapped to those of their memory (plan/move.h).
#include "lazy/expression/node.h"

#include <stdlib.h>
#include <string.h>

const cp_move *cp_leaf_move(const cp_node *leaf, int dim) {
  const cp_moves *m = leaf->u.leaf.moves;
  for (int k = 0; m != NULL && k < m->count; k++)
    if (m->list[k].dim == dim) return &m->list[k];
  return NULL;
}

// Gives n the moves of leaf and, unless it is NULL, one more, which replaces that along its dimension; n is
// another leaf of as many dimensions.
static cp_status set_moves(cp_node *n, const cp_node *leaf, const cp_move *more) {
  // Arguments of a kernel for each move. It has two; more are counted so that an expression within its bounds
  // (graph.h) has at most CP_MAX_MOVES.
  enum { SLOTS = 6 };
  const cp_moves *old = leaf->u.leaf.moves;
  int count = old != NULL ? old->count : 0;
  if (count == 0 && more == NULL) return CP_OK;
  cp_moves *m = malloc(sizeof *m + (size_t)(count + 1) * sizeof *m->list);
  if (m == NULL) return cp_no_memory(NULL);
  cp_copy_lengths(m->shape, n->dims, n->ndim);
  if (old != NULL) memcpy(m->list, old->list, (size_t)count * sizeof *m->list);
  for (int k = count - 1; k >= 0; k--)
    if (more != NULL && m->list[k].dim == more->dim) m->list[k] = m->list[--count];
  if (more != NULL) m->list[count++] = *more;
  m->count = count;
  for (int k = 0; k < count; k++) m->shape[m->list[k].dim] = m->list[k].extent;
  n->u.leaf.moves = m;
  n->weight.slots += SLOTS * count;
  return CP_OK;
}

cp_status cp_node_moved(const cp_node *leaf, const cp_move *move, int64_t length, cp_node **out) {
  int d = move->dim;
  CP_TRY(cp_node_leaf_again(leaf, out));
  cp_node *n = *out;
  int64_t *strides = cp_node_strides(n);
  n->dims[d] = length;
  if (length == 1) n->u.leaf.offset += cp_moved(move, 0) * strides[d];
  if (length <= 1 || move->extent == 1) strides[d] = 0; // one element is read, without a move
  cp_status status = set_moves(n, leaf, strides[d] != 0 ? move : NULL);
  if (status != CP_OK) cp_node_release(n);
  return status;
}
