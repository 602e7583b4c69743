// Checks copies between a GPU and page-locked host memory on a simulated device, which runs queued work as
// late as possible, when something waits for it, or at random. Random programs copy both ways on several
// streams, read, write, allocate and free on the host in between, and compare what they read with a run of
// the same program in which everything happens at once. Elements of arrays on the device are read between
// copies.
#include "array/view.h"
#include "check.h"
#include "devices.h"
#include "lazy/arrays/close.h"
#include "lazy/arrays/element.h"
#include "lazy/work/order.h"
#include "memory/allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMS = 4, HOSTS = 5, DEVICES = 5, QUEUE = 65536, BYTES = 512 };

// ---- the device ----

typedef struct sim_stream sim_stream;

// A copy, or, where other is set, waiting for another stream to be done with its first `upto` entries.
typedef struct entry {
  char *dst;
  const char *src;
  sim_stream *other;
  int upto;
} entry;

struct sim_stream {
  cp_stream base;
  entry queue[QUEUE];
  int done, count, marked;
};

typedef struct sim_event {
  cp_event base;
  sim_stream *stream;
  int upto;
} sim_event;

static void carry_out(sim_stream *s, int upto) {
  while (s->done < upto) {
    entry e = s->queue[s->done++];
    if (e.other != NULL)
      carry_out(e.other, e.upto);
    else
      memcpy(e.dst, e.src, BYTES);
  }
}

static void push(sim_stream *s, entry e) {
  REQUIRE(s->count < QUEUE);
  s->queue[s->count++] = e;
}

static cp_status sim_allocate(cp_device *d, size_t bytes, void **p) {
  (void)d;
  *p = malloc(bytes);
  return *p != NULL ? CP_OK : CP_EMEMORY;
}

static void sim_release(cp_device *d, void *p, size_t bytes) {
  (void)d, (void)bytes;
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
  REQUIRE(s != NULL);
  s->base.device = d;
  *out = &s->base;
  return CP_OK;
}

static void sim_destroy(cp_stream *s) { free(s); }

static cp_status sim_synchronize(cp_stream *base) {
  sim_stream *s = (sim_stream *)base;
  carry_out(s, s->count);
  return CP_OK;
}

static cp_status sim_copy(cp_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind) {
  REQUIRE(kind == CP_TO_HOST && sim_synchronize(s) == CP_OK);
  memcpy(dst, src, bytes);
  return CP_OK;
}

static cp_status sim_mark(cp_stream *s) {
  ((sim_stream *)s)->marked = ((sim_stream *)s)->count;
  return CP_OK;
}

static cp_status sim_follow(cp_stream *waiter, cp_stream *other) {
  sim_stream *o = (sim_stream *)other;
  push((sim_stream *)waiter, (entry){.other = o, .upto = o->marked});
  return CP_OK;
}

static cp_status sim_wait(cp_stream *waiter, cp_stream *other) {
  REQUIRE(sim_mark(other) == CP_OK);
  return sim_follow(waiter, other);
}

static cp_status sim_event_create(cp_device *d, bool timing, bool blocking, cp_event **out) {
  sim_event *e = calloc(1, sizeof *e);
  (void)d, (void)timing, (void)blocking;
  REQUIRE(e != NULL);
  *out = &e->base;
  return CP_OK;
}

static void sim_event_destroy(cp_device *d, cp_event *e) {
  (void)d;
  free(e);
}

static cp_status sim_event_record(cp_stream *base, cp_event *e) {
  sim_stream *s = (sim_stream *)base;
  ((sim_event *)e)->stream = s;
  ((sim_event *)e)->upto = s->count;
  return CP_OK;
}

static cp_status sim_event_wait(cp_stream *s, cp_event *e) {
  push((sim_stream *)s, (entry){.other = ((sim_event *)e)->stream, .upto = ((sim_event *)e)->upto});
  return CP_OK;
}

static cp_status sim_event_synchronize(cp_device *d, cp_event *e) {
  (void)d;
  carry_out(((sim_event *)e)->stream, ((sim_event *)e)->upto);
  return CP_OK;
}

static const cp_device_ops sim_ops = {.kind = "sim",
                                      .allocate = sim_allocate,
                                      .release = sim_release,
                                      .memory_info = sim_info,
                                      .copy = sim_copy,
                                      .stream_create = sim_create,
                                      .stream_destroy = sim_destroy,
                                      .stream_synchronize = sim_synchronize,
                                      .stream_finish = sim_synchronize,
                                      .stream_wait = sim_wait,
                                      .stream_mark = sim_mark,
                                      .stream_follow = sim_follow,
                                      .event_create = sim_event_create,
                                      .event_destroy = sim_event_destroy,
                                      .event_record = sim_event_record,
                                      .event_wait = sim_event_wait,
                                      .event_synchronize = sim_event_synchronize};
static cp_device device = {.ops = &sim_ops, .name = "sim", .id = 1};

// ---- programs ----

static uint64_t seed = 88172645463325252U;

static int random_below(int n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (int)(seed % (uint64_t)n);
}

// Memory and the byte that all of it has when everything happens at once.
typedef struct cell {
  cp_buffer *buffer;
  char value;
} cell;

static cell host[HOSTS], remote[DEVICES];

static cp_stream *stream_of(cp_context *ctx, cp_device *d) {
  cp_stream *s;
  REQUIRE(cp_context_stream(ctx, d, &s) == CP_OK);
  return s;
}

static void copy(cp_context *ctx, cell *to, cell *from, bool up) {
  cp_stream *s = stream_of(ctx, &device);
  cell *here = up ? from : to, *there = up ? to : from;
  REQUIRE(cp_before_transfer(ctx, s, here->buffer, !up) == CP_OK);
  REQUIRE((up ? cp_before_write : cp_before_read)(ctx, s, there->buffer) == CP_OK);
  push((sim_stream *)s, (entry){.dst = to->buffer->pointer, .src = from->buffer->pointer});
  REQUIRE(cp_after_transfer(ctx, s, here->buffer) == CP_OK);
  to->value = from->value;
}

static void write_host(cp_context *ctx, cell *c, char value) {
  REQUIRE(cp_before_write(ctx, stream_of(ctx, cp_device_cpu()), c->buffer) == CP_OK);
  memset(c->buffer->pointer, value, BYTES);
  c->value = value;
}

static void read_host(cp_context *ctx, cell *c) {
  REQUIRE(cp_before_read(ctx, stream_of(ctx, cp_device_cpu()), c->buffer) == CP_OK);
  for (int k = 0; k < BYTES; k += BYTES - 1) REQUIRE(c->buffer->pointer[k] == c->value);
}

static void replace(cp_context *ctx, cell *c, cp_device *d) {
  if (c->buffer != NULL) cp_buffer_release(c->buffer);
  REQUIRE(cp_buffer_new(ctx, d, BYTES, &c->buffer) == CP_OK);
}

static void step(cp_context *ctx, cp_stream **streams) {
  int what = random_below(100), k = random_below(HOSTS), j = random_below(DEVICES);
  ctx->now.streams[device.id] = random_below(2) ? streams[random_below(STREAMS)] : NULL;
  if (what < 30) {
    copy(ctx, &remote[j], &host[k], true);
  } else if (what < 60) {
    copy(ctx, &host[k], &remote[j], false);
  } else if (what < 75) {
    write_host(ctx, &host[k], (char)random_below(127));
  } else if (what < 90) {
    read_host(ctx, &host[k]);
  } else if (what < 93) {
    replace(ctx, &host[k], cp_device_cpu());
    write_host(ctx, &host[k], (char)random_below(127));
  } else if (what < 96) {
    replace(ctx, &remote[j], &device);
    copy(ctx, &remote[j], &host[k], true);
  } else {
    sim_stream *s = (sim_stream *)streams[random_below(STREAMS)];
    carry_out(s, s->done + random_below(s->count - s->done + 1));
  }
}

// Reading memory of the host waits for its last copy, and not for what was queued behind it.
static void check_waits(cp_context *ctx) {
  sim_stream *s = (sim_stream *)stream_of(ctx, &device);
  copy(ctx, &host[0], &remote[0], false);
  int there = s->count;
  copy(ctx, &host[1], &remote[1], false);
  read_host(ctx, &host[0]);
  REQUIRE(s->done == there && host[0].buffer->transfer == NULL && host[1].buffer->transfer != NULL);
  uint64_t before = ctx->counters.synchronizations;
  read_host(ctx, &host[0]);
  REQUIRE(ctx->counters.synchronizations == before);
  read_host(ctx, &host[1]);
  REQUIRE(ctx->counters.synchronizations == before + 1 && s->done == s->count);
}

static int64_t element(cp_context *ctx, const cp_array *a, int64_t offset) {
  cp_scalar s = {0};
  REQUIRE(cp_load_element(ctx, a, offset, &s) == CP_OK);
  return s.v.i;
}

// Reading an element waits for the copies queued before. The next ones come from the mirror until a write, or
// from the device if others know its address.
static void check_elements(cp_context *ctx) {
  cp_array_local l;
  cp_array *a = cp_array_local_init(&l);
  const int64_t length = BYTES;
  REQUIRE(cp_array_layout(a, CP_INT8, 1, &length, 'C') == CP_OK);
  REQUIRE(cp_array_allocate(ctx, a, &device, CP_INT8) == CP_OK);
  cell there = {.buffer = a->storage->buffer};
  write_host(ctx, &host[0], 1);
  copy(ctx, &there, &host[0], true);
  uint64_t before = ctx->counters.synchronizations;
  REQUIRE(element(ctx, a, 3) == 1 && element(ctx, a, BYTES - 1) == 1);
  REQUIRE(ctx->counters.synchronizations == before + 1 && a->storage->mirror != NULL);
  write_host(ctx, &host[0], 2);
  copy(ctx, &there, &host[0], true);
  cp_storage_touch(a->storage);
  REQUIRE(a->storage->mirror == NULL && element(ctx, a, 3) == 2);
  a->storage->buffer->exposed = CP_EXPOSED_POINTER;
  write_host(ctx, &host[0], 3);
  copy(ctx, &there, &host[0], true);
  REQUIRE(element(ctx, a, 3) == 3);
  cp_array_release(a);
}

// A mirror has the bytes that a view spans if its storage is too large to have one as a whole.
static void check_mirrors(cp_context *ctx) {
  cp_array_local l, lv;
  cp_array *a = cp_array_local_init(&l), *v = cp_array_local_init(&lv);
  const int64_t shape[] = {300, 300};
  REQUIRE(cp_array_layout(a, CP_INT8, 2, shape, 'C') == CP_OK);
  REQUIRE(cp_array_allocate(ctx, a, &device, CP_INT8) == CP_OK);
  for (int k = 0; k < 300; k++) memset(cp_address(a) + 300 * k, k % 100, 300);
  REQUIRE(element(ctx, a, 300 * 7) == 7 && a->storage->mirror == NULL);
  cp_view_start(v, a);
  v->offset = 300 * 40;
  cp_view_axis(v, 100, 300); // a column of 100 rows
  REQUIRE(element(ctx, v, 300 * 50) == 50);
  REQUIRE(a->storage->mirror_from == 300 * 40 && a->storage->mirror_to == 300 * 139 + 1);
  uint64_t before = ctx->counters.synchronizations;
  REQUIRE(element(ctx, v, 300 * 139) == 39 && element(ctx, a, 300 * 60 + 5) == 60);
  REQUIRE(ctx->counters.synchronizations == before);
  cp_array_release(a);
}

int main(void) {
  static cp_context ctx;
  static const cp_stream_options plain;
  cp_stream *streams[STREAMS];
  device.pool = cp_pool_new(&device);
  cp_register_devices();
  REQUIRE(device.pool != NULL && cp_device_cpu() != NULL);
  for (int k = 0; k < HOSTS; k++) {
    replace(&ctx, &host[k], cp_device_cpu());
    write_host(&ctx, &host[k], (char)k);
  }
  for (int k = 0; k < DEVICES; k++) {
    replace(&ctx, &remote[k], &device);
    copy(&ctx, &remote[k], &host[k], true);
  }
  REQUIRE(ctx.streams.concurrent);
  check_waits(&ctx);
  check_elements(&ctx);
  check_mirrors(&ctx);
  for (int k = 0; k < STREAMS; k++)
    REQUIRE(cp_context_new_stream(&ctx, &device, &plain, &streams[k]) == CP_OK);
  for (int k = 0; k < 40000; k++) step(&ctx, streams);
  for (int k = 0; k < HOSTS; k++) {
    read_host(&ctx, &host[k]);
    cp_buffer_release(host[k].buffer);
  }
  for (int k = 0; k < DEVICES; k++) cp_buffer_release(remote[k].buffer);
  cp_context_close(&ctx);
  printf("transfers: all in order\n");
  return 0;
}
