// Checks what states that share a pool see in its memory: a confined state sees zeros or its own data, in
// blocks of every origin (single blocks, slabs, direct pools, free lists, a graph's reserve); an open state
// has no cost. Also checks that no state holds more than its limit, whatever its blocks are for.
#include "array/array.h"
#include "check.h"
#include "device/budget.h"
#include "devices.h"
#include "lazy/arrays/close.h"
#include "memory/allocator.h"
#include "memory/reserve.h"

#include <string.h>

enum { KB = 1 << 10, MB = 1 << 20, DIRT = 77 };

static int fills; // bytes set so far
static bool broken;

static cp_status fake_allocate(cp_device *d, size_t bytes, void **p) {
  (void)d;
  *p = malloc(bytes);
  if (*p != NULL) memset(*p, DIRT, bytes);
  return *p != NULL ? CP_OK : CP_EMEMORY;
}

static void fake_release(cp_device *d, void *p, size_t bytes) {
  (void)d, (void)bytes;
  free(p);
}

static cp_status fake_info(cp_device *d, size_t *free_bytes, size_t *total) {
  (void)d;
  *free_bytes = *total = (size_t)1 << 30;
  return CP_OK;
}

static cp_status fake_fill(cp_stream *s, void *p, int byte, size_t bytes) {
  (void)s;
  if (broken) return cp_fail(CP_ECUDA, "broken");
  memset(p, byte, bytes);
  fills += (int)bytes;
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
  (void)s;
  return CP_OK;
}

static cp_status fake_query(cp_stream *s, bool *done) {
  (void)s;
  *done = true;
  return CP_OK;
}

static cp_status fake_wait(cp_stream *s, cp_stream *other) {
  (void)s, (void)other;
  return CP_OK;
}

static const cp_device_ops ops = {.kind = "fake",
                                  .memory = &cp_plain_memory_ops,
                                  .allocate = fake_allocate,
                                  .release = fake_release,
                                  .memory_info = fake_info,
                                  .fill_bytes = fake_fill,
                                  .together = 16,
                                  .stream_create = fake_stream,
                                  .stream_destroy = fake_destroy,
                                  .stream_synchronize = fake_sync,
                                  .stream_finish = fake_sync,
                                  .stream_query = fake_query,
                                  .stream_wait = fake_wait};
static cp_device device = {.ops = &ops, .name = "fake", .id = 3};

static cp_context *new_state(uint64_t number, bool confined) {
  cp_context *ctx = calloc(1, sizeof *ctx);
  REQUIRE(ctx != NULL);
  ctx->number = number;
  ctx->budget.confined = confined;
  return ctx;
}

static cp_pool *direct, *other; // that states share: only here

static void close_state(cp_context *ctx) {
  for (int k = ctx->streams.count; k-- > 0;) {
    cp_stream *s = ctx->streams.all[k];
    cp_pool_forget_stream(device.pool, s);
    cp_pool_forget_stream(direct, s);
    cp_pool_forget_stream(other, s);
  }
  cp_context_close(ctx);
  free(ctx);
}

static cp_buffer *take_from(cp_context *ctx, cp_pool *p, size_t bytes) {
  cp_buffer *b = NULL;
  CHECK(cp_buffer_new_from(ctx, &device, p, bytes, &b) == CP_OK);
  return b;
}

static char mark_of(const cp_context *ctx) { return (char)(DIRT + ctx->number); }

// Whether all bytes of the block, those beyond what was asked for too, are 0 or the state's own.
static bool is_clean(const cp_buffer *b) {
  const char *p = b->block->pointer;
  for (size_t k = 0; k < b->block->size; k++)
    if (p[k] != 0 && p[k] != mark_of(b->context)) return false;
  return true;
}

static void soil(cp_buffer *b) { memset(b->block->pointer, mark_of(b->context), b->block->size); }

enum { SIZES = 9, EACH = 6 };
static const size_t sizes[SIZES] = {1,      512,          1000,    60 * KB,   200 * KB,
                                    1 * MB, 1 * MB + 100, 5000000, 9 * MB + 1};

// All sizes, several of each, so that slabs come about too.
static void take_all(cp_context *ctx, cp_pool *p, cp_buffer *list[SIZES][EACH]) {
  for (int k = 0; k < SIZES; k++)
    for (int j = 0; j < EACH; j++) {
      list[k][j] = take_from(ctx, p, sizes[k]);
      CHECK(!ctx->budget.confined || is_clean(list[k][j]));
      soil(list[k][j]);
    }
}

static void drop_all(cp_buffer *list[SIZES][EACH]) {
  for (int k = 0; k < SIZES; k++)
    for (int j = 0; j < EACH; j++) cp_buffer_release(list[k][j]);
}

static void check_tenants(cp_pool *p) {
  cp_buffer *list[SIZES][EACH];
  cp_context *open = new_state(1, false), *a = new_state(2, true), *b = new_state(3, true);
  int before = fills;
  take_all(open, p, list);
  CHECK(fills == before);
  drop_all(list);
  close_state(open);
  take_all(a, p, list); // what the open state left, and what is fresh from the device
  drop_all(list);
  before = fills;
  take_all(a, p, list);
  if (p == device.pool) CHECK(fills == before); // its own: nothing is cleared
  drop_all(list);
  close_state(a);
  take_all(b, p, list);
  drop_all(list);
  open = new_state(4, false); // in between: then the memory is another one's again
  take_all(open, p, list);
  drop_all(list);
  close_state(open);
  take_all(b, p, list);
  drop_all(list);
  close_state(b);
  cp_pool_trim(p);
  CHECK(cp_pool_read(p).live == 0);
}

// A block that could not be cleared is not handed out, now or later.
static void check_failure(void) {
  cp_context *open = new_state(5, false), *a = new_state(6, true);
  cp_buffer *b = take_from(open, device.pool, 2 * MB), *none = NULL;
  soil(b);
  cp_buffer_release(b);
  broken = true;
  CHECK(cp_buffer_new(a, &device, 2 * MB, &none) == CP_ECUDA && a->budget.live_bytes == 0);
  broken = false;
  b = take_from(a, device.pool, 2 * MB);
  CHECK(is_clean(b));
  cp_buffer_release(b);
  close_state(open);
  close_state(a);
}

static void check_reserve(void) {
  cp_context *open = new_state(7, false), *a = new_state(8, true);
  cp_reserve r = {0};
  cp_block *x, *y;
  cp_buffer_release(take_from(open, device.pool, 3 * MB));
  CHECK(cp_context_stream(a, &device, &r.home) == CP_OK);
  CHECK(cp_reserve_allocate(a, &r, device.pool, 3 * MB, &x) == CP_OK);
  CHECK(((char *)x->pointer)[0] == 0 && ((char *)x->pointer)[x->size - 1] == 0);
  size_t held = a->budget.live_bytes;
  CHECK(held >= 3 * MB);
  cp_pool_free(x); // it is the reserve's still
  cp_pool_discharge(a, x);
  CHECK(a->budget.live_bytes == held);
  CHECK(cp_reserve_allocate(a, &r, device.pool, 3 * MB, &y) == CP_OK && x == y &&
        a->budget.live_bytes == held);
  cp_pool_free(y);
  cp_reserve_dissolve(a, &r, r.home);
  CHECK(a->budget.live_bytes == 0);
  close_state(open);
  close_state(a);
}

static void collect(void *data, bool full) {
  (void)full;
  ++*(int *)data;
}

// The bound holds from wherever it is come near to, and a collection is tried before an error.
static void check_limit(cp_pool *p) {
  static const size_t firsts[] = {1, 5, 511, 513, 100000, 3 * MB};
  for (size_t k = 0; k < sizeof firsts / sizeof *firsts; k++) {
    int collections = 0;
    cp_buffer *list[40] = {take_from(new_state(9, false), p, 1)};
    cp_context *own = list[0]->context;
    own->budget.limit = 32 * MB;
    own->hooks.collect = collect;
    own->hooks.collect_data = &collections;
    cp_buffer_release(list[0]);
    list[0] = take_from(own, p, firsts[k]);
    int got = 1;
    for (int j = 1; j < 40; j++) {
      bool ok = cp_buffer_new_from(own, &device, p, 7999999, &list[got]) == CP_OK;
      CHECK(own->budget.live_bytes <= own->budget.limit);
      got += ok;
    }
    CHECK(got <= 5 && got >= 4 && collections > 0);
    while (got > 0) cp_buffer_release(list[--got]);
    CHECK(own->budget.live_bytes == 0);
    CHECK(cp_context_charge(own, 32 * MB) == CP_OK && cp_context_charge(own, 1) == CP_EMEMORY);
    CHECK(cp_context_charge(own, SIZE_MAX) == CP_EMEMORY);
    cp_context_discharge(own, 32 * MB);
    own->budget.live_bytes = 40 * MB; // were it ever beyond the bound, nothing more is given
    CHECK(cp_context_charge(own, 1) == CP_EMEMORY);
    own->budget.live_bytes = 0;
    close_state(own);
  }
}

// What stays when a state is gone is bounded, for confined ones.
static void check_budget(void) {
  cp_context *open = new_state(10, false), *a = new_state(11, true);
  for (int k = 0; k < CP_MOST_KERNELS; k++)
    CHECK(cp_budget_kernel(a) == CP_OK && cp_budget_kernel(open) == CP_OK);
  CHECK(cp_budget_kernel(a) == CP_EUSAGE && cp_budget_kernel(a) == CP_EUSAGE);
  CHECK(cp_budget_kernel(open) == CP_OK);
  CHECK(cp_budget_store(a, CP_MOST_STORED - 1) && !cp_budget_store(a, 2) && cp_budget_store(a, 1));
  CHECK(!cp_budget_store(a, 1) && !cp_budget_store(a, SIZE_MAX));
  CHECK(cp_budget_store(open, CP_MOST_STORED) && cp_budget_store(open, CP_MOST_STORED));
  close_state(open);
  close_state(a);
}

// Events and further streams count too, and come back.
static void check_held(void) {
  cp_context *own = new_state(12, true);
  const cp_stream_options plain = {0};
  cp_stream *s;
  int made = 0;
  own->budget.limit = 1 * MB;
  while (made < 100 && cp_context_new_stream(own, &device, &plain, &s) == CP_OK) made++;
  CHECK(made > 1 && made < 100 && own->budget.live_bytes + own->budget.held_bytes <= own->budget.limit);
  CHECK(cp_context_hold(own, own->budget.limit) == CP_EMEMORY);
  cp_buffer *b = NULL;
  CHECK(cp_buffer_new(own, &device, 1 * MB, &b) == CP_EMEMORY);
  close_state(own);
}

// Blocks that are lent count for no state's limit, and give nobody's data away.
static void check_lent(void) {
  cp_context *own = new_state(13, true), *open = new_state(14, false);
  cp_stream *s;
  REQUIRE(cp_context_stream(own, &device, &s) == CP_OK);
  const size_t before = own->budget.live_bytes;
  cp_block *b = cp_pool_lend(own, device.pool, s, 5 * MB);
  REQUIRE(b != NULL && b->size >= 5 * MB);
  for (size_t k = 0; k < b->size; k++) CHECK(((char *)b->pointer)[k] == 0);
  CHECK(own->budget.live_bytes == before);
  memset(b->pointer, 1, b->size);
  cp_pool_free(b);
  CHECK((b = cp_pool_lend(open, device.pool, s, 5 * MB)) != NULL);
  cp_pool_free(b);
  CHECK((b = cp_pool_lend(own, device.pool, s, 5 * MB)) != NULL && *(char *)b->pointer == 0);
  cp_pool_set_limit(device.pool, 100 * MB);
  CHECK(cp_pool_lend(own, device.pool, s, 5 * MB) == NULL); // what there is below a limit is for arrays
  cp_pool_set_limit(device.pool, 0);
  cp_pool_free(b);
  close_state(own);
  close_state(open);
}

int main(void) {
  cp_register_devices();
  device.pool = cp_pool_new(&device);
  direct = cp_pool_on(&device, &cp_plain_source, NULL, true);
  other = cp_pool_on(&device, &cp_managed_source, NULL, false);
  REQUIRE(device.pool != NULL && direct != NULL && other != NULL);
  check_tenants(device.pool);
  check_tenants(direct);
  check_tenants(other);
  check_failure();
  check_reserve();
  check_limit(device.pool);
  check_limit(direct);
  check_budget();
  check_held();
  check_lent();
  cp_pool_retire(direct, false);
  cp_pool_retire(other, false);
  cp_pool_retire(device.pool, false);
  return verdict("tenants");
}
