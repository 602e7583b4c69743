// Decompositions of a device's LAPACK, in LAPACK's terms: matrices are column-major, packed (the leading dimension is the number of rows),
// and `count` of them follow one another. All memory is the caller's own, so nobody else can write or free it meanwhile: unlike plans
// and products, these functions allocate scratch memory and wait for the device as they like.
//
// When they return the results' status was read: info is LAPACK's for the first matrix that failed (which: its number from 0), or 0.
#ifndef CP_ROUTINES_SOLVER_H
#define CP_ROUTINES_SOLVER_H

#include "base/dtype.h"
#include "device/device.h"

typedef struct cp_solver_call {
  cp_dtype dtype;           // float32, float64, complex64 or complex128
  int64_t count;            // of matrices, 1 or more
  int64_t rows, columns;    // of a; 1 or more
  int64_t right;            // columns of b
  void *a, *b;              // a is destroyed or holds the result
  void *u, *v;              // singular or eigenvectors
  void *w;                  // singular or eigenvalues, tau
  void *pivots;             // from 1; of pivot_size bytes each
  char uplo, trans;         // 'U' 'L', 'N' 'T' 'C'
  bool unit, vectors, full; // a's diagonal counts as ones; vectors are wanted; square u and v
  bool narrow;
  int64_t which;
  int info;
} cp_solver_call;

// Systems of small matrices that are read where they lie, and of which nothing else is kept.
typedef struct cp_systems {
  cp_dtype dtype;
  int64_t count, rows, right;     // right: columns of b; 0: the pivots are wanted
  const char *a, *b;              // b NULL: the identity
  char *out;                      // the solutions, or the pivots, packed
  int64_t steps_a[3], steps_b[3]; // elements to the next matrix, row and column
  bool
      singular; // set: nothing is known of the solutions, a pivot is 0 or the steps are too long; pivots may be 0
} cp_systems;

struct cp_solver_ops {
  // 4 or 8: what lu and lu_solve take for this many matrices.
  size_t (*pivot_size)(int64_t count, int64_t rows, int64_t columns);
  // a = P L U with pivots of min(rows, columns) each. info > 0: U has a zero on its diagonal.
  cp_status (*lu)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // b = op(a)^-1 b, where a and pivots are of lu.
  cp_status (*lu_solve)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // Systems of up to `small` rows and `small_right` right sides. out = a^-1 b, which is waited for; or the pivots, rows of them whose products are
  // the determinants, which are queued. small is 0 where there is no such function.
  int small, small_right;
  cp_status (*systems)(cp_context *ctx, cp_stream *s, cp_systems *c);
  // b = op(a)^-1 b, where the triangle uplo of a counts.
  cp_status (*triangular)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // The triangle uplo of a becomes the factor; the other one stays. info > 0: not positive definite.
  cp_status (*cholesky)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // a becomes R above the diagonal and reflections below it, w their factors (min(rows, columns) each).
  cp_status (*qr)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // a, of `right` reflections with factors w, becomes the first `columns` columns of Q.
  cp_status (*form_q)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // w = singular values, real, falling; with vectors u (rows x k) and v (k x columns, conjugate transpose), where k is min(rows, columns),
  // or full: rows and columns. Needs rows >= columns unless any_shape. info > 0: no convergence.
  bool any_shape;
  cp_status (*svd)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // The same with vectors, of float64 and complex128 alone, by a polar decomposition; never full, and v is columns x k, not transposed.
  // narrow: the results will be rounded to float32. info > 0: no convergence, or so nearly singular that the singular values are off by more than
  // rounding. prefers_polar: that is the faster way for a matrix of dtype t, also when it is a narrower one. NULL where there is none.
  bool (*prefers_polar)(cp_device *d, cp_dtype t, int64_t rows, int64_t columns);
  cp_status (*svd_polar)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // Hermitian a, of which the triangle uplo is read: w = eigenvalues, real, rising; with vectors a becomes the eigenvectors.
  cp_status (*eigh)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // General a: w = eigenvalues, for real a 2 n numbers: the real parts, then the imaginary ones; v = right eigenvectors, for real a in LAPACK's
  // pairs of columns.
  cp_status (*eig)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
};

#endif
