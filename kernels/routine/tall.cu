// Products of tall matrices: c[i][j] = the sum over k of a[k][i] b[k][j], where a and b have up to TILE
// columns and many rows, whose elements are adjacent. Such a product reads memory once for few operations; a general
// one wastes most of a tile of c on it.
//
// STAGE     1: each warp adds up rows k of its own in registers; the sums of a block's warps are joined, and
//           go to the block's place in `partial`. 2: joins the blocks' sums. The order depends only on the
//           sizes and the grid.
// TILE      the columns that a warp has room for. A lane computes 4 x ACROSS elements of c, from pieces of 16
//           bytes if PIECES is 1 (rows begin at multiples of 16 bytes; 4 divides the numbers of columns)
//
// variants: STAGE=1 T=float32 TILE=8,16,32 PIECES=0,1
// variants: STAGE=1 T=float64 TILE=8,16 PIECES=0,1
// variants: STAGE=2 T=float32,float64 TILE=8,16,32 PIECES=0
//
// Slots: 0 a, 1 b, 2 c, 3 partial, 4 columns of a, 5 columns of b, 6 rows, 7 pitch of a, 8 pitch of b, 9
// distance of two elements of c along i, 10 along j (all in elements), 11 blocks

// ORDER as in src/cuda/libraries/tall.c.
enum {
  WARP = 32,
  WARPS = 8,
  DOWN = 4,
  ACROSS = TILE == 32 ? 8 : 4,
  ROWS_OF_LANES = TILE / DOWN,
  LANES = ROWS_OF_LANES * (TILE / ACROSS), // that share a row
  SHARES = WARP / LANES,                   // rows that a warp reads at once
  AHEAD = sizeof(T) == 4 ? 4 : 2,
  EACH = DOWN * ACROSS
};
#define CP_ALL 0xffffffffu

struct cp_slots {
  unsigned long long s[12];
};

struct cp_sums {
  T e[EACH];
};

// Element e of a lane's sums: its row and column in c.
CP_FN int cp_row_of(int lane, int e) { return lane % ROWS_OF_LANES * DOWN + e % DOWN; }
CP_FN int cp_column_of(int lane, int e) { return lane % LANES / ROWS_OF_LANES * ACROSS + e / DOWN; }

#if STAGE == 1
struct alignas(16) cp_piece {
  T e[16 / sizeof(T)];
};

// COUNT elements of a row from `first` on; 0 after the end of the row.
template <int COUNT> CP_FN void cp_load(T *to, const T *row, int first, int n) {
#if PIECES
  constexpr int PER = 16 / sizeof(T);
#pragma unroll
  for (int k = 0; k < COUNT; k += PER) {
    cp_piece piece = {};
    if (first + k < n) piece = *reinterpret_cast<const cp_piece *>(row + first + k);
#pragma unroll
    for (int e = 0; e < PER; e++) to[k + e] = piece.e[e];
  }
#else
#pragma unroll
  for (int k = 0; k < COUNT; k++) to[k] = first + k < n ? row[first + k] : T(0);
#endif
}

// The sums of the block's warps, in the registers of the first.
CP_FN void cp_join(cp_sums &sums, int warp, int lane) {
  __shared__ T held[WARPS / 2][EACH][WARP];
#pragma unroll 1
  for (int half = WARPS / 2; half > 0; half /= 2) {
    if (warp >= half && warp < 2 * half) {
#pragma unroll
      for (int e = 0; e < EACH; e++) held[warp - half][e][lane] = sums.e[e];
    }
    __syncthreads();
    if (warp < half) {
#pragma unroll
      for (int e = 0; e < EACH; e++) sums.e[e] += held[warp][e][lane];
    }
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(WARPS *WARP, 2) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  const T *a = reinterpret_cast<const T *>(p.s[0]), *b = reinterpret_cast<const T *>(p.s[1]);
  const int m = (int)p.s[4], n = (int)p.s[5], lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  const long long rows = (long long)p.s[6], pitch_a = (long long)p.s[7], pitch_b = (long long)p.s[8];
  const int i = cp_row_of(lane, 0), j = cp_column_of(lane, 0);
  const long long step = (long long)gridDim.x * WARPS * SHARES;
  cp_sums sums = {};
#pragma unroll 1
  for (long long k = ((long long)blockIdx.x * WARPS + warp) * SHARES + lane / LANES; k < rows;
       k += AHEAD * step) {
    T x[AHEAD][DOWN], y[AHEAD][ACROSS];
#pragma unroll
    for (int u = 0; u < AHEAD; u++) {
      const bool inside = k + u * step < rows;
      cp_load<DOWN>(x[u], a + (k + u * step) * pitch_a, i, inside ? m : 0);
      cp_load<ACROSS>(y[u], b + (k + u * step) * pitch_b, j, inside ? n : 0);
    }
#pragma unroll
    for (int u = 0; u < AHEAD; u++)
#pragma unroll
      for (int e = 0; e < EACH; e++) sums.e[e] = T_SPACE::m_fma(x[u][e % DOWN], y[u][e / DOWN], sums.e[e]);
  }
#pragma unroll
  for (int away = LANES; away < WARP; away *= 2)
#pragma unroll
    for (int e = 0; e < EACH; e++) sums.e[e] += __shfl_xor_sync(CP_ALL, sums.e[e], away);
  cp_join(sums, warp, lane);
  T *partial = reinterpret_cast<T *>(p.s[3]) + (long long)blockIdx.x * (EACH * LANES);
  if (warp == 0 && lane < LANES) {
#pragma unroll
    for (int e = 0; e < EACH; e++) partial[e * LANES + lane] = sums.e[e];
  }
}
#else
// A block has WARP elements of c; a warp adds up every eighth block's sums.
extern "C" __global__ void __launch_bounds__(WARPS *WARP) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ T held[WARPS][WARP];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, at = blockIdx.x * WARP + lane;
  const int m = (int)p.s[4], n = (int)p.s[5], blocks = (int)p.s[11];
  const T *partial = reinterpret_cast<const T *>(p.s[3]);
  T sum = T(0);
  if (at < EACH * LANES) {
#pragma unroll 8
    for (int k = warp; k < blocks; k += WARPS) sum += partial[(long long)k * (EACH * LANES) + at];
  }
  held[warp][lane] = sum;
  __syncthreads();
  const int i = cp_row_of(at % LANES, at / LANES), j = cp_column_of(at % LANES, at / LANES);
  if (warp != 0 || at >= EACH * LANES || i >= m || j >= n) return;
  for (int k = 1; k < WARPS; k++) sum += held[k][lane];
  reinterpret_cast<T *>(p.s[2])[i * (long long)p.s[9] + j * (long long)p.s[10]] = sum;
}
#endif
