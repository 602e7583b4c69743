// Products of two sparse matrices whose rows have few products each: a block makes the products of the rows
// of a tile, CAP at most, sorts them by row and column in registers and shared memory, and sums those of one
// place in their order (after the scheme of Dalton, Olson and Bell, "Optimizing sparse matrix-matrix
// multiplication for the GPU", 2015). MODE count stores the number of places of each row, MODE fill their
// columns and values.
//
// The keys that are sorted consist of the row (the number of its first product in the tile), the column, and
// the number of the product, so all differ, and the order of summation is fixed.
//
// variants: MODE=count T=float32 INDEX=int32,int64 ITEMS=4,8
// variants: MODE=fill T=int32,int64,float32,float64,complex64 INDEX=int32,int64 ITEMS=8
// variants: MODE=fill T=complex128 INDEX=int32,int64 ITEMS=4
//
// Slots: 0 starts of a, 1 its columns, 2 its values, 3 starts of b, 4 its columns, 5 its values, 6 products
// before each entry of a (int64, with the end), 7 the first row of each tile (int64, with the end), 8 lengths
// (int64) or starts of the result, 9 its columns, 10 its values, 11 rows of a, 12 rows of b, 13 columns of b,
// 14 entries of a, 15 entries of b, 16 entries of the result

#define MODE_count         0
#define MODE_fill          1
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE            CP_JOINED_OF(MODE_, MODE)

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse_expand.c. PLACE: bits of a product's number; COLUMN: of a column.
enum { BLOCK = 256, WARPS = BLOCK / 32, CAP = BLOCK * ITEMS, PLACE = 11, COLUMN = 42 };

struct cp_slots {
  unsigned long long s[17];
};

typedef unsigned long long cp_key;

// The last of the places low .. high - 1 whose value is at most v; low if there is none.
template <class A> CP_FN long long cp_last(const A &value, long long low, long long high, long long v) {
  while (high - low > 1) {
    const long long middle = low + (high - low) / 2;
    if (value(middle) <= v)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The rows of a tile and its products.
struct cp_tile {
  long long low, high, from, to, base; // rows; entries of a; products before the tile
  int n;                               // products
};

CP_FN long long cp_before(const cp_slots &p, long long k) {
  return reinterpret_cast<const long long *>(p.s[6])[k];
}

CP_FN cp_tile cp_tile_of(const cp_slots &p) {
  const long long rows = (long long)p.s[11], entries = (long long)p.s[14];
  const long long *first = reinterpret_cast<const long long *>(p.s[7]) + blockIdx.x;
  cp_tile t;
  t.low = cp_limit(first[0], 0, rows);
  t.high = cp_limit(first[1], t.low, rows);
  t.from = cp_start(p.s[0], t.low, 0, entries);
  t.to = cp_start(p.s[0], t.high, t.from, entries);
  t.base = cp_before(p, t.from);
  t.n = (int)cp_limit(cp_before(p, t.to) - t.base, 0, CAP);
  return t;
}

// The number, in the tile, of the first product of row r.
CP_FN int cp_first_of(const cp_slots &p, const cp_tile &t, long long r) {
  return (int)cp_limit(cp_before(p, cp_start(p.s[0], r, t.from, t.to)) - t.base, 0, t.n);
}

// The key of product i; stores its value.
CP_FN cp_key cp_make(const cp_slots &p, const cp_tile &t, int i, T *products) {
  const long long k = cp_last([&](long long e) { return cp_before(p, e); }, t.from, t.to, t.base + i);
  const auto start = [&](long long e) { return cp_start(p.s[0], e, t.from, t.to); };
  const long long r = cp_last(start, t.low, t.high, k);
  const long long c = cp_column(p.s[1], k, (long long)p.s[12]), entries = (long long)p.s[15];
  const long long j =
      cp_limit(cp_start(p.s[3], c, 0, entries) + (t.base + i - cp_before(p, k)), 0, entries - 1);
  const long long column = cp_column(p.s[4], j, (long long)p.s[13]);
#if CP_MODE == MODE_fill
  products[i] =
      T_SPACE::r_multiply(reinterpret_cast<const T *>(p.s[2])[k], reinterpret_cast<const T *>(p.s[5])[j]);
#endif
  return (cp_key)cp_first_of(p, t, r) << (PLACE + COLUMN) | (cp_key)column << PLACE | (cp_key)i;
}

// Puts the lesser of two keys first, or the greater.
CP_FN void cp_exchange(cp_key &a, cp_key &b, bool ascend) {
  const cp_key low = min(a, b), high = max(a, b);
  a = ascend ? low : high;
  b = ascend ? high : low;
}

// Sorts pieces of `stride * 2` keys within a thread that are bitonic.
CP_FN void cp_merge_own(cp_key *x, bool ascend) {
#pragma unroll
  for (int stride = ITEMS / 2; stride > 0; stride /= 2)
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
      if ((i & stride) == 0) cp_exchange(x[i], x[i + stride], ascend);
}

// Sorts CAP keys, of which thread t has x[0] to x[ITEMS - 1] at places t * ITEMS and behind (Batcher's
// bitonic sort).
CP_FN void cp_sort(cp_key *x, cp_key *shared) {
  const int place = (int)threadIdx.x * ITEMS;
#pragma unroll
  for (int size = 2; size < ITEMS; size *= 2)
#pragma unroll
    for (int stride = size / 2; stride > 0; stride /= 2)
#pragma unroll
      for (int i = 0; i < ITEMS; i++)
        if ((i & stride) == 0) cp_exchange(x[i], x[i + stride], (i & size) == 0);
  for (int size = ITEMS; size <= CAP; size *= 2) {
    const bool ascend = (place & size) == 0;
    for (int stride = size / 2; stride >= ITEMS; stride /= 2) {
      const bool lower = ((place & stride) == 0) == ascend;
      if (stride >= 32 * ITEMS) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++) shared[i * BLOCK + threadIdx.x] = x[i];
        __syncthreads();
      }
#pragma unroll
      for (int i = 0; i < ITEMS; i++) {
        const cp_key y = stride >= 32 * ITEMS ? shared[i * BLOCK + (threadIdx.x ^ (stride / ITEMS))]
                                              : __shfl_xor_sync(0xffffffffu, x[i], stride / ITEMS);
        x[i] = lower ? min(x[i], y) : max(x[i], y);
      }
    }
    cp_merge_own(x, ascend);
  }
}

// Whether two keys are of one place.
CP_FN bool cp_alike(cp_key a, cp_key b) { return a >> PLACE == b >> PLACE; }

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ cp_key keys[CAP];
#if CP_MODE == MODE_fill
  __shared__ T products[CAP];
#else
  __shared__ unsigned short places[CAP + 1]; // among the products before each one
  T *products = nullptr;
#endif
  const cp_tile t = cp_tile_of(p);
  cp_key x[ITEMS];
  for (int i = threadIdx.x; i < CAP; i += BLOCK) keys[i] = i < t.n ? cp_make(p, t, i, products) : ~0ull;
  __syncthreads();
  const int place = (int)threadIdx.x * ITEMS;
#pragma unroll
  for (int i = 0; i < ITEMS; i++) x[i] = keys[place + i];
  cp_sort(x, keys);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; i++) keys[place + i] = x[i];
  __syncthreads();
  bool heads[ITEMS];
  int count = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const int k = place + i;
    heads[i] = k < t.n && (k == 0 || !cp_alike(keys[k - 1], x[i]));
    count += heads[i];
  }
  int total, before = cp_sum_before<WARPS>(count, &total);
#if CP_MODE == MODE_count
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    places[place + i] = (unsigned short)before;
    before += heads[i];
  }
  if (threadIdx.x == BLOCK - 1) places[CAP] = (unsigned short)before;
  __syncthreads();
  for (long long r = t.low + threadIdx.x; r < t.high; r += BLOCK)
    reinterpret_cast<long long *>(p.s[8])[r] =
        places[cp_first_of(p, t, r + 1)] - places[cp_first_of(p, t, r)];
#else
  const long long room = (long long)p.s[16], start = cp_start(p.s[8], t.low, 0, room);
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    if (!heads[i]) continue;
    T sum = products[x[i] & (CAP - 1)];
    for (int k = place + i + 1; k < t.n && cp_alike(keys[k], x[i]); k++)
      sum = T_SPACE::r_add(sum, products[keys[k] & (CAP - 1)]);
    const long long out = start + before++;
    if (out >= room) break;
    reinterpret_cast<INDEX *>(p.s[9])[out] = (INDEX)(x[i] >> PLACE & (((cp_key)1 << COLUMN) - 1));
    reinterpret_cast<T *>(p.s[10])[out] = sum;
  }
#endif
}
