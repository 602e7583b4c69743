// The memory that is allocated while a graph is captured: blocks of a pool that belong to the graph. During
// the capture a freed block is reused, since the graph's work runs in order. After the capture all blocks
// stay until the graph is freed.
#ifndef CP_MEMORY_RESERVE_H
#define CP_MEMORY_RESERVE_H

#include "memory/pool.h"

struct cp_reserve {
  cp_block *blocks; // all of them, linked by `graph_next`
  cp_stream *home;  // the stream that they are allocated for
  size_t bytes;
  size_t unswept; // bytes taken since the last collection
};

// cp_pool_allocate for a stream that is being captured.
cp_status cp_reserve_allocate(cp_context *ctx, cp_reserve *a, cp_pool *pool, size_t bytes, cp_block **out);
// cp_pool_free for a block of a reserve. Safe in finalizers.
static inline void cp_reserve_free(cp_block *block) {
  block->idle = true;
  block->holder = NULL;
}
// Makes the blocks ordinary ones that were last used on the stream `last`, and frees the idle ones. Safe in
// finalizers.
void cp_reserve_dissolve(cp_context *ctx, cp_reserve *a, cp_stream *last);

#endif
