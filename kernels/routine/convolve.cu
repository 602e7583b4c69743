// Convolution: sums of products of an array's elements with those of a filter that is moved along it. A block has a tile of results, on the two
// innermost axes; it loads the tile's elements with those around it into shared memory, places beyond a border being mapped to others, and a piece
// of the filter. A thread has RUN results below each other in COLUMNS columns, and keeps RUN elements of a column while the filter's rows go by.
//
// SHAPE=plane: tiles of 32 rows; line: of one row. KY, KX: the lengths of a small filter on the two axes, all of which is one piece; 0: any.
// AXES: 2 at least.
//
// variants: T=all BORDER=fill SHAPE=plane AXES=2 KY=0 KX=0
// variants: T=all BORDER=symm SHAPE=line AXES=2 KY=0 KX=0
// variants: T=float32 BORDER=fill,wrap,symm,edge,mirror SHAPE=plane AXES=2 KY=3 KX=3
// variants: T=float64,float16,complex128 BORDER=symm SHAPE=plane AXES=3 KY=2 KX=4
//
// Slots: 0 array, 1 filter, 2 result, 3 1: the filter is read from its end, + 2: its conjugates are taken, 4 5 an element for places outside (fill),
// 6 7 tiles along the last axis and the one before, 8 lines of the filter beside those two axes; then of each axis 6: length of the array, the result,
// the filter, steps of array and result in elements, start

#define BORDER_fill   0
#define BORDER_wrap   1
#define BORDER_symm   2
#define BORDER_edge   3
#define BORDER_mirror 4
#define SHAPE_plane   0
#define SHAPE_line    1
#define CP_JOINED(a, b) a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_BORDER CP_JOINED_OF(BORDER_, BORDER)
#define CP_LINE CP_JOINED_OF(SHAPE_, SHAPE)

// ORDER src/cuda/convolve.c
enum { THREADS = 256, FIRST = 9, OUTER = AXES - 2 };
#if defined(T_COMPLEX)
enum { PARTS = 2 };
#else
enum { PARTS = 1 };
#endif
#if CP_LINE
enum { LANES = 256, COLUMNS = 4, RUN = 1, PIECE_Y = 1, PIECE_X = 256 };
#else
enum { LANES = 32, COLUMNS = 2 / PARTS, RUN = 4, PIECE_Y = KY > 0 ? KY : 16, PIECE_X = KX > 0 ? KX : 16 };
#endif
enum { ABOVE = THREADS / LANES, TILE_X = LANES * COLUMNS, TILE_Y = ABOVE * RUN };
enum { WIDE = TILE_X + PIECE_X - 1, HIGH = TILE_Y + PIECE_Y - 1 };

struct cp_slots {
  unsigned long long s[FIRST + 6 * AXES];
};

struct cp_axis {
  long long in, out, filter, in_step, out_step, start;
};

CP_FN cp_axis cp_axis_of(const cp_slots &p, int d) {
  const unsigned long long *s = p.s + FIRST + 6 * d;
  return {(long long)s[0], (long long)s[1], (long long)s[2], (long long)s[3], (long long)s[4], (long long)s[5]};
}

// The element of an axis of length n that stands at place c outside of it. Called, since it is rare and its divisions are long.
CP_SLOW long long cp_place_outside(long long c, long long n) {
#if CP_BORDER == BORDER_fill
  return -1;
#elif CP_BORDER == BORDER_edge
  return c < 0 ? 0 : n - 1;
#else
#if CP_BORDER == BORDER_symm
  const long long period = 2 * n;
#elif CP_BORDER == BORDER_mirror
  const long long period = n > 1 ? 2 * n - 2 : 1;
#else
  const long long period = n;
#endif
  if (c < 0) c += period; // most are near
  if (c < 0) c = c % period + period;
  if (c >= period) c %= period;
  if (c < n) return c;
  return CP_BORDER == BORDER_symm ? period - 1 - c : period - c;
#endif
}

// The element at place c; -1: the fill value.
CP_FN long long cp_place(long long c, long long n) {
  return (unsigned long long)c < (unsigned long long)n ? c : cp_place_outside(c, n);
}

// sum + v * w
CP_FN T cp_step(T sum, T v, T w) {
#if defined(T_COMPLEX)
  sum.re = T_SPACE::m_fma(-v.im, w.im, T_SPACE::m_fma(v.re, w.re, sum.re));
  sum.im = T_SPACE::m_fma(v.im, w.re, T_SPACE::m_fma(v.re, w.im, sum.im));
  return sum;
#elif defined(T_REAL)
  return T_SPACE::m_fma(v, w, sum);
#else
  return T_SPACE::r_add(sum, T_SPACE::r_multiply(v, w));
#endif
}

CP_FN T cp_fill(const cp_slots &p) {
  T_memory m;
  memcpy(&m, &p.s[4], sizeof m);
  return T_load(m);
}

struct cp_shared {
  T tile[HIGH][WIDE], taps[PIECE_Y * PIECE_X];
};

// The elements around the tile from place (y, x) on, high times wide of them (NULL: all outside).
CP_FN void cp_load(cp_shared &s, const cp_slots &p, const T_memory *plane, long long y, long long x, int high, int wide) {
  const cp_axis ay = cp_axis_of(p, AXES - 2), ax = cp_axis_of(p, AXES - 1);
  const int lane = threadIdx.x % LANES, row = threadIdx.x / LANES;
#if KX > 0
#pragma unroll
#else
#pragma unroll 1
#endif
  for (int c = 0; c < WIDE; c += LANES) {
    const long long px = cp_place(x + c + lane, ax.in);
#if KX > 0
#pragma unroll
#else
#pragma unroll 2
#endif
    for (int r = 0; r < HIGH; r += ABOVE) {
      if (c + lane >= wide || r + row >= high) continue;
      const long long py = cp_place(y + r + row, ay.in);
#if CP_BORDER == BORDER_fill
      const bool on = plane != nullptr && px >= 0 && py >= 0;
      s.tile[r + row][c + lane] = on ? T_load(plane[py * ay.in_step + px * ax.in_step]) : cp_fill(p);
#else
      s.tile[r + row][c + lane] = T_load(plane[py * ay.in_step + px * ax.in_step]);
#endif
    }
  }
}

// ny * nx weights of the filter, whose line there begins at `line` and whose number of elements is `total`.
CP_FN void cp_load_taps(cp_shared &s, const cp_slots &p, long long line, long long total, long long y, long long x, int ny, int nx) {
  const T_memory *filter = reinterpret_cast<const T_memory *>(p.s[1]);
  const long long width = cp_axis_of(p, AXES - 1).filter;
  for (int k = threadIdx.x; k < ny * nx; k += THREADS) {
    const long long e = line + (y + k / nx) * width + x + k % nx;
    T w = T_load(filter[p.s[3] & 1 ? total - 1 - e : e]);
#if defined(T_COMPLEX)
    if (p.s[3] & 2) w = T_SPACE::c_conj(w);
#endif
    s.taps[k] = w;
  }
}

// Adds the piece's products to the thread's sums.
CP_FN void cp_add_up(T (&sum)[RUN][COLUMNS], const cp_shared &s, int ny, int nx) {
  const int lane = threadIdx.x % LANES, top = threadIdx.x / LANES * RUN;
  T v[RUN][COLUMNS]; // row k of the column is in v[k % RUN]
#if KX > 0
#pragma unroll
#endif
  for (int x = 0; x < nx; x++) {
#pragma unroll
    for (int k = 0; k < RUN - 1; k++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) v[k][c] = s.tile[top + k][lane + c * LANES + x];
#if KY > 0
#pragma unroll
#endif
    for (int y = 0; y < ny; y += RUN) {
#pragma unroll
      for (int k = 0; k < RUN; k++) {
        if (y + k >= ny) continue;
        const T w = s.taps[(y + k) * nx + x];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) v[(RUN - 1 + k) % RUN][c] = s.tile[top + RUN - 1 + y + k][lane + c * LANES + x];
#pragma unroll
        for (int i = 0; i < RUN; i++)
#pragma unroll
          for (int c = 0; c < COLUMNS; c++) sum[i][c] = cp_step(sum[i][c], v[(i + k) % RUN][c], w);
      }
    }
  }
}

CP_FN int cp_least(long long a, long long b) { return (int)(a < b ? a : b); }

extern "C" __global__ void __launch_bounds__(THREADS) cupola_kernel(const cp_slots p) {
  __shared__ cp_shared shared;
  const cp_axis ay = cp_axis_of(p, AXES - 2), ax = cp_axis_of(p, AXES - 1);
#if KX > 0
  const int filter_y = KY, filter_x = KX;
#else
  const long long filter_y = ay.filter, filter_x = ax.filter;
#endif
  unsigned tile = blockIdx.x, at[OUTER > 0 ? OUTER : 1];
  const unsigned across_tiles = (unsigned)p.s[6], down_tiles = (unsigned)p.s[7];
  const long long x0 = (long long)(tile % across_tiles) * TILE_X;
  tile /= across_tiles;
  const long long y0 = (long long)(tile % down_tiles) * TILE_Y;
  tile /= down_tiles;
  T_memory *out = reinterpret_cast<T_memory *>(p.s[2]);
#pragma unroll
  for (int d = OUTER - 1; d >= 0; d--) {
    const cp_axis a = cp_axis_of(p, d);
    at[d] = tile % (unsigned)a.out;
    tile /= (unsigned)a.out;
    out += at[d] * a.out_step;
  }
  const int down = cp_least(ay.out - y0, TILE_Y), across = cp_least(ax.out - x0, TILE_X);
  T sum[RUN][COLUMNS];
#pragma unroll
  for (int i = 0; i < RUN; i++)
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) sum[i][c] = T_SPACE::r_zero();

  const unsigned lines = OUTER > 0 ? (unsigned)p.s[8] : 1;
  const long long piece = filter_y * filter_x;
  for (unsigned k = 0; k < lines; k++) {
    const T_memory *plane = reinterpret_cast<const T_memory *>(p.s[0]);
    unsigned rest = k;
#pragma unroll
    for (int d = OUTER - 1; d >= 0; d--) {
      const cp_axis a = cp_axis_of(p, d);
      const long long c = cp_place(at[d] + a.start + rest % (unsigned)a.filter, a.in);
      rest /= (unsigned)a.filter;
      if (c < 0) plane = nullptr;
      if (plane != nullptr) plane += c * a.in_step;
    }
    for (long long y = 0; y < filter_y; y += PIECE_Y) {
      for (long long x = 0; x < filter_x; x += PIECE_X) {
        const int ny = KY > 0 ? KY : cp_least(filter_y - y, PIECE_Y), nx = KX > 0 ? KX : cp_least(filter_x - x, PIECE_X);
        if (k + y + x > 0) __syncthreads();
        cp_load(shared, p, plane, y0 + ay.start + y, x0 + ax.start + x, down + ny - 1, across + nx - 1);
        cp_load_taps(shared, p, k * piece, lines * piece, y, x, ny, nx);
        __syncthreads();
        cp_add_up(sum, shared, ny, nx);
      }
    }
  }

  const int lane = threadIdx.x % LANES, top = threadIdx.x / LANES * RUN;
#pragma unroll
  for (int i = 0; i < RUN; i++)
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (top + i < down && lane + c * LANES < across)
        out[(y0 + top + i) * ay.out_step + (x0 + lane + c * LANES) * ax.out_step] = T_store(sum[i][c]);
}
