// Counts masks, keeps the counts, and calls the device's functions that move elements by masks.
#include "lazy/work/mask.h"

#include "device/interrupt.h"

#include <stdlib.h>
#include <string.h>

// ---- counting ---------------------------------------------------------------------------------------------

static const cp_scan *known_scan(const cp_array *mask) {
  const cp_scan *scan = mask->storage->buffer->scan;
  return scan != NULL && scan->offset == mask->offset && scan->size == mask->size ? scan : NULL;
}

bool cp_mask_known(const cp_array *mask, int64_t *count) {
  const cp_scan *scan = cp_array_check(mask) == CP_OK ? known_scan(mask) : NULL;
  if (scan != NULL) *count = scan->count;
  return scan != NULL;
}

// Counts the true elements; the counts before each tile go to offsets, in device memory.
static cp_status run_scan(cp_context *ctx, cp_array *mask, cp_buffer *offsets, int64_t *count) {
  cp_stream *stream;
  const cp_use use = {mask, CP_READ};
  CP_TRY(cp_poll(ctx));
  CP_TRY(cp_order_arrays(ctx, mask->device, 1, &use, &stream));
  CP_TRY(cp_before_read(ctx, stream, offsets)); // enough although it is written: new memory has no readers
  double begin = cp_sync_begin(ctx);
  cp_status status =
      mask->device->ops->index->scan(ctx, stream, cp_address(mask), mask->size, offsets->pointer, count);
  cp_sync_end(ctx, begin);
  return status;
}

// Keeps the count with the mask's buffer, unless the buffer's address is exposed: such memory may change
// without notice.
static void keep_scan(const cp_array *mask, int64_t count, cp_buffer *offsets) {
  cp_buffer *b = mask->storage->buffer;
  if (b->exposed) return;
  cp_scan *scan = malloc(sizeof *scan);
  if (scan == NULL) return; // the mask will be counted again
  cp_buffer_forget(b);
  *scan = (cp_scan){mask->offset, mask->size, count, offsets};
  cp_buffer_retain(offsets);
  b->scan = scan;
}

cp_status cp_mask_count(cp_context *ctx, cp_array *mask, int64_t *count, cp_buffer **offsets) {
  cp_buffer *b;
  CP_TRY(cp_array_check(mask));
  // Fails during a capture even if the count is known: it may differ at the next launch of the graph.
  CP_TRY(cp_may_wait(ctx, mask->device));
  const cp_scan *scan = known_scan(mask);
  if (scan != NULL) {
    *count = scan->count;
    if (offsets == NULL) return CP_OK;
    *offsets = scan->offsets;
    cp_buffer_retain(*offsets);
    return CP_OK;
  }
  size_t bytes = (size_t)cp_mask_offsets(mask->size) * sizeof(int64_t);
  CP_TRY(cp_buffer_new(ctx, mask->device, bytes, &b));
  cp_status status = run_scan(ctx, mask, b, count);
  if (status == CP_OK) keep_scan(mask, *count, b);
  if (status == CP_OK && offsets != NULL)
    *offsets = b;
  else
    cp_buffer_release(b);
  return status;
}

// ---- moving -----------------------------------------------------------------------------------------------

static void describe(cp_compaction *c, const cp_array *mask, const cp_array *base, const cp_array *value,
                     const cp_buffer *offsets) {
  c->mask = cp_address(mask);
  c->offsets = offsets->pointer;
  c->size = mask->size;
  c->value = cp_address(value);
  if (base != NULL) {
    c->base = cp_address(base);
    c->base_stride = base->strides[0];
    c->value_stride = value->shape[0] > 1 ? value->strides[0] : 0;
    c->itemsize = cp_itemsize(base->dtype);
    return;
  }
  c->ndim = mask->ndim;
  memcpy(c->shape, mask->shape, (size_t)mask->ndim * sizeof *c->shape);
  c->coordinate_stride = value->strides[0];
  c->value_stride = value->strides[1];
}

cp_status cp_mask_compact(cp_context *ctx, cp_stream *stream, cp_compaction *c, const cp_array *mask,
                          const cp_array *base, const cp_array *value, cp_buffer *offsets) {
  int64_t expected = value->shape[c->kind == CP_COMPACT_POSITIONS];
  if (c->count != expected)
    return cp_fail(CP_EUSAGE, "the mask was written while its elements were being moved");
  if (c->count == 0) return CP_OK;
  CP_TRY(cp_before_read(ctx, stream, offsets));
  describe(c, mask, base, value, offsets);
  return mask->device->ops->index->compact(ctx, stream, c);
}
