// Products of a sparse matrix with a vector, and sums of its rows. All orders of summation are fixed.
//
// MODE vector: a group of LANES lanes sums a row. MODE tile: a block multiplies TILE entries, whatever rows
// they belong to, so that loads are even and adjacent, and then sums the parts of rows that are among them.
// It stores the sums of the rows that start in its tile; the part of the row that started before goes to
// `carries`. MODE carry then adds these to the rows: one warp per tile; the first one behind the tile in
// which the row starts adds all its parts.
// SUM 1: the sum of the values, without x.
//
// variants: MODE=vector T=float32,complex128,int32 INDEX=int32,int64 SUM=0,1 LANES=2,32
// variants: MODE=tile T=int32,int64,float32,float64,complex64,complex128 INDEX=int32,int64 SUM=0,1 LANES=1
// variants: MODE=carry T=int64,float32,complex128 INDEX=int32 SUM=0 LANES=1
//
// Slots: 0 starts, 1 columns of the entries, 2 values, 3 x, 4 result, 5 rows, 6 columns, 7 entries, 8 for
// each tile the number of rows that start before it (int64), 9 carries, 10 the row of each carry (int64; -1:
// there is none), 11 tiles

#define MODE_vector        0
#define MODE_tile          1
#define MODE_carry         2
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE            CP_JOINED_OF(MODE_, MODE)

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse.c.
enum { BLOCK = 256, WARPS = BLOCK / 32, ITEMS = 8, TILE = BLOCK * ITEMS };

struct cp_slots {
  unsigned long long s[12];
};

CP_FN T *cp_result(const cp_slots &p) { return reinterpret_cast<T *>(p.s[4]); }

// What entry k adds to the sum of its row.
CP_FN T cp_add_entry(const cp_slots &p, T sum, long long k) {
  const T v = cp_once(reinterpret_cast<const T *>(p.s[2]) + k);
#if SUM
  return T_SPACE::r_add(sum, v);
#else
  return cp_step(sum, v, reinterpret_cast<const T *>(p.s[3])[cp_column_once(p.s[1], k, (long long)p.s[6])]);
#endif
}

#if CP_MODE == MODE_vector
CP_FN void cp_work(const cp_slots &p) {
  const long long r = ((long long)blockIdx.x * BLOCK + threadIdx.x) / LANES;
  const long long rows = (long long)p.s[5], entries = (long long)p.s[7];
  T sum = T_SPACE::r_zero();
  if (r < rows) {
    const long long to = cp_start(p.s[0], r + 1, 0, entries);
    for (long long k = cp_start(p.s[0], r, 0, entries) + threadIdx.x % LANES; k < to; k += LANES)
      sum = cp_add_entry(p, sum, k);
  }
  sum = cp_sum_of_lanes(sum, LANES);
  if (r < rows && threadIdx.x % LANES == 0) cp_result(p)[r] = sum;
}

#elif CP_MODE == MODE_tile
// Sums rows low to high - 1, of which the products of the entries from..to - 1 are here.
CP_FN void cp_sum_rows(const cp_slots &p, const T *products, long long low, long long high, long long from,
                       long long to) {
  int lanes = 1;
  while (lanes < 32 && (high - low) * lanes * 2 <= BLOCK) lanes *= 2;
  const int lane = (int)threadIdx.x % lanes;
  for (long long first = low; first < high; first += BLOCK / lanes) {
    const long long r = first + (int)threadIdx.x / lanes;
    T sum = T_SPACE::r_zero();
    if (r < high) {
      const int end = (int)(cp_start(p.s[0], r + 1, from, to) - from);
      for (int k = (int)(cp_start(p.s[0], r, from, to) - from) + lane; k < end; k += lanes)
        sum = T_SPACE::r_add(sum, products[k]);
    }
    sum = cp_sum_of_lanes(sum, (unsigned)lanes);
    if (r < high && lane == 0) cp_result(p)[r] = sum;
  }
}
// The sum of the block's first `count` products, in thread 0.
CP_FN T cp_sum_of_block(const T *products, int count) {
  __shared__ T parts[WARPS];
  T sum = T_SPACE::r_zero();
  for (int i = threadIdx.x; i < count; i += BLOCK) sum = T_SPACE::r_add(sum, products[i]);
  sum = cp_sum_of_lanes(sum, 32);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  for (int w = 1; w < WARPS && threadIdx.x == 0; w++) sum = T_SPACE::r_add(sum, parts[w]);
  return sum;
}

CP_FN void cp_work(const cp_slots &p) {
  __shared__ T products[TILE];
  const long long b = blockIdx.x, rows = (long long)p.s[5], entries = (long long)p.s[7];
  const long long from = b * TILE, to = min(from + TILE, entries);
  const long long *tiles = reinterpret_cast<const long long *>(p.s[8]);
  const long long low = cp_limit(tiles[b], 0, rows), high = cp_limit(tiles[b + 1], low, rows);
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const int k = i * BLOCK + (int)threadIdx.x;
    if (from + k < to) products[k] = cp_add_entry(p, T_SPACE::r_zero(), from + k);
  }
  const int head = (int)(cp_start(p.s[0], low, from, to) - from); // entries of the row that started before
  __syncthreads();
  if (head > 0) { // for all threads or for none
    const T sum = cp_sum_of_block(products, head);
    if (threadIdx.x == 0) reinterpret_cast<T *>(p.s[9])[b] = sum;
  }
  if (threadIdx.x == 0) reinterpret_cast<long long *>(p.s[10])[b] = head > 0 ? low - 1 : -1;
  cp_sum_rows(p, products, low, high, from, to);
}

#elif CP_MODE == MODE_carry
CP_FN void cp_work(const cp_slots &p) {
  const long long tiles = (long long)p.s[11];
  const long long b = ((long long)blockIdx.x * BLOCK + threadIdx.x) / 32;
  const long long *row_of = reinterpret_cast<const long long *>(p.s[10]);
  const T *carries = reinterpret_cast<const T *>(p.s[9]);
  if (b >= tiles) return; // a warp as a whole
  const long long r = row_of[b];
  if (r < 0 || r >= (long long)p.s[5] || (b > 0 && row_of[b - 1] == r)) return;
  T sum = T_SPACE::r_zero();
  for (long long k = b + threadIdx.x % 32; k < tiles && row_of[k] == r; k += 32)
    sum = T_SPACE::r_add(sum, carries[k]);
  sum = cp_sum_of_lanes(sum, 32);
  if (threadIdx.x % 32 == 0) cp_result(p)[r] = T_SPACE::r_add(cp_result(p)[r], sum);
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  cp_work(p);
}
