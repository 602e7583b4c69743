// Checks pending values on the CPU device with a collection at every allocation: bounds of expressions, long chains, the list, memory that
// pending values alone keep, foreign memory, and what finalizers may do at the worst moment, inside of an evaluation or a write.
#include "lazy/pending.h"
#include "check.h"
#include "devices.h"
#include "lazy/close.h"

#include "array/array.h"
#include "lazy/batch.h"
#include "lazy/eval.h"
#include "lazy/write.h"
#include "memory/pool.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, KB = 1 << 10, MB = 1 << 20 };

static cp_context ctx;
static cp_device *cpu;
static void (*finalizer)(void); // runs in the next collection, once

static void collect(void *data, bool full) {
  (void)data, (void)full;
  void (*f)(void) = finalizer;
  finalizer = NULL;
  if (f != NULL) f();
}

// ---- arrays as scripts have them ------------------------------------------------------------------------------------

// Elements first, first + 1, ...
static cp_array *make_length(cp_array_local *l, int64_t n, double first) {
  cp_array *a = cp_array_local_init(l);
  char *p = NULL;
  CHECK(cp_array_layout(a, CP_FLOAT64, 1, &n, 'C') == CP_OK);
  CHECK(cp_array_allocate(&ctx, a, cpu, CP_FLOAT64) == CP_OK);
  CHECK(cp_array_pointer(a, &p) == CP_OK);
  for (int64_t k = 0; k < n; k++) ((double *)(void *)p)[k] = first + (double)k;
  return a;
}

static cp_array *make(cp_array_local *l, double first) { return make_length(l, N, first); }

// The n elements from number `from` on.
static cp_array *view(cp_array_local *l, const cp_array *a, int64_t from, int64_t n) {
  cp_array *v = cp_array_local_init(l);
  cp_array_copy_view(v, a);
  v->offset += from * 8;
  v->shape[0] = v->size = n;
  return v;
}

static void forget(cp_array *a) { // what a finalizer does
  cp_pending_drop(a);
  cp_array_release(a);
}

static cp_array *pend(cp_array_local *l, cp_op op, cp_array *x, cp_array *y) {
  cp_array *out = cp_array_local_init(l), *operands[2] = {x, y};
  cp_node *args[2] = {NULL}, *root = NULL;
  CHECK(cp_bound_operands(&ctx, 2, operands) == CP_OK);
  for (int k = 0; k < 2; k++) CHECK(cp_array_node(operands[k], &args[k]) == CP_OK);
  CHECK(cp_node_op(op, args, &root) == CP_OK);
  CHECK(cp_pend(&ctx, out, root) == CP_OK);
  return out;
}

static cp_array *add(cp_array_local *l, cp_array *x, cp_array *y) { return pend(l, CP_OP_add, x, y); }

// Element k of a, which has memory.
static double element(const cp_array *a, int64_t k) {
  char *p;
  if (cp_array_pointer(a, &p) != CP_OK) return NAN;
  return *(double *)(void *)(p + k * a->strides[0]);
}

// Whether a has memory with first + k * step at position k.
static bool holds(const cp_array *a, double first, double step) {
  if (a->node != NULL || a->storage == NULL) return false;
  for (int64_t k = 0; k < a->size; k++)
    if (element(a, k) != first + step * (double)k) return false;
  return true;
}

static bool computes(cp_array *a, double first, double step) {
  return cp_force(&ctx, a) == CP_OK && holds(a, first, step);
}

// The number of pending values; -1 when the links of the list do not agree.
static int listed(void) {
  int count = 0;
  const cp_node *last = NULL;
  for (const cp_node *n = ctx.pending_first; n != NULL; last = n, n = n->next) {
    if (n->prev != last || n->handle == NULL || n->handle->node != n || n->kind == CP_NODE_LEAF) return -1;
    count++;
  }
  return ctx.pending_last == last ? count : -1;
}

// Names the case when something failed in it.
static void check_nothing_left(const char *what) {
  static int before;
  if (failures > before) fprintf(stderr, "failed in: %s\n", what);
  bool clean = listed() == 0 && ctx.live_bytes == 0 && ctx.pinned_bytes == 0;
  if (!clean)
    fprintf(stderr, "after %s: %d pending, %zu bytes live, %zu pinned\n", what, listed(), ctx.live_bytes,
            ctx.pinned_bytes);
  failures += !clean;
  before = failures;
}

// ---- bounds -------------------------------------------------------------------------------------------------------

static void check_doubling(void) {
  cp_array_local l[61];
  uint64_t before = ctx.counters.launches;
  cp_array *a = make(&l[0], 1);
  for (int k = 1; k <= 60; k++) {
    cp_array *twice = add(&l[k], a, a);
    CHECK(twice->node->weight.ops <= CP_BOUND_OPS);
    forget(a);
    a = twice;
  }
  CHECK(listed() >= 1 && computes(a, ldexp(1, 60), ldexp(1, 60)));
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

// Operands of 32 dimensions take many kernel arguments.
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

// ---- long chains --------------------------------------------------------------------------------------------------

static void *release_chain(void *n) {
  cp_node_release(n);
  return NULL;
}

// A million operations, each on the one before and on x, released on a stack of 64 KB.
static void check_deep_release(void) {
  enum { DEPTH = 1000000 };
  cp_array_local l;
  cp_array *x = make(&l, 0);
  size_t live = ctx.live_bytes;
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
  CHECK(x->storage->buffer->readers == NULL && x->storage->buffer->refs == 1 && ctx.live_bytes == live);
  forget(x);
}

// ---- the list -----------------------------------------------------------------------------------------------------

static void check_list(void) {
  cp_array_local l[8];
  cp_array *x = make(&l[0], 1);
  for (int k = 1; k < 8; k++) add(&l[k], x, x);
  CHECK(listed() == 7);
  forget(&l[4].a);
  forget(&l[1].a);
  forget(&l[7].a);
  forget(&l[7].a); // once more does nothing
  CHECK(listed() == 4 && ctx.pending_first == l[2].a.node && ctx.pending_last == l[6].a.node);
  CHECK(computes(&l[3].a, 2, 2) && listed() == 3);
  CHECK(cp_launch_pending(&ctx, cpu) == CP_OK && listed() == 0);
  CHECK(holds(&l[2].a, 2, 2) && holds(&l[5].a, 2, 2) && holds(&l[6].a, 2, 2));
  for (int k = 0; k < 8; k++) forget(&l[k].a);
}

// ---- memory that pending values keep --------------------------------------------------------------------------------

static void check_pinned(void) {
  cp_array_local l[4];
  cp_array *x = make(&l[0], 1);
  size_t size = x->storage->buffer->block->size;
  cp_array *y = add(&l[1], x, x), *z = pend(&l[2], CP_OP_multiply, x, x);
  CHECK(ctx.pinned_bytes == 0);
  forget(x);
  CHECK(ctx.pinned_bytes == size); // once, for both
  CHECK(computes(y, 2, 2) && ctx.pinned_bytes == size);
  forget(z);
  CHECK(ctx.pinned_bytes == 0 && ctx.live_bytes == size);
  z = add(&l[2], y, y);
  cp_storage_free_memory(y->storage); // as x:free() does
  CHECK(ctx.pinned_bytes == size && computes(z, 4, 4) && ctx.pinned_bytes == 0);
  forget(y);
  forget(z);
}

// Values on memory that nobody else has are computed, down to a share of what there is, once they keep more than twice that.
static void check_pinned_bound(void) {
  enum { COUNT = 40, LENGTH = 128 * KB / 8, LIMIT = 16 * MB, SHARE = LIMIT / 16 };
  cp_array_local *x = calloc(COUNT, sizeof *x), *y = calloc(COUNT, sizeof *y);
  cp_pool_set_limit(cpu->pool, LIMIT);
  ctx.pinned_bound = 0;
  for (int k = 0; k < COUNT; k++) {
    make_length(&x[k], LENGTH, k);
    add(&y[k], &x[k].a, &x[k].a);
    forget(&x[k].a);
    CHECK(ctx.pinned_bytes <= 2 * SHARE + 2 * 128 * KB);
  }
  CHECK(listed() > 0 && listed() <= 2 * SHARE / (128 * KB) + 2);
  CHECK(y[0].a.node == NULL && y[COUNT - 1].a.node != NULL); // the oldest go first
  for (int k = 0; k < COUNT; k++) {
    CHECK(computes(&y[k].a, 2 * k, 2));
    forget(&y[k].a);
  }
  cp_pool_set_limit(cpu->pool, 0);
  ctx.pinned_bound = 0;
  free(x);
  free(y);
}

// ---- writes and foreign memory --------------------------------------------------------------------------------------

static void check_renames(void) {
  cp_array_local l[4];
  cp_array *x = make(&l[0], 1), *y = add(&l[1], x, x);
  const cp_buffer *old = x->storage->buffer;
  CHECK(cp_begin_write(&ctx, x, false) == CP_OK); // small: copied
  CHECK(x->storage->buffer != old && holds(x, 1, 1) && y->node != NULL && ctx.pinned_bytes > 0);
  ((double *)(void *)x->storage->buffer->pointer)[0] = 100;
  CHECK(computes(y, 2, 2) && ctx.pinned_bytes == 0);
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

static void check_foreign(void) {
  cp_array_local l[3];
  cp_array *x = make(&l[0], 1), *y = add(&l[1], x, x);
  CHECK(cp_make_foreign(&ctx, x, CP_FOREIGN_POINTER) == CP_OK &&
        holds(y, 2, 2)); // what was built on it is computed
  const cp_buffer *own = x->storage->buffer;
  cp_array *z = add(&l[2], x, x);
  CHECK(own->foreign && z->node->foreign); // so that its maker computes it at once
  CHECK(cp_begin_write(&ctx, x, true) == CP_OK && x->storage->buffer == own && holds(z, 2, 2));
  forget(z);
  z = add(&l[2], x, y);
  CHECK(z->node->foreign && cp_begin_write(&ctx, x, false) == CP_OK && x->storage->buffer == own &&
        holds(z, 3, 3));
  forget(z);
  z = add(&l[2], y, y);
  CHECK(!z->node->foreign);
  for (int k = 0; k < 3; k++) forget(&l[k].a);
}

// Two storages share a buffer after an assignment: an address that goes out is that of one of them alone.
static void check_foreign_shared(void) {
  cp_array_local l[3];
  cp_array *x = make(&l[0], 1), *y = make(&l[1], 0), *t = add(&l[2], x, x);
  cp_node *root = NULL;
  CHECK(cp_array_node(t, &root) == CP_OK && cp_assign(&ctx, x, root, CP_MAY_RENAME) == CP_OK);
  CHECK(holds(x, 2, 2) && cp_make_foreign(&ctx, x, CP_FOREIGN_POINTER) == CP_OK && computes(t, 2, 2));
  CHECK(x->storage->buffer->foreign && x->storage->buffer->storages == 1);
  CHECK(x->storage->buffer != t->storage->buffer && !t->storage->buffer->foreign);
  CHECK(cp_begin_write(&ctx, x, true) == CP_OK);
  ((double *)(void *)x->storage->buffer->pointer)[0] = 100;
  CHECK(holds(t, 2, 2));
  CHECK(cp_array_node(y, &root) == CP_OK && cp_assign(&ctx, x, root, CP_MAY_RENAME) == CP_OK);
  CHECK(holds(x, 0, 1) && x->storage->buffer->foreign);
  for (int k = 0; k < 3; k++) forget(&l[k].a);
}

// ---- finalizers at the worst moment ---------------------------------------------------------------------------------

static cp_array_local L[12]; // what finalizers reach

static void make_operands(void) {
  make(&L[0], 1);
  for (int k = 1; k <= 5; k++) add(&L[k], &L[0].a, &L[0].a);
}

static void forget_all(const char *what) {
  CHECK(finalizer == NULL); // it ran
  finalizer = NULL;
  for (int k = 0; k < 12; k++)
    if (L[k].a.shape != NULL) forget(&L[k].a);
  memset(L, 0, sizeof L);
  check_nothing_left(what);
}

static void forget_1(void) { forget(&L[1].a); }
static void forget_1_2_5(void) {
  forget(&L[1].a);
  forget(&L[2].a);
  forget(&L[5].a);
}
static void forget_0(void) { forget(&L[0].a); }
static void force_1(void) { CHECK(computes(&L[1].a, 2, 2)); }
static void force_2(void) { CHECK(computes(&L[2].a, 2, 2)); }
static void launch_all(void) { CHECK(cp_launch_pending(&ctx, NULL) == CP_OK); }
static void pend_more(void) { add(&L[6], &L[0].a, &L[0].a); }
static void free_0(void) { cp_storage_free_memory(L[0].a.storage); }

static void check_force(void (*f)(void), const char *what) {
  make_operands();
  finalizer = f;
  CHECK(computes(&L[1].a, 2, 2));
  for (int k = 2; k <= 5; k++)
    if (L[k].a.node != NULL || L[k].a.storage != NULL) CHECK(computes(&L[k].a, 2, 2));
  forget_all(what);
}

static void check_force_chain(void (*f)(void), const char *what) {
  make_operands();
  add(&L[7], &L[1].a, &L[2].a);
  finalizer = f;
  CHECK(computes(&L[7].a, 4, 4));
  forget_all(what);
}

static void check_force_all(void (*f)(void), const char *what) {
  make_operands();
  cp_array *several[] = {&L[3].a, &L[1].a, &L[2].a, &L[1].a};
  finalizer = f;
  CHECK(cp_force_all(&ctx, 4, several) == CP_OK);
  CHECK(holds(&L[3].a, 2, 2));
  if (f != forget_1) CHECK(holds(&L[1].a, 2, 2));
  CHECK(holds(&L[2].a, 2, 2));
  forget_all(what);
}

static void check_launch(void (*f)(void), const char *what) {
  make_operands();
  finalizer = f;
  CHECK(cp_launch_pending(&ctx, NULL) == CP_OK);
  for (int k = 1; k <= 5; k++)
    if (L[k].a.node != NULL || L[k].a.storage != NULL) CHECK(holds(&L[k].a, 2, 2));
  forget_all(what);
}

// L[8]: memory too large to copy for a small write. L[9]: its part that is written; L[10]: computed first for that reason.
static void write_part(void) {
  CHECK(cp_begin_write(&ctx, &L[9].a, false) == CP_OK);
  for (int64_t k = 0; k < N; k++)
    ((double *)(void *)(L[8].a.storage->buffer->pointer + L[9].a.offset))[k] = -1;
}

static void make_large(double first) {
  make_length(&L[8], MB / 8, first);
  view(&L[9], &L[8].a, N, N);
  add(&L[10], &L[9].a, &L[9].a);
}

// A walk along the pending values inside of a walk along them.
static void check_launch_while_writing(void) {
  make_operands();
  make_large(0);
  finalizer = write_part;
  CHECK(cp_launch_pending(&ctx, NULL) == CP_OK);
  for (int k = 1; k <= 5; k++) CHECK(holds(&L[k].a, 2, 2));
  CHECK(holds(&L[10].a, 2 * N, 2));
  forget_all("a write inside of launching");
}

static cp_array_local written, part, other_part, readers[4];

static void read_part_again(void) { add(&L[11], &part.a, &part.a); }
static void write_other_part(void) { CHECK(cp_begin_write(&ctx, &other_part.a, false) == CP_OK); }

// Writes a part of memory that several values read, while a finalizer runs f.
static void check_write(void (*f)(void), const char *what) {
  make_operands();
  make_large(0);
  make_length(&written, MB / 8, 0);
  view(&part, &written.a, 0, N);
  view(&other_part, &written.a, 2 * N, N);
  for (int k = 0; k < 3; k++) add(&readers[k], &part.a, &part.a);
  add(&readers[3], &other_part.a, &other_part.a);
  finalizer = f;
  CHECK(cp_begin_write(&ctx, &part.a, false) == CP_OK);
  memset(written.a.storage->buffer->pointer, 0, N * sizeof(double));
  for (int k = 0; k < 3; k++) CHECK(computes(&readers[k].a, 0, 2));
  CHECK(computes(&readers[3].a, 4 * N, 2));
  if (f == read_part_again) CHECK(computes(&L[11].a, 0, 2)); // it read before the write
  for (int k = 0; k < 4; k++) forget(&readers[k].a);
  forget(&written.a);
  forget(&part.a);
  forget(&other_part.a);
  forget_all(what);
}

// x = y + z with a target that is freed, or computed, while parts of the value get memory.
static void check_assign(void) {
  cp_node *root = NULL;
  make_operands();
  for (int k = 0; k < 2; k++) { // a value that two evaluations took is kept by the second one
    double sum = 0;
    cp_array_local target;
    int64_t none = 0;
    cp_array *t = cp_array_local_init(&target);
    CHECK(cp_array_layout(t, CP_FLOAT64, 0, &none, 'C') == CP_OK &&
          cp_array_allocate(&ctx, t, cpu, CP_FLOAT64) == CP_OK);
    CHECK(cp_keep_parts(&ctx, L[1].a.node) == CP_OK);
    if (L[1].a.node != NULL) CHECK(cp_reduce(&ctx, L[1].a.node, 1, CP_RED_sum, CP_FLOAT64, 0, t) == CP_OK);
    (void)sum;
    cp_array_release(t);
  }
  make(&L[8], 7);
  finalizer = force_2;
  CHECK(cp_array_node(&L[1].a, &root) == CP_OK && cp_assign(&ctx, &L[2].a, root, CP_MAY_RENAME) == CP_OK);
  CHECK(holds(&L[2].a, 2, 2));
  finalizer = free_0; // L[0] has readers: it would get another buffer, and has no memory when that is there
  CHECK(cp_array_node(&L[8].a, &root) == CP_OK);
  CHECK(cp_assign(&ctx, &L[0].a, root, CP_MAY_RENAME) == CP_EUSAGE);
  for (int k = 3; k <= 5; k++) CHECK(computes(&L[k].a, 2, 2));
  forget_all("assigning");
}

// A part of a value that the value uses twice reads the memory that the value is written into; then the value's array reads it too.
static void check_assign_to_operand(void) {
  cp_array_local x, v, u;
  cp_node *root = NULL;
  make_length(&x, MB / 8, 0);
  view(&v, &x.a, 0, N);
  cp_array *w = add(&L[0], &v.a, &v.a);
  add(&u, w, w);
  forget(w);
  CHECK(cp_array_node(&u.a, &root) == CP_OK && cp_assign(&ctx, &v.a, root, CP_MAY_RENAME) == CP_OK);
  CHECK(holds(&v.a, 0, 4) && computes(&u.a, 0, 4));
  forget(&x.a);
  forget(&v.a);
  forget(&u.a);
  forget_all("assigning a value to its operand");
}

// Garbage that needs more memory than there is goes away in the collection before the failure, and nobody waits for it.
static void check_garbage_too_large(void) {
  int64_t shape = (int64_t)1 << 40;
  cp_node *n = NULL;
  cp_array *a = cp_array_local_init(&L[1]);
  CHECK(cp_node_constant(cpu, cp_scalar_int(0, CP_FLOAT64), 1, &shape, 'C', &n) == CP_OK);
  for (int k = 0; k < 8; k++) { // enough that it is work that waits
    cp_node *args[2] = {n, NULL};
    CHECK(cp_node_scalar(cp_scalar_int(1, CP_FLOAT64), &args[1]) == CP_OK);
    CHECK(cp_node_op(CP_OP_add, args, &n) == CP_OK);
  }
  CHECK(cp_pend(&ctx, a, n) == CP_OK);
  CHECK(cp_force(&ctx, a) == CP_EMEMORY && listed() == 1); // as long as it is there
  finalizer = forget_1;
  CHECK(cp_launch_pending(&ctx, NULL) == CP_OK);
  forget_all("garbage that is too large");
}

static void check_finalizers(void) {
  static const struct {
    void (*f)(void);
    const char *name;
  } cases[] = {{forget_0, "forgetting an operand"}, {force_2, "computing another value"},
               {launch_all, "launching"},           {pend_more, "making a value"},
               {force_1, "computing the value"},    {forget_1, "forgetting a value"},
               {forget_1_2_5, "forgetting values"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    bool own = cases[k].f == forget_1 || cases[k].f == forget_1_2_5;
    check_launch(cases[k].f, cases[k].name);
    check_force_chain(cases[k].f, cases[k].name);
    check_write(cases[k].f, cases[k].name);
    if (own) continue; // arrays that a caller names are no garbage
    check_force(cases[k].f, cases[k].name);
    check_force_all(cases[k].f, cases[k].name);
  }
  check_write(write_part, "writing elsewhere");
  check_write(read_part_again, "reading again");
  check_write(write_other_part, "writing another part");
}

int main(void) {
  cp_register_devices();
  setenv("CUPOLA_GC_EVERY", "1", 1);
  ctx = (cp_context){.collect = collect, .automatic = true, .fusion = true};
  if (cp_device_find("cpu", &cpu) != CP_OK) return 1;
  check_doubling();
  check_long_sums();
  check_slots();
  check_weights();
  check_nothing_left("bounds");
  check_deep_release();
  check_list();
  check_nothing_left("the list");
  check_pinned();
  check_pinned_bound();
  check_nothing_left("pinned memory");
  check_renames();
  check_foreign();
  check_foreign_shared();
  check_nothing_left("writes");
  check_launch_while_writing();
  check_assign();
  check_assign_to_operand();
  check_garbage_too_large();
  check_finalizers();
  cp_pool_trim(cpu->pool);
  cp_context_close(&ctx);
  return verdict("pending");
}
