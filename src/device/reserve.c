// Memory of a graph that is being captured, and of one that lives.
#include "device/reserve.h"

#include "device/bins.h"

// The smallest block that was freed and is large enough, but not so large that much of it would lie idle.
static cp_block *find_idle(const cp_reserve *a, const cp_pool *pool, size_t size) {
  cp_block *best = NULL;
  for (cp_block *b = a->blocks; b != NULL; b = b->kin)
    if (b->idle && b->pool == pool && b->size >= size && b->size / 2 <= size &&
        (best == NULL || b->size < best->size))
      best = b;
  return best;
}

// Arrays that nobody can reach any more have blocks too: looks for them now and then, as the pool does outside.
static cp_block *find_garbage(cp_context *ctx, cp_reserve *r, const cp_pool *pool, size_t size) {
  enum { PATIENCE = 16 << 20 };
  r->unswept += size;
  if (r->unswept < PATIENCE || !ctx->automatic) return NULL;
  r->unswept = 0;
  ctx->collect(ctx->collect_data, false);
  return find_idle(r, pool, size);
}

cp_status cp_reserve_allocate(cp_context *ctx, cp_reserve *a, cp_pool *pool, size_t bytes, cp_block **out) {
  size_t size = cp_size_class(bytes);
  cp_block *b = find_idle(a, pool, size);
  if (b == NULL) b = find_garbage(ctx, a, pool, size);
  if (b == NULL) {
    CP_TRY(cp_pool_allocate(ctx, pool, a->home, bytes, &b));
    b->reserve = a;
    b->kin = a->blocks;
    b->holder = NULL;
    a->blocks = b;
    a->bytes += b->size;
  }
  b->idle = false;
  b->nusers = 0;
  *out = b;
  return CP_OK;
}

void cp_reserve_free(cp_block *b) {
  b->idle = true;
  b->holder = NULL;
}

void cp_reserve_dissolve(cp_reserve *a, cp_stream *last) {
  while (a->blocks != NULL) {
    cp_block *b = a->blocks;
    a->blocks = b->kin;
    b->reserve = NULL;
    b->stream = last;
    if (b->nusers > 0 && b->nusers < CP_MAX_USERS) b->users[b->nusers++] = last;
    if (b->idle) cp_pool_free(b);
  }
  a->bytes = 0;
}
