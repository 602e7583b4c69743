// BLAS as SuperLU uses it within its blocks of columns: products with vectors and triangles of ones, mostly
// of ten or twenty rows. There a call of BLAS takes longer than the work, so loops of ours do it; larger ones
// go on to BLAS.
#include "cpu/libraries/superlu.h"

#include <string.h>

enum { MOST = 128 }; // rows and columns of a small block

static bool may_replace(void) {
  const cp_superlu_call *call = cp_superlu_now();
  return call != NULL && call->own_loops;
}

static bool is_letter(const char *a, char upper) { return (*a & ~0x20) == upper; }

// y += factor A x, four columns at once, as each pass reads and writes y.
#define ADD_PRODUCT(T)                                                                                       \
  static void add_product_##T(int m, int n, const T *a, ptrdiff_t pitch, const T *x, T factor,               \
                              T *restrict y) {                                                               \
    int k = 0;                                                                                               \
    for (; k + 4 <= n; k += 4, a += 4 * pitch) {                                                             \
      const T *one = a, *two = a + pitch, *three = two + pitch, *four = three + pitch;                       \
      const T p = factor * x[k], q = factor * x[k + 1], r = factor * x[k + 2], s = factor * x[k + 3];        \
      for (int i = 0; i < m; i++) y[i] += (p * one[i] + q * two[i]) + (r * three[i] + s * four[i]);          \
    }                                                                                                        \
    for (; k < n; k++, a += pitch) {                                                                         \
      const T p = factor * x[k];                                                                             \
      for (int i = 0; i < m; i++) y[i] += p * a[i];                                                          \
    }                                                                                                        \
  }
ADD_PRODUCT(float)
ADD_PRODUCT(double)

// SuperLU has products y = A x, and y - A x where y is a column of the block itself.
#define MULTIPLY(T, which)                                                                                   \
  static void multiply_##T CP_SLU_MULTIPLY_ARGUMENTS {                                                       \
    const T a_factor = *(const T *)alpha, y_factor = *(const T *)beta;                                       \
    const bool small = may_replace() && *m > 0 && *m <= MOST && *n > 0 && *n <= MOST &&                      \
                       is_letter(turned, 'N') && *x_step == 1 && *y_step == 1;                               \
    if (!small || (y_factor != 0 && y_factor != 1)) {                                                        \
      cp_superlu_opened()->multiply[which](turned, m, n, alpha, a, pitch, x, x_step, beta, y, y_step);       \
      return;                                                                                                \
    }                                                                                                        \
    if (y_factor == 0) memset(y, 0, (size_t)*m * sizeof(T));                                                 \
    add_product_##T(*m, *n, a, *pitch, x, a_factor, y);                                                      \
  }
MULTIPLY(float, 0)
MULTIPLY(double, 1)

// A lower triangle of ones.
#define SOLVE(T, which, name)                                                                                \
  static void name CP_SLU_SOLVE_ARGUMENTS {                                                                  \
    T *y = x;                                                                                                \
    if (!may_replace() || *n > MOST || *step != 1 || !is_letter(triangle, 'L') || !is_letter(turned, 'N') || \
        !is_letter(diagonal, 'U')) {                                                                         \
      cp_superlu_opened()->solve[which](triangle, turned, diagonal, n, a, pitch, x, step);                   \
      return;                                                                                                \
    }                                                                                                        \
    int k = 0;                                                                                               \
    for (; k + 2 < *n; k += 2) { /* two columns at once, as each pass reads and writes y */                  \
      const T *restrict one = (const T *)a + (ptrdiff_t)k * *pitch, *restrict two = one + *pitch;            \
      const T by_one = y[k], by_two = y[k + 1] -= by_one * one[k + 1];                                       \
      for (int i = k + 2; i < *n; i++) y[i] = y[i] - by_one * one[i] - by_two * two[i];                      \
    }                                                                                                        \
    if (k + 2 == *n) y[k + 1] -= y[k] * ((const T *)a + (ptrdiff_t)k * *pitch)[k + 1];                       \
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
