// Arrays as scripts have them, on the CPU device, in a state that collects garbage at every allocation.
#ifndef CP_SPEC_PENDING_ARRAYS_H
#define CP_SPEC_PENDING_ARRAYS_H

#include "check.h"
#include "devices.h"
#include "lazy/arrays/close.h"
#include "lazy/arrays/pending.h"

#include "array/array.h"
#include "lazy/arrays/assign.h"
#include "lazy/evaluation/batch.h"
#include "lazy/evaluation/bounds.h"
#include "lazy/evaluation/eval.h"
#include "lazy/evaluation/force.h"
#include "lazy/expression/graph.h"
#include "lazy/expression/pending_list.h"
#include "memory/pool.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, KB = 1 << 10, MB = 1 << 20 };

static cp_context ctx;
static cp_device *cpu;
static void (*finalizer)(void); // called once in the next collection

static inline void collect(void *data, bool full) {
  (void)data, (void)full;
  void (*f)(void) = finalizer;
  finalizer = NULL;
  if (f != NULL) f();
}

// Elements first, first + 1, ...
static inline cp_array *make_length(cp_array_local *l, int64_t n, double first) {
  cp_array *a = cp_array_local_init(l);
  char *p = NULL;
  CHECK(cp_array_layout(a, CP_FLOAT64, 1, &n, 'C') == CP_OK);
  CHECK(cp_array_allocate(&ctx, a, cpu, CP_FLOAT64) == CP_OK);
  CHECK(cp_array_pointer(a, &p) == CP_OK);
  for (int64_t k = 0; k < n; k++) ((double *)(void *)p)[k] = first + (double)k;
  return a;
}

static inline cp_array *make(cp_array_local *l, double first) { return make_length(l, N, first); }

// A view of n elements starting at number `from`.
static inline cp_array *view(cp_array_local *l, const cp_array *a, int64_t from, int64_t n) {
  cp_array *v = cp_array_local_init(l);
  cp_array_copy_view(v, a);
  v->offset += from * 8;
  v->shape[0] = v->size = n;
  return v;
}

static inline void forget(cp_array *a) { // like a finalizer
  cp_pending_drop(a);
  cp_array_release(a);
}

static inline cp_array *pend(cp_array_local *l, cp_op op, cp_array *x, cp_array *y) {
  cp_array *out = cp_array_local_init(l), *operands[2] = {x, y};
  cp_node *args[2] = {NULL}, *root = NULL;
  CHECK(cp_bound_operands(&ctx, 2, operands, NULL) == CP_OK);
  for (int k = 0; k < 2; k++) CHECK(cp_array_node(operands[k], &args[k]) == CP_OK);
  CHECK(cp_node_op(op, args, &root) == CP_OK);
  CHECK(cp_pend(&ctx, out, root) == CP_OK);
  return out;
}

static inline cp_array *add(cp_array_local *l, cp_array *x, cp_array *y) { return pend(l, CP_OP_add, x, y); }

// Element k of a, which has memory.
static inline double element(const cp_array *a, int64_t k) {
  char *p;
  if (cp_array_pointer(a, &p) != CP_OK) return NAN;
  return *(double *)(void *)(p + (a->ndim > 0 ? k * a->strides[0] : 0));
}

// Whether a has memory with first + k * step at position k.
static inline bool holds(const cp_array *a, double first, double step) {
  if (a->node != NULL || a->storage == NULL) return false;
  for (int64_t k = 0; k < a->size; k++)
    if (element(a, k) != first + step * (double)k) return false;
  return true;
}

static inline bool computes(cp_array *a, double first, double step) {
  return cp_force(&ctx, a) == CP_OK && holds(a, first, step);
}

// The number of pending values; -1 when the links of the list are inconsistent.
static inline int listed(void) {
  int count = 0;
  const cp_node *last = NULL;
  for (const cp_node *n = ctx.lazy.first; n != NULL; last = n, n = n->next) {
    if (n->prev != last || n->handle == NULL || n->handle->node != n || n->kind == CP_NODE_LEAF) return -1;
    count++;
  }
  return ctx.lazy.last == last ? count : -1;
}

// Prints the name of the case if a check in it failed.
static inline void check_nothing_left(const char *what) {
  static int before;
  if (failures > before) fprintf(stderr, "failed in: %s\n", what);
  bool clean = listed() == 0 && ctx.budget.live_bytes == 0 && ctx.lazy.pinned_bytes == 0;
  if (!clean)
    fprintf(stderr, "after %s: %d pending, %zu bytes live, %zu pinned\n", what, listed(),
            ctx.budget.live_bytes, ctx.lazy.pinned_bytes);
  failures += !clean;
  before = failures;
}

// Opens the device and the state.
static inline bool begin(void) {
  cp_register_devices();
  setenv("CUPOLA_GC_EVERY", "1", 1);
  ctx = (cp_context){.hooks = {.collect = collect}, .memory.automatic = true, .lazy.fusion = true};
  return cp_device_find("cpu", &cpu) == CP_OK;
}

static inline int end(const char *name) {
  cp_pool_trim(cpu->pool);
  cp_context_close(&ctx);
  return verdict(name);
}

#endif
