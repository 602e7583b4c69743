// Recursive filters (direct form II transposed). One thread processes a row. A few long rows are cut into
// chunks: `ends` filters each chunk from a zero state, and a row of zeros from each unit state, which gives
// the matrix that advances a state over a chunk; `chain` goes from chunk to chunk by that matrix, and stores
// the state in which each chunk begins; `chunks` filters each chunk from there.
//
// variants: MODE=rows T=float32,float64,complex64,complex128 ORDER=0,2,40
// variants: MODE=ends,chain,chunks T=float32,float64,complex64,complex128 ORDER=4
//
// Slots: 0 in, 1 out, 2 b[0] to b[ORDER], a[1] to a[ORDER], 3 states of rows, 4 rows, 5 length, 6 stride of
// rows, 7 stride of elements, 8 elements per chunk, 9 chunks per row, 10 states: of each chunk, then the
// columns of the matrix

#define MODE_rows   0
#define MODE_ends   1
#define MODE_chain  2
#define MODE_chunks 3
#define CP_JOINED(a, b) a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE CP_JOINED_OF(MODE_, MODE)

// ORDER as in src/cuda/routines/convolve.c.
enum { THREADS = 64, AHEAD = 4, STATES = ORDER > 0 ? ORDER : 1 };

struct cp_slots {
  unsigned long long s[11];
};

// sum + v * w
CP_FN T cp_step(T sum, T v, T w) {
#if defined(T_COMPLEX)
  sum.re = T_SPACE::m_fma(-v.im, w.im, T_SPACE::m_fma(v.re, w.re, sum.re));
  sum.im = T_SPACE::m_fma(v.im, w.re, T_SPACE::m_fma(v.re, w.im, sum.im));
  return sum;
#else
  return T_SPACE::m_fma(v, w, sum);
#endif
}

CP_FN T cp_minus(T v) {
#if defined(T_COMPLEX)
  return T_SPACE::c_negative(v);
#else
  return -v;
#endif
}

// Filters one element.
CP_FN T cp_filter(T (&z)[STATES], const T *__restrict__ b, T in) {
  const T *a = b + ORDER; // a[1] follows b[ORDER]
  if (ORDER == 0) return cp_step(T_SPACE::r_zero(), b[0], in);
  const T out = cp_step(z[0], b[0], in), back = cp_minus(out);
#if ORDER <= 16
#pragma unroll
#else
#pragma unroll 1
#endif
  for (int i = 0; i < ORDER; i++) {
    const T next = i + 1 < ORDER ? z[i + 1 < ORDER ? i + 1 : 0] : T_SPACE::r_zero();
    z[i] = cp_step(cp_step(next, b[i + 1], in), a[i + 1], back);
  }
  return out;
}

#if CP_MODE == MODE_chain

extern "C" __global__ void __launch_bounds__(32) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ T state[STATES];
  const int lane = threadIdx.x;
  const long long row = blockIdx.x, chunks = (long long)p.s[9];
  T *board = reinterpret_cast<T *>(p.s[10]) + row * chunks * ORDER;
  const T *matrix = reinterpret_cast<const T *>(p.s[10]) + (long long)p.s[4] * chunks * ORDER;
  T z = T_SPACE::r_zero(), m[STATES];
  if (lane < ORDER) {
    z = reinterpret_cast<const T *>(p.s[3])[row * ORDER + lane];
#pragma unroll
    for (int k = 0; k < ORDER; k++) m[k] = matrix[k * ORDER + lane];
  }
  T end = lane < ORDER ? board[lane] : T_SPACE::r_zero();
  for (long long c = 0; c < chunks; c++) {
    if (lane < ORDER) {
      state[lane] = z;
      board[c * ORDER + lane] = z;
    }
    __syncwarp();
    z = end;
    if (lane < ORDER && c + 1 < chunks) end = board[(c + 1) * ORDER + lane];
    if (lane < ORDER) {
#pragma unroll
      for (int k = 0; k < ORDER; k++) {
        // a zero state must not multiply an overflow of the matrix
#if defined(T_COMPLEX)
        if (state[k].re != 0 || state[k].im != 0) z = cp_step(z, m[k], state[k]);
#else
        if (state[k] != 0) z = cp_step(z, m[k], state[k]);
#endif
      }
    }
    __syncwarp();
  }
}

#else

extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  const long long task = (long long)blockIdx.x * THREADS + threadIdx.x;
  const long long rows = (long long)p.s[4], length = (long long)p.s[5], step = (long long)p.s[7];
#if CP_MODE == MODE_rows
  const long long row = task, first = 0, end = length;
  if (row >= rows) return;
#else
  const long long chunk = (long long)p.s[8], chunks = (long long)p.s[9], row = task / chunks,
                  first = task % chunks * chunk;
  const long long end = first + chunk < length && row < rows ? first + chunk
                        : row < rows                         ? length
                                                             : first + chunk;
  T *board = reinterpret_cast<T *>(p.s[10]) + task * ORDER;
  if (task >= rows * chunks + (CP_MODE == MODE_ends ? ORDER : 0)) return;
#endif
  const T *coefficients = reinterpret_cast<const T *>(p.s[2]);
  const T *in = reinterpret_cast<const T *>(p.s[0]) + row * (long long)p.s[6] + first * step;
  T *out = reinterpret_cast<T *>(p.s[1]) + row * (long long)p.s[6] + first * step;
  T *states = reinterpret_cast<T *>(p.s[3]) + row * ORDER;
#if CP_MODE == MODE_ends
  const bool zeros = task >= rows * chunks;
#else
  const bool zeros = false;
#endif
  T z[STATES];
  for (int i = 0; i < ORDER; i++) {
#if CP_MODE == MODE_ends
    z[i] = zeros && i == (int)(task - rows * chunks) ? T_SPACE::r_one() : T_SPACE::r_zero();
#elif CP_MODE == MODE_chunks
    z[i] = board[i];
#else
    z[i] = states[i];
#endif
  }
  for (long long k = first; k < end; k += AHEAD) {
    T v[AHEAD];
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
      v[i] = k + i < end && !zeros ? in[(k - first + i) * step] : T_SPACE::r_zero();
#if ORDER <= 16
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int i = 0; i < AHEAD; i++) {
      if (k + i >= end) continue;
      const T y = cp_filter(z, coefficients, v[i]);
#if CP_MODE != MODE_ends
      out[(k - first + i) * step] = y;
#else
      (void)y;
#endif
    }
  }
  for (int i = 0; i < ORDER; i++) {
#if CP_MODE == MODE_ends
    board[i] = z[i];
#elif CP_MODE == MODE_chunks
    if (end == length) states[i] = z[i];
#else
    states[i] = z[i];
#endif
  }
}

#endif
