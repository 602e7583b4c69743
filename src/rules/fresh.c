// Makes new arrays, copies and scratch memory (fresh.h).
#include "rules/fresh.h"

#include "lazy/arrays/pending.h"
#include "lazy/evaluation/eval.h"
#include "lazy/evaluation/force.h"

cp_status cp_new_array(cp_context *ctx, cp_array *a, cp_device *device, cp_dtype dtype, int ndim,
                       const int64_t *shape) {
  CP_TRY(cp_array_layout(a, dtype, ndim, shape, 'C'));
  CP_TRY(cp_array_allocate(ctx, a, device, dtype));
  a->owner = true;
  return CP_OK;
}

cp_status cp_layout_like(cp_array *a, cp_dtype dtype, int ndim, const int64_t *shape, char order,
                         const cp_array *like) {
  int perm[CP_MAXDIM];
  const int64_t *strides = like->strides;
  CP_TRY(cp_array_layout(a, dtype, ndim, shape, order == 'F' ? 'F' : 'C'));
  if (order != 'K' || ndim != like->ndim) return CP_OK;
  cp_stride_order(ndim, a->shape, 1, &strides, perm);
  cp_ordered_strides(ndim, a->shape, cp_itemsize(dtype), perm, a->strides);
  return CP_OK;
}

cp_status cp_new_copy(cp_context *ctx, cp_array *a, char order, cp_array *copy) {
  cp_node *root = NULL;
  CP_TRY(cp_array_layout(copy, a->dtype, a->ndim, a->shape, order));
  CP_TRY(cp_array_allocate(ctx, copy, a->device, a->dtype));
  copy->owner = true;
  CP_TRY(cp_array_node(a, &root));
  cp_status status = cp_evaluate(ctx, 1, &root, &copy, true);
  cp_node_release(root);
  return status;
}

cp_status cp_new_cast(cp_context *ctx, cp_array *a, cp_dtype dtype, cp_array *copy) {
  cp_node *root = NULL;
  CP_TRY(cp_array_node(a, &root));
  CP_TRY(cp_node_cast(root, dtype, &root));
  if (root->kind == CP_NODE_LEAF || root->handle != NULL || root->view) CP_TRY(cp_node_same(root, &root));
  CP_TRY(cp_pend(ctx, copy, root));
  cp_status status = cp_force(ctx, copy);
  if (status != CP_OK) cp_pending_drop(copy); // the caller gets no array
  return status;
}

cp_status cp_new_scratch(cp_context *ctx, cp_device *device, size_t bytes, cp_buffer **scratch) {
  *scratch = NULL;
  return bytes > 0 ? cp_buffer_new(ctx, device, bytes, scratch) : CP_OK;
}

cp_status cp_form_dense(cp_context *ctx, cp_form *f) {
  CP_TRY(cp_force(ctx, f->a));
  if (cp_array_contiguous(f->a, 'C')) return CP_OK;
  CP_TRY(cp_new_copy(ctx, f->a, 'C', &f->copy.a));
  f->a = &f->copy.a;
  return CP_OK;
}

cp_status cp_form_cast(cp_context *ctx, cp_form *f, cp_dtype dtype) {
  CP_TRY(cp_new_cast(ctx, f->a, dtype, &f->copy.a));
  f->a = &f->copy.a;
  return CP_OK;
}
