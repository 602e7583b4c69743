// Expressions for views of values that have no memory yet.
//
// A view maps its positions to the array's by a linear function, which follows from its offset and strides.
// So the elements that it shows are the same operations on other views of the leaves.
#ifndef CP_LAZY_TRANSFORMS_VIEWED_H
#define CP_LAZY_TRANSFORMS_VIEWED_H

#include "lazy/expression/node.h"

// What one view of a value costs where it is computed again.
typedef struct cp_viewed {
  cp_node *node; // NULL: the view cannot be expressed, or need not be, as it is empty
  bool functions;
} cp_viewed;

// Sets out->node to a node with one reference, whose value are the elements of n, an operation, that `view`
// shows; view's offset and strides are those in the memory that n's value would have. There is none if n
// contains reductions, selected elements or random numbers, if the view joins axes that some leaf keeps
// apart, or if it leaves elements out along an axis that is rolled, padded or the like.
cp_status cp_node_viewed(cp_node *n, const cp_array *view, cp_viewed *out);

#endif
