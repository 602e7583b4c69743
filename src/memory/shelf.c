// Blocks between two arrays of one state. While a state has several streams of a kind there are none: blocks then wait in the pool for those
// who used them.
#include "memory/shelf.h"

#include "memory/bins.h"

static void clear(cp_shelf *shelf) {
  for (int k = 0; k < CP_SHELF_BINS && shelf->bytes > 0; k++) {
    while (shelf->first[k] != NULL) {
      cp_block *b = shelf->first[k];
      shelf->first[k] = b->queued;
      shelf->bytes -= b->size;
      cp_pool_free(b);
    }
  }
}

void cp_shelves_clear(cp_context *ctx) {
  for (int id = 0; id < CP_MAX_DEVICES; id++) clear(&ctx->memory.shelves[id]);
}

// Whether the stream's device's own pool has it, it is no graph's, and nobody else has used it or hears of it.
static bool is_plain(const cp_block *b) {
  return b->stream != NULL && b->pool == b->stream->device->pool && b->nusers == 0 && b->reserve == NULL &&
         b->noted == NULL;
}

bool cp_shelf_put(cp_context *ctx, cp_block *b) {
  if (b->size > CP_SHELF_LARGEST || ctx->closed || ctx->streams.concurrent || !is_plain(b)) return false;
  cp_shelf *shelf = &ctx->memory.shelves[b->stream->device->id];
  if (shelf->bytes + b->size > cp_pool_shelf(b->pool)) return false;
  cp_block **first = &shelf->first[cp_small_class(b->size)];
  b->queued = *first;
  *first = b;
  shelf->bytes += b->size;
  return true;
}

cp_block *cp_shelf_take(cp_context *ctx, const cp_pool *pool, const cp_stream *stream, size_t size) {
  cp_shelf *shelf = &ctx->memory.shelves[stream->device->id];
  if (size > CP_SHELF_LARGEST || pool != stream->device->pool) return NULL;
  cp_block **first = &shelf->first[cp_small_class(size)], *b = *first;
  if (b == NULL) return NULL;
  if (b->stream != stream || ctx->streams.concurrent) {
    clear(shelf);
    return NULL;
  }
  *first = b->queued;
  __builtin_prefetch(b->queued, 1); // the next one, which may have lain there for long
  shelf->bytes -= size;
  b->fresh = false;
  return b;
}
