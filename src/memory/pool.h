// A caching pool of memory, thread-safe; each device has one. Blocks are rounded to size classes. A freed
// block is kept for reuse, in stream order: its next user waits for the streams that used it. Freeing only
// queues the block, so finalizers may do it at any time; the next allocation moves queued blocks to the
// cache. A pool's memory comes from a source: the device itself, or another one (memory/allocator.h).
#ifndef CP_MEMORY_POOL_H
#define CP_MEMORY_POOL_H

#include "device/context.h"

enum { CP_MAX_USERS = 8, CP_LARGE_BLOCKS = 1 << 20 };

// Whether blocks of this size class are large: they have bins of their own (cp_bins_reserve) and their own
// rule of when to collect garbage (device/garbage.h).
static inline bool cp_is_large(size_t size) { return size > CP_LARGE_BLOCKS; }

typedef struct cp_block {
  void *pointer;
  size_t size;     // the size of its class, at least what was requested
  size_t charge;   // bytes that it counts for its state's limit: the size class of the request
  uint64_t tenant; // the number of the state that used it last; 0: none
  cp_pool *pool;
  cp_stream *stream; // the stream that used it last; NULL: no stream has to be waited for
  // The number of `users`, set when the block is freed: the streams that used it after `stream`.
  int nusers;
  bool fresh;                     // just obtained from the source, not from the cache
  bool idle;                      // freed, and kept for its graph
  cp_reserve *reserve;            // the memory of the graph that it belongs to; NULL: none
  cp_context *log_context;        // the state whose memory_log reports when it is freed; NULL: none
  struct cp_block *queued;        // next in a list of freed blocks
  struct cp_block *next, *prev;   // in the list of live blocks or in a bin
  struct cp_slab *slab;           // the slab that its memory is part of; NULL: none
  intptr_t tag;                   // for the source's use
  struct cp_block *graph_next;    // next block of the same graph
  struct cp_buffer *holder;       // the buffer in it; NULL: none
  cp_stream *users[CP_MAX_USERS]; // the first nusers are valid
} cp_block;

typedef struct cp_pool_figures {
  size_t live, cached, limit;  // bytes; limit 0: none
  size_t cached_blocks;        // their number
  uint64_t device_allocations; // calls of the source
} cp_pool_figures;

// Where a pool's memory comes from. The functions are called with the pool locked. reentrant: they may run
// Lua, which may use the same pool.
typedef struct cp_memory_source {
  const char *name;
  // Sets b->pointer to b->size bytes of memory for work on s, and may set b->tag. CP_EMEMORY when there is
  // none.
  cp_status (*allocate)(void *data, cp_device *d, cp_stream *s, cp_block *b);
  // Frees the block's memory. An ordered source must expect work that uses it on b->stream (NULL: none); for
  // other sources all such work is done.
  void (*release)(void *data, cp_device *d, cp_block *b);
  // Frees memory that the source has cached itself; may be NULL.
  void (*trim)(void *data, cp_device *d);
  bool ordered;
  bool reentrant;
} cp_memory_source;

cp_pool *cp_pool_new(cp_device *device); // NULL: out of host memory
// A pool on another source. direct: blocks have the requested size and are not cached, but freed in the
// source.
cp_pool *cp_pool_on(cp_device *device, const cp_memory_source *source, void *data, bool direct);
const cp_memory_source *cp_pool_source(const cp_pool *pool);
cp_device *cp_pool_device(const cp_pool *pool);
// Gives the pool up, when it has no live block or its state is closed. It is freed now or with its last live
// block. dead: the source must not be called any more.
void cp_pool_retire(cp_pool *pool, bool dead);
// Allocates a block of at least `bytes` (>= 1) for work on stream. May collect garbage (ctx->hooks.collect)
// at times that device/garbage.h chooses. When the device has no memory, collects, trims, synchronizes and
// tries again before it fails with CP_EMEMORY and a message with the requested, live, cached and limit bytes.
// The block counts for the state's limit (cp_context.budget.limit) until cp_pool_discharge. In a confined
// state it holds zeros or the state's own data, otherwise anything.
cp_status cp_pool_allocate(cp_context *ctx, cp_pool *pool, cp_stream *stream, size_t bytes, cp_block **out);
// A block as above for a library that must not be interrupted by Lua: without collecting garbage or waiting,
// and not counted for the state's limit. The pool must be a device's own. NULL: it has no memory, or a limit,
// below which it keeps what it has for arrays.
cp_block *cp_pool_lend(cp_context *ctx, cp_pool *pool, cp_stream *stream, size_t bytes);
// Collects garbage now (ctx->hooks.collect must be set) and processes the frees in the state's allocators.
void cp_pool_collect(cp_context *ctx, bool full);
// Whether an allocation from the pool is running: a finalizer may be called from inside one.
bool cp_pool_is_busy(cp_pool *pool);
// Frees a block: queues it, without any call of the device. Safe in finalizers.
void cp_pool_free(cp_block *block);
// Counts bytes for the state's limit. CP_EMEMORY when they exceed it even after a garbage collection. May run
// Lua.
cp_status cp_context_charge_limited(cp_context *ctx, size_t bytes);
static inline cp_status cp_context_charge(cp_context *ctx, size_t bytes) {
  if (ctx->budget.limit > 0) return cp_context_charge_limited(ctx, bytes);
  ctx->budget.live_bytes += bytes;
  return CP_OK;
}
static inline void cp_context_discharge(cp_context *ctx, size_t bytes) { ctx->budget.live_bytes -= bytes; }
// Collects garbage when so many more bytes would exceed the limit. May run Lua.
void cp_context_make_room(cp_context *ctx, size_t bytes);
// The block no longer counts for the state's limit. A block of a graph counts as long as the graph lives.
static inline void cp_pool_discharge(cp_context *ctx, const cp_block *b) {
  if (b->reserve == NULL) cp_context_discharge(ctx, b->charge);
}
// Returns cached blocks to the source.
void cp_pool_trim(cp_pool *pool);
void cp_pool_set_limit(cp_pool *pool, size_t bytes);
cp_pool_figures cp_pool_read(cp_pool *pool);
// The most bytes that the pool can have: its limit, or the device's memory.
size_t cp_pool_capacity(cp_pool *pool);
// The most bytes of small blocks that a state may keep in its own free lists (memory/free_list.h). Other
// states cannot use these, so there are few when the pool has a limit.
size_t cp_pool_free_list(const cp_pool *pool);
// Removes a stream from all blocks before it is destroyed; it has been synchronized.
void cp_pool_forget_stream(cp_pool *pool, cp_stream *stream);
// Sets the stream that used a live block last. Takes the lock, since a closing state reads the streams of all
// live blocks in its own thread.
void cp_pool_set_stream(cp_block *b, cp_stream *stream);

#endif
