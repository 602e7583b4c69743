// Several blocks of one size that a pool asked its device for at once: one request of a gigabyte costs little more than one of a few megabytes,
// and loops that make results of one size soon stop asking. Their memory goes back as a whole, when none of them is live.
#ifndef CP_MEMORY_SLAB_H
#define CP_MEMORY_SLAB_H

#include "memory/pool.h"

typedef struct cp_slab {
  cp_block whole; // what the source gave
  size_t count;   // of blocks
  size_t live;    // of them
  cp_block blocks[];
} cp_slab;

// How many blocks of each of the latest sizes a pool has asked for.
enum { CP_DEMANDS = 8 };
typedef struct cp_demand {
  struct {
    size_t size, blocks;
  } of[CP_DEMANDS];
  unsigned next; // entry to be given up
} cp_demand;

// NULL: out of host memory. The blocks have no memory yet.
cp_slab *cp_slab_new(cp_pool *pool, size_t size, size_t count);
// The source gave memory at whole.pointer.
void cp_slab_settle(cp_slab *s);

// Blocks of the size so far; 0 of one that was not asked for lately.
size_t cp_demand_of(const cp_demand *d, size_t size);
void cp_demand_add(cp_demand *d, size_t size, size_t blocks);

#endif
