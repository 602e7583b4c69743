// Where the memory of arrays comes from, beside a device's own pool: sources of memory, pools on them that a
// state may choose, the pool of page-locked host memory, and what hooks hear of allocations.
#ifndef CP_MEMORY_ALLOCATOR_H
#define CP_MEMORY_ALLOCATOR_H

#include "memory/pool.h"

// Memory of a device beside its plain one: cp_device_ops.memory. A device that has no other names
// cp_plain_memory_ops, where all of it is plain memory and copies wait.
typedef struct cp_memory_ops {
  // Page-locked memory of the host.
  cp_status (*pinned_allocate)(cp_device *d, size_t bytes, bool write_combined, void **pointer);
  void (*pinned_release)(cp_device *d, void *pointer, size_t bytes);
  // Where the device reaches page-locked memory: at the same address, but for write-combined memory.
  cp_status (*pinned_address)(cp_device *d, void *pointer, void **there);
  // Managed memory, which migrates between host and device; cp_device_ops.release frees it.
  cp_status (*managed_allocate)(cp_device *d, size_t bytes, void **pointer);
  // Memory of the driver's pool, in the order of a stream. release: s NULL when nothing uses it any more.
  // trim: gives back what that pool keeps.
  cp_status (*async_allocate)(cp_stream *s, size_t bytes, void **pointer);
  cp_status (*async_release)(cp_device *d, cp_stream *s, void *pointer, size_t bytes);
  void (*async_trim)(cp_device *d);
  // Queues a copy between the device and page-locked memory of the host (TO_DEVICE, TO_HOST), and does not
  // wait.
  cp_status (*copy_pinned)(cp_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind);
} cp_memory_ops;

extern const cp_memory_ops cp_plain_memory_ops;

extern const cp_memory_source cp_plain_source, cp_managed_source, cp_async_source, cp_pinned_source;

// Pools on a source, one for each device that used it, of one state. Its struct goes at a sweep once its
// owner gave it up, nothing of its memory is live, and at the latest when the state is closed.
typedef struct cp_allocator {
  unsigned number; // its number in the state, from 1, never reused
  const cp_memory_source *source;
  void *data;
  bool direct, given_up;
  int users;       // how many current choices of an allocator name it
  cp_device *only; // the device whose memory it always gives; NULL: the device of the array
  cp_pool *pools[CP_MAX_DEVICES];
  struct cp_allocator *next;
  void (*forget)(void *data); // called once when the source will not be called any more; may be NULL
} cp_allocator;

// NULL: out of host memory.
cp_allocator *cp_allocator_new(cp_context *ctx, const cp_memory_source *source, void *data, bool direct);
cp_allocator *cp_allocator_find(const cp_context *ctx, unsigned number); // NULL: it was freed
// The allocator's pool for a device, created at its first use; NULL: out of host memory.
cp_pool *cp_allocator_pool(cp_allocator *a, cp_device *device);
// Adds `more` (1 or -1) to the users of the allocator, if it still exists. Safe in finalizers.
void cp_allocator_use(const cp_context *ctx, unsigned number, int more);
// Whether a script may choose this allocator; number 0 stands for the devices' own pools.
bool cp_allocator_can_choose(const cp_context *ctx, unsigned number);
// Called when no object names the allocator any more. Safe in finalizers.
void cp_allocator_give_up(cp_allocator *a);
// Frees the allocators that were given up and have no live blocks. May run Lua; not in finalizers.
void cp_allocators_sweep(cp_context *ctx);
// Takes up what was freed in the allocators' pools; trim: gives back what those of device keep. May run Lua;
// not in finalizers.
void cp_allocators_drain(cp_context *ctx, const cp_device *trim);
void cp_allocators_trim(cp_context *ctx); // the same, emptying the caches for all devices
void cp_allocators_close(cp_context *ctx);

// No memory that the state could use names the stream any more, which was synchronised
// (cp_pool_forget_stream).
void cp_memory_forget_stream(const cp_context *ctx, cp_stream *stream);

// The pool of page-locked memory, on the CPU device, which all states share; NULL: out of host memory.
cp_pool *cp_pinned_pool(void);
// Whether the block is page-locked memory: without a GPU the pinned source gives ordinary memory.
bool cp_block_is_pinned(const cp_block *b);

// The pool that this state currently allocates from on a device.
cp_status cp_context_find_pool(cp_context *ctx, cp_device *device, cp_pool **out);
static inline cp_status cp_context_pool(cp_context *ctx, cp_device *device, cp_pool **out) {
  *out = device->pool;
  return ctx->now.allocator == 0 ? CP_OK : cp_context_find_pool(ctx, device, out);
}
// cp_pool_allocate from that pool.
cp_status cp_context_allocate(cp_context *ctx, cp_device *device, cp_stream *stream, size_t bytes,
                              cp_block **out);
void cp_context_release(cp_context *ctx, cp_block *b); // frees such a block

// ---- the log for memory hooks ----

typedef struct cp_memory_event {
  char kind;    // 'm': a block was allocated, 'f': it was freed
  bool fresh;   // the memory came from the source, not from the cache
  size_t bytes; // the bytes requested
  size_t size;  // the size of the block
  void *pointer;
  cp_device *device;
} cp_memory_event;

typedef struct cp_memory_log {
  // Called for each event, in the state's thread and where Lua may run.
  cp_status (*note)(void *data, const cp_memory_event *event);
  void *data;
  cp_memory_event *freed; // frees to report at the next call, since finalizers may not report them
  size_t count, capacity;
} cp_memory_log;

// Reports an allocation, after the frees before it.
cp_status cp_memory_log_allocation(cp_context *ctx, cp_block *b, size_t bytes);
// Records a free to be reported later. Safe in finalizers.
void cp_memory_log_free(cp_block *b);
// Reports the recorded frees.
cp_status cp_memory_flush(cp_context *ctx);
// Removes the log: no hook is left.
void cp_memory_forget(cp_context *ctx);

#endif
