// Sorts short rows. A block loads one or several rows into shared memory, padded with the highest key to a
// power of two, and sorts them by a bitonic network. T: any dtype but complex. PLACES 0: the sorted elements
// are the result; 1: their positions in the row, from 1, where positions order equal elements.
//
// variants: T=float32,float64,float16,bool,int8 PLACES=0,1
//
// Slots: 0 in, 1 out, 2 rows, 3 length, 4 padded length. Two elements per thread, at most MOST per block.

#include "order.h"

enum { MOST = 2048 };

struct cp_slots {
  unsigned long long s[5];
};

extern "C" __global__ void __launch_bounds__(MOST / 2) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ cp_key keys[MOST];
#if PLACES
  __shared__ unsigned short places[MOST];
#endif
  const unsigned size = (unsigned)p.s[4], length = (unsigned)p.s[3], threads = blockDim.x;
  const long long rows = (long long)p.s[2], first = (long long)blockIdx.x * (2 * threads / size);
  const cp_key *in = reinterpret_cast<const cp_key *>(p.s[0]);
  for (unsigned i = threadIdx.x; i < 2 * threads; i += threads) {
    const unsigned k = i % size;
    const long long row = first + i / size;
    const bool on = row < rows && k < length;
#if PLACES
    keys[i] = on ? cp_rank_of(in[row * length + k]) : CP_LAST;
    places[i] = (unsigned short)k;
#else
    keys[i] = on ? cp_key_of(in[row * length + k]) : CP_LAST;
#endif
  }
  __syncthreads();
  for (unsigned run = 2; run <= size; run *= 2) {
    for (unsigned step = run / 2; step > 0; step /= 2) {
      const unsigned i = 2 * threadIdx.x - (threadIdx.x & (step - 1)), j = i + step;
      const bool up = (i & (size - 1) & run) == 0;
      const cp_key a = keys[i], b = keys[j];
#if PLACES
      const unsigned short x = places[i], y = places[j];
      const bool swap = (b < a || (b == a && y < x)) == up;
      if (swap) {
        places[i] = y;
        places[j] = x;
      }
#else
      const bool swap = (b < a) == up;
#endif
      if (swap) {
        keys[i] = b;
        keys[j] = a;
      }
      __syncthreads();
    }
  }
  for (unsigned i = threadIdx.x; i < 2 * threads; i += threads) {
    const unsigned k = i % size;
    const long long row = first + i / size;
    if (row >= rows || k >= length) continue;
#if PLACES
    reinterpret_cast<long long *>(p.s[1])[row * length + k] = places[i] + 1ll;
#else
    reinterpret_cast<cp_key *>(p.s[1])[row * length + k] = cp_value_of(keys[i]);
#endif
  }
}
