// A fake device on malloc that counts memory and waits (pool.c).
#ifndef CP_SPEC_POOL_DEVICE_H
#define CP_SPEC_POOL_DEVICE_H

#include "check.h"
#include "memory/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A device with `memory` bytes that counts the pool's requests. A stream may withhold memory, as queued work
// does.
typedef struct fake {
  cp_device base;
  size_t memory, used;
  size_t withheld; // becomes free at the next synchronization
  int waits, syncs;
  bool busy;
} fake;

static cp_status fake_allocate(cp_device *d, size_t bytes, void **p) {
  fake *f = (fake *)d;
  if (bytes > f->memory - f->used - f->withheld) return CP_EMEMORY;
  *p = malloc(bytes);
  if (*p == NULL) return CP_EMEMORY;
  f->used += bytes;
  return CP_OK;
}

static void fake_release(cp_device *d, void *p, size_t bytes) {
  ((fake *)d)->used -= bytes;
  free(p);
}

static cp_status fake_info(cp_device *d, size_t *free_bytes, size_t *total) {
  *total = ((fake *)d)->memory;
  *free_bytes = *total - ((fake *)d)->used;
  return CP_OK;
}

static cp_status fake_fill(cp_stream *s, void *p, int byte, size_t bytes) {
  (void)s;
  memset(p, byte, bytes);
  return CP_OK;
}

static cp_status fake_stream(cp_device *d, const cp_stream_options *options, cp_stream **out) {
  (void)options;
  *out = calloc(1, sizeof **out);
  (*out)->device = d;
  return CP_OK;
}

static void fake_destroy(cp_stream *s) { free(s); }

static cp_status fake_sync(cp_stream *s) {
  ((fake *)s->device)->syncs++;
  ((fake *)s->device)->withheld = 0;
  return CP_OK;
}

static cp_status fake_query(cp_stream *s, bool *done) {
  *done = !((fake *)s->device)->busy;
  return CP_OK;
}

static cp_status fake_wait(cp_stream *s, cp_stream *other) {
  (void)other;
  ((fake *)s->device)->waits++;
  return CP_OK;
}

static const cp_device_ops fake_ops = {.kind = "fake",
                                       .price = {.block = 2e-4},
                                       .allocate = fake_allocate,
                                       .release = fake_release,
                                       .memory_info = fake_info,
                                       .fill_bytes = fake_fill,
                                       .stream_create = fake_stream,
                                       .stream_destroy = fake_destroy,
                                       .stream_synchronize = fake_sync,
                                       .stream_finish = fake_sync,
                                       .stream_query = fake_query,
                                       .stream_wait = fake_wait};

// The same, but it gives several large blocks per request.
static cp_device_ops generous_ops;

static fake devices[13];

static cp_pool *new_device(fake **out, size_t memory) {
  static int n;
  fake *f = &devices[n];
  f->base.ops = &fake_ops;
  snprintf(f->base.name, sizeof f->base.name, "fake:%d", n);
  f->memory = memory;
  f->base.id = n++;
  f->base.pool = cp_pool_new(&f->base);
  *out = f;
  return f->base.pool;
}

// A block that does not count for a state's limit: only the pool matters here.
static cp_block *allocate(cp_context *ctx, fake *f, size_t bytes) {
  cp_stream *s;
  cp_block *b = NULL;
  CHECK(cp_context_stream(ctx, &f->base, &s) == CP_OK);
  if (cp_pool_allocate(ctx, f->base.pool, s, bytes, &b) != CP_OK) return NULL;
  cp_pool_discharge(ctx, b);
  return b;
}

#endif
