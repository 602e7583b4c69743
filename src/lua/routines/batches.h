// The matrices that lie in the last two axes of arrays, as libraries take them one after the other.
#ifndef CP_LUA_ROUTINES_BATCHES_H
#define CP_LUA_ROUTINES_BATCHES_H

#include "array/array.h"
#include "base/shape.h"

// Whether libraries of linear algebra take the dtype.
static inline bool cp_is_wide(cp_dtype t) {
  return t == CP_FLOAT32 || t == CP_FLOAT64 || t == CP_COMPLEX64 || t == CP_COMPLEX128;
}

// The axes before those of the matrices, merged where all three arrays allow it. The last one is BLAS's
// batch.
typedef struct cp_batches {
  int ndim;
  int64_t shape[CP_MAXDIM], a[CP_MAXDIM], b[CP_MAXDIM], c[CP_MAXDIM]; // strides in elements
} cp_batches;

static inline void cp_batch_strides(const cp_array *x, int ndim, const int64_t *shape, int64_t *strides) {
  cp_broadcast_strides(ndim, shape, x->ndim - 2, x->shape, x->strides, strides);
  for (int d = 0; d < ndim; d++) strides[d] /= (int64_t)cp_itemsize(x->dtype);
}

static inline void cp_merge_batches(cp_batches *m) {
  int kept = 0;
  for (int d = 0; d < m->ndim; d++) {
    if (m->shape[d] == 1) continue;
    int64_t n = m->shape[d];
    bool joins = kept > 0 && m->a[kept - 1] == m->a[d] * n && m->b[kept - 1] == m->b[d] * n &&
                 m->c[kept - 1] == m->c[d] * n;
    int to = joins ? kept - 1 : kept++;
    m->shape[to] = joins ? m->shape[to] * n : n;
    m->a[to] = m->a[d];
    m->b[to] = m->b[d];
    m->c[to] = m->c[d];
  }
  m->ndim = kept;
}

#endif
