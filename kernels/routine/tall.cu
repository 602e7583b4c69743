// Products of tall matrices: c[i][j] = the sum over k of a[k][i] b[k][j], where a and b have up to TILE
// columns and many rows, whose elements are adjacent. Such a product reads memory once for few operations; a
// general one wastes most of a tile of c on it.
//
// STAGE     1: each warp adds up rows k of its own in registers; the sums of a block's warps are joined, and
//           go to the block's place in `partial`. 2: joins the blocks' sums. The order depends only on the
//           sizes and the grid.
// TILE      the columns that a warp has room for. A lane computes 4 x ACROSS elements of c
// PIECES    1: rows begin at multiples of 16 bytes, and 4 divides the numbers of columns. The next rows of a
//           warp are on their way into its part of shared memory, where they take no registers. 0: a warp
//           reads AHEAD rows at once into registers
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
  SHARES = WARP / LANES,                   // rows that a warp multiplies at once
  AHEAD = sizeof(T) == 4 ? 4 : 2,
  EACH = DOWN * ACROSS,
  PIECE = 16 / sizeof(T),          // elements of 16 bytes
  IN_ROW = 2 * TILE / PIECE,       // pieces of a row of a and of b, which lie side by side
  BATCH = 4 * WARP,                // pieces that a warp copies at once
  ROWS = BATCH / IN_ROW, DEPTH = 3 // their rows, and how many batches a warp has room for
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
  T e[PIECE];
};

struct cp_operands {
  const T *a, *b;
  int m, n;
  long long rows, pitch_a, pitch_b;
};

CP_FN void cp_multiply(cp_sums &sums, const T *x, const T *y) {
#pragma unroll
  for (int e = 0; e < EACH; e++) sums.e[e] = T_SPACE::m_fma(x[e % DOWN], y[e / DOWN], sums.e[e]);
}

#if PIECES
// Begins to copy a piece; 0 if it is not `valid`.
CP_FN void cp_copy(cp_piece *to, const T *from, bool valid) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
               "l"(from), "r"(valid ? 16 : 0)
               : "memory");
#else
  *to = valid ? *reinterpret_cast<const cp_piece *>(from) : cp_piece{};
#endif
}

// Begins to copy the rows from k on: one batch.
CP_FN void cp_fetch(cp_piece *to, const cp_operands &o, long long k, int lane) {
#pragma unroll
  for (int q = lane; q < BATCH; q += WARP) {
    const long long row = k + q / IN_ROW;
    const int place = q % (IN_ROW / 2) * PIECE;
    const bool first = q % IN_ROW < IN_ROW / 2, valid = row < o.rows && place < (first ? o.m : o.n);
    const T *from = first ? o.a + row * o.pitch_a : o.b + row * o.pitch_b;
    cp_copy(to + q, valid ? from + place : o.a, valid);
  }
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits for all of the warp's batches but the last LEFT.
template <int LEFT> CP_FN void cp_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
  __syncwarp();
}

template <int COUNT> CP_FN void cp_read(T *to, const T *from) {
#pragma unroll
  for (int k = 0; k < COUNT; k += PIECE) {
    const cp_piece piece = *reinterpret_cast<const cp_piece *>(from + k);
#pragma unroll
    for (int e = 0; e < PIECE; e++) to[k + e] = piece.e[e];
  }
}

CP_FN void cp_add_rows(cp_sums &sums, const cp_operands &o, cp_piece *shared, int warp, int lane) {
  cp_piece *room = shared + warp * DEPTH * BATCH;
  const long long step = (long long)gridDim.x * WARPS * ROWS;
  const int i = cp_row_of(lane, 0), j = TILE + cp_column_of(lane, 0);
  long long k = ((long long)blockIdx.x * WARPS + warp) * ROWS;
#pragma unroll
  for (int d = 0; d < DEPTH - 1; d++) cp_fetch(room + d * BATCH, o, k + d * step, lane);
#pragma unroll 1
  for (int now = 0; k < o.rows; k += step, now = now == DEPTH - 1 ? 0 : now + 1) {
    cp_fetch(room + (now == 0 ? DEPTH - 1 : now - 1) * BATCH, o, k + (DEPTH - 1) * step, lane);
    cp_wait<DEPTH - 1>();
    const T *row = room[now * BATCH].e + lane / LANES * (2 * TILE);
#pragma unroll 2
    for (int r = 0; r < ROWS; r += SHARES, row += SHARES * 2 * TILE) {
      T x[DOWN], y[ACROSS];
      cp_read<DOWN>(x, row + i);
      cp_read<ACROSS>(y, row + j);
      cp_multiply(sums, x, y);
    }
    __syncwarp();
  }
  cp_wait<0>();
  __syncthreads(); // before others use the room
}
#else
// COUNT elements of a row from `first` on; 0 after the end of the row.
template <int COUNT> CP_FN void cp_load(T *to, const T *row, int first, int n) {
#pragma unroll
  for (int k = 0; k < COUNT; k++) to[k] = first + k < n ? row[first + k] : T(0);
}

CP_FN void cp_add_rows(cp_sums &sums, const cp_operands &o, cp_piece *, int warp, int lane) {
  const int i = cp_row_of(lane, 0), j = cp_column_of(lane, 0);
  const long long step = (long long)gridDim.x * WARPS * SHARES;
  long long k = ((long long)blockIdx.x * WARPS + warp) * SHARES + lane / LANES;
#pragma unroll 1
  for (; k < o.rows; k += AHEAD * step) {
    T x[AHEAD][DOWN], y[AHEAD][ACROSS];
#pragma unroll
    for (int u = 0; u < AHEAD; u++) {
      const bool inside = k + u * step < o.rows;
      cp_load<DOWN>(x[u], o.a + (k + u * step) * o.pitch_a, i, inside ? o.m : 0);
      cp_load<ACROSS>(y[u], o.b + (k + u * step) * o.pitch_b, j, inside ? o.n : 0);
    }
#pragma unroll
    for (int u = 0; u < AHEAD; u++) cp_multiply(sums, x[u], y[u]);
  }
}
#endif

// The sums of the block's warps, in the registers of the first.
CP_FN void cp_join(cp_sums &sums, void *shared, int warp, int lane) {
  T(*held)[EACH][WARP] = reinterpret_cast<T(*)[EACH][WARP]>(shared);
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

extern "C" __global__ void __launch_bounds__(WARPS * WARP, 2) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ cp_piece shared[PIECES ? WARPS * DEPTH * BATCH : WARPS / 2 * EACH * WARP / PIECE];
  const cp_operands o = {reinterpret_cast<const T *>(p.s[0]), reinterpret_cast<const T *>(p.s[1]),
                         (int)p.s[4],       (int)p.s[5],       (long long)p.s[6],
                         (long long)p.s[7], (long long)p.s[8]};
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  cp_sums sums = {};
  cp_add_rows(sums, o, shared, warp, lane);
#pragma unroll
  for (int away = LANES; away < WARP; away *= 2)
#pragma unroll
    for (int e = 0; e < EACH; e++) sums.e[e] += __shfl_xor_sync(CP_ALL, sums.e[e], away);
  cp_join(sums, shared, warp, lane);
  T *partial = reinterpret_cast<T *>(p.s[3]) + (long long)blockIdx.x * (EACH * LANES);
  if (warp == 0 && lane < LANES) {
#pragma unroll
    for (int e = 0; e < EACH; e++) partial[e * LANES + lane] = sums.e[e];
  }
}
#else
// A block has WARP elements of c; a warp adds up every eighth block's sums.
extern "C" __global__ void __launch_bounds__(WARPS * WARP) CP_ENTRY(const cp_slots p) {
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
