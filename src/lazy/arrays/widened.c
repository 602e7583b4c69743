// Widens writes into large parts of arrays (widened.h).
#include "lazy/arrays/widened.h"

#include "array/view.h"
#include "lazy/arrays/pending_write.h"
#include "lazy/work/recording.h"

// Makes `whole` all of target's memory, with an axis for each along which target has several elements: the
// axes of a contiguous array with target's strides. False if there is none.
static bool find_whole(const cp_array *target, cp_array *whole) {
  const cp_storage *s = target->storage;
  int order[CP_MAXDIM];
  const int64_t *strides = target->strides;
  int64_t above = (int64_t)s->nbytes; // the bytes of an element of the axis before
  cp_stride_order(target->ndim, target->shape, 1, &strides, order);
  for (int k = 0; k < target->ndim; k++) {
    const int d = order[k];
    if (target->shape[d] == 1) continue;
    if (strides[d] <= 0 || above % strides[d] != 0) return false;
    cp_view_axis(whole, above / strides[d], strides[d]);
    above = strides[d];
  }
  return whole->ndim > 0 && above == (int64_t)cp_itemsize(target->dtype);
}

static bool may_be_widened(const cp_context *ctx, const cp_array *target) {
  const cp_buffer *b = target->storage->buffer;
  const size_t bytes = target->storage->nbytes;
  return b->readers != NULL && cp_may_overlay(ctx, target->device, bytes) && b->exposed == 0 &&
         !cp_is_fixed(ctx, b) && !cp_array_covers_storage(target) &&
         2 * (size_t)target->size * cp_itemsize(target->dtype) >= bytes;
}

// Sets *out to the value of `whole` after the write, or to NULL.
static cp_status make_value(cp_context *ctx, const cp_array *whole, const cp_array *target, cp_node *root,
                            cp_node **out) {
  cp_node *old;
  CP_TRY(cp_node_leaf(whole, &old));
  cp_status status = cp_overlay(ctx, old, whole, target, root, out);
  cp_node_release(old);
  return status;
}

cp_status cp_widen_write(cp_context *ctx, cp_array *target, cp_node **root, cp_array_local *local,
                         bool *widened) {
  cp_array *whole = cp_array_local_init(local);
  cp_node *value = NULL;
  *widened = false;
  if (!may_be_widened(ctx, target)) return CP_OK;
  if (!cp_reads_elsewhere(ctx, target, *root) && !cp_is_copied_for_readers(ctx, target, *root)) return CP_OK;
  cp_view_start(whole, target);
  whole->offset = 0;
  cp_status status = CP_OK;
  if (find_whole(target, whole)) status = make_value(ctx, whole, target, *root, &value);
  *widened = value != NULL;
  if (value == NULL) return status;
  cp_node_release(*root);
  *root = value;
  return CP_OK;
}
