// Counts elements by bins, or sums their weights (float64). If a table of the bins fits into shared memory,
// every block has one, and copies of it for lanes that would collide in one bin; in the end the blocks'
// tables are added.
//
// EDGES 0: the bin is the element, an integer, from 0. 1: it is the bin between whose edges the element lies
// (float32, float64).
//
// variants: T=bool,int8,int32,int64,uint64 EDGES=0 WEIGHTED=0,1 SHARED=0,1
// variants: T=float32,float64 EDGES=1 WEIGHTED=0,1 SHARED=0,1
//
// Slots: 0 in, 1 count, 2 weights, 3 edges, 4 first edge, 5 last edge (as T), 6 bins, 7 out, 8 copies (a
// power of two)

enum { BLOCK = 256, AHEAD = 4 };

struct cp_slots {
  unsigned long long s[9];
};

#if WEIGHTED
typedef double cp_sum;
typedef double cp_cell;
#else
typedef unsigned long long cp_sum;
typedef unsigned cp_cell; // of a block, which counts fewer than 2^32 elements
#endif

// The element's bin; < 0 or >= bins: none.
#if EDGES
CP_FN T cp_edge(unsigned long long slot) {
#if defined(T_IS_float32)
  return __uint_as_float((unsigned)slot);
#else
  return __longlong_as_double((long long)slot);
#endif
}

CP_FN long long cp_bin(T v, const cp_slots &p) {
  const T low = cp_edge(p.s[4]), high = cp_edge(p.s[5]);
  const T *edges = reinterpret_cast<const T *>(p.s[3]);
  const long long bins = (long long)p.s[6];
  if (!(v >= low && v <= high)) return -1;
  const T place = (v - low) / (high - low) * (T)bins; // nan if the width is 0 or infinite
  long long bin = place < (T)bins ? (long long)place : place >= (T)bins ? bins - 1 : 0;
  if (v < edges[bin])
    bin--;
  else if (bin != bins - 1 && v >= edges[bin + 1])
    bin++;
  return bin;
}
#else
CP_FN long long cp_bin(T v, const cp_slots &) { return (long long)v; }
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  const T_memory *in = reinterpret_cast<const T_memory *>(p.s[0]);
  const long long count = (long long)p.s[1], bins = (long long)p.s[6];
  cp_sum *out = reinterpret_cast<cp_sum *>(p.s[7]);
#if SHARED
  extern __shared__ double cp_tables[];
  cp_cell *table = reinterpret_cast<cp_cell *>(cp_tables);
  const unsigned copies = (unsigned)p.s[8], cells = (unsigned)bins * copies,
                 copy = threadIdx.x & (copies - 1);
  for (unsigned k = threadIdx.x; k < cells; k += BLOCK) table[k] = 0;
  __syncthreads();
#endif
  const long long step = (long long)gridDim.x * BLOCK;
  for (long long start = (long long)blockIdx.x * BLOCK + threadIdx.x; start < count; start += AHEAD * step) {
    T v[AHEAD];
#pragma unroll
    for (int a = 0; a < AHEAD; a++)
      if (start + a * step < count) v[a] = T_load(in[start + a * step]);
#pragma unroll
    for (int a = 0; a < AHEAD; a++) {
      if (start + a * step >= count) continue;
      const long long bin = cp_bin(v[a], p);
      if (bin < 0 || bin >= bins) continue;
#if WEIGHTED
      const double one = reinterpret_cast<const double *>(p.s[2])[start + a * step];
#else
      const cp_cell one = 1;
#endif
#if SHARED
      atomicAdd(&table[(unsigned)bin * copies + copy], one);
#else
      atomicAdd(&out[bin], (cp_sum)one);
#endif
    }
  }
#if SHARED
  __syncthreads();
  for (unsigned k = threadIdx.x; k < (unsigned)bins; k += BLOCK) {
    cp_sum sum = 0;
    for (unsigned c = 0; c < copies; c++) sum += (cp_sum)table[k * copies + (c + threadIdx.x & (copies - 1))];
    if (sum != 0) atomicAdd(&out[k], sum);
  }
#endif
}
