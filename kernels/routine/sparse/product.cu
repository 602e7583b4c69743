// Products of a sparse matrix with a vector, and sums of its rows. All orders of summation are fixed.
//
// MODE vector: a group of LANES lanes sums a row. MODE ahead: so it does, but a multiprocessor has as many
// blocks as it runs at a time, which go from row to row and load the next ITEMS entries of a lane while they
// wait for x. MODE apart: the same where arrays do not begin at multiples of 8 bytes. MODE whole: a block
// multiplies the entries of a tile of whole rows, TILE at most, so that loads are even and adjacent, and
// then sums the rows; blocks go from tile to tile in the same way. MODE tile: rows are longer, so a block
// multiplies TILE entries, whatever rows they belong to, and sums the parts of rows that are among them. It
// stores the sums of the rows that start in its tile; the part of the row that started before goes to
// `carries`. MODE carry then adds these to the rows: one warp per tile; the first one behind the tile in
// which the row starts adds all its parts.
// SUM 1: the sum of the values, without x. SCALED 1: the result is alpha, a number or an array, times the
// product plus beta times an array; then what MODE carry adds is multiplied by alpha, too. DOT 1, of modes
// ahead, apart and whole: the block also stores the sum of the products of its rows' results with the
// elements of x in these places. ITEMS: entries of a tile that a thread has.
//
// variants: MODE=vector T=float32,complex128,int32 INDEX=int32,int64 SUM=0 SCALED=0 DOT=0 LANES=2,32 ITEMS=1
// variants: MODE=vector T=float32,complex128,int32 INDEX=int32,int64 SUM=1 SCALED=0 DOT=0 LANES=2,32 ITEMS=1
// variants: MODE=whole T=int32,float32 INDEX=int32,int64 SUM=0,1 SCALED=0 DOT=0 LANES=1 ITEMS=8
// variants: MODE=whole T=int64 INDEX=int32,int64 SUM=0,1 SCALED=0 DOT=0 LANES=1 ITEMS=4
// variants: MODE=ahead T=int64,float64,complex64 INDEX=int32,int64 SUM=0,1 SCALED=0 DOT=0 LANES=2 ITEMS=4
// variants: MODE=ahead T=int64,float64,complex64 INDEX=int32,int64 SUM=0,1 SCALED=0 DOT=0 LANES=8 ITEMS=3
// variants: MODE=ahead,apart T=int32,float32 INDEX=int32,int64 SUM=0,1 SCALED=0 DOT=0 LANES=2 ITEMS=2
// variants: MODE=ahead,apart T=int32,float32 INDEX=int32,int64 SUM=0,1 SCALED=0 DOT=0 LANES=4 ITEMS=3
// variants: MODE=apart T=int64,float64,complex64 INDEX=int32 SUM=0 SCALED=0 DOT=0 LANES=8 ITEMS=3
// variants: MODE=tile T=int32,int64,float32 INDEX=int32,int64 SUM=0,1 SCALED=0 DOT=0 LANES=1 ITEMS=2,4
// variants: MODE=whole T=float64,complex64,complex128 INDEX=int32,int64 SUM=0 SCALED=0 DOT=0 LANES=1 ITEMS=4
// variants: MODE=whole T=float64,complex64,complex128 INDEX=int32,int64 SUM=1 SCALED=0 DOT=0 LANES=1 ITEMS=4
// variants: MODE=tile T=float64,complex64,complex128 INDEX=int32,int64 SUM=0 SCALED=0 DOT=0 LANES=1 ITEMS=2,4
// variants: MODE=tile T=float64,complex64,complex128 INDEX=int32,int64 SUM=1 SCALED=0 DOT=0 LANES=1 ITEMS=2,4
// variants: MODE=carry T=int64,float32,complex128 INDEX=int32 SUM=0 SCALED=0,1 DOT=0 LANES=1 ITEMS=1
// variants: MODE=vector T=float32,int64,complex128 INDEX=int32 SUM=0 SCALED=1 DOT=0 LANES=1 ITEMS=1
// variants: MODE=whole T=float32 INDEX=int32 SUM=0 SCALED=1 DOT=0 LANES=1 ITEMS=8
// variants: MODE=whole T=int64,complex128 INDEX=int32 SUM=0 SCALED=1 DOT=0 LANES=1 ITEMS=4
// variants: MODE=tile T=float32,int64,complex128 INDEX=int32 SUM=0 SCALED=1 DOT=0 LANES=1 ITEMS=4
// variants: MODE=whole T=float32 INDEX=int32,int64 SUM=0 SCALED=0 DOT=1 LANES=1 ITEMS=8
// variants: MODE=whole T=float64 INDEX=int32,int64 SUM=0 SCALED=0 DOT=1 LANES=1 ITEMS=4
// variants: MODE=ahead T=float64 INDEX=int32,int64 SUM=0 SCALED=0 DOT=1 LANES=2 ITEMS=4
// variants: MODE=ahead T=float64,complex64 INDEX=int32 SUM=0 SCALED=1 DOT=0 LANES=2 ITEMS=4
// variants: MODE=ahead T=float64 INDEX=int32 SUM=0 SCALED=0 DOT=1 LANES=8 ITEMS=3
// variants: MODE=ahead T=float32 INDEX=int32,int64 SUM=0 SCALED=0 DOT=1 LANES=4 ITEMS=3
//
// Modes ahead, apart, whole and tile have at most 2^31 - 1 rows.
//
// Slots: 0 starts, 1 columns of the entries, 2 values, 3 x, 4 result, 5 rows, 6 columns, 7 entries, 8 for
// each tile the number of rows that start before it, and the end (int64), and then where the first of the
// others starts; 9 carries, 10 the row of each carry (int64; -1: there is none), 11 tiles; 12 to 17 as
// cp_scaled has them; 18 the sums of DOT, one for each block; in MODE tile 1 if the last tiles come
// first, which may still be in the L2 cache (in MODE whole this is not faster)

#define MODE_vector        0
#define MODE_ahead         1
#define MODE_apart         2
#define MODE_whole         3
#define MODE_tile          4
#define MODE_carry         5
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE            CP_JOINED_OF(MODE_, MODE)
#define AHEAD              (CP_MODE == MODE_ahead || CP_MODE == MODE_apart)

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse.c. RESIDENT: blocks that a multiprocessor runs at a time, at least.
enum {
  BLOCK = 256,
  WARPS = BLOCK / 32,
  TILE = BLOCK * ITEMS,
  NARROW = sizeof(INDEX) == 4 && sizeof(T) <= 8,
  RESIDENT = AHEAD && NARROW                  ? (sizeof(T) < 8 ? 5 : 6)
             : AHEAD || CP_MODE == MODE_whole ? (NARROW ? 6 : 3)
             : CP_MODE == MODE_tile && NARROW ? 8
                                              : 1
};

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

// The place of column c in x.
CP_FN auto cp_place(INDEX c, long long columns) {
  if constexpr (sizeof(INDEX) == 4)
    return min((unsigned)c, (unsigned)min(columns, 0xffffffffll) - 1u);
  else
    return min((unsigned long long)c, (unsigned long long)columns - 1);
}

#if AHEAD || CP_MODE == MODE_whole
// Stores the sum over the block of what its threads have.
CP_FN void cp_put_dot(const cp_slots &p, T dot) {
  __shared__ T parts[WARPS];
  dot = cp_sum_of_lanes(dot, 32);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = dot;
  __syncthreads();
  for (int w = 1; w < WARPS && threadIdx.x == 0; w++) dot = T_SPACE::r_add(dot, parts[w]);
  if (threadIdx.x == 0) reinterpret_cast<T *>(p.s[DOTS])[blockIdx.x] = dot;
}
#endif

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

#elif AHEAD
#include "ahead.h"

#elif CP_MODE == MODE_whole || CP_MODE == MODE_tile
// What can be read from shared memory at once.
enum { PIECE = sizeof(T) < 16 ? 16 / (int)sizeof(T) : 1 };
struct alignas(16) cp_piece {
  T v[PIECE];
};

// What one of 2^log lanes has of the sum of the products from `begin` to end - 1, which it reads piece by
// piece or one by one.
CP_FN T cp_sum_of_row(const T *products, int begin, int end, int lane, int log, bool by_pieces) {
  T sum = T_SPACE::r_zero();
  if (!by_pieces) {
    for (int k = begin + lane; k < end; k += 1 << log) sum = T_SPACE::r_add(sum, products[k]);
    return sum;
  }
  for (int k = begin / PIECE + lane; k * PIECE < end; k += 1 << log) {
    const cp_piece piece = reinterpret_cast<const cp_piece *>(products)[k];
#pragma unroll
    for (int i = 0; i < PIECE; i++)
      if (k * PIECE + i >= begin && k * PIECE + i < end) sum = T_SPACE::r_add(sum, piece.v[i]);
  }
  return sum;
}

// Sums `count` rows from low on, whose `entries` products are here. start(r): where row low + r starts among
// them. With DOT it adds their products with x to the thread's `dot`. Rows of 8 entries or more on average
// are read by pieces, which takes fewer of the accesses to shared memory that bound such products.
template <class F>
CP_FN void cp_sum_rows(const cp_slots &p, const T *products, int low, int count, int entries, T &dot,
                       const F &start) {
  // The lanes of a row are a power of 2, at most a warp, with which all rows fit into the block if they can.
  const int log = max(0, min(__clz(count - 1) - __clz(BLOCK - 1), 5)),
            lane = (int)threadIdx.x & ((1 << log) - 1);
  const bool by_pieces = PIECE > 1 && entries >= 8 * count;
  for (int first = 0; first < count; first += BLOCK >> log) {
    const int r = first + ((int)threadIdx.x >> log);
    T sum = T_SPACE::r_zero();
    if (r < count) sum = cp_sum_of_row(products, start(r), start(r + 1), lane, log, by_pieces);
    sum = cp_sum_of_lanes(sum, 1u << log);
    if (r < count && lane == 0) {
      cp_put(p, low + r, sum);
      if (DOT) dot = cp_step(dot, sum, reinterpret_cast<const T *>(p.s[3])[low + r]);
    }
  }
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

// The products of four entries.
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

// A tile of fewer than ROWS rows has their starts in shared memory.
enum { FOURS = ITEMS / 4, STARTS = 2, ROWS = STARTS * BLOCK };

// Whole rows from `low` on, with `count` entries from `base` on, of which the first `skipped` are others'.
// even: all can be read as groups of four.
struct cp_tile {
  long long base;
  int low, rows, skipped, count;
  bool even;
};

// The first entry and row of a tile and of the one behind it, as they are stored.
struct cp_bounds {
  long long entry[2], row[2];
};

// Begins to copy a number to shared memory, which takes no registers of those that wait.
CP_FN void cp_fetch(long long *to, const long long *from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
               "l"(from)
               : "memory");
#else
  *to = *from;
#endif
}

// Begins to copy the bounds of a tile, which is empty behind the last one.
CP_FN void cp_fetch_bounds(const cp_slots &p, long long tile, cp_bounds &b) {
  const long long tiles = (long long)p.s[11];
  const long long *row_of = reinterpret_cast<const long long *>(p.s[8]), *entry_of = row_of + tiles + 1;
#pragma unroll
  for (int i = 0; i < 2; i++) {
    cp_fetch(&b.entry[i], entry_of + min(tile + i, tiles));
    cp_fetch(&b.row[i], row_of + min(tile + i, tiles));
  }
}

// Waits for what the thread copies.
CP_FN void cp_await_bounds() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

CP_FN cp_tile cp_tile_of(const cp_slots &p, const cp_bounds &b) {
  const long long rows = (long long)p.s[5], entries = (long long)p.s[7];
  const long long low = cp_limit(b.row[0], 0, rows), high = cp_limit(b.row[1], low, rows);
  const long long from = cp_limit(b.entry[0], 0, entries), base = from & ~3ll;
  const long long to = cp_limit(b.entry[1], from, min(base + TILE, entries));
  const bool even = ((p.s[1] | p.s[2]) & 15) == 0 && (to + 3 & ~3ll) <= entries;
  return {base, (int)low, (int)(high - low), (int)(from - base), (int)(to - base), even};
}

// What a thread loads of a tile: groups of four entries, and where some rows start.
struct cp_loaded {
  cp_four<INDEX> columns[FOURS];
  cp_four<T> values[FOURS];
  INDEX starts[STARTS];
};

CP_FN int cp_four_at(int i) { return ((int)threadIdx.x + i * BLOCK) * 4; }

// Whether the thread has the start of a row as its i-th, or the end of the last row.
CP_FN bool cp_has_start(const cp_tile &t, int i) {
  return t.rows < ROWS && (int)threadIdx.x + i * BLOCK <= t.rows;
}

CP_FN void cp_load(const cp_slots &p, const cp_tile &t, cp_loaded &l) {
#pragma unroll
  for (int i = 0; i < STARTS; i++)
    if (cp_has_start(t, i))
      l.starts[i] = (reinterpret_cast<const INDEX *>(p.s[0]) + t.low)[threadIdx.x + i * BLOCK];
#pragma unroll
  for (int i = 0; i < FOURS; i++) {
    const int k = cp_four_at(i);
    if (!t.even || k >= t.count) continue;
    if (!SUM) l.columns[i] = cp_four_once(reinterpret_cast<const INDEX *>(p.s[1]) + t.base + k);
    l.values[i] = cp_four_once(reinterpret_cast<const T *>(p.s[2]) + t.base + k);
  }
}

// Stores the products of a tile's entries, and where its rows start among them.
CP_FN void cp_multiply(const cp_slots &p, const cp_tile &t, const cp_loaded &l, T *products, int *starts) {
#pragma unroll
  for (int i = 0; i < FOURS; i++) {
    const int k = cp_four_at(i);
    if (t.even && k < t.count)
      *reinterpret_cast<cp_four<T> *>(products + k) = cp_four_products(p, l.values[i], l.columns[i]);
  }
#pragma unroll 1
  for (int k = (int)threadIdx.x; !t.even && k < t.count; k += BLOCK)
    products[k] = cp_add_entry(p, T_SPACE::r_zero(), t.base + k);
#pragma unroll
  for (int i = 0; i < STARTS; i++)
    if (cp_has_start(t, i))
      starts[threadIdx.x + i * BLOCK] =
          min(max((int)((unsigned)l.starts[i] - (unsigned)t.base), t.skipped), t.count);
}

CP_FN void cp_sum_tile(const cp_slots &p, const cp_tile &t, const T *products, const int *starts, T &dot) {
  if (t.rows < ROWS)
    return cp_sum_rows(p, products, t.low, t.rows, t.count, dot, [&](int r) { return starts[r]; });
  cp_sum_rows(p, products, t.low, t.rows, t.count, dot, [&](int r) {
    return (int)(cp_start(p.s[0], t.low + r, t.base + t.skipped, t.base + t.count) - t.base);
  });
}

// Thread 0 works out the tile after the next one while the others sum; its bounds are copied a tile before.
CP_FN void cp_work(const cp_slots &p) {
  alignas(16) __shared__ T products[TILE];
  __shared__ int starts[ROWS];
  __shared__ cp_tile coming;
  __shared__ cp_bounds bounds[2];
  const long long tiles = (long long)p.s[11], step = gridDim.x;
  T dot = T_SPACE::r_zero();
  cp_loaded loaded;
  if (threadIdx.x < 2) cp_fetch_bounds(p, blockIdx.x + threadIdx.x * step, bounds[threadIdx.x]);
  cp_await_bounds();
  __syncthreads();
  cp_tile t = cp_tile_of(p, bounds[0]);
  if (threadIdx.x == 0) {
    coming = cp_tile_of(p, bounds[1]);
    cp_fetch_bounds(p, blockIdx.x + 2 * step, bounds[1]);
  }
  cp_load(p, t, loaded);
  __syncthreads();
#pragma unroll 1
  for (long long b = blockIdx.x; b < tiles; b += step) {
    const cp_tile now = t;
    cp_multiply(p, t, loaded, products, starts);
    t = coming;
    cp_load(p, t, loaded);
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_await_bounds();
      coming = cp_tile_of(p, bounds[1]);
      cp_fetch_bounds(p, b + 3 * step, bounds[1]);
    }
    cp_sum_tile(p, now, products, starts, dot);
    __syncthreads();
  }
  if (DOT) cp_put_dot(p, dot);
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
  alignas(16) __shared__ T products[TILE];
  const long long b = p.s[DOTS] != 0 ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const long long rows = (long long)p.s[5], entries = (long long)p.s[7];
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
  T none = T_SPACE::r_zero();
  cp_sum_rows(p, products, (int)low, (int)(high - low), (int)(to - from), none,
              [&](int r) { return (int)(cp_start(p.s[0], low + r, from, to) - from); });
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

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  cp_work(p);
}
