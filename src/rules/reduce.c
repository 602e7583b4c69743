// Reduces arrays: their dtypes, shapes and empty axes (reduce.h). lazy/evaluation/eval.h runs the reduction.
#include "rules/reduce.h"

#include "lazy/arrays/assign.h"
#include "lazy/arrays/element.h"
#include "lazy/arrays/pending.h"
#include "lazy/evaluation/eval.h"
#include "lazy/evaluation/force.h"
#include "lazy/work/mask.h"
#include "rules/apply.h"
#include "rules/axes.h"

static bool has_no_empty_value(cp_red red) {
  cp_red_class cls = cp_reds[red].cls;
  return cls == CP_RED_BOUND || cls == CP_RED_SAME || cls == CP_RED_INDEX;
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

// The node of the reduction of root, whose reference it takes.
static cp_status reduce_node(const cp_reduction *r, cp_node *root, cp_node **out) {
  const cp_node_reduction how = {.red = r->red, .axes = r->axes, .parameter = r->ddof};
  int64_t shape[CP_MAXDIM] = {0}, reduced = 1, size = 1;
  int n = 0;
  for (int d = 0; d < root->ndim; d++) {
    bool gone = r->axes >> d & 1;
    if (gone)
      reduced *= root->dims[d];
    else
      size *= root->dims[d];
    if (!gone || r->keepdims) shape[n++] = gone ? 1 : root->dims[d];
  }
  if (reduced == 0 && size > 0 && !r->initial && has_no_empty_value(r->red)) {
    cp_node_release(root);
    return cp_fail(CP_ESHAPE, "an empty array or axis has no %s", cp_reds[r->red].name);
  }
  return cp_node_reduce(root, &how, r->result, n, shape, out);
}

cp_status cp_reduce_node(cp_context *ctx, const cp_reduction *r, cp_array *a, cp_node **out) {
  cp_node *root = NULL;
  CP_TRY(cp_bound_operands(ctx, 1, &a, NULL));
  if (a->node != NULL && cp_is_product(a->node)) CP_TRY(cp_force(ctx, a)); // which no reduction joins
  CP_TRY(root_of(a, r, &root));
  if (root->traced) {
    cp_node_release(root);
    return cp_fail(CP_EUSAGE,
                   "a value that is being traced has no elements; only elementwise functions take it");
  }
  return reduce_node(r, root, out);
}

cp_status cp_sum_of_product(const cp_operands *o, cp_node **out) {
  cp_reduction r = {.red = CP_RED_sum, .axes = 1U << (o->ndim - 1)};
  cp_node *root = NULL;
  CP_TRY(cp_apply(CP_OP_multiply, CP_NDTYPES, o, &root));
  cp_status status = cp_reduction_types(&r, root->dtype, root->dtype, NULL);
  if (status == CP_OK) return reduce_node(&r, root, out);
  cp_node_release(root);
  return status;
}

cp_status cp_reduce_out(cp_context *ctx, cp_array *result, cp_array *out) {
  cp_node *root = NULL;
  CP_TRY(cp_array_node(result, &root));
  CP_TRY(cp_cast_for_out(out, &root));
  return cp_assign_out(ctx, out, root, CP_SAME_SHAPE);
}

cp_status cp_reduce_initial(cp_red red, const cp_operands *o, cp_node **out) {
  const cp_array *result = o->v[0].array;
  cp_node *nodes[2];
  char have[CP_SHAPE_TEXT], want[CP_SHAPE_TEXT];
  CP_TRY(cp_operand_nodes(o, nodes));
  CP_TRY(cp_node_op(step_of(red), nodes, out));
  cp_status status = CP_OK;
  if (!cp_shape_equal((*out)->ndim, (*out)->dims, result->ndim, result->shape))
    status = cp_fail(CP_ESHAPE, "initial gives shape %s, the result has %s",
                     cp_shape_text((*out)->ndim, (*out)->dims, have),
                     cp_shape_text(result->ndim, result->shape, want));
  else if (!cp_can_cast((*out)->dtype, result->dtype, CP_CAST_SAME_KIND))
    status = cp_fail(CP_EDTYPE, "cannot combine initial with %s; convert with :astype",
                     cp_dtypes[result->dtype].name);
  if (status == CP_OK) return cp_node_cast(*out, result->dtype, out);
  cp_node_release(*out);
  return status;
}

cp_status cp_all_equal(const cp_operands *o, bool *same) {
  const cp_reduction all = {
      .red = CP_RED_all, .axes = cp_all_axes(o->ndim), .acc = CP_BOOL, .result = CP_BOOL};
  cp_array_local l;
  cp_scalar answer = {0};
  cp_node *root = NULL;
  cp_array *result = cp_array_local_init(&l);
  CP_TRY(cp_apply(CP_OP_equal, CP_NDTYPES, o, &root));
  CP_TRY(reduce_node(&all, root, &root));
  cp_status status = cp_array_layout(result, CP_BOOL, 0, NULL, 'C');
  if (status == CP_OK) status = cp_array_allocate(o->ctx, result, root->device, CP_BOOL);
  if (status == CP_OK) status = cp_evaluate(o->ctx, 1, &root, &result, true);
  if (status == CP_OK) status = cp_load_element(o->ctx, result, result->offset, &answer);
  cp_node_release(root);
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
