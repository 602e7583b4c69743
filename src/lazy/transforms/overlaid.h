// Expressions for values of which a part has been replaced.
//
// Where a box of an array is written that has no memory yet, its new value is `where(inside the box, new,
// old)`: the positions are compared with the box's ends, and outside of the box the new value's leaves are
// read at the nearest position within it. So borders, pads and steps that keep an edge join the kernel that
// computes the rest.
#ifndef CP_LAZY_TRANSFORMS_OVERLAID_H
#define CP_LAZY_TRANSFORMS_OVERLAID_H

#include "lazy/expression/node.h"

// Sets *out to a node with one reference: the value of n, for which the array a waits, with `value`, of n's
// dtype, in place of the elements that `view` shows, a view of a in the memory that it will have. value
// broadcasts to the view's shape. *out is NULL if the view is not a part of a with ascending positions one
// after the other, or if computing value everywhere could take long, or value contains reductions, selected
// or moved elements or random numbers. CP_EMEMORY.
cp_status cp_node_overlaid(cp_node *n, const cp_array *a, const cp_array *view, cp_node *value,
                           cp_node **out);

#endif
