// Arrays whose positions move: rolled, padded, tiled and repeated ones, as values that read the elements
// where they lie.
#ifndef CP_RULES_MOVED_H
#define CP_RULES_MOVED_H

#include "lazy/expression/node.h"

// Sets *out to a node for a with `length` positions along axis move->dim, which move maps to a's positions
// (plan/move.h). a is computed first if it is pending, unless it is only moved along other axes itself, or if
// both moves are rolls. Its memory has the order of a's axes for rolls, else C order.
cp_status cp_move_axis(cp_context *ctx, cp_array *a, const cp_move *move, int64_t length, cp_node **out);

#endif
