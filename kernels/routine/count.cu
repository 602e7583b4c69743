// Counts a mask: how many bytes that are not 0 lie before each tile, and in all.
//
// A warp counts a tile, in whole 16-byte words where they are aligned. The tiles of a block form a group, and
// get offsets within it. The last block to finish computes the groups' offsets. ORDER as in
// src/routines/index.h and src/cuda/routines/index.c: tiles, groups, layout of the offsets.
//
// Slots: 0 mask, 1 size, 2 offsets, 3 counter (0 before and after), 4 pinned host memory for the total, which
// saves a copy of it; or 0
//
// variants: TILE=4096

#define TILES 16 // tiles per group: one per warp
#define BLOCK (32 * TILES)
#define WORDS (TILE / 512) // 16-byte words per lane

struct cp_slots { unsigned long long s[5]; };

CP_FN int count_word(unsigned w) {
  return __popc((((w & 0x7f7f7f7fu) + 0x7f7f7f7fu) | w) & 0x80808080u);
}

// This lane's share of the number of true bytes in the tile at mask, of which n bytes exist.
CP_FN int count_share(const unsigned char *mask, long long n, int lane) {
  int count = 0;
  if (n >= TILE && (unsigned long long)mask % 16 == 0) {
    const uint4 *words = (const uint4 *)mask;
    uint4 w[WORDS];
#pragma unroll
    for (int k = 0; k < WORDS; k++) w[k] = words[k * 32 + lane];
#pragma unroll
    for (int k = 0; k < WORDS; k++)
      count += count_word(w[k].x) + count_word(w[k].y) + count_word(w[k].z) + count_word(w[k].w);
    return count;
  }
  const int end = n < TILE ? (int)n : TILE;
  for (int k = lane; k < end; k += 32) count += mask[k] != 0;
  return count;
}

// The sum of v over the lanes before this one; *total: over all lanes.
CP_FN long long before_in_warp(long long v, int lane, long long *total) {
  long long sum = v;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    long long other = __shfl_up_sync(0xffffffffu, sum, step);
    if (lane >= step) sum += other;
  }
  *total = __shfl_sync(0xffffffffu, sum, 31);
  return sum - v;
}

// Replaces the counts of all groups by the sums before them, stores the total after them and returns it. Run
// by one block.
CP_FN long long place_groups(long long *groups, long long count) {
  __shared__ long long sums[BLOCK / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  long long carry = 0;
  for (long long first = 0; first < count; first += BLOCK) {
    const long long g = first + threadIdx.x;
    long long total, v = g < count ? __ldcg(groups + g) : 0;
    long long before = before_in_warp(v, lane, &total);
    if (lane == 0) sums[warp] = total;
    __syncthreads();
    for (int w = 0; w < BLOCK / 32; w++) {
      if (w < warp) before += sums[w];
    }
    if (g < count) groups[g] = carry + before;
    for (int w = 0; w < BLOCK / 32; w++) carry += sums[w];
    __syncthreads();
  }
  if (threadIdx.x == 0) groups[count] = carry;
  return carry;
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  __shared__ int counts[TILES];
  __shared__ bool last;
  const unsigned char *mask = (const unsigned char *)p.s[0];
  const long long size = (long long)p.s[1], tiles = (size + TILE - 1) / TILE;
  long long *offsets = (long long *)p.s[2];
  unsigned *counter = (unsigned *)p.s[3];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long tile = (long long)blockIdx.x * TILES + warp;
  int count = tile < tiles ? count_share(mask + tile * TILE, size - tile * TILE, lane) : 0;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) count += __shfl_xor_sync(0xffffffffu, count, step);
  if (lane == 0) counts[warp] = count;
  __syncthreads();
  if (threadIdx.x < TILES) {
    long long before = 0;
    for (int k = 0; k < (int)threadIdx.x; k++) before += counts[k];
    const long long own = (long long)blockIdx.x * TILES + threadIdx.x;
    if (own < tiles) offsets[own] = before;
    if (threadIdx.x == TILES - 1) offsets[tiles + blockIdx.x] = before + counts[TILES - 1];
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(counter, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  const long long total = place_groups(offsets + tiles, gridDim.x);
  if (threadIdx.x > 0) return;
  *counter = 0;
  if (p.s[4] != 0) *(volatile long long *)p.s[4] = total;
}
