// A pool as pool.c and pool_allocate.c see it.
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
  void *data; // the source's
  bool direct, dead;
  atomic_bool retired;
  atomic_int busy; // allocations and other calls that are running
  pthread_mutex_t lock;
  _Atomic(cp_block *) queue; // freed blocks, latest first
  cp_bins cache;
  cp_block *live;
  _Atomic size_t limit;                          // 0: none
  size_t live_bytes, cached_bytes, large_blocks; // large blocks: live and cached
  size_t cached_blocks;
  cp_demand demand; // since memory was given back last
  size_t total;     // memory of the device; 0: not asked yet
  uint64_t device_allocations;
  bool poison, collect_always; // for tests: CUPOLA_POISON, CUPOLA_GC_EVERY
};

// A block of this class for work on the stream: a cached one, or where none fits and `fresh` is true, one from the source; else *out is NULL.
// CP_EMEMORY, without a message: there is none.
cp_status cp_pool_try(cp_pool *p, cp_stream *stream, size_t size, bool fresh, cp_block **out);

#endif
