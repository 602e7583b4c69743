// Assignment: checks target and value, then writes to pending arrays or through the write barrier to memory.
#include "lazy/arrays/assign.h"

#include "lazy/arrays/pending.h"
#include "lazy/arrays/widened.h"
#include "lazy/evaluation/batch.h"
#include "lazy/evaluation/bounds.h"
#include "lazy/evaluation/force.h"
#include "lazy/evaluation/parts.h"
#include "lazy/expression/graph.h"
#include "lazy/expression/planned.h"

// Whether root's shape is target's shape, or broadcasts to it.
static bool fits(const cp_node *root, const cp_array *target) {
  int ndim = target->ndim;
  int64_t shape[CP_MAXDIM];
  if (cp_shape_equal(root->ndim, root->dims, ndim, target->shape)) return true;
  cp_copy_lengths(shape, target->shape, ndim);
  return cp_broadcast(&ndim, shape, root->ndim, root->dims) &&
         cp_shape_equal(ndim, shape, target->ndim, target->shape);
}

cp_status cp_check_assignment(const cp_array *target, const cp_node *root) {
  char from[CP_SHAPE_TEXT], to[CP_SHAPE_TEXT];
  if (!fits(root, target))
    return cp_fail(CP_ESHAPE, "shape %s does not broadcast into %s",
                   cp_shape_text(root->ndim, root->dims, from),
                   cp_shape_text(target->ndim, target->shape, to));
  if (root->device != NULL && root->device != target->device)
    return cp_fail(CP_EUSAGE, "cannot write values on %s into an array on %s; move them with :to(\"%s\")",
                   root->device->name, target->device->name, target->device->name);
  if (!cp_can_cast(root->dtype, target->dtype, CP_CAST_SAME_KIND))
    return cp_fail(CP_EDTYPE, "cannot write %s into %s; convert with :astype(\"%s\")",
                   cp_dtypes[root->dtype].name, cp_dtypes[target->dtype].name, cp_dtypes[target->dtype].name);
  return CP_OK;
}

// For a pending target, whose old value nothing needs: gives it memory with root's value.
static cp_status assign_to_pending(cp_context *ctx, cp_array *target, cp_node *root) {
  cp_batch b;
  cp_array home = {.shape = target->shape, .strides = target->strides, .ndim = target->ndim};
  cp_status status = cp_array_allocate(ctx, &home, target->device, target->dtype);
  if (status == CP_OK) {
    status = cp_batch_begin(ctx, &b, root, &home);
    if (status == CP_OK) status = cp_batch_run(ctx, &b);
    cp_batch_end(ctx, &b, status);
  }
  if (status == CP_OK) {
    cp_pending_drop(target);
    cp_array_release(target); // a finalizer may have computed it meanwhile
    target->storage = home.storage;
    target->offset = 0;
    home.storage = NULL;
  }
  cp_array_release(&home);
  return status;
}

// Writes root, which has target's dtype, into target's memory.
static cp_status assign_to_memory(cp_context *ctx, cp_array *target, cp_node *root, cp_rename rename) {
  cp_batch b;
  int own = 0;
  bool renamed = false;
  bool whole = cp_array_covers_storage(target);
  // If root can become a leaf on target's memory, an array that waits for root reads its value there. Then
  // root's own leaves need not be kept.
  bool shareable = root->kind == CP_NODE_OP && !root->view && root->dtype == target->dtype &&
                   cp_shape_equal(root->ndim, root->dims, target->ndim, target->shape);
  cp_status status = cp_batch_begin(ctx, &b, root, target);
  bool alone = root->refs == 2; // the batch's reference and the caller's
  if (status == CP_OK) status = cp_check_writable(target);
  if (status == CP_OK)
    status = cp_clear_readers(ctx, target, whole, shareable || alone ? root : NULL, rename, &own, &renamed);
  if (status == CP_OK) {
    cp_storage_touch(target->storage);
    status = cp_batch_run(ctx, &b);
  }
  if (status == CP_OK && own > 0 && !renamed && root->refs > 2 && root->kind == CP_NODE_OP)
    cp_node_become_leaf(root, target->storage->buffer, target->offset, target->strides);
  cp_batch_end(ctx, &b, status);
  return status;
}

// The same, or all of target's memory with that part of it replaced.
static cp_status assign_or_widen(cp_context *ctx, cp_array *target, cp_node **root, cp_rename rename) {
  cp_array_local whole;
  bool widened = false;
  if (rename == CP_MAY_RENAME) CP_TRY(cp_widen_write(ctx, target, root, &whole, &widened));
  return assign_to_memory(ctx, widened ? &whole.a : target, *root, rename);
}

cp_status cp_assign(cp_context *ctx, cp_array *target, cp_node *root, cp_rename rename) {
  cp_status status = cp_check_assignment(target, root);
  if (status == CP_OK && cp_is_planned(target)) status = cp_force(ctx, target); // its views see the new value
  if (status == CP_OK && target->node == NULL) status = cp_check_writable(target);
  if (status != CP_OK) {
    cp_node_release(root);
    return status;
  }
  status = cp_compute_apart(ctx, root);
  if (status == CP_OK) status = cp_capture_import(ctx, target);
  if (status == CP_OK && cp_is_repeated(root, target->ndim, target->shape))
    status = cp_force(ctx, root->handle);
  if (status != CP_OK) {
    cp_node_release(root);
    return status;
  }
  CP_TRY(cp_node_cast(root, target->dtype, &root));
  if (target->node != NULL)
    status = assign_to_pending(ctx, target, root);
  else
    status = assign_or_widen(ctx, target, &root, rename);
  cp_node_release(root);
  return status;
}

cp_status cp_cast_for_out(const cp_array *target, cp_node **root) {
  if (cp_is_complex((*root)->dtype) && target->dtype != CP_BOOL)
    return CP_OK; // the assignment will report this
  return cp_node_cast(*root, target->dtype, root);
}

cp_status cp_assign_out(cp_context *ctx, cp_array *target, cp_node *root, cp_fitting how) {
  char have[CP_SHAPE_TEXT], want[CP_SHAPE_TEXT];
  bool same = cp_shape_equal(target->ndim, target->shape, root->ndim, root->dims);
  if (!same && (how == CP_SAME_SHAPE || !fits(root, target))) {
    cp_status status = cp_fail(CP_ESHAPE, "out has shape %s, the result %s",
                               cp_shape_text(target->ndim, target->shape, have),
                               cp_shape_text(root->ndim, root->dims, want));
    cp_node_release(root);
    return status;
  }
  return cp_assign(ctx, target, root, CP_MAY_RENAME);
}
