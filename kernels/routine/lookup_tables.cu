// Combines values with elements selected by arrays of positions (lookup.cu) where these elements are few: a
// table of them fits the shared memory of a block. Each block combines its share of the values in tables of
// its own, one for each of the lanes that would collide, and in the end combines these with the elements.
// Threads that meet in one element then wait for shared memory, not for the device's.
//
// KIND      2 add, 3 max, 4 min
// T         the elements' dtype
// INDEX, COUNT, NDIM, WIDE   see lookup.cu
//
// variants: KIND=2 T=all INDEX=8 COUNT=1 NDIM=1 WIDE=0
// variants: KIND=3,4 T=bool,int8,int64,uint16,uint32,float16,float32,float64 INDEX=8 COUNT=1 NDIM=1 WIDE=0
// variants: KIND=2 T=float32 INDEX=4,8 COUNT=2 NDIM=3 WIDE=0,1
//
// Slots: lookup.h; then the bytes from one element to the next, their number, the tables (a power of two),
// the number of the element at base; then the strides in elements, for each axis and for each array

#define MORE    (4 + NDIM + COUNT)
#define ORDERED 0
#include "lookup.h"
#include "combine.h"

enum { AHEAD = 4 };

// What combines with any value to that value.
CP_FN T neutral() {
#if KIND == 2 && defined(T_COMPLEX)
  T zero;
  zero.re = zero.im = -0.0f;
  return zero;
#elif KIND == 2 && defined(T_REAL)
  return (T)-0.0f;
#elif KIND == 2
  return (T)0;
#elif defined(T_REAL)
  const float infinity = __int_as_float(0x7f800000);
  return (T)(KIND == 3 ? -infinity : infinity);
#elif defined(T_BOOLEAN)
  return (T)(KIND == 4);
#else
#if defined(T_SIGNED)
  const unsigned long long lowest = 1ull << (8 * sizeof(item) - 1);
#else
  const unsigned long long lowest = 0;
#endif
  return (T)(item)(KIND == 3 ? lowest : ~lowest);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  extern __shared__ ulonglong2 memory[];
  item *tables = reinterpret_cast<item *>(memory);
  const unsigned cells = (unsigned)p.s[CP_OWN + 1], copies = (unsigned)p.s[CP_OWN + 2];
  const unsigned copy = threadIdx.x & (copies - 1);
  for (unsigned k = threadIdx.x; k < cells * copies; k += BLOCK) tables[k] = T_store(neutral());
  __syncthreads();
  const char *value = (const char *)p.s[2];
  const place size = (place)p.s[0], step = (place)gridDim.x * BLOCK;
  for (place first = (place)blockIdx.x * BLOCK + threadIdx.x; first < size; first += AHEAD * step) {
    unsigned long long cell[AHEAD];
    item m[AHEAD];
    bool good[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
      good[k] = first + k * step < size;
      if (!good[k]) continue;
      long long at[NDIM + 1], base;
      cp_split(p, first + k * step, at);
      good[k] = choose(p, at, &base, &cell[k]);
      m[k] = *(const item *)(value + cp_sum(p, at, 2));
    }
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
      if (good[k])
        combine_at(reinterpret_cast<char *>(tables + ((unsigned)cell[k] * copies + copy)), T_load(m[k]));
  }
  __syncthreads();
  char *origin = (char *)p.s[1] - (long long)p.s[CP_OWN + 3] * (long long)p.s[CP_OWN];
  for (unsigned k = threadIdx.x; k < cells; k += BLOCK) {
    T sum = neutral();
    for (unsigned c = 0; c < copies; c++)
      sum = combine(sum, T_load(tables[k * copies + (c + threadIdx.x & (copies - 1))]));
    combine_at(origin + (long long)k * (long long)p.s[CP_OWN], sum);
  }
}
