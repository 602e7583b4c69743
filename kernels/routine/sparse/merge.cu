// Products of two sparse matrices of which the first has at most LANES entries in each row, and the second
// has rows that ascend strictly. A group of LANES lanes has a row of the result: each lane walks along the
// row of b that an entry of a meets, all agree on the least column, and add up what they have there, in one
// order. MODE count stores the number of places of each row, MODE fill their columns and values.
//
// variants: MODE=count T=float32 INDEX=int32,int64 LANES=8,16,32
// variants: MODE=fill T=int32,int64,float32,float64,complex64,complex128 INDEX=int32,int64 LANES=8,32
//
// Slots: 0 starts of a, 1 its columns, 2 its values, 3 starts of b, 4 its columns, 5 its values, 6 lengths
// (int64) or starts of the result, 7 its columns, 8 its values, 9 rows of a, 10 rows of b, 11 columns of b,
// 12 entries of a, 13 entries of b, 14 entries of the result

#define MODE_count         0
#define MODE_fill          1
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE            CP_JOINED_OF(MODE_, MODE)

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse_expand.c.
enum { BLOCK = 256 };

struct cp_slots {
  unsigned long long s[15];
};

template <int> struct cp_unsigned { typedef unsigned type; };
template <> struct cp_unsigned<8> { typedef unsigned long long type; };
typedef cp_unsigned<sizeof(INDEX)>::type cp_key; // a column; NONE behind the last one
#define NONE ((cp_key)-1)

// The least of the group's keys, in each of its lanes.
CP_FN cp_key cp_least(cp_key k) {
#if __CUDA_ARCH__ >= 800
  if constexpr (LANES == 32 && sizeof(cp_key) == 4)
    return (cp_key)__reduce_min_sync(0xffffffffu, (unsigned)k);
#endif
#pragma unroll
  for (unsigned d = LANES / 2; d > 0; d /= 2) k = min(k, __shfl_xor_sync(0xffffffffu, k, d));
  return k;
}

// Where a lane is in its row of b; the entry behind is read ahead.
struct cp_walk {
  long long at, end;
  cp_key column, next;
#if CP_MODE == MODE_fill
  T factor, value, next_value;
#endif
};

// Reads entry `at + ahead` into the place of the one behind.
CP_FN void cp_read_ahead(const cp_slots &p, cp_walk &w, long long ahead) {
  const bool any = w.at + ahead < w.end;
  w.next = any ? (cp_key)cp_column(p.s[4], w.at + ahead, (long long)p.s[11]) : NONE;
#if CP_MODE == MODE_fill
  if (any) w.next_value = reinterpret_cast<const T *>(p.s[5])[w.at + ahead];
#endif
}

CP_FN void cp_take_next(cp_walk &w) {
  w.column = w.next;
#if CP_MODE == MODE_fill
  w.value = w.next_value;
#endif
}

CP_FN cp_walk cp_begin(const cp_slots &p, long long r, long long lane) {
  const long long entries = (long long)p.s[12], most = (long long)p.s[13];
  cp_walk w = {};
  w.next = NONE;
  if (r < (long long)p.s[9]) {
    const long long k = cp_start(p.s[0], r, 0, entries) + lane;
    if (k < cp_start(p.s[0], r + 1, 0, entries)) {
      const long long c = cp_column(p.s[1], k, (long long)p.s[10]);
      w.at = cp_start(p.s[3], c, 0, most);
      w.end = cp_start(p.s[3], c + 1, w.at, most);
#if CP_MODE == MODE_fill
      w.factor = reinterpret_cast<const T *>(p.s[2])[k];
#endif
      cp_read_ahead(p, w, 0);
    }
  }
  cp_take_next(w);
  cp_read_ahead(p, w, 1);
  return w;
}

#if CP_MODE == MODE_fill
// What the lanes of a group have kept of the last `count` places, at most one each, goes to `out` and
// behind.
CP_FN void cp_store(const cp_slots &p, long long out, int count, int lane, cp_key column, T value) {
  if (lane >= count || out + lane >= (long long)p.s[14]) return;
  reinterpret_cast<INDEX *>(p.s[7])[out + lane] = (INDEX)column;
  reinterpret_cast<T *>(p.s[8])[out + lane] = value;
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  const long long r = ((long long)blockIdx.x * BLOCK + threadIdx.x) / LANES, rows = (long long)p.s[9];
  const int lane = (int)threadIdx.x % LANES;
  cp_walk w = cp_begin(p, r, lane);
  long long count = 0;
#if CP_MODE == MODE_fill
  const long long out = r < rows ? cp_start(p.s[6], r, 0, (long long)p.s[14]) : 0;
  cp_key column = NONE;
  T value = T_SPACE::r_zero();
#endif
  for (;;) {
    const cp_key least = cp_least(w.column);
    if (__all_sync(0xffffffffu, least == NONE)) break; // other groups of the warp may have places left
    const bool mine = w.column == least && least != NONE;
#if CP_MODE == MODE_fill
    const T sum = cp_sum_of_lanes(mine ? T_SPACE::r_multiply(w.factor, w.value) : T_SPACE::r_zero(), LANES);
    if (least != NONE && lane == (int)(count % LANES)) {
      column = least;
      value = sum;
    }
#endif
    if (mine) {
      w.at++;
      cp_take_next(w);
      cp_read_ahead(p, w, 1);
    }
    if (least == NONE) continue;
    count++;
#if CP_MODE == MODE_fill
    if (count % LANES == 0) cp_store(p, out + count - LANES, LANES, lane, column, value);
#endif
  }
#if CP_MODE == MODE_fill
  const int left = (int)(count % LANES);
  cp_store(p, out + count - left, left, lane, column, value);
#else
  if (r < rows && lane == 0) reinterpret_cast<long long *>(p.s[6])[r] = count;
#endif
}
