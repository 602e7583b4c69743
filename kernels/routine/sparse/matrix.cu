// Products of a sparse matrix with a dense one in C order. A group of LANES lanes goes through entries and
// computes LANES * EACH columns of the result; each lane has EACH columns next to each other, which it reads
// at once.
//
// MODE rows: a group for a row. MODE tile: a group for a tile of entries and rows, whatever rows the entries
// belong to, so that neither long rows nor many empty ones take longer; reads are ahead of sums, which
// crosses the ends of short rows. It stores the sums of the rows that start in its tile; the part of the row
// that started before goes to `carries`. MODE carry then adds these to the rows: one group per tile; the
// first one behind the tile in which the row starts adds all its parts. All orders of summation are fixed.
// SCALED as in product.cu.
//
// variants: MODE=rows T=float32,complex128,int32 INDEX=int32,int64 SCALED=0 LANES=2,32 EACH=1
// variants: MODE=tile T=int64,float64,complex64 INDEX=int32,int64 SCALED=0 LANES=1,32 EACH=1,2
// variants: MODE=tile T=int32,float32 INDEX=int32 SCALED=0 LANES=2,16 EACH=4
// variants: MODE=carry T=int64,float64,complex64 INDEX=int32 SCALED=0 LANES=32 EACH=1,2
// variants: MODE=rows,tile,carry T=float32,complex128 INDEX=int32 SCALED=1 LANES=8 EACH=1
//
// Slots: 0 starts, 1 columns of the entries, 2 values, 3 x, 4 result, 5 rows, 6 columns, 7 entries, 8 width,
// 9 groups of columns, 10 for each tile the number of rows that start before it, and all rows (int64), 11
// carries (a row for each tile), 12 the row of each carry (int64; -1: there is none), 13 tiles, 14 entries
// and rows of a tile, 15 and behind as cp_scaled has them

#define MODE_rows          0
#define MODE_tile          1
#define MODE_carry         2
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE            CP_JOINED_OF(MODE_, MODE)

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse.c. AHEAD: entries that are read before the first is added, and starts
// of rows that are read before they matter.
enum { BLOCK = 256, AHEAD = 4 };

enum { SCALES = 15 };
struct cp_slots {
  unsigned long long s[SCALES + CP_SCALES];
};

struct alignas(EACH == 1 ? alignof(T) : EACH * sizeof(T)) cp_piece {
  T v[EACH];
};

CP_FN cp_piece cp_nothing() {
  cp_piece sum;
#pragma unroll
  for (int e = 0; e < EACH; e++) sum.v[e] = T_SPACE::r_zero();
  return sum;
}

// Row r of the matrix of `width` columns at `address`, from a column on.
CP_FN cp_piece *cp_at(unsigned long long address, long long r, long long width, long long column) {
  return reinterpret_cast<cp_piece *>(reinterpret_cast<T *>(address) + r * width + column);
}

// Stores a piece of row r of the result.
CP_FN void cp_put(const cp_slots &p, long long r, long long column, cp_piece sum) {
  const long long width = (long long)p.s[8];
#pragma unroll
  for (int e = 0; SCALED && e < EACH; e++) sum.v[e] = cp_scaled<SCALES>(p, sum.v[e], r * width + column + e);
  *cp_at(p.s[4], r, width, column) = sum;
}

// What a group takes part in.
struct cp_share {
  long long item, column; // the row or tile, and the lane's first column
};

CP_FN cp_share cp_share_of(const cp_slots &p) {
  const long long group = ((long long)blockIdx.x * BLOCK + threadIdx.x) / LANES, across = (long long)p.s[9];
  return {group / across, group % across * (LANES * EACH) + threadIdx.x % LANES * EACH};
}

CP_FN void cp_add(cp_piece &sum, T v, const cp_piece &x) {
#pragma unroll
  for (int e = 0; e < EACH; e++) sum.v[e] = cp_step(sum.v[e], v, x.v[e]);
}

// x's piece for entry k.
CP_FN cp_piece cp_operand(const cp_slots &p, long long k, long long column) {
  return *cp_at(p.s[3], cp_column(p.s[1], k, (long long)p.s[6]), (long long)p.s[8], column);
}

#if CP_MODE == MODE_rows
CP_FN void cp_work(const cp_slots &p) {
  const cp_share share = cp_share_of(p);
  const long long entries = (long long)p.s[7], width = (long long)p.s[8];
  if (share.item >= (long long)p.s[5] || share.column >= width) return;
  const T *values = reinterpret_cast<const T *>(p.s[2]);
  cp_piece sum = cp_nothing();
  const long long to = cp_start(p.s[0], share.item + 1, 0, entries);
#pragma unroll 4
  for (long long k = cp_start(p.s[0], share.item, 0, entries); k < to; k++)
    cp_add(sum, values[k], cp_operand(p, k, share.column));
  cp_put(p, share.item, share.column, sum);
}

#elif CP_MODE == MODE_tile
// Where the rows of a tile end.
struct cp_ends {
  long long from, to, high; // the tile's entries; the row behind its rows
  long long end[AHEAD];     // of the current row, and of those behind it
};

CP_FN long long cp_read_end(const cp_slots &p, const cp_ends &e, long long r) {
  return r + 1 < e.high ? cp_start(p.s[0], r + 1, e.from, e.to) : e.to;
}

// From row r to the next.
CP_FN void cp_next_row(const cp_slots &p, cp_ends &e, long long r) {
#pragma unroll
  for (int u = 0; u + 1 < AHEAD; u++) e.end[u] = e.end[u + 1];
  e.end[AHEAD - 1] = cp_read_end(p, e, r + AHEAD);
}

CP_FN void cp_work(const cp_slots &p) {
  const cp_share share = cp_share_of(p);
  const long long b = share.item, rows = (long long)p.s[5], width = (long long)p.s[8],
                  size = (long long)p.s[14];
  if (b >= (long long)p.s[13] || share.column >= width) return;
  const T *values = reinterpret_cast<const T *>(p.s[2]);
  const long long *tiles = reinterpret_cast<const long long *>(p.s[10]);
  const long long low = cp_limit(tiles[b], 0, rows), high = cp_limit(tiles[b + 1], low, rows);
  cp_ends e;
  e.high = high;
  e.from = cp_limit(b * size - low, 0, (long long)p.s[7]);
  e.to = cp_limit((b + 1) * size - high, e.from, (long long)p.s[7]);
  long long r = low - 1; // first the row that started before the tile
#pragma unroll
  for (int u = 0; u < AHEAD; u++) e.end[u] = cp_read_end(p, e, r + u);
  if (share.column == 0) reinterpret_cast<long long *>(p.s[12])[b] = e.end[0] > e.from ? r : -1;
  cp_piece sum = cp_nothing();
  const auto finish = [&] {
    if (r < low)
      *cp_at(p.s[11], b, width, share.column) = sum;
    else
      cp_put(p, r, share.column, sum);
    sum = cp_nothing();
    cp_next_row(p, e, r++);
  };
  for (long long first = e.from; first < e.to; first += AHEAD) {
    T v[AHEAD];
    cp_piece x[AHEAD];
#pragma unroll
    for (int u = 0; u < AHEAD; u++) {
      if (first + u >= e.to) break;
      v[u] = values[first + u];
      x[u] = cp_operand(p, first + u, share.column);
    }
#pragma unroll
    for (int u = 0; u < AHEAD; u++) {
      if (first + u >= e.to) break;
      while (first + u >= e.end[0] && r + 1 < high) finish();
      cp_add(sum, v[u], x[u]);
    }
  }
  do finish();
  while (r < high);
}

#else
CP_FN void cp_work(const cp_slots &p) {
  const cp_share share = cp_share_of(p);
  const long long b = share.item, tiles = (long long)p.s[13], width = (long long)p.s[8];
  const long long *row_of = reinterpret_cast<const long long *>(p.s[12]);
  if (b >= tiles || share.column >= width) return;
  const long long r = row_of[b];
  if (r < 0 || r >= (long long)p.s[5] || (b > 0 && row_of[b - 1] == r)) return;
  cp_piece sum = SCALED ? cp_nothing() : *cp_at(p.s[4], r, width, share.column);
#pragma unroll 4
  for (long long k = b; k < tiles && row_of[k] == r; k++) {
    const cp_piece part = *cp_at(p.s[11], k, width, share.column);
#pragma unroll
    for (int e = 0; e < EACH; e++) sum.v[e] = T_SPACE::r_add(sum.v[e], part.v[e]);
  }
  if (SCALED) {
    const cp_piece first = *cp_at(p.s[4], r, width, share.column);
#pragma unroll
    for (int e = 0; e < EACH; e++)
      sum.v[e] = cp_step(first.v[e], cp_factor<SCALES>(p, r * width + share.column + e), sum.v[e]);
  }
  *cp_at(p.s[4], r, width, share.column) = sum;
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  cp_work(p);
}
