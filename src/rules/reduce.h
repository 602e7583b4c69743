// Reductions: the dtype of the accumulator, the axes that stay, and the results of empty axes.
#ifndef CP_RULES_REDUCE_H
#define CP_RULES_REDUCE_H

#include "rules/operands.h"

// The arguments of one reduction. cp_reduction_types sets its dtypes.
typedef struct cp_reduction {
  cp_red red;
  uint32_t axes; // one bit for each reduced axis
  bool keepdims;
  bool initial; // an initial value is combined with the result later, so an empty axis is no error
  double ddof;
  // through: the dtype that the array is converted to first (CP_NDTYPES: none); for the others see
  // cp_red_types.
  cp_dtype through, acc, result;
} cp_reduction;

// Sets the dtypes of a reduction of an array of dtype `of`. dtype: the one that the user asks to compute in,
// or CP_NDTYPES; out: the array that the result is written to, or NULL if it does not affect the dtype.
// CP_EDTYPE.
cp_status cp_reduction_types(cp_reduction *r, cp_dtype of, cp_dtype dtype, const cp_array *out);
// Makes the node of the reduction of a. CP_ESHAPE if an axis is empty and the reduction has no value for it.
cp_status cp_reduce_node(cp_context *ctx, const cp_reduction *r, cp_array *a, cp_node **out);
// Makes the node of the sum over the last axis of the product of two operands, floating arrays of one dtype.
cp_status cp_sum_of_product(const cp_operands *o, cp_node **out);
// Writes result into `out`. Allows any cast except from complex to real.
cp_status cp_reduce_out(cp_context *ctx, cp_array *result, cp_array *out);
// Makes the node of the result, the first operand, combined with an initial value, the second one, by the
// operation that the reduction repeats. The dtype stays that of the result. CP_ESHAPE if the shape does not.
cp_status cp_reduce_initial(cp_red red, const cp_operands *o, cp_node **out);

// Whether all elements of two operands are equal, by one reduction.
cp_status cp_all_equal(const cp_operands *o, bool *same);
// any() or all() of a whole mask by the count of its true elements. any() counts them, so that a later
// x[mask] need not wait again; all() only uses a count that is already known. If this does not apply, *known
// is false.
cp_status cp_ask_mask(cp_context *ctx, cp_red red, cp_array *mask, bool *known, bool *yes);

#endif
