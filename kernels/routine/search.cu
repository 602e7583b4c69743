// Binary search: where each value must be inserted into a sorted array of the same dtype T to keep it sorted,
// counted from 1. One thread per value.
//
// variants: T=all
//
// Slots: 0 the sorted array, 1 its length, 2 values, 3 their number, 4 result, 5: 1: after equal elements, 0:
// before them

#include "order.h"

enum { BLOCK = 256 };

struct cp_slots {
  unsigned long long s[6];
};

struct cp_rank {
  cp_key part[PARTS];
};

CP_FN cp_rank cp_rank_at(unsigned long long base, long long k) {
  const cp_key *v = reinterpret_cast<const cp_key *>(base) + k * PARTS;
  cp_rank r;
  for (int i = 0; i < PARTS; i++) r.part[i] = cp_rank_of(v[i]);
  return r;
}

// Complex numbers are ordered by whether the real part is nan, then whether the imaginary part is, then by
// the parts.
CP_FN bool cp_less(const cp_rank &x, const cp_rank &y) {
#if defined(T_COMPLEX)
  const int cx = 2 * (x.part[0] == CP_LAST) + (x.part[1] == CP_LAST);
  const int cy = 2 * (y.part[0] == CP_LAST) + (y.part[1] == CP_LAST);
  if (cx != cy) return cx < cy;
  if (x.part[0] == y.part[0]) return x.part[1] < y.part[1];
#endif
  return x.part[0] < y.part[0];
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  const long long k = (long long)blockIdx.x * BLOCK + threadIdx.x;
  if (k >= (long long)p.s[3]) return;
  const cp_rank v = cp_rank_at(p.s[2], k);
  long long low = 0, high = (long long)p.s[1];
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    const cp_rank m = cp_rank_at(p.s[0], middle);
    if (p.s[5] ? !cp_less(v, m) : cp_less(m, v))
      low = middle + 1;
    else
      high = middle;
  }
  reinterpret_cast<long long *>(p.s[4])[k] = low + 1;
}
