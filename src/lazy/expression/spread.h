// Expressions on elements that a mask takes, over the whole arrays instead.
#ifndef CP_LAZY_EXPRESSION_SPREAD_H
#define CP_LAZY_EXPRESSION_SPREAD_H

#include "lazy/expression/node.h"

// Where every array that n reads is taken from one of target's shape by this mask: n over the whole arrays, in *out. NULL: not so.
// mask: a view in memory.
cp_status cp_spread(cp_context *ctx, cp_node *n, const cp_array *mask, const cp_array *target, cp_node **out);

#endif
