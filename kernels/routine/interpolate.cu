// Linear interpolation at points x in a table (xp, fp), all float64 (line.h).
//
// variants: T=float64
//
// Slots: 0 xp, 1 its length, 2 x, 3 their number, 4 result, 5 the distance of the samples of xp that a block
// keeps, or 0, 6 fp, 7 and 8 the values below and above xp, 9: 1: these are the imaginary parts of a function

#include "line.h"
#include "search.h"

struct cp_slots {
  unsigned long long s[10];
};

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  extern __shared__ __align__(16) unsigned char samples[];
  const cp_sorted sorted =
      cp_sorted_of(p.s[0], (long long)p.s[1], (long long)p.s[5], reinterpret_cast<cp_item *>(samples));
  const double *x = reinterpret_cast<const double *>(p.s[2]), *xp = reinterpret_cast<const double *>(p.s[0]),
               *fp = reinterpret_cast<const double *>(p.s[6]);
  const double below = *reinterpret_cast<const double *>(p.s[7]);
  const double above = *reinterpret_cast<const double *>(p.s[8]);
  for (long long k = (long long)blockIdx.x * BLOCK + threadIdx.x; k < (long long)p.s[3];
       k += (long long)gridDim.x * BLOCK)
    reinterpret_cast<double *>(p.s[4])[k] = cp_interpolated(x[k], cp_passed(sorted, x[k], true), xp, fp,
                                                            (long long)p.s[1], below, above, p.s[9] != 0);
}
