// Reduces arrays: their dtypes, shapes and empty axes (reduce.h). lazy/evaluation/eval.h runs the reduction.
#include "rules/reduce.h"

#include "lazy/arrays/assign.h"
#include "lazy/arrays/element.h"
#include "lazy/arrays/pending.h"
#include "lazy/evaluation/batch.h"
#include "lazy/evaluation/eval.h"
#include "lazy/evaluation/force.h"
#include "lazy/evaluation/mask.h"
#include "rules/apply.h"
#include "rules/axes.h"

static bool has_no_empty_value(cp_red red) {
  switch (red) {
  case CP_RED_min:
  case CP_RED_max:
  case CP_RED_nanmin:
  case CP_RED_nanmax:
  case CP_RED_ptp:
  case CP_RED_argmin:
  case CP_RED_argmax: return true;
  default: return false;
  }
}

// The operation that a reduction repeats.
static cp_op step_of(cp_red red) {
  switch (red) {
  case CP_RED_prod:
  case CP_RED_nanprod: return CP_OP_multiply;
  case CP_RED_min: return CP_OP_minimum;
  case CP_RED_max: return CP_OP_maximum;
  case CP_RED_nanmin: return CP_OP_fmin;
  case CP_RED_nanmax: return CP_OP_fmax;
  default: return CP_OP_add;
  }
}

// The dtype to accumulate floating or complex values in if the user names none: that of out, if it holds all
// values of dtype `of`.
static cp_dtype dtype_for_out(cp_dtype of, const cp_array *out) {
  if (out == NULL || cp_dtypes[of].kind != cp_dtypes[out->dtype].kind || !cp_is_inexact(of))
    return CP_NDTYPES;
  return cp_can_cast(of, out->dtype, CP_CAST_SAFE) ? out->dtype : CP_NDTYPES;
}

cp_status cp_reduction_types(cp_reduction *r, cp_dtype of, cp_dtype dtype, const cp_array *out) {
  r->through = dtype != CP_NDTYPES ? dtype : dtype_for_out(of, out);
  return cp_red_types(r->red, of, r->through, &r->acc, &r->result);
}

// The node that is reduced: the array converted to `through`, then to the accumulator's dtype.
static cp_status root_of(cp_array *a, const cp_reduction *r, cp_node **root) {
  CP_TRY(cp_array_node(a, root));
  if (r->through != CP_NDTYPES) CP_TRY(cp_node_cast(*root, r->through, root));
  return cp_node_cast(*root, r->acc, root);
}

static cp_status reduce_into(cp_context *ctx, const cp_reduction *r, cp_node *root, cp_array *result) {
  int64_t shape[CP_MAXDIM] = {0}, reduced = 1;
  int n = 0;
  for (int d = 0; d < root->ndim; d++) {
    bool gone = r->axes >> d & 1;
    if (gone) reduced *= root->dims[d];
    if (!gone || r->keepdims) shape[n++] = gone ? 1 : root->dims[d];
  }
  CP_TRY(cp_array_layout(result, r->result, n, shape, 'C'));
  if (reduced == 0 && result->size > 0 && !r->initial && has_no_empty_value(r->red))
    return cp_fail(CP_ESHAPE, "an empty array or axis has no %s", cp_reds[r->red].name);
  CP_TRY(cp_array_allocate(ctx, result, root->device, r->result));
  result->owner = true;
  return cp_reduce(ctx, root, r->axes, r->red, r->acc, r->ddof, result);
}

// Reduces root, whose reference it takes.
static cp_status reduce_node(cp_context *ctx, const cp_reduction *r, cp_node *root, cp_array *result) {
  cp_status status = cp_keep_parts(ctx, root);
  if (status == CP_OK) status = reduce_into(ctx, r, root, result);
  cp_node_release(root);
  return status;
}

cp_status cp_reduce_array(cp_context *ctx, const cp_reduction *r, cp_array *a, cp_array *result) {
  cp_node *root = NULL;
  CP_TRY(root_of(a, r, &root));
  return reduce_node(ctx, r, root, result);
}

cp_status cp_reduce_out(cp_context *ctx, cp_array *result, cp_array *out) {
  cp_node *root = NULL;
  CP_TRY(cp_array_node(result, &root));
  CP_TRY(cp_cast_for_out(out, &root));
  return cp_assign_out(ctx, out, root, CP_SAME_SHAPE);
}

cp_status cp_reduce_initial(cp_red red, const cp_operands *o) {
  cp_node *nodes[2], *root = NULL;
  CP_TRY(cp_operand_nodes(o, nodes));
  CP_TRY(cp_node_op(step_of(red), nodes, &root));
  return cp_assign(o->ctx, o->v[0].array, root, CP_MAY_RENAME);
}

cp_status cp_all_equal(const cp_operands *o, bool *same) {
  const cp_reduction all = {
      .red = CP_RED_all, .axes = cp_all_axes(o->ndim), .acc = CP_BOOL, .result = CP_BOOL};
  cp_array_local l;
  cp_scalar answer = {0};
  cp_node *root = NULL;
  cp_array *result = cp_array_local_init(&l);
  CP_TRY(cp_apply(CP_OP_equal, CP_NDTYPES, o, &root));
  cp_status status = reduce_node(o->ctx, &all, root, result);
  if (status == CP_OK) status = cp_load_element(o->ctx, result, result->offset, &answer);
  cp_array_release(result);
  *same = answer.v.i != 0;
  return status;
}

enum { MASK_MOST = 1 << 22 }; // a pending mask of at most so many elements is worth memory for later uses

// A larger pending mask is not computed here: it becomes part of the reduction's kernel, and needs no memory.
cp_status cp_ask_mask(cp_context *ctx, cp_red red, cp_array *mask, bool *known, bool *yes) {
  int64_t count = 0;
  *known = false;
  if (mask->dtype != CP_BOOL || mask->ndim == 0) return CP_OK;
  if (mask->node != NULL) {
    if (red != CP_RED_any || mask->size > MASK_MOST) return CP_OK;
    CP_TRY(cp_force(ctx, mask));
  }
  if (!cp_array_contiguous(mask, 'C') || mask->storage->buffer->exposed || ctx->capture.graph != NULL)
    return CP_OK;
  if (!cp_mask_known(mask, &count)) {
    if (red == CP_RED_all) return CP_OK;
    CP_TRY(cp_mask_count(ctx, mask, &count, NULL));
  }
  *known = true;
  *yes = red == CP_RED_any ? count > 0 : count == mask->size;
  return CP_OK;
}
