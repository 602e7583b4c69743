// The free lists of a state (free_list.h). They are empty while the state has several streams of a kind: the
// pool then orders a freed block after the streams that used it.
#include "memory/free_list.h"

#include "device/fast.h"
#include "memory/bins.h"

static void clear(cp_free_list *free_list) {
  for (int k = 0; k < CP_FREE_LIST_BINS && free_list->bytes > 0; k++) {
    while (free_list->first[k] != NULL) {
      cp_block *b = free_list->first[k];
      free_list->first[k] = b->queued;
      free_list->bytes -= b->size;
      cp_pool_free(b);
    }
  }
}

void cp_free_lists_clear(cp_context *ctx) {
  for (int id = 0; id < CP_MAX_DEVICES; id++) clear(&ctx->memory.free_lists[id]);
}

// Whether the block is from the pool of its stream's device, not from a graph, used by one stream only and
// not logged.
static bool is_plain(const cp_block *b) {
  return b->stream != NULL && b->pool == b->stream->device->pool && b->nusers == 0 && b->reserve == NULL &&
         b->log_context == NULL;
}

bool cp_free_list_put(cp_context *ctx, cp_block *b) {
  if (!cp_may_go_fast(ctx, CP_FAST_LISTS)) return false;
  if (b->size > CP_FREE_LIST_LARGEST || ctx->streams.concurrent || !is_plain(b)) return false;
  cp_free_list *free_list = &ctx->memory.free_lists[b->stream->device->id];
  if (free_list->bytes + b->size > cp_pool_free_list(b->pool)) return false;
  cp_block **first = &free_list->first[cp_small_class(b->size)];
  b->queued = *first;
  *first = b;
  free_list->bytes += b->size;
  return true;
}

cp_block *cp_free_list_take(cp_context *ctx, const cp_pool *pool, const cp_stream *stream, size_t size) {
  cp_free_list *free_list = &ctx->memory.free_lists[stream->device->id];
  if (size > CP_FREE_LIST_LARGEST || pool != stream->device->pool) return NULL;
  cp_block **first = &free_list->first[cp_small_class(size)], *b = *first;
  if (b == NULL) return NULL;
  if (b->stream != stream || ctx->streams.concurrent) {
    clear(free_list);
    return NULL;
  }
  *first = b->queued;
  __builtin_prefetch(b->queued, 1); // the next block, which may have left the processor's cache
  free_list->bytes -= size;
  b->fresh = false;
  return b;
}
