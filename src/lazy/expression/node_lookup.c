// Nodes whose elements arrays of positions select (node.h).
#include "lazy/expression/node.h"

// Slots of a kernel that a lookup needs besides its operands: the words for errors, then two for each array
// of positions.
static int slots_of(const cp_selected *p) { return 1 + 2 * p->count; }

cp_status cp_node_looked_up(cp_node *source, cp_node *offset, cp_selected *positions,
                            cp_node *const *selecting, int ndim, const int64_t *shape, cp_node **out) {
  cp_node *args[CP_MAX_ARGS];
  int n = 0;
  const cp_dtype dtype = source->dtype;
  args[n++] = source;
  if (offset != NULL) args[n++] = offset;
  for (int k = 0; k < positions->count; k++) args[n++] = selecting[k];
  cp_status status = cp_node_apart(CP_OP_lookup, n, args, dtype, ndim, shape, out);
  if (status != CP_OK) {
    cp_selected_release(positions);
    return status;
  }
  cp_node *node = *out;
  source->scattered = true;
  node->loop = dtype;
  node->apart = false; // a plan can have it, unless it cannot have its operands
  for (int k = 1; k < n; k++) node->apart |= args[k]->apart;
  node->looks = true;
  node->weight.slots += slots_of(positions);
  node->u.lookup = (cp_node_lookup){positions, offset != NULL};
  return CP_OK;
}

cp_status cp_node_look_again(const cp_node *n, cp_node **args, int ndim, const int64_t *shape,
                             cp_node **out) {
  const bool offset = n->u.lookup.offset;
  cp_selected_retain(n->u.lookup.positions);
  return cp_node_looked_up(args[0], offset ? args[1] : NULL, n->u.lookup.positions, args + 1 + offset, ndim,
                           shape, out);
}

void cp_weigh_lookup(const cp_node *n, cp_weight *sum) { sum->slots += slots_of(n->u.lookup.positions); }
