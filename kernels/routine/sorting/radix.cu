// Radix sort of rows, from the lowest digit of 8 bits to the highest. T: any dtype but complex. A row's
// digits are counted once for all passes; then each pass reads and writes every key once (onesweep: Adinets
// and Merrill 2022).
//
//   MODE histogram  counts every digit of the rows, first in shared memory, in COPIES columns. With 32
//                   columns each lane counts in its own, so that lanes wait neither for banks nor for equal
//                   digits
//   MODE sweep      one pass. Blocks take tiles of BLOCK x ITEMS keys from a counter. Each warp ranks its
//                   keys within the tile: lanes with the same digit find each other by a vote on each of its
//                   bits. A thread per digit learns how many keys with it the earlier tiles have, from what
//                   these published (decoupled look-back); the row's first tile includes where the digit's
//                   keys begin. Then the tile is sorted in shared memory, and written with neighbouring keys
//                   to neighbouring addresses.
//
//   PLACES 0: the last pass converts keys back to values; 1: positions are sorted along with the keys, and
//          are the result, from 1; 2: 8 bytes of each element are moved along with the keys, and the
//          sorted elements are a result as well
//   WIDE   1: rows of 2^30 elements and more, whose counts and positions need 64 bits
//
// variants: MODE=histogram T=float32,float64,bfloat16,bool,int16 PLACES=0 WIDE=0 BLOCK=256 ITEMS=1 COPIES=1
// variants: MODE=histogram T=float32,float64 PLACES=1 WIDE=0,1 BLOCK=1024 ITEMS=1 COPIES=16
// variants: MODE=sweep T=float32,bfloat16,bool PLACES=0 WIDE=0 BLOCK=256 ITEMS=32 COPIES=1
// variants: MODE=sweep T=float32 PLACES=0 WIDE=1 BLOCK=256 ITEMS=32 COPIES=1
// variants: MODE=sweep T=float64,uint64 PLACES=0 WIDE=0 BLOCK=384 ITEMS=11 COPIES=1
// variants: MODE=sweep T=float32,bool PLACES=1 WIDE=0 BLOCK=384 ITEMS=21 COPIES=1
// variants: MODE=sweep T=float64 PLACES=1 WIDE=0 BLOCK=384 ITEMS=14 COPIES=1
// variants: MODE=sweep T=float32,float64 PLACES=1 WIDE=1 BLOCK=384 ITEMS=10 COPIES=1
// variants: MODE=histogram T=int32 PLACES=2 WIDE=0 BLOCK=1024 ITEMS=1 COPIES=32
// variants: MODE=sweep T=int32 PLACES=2 WIDE=0 BLOCK=384 ITEMS=14 COPIES=1
// variants: MODE=sweep T=int64 PLACES=2 WIDE=0,1 BLOCK=384 ITEMS=10 COPIES=1
//
// Slots: 0 keys in (first pass: elements), 1 keys out, 2 positions in, 3 positions out (last pass: int64; or
// what is moved along), 4 length of a row, 5 tiles of a row, 6 the pass, 7 bit 0: the first pass, bit 1: the
// last pass, 8 counts, by row, pass and digit, 9 tile counters of the passes, and 256 bytes further on what
// tiles publish, by tile and digit; 10 MODE histogram: elements of a tile
// Shared memory: MODE histogram: cp_counts; MODE sweep: cp_shared

#include "order.h"

#define MODE_histogram 1
#define MODE_sweep 2
#define CP_JOINED(a, b) a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE CP_JOINED_OF(MODE_, MODE)

enum { DIGITS = 256, WARPS = BLOCK / 32, TILE = BLOCK * ITEMS, PASSES = sizeof(cp_key) };

#if WIDE
typedef unsigned long long cp_count;
#else
typedef unsigned cp_count;
#endif

#if PLACES == 2
typedef unsigned long long cp_along; // what is sorted along with a key
#else
typedef cp_count cp_along;
#endif

struct cp_slots {
  unsigned long long s[11];
};

extern __shared__ __align__(16) unsigned char cp_dynamic[];

CP_FN unsigned cp_digit(cp_key key, unsigned pass) { return (unsigned)(key >> (8 * pass)) & (DIGITS - 1); }

CP_FN cp_key cp_encode(cp_key v) {
#if PLACES
  return cp_rank_of(v);
#else
  return cp_key_of(v);
#endif
}

#if CP_MODE == MODE_histogram

enum { AT_ONCE = 16 / sizeof(cp_key), UNROLLED = 4 };

struct cp_counts {
  unsigned counts[PASSES][DIGITS][COPIES];
};
struct __align__(16) cp_keys {
  cp_key keys[AT_ONCE];
};

CP_FN void cp_count_key(cp_counts &s, cp_key v) {
  const cp_key key = cp_encode(v);
#pragma unroll
  for (unsigned pass = 0; pass < PASSES; pass++)
    atomicAdd(&s.counts[pass][cp_digit(key, pass)][threadIdx.x % COPIES], 1u);
}

CP_FN void cp_count_all(cp_counts &s, const cp_keys &v) {
#pragma unroll
  for (int k = 0; k < AT_ONCE; k++) cp_count_key(s, v.keys[k]);
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  cp_counts &s = *reinterpret_cast<cp_counts *>(cp_dynamic);
  const long long length = (long long)p.s[4], tiles = (long long)p.s[5], size = (long long)p.s[10];
  const long long row = blockIdx.x / tiles, start = blockIdx.x % tiles * size;
  const cp_key *in = reinterpret_cast<const cp_key *>(p.s[0]) + row * length + start;
  const unsigned n =
      length - start < size ? (length > start ? (unsigned)(length - start) : 0) : (unsigned)size;
  unsigned *flat = &s.counts[0][0][0];
  for (unsigned k = threadIdx.x; k < PASSES * DIGITS * COPIES; k += BLOCK) flat[k] = 0;
  __syncthreads();
  // elements before the first 16-byte boundary
  const unsigned odd = (unsigned)(((unsigned long long)0 - (unsigned long long)in) % 16 / sizeof(cp_key));
  const unsigned first = odd < n ? odd : n, groups = (n - first) / AT_ONCE, rest = first + groups * AT_ONCE;
  const cp_keys *from = reinterpret_cast<const cp_keys *>(in + first);
  for (unsigned k = threadIdx.x; k < first; k += BLOCK) cp_count_key(s, in[k]);
  for (unsigned k = rest + threadIdx.x; k < n; k += BLOCK) cp_count_key(s, in[k]);
  unsigned at = threadIdx.x;
  for (; at + (UNROLLED - 1) * BLOCK < groups; at += UNROLLED * BLOCK) {
    cp_keys v[UNROLLED];
#pragma unroll
    for (int u = 0; u < UNROLLED; u++) v[u] = from[at + u * BLOCK];
#pragma unroll
    for (int u = 0; u < UNROLLED; u++) cp_count_all(s, v[u]);
  }
  for (; at < groups; at += BLOCK) cp_count_all(s, from[at]);
  __syncthreads();
  cp_count *out = reinterpret_cast<cp_count *>(p.s[8]) + row * (PASSES * DIGITS);
  for (unsigned k = threadIdx.x; k < PASSES * DIGITS; k += BLOCK) {
    unsigned sum = 0;
    for (unsigned copy = 0; copy < COPIES; copy++) sum += flat[k * COPIES + (copy + threadIdx.x) % COPIES];
    if (sum > 0) atomicAdd(&out[k], (cp_count)sum);
  }
}

#else

// the two bits above a count say what it is; the code moves on by one number per pass
enum { SHIFT = sizeof(cp_count) * 8 - 2 };
// relative to "nothing yet": a tile's count; the count of its row up to its end, which is "nothing yet" in
// the next pass
enum { TOTAL = 1, PREFIX = 2 };
enum { AHEAD = 4 };                        // tiles that are looked at together
enum { RESIDENT = PLACES ? 2 : BLOCK == 256 ? 4 : 3 };

struct cp_shared {
#if PLACES
  union {
    unsigned counts[WARPS][DIGITS]; // of each warp; later the rank of its next key with the digit
    cp_key keys[TILE];
  };
  cp_along places[TILE];
#else
  unsigned counts[WARPS][DIGITS];
  cp_key keys[TILE]; // not shared with other arrays, so that a key is stored as soon as its rank is known
#endif
  cp_count starts[DIGITS], sums[DIGITS / 32]; // starts: a key's address is starts[digit] plus its rank
  long long tile;
};

// The sum of the values of earlier threads, among those below DIGITS.
CP_FN cp_count cp_sum_before(cp_count v, cp_count *sums) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  cp_count sum = v, before = 0;
#pragma unroll
  for (unsigned by = 1; by < 32; by *= 2) {
    const cp_count other = __shfl_up_sync(0xffffffffu, sum, by);
    if (lane >= by) sum += other;
  }
  __syncthreads(); // sums may still be read
  if (lane == 31 && warp < DIGITS / 32) sums[warp] = sum;
  __syncthreads();
#pragma unroll
  for (unsigned w = 0; w < DIGITS / 32; w++)
    if (w < warp) before += sums[w];
  return before + sum - v;
}

// Where the tile publishes the count of this thread's digit.
CP_FN volatile cp_count *cp_board(const cp_slots &p, long long tile) {
  return reinterpret_cast<volatile cp_count *>(p.s[9] + 256) + tile * DIGITS + threadIdx.x;
}
CP_FN void cp_publish(const cp_slots &p, long long tile, unsigned pass, unsigned what, cp_count n) {
  *cp_board(p, tile) = (cp_count)((2 * pass + what) & 3) << SHIFT | n;
}

// Where the tile's `total` keys with this thread's digit go; first: the row's first tile.
CP_FN cp_count cp_look_back(const cp_slots &p, long long first, long long tile, unsigned pass,
                            cp_count total) {
  const unsigned nothing = 2 * pass & 3, prefix = (nothing + PREFIX) & 3;
  cp_count before = 0;
  bool done = false;
  for (long long at = tile - 1; !done; at -= AHEAD) {
    cp_count words[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) words[k] = *cp_board(p, at - k > first ? at - k : first);
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
      if (done) continue;
      while (words[k] >> SHIFT == nothing) words[k] = *cp_board(p, at - k > first ? at - k : first);
      before += words[k] & (((cp_count)1 << SHIFT) - 1);
      done = words[k] >> SHIFT == prefix;
    }
  }
  cp_publish(p, tile, pass, PREFIX, before + total);
  return before;
}

// The lanes with this digit, by a vote on each of its bits. One statement of PTX, as the C++ code takes half
// as long again to compile.
#define CP_VOTE(bit)                                                                                         \
  " and.b32 t, %1, " #bit ";\n setp.ne.u32 p, t, 0;\n vote.ballot.sync.b32 t, p, 0xffffffff;\n"              \
  " @!p not.b32 t, t;\n and.b32 %0, %0, t;\n"
CP_FN unsigned cp_peers(unsigned digit) {
  unsigned peers;
  asm volatile("{\n .reg .pred p;\n .reg .b32 t;\n mov.b32 %0, 0xffffffff;\n" CP_VOTE(1) CP_VOTE(2) CP_VOTE(4)
                   CP_VOTE(8) CP_VOTE(16) CP_VOTE(32) CP_VOTE(64) CP_VOTE(128) "}"
               : "=&r"(peers)
               : "r"(digit));
  return peers;
}

// The rank of a warp's next key; counts: of its digits.
CP_FN unsigned cp_rank(unsigned digit, unsigned *counts) {
  const unsigned lane = threadIdx.x % 32, peers = cp_peers(digit),
                 mine = __popc(peers & (0xffffffffu >> (31 - lane)));
  const unsigned next = *(volatile unsigned *)&counts[digit];
  __syncwarp();
  if (lane == 31 - __clz((int)peers)) *(volatile unsigned *)&counts[digit] = next + mine;
  __syncwarp();
  return next + mine - 1;
}

// Makes the compiler recompute values derived from the key, so that they take no registers.
CP_FN void cp_forget(cp_key &key) {
  if (sizeof key == 8) asm volatile("" : "+l"(*reinterpret_cast<unsigned long long *>(&key)));
  if (sizeof key == 4) asm volatile("" : "+r"(*reinterpret_cast<unsigned *>(&key)));
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  cp_shared &s = *reinterpret_cast<cp_shared *>(cp_dynamic);
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, pass = (unsigned)p.s[6];
  const bool first = p.s[7] & 1, last = p.s[7] & 2;
  unsigned long long ticket = 0;
  if (threadIdx.x == 0) ticket = atomicAdd(reinterpret_cast<unsigned long long *>(p.s[9]) + pass, 1ull);
  for (unsigned k = lane; k < DIGITS; k += 32) s.counts[warp][k] = 0;
  if (threadIdx.x == 0) s.tile = (long long)ticket;
  __syncthreads();
  const long long length = (long long)p.s[4], tiles = (long long)p.s[5], tile = s.tile;
  const long long row = tile / tiles, start = tile % tiles * TILE, at = row * length + start;
  const unsigned count = length - start < TILE ? (unsigned)(length - start) : TILE;
  // position in the tile; those of the thread's other items are 32 apart
  const unsigned place = warp * (32 * ITEMS) + lane;

  // loads keys and counts each digit; positions behind the row's end sort last in every pass
  const cp_key *in = reinterpret_cast<const cp_key *>(p.s[0]) + at;
  cp_key keys[ITEMS];
  if (count == TILE) {
#pragma unroll
    for (int u = 0; u < ITEMS; u++) keys[u] = in[place + u * 32];
  } else {
#pragma unroll
    for (int u = 0; u < ITEMS; u++) keys[u] = place + u * 32 < count ? in[place + u * 32] : CP_LAST;
  }
  if (first) {
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
      if (place + u * 32 < count) keys[u] = cp_encode(keys[u]);
  }
#pragma unroll
  for (int u = 0; u < ITEMS; u++) atomicAdd(&s.counts[warp][cp_digit(keys[u], pass)], 1u);
  __syncthreads();
#pragma unroll
  for (int u = 0; u < ITEMS; u++) cp_forget(keys[u]);
  unsigned total = 0;
  if (threadIdx.x < DIGITS) {
#pragma unroll 4
    for (int w = 0; w < WARPS; w++) total += s.counts[w][threadIdx.x];
    if (start > 0) cp_publish(p, tile, pass, TOTAL, total);
  }
  cp_count base = 0;
  if (start == 0) {
    const cp_count *counts = reinterpret_cast<const cp_count *>(p.s[8]) + (row * PASSES + pass) * DIGITS;
    base = cp_sum_before(threadIdx.x < DIGITS ? counts[threadIdx.x] : 0, s.sums);
    if (threadIdx.x < DIGITS) cp_publish(p, tile, pass, PREFIX, base + total);
  }
  const cp_count before_digit = cp_sum_before(total, s.sums);
  if (threadIdx.x < DIGITS) {
    unsigned next = (unsigned)before_digit;
#pragma unroll 4
    for (int w = 0; w < WARPS; w++) {
      const unsigned n = s.counts[w][threadIdx.x];
      s.counts[w][threadIdx.x] = next;
      next += n;
    }
  }
  __syncthreads();

  // sorts the tile in shared memory
#if PLACES
  unsigned ranks[ITEMS];
#pragma unroll
  for (int u = 0; u < ITEMS; u++) ranks[u] = cp_rank(cp_digit(keys[u], pass), s.counts[warp]);
  __syncthreads();
#pragma unroll
  for (int u = 0; u < ITEMS; u++) s.keys[ranks[u]] = keys[u];
  const cp_along *places = reinterpret_cast<const cp_along *>(p.s[2]) + at;
  cp_along own[ITEMS];
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    own[u] = (cp_along)start + place + u * 32;
    if ((PLACES == 2 || !first) && place + u * 32 < count) own[u] = places[place + u * 32];
  }
#pragma unroll
  for (int u = 0; u < ITEMS; u++) s.places[ranks[u]] = own[u];
#else
#pragma unroll
  for (int u = 0; u < ITEMS; u++) s.keys[cp_rank(cp_digit(keys[u], pass), s.counts[warp])] = keys[u];
#endif
  if (threadIdx.x < DIGITS) {
    const cp_count before = start == 0 ? base : cp_look_back(p, row * tiles, tile, pass, total);
    s.starts[threadIdx.x] = before - before_digit;
  }
  __syncthreads();

  // writes it to its destination
  cp_key *out = reinterpret_cast<cp_key *>(p.s[1]) + row * length;
#pragma unroll 4
  for (unsigned k = threadIdx.x; k < count; k += BLOCK) {
    const cp_key key = s.keys[k];
    const cp_count to = s.starts[cp_digit(key, pass)] + k;
#if PLACES
    if (PLACES == 1 && last) {
      reinterpret_cast<long long *>(p.s[3])[row * length + to] = (long long)s.places[k] + 1;
    } else {
      out[to] = last ? cp_value_of(key) : key;
      reinterpret_cast<cp_along *>(p.s[3])[row * length + to] = s.places[k];
    }
#else
    out[to] = last ? cp_value_of(key) : key;
#endif
  }
}

#endif
