// Radix sort of rows, from the lowest digit of 8 bits to the highest. T: dtype, no complex one. A row's digits are counted once for all passes;
// then each pass reads and writes every key once (onesweep: Adinets and Merrill 2022).
//
//   MODE histogram  counts every digit of the rows, in shared memory first
//   MODE bases      where the first key of each digit goes: the sums of the counts before
//   MODE sweep      a pass. Blocks take tiles of BLOCK x ITEMS keys by a ticket. The keys' ranks in the tile are found warp by warp: lanes
//                   with the same digit find each other by a mask in shared memory. How many keys of each digit the tiles before have, a
//                   thread for each digit learns from what they published (decoupled look-back). Then the tile is sorted in shared memory
//                   and written, neighbours to neighbouring places.
//
//   PLACES 0: keys become values again in the last pass; 1: keys travel with their places, and the places are the result, from 1
//   WIDE   1: rows of 2^30 elements and more, whose counts and places take 64 bits
//
// variants: MODE=histogram,bases T=float32,float64,bfloat16,bool,int16 PLACES=0 WIDE=0 BLOCK=256 ITEMS=1
// variants: MODE=sweep T=float64,uint64,bfloat16,bool PLACES=0,1 WIDE=0 BLOCK=384 ITEMS=10
// variants: MODE=sweep T=float32 PLACES=0 WIDE=0,1 BLOCK=384 ITEMS=18
// variants: MODE=sweep T=float32 PLACES=1 WIDE=0 BLOCK=384 ITEMS=15
// variants: MODE=sweep T=float32,float64 PLACES=1 WIDE=1 BLOCK=384 ITEMS=7
//
// Slots: 0 keys in (first pass: elements), 1 keys out, 2 places in, 3 places out (last pass: int64), 4 length of a row, 5 tiles of a row,
// 6 the pass, 7 bit 0: the first one, bit 1: the last one, 8 counts or bases, by row, pass and digit, 9 ticket; 256 bytes on: what tiles
// publish, by tile and digit; 10 MODE histogram: elements of a tile

#include "order.h"

#define MODE_histogram 1
#define MODE_bases 2
#define MODE_sweep 3
#define CP_JOINED(a, b) a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE CP_JOINED_OF(MODE_, MODE)

enum { DIGITS = 256, WARPS = BLOCK / 32, TILE = BLOCK * ITEMS, PASSES = sizeof(cp_key) };

#if WIDE
typedef unsigned long long cp_count;
#else
typedef unsigned cp_count;
#endif

struct cp_slots {
  unsigned long long s[11];
};

CP_FN unsigned cp_digit(cp_key key, unsigned pass) { return (unsigned)(key >> (8 * pass)) & (DIGITS - 1); }

CP_FN cp_key cp_encode(cp_key v) {
#if PLACES
  return cp_rank_of(v);
#else
  return cp_key_of(v);
#endif
}

#if CP_MODE == MODE_histogram

extern "C" __global__ void __launch_bounds__(BLOCK) cupola_kernel(const cp_slots p) {
  __shared__ unsigned counts[PASSES][DIGITS];
  const long long length = (long long)p.s[4], tiles = (long long)p.s[5], size = (long long)p.s[10];
  const long long row = blockIdx.x / tiles, start = blockIdx.x % tiles * size;
  const long long end = length - start < size ? length : start + size;
  const cp_key *in = reinterpret_cast<const cp_key *>(p.s[0]) + row * length;
  for (unsigned k = threadIdx.x; k < PASSES * DIGITS; k += BLOCK) counts[k / DIGITS][k % DIGITS] = 0;
  __syncthreads();
#pragma unroll 4
  for (long long k = start + threadIdx.x; k < end; k += BLOCK) {
    const cp_key key = cp_encode(in[k]);
#pragma unroll
    for (unsigned pass = 0; pass < PASSES; pass++) atomicAdd(&counts[pass][cp_digit(key, pass)], 1u);
  }
  __syncthreads();
  cp_count *out = reinterpret_cast<cp_count *>(p.s[8]) + row * (PASSES * DIGITS);
  for (unsigned k = threadIdx.x; k < PASSES * DIGITS; k += BLOCK) {
    const unsigned n = counts[k / DIGITS][k % DIGITS];
    if (n > 0) atomicAdd(&out[k], (cp_count)n);
  }
}

#else

// The sum of the values of threads before, of those below DIGITS.
CP_FN cp_count cp_sum_before(cp_count v, cp_count *sums) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  cp_count sum = v, before = 0;
#pragma unroll
  for (unsigned by = 1; by < 32; by *= 2) {
    const cp_count other = __shfl_up_sync(0xffffffffu, sum, by);
    if (lane >= by) sum += other;
  }
  if (lane == 31 && warp < DIGITS / 32) sums[warp] = sum;
  __syncthreads();
#pragma unroll 1
  for (unsigned w = 0; w < DIGITS / 32; w++)
    if (w < warp) before += sums[w];
  return before + sum - v;
}

#if CP_MODE == MODE_bases

extern "C" __global__ void __launch_bounds__(BLOCK) cupola_kernel(const cp_slots p) {
  __shared__ cp_count sums[DIGITS / 32];
  cp_count *counts = reinterpret_cast<cp_count *>(p.s[8]) + (long long)blockIdx.x * DIGITS;
  const cp_count n = counts[threadIdx.x];
  counts[threadIdx.x] = cp_sum_before(n, sums);
}

#else

enum { SHIFT = sizeof(cp_count) * 8 - 2 }; // the two bits above a count say what it is:
enum { NOTHING = 0, TOTAL = 1, PREFIX = 2 }; // of the tile; of its row up to its end

struct cp_shared {
  union {
    struct {
      unsigned counts[WARPS][DIGITS]; // of each warp; then the rank of its next key of the digit
      unsigned masks[WARPS][DIGITS];  // of lanes
    } warps;
    cp_key keys[TILE];
  };
#if PLACES
  cp_count places[TILE];
#endif
  cp_count starts[DIGITS], sums[DIGITS / 32]; // starts: add a key's rank, and there it goes
  long long tile;
};

CP_FN volatile cp_count *cp_board(const cp_slots &p, long long tile) {
  return reinterpret_cast<volatile cp_count *>(p.s[9] + 256) + tile * DIGITS + threadIdx.x;
}

// How many keys of this thread's digit the tiles of the row before `tile` have, which has `total`.
CP_FN cp_count cp_look_back(const cp_slots &p, long long tile, cp_count total) {
  cp_count before = 0;
  for (long long at = tile - 1;; at--) {
    cp_count word;
    do word = *cp_board(p, at);
    while (word >> SHIFT == NOTHING);
    before += word & (((cp_count)1 << SHIFT) - 1);
    if (word >> SHIFT == PREFIX) break;
  }
  *cp_board(p, tile) = ((cp_count)PREFIX << SHIFT) | (before + total);
  return before;
}

// Ranks of the keys of a warp among the tile's, in their order.
CP_FN void cp_rank(const cp_key *keys, unsigned *ranks, unsigned pass, unsigned *counts, unsigned *masks) {
  const unsigned lane = threadIdx.x % 32, up_to_me = 0xffffffffu >> (31 - lane);
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    const unsigned digit = cp_digit(keys[u], pass);
    atomicOr(&masks[digit], 1u << lane);
    __syncwarp();
    const unsigned peers = *(volatile unsigned *)&masks[digit];
    const unsigned leader = 31 - __clz((int)peers), mine = __popc(peers & up_to_me);
    unsigned next = 0;
    if (lane == leader) {
      next = *(volatile unsigned *)&counts[digit];
      *(volatile unsigned *)&counts[digit] = next + mine;
    }
    next = __shfl_sync(0xffffffffu, next, leader);
    if (lane == leader) *(volatile unsigned *)&masks[digit] = 0;
    __syncwarp();
    ranks[u] = next + mine - 1;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) cupola_kernel(const cp_slots p) {
  __shared__ cp_shared s;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, pass = (unsigned)p.s[6];
  const bool first = p.s[7] & 1, last = p.s[7] & 2;
  if (threadIdx.x == 0) s.tile = (long long)atomicAdd(reinterpret_cast<unsigned long long *>(p.s[9]), 1ull);
  for (unsigned k = lane; k < DIGITS; k += 32) s.warps.counts[warp][k] = s.warps.masks[warp][k] = 0;
  __syncthreads();
  const long long length = (long long)p.s[4], tiles = (long long)p.s[5], tile = s.tile;
  const long long row = tile / tiles, start = tile % tiles * TILE, at = row * length + start;
  const unsigned count = length - start < TILE ? (unsigned)(length - start) : TILE;
  const unsigned place = warp * (32 * ITEMS) + lane; // in the tile; those of the other items are 32 apart

  // keys, and how many of each digit there are; what lies behind the row's end comes last, whatever the pass
  const cp_key *in = reinterpret_cast<const cp_key *>(p.s[0]) + at;
  cp_key keys[ITEMS];
#pragma unroll
  for (int u = 0; u < ITEMS; u++) keys[u] = place + u * 32 < count ? in[place + u * 32] : CP_LAST;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    if (first && place + u * 32 < count) keys[u] = cp_encode(keys[u]);
    atomicAdd(&s.warps.counts[warp][cp_digit(keys[u], pass)], 1u);
  }
  __syncthreads();
  unsigned total = 0;
  if (threadIdx.x < DIGITS) {
#pragma unroll 4
    for (int w = 0; w < WARPS; w++) {
      const unsigned n = s.warps.counts[w][threadIdx.x];
      s.warps.counts[w][threadIdx.x] = total;
      total += n;
    }
    *cp_board(p, tile) = (cp_count)(start == 0 ? PREFIX : TOTAL) << SHIFT | total;
  }
  const cp_count before_digit = cp_sum_before(total, s.sums);
  if (threadIdx.x < DIGITS) {
#pragma unroll 4
    for (int w = 0; w < WARPS; w++) s.warps.counts[w][threadIdx.x] += (unsigned)before_digit;
  }
  __syncthreads();

  // the tile in order
  unsigned ranks[ITEMS];
  cp_rank(keys, ranks, pass, s.warps.counts[warp], s.warps.masks[warp]);
  __syncthreads();
#pragma unroll
  for (int u = 0; u < ITEMS; u++) s.keys[ranks[u]] = keys[u];
#if PLACES
  const cp_count *places = reinterpret_cast<const cp_count *>(p.s[2]) + at;
  cp_count own[ITEMS];
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    own[u] = (cp_count)start + place + u * 32;
    if (!first && place + u * 32 < count) own[u] = places[place + u * 32];
  }
#pragma unroll
  for (int u = 0; u < ITEMS; u++) s.places[ranks[u]] = own[u];
#endif
  if (threadIdx.x < DIGITS) {
    const cp_count before = start == 0 ? 0 : cp_look_back(p, tile, total);
    const cp_count base = reinterpret_cast<const cp_count *>(p.s[8])[(row * PASSES + pass) * DIGITS + threadIdx.x];
    s.starts[threadIdx.x] = base + before - before_digit;
  }
  __syncthreads();

  // to where it belongs
  cp_key *out = reinterpret_cast<cp_key *>(p.s[1]) + row * length;
#pragma unroll 4
  for (unsigned k = threadIdx.x; k < count; k += BLOCK) {
    const cp_key key = s.keys[k];
    const cp_count to = s.starts[cp_digit(key, pass)] + k;
#if PLACES
    if (last) {
      reinterpret_cast<long long *>(p.s[3])[row * length + to] = (long long)s.places[k] + 1;
    } else {
      out[to] = key;
      reinterpret_cast<cp_count *>(p.s[3])[row * length + to] = s.places[k];
    }
#else
    out[to] = last ? cp_value_of(key) : key;
#endif
  }
}

#endif
#endif
