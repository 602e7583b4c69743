// Sources of memory other than a device's ordinary one, and the allocators of a state (allocator.h).
#include "memory/allocator.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

// ---- sources --------------------------------------------------------------------------------------------

static cp_status managed_allocate(void *data, cp_device *d, cp_stream *s, cp_block *b) {
  (void)data, (void)s;
  return d->ops->memory->managed_allocate(d, b->size, &b->pointer);
}

static void managed_release(void *data, cp_device *d, cp_block *b) {
  (void)data;
  d->ops->release(d, b->pointer, b->size);
}

const cp_memory_source cp_managed_source = {
    .name = "managed", .allocate = managed_allocate, .release = managed_release};

static cp_status async_allocate(void *data, cp_device *d, cp_stream *s, cp_block *b) {
  (void)data;
  return d->ops->memory->async_allocate(s, b->size, &b->pointer);
}

static void async_release(void *data, cp_device *d, cp_block *b) {
  (void)data;
  (void)d->ops->memory->async_release(d, b->stream, b->pointer,
                                      b->size); // a failure shows again in the next call
}

static void async_trim(void *data, cp_device *d) {
  (void)data;
  d->ops->memory->async_trim(d);
}

const cp_memory_source cp_async_source = {.name = "async",
                                          .allocate = async_allocate,
                                          .release = async_release,
                                          .trim = async_trim,
                                          .ordered = true};

// Any GPU can lock pages for all GPUs: takes the current device if it is a GPU, to open no other, else the
// first GPU.
static cp_device *pinning_device(const cp_stream *s) {
  cp_device *gpu = s->context != NULL ? s->context->now.device : NULL;
  if (gpu != NULL && gpu->ops->memory != &cp_plain_memory_ops) return gpu;
  return cp_cuda_device_count(NULL) > 0 && cp_device_find("cuda", &gpu) == CP_OK ? gpu : NULL;
}

// The block's tag is that GPU, or 0 without one.
static cp_status pinned_allocate(void *data, cp_device *d, cp_stream *s, cp_block *b) {
  cp_device *gpu = pinning_device(s);
  (void)data;
  b->tag = (intptr_t)gpu;
  if (gpu != NULL) d = gpu;
  return d->ops->memory->pinned_allocate(d, b->size, false, &b->pointer);
}

static void pinned_release(void *data, cp_device *d, cp_block *b) {
  cp_device *gpu = (cp_device *)b->tag;
  (void)data;
  if (gpu != NULL) d = gpu;
  d->ops->memory->pinned_release(d, b->pointer, b->size);
}

const cp_memory_source cp_pinned_source = {
    .name = "pinned", .allocate = pinned_allocate, .release = pinned_release};

bool cp_block_is_pinned(const cp_block *b) {
  return b != NULL && cp_pool_source(b->pool) == &cp_pinned_source && b->tag != 0;
}

cp_pool *cp_pinned_pool(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static cp_pool *pool;
  cp_device *cpu = cp_device_cpu();
  pthread_mutex_lock(&lock);
  if (pool == NULL && cpu != NULL) pool = cp_pool_on(cpu, &cp_pinned_source, NULL, false);
  cp_pool *made = pool;
  pthread_mutex_unlock(&lock);
  return made;
}

// ---- the allocators of a state --------------------------------------------------------------------------

cp_allocator *cp_allocator_new(cp_context *ctx, const cp_memory_source *source, void *data, bool direct) {
  cp_allocator *a = calloc(1, sizeof *a);
  if (a == NULL) return NULL;
  a->number = ++ctx->memory.last_allocator;
  a->source = source;
  a->data = data;
  a->direct = direct;
  a->next = ctx->memory.allocators;
  ctx->memory.allocators = a;
  return a;
}

cp_allocator *cp_allocator_find(const cp_context *ctx, unsigned number) {
  cp_allocator *a = ctx->memory.allocators;
  while (a != NULL && a->number != number) a = a->next;
  return a;
}

cp_pool *cp_allocator_pool(cp_allocator *a, cp_device *device) {
  cp_pool **pool = &a->pools[device->id];
  if (*pool == NULL) *pool = cp_pool_on(device, a->source, a->data, a->direct);
  return *pool;
}

void cp_allocator_use(const cp_context *ctx, unsigned number, int more) {
  cp_allocator *a = cp_allocator_find(ctx, number);
  if (a != NULL) a->users += more;
}

bool cp_allocator_can_choose(const cp_context *ctx, unsigned number) {
  const cp_allocator *a = cp_allocator_find(ctx, number);
  return number == 0 || (a != NULL && a->only == NULL);
}

void cp_allocator_give_up(cp_allocator *a) { a->given_up = true; }

// Retires the pools without live blocks, or all pools; true when none is left.
static bool retire_pools(cp_allocator *a, bool all) {
  bool gone = true;
  for (int id = 0; id < CP_MAX_DEVICES; id++) {
    cp_pool *p = a->pools[id];
    if (p == NULL) continue;
    if (!all && (cp_pool_is_busy(p) || cp_pool_read(p).live > 0)) {
      gone = false;
      continue;
    }
    a->pools[id] = NULL;
    cp_pool_retire(p, all && a->source->reentrant);
  }
  return gone;
}

static void destroy(cp_allocator *a) {
  if (a->forget != NULL) a->forget(a->data);
  free(a);
}

static cp_allocator *find_given_up(const cp_context *ctx) {
  cp_allocator *a = ctx->memory.allocators;
  while (a != NULL && (!a->given_up || a->users > 0)) a = a->next;
  return a;
}

static void unlink_allocator(cp_context *ctx, const cp_allocator *a) {
  cp_allocator **link = &ctx->memory.allocators;
  while (*link != NULL && *link != a) link = &(*link)->next;
  if (*link != NULL) *link = a->next;
}

// Retiring a pool may run Lua, which may call this again or create allocators, so each allocator leaves the
// list before its pools are retired.
void cp_allocators_sweep(cp_context *ctx) {
  cp_allocator *kept = NULL, *a;
  while ((a = find_given_up(ctx)) != NULL) {
    unlink_allocator(ctx, a);
    if (retire_pools(a, false)) {
      destroy(a);
    } else {
      a->next = kept;
      kept = a;
    }
  }
  while (kept != NULL) {
    a = kept;
    kept = a->next;
    a->next = ctx->memory.allocators;
    ctx->memory.allocators = a;
  }
}

// The allocator with the highest number below this one.
static cp_allocator *find_before(const cp_context *ctx, unsigned number) {
  cp_allocator *best = NULL;
  for (cp_allocator *a = ctx->memory.allocators; a != NULL; a = a->next)
    if (a->number < number && (best == NULL || a->number > best->number)) best = a;
  return best;
}

// trim: a device's number, ALL or NONE. The list may change during a call, so allocators are found by number.
enum { NONE = -1, ALL = -2 };
static void drain_pools(cp_context *ctx, int trim) {
  unsigned number = UINT_MAX;
  for (cp_allocator *a = find_before(ctx, number); a != NULL; a = find_before(ctx, number)) {
    number = a->number;
    for (int id = 0; id < CP_MAX_DEVICES && (a = cp_allocator_find(ctx, number)) != NULL; id++) {
      if (a->pools[id] == NULL) continue;
      if (trim == ALL || trim == id)
        cp_pool_trim(a->pools[id]);
      else
        (void)cp_pool_read(a->pools[id]);
    }
  }
}

void cp_allocators_drain(cp_context *ctx, const cp_device *trim) {
  drain_pools(ctx, trim != NULL ? trim->id : NONE);
}

void cp_allocators_trim(cp_context *ctx) { drain_pools(ctx, ALL); }

// A stream may also have read memory of other devices, by copies between GPUs.
void cp_memory_forget_stream(const cp_context *ctx, cp_stream *stream) {
  for (int id = 0; id < CP_MAX_DEVICES; id++)
    if (ctx->streams.own[id] != NULL) cp_pool_forget_stream(ctx->streams.own[id]->device->pool, stream);
  for (cp_allocator *a = ctx->memory.allocators; a != NULL; a = a->next)
    for (int id = 0; id < CP_MAX_DEVICES; id++)
      if (a->pools[id] != NULL) cp_pool_forget_stream(a->pools[id], stream);
  cp_pool *pinned = cp_pinned_pool();
  if (pinned != NULL) cp_pool_forget_stream(pinned, stream);
}

void cp_allocators_close(cp_context *ctx) {
  while (ctx->memory.allocators != NULL) {
    cp_allocator *a = ctx->memory.allocators;
    ctx->memory.allocators = a->next;
    (void)retire_pools(a, true);
    destroy(a);
  }
  ctx->now.allocator = 0;
}

cp_status cp_context_find_pool(cp_context *ctx, cp_device *device, cp_pool **out) {
  cp_allocator *a = cp_allocator_find(ctx, ctx->now.allocator);
  *out = a == NULL ? device->pool : cp_allocator_pool(a, device);
  return *out != NULL ? CP_OK : cp_no_memory(NULL);
}

cp_status cp_context_allocate(cp_context *ctx, cp_device *device, cp_stream *stream, size_t bytes,
                              cp_block **out) {
  cp_pool *pool;
  CP_TRY(cp_context_pool(ctx, device, &pool));
  return cp_pool_allocate(ctx, pool, stream, bytes, out);
}

void cp_context_release(cp_context *ctx, cp_block *b) {
  cp_pool_discharge(ctx, b);
  cp_pool_free(b);
}
