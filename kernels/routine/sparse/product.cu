// Products of a sparse matrix with a vector, and sums of its rows. All orders of summation are fixed.
//
// MODE vector: a group of LANES lanes sums a row. MODE whole: a block multiplies the entries of a tile of
// whole rows, CAP at most, so that loads are even and adjacent, and then sums the rows. MODE tile: rows are
// longer, so a block multiplies TILE entries, whatever rows they belong to, and sums the parts of rows that
// are among them. It stores the sums of the rows that start in its tile; the part of the row that started
// before goes to `carries`. MODE carry then adds these to the rows: one warp per tile; the first one behind
// the tile in which the row starts adds all its parts.
// SUM 1: the sum of the values, without x. SCALED 1: the result is alpha, a number or an array, times the
// product plus beta times an array; then what MODE carry adds is multiplied by alpha, too. DOT 1, of MODE
// whole: the block also stores the sum of the products of its rows' results with the elements of x in these
// places.
//
// variants: MODE=vector T=float32,complex128,int32 INDEX=int32,int64 SUM=0 SCALED=0 DOT=0 LANES=2,32 ITEMS=1
// variants: MODE=vector T=float32,complex128,int32 INDEX=int32,int64 SUM=1 SCALED=0 DOT=0 LANES=2,32 ITEMS=1
// variants: MODE=whole T=int32,int64,float32 INDEX=int32,int64 SUM=0,1 SCALED=0 DOT=0 LANES=1 ITEMS=1
// variants: MODE=tile T=int32,int64,float32 INDEX=int32,int64 SUM=0,1 SCALED=0 DOT=0 LANES=1 ITEMS=2,4
// variants: MODE=whole T=float64,complex64,complex128 INDEX=int32,int64 SUM=0 SCALED=0 DOT=0 LANES=1 ITEMS=1
// variants: MODE=whole T=float64,complex64,complex128 INDEX=int32,int64 SUM=1 SCALED=0 DOT=0 LANES=1 ITEMS=1
// variants: MODE=tile T=float64,complex64,complex128 INDEX=int32,int64 SUM=0 SCALED=0 DOT=0 LANES=1 ITEMS=2,4
// variants: MODE=tile T=float64,complex64,complex128 INDEX=int32,int64 SUM=1 SCALED=0 DOT=0 LANES=1 ITEMS=2,4
// variants: MODE=carry T=int64,float32,complex128 INDEX=int32 SUM=0 SCALED=0,1 DOT=0 LANES=1 ITEMS=1
// variants: MODE=vector,whole T=float32,int64,complex128 INDEX=int32 SUM=0 SCALED=1 DOT=0 LANES=1 ITEMS=1
// variants: MODE=tile T=float32,int64,complex128 INDEX=int32 SUM=0 SCALED=1 DOT=0 LANES=1 ITEMS=4
// variants: MODE=whole T=float32,float64 INDEX=int32,int64 SUM=0 SCALED=0 DOT=1 LANES=1 ITEMS=1
//
// Slots: 0 starts, 1 columns of the entries, 2 values, 3 x, 4 result, 5 rows, 6 columns, 7 entries, 8 for
// each tile the number of rows that start before it, and the end (int64), and then where the first of the
// others starts; 9 carries, 10 the row of each carry (int64; -1: there is none), 11 tiles; 12 to 17 as
// cp_scaled has them; 18 the sums of DOT, one for each tile

#define MODE_vector        0
#define MODE_whole         1
#define MODE_tile          2
#define MODE_carry         3
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE            CP_JOINED_OF(MODE_, MODE)

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse.c. FOURS: groups of four entries that a thread reads at once.
enum { BLOCK = 256, WARPS = BLOCK / 32, TILE = BLOCK * ITEMS, FOURS = 2, CAP = BLOCK * FOURS * 4 };

enum { SCALES = 12, DOTS = SCALES + CP_SCALES };
struct cp_slots {
  unsigned long long s[DOTS + 1];
};

CP_FN T *cp_result(const cp_slots &p) { return reinterpret_cast<T *>(p.s[4]); }

CP_FN void cp_put(const cp_slots &p, long long r, T sum) {
  cp_result(p)[r] = SCALED ? cp_scaled<SCALES>(p, sum, r) : sum;
}

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
  if (r < rows && threadIdx.x % LANES == 0) cp_put(p, r, sum);
}

#elif CP_MODE == MODE_whole || CP_MODE == MODE_tile
// Sums rows low to high - 1, of which the products of the entries from..to - 1 are here. start(r): where row
// r starts among them. With DOT it returns the thread's share of the sum of their products with x.
template <class F>
CP_FN T cp_sum_rows(const cp_slots &p, const T *products, long long low, long long high, const F &start) {
  T dot = T_SPACE::r_zero();
  int lanes = 1;
  while (lanes < 32 && (high - low) * lanes * 2 <= BLOCK) lanes *= 2;
  const int lane = (int)threadIdx.x % lanes;
  for (long long first = low; first < high; first += BLOCK / lanes) {
    const long long r = first + (int)threadIdx.x / lanes;
    T sum = T_SPACE::r_zero();
    if (r < high) {
      const int end = start(r + 1);
      for (int k = start(r) + lane; k < end; k += lanes) sum = T_SPACE::r_add(sum, products[k]);
    }
    sum = cp_sum_of_lanes(sum, (unsigned)lanes);
    if (r < high && lane == 0) {
      cp_put(p, r, sum);
      if (DOT) dot = cp_step(dot, sum, reinterpret_cast<const T *>(p.s[3])[r]);
    }
  }
  return dot;
}
#endif

#if CP_MODE == MODE_whole
template <class V> struct alignas(16) cp_four { V v[4]; };

// Four elements that are needed once, from a place that is a multiple of 16 bytes.
template <class V> CP_FN cp_four<V> cp_four_once(const V *at) {
  enum { PIECES = (int)(sizeof(cp_four<V>) / 16) };
  int4 w[PIECES];
  cp_four<V> four;
#pragma unroll
  for (int k = 0; k < PIECES; k++) w[k] = __ldcs(reinterpret_cast<const int4 *>(at) + k);
  memcpy(&four, w, sizeof four);
  return four;
}

// The elements k to k + 3. FAST: they are there, and so aligned that they may be read at once. Otherwise
// those behind `last` are it.
template <bool FAST, class V> CP_FN cp_four<V> cp_four_of(const V *all, int k, int last) {
  if constexpr (FAST) return cp_four_once(all + k);
  cp_four<V> four;
#pragma unroll
  for (int i = 0; i < 4; i++) four.v[i] = all[min(k + i, last)];
  return four;
}

// The place of column c in x.
CP_FN auto cp_place(INDEX c, long long columns) {
  if constexpr (sizeof(INDEX) == 4)
    return min((unsigned)c, (unsigned)min(columns, 0xffffffffll) - 1u);
  else
    return min((unsigned long long)c, (unsigned long long)columns - 1);
}

// The products of entries k to k + 3.
CP_FN cp_four<T> cp_four_products(const cp_slots &p, const cp_four<T> &values,
                                  const cp_four<INDEX> &columns) {
  cp_four<T> four;
#pragma unroll
  for (int i = 0; i < 4; i++) {
#if SUM
    four.v[i] = values.v[i];
#else
    const T x = reinterpret_cast<const T *>(p.s[3])[cp_place(columns.v[i], (long long)p.s[6])];
    four.v[i] = cp_step(T_SPACE::r_zero(), values.v[i], x);
#endif
  }
  return four;
}

// Stores the products of a tile's entries, of which there are `count`; last: the last one that can be read.
template <bool FAST>
CP_FN void cp_multiply(const cp_slots &p, T *products, long long base, int count, int last) {
  const INDEX *columns_of = reinterpret_cast<const INDEX *>(p.s[1]) + base;
  const T *values_of = reinterpret_cast<const T *>(p.s[2]) + base;
  cp_four<INDEX> columns[FOURS];
  cp_four<T> values[FOURS];
#pragma unroll
  for (int i = 0; i < FOURS; i++) {
    const int k = ((int)threadIdx.x + i * BLOCK) * 4;
    if (k >= count) continue;
    if (!SUM) columns[i] = cp_four_of<FAST>(columns_of, k, last);
    values[i] = cp_four_of<FAST>(values_of, k, last);
  }
#pragma unroll
  for (int i = 0; i < FOURS; i++) {
    const int k = ((int)threadIdx.x + i * BLOCK) * 4;
    if (k < count) *reinterpret_cast<cp_four<T> *>(products + k) = cp_four_products(p, values[i], columns[i]);
  }
}

CP_FN void cp_work(const cp_slots &p) {
  enum { ROWS = 2 * BLOCK }; // whose starts are read early, beside the entries
  __shared__ alignas(16) T products[CAP];
  __shared__ int begin[ROWS];
  const long long b = blockIdx.x, rows = (long long)p.s[5], entries = (long long)p.s[7];
  const long long *row_of = reinterpret_cast<const long long *>(p.s[8]), *start_of = row_of + p.s[11] + 1;
  const long long low = cp_limit(row_of[b], 0, rows), high = cp_limit(row_of[b + 1], low, rows);
  const long long from = cp_limit(start_of[b], 0, entries), base = from & ~3ll;
  const long long to = cp_limit(start_of[b + 1], from, min(base + CAP, entries));
  const int t = (int)threadIdx.x, count = (int)(to - base);
  const int last = (int)min(entries - base, (long long)CAP) - 1;
  const int more = (int)min(high - low, (long long)ROWS); // rows, up to ROWS
  const bool few = more < ROWS,
             fast = ((p.s[1] | p.s[2]) & 15) == 0 && (count + 3) / 4 * 4 <= last + 1; // for the whole block
  INDEX first[2] = {0, 0};
#pragma unroll
  for (int i = 0; i < 2; i++)
    if (few && t + i * BLOCK <= more)
      first[i] = (reinterpret_cast<const INDEX *>(p.s[0]) + low)[t + i * BLOCK];
  if (fast)
    cp_multiply<true>(p, products, base, count, last);
  else
    cp_multiply<false>(p, products, base, count, last);
#pragma unroll
  for (int i = 0; i < 2; i++)
    if (few && t + i * BLOCK <= more) begin[t + i * BLOCK] = (int)(cp_limit(first[i], from, to) - base);
  __syncthreads();
  T dot;
  if (few)
    dot = cp_sum_rows(p, products, low, high, [&](long long r) { return begin[r - low]; });
  else
    dot = cp_sum_rows(p, products, low, high,
                      [&](long long r) { return (int)(cp_start(p.s[0], r, from, to) - base); });
  if (!DOT) return;
  dot = cp_sum_of_lanes(dot, 32);
  __syncthreads(); // others may still read their products
  if (t % 32 == 0) products[t / 32] = dot;
  __syncthreads();
  for (int w = 1; w < WARPS && t == 0; w++) dot = T_SPACE::r_add(dot, products[w]);
  if (t == 0) reinterpret_cast<T *>(p.s[DOTS])[b] = dot;
}

#elif CP_MODE == MODE_tile
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
  cp_sum_rows(p, products, low, high,
              [&](long long r) { return (int)(cp_start(p.s[0], r, from, to) - from); });
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
  if (SCALED) sum = T_SPACE::r_multiply(cp_factor<SCALES>(p, r), sum);
  if (threadIdx.x % 32 == 0) cp_result(p)[r] = T_SPACE::r_add(cp_result(p)[r], sum);
}
#endif

// So few registers for each thread that a multiprocessor has many threads are worth more than values that are
// never spilled, unless elements are large.
enum {
  TILED = CP_MODE == MODE_whole || CP_MODE == MODE_tile,
  NARROW = sizeof(INDEX) == 4 && sizeof(T) <= 8,
  RESIDENT = !TILED || !NARROW                         ? 1
             : CP_MODE == MODE_whole && sizeof(T) == 8 ? 6
                                                       : 8
};

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  cp_work(p);
}
