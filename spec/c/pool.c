// Checks the memory pool, buffers and arrays on a fake device: reuse, size classes, streams, the attempts
// before "out of memory", the budget, poison, and the cost of one allocation.
#include "memory/pool.h"
#include "array/array.h"
#include "check.h"
#include "devices.h"
#include "lazy/arrays/close.h"
#include "lazy/arrays/write.h"
#include "pool_device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MB = 1 << 20 };

static void check_classes(void) {
  static const size_t cases[][2] = {
      {1, 512},         {512, 512},       {513, 640},           {640, 640},       {641, 768},
      {1024, 1024},     {1025, 1280},     {700000, 786432},     {MB - 1, MB},     {MB, MB},
      {MB + 1, 2 * MB}, {2 * MB, 2 * MB}, {2 * MB + 1, 4 * MB}, {9 * MB, 10 * MB}};
  fake *f;
  cp_pool *p = new_device(&f, (size_t)1 << 30);
  cp_context ctx = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cp_block *b = allocate(&ctx, f, cases[i][0]);
    CHECK(b != NULL && b->size == cases[i][1] && cp_pool_read(p).live == cases[i][1]);
    cp_pool_free(b);
    cp_pool_trim(p);
  }
  for (size_t bytes = 1; bytes < 3 * MB; bytes += 1 + bytes / 50) { // each size gets its own block again
    cp_block *b = allocate(&ctx, f, bytes);
    CHECK(b->size >= bytes && (bytes < 513 || bytes > MB || b->size - bytes <= bytes / 4));
    cp_pool_free(b);
    cp_block *c = allocate(&ctx, f, bytes);
    CHECK(b == c);
    cp_pool_free(c);
  }
  cp_pool_trim(p);
  CHECK(f->used == 0 && cp_pool_read(p).cached == 0 && cp_pool_read(p).live == 0);
  cp_context_close(&ctx);
}

static void check_reuse(void) {
  fake *f;
  cp_pool *p = new_device(&f, (size_t)1 << 30);
  cp_context ctx = {0};
  cp_block *a = allocate(&ctx, f, 40 * MB);
  cp_pool_free(a);
  CHECK(cp_pool_read(p).cached == 40 * MB);
  cp_block *b = allocate(&ctx, f, 33 * MB); // up to a quarter larger is accepted
  CHECK(a == b);
  cp_pool_free(b);
  b = allocate(&ctx, f, 30 * MB);
  CHECK(a != b && cp_pool_read(p).device_allocations == 2);
  cp_pool_free(b);
  cp_block *c = allocate(&ctx, f, 29 * MB); // the best fit, not the first
  CHECK(c == b);
  cp_pool_free(c);
  static cp_block *many[200];
  for (int round = 0; round < 3; round++) { // many sizes: bins are created and removed
    for (size_t i = 0; i < 200; i++)
      many[i] = allocate(&ctx, f, (1 + (i * 37 + (size_t)round * 91) % 300) * (MB / 100));
    for (int i = 0; i < 200; i++) cp_pool_free(many[i]);
  }
  cp_pool_trim(p);
  CHECK(f->used == 0 && ctx.counters.allocations == 604);
  cp_context_close(&ctx);
}

static void check_streams(void) {
  fake *f;
  cp_pool *p = new_device(&f, (size_t)1 << 30);
  cp_context one = {0}, two = {0};
  cp_block *a = allocate(&one, f, 1000);
  cp_pool_free(a);
  cp_block *b = allocate(&two, f, 1000);
  CHECK(a == b && f->waits == 1 && b->stream == two.now.streams[f->base.id]);
  cp_block *c = allocate(&one, f, 1000);
  cp_pool_free(b);
  cp_pool_free(c);
  CHECK(allocate(&two, f, 1000) == b && allocate(&one, f, 1000) == c && f->waits == 1); // each its own
  cp_context_close(&two); // b outlives the state and has no stream
  CHECK(b->stream == NULL && c->stream != NULL);
  cp_pool_free(b);
  CHECK(allocate(&one, f, 1000) == b && f->waits == 1);
  cp_pool_free(b);
  cp_pool_free(c);
  int before = f->syncs;
  cp_pool_trim(p);
  CHECK(f->syncs == before + 1 && f->used == 0);
  cp_context_close(&one);
}

// Out of memory ----

typedef struct garbage {
  cp_block *blocks[64];
  int count, calls, full_calls;
} garbage;

static void drop(garbage *g) {
  while (g->count > 0) cp_pool_free(g->blocks[--g->count]);
}

static void collect(void *data, bool full) {
  garbage *g = data;
  g->calls++;
  g->full_calls += full;
  drop(g);
}

static void check_ladder(void) {
  fake *f;
  garbage g = {0};
  cp_pool *p = new_device(&f, 100 * MB);
  cp_context ctx = {.hooks = {.collect = collect, .collect_data = &g}};
  cp_pool_free(allocate(&ctx, f, 60 * MB));
  cp_block *a = allocate(&ctx, f, 80 * MB); // first the cache is freed
  CHECK(a != NULL && g.calls == 0 && f->used == 80 * MB);
  g.blocks[g.count++] = a;
  cp_block *b = allocate(&ctx, f, 90 * MB); // then garbage is collected
  CHECK(b != NULL && g.full_calls == 1);
  cp_pool_free(b);
  cp_pool_trim(p);
  f->withheld = 50 * MB;
  b = allocate(&ctx, f, 90 * MB); // then queued work is waited for
  CHECK(b != NULL && ctx.counters.synchronizations == 1);
  cp_pool_free(allocate(&ctx, f, 1 * MB));
  CHECK(allocate(&ctx, f, 40 * MB) == NULL);
  CHECK(strstr(cp_error_text(),
               "out of memory on fake:3: requested 40 MB (41943040 bytes), live 90 MB (94371840 "
               "bytes), cached 0 B, limit none") != NULL);
  CHECK(allocate(&ctx, f, (size_t)-1) == NULL && strstr(cp_error_text(), "requested 16 EB") != NULL);
  CHECK(cp_pool_read(p).live == 90 * MB);
  cp_pool_free(b);
  cp_pool_set_limit(p, 50 * MB);
  CHECK(f->used == 0 && allocate(&ctx, f, 52 * MB) == NULL);
  CHECK(strstr(cp_error_text(), "limit 50 MB (52428800 bytes)") != NULL);
  cp_pool_free(allocate(&ctx, f, 30 * MB));
  cp_pool_free(allocate(&ctx, f, 20 * MB));
  CHECK(cp_pool_read(p).cached == 50 * MB);
  b = allocate(&ctx, f, 40 * MB); // cached memory counts for the limit
  CHECK(b != NULL && f->used <= 50 * MB);
  cp_pool_free(b);
  cp_pool_set_limit(p, 0);
  cp_pool_trim(p);
  cp_context_close(&ctx);
}

static void slow_collect(void *data, bool full) {
  double end = cp_clock() + 0.002;
  collect(data, full);
  while (cp_clock() < end) {
  }
}

static void check_budget(void) {
  fake *f;
  garbage g = {0};
  new_device(&f, (size_t)2 << 30);
  cp_context ctx = {.hooks = {.collect = slow_collect, .collect_data = &g}, .memory.automatic = true};
  for (int i = 0; i < 400; i++) {
    if (g.count == 64) drop(&g);
    cp_block *b = allocate(&ctx, f, MB / 2);
    g.blocks[g.count++] = b;
  }
  // 200 MB of garbage in no time: a budget of 8 MB, again 8 MB, since one collection may have been delayed,
  // then doubled: 5 calls, and one more or less where the machine is busy. Large blocks do not count.
  int calls = g.calls;
  CHECK(ctx.memory.garbage[f->base.id].budget >= (size_t)64 * MB && calls >= 4 && calls <= 6);
  cp_pool_free(allocate(&ctx, f, 100 * MB));
  cp_pool_free(allocate(&ctx, f, MB / 2));
  CHECK(g.calls == calls);
  ctx.memory.automatic = false;
  for (int i = 0; i < 400; i++) {
    if (g.count == 64) drop(&g);
    cp_block *b = allocate(&ctx, f, MB / 2);
    g.blocks[g.count++] = b;
  }
  CHECK(g.calls == calls);
  int before = g.calls;
  drop(&g);
  ctx.memory.automatic = true;
  ctx.memory.garbage[f->base.id].small = 0;
  cp_buffer *b = NULL;
  for (int i = 0; i < 1000; i++) { // memory that is freed explicitly needs no collection
    CHECK(cp_buffer_new(&ctx, &f->base, 16 * MB, &b) == CP_OK);
    cp_buffer_release(b);
  }
  CHECK(g.calls == before && ctx.budget.live_bytes == 0);
  for (int id = 0; id < CP_MAX_DEVICES; id++) CHECK(id == f->base.id || ctx.memory.garbage[id].budget == 0);
  drop(&g);
  cp_pool_trim(f->base.pool);
  cp_context_close(&ctx);
}

// How many blocks the device gives to a loop that drops the previous round's result each time.
static int blocks_of_loop(cp_context *ctx, fake *f, garbage *g, size_t bytes, int rounds) {
  uint64_t before = cp_pool_read(f->base.pool).device_allocations;
  for (int i = 0; i < rounds; i++) {
    cp_block *b = allocate(ctx, f, bytes);
    CHECK(b != NULL);
    if (g->count == 64) drop(g);
    g->blocks[g->count++] = b;
  }
  return (int)(cp_pool_read(f->base.pool).device_allocations - before);
}

// Before a large block is requested from the device, garbage is collected if that is worth it
// (spec/c/garbage.c checks when).
static void check_take_back(void) {
  fake *f;
  garbage g = {0};
  cp_pool *p = new_device(&f, (size_t)64 << 30);
  cp_context ctx = {.hooks = {.collect = collect, .collect_data = &g}, .memory.automatic = true};
  int blocks = blocks_of_loop(&ctx, f, &g, 4 * MB, 500);
  CHECK(blocks <= 100 && g.calls > 10 && g.calls < 500);
  f->busy = true; // with work on the device
  ctx.hooks.collect = slow_collect;
  cp_pool_trim(p);
  CHECK(blocks_of_loop(&ctx, f, &g, 4 * MB, 100) <= 25);
  f->busy = false;
  ctx.hooks.collect = collect;
  CHECK(blocks_of_loop(&ctx, f, &g, 1 * MB, 7) == 7); // small blocks come from the device
  drop(&g);
  cp_pool_trim(p);
  g.calls = 0;
  ctx.hooks.collect = slow_collect; // not if the device can allocate all of it faster: 10 blocks, 200 us each
  blocks = blocks_of_loop(&ctx, f, &g, 4 * MB, 500);
  CHECK(blocks >= 10 && g.calls >= 1 && g.calls < 100);
  drop(&g);
  ctx.memory.automatic = false;
  cp_pool_trim(p);
  g.calls = 0;
  CHECK(blocks_of_loop(&ctx, f, &g, 4 * MB, 30) == 30 && g.calls == 0);
  drop(&g);
  cp_pool_trim(p);
  CHECK(f->used == 0);
  cp_context_close(&ctx);
}

static void find_nothing(void *data, bool full) {
  (void)full;
  ((garbage *)data)->calls++;
}

// Live memory makes collections rarer and rarer.
static void check_unproductive(void) {
  enum { COUNT = 1024 };
  static cp_buffer *kept[COUNT];
  fake *f;
  garbage g = {0};
  cp_pool *p = new_device(&f, (size_t)64 << 30);
  cp_context ctx = {.hooks = {.collect = find_nothing, .collect_data = &g}, .memory.automatic = true};
  for (int i = 0; i < COUNT; i++) CHECK(cp_buffer_new(&ctx, &f->base, 2 * MB, &kept[i]) == CP_OK);
  CHECK(g.calls >= 5 && g.calls <= 14);
  for (int i = 0; i < COUNT; i++) cp_buffer_release(kept[i]);
  cp_pool_trim(p);
  CHECK(f->used == 0);
  cp_context_close(&ctx);
}

// Arrays ----

static void check_arrays(void) {
  fake *f;
  setenv("CUPOLA_POISON", "1", 1);
  cp_pool *p = new_device(&f, 100 * MB);
  unsetenv("CUPOLA_POISON");
  cp_context ctx = {0};
  cp_array_local x, y;
  cp_array *a = cp_array_local_init(&x), *b = cp_array_local_init(&y);
  char *address;
  CHECK(cp_array_pointer(a, &address) == CP_EUSAGE);
  CHECK(cp_array_layout(a, CP_FLOAT32, 2, (int64_t[]){3, 4}, 'F') == CP_OK);
  CHECK(a->strides[0] == 4 && a->strides[1] == 12 && a->size == 12);
  CHECK(cp_array_contiguous(a, 'F') && !cp_array_contiguous(a, 'C'));
  CHECK(cp_array_allocate(&ctx, a, &f->base, CP_FLOAT32) == CP_OK && cp_array_pointer(a, &address) == CP_OK);
  CHECK((unsigned char)address[0] == 0xCB && (unsigned char)address[47] == 0xCB &&
        ctx.budget.live_bytes == 512);
  cp_array_copy_view(b, a);
  CHECK(a->storage->refs == 2 && b->shape == y.dims && cp_shape_equal(2, a->shape, b->ndim, b->shape));
  a->shape[1] = 2;
  b->shape[1] = 2;
  b->offset = 24;
  CHECK(!cp_may_overlap(a, b));
  b->offset = 20;
  CHECK(cp_may_overlap(a, b) && cp_may_overlap(b, a));
  b->shape[0] = 0;
  CHECK(!cp_may_overlap(a, b));
  a->storage->mirror = malloc(48);
  CHECK(cp_begin_write(&ctx, a, true) == CP_OK && a->storage->mirror == NULL && a->storage->version == 1);
  b->readonly = true;
  CHECK(cp_begin_write(&ctx, b, false) == CP_EUSAGE && strstr(cp_error_text(), "broadcast view") != NULL);
  cp_storage_free_memory(a->storage);
  CHECK(ctx.budget.live_bytes == 0 && cp_array_pointer(b, &address) == CP_EUSAGE);
  CHECK(strstr(cp_error_text(), "the array's memory was freed") != NULL);
  CHECK(cp_begin_write(&ctx, a, true) == CP_EUSAGE);
  cp_array_release(a);
  cp_array_release(a);
  cp_array_release(b);
  CHECK(cp_array_layout(a, CP_INT8, 2, (int64_t[]){INT64_MAX, 2}, 'C') == CP_ESHAPE);
  CHECK(cp_array_layout(a, CP_INT8, 1, (int64_t[]){0}, 'C') == CP_OK);
  CHECK(cp_array_allocate(&ctx, a, &f->base, CP_INT8) == CP_OK && cp_array_pointer(a, &address) == CP_OK);
  CHECK(address != NULL && a->size == 0);
  cp_array_release(a);
  CHECK(cp_array_layout(a, CP_INT8, 1, (int64_t[]){200 * MB}, 'C') == CP_OK);
  CHECK(cp_array_allocate(&ctx, a, &f->base, CP_INT8) == CP_EMEMORY && a->storage == NULL);
  cp_array *placed = malloc(cp_array_bytes(3));
  cp_array_place(placed, 3);
  CHECK(placed->ndim == 3 && (char *)(placed->strides + 3) == (char *)placed + cp_array_bytes(3));
  free(placed);
  cp_pool_trim(p);
  CHECK(f->used == 0);
  cp_context_close(&ctx);
}

// Threads and time ----

static fake *shared;

// Each thread is a state; no block may be given to two at once.
static void *worker(void *bad) {
  cp_context ctx = {0};
  cp_block *mine[16] = {0};
  unsigned random = 1;
  for (int i = 0; i < 20000; i++) {
    random = random * 1664525 + 1013904223;
    int k = (int)(random >> 28);
    if (mine[k] != NULL) {
      *(int *)bad += *(void **)mine[k]->pointer != (void *)&ctx;
      cp_pool_free(mine[k]);
    }
    mine[k] = allocate(&ctx, shared, 512 + (random >> 18 & 1023));
    *(void **)mine[k]->pointer = &ctx;
  }
  for (int k = 0; k < 16; k++)
    if (mine[k] != NULL) cp_pool_free(mine[k]);
  cp_context_close(&ctx);
  return NULL;
}

static void check_threads(void) {
  pthread_t threads[3];
  int bad[3] = {0};
  cp_pool *p = new_device(&shared, 100 * MB);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, &bad[i]);
  for (int i = 0; i < 3; i++) {
    pthread_join(threads[i], NULL);
    CHECK(bad[i] == 0);
  }
  CHECK(cp_pool_read(p).live == 0);
  cp_pool_trim(p);
  CHECK(shared->used == 0);
}

// Whether blocks do not overlap.
static bool are_apart(cp_block *const *blocks, int count) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < i; k++) {
      const char *a = blocks[i]->pointer, *b = blocks[k]->pointer;
      if (a < b + blocks[k]->size && b < a + blocks[i]->size) return false;
    }
  return true;
}

// Blocks of one size come in larger and larger requests; their memory is released once all blocks of a
// request are free.
static void check_together(void) {
  fake *f;
  cp_pool *p = new_device(&f, (size_t)1 << 40);
  cp_context ctx = {0};
  cp_block *blocks[40];
  generous_ops = fake_ops;
  generous_ops.together = 8;
  f->base.ops = &generous_ops;
  static const uint64_t requests[] = {1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6};
  for (int i = 0; i < 17; i++) {
    blocks[i] = allocate(&ctx, f, 3 * MB);
    CHECK(blocks[i]->size == 4 * MB && cp_pool_read(p).device_allocations == requests[i]);
    memset(blocks[i]->pointer, i, 4 * MB);
  }
  CHECK(are_apart(blocks, 17));
  for (int i = 0; i < 17; i++) CHECK(((char *)blocks[i]->pointer)[4 * MB - 1] == i);
  CHECK(f->used == (size_t)24 * 4 * MB && cp_pool_read(p).live == (size_t)17 * 4 * MB &&
        cp_pool_read(p).cached == (size_t)7 * 4 * MB && cp_pool_read(p).cached_blocks == 7);
  cp_block *small[6]; // also of 64 KB, smaller ones individually
  for (int i = 0; i < 6; i++) small[i] = allocate(&ctx, f, i < 3 ? 65536 : 1024);
  CHECK(f->used == (size_t)24 * 4 * MB + 4 * 65536 + 3 * 1024 && are_apart(small, 6));
  for (int i = 0; i < 6; i++) cp_pool_free(small[i]);
  for (int i = 0; i < 17; i++)
    if (i != 5) cp_pool_free(blocks[i]);
  cp_pool_trim(p); // the request for blocks 5 to 8 stays
  CHECK(f->used == 16 * MB && cp_pool_read(p).live == 4 * MB && cp_pool_read(p).cached == 12 * MB);
  for (int i = 6; i < 9; i++) blocks[i] = allocate(&ctx, f, 4 * MB);
  CHECK(f->used == 16 * MB && are_apart(&blocks[5], 4));
  blocks[9] = allocate(&ctx, f, 4 * MB); // from the beginning again
  CHECK(f->used == 20 * MB);
  cp_pool_set_limit(p, 28 * MB); // with a limit they come one by one
  blocks[10] = allocate(&ctx, f, 4 * MB);
  blocks[11] = allocate(&ctx, f, 4 * MB);
  CHECK(f->used == 28 * MB && allocate(&ctx, f, 4 * MB) == NULL);
  for (int i = 6; i < 12; i++) cp_pool_free(blocks[i]);
  CHECK(allocate(&ctx, f, 20 * MB) == NULL); // block 5 keeps 12 MB
  cp_pool_free(blocks[5]);
  blocks[5] = allocate(&ctx, f, 20 * MB);
  CHECK(blocks[5] != NULL && f->used == 20 * MB);
  cp_pool_free(blocks[5]);
  cp_pool_trim(p);
  CHECK(f->used == 0 && cp_pool_read(p).cached == 0 && cp_pool_read(p).cached_blocks == 0);
  cp_context_close(&ctx);
}

// When memory is too scarce for several blocks, one is enough; and no request takes much of it.
static void check_scarce(void) {
  fake *f;
  cp_pool *p = new_device(&f, 1280 * (size_t)MB);
  cp_context ctx = {0};
  cp_block *blocks[160];
  f->base.ops = &generous_ops;
  for (int i = 0; i < 3; i++) blocks[i] = allocate(&ctx, f, 4 * MB);
  CHECK(f->used == 16 * MB); // 2 and no more: 128 requests would take all memory
  for (int i = 3; i < 5; i++) blocks[i] = allocate(&ctx, f, 4 * MB);
  CHECK(f->used == 24 * MB);
  f->memory = 28 * MB;
  blocks[5] = allocate(&ctx, f, 4 * MB);
  CHECK(blocks[5] == NULL || f->used <= 28 * MB);
  blocks[6] = allocate(&ctx, f, 4 * MB);
  CHECK(blocks[5] != NULL && blocks[6] != NULL && f->used == 28 * MB && allocate(&ctx, f, 4 * MB) == NULL);
  for (int i = 0; i < 7; i++) cp_pool_free(blocks[i]);
  blocks[0] = allocate(&ctx, f, 28 * MB);
  CHECK(blocks[0] != NULL && f->used == 28 * MB);
  cp_pool_free(blocks[0]);
  cp_pool_trim(p);
  CHECK(f->used == 0);
  cp_context_close(&ctx);
}

// In a pool with a limit, a state keeps few small blocks to itself; another state can have the rest.
static void check_shelves(void) {
  enum { COUNT = 200, BYTES = 64 << 10 };
  fake *f;
  cp_pool *p = new_device(&f, 100 * MB);
  cp_context ctx = {0}, other = {0};
  cp_buffer *held[COUNT];
  cp_pool_set_limit(p, 16 * MB);
  for (int k = 0; k < COUNT; k++) CHECK(cp_buffer_new(&ctx, &f->base, BYTES, &held[k]) == CP_OK);
  for (int k = 0; k < COUNT; k++) cp_buffer_release(held[k]);
  CHECK(ctx.memory.free_lists[f->base.id].bytes > 0 && ctx.memory.free_lists[f->base.id].bytes <= MB);
  for (int k = 0; k < COUNT; k++) CHECK(cp_buffer_new(&other, &f->base, BYTES, &held[k]) == CP_OK);
  for (int k = 0; k < COUNT; k++) cp_buffer_release(held[k]);
  cp_pool_set_limit(p, 0);
  for (int k = 0; k < COUNT; k++) CHECK(cp_buffer_new(&ctx, &f->base, BYTES, &held[k]) == CP_OK);
  for (int k = 0; k < COUNT; k++) cp_buffer_release(held[k]);
  CHECK(ctx.memory.free_lists[f->base.id].bytes == (size_t)COUNT * BYTES);
  cp_context_close(&ctx);
  cp_context_close(&other);
  cp_pool_trim(p);
  CHECK(f->used == 0);
}

static void measure(void) {
  enum { ROUNDS = 200000 };
  fake *f;
  garbage g = {0};
  cp_pool *p = new_device(&f, 100 * MB);
  cp_context ctx = {.hooks = {.collect = collect, .collect_data = &g}, .memory.automatic = true};
  cp_buffer *b;
  double start = cp_clock();
  for (int i = 0; i < ROUNDS; i++) {
    if (cp_buffer_new(&ctx, &f->base, 800, &b) == CP_OK) cp_buffer_release(b);
  }
  printf("pool: %.0f ns to allocate and release a buffer\n", (cp_clock() - start) / ROUNDS * 1e9);
  CHECK(cp_pool_read(p).device_allocations == 1);
  cp_pool_trim(p);
  cp_context_close(&ctx);
}

int main(void) {
  cp_register_devices();
  check_classes();
  check_reuse();
  check_streams();
  check_ladder();
  check_budget();
  check_take_back();
  check_unproductive();
  check_arrays();
  check_threads();
  check_together();
  check_scarce();
  check_shelves();
  measure();
  return verdict("pool");
}
