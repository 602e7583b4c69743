// The blocks of a caching pool (pool.h). How an allocation finds one is in pool_allocate.c.
//
// A block is live (allocated), queued (freed, in a lock-free list, as finalizers may free at any time, even
// while this thread is inside ctx->hooks.collect) or cached. live_bytes + cached_bytes is what the source has
// given. A direct pool caches nothing: it returns a freed block to the source when it processes the queue.
//
// The lock is not held while Lua runs. The exception are sources that are Lua functions: their pools belong
// to one state, and their lock is recursive. The lock is held during stream_wait and while blocks are
// released, so that no stream of a block is destroyed meanwhile (cp_pool_forget_stream takes the lock first).
#include "memory/allocator.h"
#include "memory/pool_inside.h"
#include "memory/reserve.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_SHELF = 32 << 20, SHELVES = 16 };

static bool is_set(const char *variable) {
  const char *v = getenv(variable);
  return v != NULL && strcmp(v, "1") == 0;
}

// ---- the device as a source ----

static cp_status plain_allocate(void *data, cp_device *d, cp_stream *s, cp_block *b) {
  (void)data, (void)s;
  return d->ops->allocate(d, b->size, &b->pointer);
}

static void plain_release(void *data, cp_device *d, cp_block *b) {
  (void)data;
  d->ops->release(d, b->pointer, b->size);
}

const cp_memory_source cp_plain_source = {
    .name = "device", .allocate = plain_allocate, .release = plain_release};

// ---- making pools ----

static bool make_lock(pthread_mutex_t *lock, bool reentrant) {
  pthread_mutexattr_t kind;
  if (pthread_mutexattr_init(&kind) != 0) return false;
  bool made =
      pthread_mutexattr_settype(&kind, reentrant ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_DEFAULT) == 0 &&
      pthread_mutex_init(lock, &kind) == 0;
  pthread_mutexattr_destroy(&kind);
  return made;
}

cp_pool *cp_pool_on(cp_device *device, const cp_memory_source *source, void *data, bool direct) {
  cp_pool *p = calloc(1, sizeof *p);
  if (p == NULL) return NULL;
  if (!make_lock(&p->lock, source->reentrant)) {
    free(p);
    return NULL;
  }
  p->device = device;
  p->source = source;
  p->data = data;
  p->direct = direct;
  p->poison = is_set("CUPOLA_POISON");
  p->collect_always = is_set("CUPOLA_GC_EVERY");
  return p;
}

cp_pool *cp_pool_new(cp_device *device) { return cp_pool_on(device, &cp_plain_source, NULL, false); }

const cp_memory_source *cp_pool_source(const cp_pool *p) { return p->source; }

cp_device *cp_pool_device(const cp_pool *p) { return p->device; }

// ---- functions that are called with the lock held ----

static void link_live(cp_pool *p, cp_block *b) {
  b->prev = NULL;
  b->next = p->live;
  if (p->live != NULL) p->live->prev = b;
  p->live = b;
  p->live_bytes += b->size;
  if (b->slab != NULL) b->slab->live++;
}

static void unlink_live(cp_pool *p, cp_block *b) {
  if (b->prev == NULL)
    p->live = b->next;
  else
    b->prev->next = b->next;
  if (b->next != NULL) b->next->prev = b->prev;
  p->live_bytes -= b->size;
  if (b->slab != NULL) b->slab->live--;
}

static void put(cp_pool *p, cp_block *b) {
  cp_bins_put(&p->cache, b);
  p->cached_bytes += b->size;
  p->cached_blocks++;
}

static void take_out(cp_pool *p, const cp_block *b) {
  p->cached_bytes -= b->size;
  p->cached_blocks--;
}

// The streams that were waited for while several blocks are released.
typedef struct waits {
  cp_stream *streams[16];
  size_t count;
} waits;

// Waits for the stream unless it was waited for already.
static void wait_once(waits *w, cp_stream *stream) {
  enum { ROOM = sizeof w->streams / sizeof *w->streams };
  if (stream == NULL) return;
  for (size_t i = 0; i < w->count && i < ROOM; i++)
    if (w->streams[i] == stream) return;
  (void)stream->device->ops->stream_finish(stream); // a failure shows in that stream's next call
  w->streams[w->count++ % ROOM] = stream;
}

// Orders later work on `stream` (NULL: on the host) after the work queued on `user`. Streams of different
// kinds of devices cannot wait for each other, so the host waits.
static cp_status follow(cp_stream *stream, cp_stream *user) {
  if (user == NULL || user == stream) return CP_OK;
  if (stream == NULL || stream->device->ops != user->device->ops)
    return user->device->ops->stream_finish(user);
  return stream->device->ops->stream_wait(stream, user);
}

// Waits until all work that uses the block is done; for an ordered source, its stream waits instead.
static void await_users(const cp_pool *p, const cp_block *b, waits *w) {
  if (!p->source->ordered) wait_once(w, b->stream);
  for (int k = 0; k < b->nusers; k++) {
    if (p->source->ordered && b->stream != NULL)
      (void)follow(b->stream, b->users[k]);
    else
      wait_once(w, b->users[k]);
  }
}

// Returns a block, which is in no list, to the source.
static void give_back(cp_pool *p, cp_block *b, waits *w) {
  await_users(p, b, w);
  if (!p->dead) p->source->release(p->data, p->device, b);
  p->large_blocks -= !p->direct && cp_is_large(b->size);
  free(b);
}

// Returns a slab without live blocks to the source.
static void give_back_slab(cp_pool *p, cp_slab *s, waits *w) {
  for (size_t k = 0; k < s->count; k++) {
    cp_bins_remove(&p->cache, &s->blocks[k]);
    take_out(p, &s->blocks[k]);
    await_users(p, &s->blocks[k], w);
  }
  if (!p->dead) p->source->release(p->data, p->device, &s->whole);
  if (cp_is_large(s->blocks[0].size)) p->large_blocks -= s->count;
  free(s);
}

// Makes one of the users of a freed block its stream, on which it may be released: one of the pool's own
// device rather than of a device that copied from it.
static void choose_stream(const cp_pool *p, cp_block *b) {
  if (b->nusers == 0) return;
  int k = b->nusers - 1;
  while (k > 0 && b->users[k]->device != p->device) k--;
  b->stream = b->users[k];
  b->users[k] = b->users[--b->nusers];
}

// Moves the queued blocks to the cache, or returns them to the source of a direct pool.
static void drain(cp_pool *p) {
  if (atomic_load_explicit(&p->queue, memory_order_relaxed) == NULL) return;
  cp_block *b = atomic_exchange_explicit(&p->queue, NULL, memory_order_acquire);
  waits w = {.count = 0};
  while (b != NULL) {
    cp_block *next = b->queued;
    unlink_live(p, b);
    choose_stream(p, b);
    if (p->direct)
      give_back(p, b, &w);
    else
      put(p, b);
    b = next;
  }
}

// Returns cached blocks of at least so many bytes together to the source, the largest first. Slabs with live
// blocks stay.
static void trim(cp_pool *p, size_t bytes) {
  waits w = {.count = 0};
  size_t before = p->cached_bytes;
  cp_block *bound = NULL, *b;
  while (before - p->cached_bytes < bytes && (b = cp_bins_largest(&p->cache)) != NULL) {
    if (b->slab != NULL && b->slab->live > 0) {
      b->queued = bound;
      bound = b;
    } else if (b->slab != NULL) {
      cp_bins_put(&p->cache, b);
      give_back_slab(p, b->slab, &w);
    } else {
      take_out(p, b);
      give_back(p, b, &w);
    }
  }
  for (; bound != NULL; bound = bound->queued) cp_bins_put(&p->cache, bound);
  p->demand = (cp_demand){.next = 0};
  if (p->source->trim != NULL && !p->dead) p->source->trim(p->data, p->device);
}

// Makes room for size more bytes below the limit; false when live blocks leave no room.
static bool fits_limit(cp_pool *p, size_t size) {
  if (p->limit == 0) return true;
  if (size > p->limit || p->live_bytes > p->limit - size) return false;
  size_t room = p->limit - size - p->live_bytes;
  if (p->cached_bytes > room) trim(p, p->cached_bytes - room);
  return p->cached_bytes <= room;
}

// Orders later work on stream after all work that used the block.
static cp_status follow_users(cp_stream *stream, cp_block *b) {
  CP_TRY(follow(stream, b->stream));
  for (int k = 0; k < b->nusers; k++) CP_TRY(follow(stream, b->users[k]));
  b->nusers = 0;
  return CP_OK;
}

static cp_status take_cached(cp_pool *p, cp_stream *stream, size_t size, cp_block **out) {
  cp_block *b = cp_bins_take(&p->cache, size, stream);
  *out = NULL;
  if (b == NULL) return CP_OK;
  take_out(p, b);
  cp_status status = follow_users(stream, b);
  if (status != CP_OK) {
    put(p, b);
    return status;
  }
  b->fresh = false;
  *out = b;
  return CP_OK;
}

static cp_status ask_source(cp_pool *p, cp_stream *stream, cp_block *b) {
  p->device_allocations++;
  return p->source->allocate(p->data, p->device, stream, b);
}

static size_t memory_of(cp_pool *p) {
  size_t unused;
  if (p->total == 0 && p->device->ops->memory_info(p->device, &unused, &p->total) != CP_OK)
    p->total = SIZE_MAX;
  return p->total;
}

// How many blocks of this size class to request from the device together: as many as were requested before,
// up to a small share of its memory. 1 for pools other than a device's own.
static size_t count_together(cp_pool *p, size_t size) {
  enum { SMALLEST = 64 << 10, SHARE = 128 };
  size_t most = p->device->ops->together;
  if (most == 0 || p != p->device->pool || p->limit > 0 || size < SMALLEST) return 1;
  size_t count = cp_demand_of(&p->demand, size), room = memory_of(p) / SHARE / size;
  if (count > most) count = most;
  if (count > room) count = room;
  cp_demand_add(&p->demand, size, count > 0 ? count : 1);
  return count > 0 ? count : 1;
}

// Obtains a slab. *out is NULL when there is no memory for so many blocks.
static void take_slab(cp_pool *p, cp_stream *stream, size_t size, size_t count, cp_block **out) {
  cp_slab *s = cp_slab_new(p, size, count);
  *out = NULL;
  if (s == NULL || !cp_bins_reserve(&p->cache, p->large_blocks + count) ||
      ask_source(p, stream, &s->whole) != CP_OK) {
    free(s);
    return;
  }
  cp_slab_settle(s);
  if (cp_is_large(size)) p->large_blocks += count;
  for (size_t k = count; k-- > 1;) put(p, &s->blocks[k]);
  *out = &s->blocks[0];
  (*out)->fresh = true;
}

static cp_status take_fresh(cp_pool *p, cp_stream *stream, size_t size, cp_block **out) {
  if (!fits_limit(p, size)) return CP_EMEMORY;
  size_t count = count_together(p, size);
  if (count > 1) take_slab(p, stream, size, count, out);
  if (*out != NULL) return CP_OK;
  cp_block *b = malloc(sizeof *b);
  if (b == NULL || !cp_bins_reserve(&p->cache, p->large_blocks + 1)) {
    free(b);
    return CP_EMEMORY;
  }
  *b = (cp_block){.size = size, .pool = p, .fresh = true};
  bool counted = !p->direct && cp_is_large(size);
  p->large_blocks += counted; // before the call: the source may re-enter the pool for other blocks
  cp_status status = ask_source(p, stream, b);
  if (status == CP_EMEMORY && p->cached_bytes > 0) {
    trim(p, SIZE_MAX);
    status = ask_source(p, stream, b);
  }
  if (status != CP_OK) {
    p->large_blocks -= counted;
    free(b);
    return status;
  }
  *out = b;
  return CP_OK;
}

// ---- functions that take the lock ----

// A source may run Lua, which may give up the allocator: the count of calls keeps its pool alive.

static void enter(cp_pool *p) {
  atomic_fetch_add_explicit(&p->busy, 1, memory_order_relaxed);
  pthread_mutex_lock(&p->lock);
}

static void leave(cp_pool *p) {
  pthread_mutex_unlock(&p->lock);
  atomic_fetch_sub_explicit(&p->busy, 1, memory_order_relaxed);
}

cp_status cp_pool_try(cp_pool *p, cp_stream *stream, size_t size, bool fresh, cp_block **out) {
  enter(p);
  drain(p);
  cp_status status = take_cached(p, stream, size, out);
  if (status == CP_OK && *out == NULL && fresh) status = take_fresh(p, stream, size, out);
  if (status == CP_OK && *out != NULL) {
    (*out)->stream = stream;
    link_live(p, *out);
  }
  leave(p);
  return status;
}

size_t cp_pool_capacity(cp_pool *p) {
  enter(p);
  size_t total = memory_of(p), most = p->limit > 0 && p->limit < total ? p->limit : total;
  leave(p);
  return most;
}

size_t cp_pool_free_list(const cp_pool *p) {
  size_t limit = atomic_load_explicit(&p->limit, memory_order_relaxed);
  return limit > 0 && limit / SHELVES < LARGEST_SHELF ? limit / SHELVES : LARGEST_SHELF;
}

static void queue(cp_pool *p, cp_block *b) {
  cp_block *head = atomic_load_explicit(&p->queue, memory_order_relaxed);
  do {
    b->queued = head;
  } while (!atomic_compare_exchange_weak_explicit(&p->queue, &head, b, memory_order_release,
                                                  memory_order_relaxed));
}

// Protects retired pools: exactly one thread must free the last block.
static pthread_mutex_t retiring = PTHREAD_MUTEX_INITIALIZER;

static void settle(cp_pool *p) {
  cp_pool_trim(p);
  if (p->live != NULL) return;
  cp_bins_free(&p->cache);
  pthread_mutex_destroy(&p->lock);
  free(p);
}

void cp_pool_retire(cp_pool *p, bool dead) {
  cp_pool_trim(p); // before `retiring` is locked: the source may retire another pool
  pthread_mutex_lock(&retiring);
  p->dead = dead;
  atomic_store(&p->retired, true);
  settle(p);
  pthread_mutex_unlock(&retiring);
}

void cp_pool_free(cp_block *b) {
  cp_pool *p = b->pool;
  if (b->reserve != NULL) {
    cp_reserve_free(b);
    return;
  }
  if (b->log_context != NULL) cp_memory_log_free(b);
  if (!atomic_load_explicit(&p->retired, memory_order_relaxed)) {
    queue(p, b);
    return;
  }
  pthread_mutex_lock(&retiring); // allowed to block: the state is closed, so this is none of its finalizers
  queue(p, b);
  settle(p);
  pthread_mutex_unlock(&retiring);
}

void cp_pool_trim(cp_pool *p) {
  enter(p);
  drain(p);
  trim(p, SIZE_MAX);
  leave(p);
}

void cp_pool_set_limit(cp_pool *p, size_t bytes) {
  enter(p);
  drain(p);
  p->limit = bytes;
  size_t held = p->live_bytes + p->cached_bytes;
  if (bytes > 0 && held > bytes) trim(p, held - bytes);
  leave(p);
}

cp_pool_figures cp_pool_read(cp_pool *p) {
  enter(p);
  drain(p);
  cp_pool_figures f = {.live = p->live_bytes,
                       .cached = p->cached_bytes,
                       .cached_blocks = p->cached_blocks,
                       .limit = p->limit,
                       .device_allocations = p->device_allocations};
  leave(p);
  return f;
}

void cp_pool_set_stream(cp_block *b, cp_stream *stream) {
  pthread_mutex_lock(&b->pool->lock);
  b->stream = stream;
  pthread_mutex_unlock(&b->pool->lock);
}

void cp_pool_forget_stream(cp_pool *p, cp_stream *stream) {
  enter(p);
  drain(p);
  for (cp_block *b = p->live; b != NULL; b = b->next)
    if (b->stream == stream) b->stream = NULL;
  cp_bins_forget_stream(&p->cache, stream);
  leave(p);
}
