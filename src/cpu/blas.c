// Matrix products of the CPU device: by BLAS, small ones without it.
#include "device/blas.h"
#include "cpu/cpu.h"
#include "cpu/lapack.h"
#include "cpu/products.h"
#include "cpu/threads.h"

#include <limits.h>

typedef struct batch {
  const cp_gemm *g;
  const cp_lapack *blas;
  int64_t per_task;
  cp_product_loop *small; // NULL: BLAS multiplies
  cp_product product;
} batch;

static void multiply_small(const batch *b, int64_t k) {
  const cp_gemm *g = b->g;
  size_t item = cp_itemsize(g->dtype);
  b->small(&b->product, (const char *)g->a + (size_t)(k * g->step_a) * item,
           (const char *)g->b + (size_t)(k * g->step_b) * item,
           (char *)g->c + (size_t)(k * g->step_c) * item);
}

static void multiply(const batch *b, int64_t k) {
  const cp_gemm *g = b->g;
  if (b->small != NULL) {
    multiply_small(b, k);
    return;
  }
  static const double one[2] = {1, 0}, zero[2] = {0, 0};
  static const float one_single[2] = {1, 0};
  bool single = g->dtype == CP_FLOAT32 || g->dtype == CP_COMPLEX64;
  size_t item = cp_itemsize(g->dtype);
  const void *alpha = single ? (const void *)one_single : one;
  const char *a = (const char *)g->a + (size_t)(k * g->step_a) * item,
             *other = (const char *)g->b + (size_t)(k * g->step_b) * item;
  char *c = (char *)g->c + (size_t)(k * g->step_c) * item;
  int m = (int)g->m, n = (int)g->n, inner = (int)g->k, lda = (int)g->lda, ldb = (int)g->ldb,
      ldc = (int)g->ldc;
  b->blas->gemm[cp_lapack_index(g->dtype)](g->turn_a ? "T" : "N", g->turn_b ? "T" : "N", &m, &n, &inner,
                                           alpha, a, &lda, other, &ldb, zero, c, &ldc, 1, 1);
}

static void multiply_tasks(void *data, cp_tasks *tasks) {
  const batch *b = data;
  for (int64_t task; cp_next_task(tasks, &task);) {
    int64_t first = task * b->per_task, end = first + b->per_task;
    for (int64_t k = first; k < end && k < b->g->count; k++) multiply(b, k);
  }
}

static cp_product_loop *small_loop(const cp_gemm *g) {
  enum { WIDE = 24 }; // of float64: beyond it BLAS is as fast
  int64_t most = g->dtype == CP_FLOAT64 ? WIDE : CP_SMALL_SIDE;
  if (g->m > most || g->n > most || g->k > most) return NULL;
  if (g->dtype == CP_FLOAT32) return cp_cpu_products()->float32;
  return g->dtype == CP_FLOAT64 ? cp_cpu_products()->float64 : NULL;
}

static cp_status gemm(cp_stream *s, const cp_gemm *g) {
  const cp_lapack *blas;
  (void)s;
  CP_TRY(cp_lapack_open(&blas));
  const int64_t sizes[] = {g->m, g->n, g->k, g->lda, g->ldb, g->ldc};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
    if (sizes[k] > INT_MAX)
      return cp_fail(CP_ESHAPE, "an axis of %lld elements is too long for BLAS (at most %d)",
                     (long long)sizes[k], INT_MAX);
  // Small products stay in the thread that asks for them, so the threads of the pool may each do some.
  double work = (double)g->m * (double)g->n * (double)g->k;
  bool small = work <= 64.0 * 64 * 64;
  batch b = {.g = g,
             .blas = blas,
             .per_task = small ? 1 + (int64_t)(32768 / (work + 64)) : g->count,
             .small = small_loop(g)};
  b.product = (cp_product){
      (int)g->m, (int)g->n, (int)g->k, g->turn_a, g->lda, g->turn_b ? g->ldb : 1, g->turn_b ? 1 : g->ldb,
      g->ldc};
  cp_parallel(multiply_tasks, &b, (g->count + b.per_task - 1) / b.per_task, small);
  return CP_OK;
}

static cp_status prepare(cp_context *ctx, cp_stream *s) {
  const cp_lapack *lapack;
  (void)ctx, (void)s;
  return cp_lapack_open(&lapack);
}

const cp_blas_ops cp_cpu_blas = {.half = false, .prepare = prepare, .gemm = gemm};
