// A slab: several blocks of one size, allocated from the device in one request. A request of a gigabyte takes
// little longer than one of a few megabytes, so a loop with results of one size soon makes no more requests.
// The memory is released as a whole, when none of its blocks is live.
#ifndef CP_MEMORY_SLAB_H
#define CP_MEMORY_SLAB_H

#include "memory/pool.h"

typedef struct cp_slab {
  cp_block whole; // the memory of all blocks, from the source
  size_t count;   // the number of blocks
  size_t live;    // how many of them are live
  cp_block blocks[];
} cp_slab;

// How many blocks of each of the most recent sizes a pool has requested.
enum { CP_DEMANDS = 8 };
typedef struct cp_demand {
  struct {
    size_t size, blocks;
  } of[CP_DEMANDS];
  unsigned next; // the entry to replace next
} cp_demand;

// Creates a slab whose blocks have no memory yet; NULL: out of host memory.
cp_slab *cp_slab_new(cp_pool *pool, size_t size, size_t count);
// Sets the addresses of the blocks once whole.pointer is set.
void cp_slab_settle(cp_slab *s);

// The number of blocks of this size requested so far; 0 when the size is not among the most recent.
size_t cp_demand_of(const cp_demand *d, size_t size);
void cp_demand_add(cp_demand *d, size_t size, size_t blocks);

#endif
