// Estimates the time of library calls (cost.h). Operation counts are the textbooks' (Golub and Van Loan,
// Matrix Computations); rates are what one core and a current GPU reach in double precision. Right within a
// factor of a few.
#include "routines/cost.h"

#include "device/context.h"

#include <math.h>
#include <string.h>

// Operations per second.
static const double transform_rate[2] = {2e9, 5e11}, product_rate = 1e13, gpu_speedup = 30;

static bool is_cpu(const cp_device *d) { return strcmp(d->ops->kind, "cpu") == 0; }

static cp_status compare(const cp_context *ctx, double operations, double seconds) {
  if (seconds <= ctx->interrupt.longest_piece) return CP_OK;
  return cp_fail(
      CP_EUSAGE,
      "this takes about %.2g operations that cannot be interrupted, some %.2g s; the host allows %.3g s",
      operations, seconds, ctx->interrupt.longest_piece);
}

// ---- decompositions ---------------------------------------------------------------------------------------

// Operations for one real matrix; *rate: operations per second of one core.
static double decomposition(const char *function, const cp_solver_call *c, double *rate) {
  double m = (double)c->rows, n = (double)c->columns, right = (double)c->right;
  double most = fmax(m, n), least = fmin(m, n);
  *rate = 2e10;
  if (strcmp(function, "lu") == 0) return 2.0 / 3 * most * least * least;
  if (strcmp(function, "lu_solve") == 0) return 2 * m * m * right;
  if (strcmp(function, "triangular") == 0) return m * m * right;
  if (strcmp(function, "cholesky") == 0) return m * m * m / 3;
  if (strcmp(function, "qr") == 0) return 2 * most * least * least;
  if (strcmp(function, "form_q") == 0) return 4 * m * n * right;
  *rate = 1.5e10; // much of what follows is bound by memory
  if (strcmp(function, "eigh") == 0) return (c->vectors ? 9.0 : 4.0 / 3) * m * m * m;
  if (strcmp(function, "eig") == 0) return (c->vectors ? 25.0 : 10.0) * m * m * m;
  double square = c->full ? most : least; // svd, by either algorithm
  return c->vectors ? 4 * most * least * square + 22 * least * least * least : 4 * most * least * least;
}

cp_status cp_may_decompose(const cp_context *ctx, const cp_device *d, const char *function,
                           const cp_solver_call *c) {
  double rate, operations = decomposition(function, c, &rate) * (cp_is_complex(c->dtype) ? 4 : 1);
  if (!is_cpu(d)) operations *= (double)c->count, rate *= gpu_speedup;
  return compare(ctx, operations, operations / rate);
}

// ---- transforms and products ------------------------------------------------------------------------------

cp_status cp_may_transform(const cp_context *ctx, const cp_device *d, const cp_fft_shape *s) {
  double points = 1, all = 1;
  for (int k = 0; k < s->rank; k++) points *= (double)s->n[k];
  for (int k = 0; k < s->nbatch; k++) all *= (double)s->count[k];
  double operations = 5 * points * all * (1 + log2(points)) * (s->kind == CP_FFT_C2C ? 1 : 0.5);
  return compare(ctx, operations, operations / transform_rate[!is_cpu(d)]);
}

cp_status cp_may_multiply(const cp_context *ctx, const cp_device *d, const cp_gemm *g) {
  if (is_cpu(d)) return CP_OK;
  double operations = 2 * (double)g->m * (double)g->n * (double)g->k * (double)g->count;
  if (cp_is_complex(g->dtype)) operations *= 4;
  return compare(ctx, operations, operations / product_rate);
}
