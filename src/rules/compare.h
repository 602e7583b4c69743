// Comparisons by value, for operands that the promoted dtype would round. A number that does not fit the
// arrays' dtype is no error here.
#ifndef CP_RULES_COMPARE_H
#define CP_RULES_COMPARE_H

#include "rules/operands.h"

static inline bool cp_is_comparison(cp_op op) { return op >= CP_OP_equal && op <= CP_OP_greater_equal; }
// Compares an integer or bool array with a bare number. cp_compare_by_value takes the references of both
// nodes.
bool cp_compares_by_value(cp_op op, const cp_operands *o);
cp_status cp_compare_by_value(cp_op op, const cp_operands *o, cp_node **nodes, cp_node **out);
// Compares a signed integer array with a uint64 array. cp_compare_signs takes the references of both nodes.
bool cp_compares_signs(cp_op op, cp_node *const *nodes);
cp_status cp_compare_signs(cp_op op, cp_node **nodes, cp_node **out);

#endif
