// Products of two dense matrices at the places of a sparse one. A group of LANES lanes sums TOGETHER
// elements at a time, from rows of x and y, of which a lane reads EACH elements at once.
//
// variants: T=float32,int32 INDEX=int32,int64 LANES=2,32 EACH=4
// variants: T=float64,complex64,int64 INDEX=int32,int64 LANES=32 EACH=1,2
// variants: T=complex128 INDEX=int32 LANES=1,32 EACH=1
//
// Slots: 0 starts, 1 columns of the entries, 2 x, 3 y, 4 result, 5 rows, 6 columns, 7 entries, 8 elements of
// a row of x and y

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse.c. ITEMS: entries of a group. PER_THREAD: a tile's entries.
enum { BLOCK = 256, ITEMS = 16, TOGETHER = 4, PER_THREAD = (ITEMS + LANES - 1) / LANES };
enum { SUMMED = LANES < TOGETHER ? 1 : LANES / TOGETHER }; // lanes that have parts of one sum, at last

struct cp_slots {
  unsigned long long s[9];
};

struct alignas(EACH == 1 ? alignof(T) : EACH * sizeof(T)) cp_piece {
  T v[EACH];
};

CP_FN const cp_piece *cp_at(unsigned long long address, long long r, long long width) {
  return reinterpret_cast<const cp_piece *>(reinterpret_cast<const T *>(address) + r * width);
}

// The sums over the lanes of a group of TOGETHER values: of value cp_own() in each lane. With each exchange
// a lane keeps half of the values, as long as it has several.
CP_FN int cp_own() {
  if (LANES < TOGETHER) return 0;
  const int lane = (int)threadIdx.x % LANES;
  return lane / SUMMED;
}
CP_FN T cp_sums(T *v) {
  int count = TOGETHER;
#pragma unroll
  for (int d = LANES / 2; d >= SUMMED; d /= 2) {
    const bool upper = threadIdx.x & d;
    count /= 2;
#pragma unroll
    for (int k = 0; k < TOGETHER / 2; k++) {
      if (k >= count) break;
      const T sent = upper ? v[k] : v[k + count], kept = upper ? v[k + count] : v[k];
      v[k] = T_SPACE::r_add(kept, cp_from_lane(sent, (unsigned)d));
    }
  }
  return cp_sum_of_lanes(v[0], SUMMED);
}

// The products for entries k .. k + TOGETHER - 1 of the tile from `first` on; lanes of a group have parts.
CP_FN void cp_products(const cp_slots &p, const cp_tile_rows &tile, long long first, int k, T *sums) {
  const long long entries = (long long)p.s[7], width = (long long)p.s[8];
  const int lane = (int)threadIdx.x % LANES;
  const cp_piece *x[TOGETHER], *y[TOGETHER];
#pragma unroll
  for (int u = 0; u < TOGETHER; u++) {
    const int at = (int)min((long long)(k + u), entries - 1 - first);
    x[u] = cp_at(p.s[2], tile.low + tile.above[at], width);
    y[u] = cp_at(p.s[3], cp_column(p.s[1], first + at, (long long)p.s[6]), width);
    sums[u] = T_SPACE::r_zero();
  }
  for (long long i = lane; i < width / EACH; i += LANES) {
    cp_piece a, b[TOGETHER];
#pragma unroll
    for (int u = 0; u < TOGETHER; u++) b[u] = y[u][i];
#pragma unroll
    for (int u = 0; u < TOGETHER; u++) {
      if (u == 0 || x[u] != x[u - 1]) a = x[u][i]; // most neighbours are of one row
#pragma unroll
      for (int e = 0; e < EACH; e++) sums[u] = cp_step(sums[u], a.v[e], b[u].v[e]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  enum { TILE = BLOCK / LANES * ITEMS };
  const long long entries = (long long)p.s[7], first = blockIdx.x * (long long)TILE;
  const cp_tile_rows tile =
      cp_rows_of<BLOCK, PER_THREAD>(p.s[0], (long long)p.s[5], first, min(first + TILE, entries));
  const int begin = (int)threadIdx.x / LANES * ITEMS, own = cp_own();
  T *out = reinterpret_cast<T *>(p.s[4]);
  for (int k = begin; k < begin + ITEMS; k += TOGETHER) {
    T sums[TOGETHER];
    cp_products(p, tile, first, k, sums);
    if (LANES >= TOGETHER) {
      const T sum = cp_sums(sums);
      if (threadIdx.x % SUMMED == 0 && first + k + own < entries) out[first + k + own] = sum;
      continue;
    }
#pragma unroll
    for (int u = 0; u < TOGETHER; u++) {
      const T sum = cp_sum_of_lanes(sums[u], LANES);
      if (threadIdx.x % LANES == 0 && first + k + u < entries) out[first + k + u] = sum;
    }
  }
}
