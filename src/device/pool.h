// Caching pool of device memory, one per device, locked. Blocks are rounded to size classes and kept for reuse in the order of the
// stream that last used them. Freeing only queues the block (so finalizers may do it at any time); queued blocks
// are taken up by the next allocation.
#ifndef CP_DEVICE_POOL_H
#define CP_DEVICE_POOL_H

#include "device/device.h"

enum { CP_MAX_USERS = 8 };

typedef struct cp_block {
  void *pointer;
  size_t size; // of its class, >= what was asked for
  cp_pool *pool;
  cp_stream *stream; // whose work used it last; NULL: free for all
  int nusers;        // set by who frees it, where more than `stream` used it: these did, and `stream` before
  cp_stream *users[CP_MAX_USERS]; // all of them
  struct cp_block *next, *prev;   // among live or cached blocks
  struct cp_block *queued;        // among freed blocks that the pool has not taken up yet
} cp_block;

typedef struct cp_pool_figures {
  size_t live, cached, limit;  // bytes; limit 0: none
  uint64_t device_allocations; // calls of the device's allocator
} cp_pool_figures;

cp_pool *cp_pool_new(cp_device *device); // NULL: out of host memory
// A block of at least bytes (>= 1) for work on stream. When the device has no memory, runs ctx->collect, trims, synchronises and tries
// again before CP_EMEMORY, whose message gives requested, live, cached and limit bytes. May call ctx->collect when ctx's budget is passed.
cp_status cp_pool_allocate(cp_context *ctx, cp_pool *pool, cp_stream *stream, size_t bytes, cp_block **out);
// Queues the block. Never calls the device; safe in finalizers.
void cp_pool_free(cp_block *block);
// Gives cached blocks back to the device.
void cp_pool_trim(cp_pool *pool);
void cp_pool_set_limit(cp_pool *pool, size_t bytes);
cp_pool_figures cp_pool_read(cp_pool *pool);
// The bytes that there may be: the limit, or the device's memory.
size_t cp_pool_capacity(cp_pool *pool);
// The stream is about to be destroyed and has been synchronised: blocks no longer belong to it.
void cp_pool_forget_stream(cp_pool *pool, cp_stream *stream);

#endif
