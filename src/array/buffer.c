// Buffers: reference-counted physical memory, and the memory figures of the state that owns it (array.h).
//
// A release may run in a finalizer, so it only counts, queues the block and keeps a small struct for reuse.
#include "array/array.h"
#include "array/borrowed.h"
#include "array/freed_structs.h"
#include "memory/allocator.h"
#include "memory/free_list.h"

#include <stdlib.h>

void cp_borrowed_release(cp_borrowed *borrowed) {
  if (borrowed->release != NULL) borrowed->release(borrowed->owner);
  free(borrowed);
}

// Adds to the list; cp_release_borrowed calls the callback. Safe in finalizers. Once the state is closed, the
// callback is called at once.
static void queue_borrowed(cp_context *ctx, cp_borrowed *borrowed) {
  if (ctx->closed) {
    cp_borrowed_release(borrowed); // all streams are done, and cp_release_borrowed will not be called again
    return;
  }
  borrowed->next = ctx->arrays.borrowed;
  ctx->arrays.borrowed = borrowed;
}

cp_status cp_buffer_new(cp_context *ctx, cp_device *device, size_t nbytes, cp_buffer **out) {
  cp_pool *pool;
  CP_TRY(cp_context_pool(ctx, device, &pool));
  return cp_buffer_new_from(ctx, device, pool, nbytes, out);
}

cp_status cp_buffer_new_from(cp_context *ctx, cp_device *device, cp_pool *pool, size_t nbytes,
                             cp_buffer **out) {
  cp_stream *stream;
  CP_TRY(cp_context_stream(ctx, device, &stream));
  cp_combined *p = cp_struct_take(&ctx->arrays.combined, sizeof *p);
  if (p == NULL) return cp_no_memory(NULL);
  cp_block *block;
  cp_status status = cp_pool_allocate(ctx, pool, stream, nbytes > 0 ? nbytes : 1, &block);
  if (status != CP_OK) {
    cp_struct_put(ctx, &ctx->arrays.combined, p);
    return status;
  }
  cp_buffer *b = &p->buffer;
  p->storage.refs = 0;
  p->earlier = ctx->arrays.latest_combined;
  ctx->arrays.latest_combined = (uintptr_t)p;
  b->refs = 1;
  b->storages = 0;
  b->exposed = pool != device->pool && cp_pool_source(pool) == &cp_pinned_source ? CP_EXPOSED_PINNED : 0;
  b->imported = b->used_in_capture = b->fixed = b->rewritten = 0;
  b->pinned = b->products_kept = false;
  b->readers = NULL;
  b->scan = NULL;
  b->block = block;
  b->borrowed = NULL;
  b->pointer = block->pointer;
  b->device = device;
  b->context = ctx;
  b->uses.last_writer = NULL;
  b->uses.nreaders = 0;
  b->transfer = NULL;
  if (block->reserve != NULL) {
    block->holder = b;
  } else if (ctx->streams.concurrent) {
    // A sequence number after those of the pool, which may have made the stream wait for others.
    b->uses.last_writer = stream;
    b->uses.written = b->uses.used = ++stream->issued;
  }
  *out = b;
  return CP_OK;
}

size_t cp_buffer_bytes(const cp_buffer *b) { return b->block != NULL ? b->block->size : 0; }

void cp_buffer_forget(cp_buffer *b) {
  cp_scan *scan = b->scan;
  if (scan == NULL) return;
  b->scan = NULL;
  cp_buffer_release(scan->offsets);
  free(scan);
}

void cp_buffer_unpin(cp_buffer *b) {
  b->pinned = false;
  b->context->lazy.pinned_bytes -= cp_buffer_bytes(b);
}

void cp_buffer_disown(cp_buffer *b) {
  if (--b->storages > 0 || b->readers == NULL) return;
  b->pinned = true;
  b->context->lazy.pinned_bytes += cp_buffer_bytes(b);
}

// Hands the streams that used the buffer to its block, whose next user waits for them.
static void pass_on(const cp_buffer *b) {
  const cp_use_history *o = &b->uses;
  cp_block *block = b->block;
  if (o->last_writer == NULL || b->context->closed) return;
  block->users[block->nusers++] = o->last_writer;
  for (int k = 0; k < o->nreaders; k++) block->users[block->nusers++] = o->readers[k].stream;
}

void cp_buffer_release(cp_buffer *b) {
  if (--b->refs > 0) return;
  cp_context *ctx = b->context;
  size_t size = cp_buffer_bytes(b);
  cp_buffer_forget(b);
  if (b->pinned) ctx->lazy.pinned_bytes -= size;
  // What scopes and x:free() free need not be collected.
  cp_garbage_returned(&ctx->memory.garbage[b->device->id], size, cp_is_large(size));
  if (b->transfer != NULL) cp_context_leave_event(ctx, b->transfer);
  if (b->block != NULL) {
    pass_on(b);
    cp_pool_discharge(ctx, b->block);
    if (!cp_free_list_put(ctx, b->block)) cp_pool_free(b->block);
  } else if (b->borrowed != NULL) {
    queue_borrowed(ctx, b->borrowed);
  }
  if (cp_combined_of(b)->storage.refs == 0) cp_struct_put(ctx, &ctx->arrays.combined, cp_combined_of(b));
}
