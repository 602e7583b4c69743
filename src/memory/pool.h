// Caching pool of device memory, one per device, locked. Blocks are rounded to size classes and kept for reuse in the order of the
// stream that last used them. Freeing only queues the block (so finalizers may do it at any time); queued blocks
// are taken up by the next allocation. A pool's memory comes from a source: the device itself, or another one (memory/allocator.h).
#ifndef CP_MEMORY_POOL_H
#define CP_MEMORY_POOL_H

#include "device/context.h"

enum { CP_MAX_USERS = 8, CP_LARGE_BLOCKS = 1 << 20 };

// Of a class: its block is large (device/garbage.h), and counts for cp_bins_reserve.
static inline bool cp_is_large(size_t size) { return size > CP_LARGE_BLOCKS; }

typedef struct cp_block {
  void *pointer;
  size_t size;     // of its class, >= what was asked for
  size_t charge;   // what the state that has it holds by it: the size of the class that was asked for
  uint64_t tenant; // number of the state that had it last; 0: none
  cp_pool *pool;
  cp_stream *stream; // whose work used it last; NULL: free for all
  int nusers; // set by who frees it, where more than `stream` used it: `users` did, and `stream` before
  bool fresh; // the source was asked for it just now
  bool idle;  // it was freed, and waits for the graph
  cp_reserve *reserve;            // of the graph that it belongs to; NULL: none
  cp_context *log_context;        // whose memory_log hears that it is freed; NULL: none
  struct cp_block *queued;        // among freed blocks that the pool has not taken up yet
  struct cp_block *next, *prev;   // among live or cached blocks
  struct cp_slab *slab;           // whose memory it lies in; NULL: its own
  intptr_t tag;                   // the source's own
  struct cp_block *graph_next;    // among the blocks of its graph
  struct cp_buffer *holder;       // what lies in it; NULL: nothing that arrays know of
  cp_stream *users[CP_MAX_USERS]; // all of them
} cp_block;

typedef struct cp_pool_figures {
  size_t live, cached, limit;  // bytes; limit 0: none
  size_t cached_blocks;        // their number
  uint64_t device_allocations; // calls of the source
} cp_pool_figures;

// Where a pool's memory comes from. The functions are called with the pool locked; reentrant: they may run Lua, which may come back to the pool.
typedef struct cp_memory_source {
  const char *name;
  // Sets b->pointer, and b->tag if it likes: b->size bytes of memory that work on s may use. CP_EMEMORY when there is none.
  cp_status (*allocate)(void *data, cp_device *d, cp_stream *s, cp_block *b);
  // Takes the block's memory back. ordered: work that uses it may still be queued on b->stream, and nowhere else; b->stream NULL: it is done.
  void (*release)(void *data, cp_device *d, cp_block *b);
  // Gives back what the source keeps of released memory; may be NULL.
  void (*trim)(void *data, cp_device *d);
  bool ordered;
  bool reentrant;
} cp_memory_source;

cp_pool *cp_pool_new(cp_device *device); // NULL: out of host memory
// On another source. direct: blocks are as large as asked for, and go back to the source instead of being kept.
cp_pool *cp_pool_on(cp_device *device, const cp_memory_source *source, void *data, bool direct);
const cp_memory_source *cp_pool_source(const cp_pool *pool);
cp_device *cp_pool_device(const cp_pool *pool);
// Gives the pool up, where no block is live or the state that used it is closed: it is freed now, or with the last live block. dead: its source must
// not be called afterwards.
void cp_pool_retire(cp_pool *pool, bool dead);
// A block of at least bytes (>= 1) for work on stream. When the device has no memory, runs ctx->hooks.collect, trims, synchronises and tries
// again before CP_EMEMORY, whose message gives requested, live, cached and limit bytes. May call ctx->hooks.collect, see device/garbage.h. The state holds
// the block (cp_context.budget.limit) until cp_pool_discharge. A confined state finds zeros in it, or what it left there itself; others anything.
cp_status cp_pool_allocate(cp_context *ctx, cp_pool *pool, cp_stream *stream, size_t bytes, cp_block **out);
// Collects garbage now (ctx->hooks.collect is there), and takes up what that gave back to allocators of scripts.
void cp_pool_collect(cp_context *ctx, bool full);
bool cp_pool_is_busy(
    cp_pool *pool); // an allocation from it is running, which may have come here by a finalizer
// Queues the block. Never calls the device; safe in finalizers.
void cp_pool_free(cp_block *block);
// What blocks count for a state's limit. CP_EMEMORY where one would pass it, also after garbage was collected; may run Lua, as allocating does.
cp_status cp_context_charge_limited(cp_context *ctx, size_t bytes);
static inline cp_status cp_context_charge(cp_context *ctx, size_t bytes) {
  if (ctx->budget.limit > 0) return cp_context_charge_limited(ctx, bytes);
  ctx->budget.live_bytes += bytes;
  return CP_OK;
}
static inline void cp_context_discharge(cp_context *ctx, size_t bytes) { ctx->budget.live_bytes -= bytes; }
// Collects garbage where so many bytes would pass the limit. May run Lua.
void cp_context_make_room(cp_context *ctx, size_t bytes);
// The state does not hold the block any more; a graph's is held as long as the graph.
static inline void cp_pool_discharge(cp_context *ctx, const cp_block *b) {
  if (b->reserve == NULL) cp_context_discharge(ctx, b->charge);
}
// Gives cached blocks back to the device.
void cp_pool_trim(cp_pool *pool);
void cp_pool_set_limit(cp_pool *pool, size_t bytes);
cp_pool_figures cp_pool_read(cp_pool *pool);
// The bytes that there may be: the limit, or the device's memory.
size_t cp_pool_capacity(cp_pool *pool);
// Bytes of small blocks that a state may keep to itself (memory/free_list.h): others cannot have them, so few where the pool is limited.
size_t cp_pool_free_list(const cp_pool *pool);
// The stream is about to be destroyed and has been synchronised: blocks no longer belong to it.
void cp_pool_forget_stream(cp_pool *pool, cp_stream *stream);
// The live block was last used on this stream. States that close look at the streams of all live blocks, in their own threads.
void cp_pool_set_stream(cp_block *b, cp_stream *stream);

#endif
