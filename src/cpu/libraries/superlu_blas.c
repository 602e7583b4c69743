// BLAS as SuperLU uses it within its blocks of columns: products with vectors and triangles of ones, mostly
// of ten or twenty rows. There a call of BLAS takes longer than the work, so loops of ours do it; larger ones
// go on to BLAS.
#include "cpu/libraries/superlu.h"
#include "cpu/loops/products.h"

enum { MOST = 128 }; // rows and columns of a small block

static bool may_replace(void) {
  const cp_superlu_call *call = cp_superlu_now();
  return call != NULL && call->own_loops;
}

static bool is_letter(const char *a, char upper) { return (*a & ~0x20) == upper; }

// SuperLU has products y = A x, and y - A x where y is a column of the block itself.
#define MULTIPLY(T, which, loop, name)                                                                       \
  static void name CP_SLU_MULTIPLY_ARGUMENTS {                                                               \
    T product[MOST], *sum = y;                                                                               \
    const T a_factor = *(const T *)alpha, y_factor = *(const T *)beta;                                       \
    const cp_matvec v = {.lines = *n, .length = *m, .pitch = *pitch, .step = 1};                             \
    const bool small = may_replace() && *m > 0 && *m <= MOST && *n > 0 && *n <= MOST &&                      \
                       is_letter(turned, 'N') && *x_step == 1 && *y_step == 1;                               \
    if (small && a_factor == 1 && y_factor == 0) {                                                           \
      cp_cpu_products()->loop.across(&v, a, x, y);                                                           \
    } else if (small && a_factor == -1 && y_factor == 1) {                                                   \
      cp_cpu_products()->loop.across(&v, a, x, product);                                                     \
      for (int k = 0; k < *m; k++) sum[k] -= product[k];                                                     \
    } else {                                                                                                 \
      cp_superlu_opened()->multiply[which](turned, m, n, alpha, a, pitch, x, x_step, beta, y, y_step);       \
    }                                                                                                        \
  }
MULTIPLY(float, 0, matvec32, multiply_float)
MULTIPLY(double, 1, matvec64, multiply_double)

// A lower triangle of ones.
#define SOLVE(T, which, name)                                                                                \
  static void name CP_SLU_SOLVE_ARGUMENTS {                                                                  \
    T *y = x;                                                                                                \
    if (!may_replace() || *n > MOST || *step != 1 || !is_letter(triangle, 'L') || !is_letter(turned, 'N') || \
        !is_letter(diagonal, 'U')) {                                                                         \
      cp_superlu_opened()->solve[which](triangle, turned, diagonal, n, a, pitch, x, step);                   \
      return;                                                                                                \
    }                                                                                                        \
    for (int k = 0; k < *n - 1; k++) {                                                                       \
      const T *restrict column = (const T *)a + (ptrdiff_t)k * *pitch;                                       \
      const T by = y[k];                                                                                     \
      for (int j = k + 1; j < *n; j++) y[j] -= by * column[j];                                               \
    }                                                                                                        \
  }
SOLVE(float, 0, solve_float)
SOLVE(double, 1, solve_double)

const cp_superlu_binding cp_superlu_blas_bindings[] = {
    CP_SLU_BOUND("sgemv_", multiply_float, false),
    CP_SLU_BOUND("dgemv_", multiply_double, false),
    CP_SLU_BOUND("strsv_", solve_float, false),
    CP_SLU_BOUND("dtrsv_", solve_double, false),
    {NULL, NULL, false},
};
