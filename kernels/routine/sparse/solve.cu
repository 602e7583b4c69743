// Solves triangular systems with a sparse matrix. LANES lanes, a warp or one thread, solve for a row of one
// right side. They wait until what their entries refer to is known: an element of `known` has only bits that
// are 1, as no result has, until it is. As the values themselves are awaited, no other access to memory must
// be ordered with theirs. Blocks take rows in order, by a counter, so that what they wait for is always under
// way. A thread for a row has more rows under way, which is what counts where rows are short; those of a warp
// may wait for each other, so all look which can go on, and then the first that cannot waits for all, as
// memory would be busy with what others look for. The order of summation is fixed.
//
// variants: T=float32,float64,complex64,complex128 INDEX=int32,int64 LANES=1,32
//
// Slots: 0 starts, 1 columns of the entries, 2 values, 3 x (holds the right sides), 4 rows, 5 entries, 6
// width, 7 known: the counter, which is 0, then an element for each of x; 8 bit 0: lower, bit 1: the diagonal
// is 1 and not stored; 9 the rows in an order in which they can be solved (order.cu), or 0: by their numbers

#include "sparse.h"

enum { BLOCK = 256, UNITS = BLOCK / LANES, HEAD = 16 }; // ORDER as in src/cuda/routines/sparse_solve.c

struct cp_slots {
  unsigned long long s[10];
};

CP_FN T cp_minus(T a, T b) {
#if defined(T_COMPLEX)
  return T_SPACE::c_subtract(a, b);
#else
  return a - b;
#endif
}

CP_FN T cp_over(T a, T b) {
#if defined(T_COMPLEX)
  return T_SPACE::c_divide(a, b);
#else
  return a / b;
#endif
}

template <int SIZE> struct cp_word { typedef unsigned long long type; };
template <> struct cp_word<4> { typedef unsigned type; };
typedef cp_word<sizeof(T)>::type cp_bits; // of which each is read and written at once
enum { WORDS = (int)(sizeof(T) / sizeof(cp_bits)) };

CP_FN volatile cp_bits *cp_known(const cp_slots &p, long long k) {
  return reinterpret_cast<volatile cp_bits *>(p.s[7] + HEAD) + k * WORDS;
}

// Whether element k is known, and which it is.
CP_FN bool cp_is_known(const cp_slots &p, long long k, T *v) {
  cp_bits w[WORDS];
  bool all = true;
#pragma unroll
  for (int i = 0; i < WORDS; i++) {
    w[i] = cp_known(p, k)[i];
    all = all && w[i] != ~(cp_bits)0;
  }
  memcpy(v, w, sizeof w);
  return all;
}

// Sets element k; a nan of ones becomes another one.
CP_FN void cp_make_known(const cp_slots &p, long long k, T v) {
  cp_bits w[WORDS];
  memcpy(w, &v, sizeof w);
#pragma unroll
  for (int i = 0; i < WORDS; i++) cp_known(p, k)[i] = w[i] == ~(cp_bits)0 ? w[i] - 1 : w[i];
  reinterpret_cast<T *>(p.s[3])[k] = v;
}

// A row of one right side: its entries but for the diagonal one.
struct cp_unit {
  long long r, w, from, to;
  T right, diagonal;
};

CP_FN bool cp_is_lower(const cp_slots &p) { return p.s[8] & 1; }
CP_FN bool cp_is_unit(const cp_slots &p) { return p.s[8] & 2; }

CP_FN cp_unit cp_unit_of(const cp_slots &p, long long number) {
  const long long rows = (long long)p.s[4], entries = (long long)p.s[5], width = (long long)p.s[6];
  const long long place = number / width;
  cp_unit u;
  u.w = number - place * width;
  u.r = p.s[9] != 0      ? cp_limit((long long)reinterpret_cast<const INDEX *>(p.s[9])[place], 0, rows - 1)
        : cp_is_lower(p) ? place
                         : rows - 1 - place;
  u.from = cp_start(p.s[0], u.r, 0, entries);
  u.to = cp_start(p.s[0], u.r + 1, u.from, entries);
  u.right = reinterpret_cast<const T *>(p.s[3])[u.r * width + u.w];
  u.diagonal = T_SPACE::r_zero();
  if (!cp_is_unit(p) && u.from < u.to)
    u.diagonal = reinterpret_cast<const T *>(p.s[2])[cp_is_lower(p) ? --u.to : u.from++];
  return u;
}

// Adds what entry k of a unit contributes, once it is known; whether it is. A row that comes later would
// never be; the caller has checked that there is none.
CP_FN bool cp_add_entry(const cp_slots &p, const cp_unit &u, long long k, T *sum) {
  const long long c = cp_column(p.s[1], k, (long long)p.s[4]);
  T v;
  if (cp_is_lower(p) ? c >= u.r : c <= u.r) return true;
  if (!cp_is_known(p, c * (long long)p.s[6] + u.w, &v)) return false;
  *sum = cp_step(*sum, reinterpret_cast<const T *>(p.s[2])[k], v);
  return true;
}

CP_FN void cp_finish(const cp_slots &p, const cp_unit &u, T sum) {
  const T rest = cp_minus(u.right, sum);
  cp_make_known(p, u.r * (long long)p.s[6] + u.w, cp_is_unit(p) ? rest : cp_over(rest, u.diagonal));
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ unsigned long long first;
  if (threadIdx.x == 0)
    first = atomicAdd(reinterpret_cast<unsigned long long *>(p.s[7]), (unsigned long long)UNITS);
  __syncthreads();
  const long long units = (long long)(p.s[4] * p.s[6]), number = (long long)first + threadIdx.x / LANES;
  T sum = T_SPACE::r_zero();
#if LANES == 1
  bool done = number >= units;
  cp_unit u = {};
  if (!done) u = cp_unit_of(p, number);
  long long k = u.from; // the first entry that is not added
  for (;;) {
    while (!done && k < u.to && cp_add_entry(p, u, k, &sum)) k++;
    if (!done && k == u.to) {
      cp_finish(p, u, sum);
      done = true;
    }
    const unsigned waiting = __ballot_sync(0xffffffffu, !done);
    if (waiting == 0) break;
    if ((int)threadIdx.x % 32 == __ffs((int)waiting) - 1) {
      while (!cp_add_entry(p, u, k, &sum)) {
      }
      k++;
    }
    __syncwarp();
  }
#else
  if (number >= units) return; // a warp as a whole
  const cp_unit u = cp_unit_of(p, number);
  const int lane = (int)threadIdx.x % LANES;
  for (long long k = u.from + lane; k < u.to; k += LANES)
    while (!cp_add_entry(p, u, k, &sum)) {
    }
  __syncwarp();
  sum = cp_sum_of_lanes(sum, LANES);
  if (lane == 0) cp_finish(p, u, sum);
#endif
}
