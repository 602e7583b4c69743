// Making an expression again with other leaves, shapes and strides: by a list of its nodes, arguments before
// what is made of them.
#ifndef CP_LAZY_TRANSFORMS_COPYING_H
#define CP_LAZY_TRANSFORMS_COPYING_H

#include "lazy/expression/node.h"

enum { CP_COPYING_NODES = 192 };

typedef struct cp_copying {
  int count;
  bool functions;                   // whether some node is one (cp_is_long)
  bool moves;                       // whether some leaf has moves
  bool lookups;                     // whether some node is a lookup; what it reads from stays as it is
  cp_node *nodes[CP_COPYING_NODES]; // node->mark is the place of each
  cp_node *made[CP_COPYING_NODES];  // what each becomes
} cp_copying;

// Makes what becomes of n, which is not an operation.
typedef cp_status cp_copy_leaf(const void *how, cp_node *n, cp_node **out);
// The shape of what becomes of n.
typedef void cp_copy_shape(const void *how, const cp_node *n, int64_t *shape);

// Lists the nodes of root's expression. False if there are too many, or if there are reductions, selected
// elements, random numbers or placeholders among them. End with cp_copying_end in either case.
bool cp_copying_begin(cp_copying *c, cp_node *root);
void cp_copying_end(cp_copying *c);
// Makes all of them again, in ndim dimensions; nodes without dimensions stay. *out is what becomes of the
// root, with one reference.
cp_status cp_copying_make(cp_copying *c, int ndim, cp_copy_shape *shape, cp_copy_leaf *leaf, const void *how,
                          cp_node **out);
// Notes that functions of values that arrays wait for may be computed twice: by the copy and by themselves.
// root: the root's, too.
void cp_copying_mark_read(const cp_copying *c, bool root);

#endif
