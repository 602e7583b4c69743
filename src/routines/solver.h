// Decompositions by a device's LAPACK, in LAPACK's terms: matrices are column-major and packed (the leading
// dimension is the number of rows), and `count` of them follow each other. All memory belongs to the caller
// alone, so nobody else can write or free it meanwhile. So, unlike plans and products, these functions may
// allocate scratch memory and wait for the device.
//
// On return the results' status has been read: info is LAPACK's for the first matrix that failed (which: its
// index from 0), or 0.
#ifndef CP_ROUTINES_SOLVER_H
#define CP_ROUTINES_SOLVER_H

#include "base/dtype.h"
#include "device/device.h"

typedef struct cp_solver_call {
  cp_dtype dtype;           // float32, float64, complex64 or complex128
  int64_t count;            // number of matrices, at least 1
  int64_t rows, columns;    // of a; at least 1
  int64_t right;            // columns of b
  void *a, *b;              // a is overwritten, by the result or otherwise
  void *u, *v;              // singular vectors or eigenvectors
  void *w;                  // singular values, eigenvalues, or tau
  void *pivots;             // counted from 1; pivot_size bytes each
  char uplo, trans;         // 'U' 'L', 'N' 'T' 'C'
  bool unit, vectors, full; // unit: a's diagonal counts as ones; vectors: compute them; full: square u and v
  bool narrow;
  int64_t which;
  int info;
} cp_solver_call;

// Linear systems of small matrices, which are read in place. No factors are kept.
typedef struct cp_systems {
  cp_dtype dtype;
  int64_t count, rows, right;     // right: columns of b; 0: return the pivots
  const char *a, *b;              // b NULL: the identity
  char *out;                      // the solutions or the pivots, packed
  int64_t steps_a[3], steps_b[3]; // strides in elements: matrix, row, column
  // true if the results are not valid: a pivot is 0, or a stride is too large; then pivots may be 0
  bool singular;
} cp_systems;

struct cp_solver_ops {
  // 4 or 8: the pivot size in lu and lu_solve for this many matrices.
  size_t (*pivot_size)(int64_t count, int64_t rows, int64_t columns);
  // a = P L U with min(rows, columns) pivots each. info > 0: U has a zero on its diagonal.
  cp_status (*lu)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // b = op(a)^-1 b, where a and pivots come from lu.
  cp_status (*lu_solve)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // Systems of up to `small` rows and `small_right` right-hand sides. out = a^-1 b, waits for the result; or
  // the pivots, queued, `rows` of them per matrix, whose product is the determinant. small is 0 if there is
  // no such function.
  int small, small_right;
  cp_status (*systems)(cp_context *ctx, cp_stream *s, cp_systems *c);
  // b = op(a)^-1 b, where only the triangle uplo of a is used.
  cp_status (*triangular)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // Whether cholesky takes so much longer for the upper triangle that it pays to turn a matrix whose lower
  // triangle, in rows, is to be factored.
  bool factors_lower;
  // Overwrites the triangle uplo of a with the factor; the other triangle is unchanged. info > 0: not
  // positive definite.
  cp_status (*cholesky)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // Overwrites a with R on and above the diagonal and reflectors below it; w = their factors (min(rows,
  // columns) each).
  cp_status (*qr)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // Overwrites a, `right` reflectors with factors w, with the first `columns` columns of Q.
  cp_status (*form_q)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // w = singular values, real, in descending order; with vectors also u (rows x k) and v (k x columns,
  // conjugate transpose), where k is min(rows, columns), or with full: rows and columns. Needs rows >=
  // columns unless any_shape. info > 0: no convergence.
  bool any_shape;
  cp_status (*svd)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // Optional, both or neither: the same by a polar decomposition, with vectors, for float64 and complex128
  // only; never full, and v is columns x k, not transposed. narrow: the results will be rounded to float32.
  // info > 0: no convergence, or the matrix is so nearly singular that the singular values are wrong by more
  // than rounding errors. prefers_polar: this is the faster way for a matrix of dtype t, even if t is
  // narrower.
  bool (*prefers_polar)(cp_device *d, cp_dtype t, int64_t rows, int64_t columns);
  cp_status (*svd_polar)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // Hermitian a, of which the triangle uplo is read: w = eigenvalues, real, in ascending order; with vectors
  // a becomes the eigenvectors.
  cp_status (*eigh)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // General a: w = eigenvalues (for real a 2 n numbers: the real parts, then the imaginary parts), v = right
  // eigenvectors (for real a as LAPACK's pairs of columns).
  cp_status (*eig)(cp_context *ctx, cp_stream *s, cp_solver_call *c);
  // Optional: sparse systems (direct.h).
  const struct cp_direct_ops *direct;
};

#endif
