// Makes views under other axes, strides and dtypes, and reshapes (view.h).
#include "rules/indexing/view.h"

#include "array/view.h"
#include "lazy/arrays/pending_view.h"
#include "lazy/evaluation/force.h"
#include "lazy/work/order.h"
#include "rules/fresh.h"

#include <inttypes.h>

// ---- the order and the number of axes ---------------------------------------------------------------------

void cp_view_permute(const cp_array *a, const int *perm, cp_array *view) {
  cp_view_start(view, a);
  for (int k = 0; k < a->ndim; k++) cp_view_axis(view, a->shape[perm[k]], a->strides[perm[k]]);
}

cp_status cp_view_squeeze(const cp_array *a, uint32_t axes, bool given, cp_array *view) {
  cp_view_start(view, a);
  for (int k = 0; k < a->ndim; k++) {
    bool named = axes >> k & 1;
    if (named && given && a->shape[k] != 1)
      return cp_fail(CP_ESHAPE, "axis %d has length %" PRId64 ", not 1", k + 1, a->shape[k]);
    if (!named || a->shape[k] != 1) cp_view_axis(view, a->shape[k], a->strides[k]);
  }
  return CP_OK;
}

cp_status cp_expanded_ndim(const cp_array *a, size_t added, int *ndim) {
  if ((size_t)a->ndim + added > CP_MAXDIM)
    return cp_fail(CP_ESHAPE, "the result would have more than %d axes", CP_MAXDIM);
  *ndim = a->ndim + (int)added;
  return CP_OK;
}

void cp_view_expand(const cp_array *a, uint32_t added, int ndim, cp_array *view) {
  cp_view_start(view, a);
  for (int k = 0, axis = 0; k < ndim; k++) {
    bool new = added >> k & 1;
    cp_view_axis(view, new ? 1 : a->shape[axis], new ? 0 : a->strides[axis]);
    axis += !new;
  }
}

void cp_view_flip(const cp_array *a, uint32_t axes, cp_array *view) {
  cp_view_start(view, a);
  for (int k = 0; k < a->ndim; k++) {
    bool flipped = (axes >> k & 1) && a->shape[k] > 0;
    if (flipped && a->size > 0) view->offset += (a->shape[k] - 1) * a->strides[k];
    cp_view_axis(view, a->shape[k], flipped ? -a->strides[k] : a->strides[k]);
  }
}

cp_status cp_check_ndim(const cp_array *m, int least) {
  char text[CP_SHAPE_TEXT];
  if (m->ndim >= least) return CP_OK;
  return cp_fail(CP_ESHAPE, "m needs at least %d %s, not shape %s", least, least == 1 ? "axis" : "axes",
                 cp_shape_text(m->ndim, m->shape, text));
}

// ---- broadcasting -----------------------------------------------------------------------------------------

cp_status cp_broadcast_with(int *ndim, int64_t *shape, const cp_array *a) {
  char one[CP_SHAPE_TEXT], two[CP_SHAPE_TEXT];
  if (cp_broadcast(ndim, shape, a->ndim, a->shape)) return CP_OK;
  return cp_fail(CP_ESHAPE, "shapes %s and %s do not broadcast", cp_shape_text(*ndim, shape, one),
                 cp_shape_text(a->ndim, a->shape, two));
}

void cp_view_broadcast(const cp_array *a, int ndim, const int64_t *shape, cp_array *view) {
  int64_t strides[CP_MAXDIM];
  cp_broadcast_strides(ndim, shape, a->ndim, a->shape, a->strides, strides);
  cp_view_start(view, a);
  for (int k = 0; k < ndim; k++) cp_view_axis(view, shape[k], strides[k]);
  view->readonly = a->readonly || view->size > a->size;
}

cp_status cp_view_broadcast_to(const cp_array *a, int ndim, const int64_t *shape, cp_array *view) {
  int64_t both[CP_MAXDIM], size;
  int n = ndim;
  char from[CP_SHAPE_TEXT], to[CP_SHAPE_TEXT];
  cp_copy_lengths(both, shape, ndim);
  if (!cp_broadcast(&n, both, a->ndim, a->shape) || !cp_shape_equal(n, both, ndim, shape))
    return cp_fail(CP_ESHAPE, "shape %s does not broadcast to %s", cp_shape_text(a->ndim, a->shape, from),
                   cp_shape_text(ndim, shape, to));
  CP_TRY(cp_shape_size(ndim, shape, cp_itemsize(a->dtype), &size));
  cp_view_broadcast(a, ndim, shape, view);
  view->readonly = true;
  return CP_OK;
}

// ---- strides ----------------------------------------------------------------------------------------------

// Checks that a view stays inside its storage, without an overflow on the way.
static cp_status check_extent(const cp_array *view) {
  int64_t low = view->offset, high = view->offset, reach, itemsize = (int64_t)cp_itemsize(view->dtype);
  bool fits = true;
  for (int k = 0; k < view->ndim; k++) {
    if (view->shape[k] == 0) return CP_OK;
    int64_t *end = view->strides[k] < 0 ? &low : &high;
    fits = fits && !__builtin_mul_overflow(view->shape[k] - 1, view->strides[k], &reach) &&
           !__builtin_add_overflow(*end, reach, end);
  }
  if (fits && low >= 0 && high <= (int64_t)view->storage->nbytes - itemsize) return CP_OK;
  return cp_fail(CP_EINDEX, "this shape and these strides go beyond the array's memory of %zu bytes",
                 view->storage->nbytes);
}

cp_status cp_view_strided(const cp_array *a, int ndim, const int64_t *shape, int given,
                          const int64_t *strides, bool writeable, cp_array *view) {
  int64_t size;
  size_t itemsize = cp_itemsize(a->dtype);
  if (given != ndim) return cp_fail(CP_ESHAPE, "strides has %d entries for a shape of %d", given, ndim);
  CP_TRY(cp_shape_size(ndim, shape, itemsize, &size));
  cp_view_start(view, a);
  if (!writeable) view->readonly = true;
  for (int k = 0; k < ndim; k++) {
    if (strides[k] % (int64_t)itemsize != 0)
      return cp_fail(CP_EUSAGE, "stride %" PRId64 " is not a multiple of the element size, %zu bytes",
                     strides[k], itemsize);
    if (strides[k] == 0 && shape[k] > 1) view->readonly = true;
    cp_view_axis(view, shape[k], strides[k]);
  }
  return check_extent(view);
}

// ---- other dtypes -----------------------------------------------------------------------------------------

// Whether elements of `size` bytes would be aligned where a's rows begin. Offsets are tested besides
// addresses, because the buffer may be exchanged for another one.
static cp_status check_aligned(const cp_array *a, int64_t size, bool *aligned) {
  char *p;
  *aligned = true;
  if (a->size == 0) return CP_OK;
  CP_TRY(cp_array_pointer(a, &p));
  *aligned = a->offset % size == 0 && (uintptr_t)p % (uintptr_t)size == 0;
  for (int k = 0; k + 1 < a->ndim; k++) *aligned = *aligned && (a->shape[k] < 2 || a->strides[k] % size == 0);
  return CP_OK;
}

// Gives the length of a's last axis in elements of dtype `to`, which has another size.
static cp_status cut_last_axis(const cp_array *a, cp_dtype to, int64_t *length) {
  int64_t itemsize = (int64_t)cp_itemsize(a->dtype), size = (int64_t)cp_itemsize(to);
  bool aligned = true;
  if (a->ndim == 0)
    return cp_fail(CP_ESHAPE, "a 0-d array of %s cannot become %s, which has another size",
                   cp_dtypes[a->dtype].name, cp_dtypes[to].name);
  int64_t n = a->shape[a->ndim - 1];
  if (n > 1 && a->strides[a->ndim - 1] != itemsize)
    return cp_fail(CP_EUSAGE,
                   "the last axis must be contiguous for a dtype of another size; use x:copy():view(...)");
  if (n * itemsize % size != 0)
    return cp_fail(CP_ESHAPE, "the last axis has %" PRId64 " bytes, which is not a multiple of %s's %" PRId64,
                   n * itemsize, cp_dtypes[to].name, size);
  if (size > itemsize) CP_TRY(check_aligned(a, size, &aligned));
  if (!aligned)
    return cp_fail(CP_EUSAGE, "rows do not begin at multiples of %" PRId64 " bytes; use x:copy():view(...)",
                   size);
  *length = n * itemsize / size;
  return CP_OK;
}

cp_status cp_view_as(const cp_array *a, cp_dtype to, cp_array *view) {
  int64_t length = 0, size = (int64_t)cp_itemsize(to);
  bool resized = size != (int64_t)cp_itemsize(a->dtype);
  if (resized) CP_TRY(cut_last_axis(a, to, &length));
  cp_view_start(view, a);
  view->dtype = to;
  for (int k = 0; k < a->ndim; k++) {
    bool cut = resized && k == a->ndim - 1;
    cp_view_axis(view, cut ? length : a->shape[k], cut ? size : a->strides[k]);
  }
  return CP_OK;
}

// ---- reshaping --------------------------------------------------------------------------------------------

// Replaces a length of -1 in shape, and checks that the number of elements stays.
static cp_status complete_shape(const cp_array *a, int ndim, int64_t *shape) {
  char from[CP_SHAPE_TEXT], to[CP_SHAPE_TEXT];
  int open = -1;
  bool fits = true;
  int64_t known = 1;
  for (int k = 0; k < ndim; k++) {
    if (shape[k] < -1)
      return cp_fail(CP_ESHAPE, "length %" PRId64 " in shape %s is negative; only -1 is allowed", shape[k],
                     cp_shape_text(ndim, shape, to));
    if (shape[k] == -1 && open >= 0)
      return cp_fail(CP_ESHAPE, "only one length in shape %s can be -1", cp_shape_text(ndim, shape, to));
    if (shape[k] == -1)
      open = k;
    else if (known != 0 && fits)
      fits = !__builtin_mul_overflow(known, shape[k], &known);
  }
  if (open >= 0 && fits && known > 0 && a->size % known == 0)
    shape[open] = a->size / known;
  else if (open >= 0 || !fits || known != a->size)
    return cp_fail(CP_ESHAPE, "cannot reshape %s of %" PRId64 " elements to %s",
                   cp_shape_text(a->ndim, a->shape, from), a->size, cp_shape_text(ndim, shape, to));
  return CP_OK;
}

static void reverse(int n, const int64_t *from, int64_t *to) {
  for (int k = 0; k < n; k++) to[k] = from[n - 1 - k];
}

// Computes the strides of a under another shape whose elements are taken in C or F order; false when a copy
// is needed.
static bool reshaped_strides(const cp_array *a, int ndim, const int64_t *shape, char order, int64_t *out) {
  size_t itemsize = cp_itemsize(a->dtype);
  if (order == 'C') return cp_reshape_strides(a->ndim, a->shape, a->strides, ndim, shape, itemsize, out);
  // F order is C order of the reversed axes.
  int64_t old_shape[CP_MAXDIM], old_strides[CP_MAXDIM], new_strides[CP_MAXDIM];
  int64_t new_shape[CP_MAXDIM] = {0}; // ndim may be 0
  reverse(a->ndim, a->shape, old_shape);
  reverse(a->ndim, a->strides, old_strides);
  reverse(ndim, shape, new_shape);
  if (!cp_reshape_strides(a->ndim, old_shape, old_strides, ndim, new_shape, itemsize, new_strides))
    return false;
  reverse(ndim, new_strides, out);
  return true;
}

// Makes result the elements of `of` with this shape and these strides.
static void share(cp_array *result, const cp_array *of, int ndim, const int64_t *shape,
                  const int64_t *strides) {
  cp_view_start(result, of);
  if (result->storage != NULL) result->storage->refs++;
  for (int k = 0; k < ndim; k++) cp_view_axis(result, shape[k], strides[k]);
}

// The same for an array that may be pending.
static cp_status share_pending(cp_context *ctx, cp_array *result, cp_array *of, int ndim,
                               const int64_t *shape, const int64_t *strides) {
  cp_array_local local;
  if (of->node == NULL) {
    share(result, of, ndim, shape, strides);
    return CP_OK;
  }
  cp_array *view = cp_array_local_init(&local);
  cp_view_start(view, of);
  for (int k = 0; k < ndim; k++) cp_view_axis(view, shape[k], strides[k]);
  return cp_pend_view(ctx, of, view, result);
}

// Makes result a copy of a in another shape of the same size, with the elements taken in C or F order.
static cp_status reshape_copy(cp_context *ctx, cp_array *a, int ndim, const int64_t *shape, char order,
                              cp_array *result) {
  cp_array_local copy;
  int64_t strides[CP_MAXDIM];
  cp_array_local_init(&copy);
  cp_status status = cp_force(ctx, a);
  if (status == CP_OK) status = cp_new_copy(ctx, a, order, &copy.a);
  cp_contiguous_strides(ndim, shape, cp_itemsize(a->dtype), order, strides);
  if (status == CP_OK) share(result, &copy.a, ndim, shape, strides);
  result->owner = status == CP_OK;
  cp_array_release(&copy.a);
  return status;
}

cp_status cp_reshape(cp_context *ctx, cp_array *a, int ndim, int64_t *shape, char order, bool copy,
                     cp_array *result) {
  int64_t strides[CP_MAXDIM];
  CP_TRY(complete_shape(a, ndim, shape));
  if (copy || !reshaped_strides(a, ndim, shape, order, strides))
    return reshape_copy(ctx, a, ndim, shape, order, result);
  return share_pending(ctx, result, a, ndim, shape, strides);
}

cp_status cp_ravel(cp_context *ctx, cp_array *a, char order, bool copy, cp_array *result) {
  cp_array_local local;
  int64_t stride, itemsize = (int64_t)cp_itemsize(a->dtype);
  if (order == 'K') { // C order once the axes are sorted by stride
    int perm[CP_MAXDIM];
    const int64_t *strides = a->strides;
    CP_TRY(cp_force(ctx, a));
    cp_array *sorted = cp_array_local_init(&local);
    cp_stride_order(a->ndim, a->shape, 1, &strides, perm);
    cp_view_permute(a, perm, sorted);
    a = sorted;
    order = 'C';
  }
  bool dense =
      !copy && reshaped_strides(a, 1, &a->size, order, &stride) && (a->size < 2 || stride == itemsize);
  if (!dense) return reshape_copy(ctx, a, 1, &a->size, order, result);
  return share_pending(ctx, result, a, 1, &a->size, &stride);
}

// ---- parts of complex values ------------------------------------------------------------------------------

// Makes z one zero that is read at every position of a's shape.
static cp_status repeat_zero(cp_context *ctx, const cp_array *a, cp_array *z) {
  cp_stream *stream;
  CP_TRY(cp_new_array(ctx, z, a->device, a->dtype, 0, NULL));
  CP_TRY(cp_context_stream(ctx, a->device, &stream));
  CP_TRY(cp_before_write(ctx, stream, z->storage->buffer));
  CP_TRY(a->device->ops->fill_bytes(stream, cp_address(z), 0, cp_itemsize(a->dtype)));
  for (int k = 0; k < a->ndim; k++) cp_view_axis(z, a->shape[k], 0);
  z->readonly = true;
  return CP_OK;
}

cp_status cp_part(cp_context *ctx, const cp_array *a, bool imag, cp_array *result) {
  if (imag && !cp_is_complex(a->dtype)) return repeat_zero(ctx, a, result);
  share(result, a, a->ndim, a->shape, a->strides);
  result->dtype = cp_dtypes[a->dtype].real;
  if (imag && a->size > 0) result->offset += (int64_t)cp_itemsize(result->dtype);
  return CP_OK;
}
