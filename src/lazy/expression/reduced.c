// Domains of reductions, for comparison (reduced.h).
#include "lazy/expression/reduced.h"

static uint32_t hash_of(int ndim, const int64_t *shape) {
  uint64_t hash = (uint64_t)ndim;
  for (int d = 0; d < ndim; d++) hash = (hash ^ (uint64_t)shape[d]) * 0x9e3779b97f4a7c15u;
  return (uint32_t)(hash >> 32);
}

cp_reduced cp_reduced_over(uint32_t axes, int ndim, const int64_t *shape) {
  return (cp_reduced){axes, hash_of(ndim, shape)};
}

bool cp_reduced_spreads(cp_reduced r, int nd, const int64_t *dims, int ndim, const int64_t *shape) {
  if (r.shape != hash_of(ndim, shape)) return false;
  for (int k = 1; k <= nd && k <= ndim; k++)
    if (r.axes >> (ndim - k) & 1 && dims[nd - k] != 1) return false;
  return true;
}
