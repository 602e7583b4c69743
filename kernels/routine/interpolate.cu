// Linear interpolation at points x in a table (xp, fp), all float64 (line.h).
//
// variants: T=float64
//
// Slots: 0 xp, 1 its length, 2 x, 3 their number, 4 result, 5 fp, 6 samples of xp that a block keeps, or 0, 7
// and 8 the values below and above xp, 9: 1: these are the imaginary parts of a function

#include "line.h"
#include "search.h"

struct cp_slots {
  unsigned long long s[10];
};

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  __shared__ cp_rank samples[CP_SAMPLES];
  CP_AWAIT;
  const cp_sorted sorted = cp_sorted_of(p.s[0], (long long)p.s[1], (int)p.s[6], samples);
  const double *x = reinterpret_cast<const double *>(p.s[2]), *xp = reinterpret_cast<const double *>(p.s[0]),
               *fp = reinterpret_cast<const double *>(p.s[5]);
  const double below = *reinterpret_cast<const double *>(p.s[7]), above = *reinterpret_cast<const double *>(p.s[8]);
  for (long long k = (long long)blockIdx.x * BLOCK + threadIdx.x; k < (long long)p.s[3];
       k += (long long)gridDim.x * BLOCK) {
    const long long passed = cp_passed(sorted, cp_rank_at(reinterpret_cast<const cp_key *>(x), k), true);
    reinterpret_cast<double *>(p.s[4])[k] =
        cp_interpolated(x[k], passed, xp, fp, (long long)p.s[1], below, above, p.s[9] != 0);
  }
}
