// Matrix products of the CPU device: by BLAS, or by loops of its own for small matrices.
#include "routines/blas.h"
#include "cpu/libraries/lapack.h"
#include "cpu/loops/products.h"
#include "cpu/run/cpu.h"
#include "host/threads.h"

#include <limits.h>

typedef struct batch {
  const cp_gemm *g;
  const cp_lapack *blas;
  int64_t per_task;
  int threads;            // BLAS threads per product
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

// Rows, columns and depth of the part of a product that one call of BLAS computes.
typedef struct part {
  int64_t m, n, k;
} part;

static void multiply_part(const batch *b, int64_t matrix, part from, part size) {
  static const double one[2] = {1, 0}, zero[2] = {0, 0};
  static const float one_single[2] = {1, 0};
  const cp_gemm *g = b->g;
  bool single = g->dtype == CP_FLOAT32 || g->dtype == CP_COMPLEX64;
  size_t item = cp_itemsize(g->dtype);
  const void *alpha = single ? (const void *)one_single : one, *beta = from.k > 0 ? alpha : zero;
  int64_t in_a = g->turn_a ? from.k + from.m * g->lda : from.m + from.k * g->lda,
          in_b = g->turn_b ? from.n + from.k * g->ldb : from.k + from.n * g->ldb;
  const char *a = (const char *)g->a + (size_t)(matrix * g->step_a + in_a) * item,
             *other = (const char *)g->b + (size_t)(matrix * g->step_b + in_b) * item;
  char *c = (char *)g->c + (size_t)(matrix * g->step_c + from.m + from.n * g->ldc) * item;
  int m = (int)size.m, n = (int)size.n, inner = (int)size.k, lda = (int)g->lda, ldb = (int)g->ldb,
      ldc = (int)g->ldc;
  b->blas->gemm[cp_lapack_index(g->dtype)](g->turn_a ? "T" : "N", g->turn_b ? "T" : "N", &m, &n, &inner,
                                           alpha, a, &lda, other, &ldb, beta, c, &ldc, 1, 1);
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// The number of lines of `length` that the limits on work and memory allow, between `least` and `most`.
static int64_t lines(int64_t work, int64_t length, int64_t depth, int64_t least, int64_t most) {
  enum { ROOM = 1 << 21 }; // elements read and written
  int64_t n = smaller(work / (length * depth), ROOM / (length + depth));
  return smaller(n > least ? n : least, most);
}

// A part that BLAS computes in some milliseconds. It depends on the shape alone, so that results do too.
// Parts are about square, and have the whole depth k unless that is very large.
static part part_of(const cp_gemm *g) {
  enum { WORK = 1 << 26, SIDE = 64, LONGEST = 1 << 15 };
  int64_t work = cp_is_complex(g->dtype) ? WORK / 4 : WORK, side = SIDE;
  part p = {.k = smaller(g->k, LONGEST)};
  while (4 * side * side * p.k <= work) side *= 2;
  p.m = smaller(g->m, side);
  p.n = lines(work, p.m, p.k, side, g->n);
  p.m = lines(work, p.n, p.k, side, g->m);
  p.k = lines(work, p.m, p.n, p.k, g->k);
  return p;
}

static void multiply_parts(const batch *b, int64_t matrix, cp_tasks *tasks) {
  const cp_gemm *g = b->g;
  const part most = part_of(g);
  part at, size;
  for (at.n = 0; at.n < g->n; at.n += size.n) {
    size.n = smaller(most.n, g->n - at.n);
    for (at.m = 0; at.m < g->m; at.m += size.m) {
      size.m = smaller(most.m, g->m - at.m);
      for (at.k = 0; at.k < g->k; at.k += size.k) {
        size.k = smaller(most.k, g->k - at.k);
        if (!cp_go_on(tasks)) return;
        multiply_part(b, matrix, at, size);
      }
    }
  }
}

// Checks for an interrupt between parts of the product if the host may interrupt, which costs a little.
static void multiply(const batch *b, int64_t k, cp_tasks *tasks) {
  const cp_gemm *g = b->g;
  if (b->small != NULL)
    multiply_small(b, k);
  else if (tasks->ctx != NULL)
    multiply_parts(b, k, tasks);
  else
    multiply_part(b, k, (part){0, 0, 0}, (part){g->m, g->n, g->k});
}

static void multiply_tasks(void *data, cp_tasks *tasks) {
  const batch *b = data;
  int before = b->small == NULL ? cp_lapack_enter(b->threads) : 0;
  for (int64_t task; cp_next_task(tasks, &task);) {
    int64_t first = task * b->per_task, end = first + b->per_task;
    for (int64_t k = first; k < end && k < b->g->count; k++) multiply(b, k, tasks);
  }
  if (b->small == NULL) cp_lapack_leave(before);
}

static cp_product_loop *small_loop(const cp_gemm *g) {
  enum { WIDE = 24 }; // for float64; beyond this BLAS is as fast
  int64_t most = g->dtype == CP_FLOAT64 ? WIDE : CP_SMALL_SIDE;
  if (g->m > most || g->n > most || g->k > most) return NULL;
  if (g->dtype == CP_FLOAT32) return cp_cpu_products()->float32;
  return g->dtype == CP_FLOAT64 ? cp_cpu_products()->float64 : NULL;
}

static cp_status gemm(cp_stream *s, const cp_gemm *g) {
  const cp_lapack *blas;
  CP_TRY(cp_lapack_open(&blas));
  const int64_t sizes[] = {g->m, g->n, g->k, g->lda, g->ldb, g->ldc};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
    if (sizes[k] > INT_MAX)
      return cp_fail(CP_ESHAPE, "an axis of %lld elements is too long for BLAS (at most %d)",
                     (long long)sizes[k], INT_MAX);
  // Small products take one thread each, so the threads of the pool can share them.
  double work = (double)g->m * (double)g->n * (double)g->k;
  int threads = cp_lapack_threads(work);
  bool small = threads == 1;
  batch b = {.g = g,
             .blas = blas,
             .threads = threads,
             .per_task = small ? 1 + (int64_t)(32768 / (work + 64)) : g->count,
             .small = small_loop(g)};
  b.product = (cp_product){
      (int)g->m, (int)g->n, (int)g->k, g->turn_a, g->lda, g->turn_b ? g->ldb : 1, g->turn_b ? 1 : g->ldb,
      g->ldc};
  return cp_parallel(s->context, multiply_tasks, &b, (g->count + b.per_task - 1) / b.per_task, small);
}

static cp_status prepare(cp_context *ctx, cp_stream *s) {
  const cp_lapack *lapack;
  (void)ctx, (void)s;
  return cp_lapack_open(&lapack);
}

const cp_blas_ops cp_cpu_blas = {.half = false, .prepare = prepare, .gemm = gemm, .gemv = cp_cpu_gemv};
