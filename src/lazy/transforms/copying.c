// Makes expressions again (copying.h).
#include "lazy/transforms/copying.h"

static bool can_be_copied(const cp_node *n) {
  if (n->kind != CP_NODE_OP) return true;
  if (n->op >= CP_OP_cast) // beyond the table of operations
    return n->op == CP_OP_cast || n->op == CP_OP_call || n->op == CP_OP_lookup;
  return !cp_is_draw(n->op) && !cp_is_placeholder(n);
}

static void add_node(cp_copying *c, cp_node *n) {
  n->mark = c->count;
  c->functions = c->functions || (n->kind == CP_NODE_OP && (n->op == CP_OP_call || cp_is_long(n->op)));
  c->lookups = c->lookups || cp_is_lookup(n);
  c->moves = c->moves || (n->kind == CP_NODE_LEAF && n->u.leaf.moves != NULL);
  c->nodes[c->count++] = n;
}

bool cp_copying_begin(cp_copying *c, cp_node *root) {
  cp_node *stack[CP_COPYING_NODES];
  int depth = 1;
  stack[0] = root;
  c->count = 0;
  c->functions = c->moves = c->lookups = false;
  while (depth > 0) {
    cp_node *n = stack[depth - 1];
    int waiting = 0;
    if (!can_be_copied(n)) return false;
    for (int k = n->nargs - 1; k >= cp_first_operand(n) && n->mark < 0; k--) {
      if (n->args[k]->mark >= 0) continue;
      if (depth == CP_COPYING_NODES) return false;
      stack[depth++] = n->args[k];
      waiting++;
    }
    if (waiting > 0) continue;
    if (c->count == CP_COPYING_NODES) return false;
    if (n->mark < 0) add_node(c, n);
    depth--;
  }
  return true;
}

void cp_copying_end(cp_copying *c) {
  for (int k = 0; k < c->count; k++) c->nodes[k]->mark = -1;
}

static cp_status make_operation(const cp_copying *c, const cp_node *n, int ndim, const int64_t *shape,
                                cp_node **out) {
  cp_node *args[CP_MAX_ARGS];
  for (int k = 0; k < n->nargs; k++) {
    args[k] = k < cp_first_operand(n) ? n->args[k] : c->made[n->args[k]->mark];
    cp_node_retain(args[k]);
  }
  return (cp_is_lookup(n) ? cp_node_look_again : cp_node_remake_as)(n, args, ndim, shape, out);
}

cp_status cp_copying_make(cp_copying *c, int ndim, cp_copy_shape *shape_of, cp_copy_leaf *leaf,
                          const void *how, cp_node **out) {
  cp_status status = CP_OK;
  int64_t shape[CP_MAXDIM];
  int made = 0;
  while (made < c->count && status == CP_OK) {
    cp_node *n = c->nodes[made];
    if (n->ndim == 0) {
      cp_node_retain(n);
      c->made[made] = n;
    } else {
      shape_of(how, n, shape);
      if (n->kind == CP_NODE_SCALAR)
        status = cp_node_constant(n->device, n->u.scalar, ndim, shape, 'C', &c->made[made]);
      else if (n->kind == CP_NODE_OP)
        status = make_operation(c, n, ndim, shape, &c->made[made]);
      else
        status = leaf(how, n, &c->made[made]);
    }
    made += status == CP_OK;
  }
  if (status == CP_OK) {
    *out = c->made[made - 1];
    cp_node_retain(*out);
  }
  while (made > 0) cp_node_release(c->made[--made]);
  return status;
}

void cp_copying_mark_read(const cp_copying *c, bool root) {
  for (int k = 0; k < c->count - !root; k++)
    if (c->nodes[k]->awaited && c->nodes[k]->weight.functions > 0) c->nodes[k]->read = true;
}
