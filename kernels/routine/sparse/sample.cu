// Products of two dense matrices at the places of a sparse one. A group of LANES lanes sums one element after
// the other, from rows of x and y, of which a lane reads EACH elements at once.
//
// variants: T=float32,int32 INDEX=int32,int64 LANES=2,32 EACH=4
// variants: T=float64,complex64,int64 INDEX=int32,int64 LANES=32 EACH=1,2
// variants: T=complex128 INDEX=int32 LANES=1,32 EACH=1
//
// Slots: 0 starts, 1 columns of the entries, 2 x, 3 y, 4 result, 5 rows, 6 columns, 7 entries, 8 elements of
// a row of x and y

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse.c. ITEMS: entries of a group.
enum { BLOCK = 256, ITEMS = 16 };

struct cp_slots {
  unsigned long long s[9];
};

struct alignas(EACH == 1 ? alignof(T) : EACH * sizeof(T)) cp_piece {
  T v[EACH];
};

CP_FN const cp_piece *cp_at(unsigned long long address, long long r, long long width) {
  return reinterpret_cast<const cp_piece *>(reinterpret_cast<const T *>(address) + r * width);
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  enum { TILE = BLOCK / LANES * ITEMS };
  const long long rows = (long long)p.s[5], entries = (long long)p.s[7], width = (long long)p.s[8];
  const long long tile = blockIdx.x * (long long)TILE;
  const cp_rows_near near = cp_rows_of(p.s[0], rows, tile, min(tile + TILE, entries) - 1);
  const int lane = (int)threadIdx.x % LANES;
  const long long first = tile + (long long)threadIdx.x / LANES * ITEMS;
  // all groups go through as many entries, as the lanes of a warp add up together
  cp_with_rows(p.s[0], rows, near, first, first + ITEMS, [&](long long k, long long r) {
    const cp_piece *x = cp_at(p.s[2], r, width),
                   *y = cp_at(p.s[3], cp_column(p.s[1], min(k, entries - 1), (long long)p.s[6]), width);
    T sum = T_SPACE::r_zero();
    for (long long i = lane; i < width / EACH; i += LANES) {
      const cp_piece a = x[i], b = y[i];
#pragma unroll
      for (int e = 0; e < EACH; e++) sum = cp_step(sum, a.v[e], b.v[e]);
    }
    sum = cp_sum_of_lanes(sum, LANES);
    if (lane == 0 && k < entries) reinterpret_cast<T *>(p.s[4])[k] = sum;
  });
}
