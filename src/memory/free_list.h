// A state's own free lists of small blocks, used by its thread alone and without the pool's lock. A fast
// path, equal to cp_pool_free and what cp_pool_allocate then finds in the pool. For the pool these blocks are
// live, so the lists must be cleared before its figures are read, or when it has no memory left.
#ifndef CP_MEMORY_FREE_LIST_H
#define CP_MEMORY_FREE_LIST_H

#include "device/context.h"

struct cp_block;

// Puts a freed block on the free list of its device; false when it does not qualify or the list is full. Safe
// in finalizers.
bool cp_free_list_put(cp_context *ctx, struct cp_block *b);
// Takes a block of this size class that `stream` used last; NULL when there is none.
struct cp_block *cp_free_list_take(cp_context *ctx, const cp_pool *pool, const cp_stream *stream,
                                   size_t size);
// Frees all of these blocks to their pools.
void cp_free_lists_clear(cp_context *ctx);

#endif
