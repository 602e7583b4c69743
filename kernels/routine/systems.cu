// Small square systems by Gaussian elimination with partial pivoting. LANES lanes of a warp handle a matrix
// A, one lane per row. The result is the solution of A X = B, or the pivots, whose product is the
// determinant.
//
// Rows are not exchanged: `place` of lane k is the lane whose row was the pivot in step k, and `order` of
// that lane is k. The warp's matrices and right-hand sides lie beside each other in shared memory, as columns
// of 32 elements and one of padding, so that lanes access rows and columns without bank conflicts. More
// right-hand sides than TILE are processed in turns, with the same factors.
//
// variants: T=float32,float64,complex64,complex128 LANES=8,16,32 WHAT=solve
// variants: T=float32,float64,complex64,complex128 LANES=8,32 WHAT=pivots
//
// Slots: 0 A, 1 B (0: the identity), 2 result: X in C order, or the pivots, of which the first has the
// determinant's sign; 3 matrices, 4 rows of each (at most LANES), 5 right-hand sides, 6 7 8 strides of A in
// elements (matrix, row, column), 9 10 11 those of B, 12 a word that becomes 1 when a matrix is singular
// (solve)

#define WHAT_solve  0
#define WHAT_pivots 1
#define CP_JOINED(a, b) a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_WHAT CP_JOINED_OF(WHAT_, WHAT)

// ORDER as in src/cuda/routines/systems.c.
enum { WARP = 32, TILE = 32, GROUPS = WARP / LANES, PITCH = WARP + 1, AHEAD = 4 };
#define CP_ALL 0xffffffffu

struct cp_slots {
  unsigned long long s[13];
};

// ---- arithmetic

#if defined(T_COMPLEX)
// sum - v * w
CP_FN T cp_less(T sum, T v, T w) {
  sum.re = T_SPACE::m_fma(v.im, w.im, T_SPACE::m_fma(-v.re, w.re, sum.re));
  sum.im = T_SPACE::m_fma(-v.im, w.re, T_SPACE::m_fma(-v.re, w.im, sum.im));
  return sum;
}
CP_FN T cp_quotient(T a, T b) { return T_SPACE::c_divide(a, b); }
CP_FN bool cp_is_zero(T a) { return a.re == 0 && a.im == 0; }
CP_FN T cp_minus(T a) { return T_SPACE::c_negative(a); }
#define CP_SIZE(a) (T_SPACE::m_abs((a).re) + T_SPACE::m_abs((a).im))
#else
CP_FN T cp_less(T sum, T v, T w) { return T_SPACE::m_fma(-v, w, sum); }
CP_FN T cp_quotient(T a, T b) { return a / b; }
CP_FN bool cp_is_zero(T a) { return a == 0; }
CP_FN T cp_minus(T a) { return -a; }
#define CP_SIZE(a) T_SPACE::m_abs(a)
#endif

// Sizes of elements as integers in the same order (nearly so for float64). 0 for 0; nan gets the highest one.
CP_FN unsigned cp_rank(float size) { return __float_as_uint(size); }
CP_FN unsigned cp_rank(double size) { return (unsigned)__double2hiint(size) | (__double2loint(size) != 0); }

// ---- a warp's matrices

struct cp_warp {
  T *columns;
  int lane, row, base; // the lane's number in the warp and in its group; the group's first lane
  unsigned group;      // mask of the group's lanes
};

CP_FN T &cp_at(const cp_warp &w, int column, int lane) { return w.columns[column * PITCH + lane]; }

// A lane's path through matrices of `width` columns when the warp proceeds along the rows: its position, also
// in memory, and the step.
struct cp_walk {
  int row, column, rows, columns, width, at, step, wrap;
};
CP_FN cp_walk cp_begin(int lane, int width, int along, int across) {
  cp_walk k = {lane / width, lane % width, WARP / width, WARP % width, width, 0, 0, along - width * across};
  k.at = k.row * along + k.column * across;
  k.step = k.rows * along + k.columns * across;
  return k;
}
CP_FN void cp_next(cp_walk &k) {
  k.row += k.rows;
  k.column += k.columns;
  k.at += k.step;
  if (k.column >= k.width) {
    k.row++;
    k.column -= k.width;
    k.at += k.wrap;
  }
}

// Loads `width` columns of the matrices at `from` into the warp's columns from `columns` on.
CP_SLOW void cp_load(T *columns, int lane, const T *from, long long step, int along, int across, int n,
                     int width, long long first, long long count) {
  // elements of a column are closer together, so lanes proceed along columns
  const bool turned = along < across;
  const int lines = turned ? width : n, by_row = turned ? PITCH : 1, by_column = turned ? 1 : PITCH;
  const cp_walk begin = cp_begin(lane, turned ? n : width, turned ? across : along, turned ? along : across);
#pragma unroll 1
  for (int g = 0; g < GROUPS; g++) {
    const T *a = from + (first + g < count ? first + g : count - 1) * step;
    T *to = columns + g * LANES;
    cp_walk k = begin;
#pragma unroll 1
    while (k.row < lines) {
      T v[AHEAD];
      int place[AHEAD];
#pragma unroll
      for (int i = 0; i < AHEAD; i++) {
        place[i] = k.row < lines ? k.row * by_row + k.column * by_column : -1;
        if (place[i] >= 0) v[i] = a[k.at];
        cp_next(k);
      }
#pragma unroll
      for (int i = 0; i < AHEAD; i++)
        if (place[i] >= 0) to[place[i]] = v[i];
    }
  }
  __syncwarp();
}

// Loads columns of the identity.
CP_FN void cp_load_identity(const cp_warp &w, int width, int column, int first) {
  T zero = T_SPACE::r_zero(), one = T_SPACE::r_one();
  for (int j = 0; j < width; j++) cp_at(w, column + j, w.lane) = w.row == first + j ? one : zero;
  __syncwarp();
}

// The candidate lane with the largest rank, the first of several. There is at least one.
CP_FN int cp_largest(const cp_warp &w, bool candidate, unsigned rank) {
  const unsigned own = candidate ? rank + 1 : 0;
  unsigned most = own;
#pragma unroll
  for (int d = LANES / 2; d > 0; d /= 2) most = max(most, __shfl_xor_sync(CP_ALL, most, d));
  return __ffs(__ballot_sync(CP_ALL, own == most) & w.group) - 1;
}

// Subtracts l times the pivot's row from the columns `from` to `to`.
CP_FN void cp_reduce(const cp_warp &w, int pivot, T l, int from, int to) {
  T *own = &cp_at(w, from, w.lane);
  const T *row = &cp_at(w, from, pivot);
#pragma unroll 4
  for (int j = from; j < to; j++, own += PITCH, row += PITCH) *own = cp_less(*own, l, *row);
}

extern "C" __global__ void __launch_bounds__(128) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  extern __shared__ __align__(16) unsigned char memory[];
  const long long count = (long long)p.s[3];
  const int n = (int)p.s[4], right = (int)p.s[5], number = threadIdx.x / WARP;
  const long long first = ((long long)blockIdx.x * (blockDim.x / WARP) + number) * GROUPS;
  cp_warp w;
  w.columns = reinterpret_cast<T *>(memory) + number * (n + (right < TILE ? right : TILE)) * PITCH;
  w.lane = threadIdx.x % WARP;
  w.row = w.lane % LANES;
  w.base = w.lane - w.row;
  w.group = (CP_ALL >> (WARP - LANES)) << w.base;
  if (first >= count) return;
  cp_load(w.columns, w.lane, reinterpret_cast<const T *>(p.s[0]), (long long)p.s[6], (int)p.s[7], (int)p.s[8],
          n, n, first, count);
  T *out = reinterpret_cast<T *>(p.s[2]);

  int order = w.row < n ? n : -1, place = w.lane; // n: the lane's row has not been a pivot yet
  bool singular = false, odd = false;
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    const T own = cp_at(w, k, w.lane);
    const bool left = order == n;
    const int pivot = cp_largest(w, left, cp_rank(CP_SIZE(own)));
    const T u = cp_at(w, k, pivot);
    const unsigned before = __ballot_sync(CP_ALL, left) & w.group & ((1u << pivot) - 1);
    odd ^= (__popc(before) & 1) != 0;
    singular |= cp_is_zero(u);
    if (w.row == k) place = pivot;
    if (w.lane == pivot) order = k;
    __syncwarp();
    if (order == n && !cp_is_zero(u)) { // below a pivot of 0 all elements are zero
      const T l = cp_quotient(own, u);
      cp_at(w, k, w.lane) = l;
      cp_reduce(w, pivot, l, k + 1, n);
    }
    __syncwarp();
  }

#if CP_WHAT == WHAT_pivots
  const bool mine = w.row < n && first + w.base / LANES < count;
  const T u = cp_at(w, w.row < n ? w.row : 0, place);
  if (mine) out[(first + w.base / LANES) * n + w.row] = odd && w.row == 0 ? cp_minus(u) : u;
#else
  // The surplus groups of the last warp repeat the last matrix.
  if (singular && w.row == 0) *reinterpret_cast<volatile int *>(p.s[12]) = 1;
  const T *b = reinterpret_cast<const T *>(p.s[1]);
  const int across = (int)p.s[11];
#pragma unroll 1
  for (int done = 0; done < right; done += TILE) {
    const int width = right - done < TILE ? right - done : TILE;
    if (b != 0)
      cp_load(w.columns + n * PITCH, w.lane, b + (long long)done * across, (long long)p.s[9], (int)p.s[10],
              across, n, width, first, count);
    else
      cp_load_identity(w, width, n, done);
    // Forward substitution with L, then back substitution with U.
#pragma unroll 1
    for (int turn = 0; turn < 2 * n; turn++) {
      const bool back = turn >= n;
      const int k = back ? 2 * n - 1 - turn : turn, pivot = __shfl_sync(CP_ALL, place, w.base + k);
      const T l = cp_at(w, k, w.lane);
      if (back) {
        const T u = cp_at(w, k, pivot);
#pragma unroll 1
        for (int j = n + w.row; j < n + width; j += LANES)
          cp_at(w, j, pivot) = cp_quotient(cp_at(w, j, pivot), u);
        __syncwarp();
      }
      if (back ? order >= 0 && order < k : order > k) cp_reduce(w, pivot, l, n, n + width);
      __syncwarp();
    }
#pragma unroll 1
    for (int g = 0; g < GROUPS; g++) {
      T *to = out + (first + g) * n * right + done;
      cp_walk k = cp_begin(w.lane, width, right, 1);
#pragma unroll 1
      for (int steps = (n * width + WARP - 1) / WARP; steps > 0; steps--, cp_next(k)) {
        const int from = __shfl_sync(CP_ALL, place, g * LANES + (k.row < n ? k.row : 0));
        if (k.row < n && first + g < count) to[k.at] = cp_at(w, n + k.column, from);
      }
    }
    __syncwarp();
  }
#endif
}
