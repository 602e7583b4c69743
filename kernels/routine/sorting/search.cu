// Binary search: where each value must be inserted into a sorted array of the same dtype T to keep it sorted,
// counted from 1.
//
// BEHIND  1: after equal elements, 0: before them
//
// variants: T=all BEHIND=0
// variants: T=float16,float32,int64,complex64 BEHIND=1
//
// Slots: 0 the sorted array, 1 its length, 2 values, 3 their number, 4 result, 5 the distance of the
// samples of the sorted array that a block keeps, or 0

#include "search.h"

struct cp_slots {
  unsigned long long s[6];
};

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  extern __shared__ __align__(16) unsigned char samples[];
  const cp_sorted sorted =
      cp_sorted_of(p.s[0], (long long)p.s[1], (long long)p.s[5], reinterpret_cast<cp_item *>(samples));
  for (long long k = (long long)blockIdx.x * BLOCK + threadIdx.x; k < (long long)p.s[3];
       k += (long long)gridDim.x * BLOCK)
    reinterpret_cast<long long *>(p.s[4])[k] = cp_passed(sorted, cp_item_at(p.s[2], k), BEHIND) + 1;
}
