// How an allocation finds a block (pool.h): in the state's free lists, in the pool's cache, by collecting
// garbage, from the device, and finally by waiting for work that still uses memory.
#include "memory/allocator.h"
#include "memory/free_list.h"
#include "memory/pool_inside.h"
#include "memory/reserve.h"

#include <stdio.h>

enum { POISON = 0xCB };

// The most that a state may allocate between two collections.
static size_t garbage_cap(cp_pool *p) { return cp_pool_capacity(p) / 4; }

static cp_garbage *garbage_of(cp_context *ctx, const cp_pool *p) {
  return &ctx->memory.garbage[p->device->id];
}

void cp_pool_collect(cp_context *ctx, bool full) {
  // Before the call, since finalizers may allocate.
  for (int id = 0; id < CP_MAX_DEVICES; id++)
    ctx->memory.garbage[id].small = ctx->memory.garbage[id].large = 0;
  ctx->hooks.collect(ctx->hooks.collect_data, full);
  if (ctx->memory.allocators != NULL) cp_allocators_drain(ctx, NULL);
}

// A device cannot be queried while work of this thread is captured in a graph.
static bool has_work(const cp_context *ctx, cp_stream *s) {
  bool done = true;
  return ctx->capture.graph == NULL && s->device->ops->stream_query(s, &done) == CP_OK && !done;
}

// Collects garbage and measures it. asked: bytes already counted for the block to be allocated.
static cp_collection collect_timed(cp_context *ctx, const cp_garbage *g, cp_stream *stream, size_t asked) {
  cp_collection c = {
      .begin = cp_clock(), .made = g->small + g->large, .live = ctx->budget.live_bytes - asked};
  cp_pool_collect(ctx, false);
  size_t left = ctx->budget.live_bytes - asked;
  c.found = left < c.live ? c.live - left : 0;
  c.end = cp_clock();
  c.hidden = has_work(ctx, stream);
  return c;
}

static bool may_collect(const cp_context *ctx) { return ctx->memory.automatic && ctx->hooks.collect != NULL; }

// Collects garbage before the allocation of a small block, or of any block of a direct pool, when the budget
// is exceeded.
static void pace(cp_context *ctx, cp_pool *p, cp_stream *stream, size_t size) {
  cp_garbage *g = garbage_of(ctx, p);
  if (!cp_garbage_over_budget(g, g->small + (p->direct ? g->large : 0) + size)) return;
  cp_collection c = collect_timed(ctx, g, stream, size);
  cp_garbage_set_budget(g, &c, p->device->ops->price, garbage_cap(p));
}

// Takes a large block from the cache. If none fits and a collection is worth its time, collects and tries
// again. *out is NULL when the device has to be asked.
static cp_status take_back(cp_context *ctx, cp_pool *p, cp_stream *stream, size_t size, cp_block **out) {
  CP_TRY(cp_pool_try(p, stream, size, false, out));
  if (*out != NULL) return CP_OK;
  cp_garbage *g = garbage_of(ctx, p);
  if (!cp_garbage_worth(g, size, p->device->ops->price, garbage_cap(p))) return CP_OK;
  cp_collection c = collect_timed(ctx, g, stream, size);
  CP_TRY(cp_pool_try(p, stream, size, false, out));
  cp_garbage_set_extra(g, &c, size, *out != NULL);
  return CP_OK;
}

enum { BYTES_TEXT = 48 };

// "2.1 GB (2254857830 bytes)", "0 B"
static const char *bytes_text(size_t bytes, char *text) {
  static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  double v = (double)bytes;
  int unit = 0;
  for (; v >= 1024 && unit < 6; unit++) v /= 1024;
  if (unit == 0)
    snprintf(text, BYTES_TEXT, "%zu B", bytes);
  else
    snprintf(text, BYTES_TEXT, "%.*f %s (%zu bytes)", v - (double)(long)v < 0.05 ? 0 : 1, v, units[unit],
             bytes);
  return text;
}

static cp_status out_of_memory(cp_pool *p, size_t bytes) {
  char requested[BYTES_TEXT], live[BYTES_TEXT], cached[BYTES_TEXT], limit[BYTES_TEXT];
  cp_pool_figures f = cp_pool_read(p);
  return cp_fail(CP_EMEMORY, "out of memory on %s: requested %s, live %s, cached %s, limit %s",
                 p->device->name, bytes_text(bytes, requested), bytes_text(f.live, live),
                 bytes_text(f.cached, cached), f.limit > 0 ? bytes_text(f.limit, limit) : "none");
}

// Waits for all work, after which its memory may be free. Captured work does not run yet, so this is possible
// during a capture.
static cp_status wait_for_all(cp_context *ctx) {
  double begin = cp_sync_begin(ctx);
  cp_context_settle(ctx);
  cp_status status = cp_context_finish(ctx, NULL);
  cp_sync_end(ctx, begin);
  return status;
}

// Collects garbage when that is due; *out is NULL when no cached block was found.
static cp_status recycle(cp_context *ctx, cp_pool *p, cp_stream *stream, size_t size, cp_block **out) {
  *out = NULL;
  if (!may_collect(ctx)) return CP_OK;
  if (p->collect_always) {
    cp_pool_collect(ctx, true);
    return CP_OK;
  }
  cp_garbage *g = garbage_of(ctx, p);
  if (g->budget == 0) cp_garbage_begin(g, garbage_cap(p), cp_clock());
  if (cp_is_large(size) && !p->direct) return take_back(ctx, p, stream, size, out);
  pace(ctx, p, stream, size);
  return CP_OK;
}

// Allocates from the device when no cached block fits. The time for a large block is kept for cp_garbage_pay.
static cp_status obtain(cp_context *ctx, cp_pool *p, cp_stream *stream, size_t size, cp_block **out) {
  if (!cp_is_large(size)) {
    *out = cp_free_list_take(ctx, p, stream, size); // a collection may just have freed one
    return *out != NULL ? CP_OK : cp_pool_try(p, stream, size, true, out);
  }
  double begin = cp_clock();
  cp_status status = cp_pool_try(p, stream, size, true, out);
  if (status == CP_OK && (*out)->fresh) {
    size_t blocks = (*out)->slab != NULL ? (*out)->slab->count : 1;
    cp_garbage_pay(garbage_of(ctx, p), size, (cp_clock() - begin) / (double)blocks);
  }
  return status;
}

static cp_status allocate_or_collect(cp_context *ctx, cp_pool *p, cp_stream *stream, size_t size,
                                     cp_block **out) {
  CP_TRY(recycle(ctx, p, stream, size, out));
  if (*out != NULL) return CP_OK;
  cp_status status = obtain(ctx, p, stream, size, out);
  if (status == CP_EMEMORY) {
    if (ctx->hooks.collect != NULL) {
      cp_pool_collect(ctx, true);
      cp_allocators_drain(ctx, p->device);
    }
    cp_free_lists_clear(ctx);
    status = cp_pool_try(p, stream, size, true, out);
  }
  if (status == CP_EMEMORY) {
    CP_TRY(wait_for_all(ctx));
    status = cp_pool_try(p, stream, size, true, out);
  }
  return status;
}

static void count_block(cp_context *ctx, cp_garbage *g, cp_block *b, size_t size) {
  *cp_garbage_count(g, cp_is_large(b->size)) += b->size;
  ctx->counters.allocations++;
  ctx->counters.bytes_allocated += b->size;
  b->charge = size;
}

// Clears a block for a confined state, which must not see other states' data. Its own data may stay.
static cp_status prepare(const cp_context *ctx, const cp_pool *p, cp_stream *stream, cp_block *b) {
  bool own = b->tenant == ctx->number;
  b->tenant = 0; // in case of a failure below
  if (p->poison) CP_TRY(p->device->ops->fill_bytes(stream, b->pointer, POISON, b->size));
  if (ctx->budget.confined && !own) CP_TRY(p->device->ops->fill_bytes(stream, b->pointer, 0, b->size));
  b->tenant = ctx->number;
  return CP_OK;
}

static cp_status allocate(cp_context *ctx, cp_pool *p, cp_stream *stream, size_t bytes, size_t size,
                          cp_block **out) {
  cp_status status = allocate_or_collect(ctx, p, stream, size, out);
  if (status == CP_EMEMORY) return out_of_memory(p, bytes);
  if (status != CP_OK) return status;
  status = prepare(ctx, p, stream, *out);
  if (status == CP_OK && ctx->memory.log != NULL) status = cp_memory_log_allocation(ctx, *out, bytes);
  if (status != CP_OK) {
    cp_pool_free(*out);
    return status;
  }
  count_block(ctx, garbage_of(ctx, p), *out, size);
  return CP_OK;
}

// Takes a block from the state's free lists. NULL when there is none, or a collection or another duty is due.
static cp_block *take_free(cp_context *ctx, cp_pool *p, const cp_stream *stream, size_t size) {
  cp_garbage *g = garbage_of(ctx, p);
  if (size > CP_FREE_LIST_LARGEST || p->poison || p->collect_always || ctx->memory.log != NULL) return NULL;
  if (may_collect(ctx) && cp_garbage_over_budget(g, g->small + size)) return NULL;
  cp_block *b = cp_free_list_take(ctx, p, stream, size);
  if (b != NULL) count_block(ctx, g, b, size);
  return b;
}

static cp_status allocate_busily(cp_context *ctx, cp_pool *p, cp_stream *stream, size_t bytes, size_t size,
                                 cp_block **out) {
  atomic_fetch_add_explicit(&p->busy, 1, memory_order_relaxed);
  cp_status status = allocate(ctx, p, stream, bytes, size, out);
  atomic_fetch_sub_explicit(&p->busy, 1, memory_order_relaxed);
  return status;
}

void cp_context_make_room(cp_context *ctx, size_t bytes) {
  if (!cp_context_fits(ctx, bytes) && ctx->hooks.collect != NULL) cp_pool_collect(ctx, true);
}

cp_status cp_context_charge_limited(cp_context *ctx, size_t bytes) {
  cp_context_make_room(ctx, bytes);
  CP_TRY(cp_context_hold(ctx, bytes));
  cp_context_drop(ctx, bytes); // counted as live_bytes instead
  ctx->budget.live_bytes += bytes;
  return CP_OK;
}

// The bytes count for the limit before the block exists, since Lua that runs meanwhile may allocate too.
cp_status cp_pool_allocate(cp_context *ctx, cp_pool *p, cp_stream *stream, size_t bytes, cp_block **out) {
  if (stream->capturing) return cp_reserve_allocate(ctx, ctx->capture.reserve, p, bytes, out);
  size_t size = p->direct && bytes <= SIZE_MAX / 2 ? bytes : cp_size_class(bytes);
  if (size == 0) return out_of_memory(p, bytes);
  CP_TRY(cp_context_charge(ctx, size));
  if ((*out = take_free(ctx, p, stream, size)) != NULL) return CP_OK;
  cp_status status = (p == p->device->pool ? allocate : allocate_busily)(ctx, p, stream, bytes, size, out);
  if (status != CP_OK) cp_context_discharge(ctx, size);
  return status;
}

cp_block *cp_pool_lend(cp_context *ctx, cp_pool *p, cp_stream *stream, size_t bytes) {
  const size_t size = cp_size_class(bytes);
  cp_block *b = NULL;
  if (size == 0 || atomic_load_explicit(&p->limit, memory_order_relaxed) > 0) return NULL;
  if (cp_pool_try(p, stream, size, true, &b) != CP_OK) return NULL;
  if (prepare(ctx, p, stream, b) == CP_OK) return b;
  cp_pool_free(b);
  return NULL;
}

bool cp_pool_is_busy(cp_pool *p) { return atomic_load_explicit(&p->busy, memory_order_relaxed) > 0; }
