// Checks pending values on the CPU device with a collection at every allocation: bounds of expressions, long
// chains, the list, memory that only pending values keep alive, and exposed addresses.
#include "pending_arrays.h"

// ---- bounds ---------------------------------------------------------------------------------------------

static void check_doubling(void) {
  cp_array_local l[201];
  uint64_t before = ctx.counters.launches;
  cp_array *a = make(&l[0], 1);
  for (int k = 1; k <= 200; k++) {
    cp_array *twice = add(&l[k], a, a);
    CHECK(twice->node->weight.ops <= CP_BOUND_OPS);
    forget(a);
    a = twice;
  }
  CHECK(listed() >= 1 && computes(a, ldexp(1, 200), ldexp(1, 200)));
  CHECK(ctx.counters.launches - before == 2);
  forget(a);
}

static void check_long_sums(void) {
  enum { LENGTH = 500 };
  cp_array_local *x = calloc(LENGTH, sizeof *x), *s = calloc(LENGTH, sizeof *s);
  uint64_t before = ctx.counters.launches;
  cp_array *sum = make(&s[0], 0);
  for (int k = 1; k < LENGTH; k++) { // many leaves, then many operations
    bool same = k > LENGTH / 2;
    cp_array *next = add(&s[k], sum, same ? &x[1].a : make(&x[k], k));
    const cp_weight *w = &next->node->weight;
    CHECK(w->ops <= CP_BOUND_OPS && w->leaves <= CP_BOUND_LEAVES && w->slots <= CP_BOUND_SLOTS);
    forget(sum);
    sum = next;
  }
  int half = LENGTH / 2;
  double first = half * (half + 1) / 2 + (LENGTH - 1 - half);
  CHECK(computes(sum, first, LENGTH));
  uint64_t launches = ctx.counters.launches - before;
  CHECK(launches <= LENGTH / 2 / (CP_BOUND_LEAVES - 1) + LENGTH / 2 / (CP_BOUND_OPS - 1) + 3);
  forget(sum);
  for (int k = 1; k <= half; k++) forget(&x[k].a);
  free(x);
  free(s);
}

// Operands with 32 dimensions take many kernel arguments.
static void check_slots(void) {
  cp_array_local x[20], s[21];
  int64_t shape[CP_MAXDIM];
  for (int d = 0; d < CP_MAXDIM; d++) shape[d] = d % 8 == 0 ? 2 : 1;
  for (int k = 0; k < 20; k++) {
    cp_array *a = cp_array_local_init(&x[k]);
    char *p;
    CHECK(cp_array_layout(a, CP_FLOAT64, CP_MAXDIM, shape, k % 2 ? 'C' : 'F') == CP_OK);
    CHECK(cp_array_allocate(&ctx, a, cpu, CP_FLOAT64) == CP_OK && cp_array_pointer(a, &p) == CP_OK);
    for (int64_t j = 0; j < a->size; j++) ((double *)(void *)p)[j] = k;
  }
  cp_array *sum = add(&s[0], &x[0].a, &x[0].a);
  for (int k = 1; k < 20; k++) {
    cp_array *next = add(&s[k], sum, &x[k].a);
    CHECK(next->node->weight.slots <= CP_BOUND_SLOTS);
    forget(sum);
    sum = next;
  }
  char *p;
  CHECK(cp_force(&ctx, sum) == CP_OK && cp_array_pointer(sum, &p) == CP_OK);
  for (int64_t j = 0; j < sum->size; j++) CHECK(((double *)(void *)p)[j] == 190);
  forget(sum);
  for (int k = 0; k < 20; k++) forget(&x[k].a);
}

static void check_weights(void) {
  cp_array_local l[5];
  cp_array *x = make(&l[0], 1), *y = make(&l[1], 2);
  cp_array *a = add(&l[2], x, y), *b = add(&l[3], a, a), *c = add(&l[4], b, x);
  cp_weight w = cp_weigh(&ctx, 1, &c->node);
  CHECK(w.ops == 3 && w.leaves == 2 && w.scalars == 0);           // the two leaves on x are one
  CHECK(c->node->weight.ops == 4 && c->node->weight.leaves == 5); // sums over the arguments
  cp_node *both[2] = {b->node, c->node};
  w = cp_weigh(&ctx, 2, both);
  CHECK(w.ops == 3 && w.leaves == 2);
  for (int k = 0; k < 5; k++) forget(&l[k].a);
}

// ---- long chains ----------------------------------------------------------------------------------------

static void *release_chain(void *n) {
  cp_node_release(n);
  return NULL;
}

// A million operations, each on the previous one and x, released on a stack of 64 KB.
static void check_deep_release(void) {
  enum { DEPTH = 1000000 };
  cp_array_local l;
  cp_array *x = make(&l, 0);
  size_t live = ctx.budget.live_bytes;
  cp_node *n = NULL;
  CHECK(cp_array_node(x, &n) == CP_OK);
  for (int k = 0; k < DEPTH; k++) {
    cp_node *args[2] = {n, NULL};
    CHECK(cp_array_node(x, &args[1]) == CP_OK);
    CHECK(cp_node_op(CP_OP_add, args, &n) == CP_OK);
  }
  pthread_t thread;
  pthread_attr_t attributes;
  CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 64 * KB) == 0);
  CHECK(pthread_create(&thread, &attributes, release_chain, n) == 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  CHECK(x->storage->buffer->readers == NULL && x->storage->buffer->refs == 1 &&
        ctx.budget.live_bytes == live);
  forget(x);
}

// ---- the list -------------------------------------------------------------------------------------------

static void check_list(void) {
  cp_array_local l[8];
  cp_array *x = make(&l[0], 1);
  for (int k = 1; k < 8; k++) add(&l[k], x, x);
  CHECK(listed() == 7);
  forget(&l[4].a);
  forget(&l[1].a);
  forget(&l[7].a);
  forget(&l[7].a); // a second time does nothing
  CHECK(listed() == 4 && ctx.lazy.first == l[2].a.node && ctx.lazy.last == l[6].a.node);
  CHECK(computes(&l[3].a, 2, 2) && listed() == 3);
  CHECK(cp_launch_pending(&ctx, cpu) == CP_OK && listed() == 0);
  CHECK(holds(&l[2].a, 2, 2) && holds(&l[5].a, 2, 2) && holds(&l[6].a, 2, 2));
  for (int k = 0; k < 8; k++) forget(&l[k].a);
}

static cp_array *sum_of(cp_array_local *l, cp_array *x) {
  const cp_node_reduction how = {.red = CP_RED_sum, .axes = 1};
  const int64_t none = 0;
  cp_array *out = cp_array_local_init(l);
  cp_node *arg = NULL, *root = NULL;
  CHECK(cp_array_node(x, &arg) == CP_OK);
  CHECK(cp_node_reduce(arg, &how, CP_FLOAT64, 0, &none, &root) == CP_OK && cp_pend(&ctx, out, root) == CP_OK);
  return out;
}

// Walks for reductions do not meet the values that are older than all of them.
static void check_walks(void) {
  cp_array_local l[9];
  cp_pending_walk w;
  cp_array *x = make(&l[0], 1);
  for (int k = 1; k < 5; k++) add(&l[k], x, x);
  cp_pending_begin_reductions(&ctx, &w);
  CHECK(cp_pending_next(&w) == NULL);
  cp_pending_end(&ctx, &w);
  const cp_node *first = sum_of(&l[5], x)->node, *between = add(&l[6], x, x)->node;
  sum_of(&l[7], &l[4].a);
  add(&l[8], x, x);
  cp_pending_begin_reductions(&ctx, &w);
  CHECK(cp_pending_next(&w) == first && cp_pending_next(&w) == between);
  cp_pending_end(&ctx, &w);
  ctx.lazy.operators += CP_REDUCTION_WAITS;
  CHECK(cp_launch_old_reductions(&ctx) == CP_OK && ctx.lazy.nreductions == 0);
  CHECK(element(&l[5].a, 0) == N * (N + 1) / 2.0 && element(&l[7].a, 0) == N * (N + 1));
  CHECK(l[1].a.node != NULL && l[8].a.node != NULL); // nothing else was computed
  for (int k = 0; k < 9; k++) forget(&l[k].a);
}

// ---- memory that pending values keep --------------------------------------------------------------------

static void check_pinned(void) {
  cp_array_local l[4];
  cp_array *x = make(&l[0], 1);
  size_t size = x->storage->buffer->block->size;
  cp_array *y = add(&l[1], x, x), *z = pend(&l[2], CP_OP_multiply, x, x);
  CHECK(ctx.lazy.pinned_bytes == 0);
  forget(x);
  CHECK(ctx.lazy.pinned_bytes == size); // once, for both
  CHECK(computes(y, 2, 2) && ctx.lazy.pinned_bytes == size);
  forget(z);
  CHECK(ctx.lazy.pinned_bytes == 0 && ctx.budget.live_bytes == size);
  z = add(&l[2], y, y);
  cp_storage_free_memory(y->storage); // as x:free() does
  CHECK(ctx.lazy.pinned_bytes == size && computes(z, 4, 4) && ctx.lazy.pinned_bytes == 0);
  forget(y);
  forget(z);
}

// Buffers that only pending values keep alive: once they exceed twice a share of memory, values are computed
// until they take no more than that share.
static void check_pinned_bound(void) {
  enum { COUNT = 40, LENGTH = 128 * KB / 8, LIMIT = 16 * MB, SHARE = LIMIT / 16 };
  cp_array_local *x = calloc(COUNT, sizeof *x), *y = calloc(COUNT, sizeof *y);
  cp_pool_set_limit(cpu->pool, LIMIT);
  ctx.lazy.pinned_bound = 0;
  for (int k = 0; k < COUNT; k++) {
    make_length(&x[k], LENGTH, k);
    add(&y[k], &x[k].a, &x[k].a);
    forget(&x[k].a);
    CHECK(ctx.lazy.pinned_bytes <= 2 * SHARE + 2 * 128 * KB);
  }
  CHECK(listed() > 0 && listed() <= 2 * SHARE / (128 * KB) + 2);
  CHECK(y[0].a.node == NULL && y[COUNT - 1].a.node != NULL); // the oldest go first
  for (int k = 0; k < COUNT; k++) {
    CHECK(computes(&y[k].a, 2 * k, 2));
    forget(&y[k].a);
  }
  cp_pool_set_limit(cpu->pool, 0);
  ctx.lazy.pinned_bound = 0;
  free(x);
  free(y);
}

// ---- writes and exposed addresses -------------------------------------------------------------------------

static void check_renames(void) {
  cp_array_local l[4];
  cp_array *x = make(&l[0], 1), *y = add(&l[1], x, x);
  const cp_buffer *old = x->storage->buffer;
  CHECK(cp_begin_write(&ctx, x, false) == CP_OK); // small: copied
  CHECK(x->storage->buffer != old && holds(x, 1, 1) && y->node != NULL && ctx.lazy.pinned_bytes > 0);
  ((double *)(void *)x->storage->buffer->pointer)[0] = 100;
  CHECK(computes(y, 2, 2) && ctx.lazy.pinned_bytes == 0);
  old = x->storage->buffer;
  CHECK(cp_begin_write(&ctx, x, false) == CP_OK && x->storage->buffer == old); // nobody reads it
  cp_array *first = view(&l[2], x, 0, 8), *last = view(&l[3], x, 56, 8);
  forget(y);
  y = add(&l[1], first, first);
  CHECK(cp_begin_write(&ctx, last, false) == CP_OK && x->storage->buffer == old); // other elements
  CHECK(cp_begin_write(&ctx, first, false) == CP_OK && x->storage->buffer != old);
  CHECK(cp_force(&ctx, y) == CP_OK && element(y, 0) == 200 && element(y, 1) == 4);
  for (int k = 0; k < 4; k++) forget(&l[k].a);
}

static void check_exposed(void) {
  cp_array_local l[3];
  cp_array *x = make(&l[0], 1), *y = add(&l[1], x, x);
  CHECK(cp_expose(&ctx, x, CP_EXPOSED_POINTER) == CP_OK && holds(y, 2, 2)); // values built on it are computed
  const cp_buffer *own = x->storage->buffer;
  cp_array *z = add(&l[2], x, x);
  CHECK(own->exposed && z->node->exposed); // so that the operation that makes a result computes it at once
  CHECK(cp_begin_write(&ctx, x, true) == CP_OK && x->storage->buffer == own && holds(z, 2, 2));
  forget(z);
  z = add(&l[2], x, y);
  CHECK(z->node->exposed && cp_begin_write(&ctx, x, false) == CP_OK && x->storage->buffer == own &&
        holds(z, 3, 3));
  forget(z);
  z = add(&l[2], y, y);
  CHECK(!z->node->exposed);
  for (int k = 0; k < 3; k++) forget(&l[k].a);
}

// Two storages share a buffer after an assignment: exposing an address exposes it for one of them only.
static void check_exposed_shared(void) {
  cp_array_local l[3];
  cp_array *x = make(&l[0], 1), *y = make(&l[1], 0), *t = add(&l[2], x, x);
  cp_node *root = NULL;
  CHECK(cp_array_node(t, &root) == CP_OK && cp_assign(&ctx, x, root, CP_MAY_RENAME) == CP_OK);
  CHECK(holds(x, 2, 2) && cp_expose(&ctx, x, CP_EXPOSED_POINTER) == CP_OK && computes(t, 2, 2));
  CHECK(x->storage->buffer->exposed && x->storage->buffer->storages == 1);
  CHECK(x->storage->buffer != t->storage->buffer && !t->storage->buffer->exposed);
  CHECK(cp_begin_write(&ctx, x, true) == CP_OK);
  ((double *)(void *)x->storage->buffer->pointer)[0] = 100;
  CHECK(holds(t, 2, 2));
  CHECK(cp_array_node(y, &root) == CP_OK && cp_assign(&ctx, x, root, CP_MAY_RENAME) == CP_OK);
  CHECK(holds(x, 0, 1) && x->storage->buffer->exposed);
  for (int k = 0; k < 3; k++) forget(&l[k].a);
}

int main(void) {
  if (!begin()) return 1;
  check_doubling();
  check_long_sums();
  check_slots();
  check_weights();
  check_nothing_left("bounds");
  check_deep_release();
  check_list();
  check_walks();
  check_nothing_left("the list");
  check_pinned();
  check_pinned_bound();
  check_nothing_left("pinned memory");
  check_renames();
  check_exposed();
  check_exposed_shared();
  check_nothing_left("writes");
  return end("pending");
}
