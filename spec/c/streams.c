// Checks streams on a simulated device: each stream has a vector clock, which says what its next work comes
// after. Random programs read, write, allocate and free on random streams; two uses of one byte, at least one
// of them a write, without an order are a failure. Redundant waits are counted too, so that the bookkeeping
// does not simply wait for everything. The same with two devices that read each other's memory, as copies do.
#include "array/array.h"
#include "check.h"
#include "devices.h"
#include "lazy/arrays/close.h"
#include "lazy/work/order.h"
#include "memory/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMS = 12, BUFFERS = 24, PLACES = 4096 };

typedef struct clock_of {
  uint64_t at[STREAMS];
} clock_of;

typedef struct sim_stream {
  cp_stream base;
  int number;
  bool dead; // destroyed: must not be used any more
  clock_of now, mark;
} sim_stream;

// The last uses of the memory at one address.
typedef struct place {
  void *pointer;
  int writer; // a stream, -1: none
  uint64_t written;
  uint64_t read[STREAMS];
} place;

static place places[PLACES];
static clock_of host; // what the host has waited for: all later work comes after it
static int made, marks, follows;

static void join(clock_of *a, const clock_of *b) {
  for (int k = 0; k < STREAMS; k++)
    if (b->at[k] > a->at[k]) a->at[k] = b->at[k];
}

static cp_status sim_allocate(cp_device *d, size_t bytes, void **p) {
  (void)d;
  *p = malloc(bytes);
  return *p != NULL ? CP_OK : CP_EMEMORY;
}

static place *place_of(void *p) {
  size_t k = ((uintptr_t)p >> 6) % PLACES;
  while (places[k].pointer != NULL && places[k].pointer != p) k = (k + 1) % PLACES;
  if (places[k].pointer == NULL) {
    places[k].pointer = p;
    places[k].writer = -1;
  }
  return &places[k];
}

// The device may reuse released memory, so the host must have waited for all work on it.
static void sim_release(cp_device *d, void *p, size_t bytes) {
  place *at = place_of(p);
  (void)d, (void)bytes;
  REQUIRE(at->writer < 0 || host.at[at->writer] >= at->written);
  for (int k = 0; k < STREAMS; k++) REQUIRE(host.at[k] >= at->read[k]);
  at->writer = -1;
  memset(at->read, 0, sizeof at->read);
  free(p);
}

static cp_status sim_info(cp_device *d, size_t *free_bytes, size_t *total) {
  (void)d;
  *free_bytes = *total = (size_t)1 << 30;
  return CP_OK;
}

static cp_status sim_create(cp_device *d, const cp_stream_options *options, cp_stream **out) {
  sim_stream *s = calloc(1, sizeof *s);
  (void)options;
  REQUIRE(s != NULL && made < STREAMS);
  s->base.device = d;
  s->number = made++;
  *out = &s->base;
  return CP_OK;
}

static sim_stream *graveyard[STREAMS * 5];
static int buried;

static void sim_destroy(cp_stream *s) {
  ((sim_stream *)s)->dead = true;
  REQUIRE(buried < (int)(sizeof graveyard / sizeof *graveyard));
  graveyard[buried++] = (sim_stream *)s;
}

static sim_stream *alive(cp_stream *s) {
  REQUIRE(!((sim_stream *)s)->dead);
  return (sim_stream *)s;
}

static cp_status sim_synchronize(cp_stream *s) {
  join(&host, &alive(s)->now);
  return CP_OK;
}

static cp_status sim_mark(cp_stream *base) {
  sim_stream *s = alive(base);
  s->mark = s->now;
  marks++;
  return CP_OK;
}

static cp_status sim_follow(cp_stream *waiter, cp_stream *other) {
  join(&alive(waiter)->now, &alive(other)->mark);
  follows++;
  return CP_OK;
}

static cp_status sim_wait(cp_stream *waiter, cp_stream *other) {
  REQUIRE(sim_mark(other) == CP_OK);
  return sim_follow(waiter, other);
}

static const cp_device_ops sim_ops = {.kind = "sim",
                                      .allocate = sim_allocate,
                                      .release = sim_release,
                                      .memory_info = sim_info,
                                      .stream_create = sim_create,
                                      .stream_destroy = sim_destroy,
                                      .stream_synchronize = sim_synchronize,
                                      .stream_finish = sim_synchronize,
                                      .stream_wait = sim_wait,
                                      .stream_mark = sim_mark,
                                      .stream_follow = sim_follow};
static cp_device device = {.ops = &sim_ops, .name = "sim", .id = 1};
static cp_device peer = {.ops = &sim_ops, .name = "sim2", .id = 2};
static bool two; // both devices take part

// Work on s that reads or writes p.
static void touch(sim_stream *s, void *p, bool write) {
  place *at = place_of(p);
  join(&s->now, &host);
  s->now.at[s->number]++;
  if (at->writer >= 0) REQUIRE(s->now.at[at->writer] >= at->written);
  for (int k = 0; write && k < STREAMS; k++) REQUIRE(s->now.at[k] >= at->read[k]);
  if (!write) {
    at->read[s->number] = s->now.at[s->number];
    return;
  }
  at->writer = s->number;
  at->written = s->now.at[s->number];
}

static uint64_t seed = 88172645463325252U;

static int random_below(int n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (int)(seed % (uint64_t)n);
}

// A device other than the buffer's own may read it.
static void use(cp_context *ctx, cp_buffer *b, bool write) {
  cp_stream *s;
  cp_device *d = write || !two || random_below(3) > 0 ? b->device : b->device == &device ? &peer : &device;
  REQUIRE(cp_context_stream(ctx, d, &s) == CP_OK);
  REQUIRE((write ? cp_before_write : cp_before_read)(ctx, s, b) == CP_OK);
  touch((sim_stream *)s, b->pointer, write);
}

static cp_buffer *new_buffer(cp_context *ctx) {
  cp_buffer *b;
  cp_device *d = two && random_below(2) == 0 ? &peer : &device;
  REQUIRE(cp_buffer_new(ctx, d, (size_t)512 << random_below(4), &b) == CP_OK);
  return b;
}

// There are few streams at first, and one is replaced from time to time.
static void choose_stream(cp_context *ctx, cp_stream **streams, int *count) {
  static const cp_stream_options plain;
  cp_device *d = two && random_below(2) == 0 ? &peer : &device;
  if (*count < STREAMS - 2 && random_below(400) == 0) {
    REQUIRE(cp_context_new_stream(ctx, d, &plain, &streams[*count]) == CP_OK);
    REQUIRE(ctx->streams.concurrent);
    ++*count;
  }
  int k = random_below(*count + 1);
  ctx->now.streams[d->id] = k == *count || streams[k]->device != d ? NULL : streams[k];
}

static void random_program(int steps) {
  cp_context ctx;
  cp_buffer *buffers[BUFFERS];
  cp_stream *streams[STREAMS];
  int count = 0;
  memset(&ctx, 0, sizeof ctx);
  made = 0;
  for (int k = 0; k < BUFFERS; k++) {
    buffers[k] = new_buffer(&ctx);
    use(&ctx, buffers[k], true);
  }
  REQUIRE(ctx.streams.concurrent == two);
  for (int step = 0; step < steps; step++) {
    int k = random_below(BUFFERS), what = random_below(100);
    choose_stream(&ctx, streams, &count);
    if (what < 8) {
      cp_buffer_release(buffers[k]);
      buffers[k] = new_buffer(&ctx);
      choose_stream(&ctx, streams, &count); // another stream may fill uninitialized memory
      use(&ctx, buffers[k], true);
    } else if (what < 9) {
      cp_pool_trim(random_below(2) == 0 ? device.pool : peer.pool);
    } else if (what < 10) {
      REQUIRE(cp_context_synchronize(&ctx, random_below(2) == 0 ? &device : &peer) == CP_OK);
    } else {
      use(&ctx, buffers[k], what < 40);
    }
  }
  for (int k = 0; k < BUFFERS; k++) cp_buffer_release(buffers[k]);
  cp_context_close(&ctx);
}

// Which streams are waited for, and which are not.
static void exact_waits(void) {
  static const cp_stream_options plain;
  static cp_context ctx;
  cp_stream *a, *b;
  made = 0;
  memset(&host, 0, sizeof host);
  memset(places, 0, sizeof places);
  cp_buffer *x = new_buffer(&ctx), *y = new_buffer(&ctx);
  use(&ctx, x, true);
  use(&ctx, y, true);
  REQUIRE(cp_context_new_stream(&ctx, &device, &plain, &a) == CP_OK);
  REQUIRE(cp_context_new_stream(&ctx, &device, &plain, &b) == CP_OK && a != b);
  uint64_t *waits = &ctx.counters.waits;
  REQUIRE(*waits == 0);
  ctx.now.streams[1] = a;
  use(&ctx, x, false);
  REQUIRE(*waits == 1); // for its writer
  use(&ctx, x, false);
  use(&ctx, y, false);
  REQUIRE(*waits == 1); // written before the wait
  ctx.now.streams[1] = b;
  use(&ctx, x, false);
  REQUIRE(*waits == 2); // readers do not wait for each other
  ctx.now.streams[1] = NULL;
  use(&ctx, x, false);
  REQUIRE(*waits == 2);
  use(&ctx, x, true);
  REQUIRE(*waits == 4); // a writer waits for both readers
  use(&ctx, x, true);
  REQUIRE(*waits == 4);
  ctx.now.streams[1] = a;
  use(&ctx, y, true);
  REQUIRE(*waits == 4); // only y was used after a waited for its writer
  int before = marks;
  ctx.now.streams[1] = b;
  use(&ctx, y, false);
  REQUIRE(*waits == 5 && marks == before + 1);
  ctx.now.streams[1] = NULL;
  use(&ctx, y, false);
  REQUIRE(*waits == 6 && marks == before + 1); // the event that b waits for is reused
  cp_buffer_release(x);
  cp_buffer_release(y);
  // A destroyed handle makes room for the next stream.
  cp_stream_remove_handle(b);
  ctx.now.streams[1] = NULL;
  cp_stream *c;
  REQUIRE(cp_context_new_stream(&ctx, &device, &plain, &c) == CP_OK && c == b);
  cp_context_close(&ctx);
  cp_pool_trim(device.pool);
}

int main(int argc, char **argv) {
  cp_register_devices();
  int steps = argc > 1 ? atoi(argv[1]) : 200000;
  device.pool = cp_pool_new(&device);
  peer.pool = cp_pool_new(&peer);
  REQUIRE(device.pool != NULL && peer.pool != NULL);
  random_program(steps);
  REQUIRE(follows > 1000);
  two = true;
  for (int k = 0; k < 3; k++)
    random_program(steps / 3); // each reuses blocks of the previous program's streams
  two = false;
  cp_pool_trim(device.pool);
  cp_pool_trim(peer.pool);
  exact_waits();
  return 0;
}
