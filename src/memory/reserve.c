// The memory of a graph (reserve.h).
#include "memory/reserve.h"

#include "memory/bins.h"

// The smallest idle block that is large enough and at most about twice as large.
static cp_block *find_idle(const cp_reserve *a, const cp_pool *pool, size_t size) {
  cp_block *best = NULL;
  for (cp_block *b = a->blocks; b != NULL; b = b->graph_next)
    if (b->idle && b->pool == pool && b->size >= size && b->size / 2 <= size &&
        (best == NULL || b->size < best->size))
      best = b;
  return best;
}

// Unreachable arrays hold blocks too: collects garbage from time to time, as the pool does outside of
// captures.
static cp_block *find_garbage(cp_context *ctx, cp_reserve *r, const cp_pool *pool, size_t size) {
  enum { PATIENCE = 16 << 20 };
  r->unswept += size;
  if (r->unswept < PATIENCE || !ctx->memory.automatic) return NULL;
  r->unswept = 0;
  cp_pool_collect(ctx, false);
  return find_idle(r, pool, size);
}

// Takes a new block from the pool. When memory runs out the pool collects garbage, which may free a block of
// this reserve.
static cp_status take(cp_context *ctx, cp_reserve *a, cp_pool *pool, size_t bytes, cp_block **out) {
  cp_status status = cp_pool_allocate(ctx, pool, a->home, bytes, out);
  if (status == CP_EMEMORY && (*out = find_idle(a, pool, cp_size_class(bytes))) != NULL) return CP_OK;
  CP_TRY(status);
  (*out)->reserve = a;
  (*out)->graph_next = a->blocks;
  (*out)->holder = NULL;
  a->blocks = *out;
  a->bytes += (*out)->size;
  return CP_OK;
}

cp_status cp_reserve_allocate(cp_context *ctx, cp_reserve *a, cp_pool *pool, size_t bytes, cp_block **out) {
  size_t size = cp_size_class(bytes);
  cp_block *b = find_idle(a, pool, size);
  if (b == NULL) b = find_garbage(ctx, a, pool, size);
  if (b == NULL) CP_TRY(take(ctx, a, pool, bytes, &b));
  b->idle = false;
  b->nusers = 0;
  *out = b;
  return CP_OK;
}

void cp_reserve_dissolve(cp_context *ctx, cp_reserve *a, cp_stream *last) {
  while (a->blocks != NULL) {
    cp_block *b = a->blocks;
    a->blocks = b->graph_next;
    b->reserve = NULL;
    cp_pool_set_stream(b, last);
    if (b->nusers > 0 && b->nusers < CP_MAX_USERS) b->users[b->nusers++] = last;
    if (!b->idle) continue;
    cp_pool_discharge(ctx, b);
    cp_pool_free(b);
  }
  a->bytes = 0;
}
