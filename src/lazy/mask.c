// What is known of masks, and elements moved by masks and positions: addresses for the device's functions.
#include "lazy/mask.h"

#include "lazy/access.h"

#include <stdlib.h>
#include <string.h>

// ---- counting -----------------------------------------------------------------------------------------------------

static const cp_scan *known_scan(const cp_array *mask) {
  const cp_scan *scan = mask->storage->buffer->scan;
  return scan != NULL && scan->offset == mask->offset && scan->size == mask->size ? scan : NULL;
}

bool cp_mask_known(const cp_array *mask, int64_t *count) {
  const cp_scan *scan = cp_array_check(mask) == CP_OK ? known_scan(mask) : NULL;
  if (scan != NULL) *count = scan->count;
  return scan != NULL;
}

// A buffer as an array, for the door.
typedef struct buffer_view {
  cp_array a;
  cp_storage storage;
} buffer_view;

static cp_array *view_buffer(cp_buffer *b, buffer_view *v) {
  v->storage = (cp_storage){.refs = 2, .buffer = b, .nbytes = sizeof(int64_t)};
  v->a = (cp_array){.storage = &v->storage, .device = b->device, .dtype = CP_INT64, .size = 1};
  return &v->a;
}

// Counts into offsets, device memory.
static cp_status run_scan(cp_context *ctx, cp_array *mask, cp_buffer *offsets, int64_t *count) {
  cp_stream *stream;
  buffer_view view;
  cp_use uses[] = {{mask, CP_READ}, {view_buffer(offsets, &view), CP_READ}}; // new memory: nobody reads it
  CP_TRY(cp_open_arrays(ctx, mask->device, 2, uses, &stream));
  double begin = cp_sync_begin(ctx);
  cp_status status =
      mask->device->ops->index->scan(ctx, stream, cp_address(mask), mask->size, offsets->pointer, count);
  cp_sync_end(ctx, begin);
  return status;
}

// Keeps what is known with the mask's buffer. Memory whose address is out may change without notice: nothing is known of it.
static void keep_scan(const cp_array *mask, int64_t count, cp_buffer *offsets) {
  cp_buffer *b = mask->storage->buffer;
  if (b->exposed) return;
  cp_scan *scan = malloc(sizeof *scan);
  if (scan == NULL) return; // then it is found out again
  cp_buffer_forget(b);
  *scan = (cp_scan){mask->offset, mask->size, count, offsets};
  cp_buffer_retain(offsets);
  b->scan = scan;
}

cp_status cp_mask_count(cp_context *ctx, cp_array *mask, int64_t *count, cp_buffer **offsets) {
  cp_buffer *b;
  CP_TRY(cp_array_check(mask));
  CP_TRY(
      cp_may_wait(ctx, mask->device)); // a count that is known may be another one at the next run of a graph
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

// ---- moving -------------------------------------------------------------------------------------------------------

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

static cp_status move(cp_context *ctx, cp_compaction *c, const cp_array *mask, const cp_array *base,
                      const cp_array *value, const cp_buffer *offsets, cp_stream *stream) {
  describe(c, mask, base, value, offsets);
  return mask->device->ops->index->compact(ctx, stream, c);
}

cp_status cp_mask_move(cp_context *ctx, cp_compaction_kind kind, cp_array *mask, cp_array *base,
                       cp_array *value) {
  cp_compaction c = {.kind = kind};
  cp_buffer *offsets;
  cp_stream *stream;
  bool write = kind == CP_COMPACT_WRITE;
  buffer_view view;
  int nuses = base != NULL ? 4 : 3;
  int64_t expected = kind == CP_COMPACT_POSITIONS ? value->shape[1] : value->shape[0];
  CP_TRY(cp_mask_count(ctx, mask, &c.count, &offsets));
  cp_use uses[] = {{mask, CP_READ},
                   {view_buffer(offsets, &view), CP_READ},
                   {value, write ? CP_READ : CP_WRITE},
                   {base, write ? CP_WRITE : CP_READ}};
  cp_status status = cp_open_arrays(ctx, mask->device, nuses, uses, &stream);
  if (status == CP_OK) {
    if (c.count != expected)
      status = cp_fail(CP_EUSAGE, "the mask was written while its elements were being moved");
    else if (c.count > 0)
      status = move(ctx, &c, mask, base, value, offsets, stream);
  }
  cp_buffer_release(offsets);
  return status;
}

cp_status cp_lookup_arrays(cp_context *ctx, cp_lookup *l, cp_array *base, cp_array *value,
                           cp_array *const *positions) {
  cp_use uses[CP_MAXDIM + 2];
  cp_stream *stream;
  bool read = l->kind == CP_LOOKUP_READ;
  int n = 0;
  uses[n++] = (cp_use){base, read ? CP_READ : CP_WRITE};
  uses[n++] = (cp_use){value, read ? CP_WRITE : CP_READ};
  for (int k = 0; k < l->count; k++) uses[n++] = (cp_use){positions[k], CP_READ};
  CP_TRY(cp_open_arrays(ctx, base->device, n, uses, &stream));
  l->base = cp_address(base);
  l->value = cp_address(value) + l->value_start;
  for (int k = 0; k < l->count; k++) l->positions[k].base = cp_address(positions[k]);
  cp_lookup_widen(l);
  cp_status status = l->size == 0 ? CP_OK : base->device->ops->index->lookup(ctx, stream, l);
  if (status == CP_OK && ctx->settings.strict && !stream->capturing)
    status = base->device->ops->stream_synchronize(stream);
  return status;
}
