// Reductions: which dtype is accumulated, which axes stay, what empty axes give.
#ifndef CP_RULES_REDUCE_H
#define CP_RULES_REDUCE_H

#include "array/array.h"
#include "plan/ops.h"

// One reduction as it is asked for. cp_reduction_types sets its dtypes.
typedef struct cp_reduction {
  cp_red red;
  uint32_t axes; // a bit for each
  bool keepdims;
  bool initial; // a value is brought in afterwards, so an empty axis is no error
  double ddof;
  cp_dtype through, acc,
      result; // what the array is converted to first (CP_NDTYPES: nothing); see cp_red_types
} cp_reduction;

// dtype: what the user names to compute in, or CP_NDTYPES; out: what the result is written to, NULL where
// that says nothing. CP_EDTYPE.
cp_status cp_reduction_types(cp_reduction *r, cp_dtype of, cp_dtype dtype, const cp_array *out);
// Makes result, which has room for a->ndim dimensions, the reduction of a. CP_ESHAPE where an empty axis has
// no value.
cp_status cp_reduce_array(cp_context *ctx, const cp_reduction *r, cp_array *a, cp_array *result);
// Writes result into `out`: any cast but from complex to real.
cp_status cp_reduce_out(cp_context *ctx, cp_array *result, cp_array *out);
// The operation that brings an initial value into a finished result.
cp_op cp_initial_op(cp_red red);

// any() or all() of a whole mask. any() counts it, for x[mask] and the like to come, which then need not wait
// again; all() asks whether it was counted. *known false: neither is worth it.
cp_status cp_ask_mask(cp_context *ctx, cp_red red, cp_array *mask, bool *known, bool *yes);

#endif
