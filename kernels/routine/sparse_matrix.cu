// Products of a sparse matrix with a dense one in C order. A group of LANES lanes computes LANES * EACH
// columns of a row of the result: all lanes go through the row's entries together, and each multiplies by its
// own elements of x.
//
// variants: T=float32,complex128,int32 INDEX=int32,int64 LANES=2,32 EACH=1
// variants: T=int64,float64,complex64 INDEX=int32 LANES=32 EACH=2,4
//
// Slots: 0 starts, 1 columns of the entries, 2 values, 3 x, 4 result, 5 rows, 6 columns, 7 entries, 8 width,
// 9 groups of columns

#include "sparse.h"

enum { BLOCK = 256 }; // ORDER as in src/cuda/routines/sparse.c

struct cp_slots {
  unsigned long long s[10];
};

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  const long long group = ((long long)blockIdx.x * BLOCK + threadIdx.x) / LANES;
  const long long across = (long long)p.s[9], r = group / across, width = (long long)p.s[8];
  const long long column = group % across * (LANES * EACH) + threadIdx.x % LANES;
  const long long columns = (long long)p.s[6], entries = (long long)p.s[7];
  if (r >= (long long)p.s[5]) return;
  const T *values = reinterpret_cast<const T *>(p.s[2]);
  const T *x = reinterpret_cast<const T *>(p.s[3]);
  T sum[EACH];
#pragma unroll
  for (int e = 0; e < EACH; e++) sum[e] = T_SPACE::r_zero();
  const long long to = cp_start(p.s[0], r + 1, 0, entries);
#pragma unroll 4
  for (long long k = cp_start(p.s[0], r, 0, entries); k < to; k++) {
    const T v = values[k], *from = x + cp_column(p.s[1], k, columns) * width + column;
#pragma unroll
    for (int e = 0; e < EACH; e++)
      if (column + e * LANES < width) sum[e] = cp_step(sum[e], v, from[e * LANES]);
  }
  T *out = reinterpret_cast<T *>(p.s[4]) + r * width + column;
#pragma unroll
  for (int e = 0; e < EACH; e++)
    if (column + e * LANES < width) out[e * LANES] = sum[e];
}
