// Small blocks that the arrays of a state gave back, for its next ones: put and taken by the state's thread alone, without the pool's lock. To the
// pool they are live blocks, so whoever wants its figures, or memory from it, clears the shelves first.
#ifndef CP_MEMORY_FREE_LIST_H
#define CP_MEMORY_FREE_LIST_H

#include "device/context.h"

struct cp_block;

// Puts the block on the shelf of its device; false: it belongs there not, or there is no room. Safe in finalizers.
bool cp_free_list_put(cp_context *ctx, struct cp_block *b);
// A block of this class for work on stream, which used it last; NULL: the pool is to be asked.
struct cp_block *cp_free_list_take(cp_context *ctx, const cp_pool *pool, const cp_stream *stream,
                                   size_t size);
// Gives all of them to their pools.
void cp_free_lists_clear(cp_context *ctx);

#endif
