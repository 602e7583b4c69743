// Nodes that call a user's function (node.h).
#include "lazy/expression/node.h"

void cp_node_set_function(cp_node *n, cp_function *f) {
  enum { FEW = 3 };
  cp_function_retain(f);
  n->u.function = f;
  n->weight.ops += CP_CALL_OPS - 1;
  n->costly = n->costly || f->steps > FEW;
  n->steps = (short)(n->steps + f->steps < INT16_MAX ? n->steps + f->steps : INT16_MAX);
}

cp_status cp_node_call(cp_function *f, cp_node **args, cp_node **out) {
  cp_node of = {.op = CP_OP_call, .loop = f->result, .dtype = f->result, .nargs = f->nargs};
  of.u.function = f;
  return cp_node_remake(&of, args, out);
}
