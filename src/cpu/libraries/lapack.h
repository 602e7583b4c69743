// BLAS and LAPACK by their Fortran symbols, which OpenBLAS, MKL and the reference libraries share. Integers
// have 32 bits; the lengths of text arguments are passed last.
#ifndef CP_CPU_LIBRARIES_LAPACK_H
#define CP_CPU_LIBRARIES_LAPACK_H

#include "base/dtype.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// F(field, symbols for float32, float64, complex64 and complex128, arguments)
// clang-format off
#define CP_LAPACK_FUNCTIONS(F) \
  F(gemm, sgemm_, dgemm_, cgemm_, zgemm_, \
    (const char *ta, const char *tb, const int *m, const int *n, const int *k, const void *alpha, \
     const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c, \
     const int *ldc, size_t, size_t)) \
  F(trsm, strsm_, dtrsm_, ctrsm_, ztrsm_, \
    (const char *side, const char *uplo, const char *ta, const char *diag, const int *m, const int *n, \
     const void *alpha, const void *a, const int *lda, void *b, const int *ldb, size_t, size_t, size_t, \
     size_t)) \
  F(getrf, sgetrf_, dgetrf_, cgetrf_, zgetrf_, \
    (const int *m, const int *n, void *a, const int *lda, int *pivots, int *info)) \
  F(getrs, sgetrs_, dgetrs_, cgetrs_, zgetrs_, \
    (const char *trans, const int *n, const int *nrhs, const void *a, const int *lda, const int *pivots, \
     void *b, const int *ldb, int *info, size_t)) \
  F(potrf, spotrf_, dpotrf_, cpotrf_, zpotrf_, \
    (const char *uplo, const int *n, void *a, const int *lda, int *info, size_t)) \
  F(geqrf, sgeqrf_, dgeqrf_, cgeqrf_, zgeqrf_, \
    (const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork, \
     int *info)) \
  F(orgqr, sorgqr_, dorgqr_, cungqr_, zungqr_, \
    (const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work, \
     const int *lwork, int *info))

// The same for functions whose arguments differ between real and complex: two symbols each.
#define CP_LAPACK_PAIRS(F) \
  F(gesdd_real, sgesdd_, dgesdd_, \
    (const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u, \
     const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, int *iwork, int *info, \
     size_t)) \
  F(gesdd_complex, cgesdd_, zgesdd_, \
    (const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u, \
     const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, void *rwork, int *iwork, \
     int *info, size_t)) \
  F(syevd, ssyevd_, dsyevd_, \
    (const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work, \
     const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t)) \
  F(heevd, cheevd_, zheevd_, \
    (const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work, \
     const int *lwork, void *rwork, const int *lrwork, int *iwork, const int *liwork, int *info, size_t, \
     size_t)) \
  F(geev_real, sgeev_, dgeev_, \
    (const char *jobvl, const char *jobvr, const int *n, void *a, const int *lda, void *wr, void *wi, \
     void *vl, const int *ldvl, void *vr, const int *ldvr, void *work, const int *lwork, int *info, \
     size_t, size_t)) \
  F(geev_complex, cgeev_, zgeev_, \
    (const char *jobvl, const char *jobvr, const int *n, void *a, const int *lda, void *w, void *vl, \
     const int *ldvl, void *vr, const int *ldvr, void *work, const int *lwork, void *rwork, int *info, \
     size_t, size_t))
// clang-format on

typedef struct cp_lapack {
#define FIELD(field, s, d, c, z, arguments) void(*field[4]) arguments;
  CP_LAPACK_FUNCTIONS(FIELD)
#undef FIELD
#define FIELD(field, a, b, arguments) void(*field[2]) arguments;
  CP_LAPACK_PAIRS(FIELD)
#undef FIELD
  // Functions that only some libraries have, by which lapack_open.c sets the number of threads and recognises
  // the library.
  void (*set_openblas)(int count); // for the process
  int (*openblas_kind)(void);      // how it makes its threads
  void (*set_openmp)(int count);   // for the calling thread
  int (*get_openmp)(void);
  int (*set_mkl)(int count); // for the calling thread; returns the previous number
  void (*atlas)(void), (*blis)(void);
} cp_lapack;

// The table of functions. CP_EIO if no library is found, with what to install.
cp_status cp_lapack_open(const cp_lapack **out);
bool cp_lapack_is_slow(void); // whether the opened library is the reference implementation
// How many of the pool's threads a call with `work` multiplications is worth.
int cp_lapack_threads(double work);
// The same for a LAPACK routine on a matrix of this size, most of whose steps depend on the previous ones.
static inline int cp_lapack_threads_of(int64_t rows, int64_t columns) {
  double m = (double)rows, n = (double)columns;
  return cp_lapack_threads(m * n * (m < n ? m : n) / 16);
}
// Called before and after library calls in one thread, to let each use this many threads. cp_lapack_leave
// takes what cp_lapack_enter returned.
int cp_lapack_enter(int threads);
void cp_lapack_leave(int before);
const char *cp_lapack_path(void); // NULL: not opened (yet)

// Index of the dtype in the table's arrays of four symbols and in the pairs.
static inline int cp_lapack_index(cp_dtype t) {
  return (t == CP_FLOAT64 || t == CP_COMPLEX128) + 2 * cp_is_complex(t);
}
static inline int cp_lapack_pair(cp_dtype t) { return t == CP_FLOAT64 || t == CP_COMPLEX128; }

#endif
