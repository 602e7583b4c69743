// Binary search: where each value must be inserted into a sorted array of the same dtype T to keep it sorted,
// counted from 1.
//
// variants: T=all
//
// Slots: 0 the sorted array, 1 its length, 2 values, 3 their number, 4 result, 5: 1: after equal elements, 0:
// before them, 6 samples of the sorted array that a block keeps, or 0

#include "search.h"

struct cp_slots {
  unsigned long long s[7];
};

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  __shared__ cp_rank samples[CP_SAMPLES];
  CP_AWAIT;
  const cp_sorted sorted = cp_sorted_of(p.s[0], (long long)p.s[1], (int)p.s[6], samples);
  const cp_key *values = reinterpret_cast<const cp_key *>(p.s[2]);
  for (long long k = (long long)blockIdx.x * BLOCK + threadIdx.x; k < (long long)p.s[3];
       k += (long long)gridDim.x * BLOCK)
    reinterpret_cast<long long *>(p.s[4])[k] = cp_passed(sorted, cp_rank_at(values, k), p.s[5] != 0) + 1;
}
