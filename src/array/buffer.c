// Buffers: physical memory with a count of references, and the figures of the state that owns it.
//
// Releasing runs in finalizers: it does arithmetic, queues the block and puts a small struct aside, nothing else.
#include "array/array.h"
#include "array/spare.h"
#include "device/pool.h"

cp_status cp_buffer_new(cp_context *ctx, cp_device *device, size_t nbytes, cp_buffer **out) {
  cp_stream *stream;
  CP_TRY(cp_context_stream(ctx, device, &stream));
  cp_buffer *b = cp_spare_take(&ctx->buffers, sizeof *b);
  if (b == NULL) return cp_fail(CP_EMEMORY, "out of host memory");
  cp_block *block;
  cp_status status = cp_pool_allocate(ctx, device->pool, stream, nbytes > 0 ? nbytes : 1, &block);
  if (status != CP_OK) {
    cp_spare_give(ctx, &ctx->buffers, b);
    return status;
  }
  *b = (cp_buffer){.refs = 1, .block = block, .pointer = block->pointer, .device = device, .context = ctx};
  ctx->live_bytes += block->size;
  *out = b;
  return CP_OK;
}

void cp_buffer_retain(cp_buffer *b) { b->refs++; }

void cp_buffer_own(cp_buffer *b) {
  if (b->storages++ == 0 && b->pinned) {
    b->pinned = false;
    b->context->pinned_bytes -= b->block->size;
  }
}

void cp_buffer_disown(cp_buffer *b) {
  if (--b->storages > 0 || b->readers == NULL) return;
  b->pinned = true;
  b->context->pinned_bytes += b->block->size;
}

void cp_buffer_release(cp_buffer *b) {
  if (--b->refs > 0) return;
  cp_context *ctx = b->context;
  size_t size = b->block->size;
  if (b->pinned) ctx->pinned_bytes -= size;
  ctx->live_bytes -= size;
  // What scopes and free() give back needs no collection.
  ctx->since_collect -= size < ctx->since_collect ? size : ctx->since_collect;
  cp_pool_free(b->block);
  cp_spare_give(ctx, &ctx->buffers, b);
}
