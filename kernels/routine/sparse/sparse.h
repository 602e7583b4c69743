// Shared by the kernels for sparse matrices: the entries of rows, products of dtype T, exchanges between
// lanes. INDEX: the dtype of positions. A position out of range is replaced by one in range.

CP_FN long long cp_limit(long long v, long long low, long long high) { return min(max(v, low), high); }

// Where row r starts, within the entries low .. high.
CP_FN long long cp_start(unsigned long long starts, long long r, long long low, long long high) {
  return cp_limit((long long)reinterpret_cast<const INDEX *>(starts)[r], low, high);
}

// The column of entry k, of `columns`.
CP_FN long long cp_column(unsigned long long columns_of, long long k, long long columns) {
  const unsigned long long c = (unsigned long long)(long long)reinterpret_cast<const INDEX *>(columns_of)[k];
  return (long long)min(c, (unsigned long long)columns - 1);
}

// How many of the rows low .. high - 1 start at entry k or before it, plus low.
CP_FN long long cp_after(unsigned long long starts_at, long long k, long long low, long long high) {
  const INDEX *starts = reinterpret_cast<const INDEX *>(starts_at);
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if ((long long)starts[middle] <= k)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The same, found by a warp, which takes a fifth of the steps: each waits for memory.
CP_FN long long cp_after_by_warp(unsigned long long starts_at, long long k, long long low, long long high) {
  const INDEX *starts = reinterpret_cast<const INDEX *>(starts_at);
  while (low < high) { // 32 parts, of which those before the one where it ends start at k or before it
    const long long step = (high - low + 31) / 32, at = low + step * ((int)threadIdx.x % 32 + 1) - 1;
    const unsigned behind = __ballot_sync(0xffffffffu, at >= high || (long long)starts[at] > k);
    low = min(low + step * (behind == 0 ? 32 : __ffs((int)behind) - 1), high);
    high = min(low + step - 1, high);
  }
  return low;
}

// The sum of `count` over the lanes of a warp up to this one.
CP_FN int cp_sum_in_warp(int count) {
  const int lane = (int)threadIdx.x % 32;
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, count, d);
    if (lane >= d) count += other;
  }
  return count;
}

// The sum of `count` over the threads of a block before this one, and over all of them.
template <int WARPS> CP_FN int cp_sum_before(int count, int *total) {
  alignas(16) __shared__ int parts[WARPS]; // read by words of 16 bytes, which begin with it
  const int warp = (int)threadIdx.x / 32, sum = cp_sum_in_warp(count);
  int before = 0;
  *total = 0;
  __syncthreads(); // others may still read what was there
  if (threadIdx.x % 32 == 31) parts[warp] = sum;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < WARPS; w++) {
    if (w < warp) before += parts[w];
    *total += parts[w];
  }
  return before + sum - count;
}

// The rows of the entries first to end - 1, at most SHARE for each thread of the block: that of entry k is
// low + above[k - first], which is in range. Two warps find the rows of the first and the last entry; of
// those between, each marks the entry with which it begins, and sums of the marks number the rows.
struct cp_tile_rows {
  long long low;
  const int *above;
};
template <int THREADS, int SHARE>
CP_FN cp_tile_rows cp_rows_of(unsigned long long starts, long long rows, long long first, long long end) {
  __shared__ long long bounds[2];
  __shared__ int marks[THREADS * SHARE];
  const int mine = (int)threadIdx.x * SHARE;
  if (threadIdx.x < 64) {
    const long long bound = cp_after_by_warp(starts, threadIdx.x < 32 ? first : end - 1, 0, rows);
    if (threadIdx.x % 32 == 0) bounds[threadIdx.x / 32] = bound;
  }
  for (int k = (int)threadIdx.x; k < THREADS * SHARE; k += THREADS) marks[k] = 0;
  __syncthreads();
  const long long low = cp_limit(bounds[0] - 1, 0, rows - 1);
  for (long long r = low + 1 + threadIdx.x; r < bounds[1]; r += THREADS) {
    const long long at = (long long)reinterpret_cast<const INDEX *>(starts)[r] - first;
    if (at >= 0 && at < THREADS * SHARE) atomicAdd(marks + at, 1);
  }
  __syncthreads();
  int sum = 0, total;
#pragma unroll
  for (int i = 0; i < SHARE; i++) sum += marks[mine + i];
  sum = cp_sum_before<THREADS / 32>(sum, &total);
#pragma unroll
  for (int i = 0; i < SHARE; i++) marks[mine + i] = sum += marks[mine + i];
  __syncthreads();
  return {low, marks};
}

// Calls f(k, its row) for these entries, of which neighbouring threads have neighbours.
template <int THREADS, int SHARE, class F>
CP_FN void cp_with_rows(unsigned long long starts, long long rows, long long first, long long end,
                        const F &f) {
  const cp_tile_rows tile = cp_rows_of<THREADS, SHARE>(starts, rows, first, end);
#pragma unroll
  for (int i = 0; i < SHARE; i++) {
    const int at = i * THREADS + (int)threadIdx.x;
    if (at < end - first) f(first + at, tile.low + tile.above[at]);
  }
}

// Reads an element that is needed once, so that the caches keep others.
template <class V> CP_FN V cp_once(const V *at) {
  V v;
  if constexpr (alignof(V) == 4) {
    int w[sizeof(V) / 4];
#pragma unroll
    for (unsigned k = 0; k < sizeof(V) / 4; k++) w[k] = __ldcs(reinterpret_cast<const int *>(at) + k);
    memcpy(&v, w, sizeof v);
  } else {
    long long w[sizeof(V) / 8];
#pragma unroll
    for (unsigned k = 0; k < sizeof(V) / 8; k++) w[k] = __ldcs(reinterpret_cast<const long long *>(at) + k);
    memcpy(&v, w, sizeof v);
  }
  return v;
}

// The same of cp_column.
CP_FN long long cp_column_once(unsigned long long columns_of, long long k, long long columns) {
  const unsigned long long c =
      (unsigned long long)(long long)cp_once(reinterpret_cast<const INDEX *>(columns_of) + k);
  return (long long)min(c, (unsigned long long)columns - 1);
}

#ifdef T_SPACE
#include "step.h"

// The factor of element k of the result: slot FIRST + 1 and the next hold it, or slot FIRST + 5 the address
// of one for each element.
template <int FIRST, class P> CP_FN T cp_factor(const P &p, long long k) {
  T alpha;
  memcpy(&alpha, &p.s[FIRST + 1], sizeof alpha);
  return p.s[FIRST + 5] == 0 ? alpha : reinterpret_cast<const T *>(p.s[FIRST + 5])[k];
}

enum { CP_SCALES = 6 };

// The factor times sum + beta * element k of what is added, if there is any: slot FIRST holds its address,
// and FIRST + 3 and the next beta.
template <int FIRST, class P> CP_FN T cp_scaled(const P &p, T sum, long long k) {
  T beta;
  memcpy(&beta, &p.s[FIRST + 3], sizeof beta);
  const T first = T_SPACE::r_multiply(cp_factor<FIRST>(p, k), sum);
  return p.s[FIRST] == 0 ? first : cp_step(first, beta, reinterpret_cast<const T *>(p.s[FIRST])[k]);
}

// v of the lane whose number differs in the bits of `lanes`.
CP_FN T cp_from_lane(T v, unsigned lanes) {
  enum { WORDS = (int)(sizeof(T) / 4) };
  unsigned w[WORDS];
  memcpy(w, &v, sizeof v);
#pragma unroll
  for (int k = 0; k < WORDS; k++) w[k] = __shfl_xor_sync(0xffffffffu, w[k], lanes);
  memcpy(&v, w, sizeof v);
  return v;
}

// The sum over groups of `lanes` neighbouring lanes (a power of two), in each of them. All lanes of the warp
// take part.
CP_FN T cp_sum_of_lanes(T sum, unsigned lanes) {
  for (unsigned d = lanes / 2; d > 0; d /= 2) sum = T_SPACE::r_add(sum, cp_from_lane(sum, d));
  return sum;
}
#endif
