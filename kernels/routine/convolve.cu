// Convolution: sums of products of an array's elements and those of a filter that is moved along it. A block
// computes a tile of results on the two innermost axes. It loads the tile's elements with their neighbourhood
// into shared memory, where indices beyond a border are mapped to others, and a piece of the filter. A thread
// computes COLUMNS neighbouring results in RUN rows, and reads elements and weights COLUMNS at a time.
//
// SHAPE=plane: tiles of 32 rows; line: of one row. AXES: at least 2. Small filters on two
// axes: stencil.cu. SPARING: no products with weights of 0.
//
// variants: T=all BORDER=fill SHAPE=plane AXES=2
// variants: T=all BORDER=symm SHAPE=line AXES=2
// variants: T=float32 BORDER=fill,wrap,symm,edge,mirror SHAPE=plane AXES=2
// variants: T=float64,float16,complex128 BORDER=symm SHAPE=plane AXES=3
// variants: T=float32,float64,bfloat16,complex64 BORDER=none SHAPE=line AXES=2
// variants: T=float32,complex128 BORDER=none SHAPE=plane AXES=3
// variants: T=float32,float16,complex64 BORDER=edge SHAPE=plane AXES=2 SPARING=1
#include "convolve.h"

#define SHAPE_plane 0
#define SHAPE_line  1
#define CP_LINE CP_JOINED_OF(SHAPE_, SHAPE)

// ORDER as in src/cuda/routines/convolve.c.
enum { COLUMNS = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1 };
#if CP_LINE
enum { LANES = 256, RUN = 1, PIECE_Y = 1, PIECE_X = 256 };
#else
enum { LANES = 32, RUN = 4, PIECE_Y = 16, PIECE_X = 16 };
#endif
enum { ABOVE = THREADS / LANES, TILE_X = LANES * COLUMNS, TILE_Y = ABOVE * RUN };
static_assert(PIECE_X * PIECE_Y <= THREADS, "a thread brings one weight of a piece");
enum { WIDE = TILE_X + PIECE_X, HIGH = TILE_Y + PIECE_Y - 1, SHARE = (HIGH + ABOVE - 1) / ABOVE };
enum { STEPS = CP_LINE ? 4 : 1 };
enum { TIMES = CP_LINE ? (WIDE + LANES - 1) / LANES : 1 }; // columns that a thread loads together

struct alignas(COLUMNS * sizeof(T)) cp_pack {
  T v[COLUMNS];
};

struct alignas(16) cp_shared {
  T tile[HIGH][WIDE], taps[PIECE_Y][PIECE_X];
};

CP_FN cp_pack cp_pack_at(const T *first) { return *reinterpret_cast<const cp_pack *>(first); }

// Loads the elements around the tile from (y, x) on, `high` times `wide` of them (plane NULL: all outside). A
// thread issues the loads of a column together, or of a line; otherwise it would wait for each.
CP_FN void cp_load(cp_shared &s, const cp_slots &p, const T_memory *plane, long long y, long long x, int high,
                   int wide) {
  const cp_axis ay = cp_axis_of(p, AXES - 2), ax = cp_axis_of(p, AXES - 1);
  const int lane = threadIdx.x % LANES, row = threadIdx.x / LANES;
  const T_memory *rows[SHARE]; // NULL: outside
#pragma unroll
  for (int r = 0; r < SHARE; r++) {
    const long long py = r * ABOVE + row < high ? cp_place(y + r * ABOVE + row, ay.in) : 0;
    rows[r] = plane + py * ay.in_step;
#if CP_FILLED
    if (plane == nullptr || py < 0) rows[r] = nullptr;
#endif
  }
#pragma unroll 1
  for (int c = lane; c < wide; c += TIMES * LANES) {
    T v[TIMES][SHARE];
#pragma unroll
    for (int k = 0; k < TIMES; k++) {
      const long long px = k == 0 || c + k * LANES < wide ? cp_place(x + c + k * LANES, ax.in) : 0;
#pragma unroll
      for (int r = 0; r < SHARE; r++) {
#if CP_FILLED
        v[k][r] = rows[r] != nullptr && px >= 0 ? T_load(rows[r][px * ax.in_step]) : cp_fill(p);
#else
        v[k][r] = T_load(rows[r][px * ax.in_step]);
#endif
      }
    }
#pragma unroll
    for (int k = 0; k < TIMES; k++)
#pragma unroll
      for (int r = 0; r < SHARE; r++)
        if (r * ABOVE + row < high && (k == 0 || c + k * LANES < wide))
          s.tile[r * ABOVE + row][c + k * LANES] = v[k][r];
  }
}

// Adds to the thread's sums the products of a row's elements, `low` and then `high`, with the weights from x
// on of each filter row that they belong to: row t for the first sums, t - 1 for the next ones. WHOLE: they
// belong to all sums, with COLUMNS weights each. SOME: without products with weights of 0.
template <bool WHOLE, bool SOME>
CP_FN void cp_products(T (&sum)[RUN][COLUMNS], const cp_shared &s, const cp_pack &low, const cp_pack &high,
                       int t, int ny, int x, int nx) {
#pragma unroll
  for (int i = 0; i < RUN; i++) {
    if (!WHOLE && RUN > 1 && (t < i || t - i >= ny)) continue;
    const cp_pack w = cp_pack_at(&s.taps[t - i][x]);
#pragma unroll
    for (int k = 0; k < COLUMNS; k++) {
      if (!WHOLE && k > 0 && x + k >= nx) continue;
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        sum[i][c] = cp_product<SOME>(
            sum[i][c], c + k < COLUMNS ? low.v[(c + k) % COLUMNS] : high.v[(c + k) % COLUMNS], w.v[k]);
    }
  }
}

// Adds the piece's products to the thread's sums.
template <bool SOME> CP_FN void cp_add_up(T (&sum)[RUN][COLUMNS], const cp_shared &s, int ny, int nx) {
  const int left = threadIdx.x % LANES * COLUMNS, top = threadIdx.x / LANES * RUN;
#pragma unroll 1
  for (int t = 0; t < ny + RUN - 1; t++) {
    const T *row = &s.tile[top + t][left];
    const int whole = t >= RUN - 1 && t < ny ? nx - nx % COLUMNS : 0;
    cp_pack low = cp_pack_at(row);
    int x = 0;
#pragma unroll STEPS
    for (; x < whole; x += COLUMNS) {
      const cp_pack high = cp_pack_at(row + x + COLUMNS);
      cp_products<true, SOME>(sum, s, low, high, t, ny, x, nx);
      low = high;
    }
#pragma unroll 1
    for (; x < nx; x += COLUMNS) {
      const cp_pack high = cp_pack_at(row + x + COLUMNS);
      cp_products<false, SOME>(sum, s, low, high, t, ny, x, nx);
      low = high;
    }
  }
}

#if CP_BORDER == BORDER_none
// The same without products with elements outside. (y, x): the index of the tile's first element.
CP_FN void cp_add_up_within(T (&sum)[RUN][COLUMNS], const cp_shared &s, const cp_slots &p, long long y,
                            long long x, int ny, int nx) {
  const cp_axis ay = cp_axis_of(p, AXES - 2), ax = cp_axis_of(p, AXES - 1);
  const int left = threadIdx.x % LANES * COLUMNS, top = threadIdx.x / LANES * RUN;
#pragma unroll 1
  for (int e = 0; e < ny * nx; e++) {
    const int t = e / nx, k = e % nx;
#pragma unroll
    for (int i = 0; i < RUN; i++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        if (cp_is_inside(y + top + i + t, ay.in) && cp_is_inside(x + left + c + k, ax.in))
          sum[i][c] = cp_step(sum[i][c], s.tile[top + i + t][left + c + k], s.taps[t][k]);
  }
}
#endif

// Stores a thread's results in a row, of which `count` lie in the array.
CP_FN void cp_store(T_memory *out, const T (&sum)[COLUMNS], long long step, int count) {
  struct {
    T_memory v[COLUMNS];
  } pack;
#pragma unroll
  for (int c = 0; c < COLUMNS; c++) pack.v[c] = T_store(sum[c]);
  if (sizeof pack % 4 == 0 && step == 1 && count >= COLUMNS && (unsigned long long)out % sizeof pack == 0) {
    cp_store_bytes<sizeof pack>(out, &pack);
    return;
  }
#pragma unroll
  for (int c = 0; c < COLUMNS; c++)
    if (c < count) out[c * step] = pack.v[c];
}

CP_FN int cp_least(long long a, long long b) { return (int)(a < b ? a : b); }

extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ cp_shared shared;
  const cp_axis ay = cp_axis_of(p, AXES - 2), ax = cp_axis_of(p, AXES - 1);
  const cp_spot spot = cp_spot_of(p, blockIdx.x);
  const long long x0 = (long long)spot.across * TILE_X, y0 = (long long)spot.down * TILE_Y;
  const int down = cp_least(ay.out - y0, TILE_Y), across = cp_least(ax.out - x0, TILE_X);
  T_memory *out = cp_result(p, spot);
  T sum[RUN][COLUMNS];
#pragma unroll
  for (int i = 0; i < RUN; i++)
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) sum[i][c] = T_SPACE::r_zero();

  const unsigned lines = OUTER > 0 ? (unsigned)p.s[8] : 1;
  const long long piece = ay.filter * ax.filter;
  for (unsigned k = 0; k < lines; k++) {
    const T_memory *plane = cp_plane(p, spot, k);
    for (long long y = 0; y < ay.filter; y += PIECE_Y) {
      for (long long x = 0; x < ax.filter; x += PIECE_X) {
        const int ny = cp_least(ay.filter - y, PIECE_Y), nx = cp_least(ax.filter - x, PIECE_X);
        if (k + y + x > 0) __syncthreads();
        const int tap = threadIdx.x; // of the piece, which has no more taps than there are threads
        T w;
        if (tap < ny * nx)
          w = cp_tap(p, lines * piece, k * piece + (y + tap / nx) * ax.filter + x + tap % nx);
        cp_load(shared, p, plane, y0 + ay.start + y, x0 + ax.start + x, down + ny - 1, across + nx - 1);
        if (tap < ny * nx) shared.taps[tap / nx][tap % nx] = w;
#if CP_BORDER == BORDER_none
        if (__syncthreads_or(tap < ny * nx && cp_is_special(w))) {
          if (plane != nullptr)
            cp_add_up_within(sum, shared, p, y0 + ay.start + y, x0 + ax.start + x, ny, nx);
          continue;
        }
#elif CP_SPARING
        if (__syncthreads_or(tap < ny * nx && cp_has_zero(w))) {
          cp_add_up<true>(sum, shared, ny, nx);
          continue;
        }
#else
        __syncthreads();
#endif
        cp_add_up<false>(sum, shared, ny, nx);
      }
    }
  }

  const int left = threadIdx.x % LANES * COLUMNS, top = threadIdx.x / LANES * RUN;
#pragma unroll
  for (int i = 0; i < RUN; i++)
    if (top + i < down)
      cp_store(out + (y0 + top + i) * ay.out_step + (x0 + left) * ax.out_step, sum[i], ax.out_step,
               across - left);
}
