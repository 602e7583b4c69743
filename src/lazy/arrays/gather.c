// Opens the arrays of a mask's move or of a lookup, and calls the device (gather.h).
#include "lazy/arrays/gather.h"

#include "lazy/arrays/access.h"

cp_status cp_mask_move(cp_context *ctx, cp_compaction_kind kind, cp_array *mask, cp_array *base,
                       cp_array *value) {
  cp_compaction c = {.kind = kind};
  bool write = kind == CP_COMPACT_WRITE;
  const cp_use uses[] = {
      {mask, CP_READ}, {value, write ? CP_READ : CP_WRITE}, {base, write ? CP_WRITE : CP_READ}};
  cp_buffer *offsets;
  cp_stream *stream;
  CP_TRY(cp_mask_count(ctx, mask, &c.count, &offsets));
  cp_status status = cp_open_arrays(ctx, mask->device, base != NULL ? 3 : 2, uses, &stream);
  if (status == CP_OK) status = cp_mask_compact(ctx, stream, &c, mask, base, value, offsets);
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
