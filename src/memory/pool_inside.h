// The fields of a pool, for pool.c and pool_allocate.c only.
#ifndef CP_MEMORY_POOL_INSIDE_H
#define CP_MEMORY_POOL_INSIDE_H

#include "memory/bins.h"
#include "memory/pool.h"
#include "memory/slab.h"

#include <pthread.h>
#include <stdatomic.h>

struct cp_pool {
  cp_device *device;
  const cp_memory_source *source;
  void *data; // passed to the source
  bool direct, dead;
  atomic_bool retired;
  atomic_int busy; // calls that are running
  pthread_mutex_t lock;
  _Atomic(cp_block *) queue; // freed blocks, most recent first
  cp_bins cache;
  cp_block *live;
  _Atomic size_t limit;                          // 0: none
  size_t live_bytes, cached_bytes, large_blocks; // large_blocks: live and cached ones
  size_t cached_blocks;
  cp_demand demand; // requests by size since the last trim
  size_t total;     // the device's memory; 0: not queried yet
  uint64_t device_allocations;
  bool poison, collect_always; // for tests: CUPOLA_POISON, CUPOLA_GC_EVERY
};

// Takes a cached block of this size class for work on the stream. If there is none, asks the source when
// `fresh` is true, else sets *out to NULL. CP_EMEMORY, without a message, when the source has no memory.
cp_status cp_pool_try(cp_pool *p, cp_stream *stream, size_t size, bool fresh, cp_block **out);

#endif
