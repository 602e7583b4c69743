// Makes values that read arrays at moved positions (moved.h).
#include "rules/indexing/moved.h"

#include "lazy/arrays/pending.h"
#include "lazy/evaluation/bounds.h"
#include "lazy/evaluation/force.h"

// Whether m can be added to the moves of a leaf; two rolls of one whole axis become one. A part of a rolled
// axis does not go on where it ends.
static bool joins(const cp_node *leaf, cp_move *m) {
  const cp_move *old = cp_leaf_move(leaf, m->dim);
  if (old == NULL) return true;
  if (old->rule != CP_MOVE_ROLL || m->rule != CP_MOVE_ROLL) return false;
  if (old->length != leaf->dims[m->dim]) return false;
  m->shift = (m->shift + old->shift) % m->length;
  return true;
}

cp_status cp_move_axis(cp_context *ctx, cp_array *a, const cp_move *move, int64_t length, cp_node **out) {
  cp_node *n = NULL, *moved = NULL;
  cp_move m = *move;
  CP_TRY(cp_bound_operands(ctx, 1, &a, NULL));
  CP_TRY(cp_array_node(a, &n));
  const cp_node *leaf = cp_node_reads(n);
  if (leaf == NULL || !joins(leaf, &m)) {
    cp_node_release(n);
    CP_TRY(cp_force(ctx, a));
    CP_TRY(cp_array_node(a, &n));
    leaf = n;
  }
  cp_status status = cp_node_moved(leaf, &m, length, &moved);
  cp_node_release(n);
  CP_TRY(status);
  CP_TRY(cp_node_same(moved, out));
  if (move->rule != CP_MOVE_ROLL) cp_node_set_order(*out, 'C');
  return CP_OK;
}
