// Solves a triangular system with a sparse matrix. A warp solves for one row: it waits until the rows that
// its entries refer to are solved, which they mark in `ready`. Blocks take rows in order, by a counter, so
// that what a warp waits for is always under way. The order of summation is fixed.
//
// variants: T=float32,float64,complex64,complex128 INDEX=int32,int64
//
// Slots: 0 starts, 1 columns of the entries, 2 values, 3 x (holds the right side), 4 rows, 5 entries, 6
// width, 7 ready: the counter, then a word for each row, all 0; 8 bit 0: lower, bit 1: the diagonal is 1 and
// not stored

#include "sparse.h"

enum { BLOCK = 256, WARPS = BLOCK / 32 }; // ORDER as in src/cuda/routines/sparse.c

struct cp_slots {
  unsigned long long s[9];
};

// Reads an element that another multiprocessor has written, past the first cache.
CP_FN T cp_fresh(const T *at) {
#if defined(T_COMPLEX)
  T v;
  v.re = __ldcg(&at->re);
  v.im = __ldcg(&at->im);
  return v;
#else
  return __ldcg(at);
#endif
}

CP_FN T cp_minus(T a, T b) {
#if defined(T_COMPLEX)
  return T_SPACE::c_subtract(a, b);
#else
  return a - b;
#endif
}

CP_FN T cp_over(T a, T b) {
#if defined(T_COMPLEX)
  return T_SPACE::c_divide(a, b);
#else
  return a / b;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ unsigned first;
  unsigned *counter = reinterpret_cast<unsigned *>(p.s[7]);
  volatile unsigned *ready = counter + 1;
  if (threadIdx.x == 0) first = atomicAdd(counter, (unsigned)WARPS);
  __syncthreads();
  const long long rows = (long long)p.s[4], entries = (long long)p.s[5], width = (long long)p.s[6];
  const bool lower = p.s[8] & 1, unit = p.s[8] & 2;
  const long long place = (long long)first + threadIdx.x / 32, r = lower ? place : rows - 1 - place;
  const int lane = (int)threadIdx.x % 32;
  if (place >= rows) return; // a warp as a whole
  const T *values = reinterpret_cast<const T *>(p.s[2]);
  T *x = reinterpret_cast<T *>(p.s[3]), diagonal = T_SPACE::r_zero();
  long long from = cp_start(p.s[0], r, 0, entries), to = cp_start(p.s[0], r + 1, 0, entries);
  if (!unit && from < to) diagonal = values[lower ? --to : from++];
  for (long long k = from + lane; k < to; k += 32) {
    // A row that comes later would never be ready; the caller has checked that there is none.
    const long long c = cp_column(p.s[1], k, rows);
    if (lower ? c < r : c > r)
      while (ready[c] == 0) {
      }
  }
  __threadfence();
  __syncwarp();
  for (long long w = 0; w < width; w++) {
    T sum = T_SPACE::r_zero();
    for (long long k = from + lane; k < to; k += 32)
      sum = cp_step(sum, values[k], cp_fresh(x + cp_column(p.s[1], k, rows) * width + w));
    sum = cp_sum_of_lanes(sum, 32);
    if (lane == 0) {
      const T rest = cp_minus(x[r * width + w], sum);
      x[r * width + w] = unit ? rest : cp_over(rest, diagonal);
    }
  }
  __threadfence();
  if (lane == 0) ready[r] = 1;
}
