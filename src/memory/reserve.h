// The memory that is taken while a graph is captured: blocks of a pool that stay with the graph. Inside of the capture a block that was freed serves
// again, as the graph's work is done in order; after the capture it waits until the graph gives all of them up.
#ifndef CP_MEMORY_RESERVE_H
#define CP_MEMORY_RESERVE_H

#include "memory/pool.h"

struct cp_reserve {
  cp_block *blocks; // all of them, linked by `kin`
  cp_stream *home;  // takes them from the pool
  size_t bytes;
  size_t unswept; // bytes taken since the last collection
};

// cp_pool_allocate for a stream that records.
cp_status cp_reserve_allocate(cp_context *ctx, cp_reserve *a, cp_pool *pool, size_t bytes, cp_block **out);
// cp_pool_free for a block of an arena. Safe in finalizers.
static inline void cp_reserve_free(cp_block *block) {
  block->idle = true;
  block->holder = NULL;
}
// Blocks become ordinary ones, which `last` used last; those that were freed go back to the pool. Safe in finalizers.
void cp_reserve_dissolve(cp_context *ctx, cp_reserve *a, cp_stream *last);

#endif
