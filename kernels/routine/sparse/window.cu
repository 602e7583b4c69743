// Products of two sparse matrices, for rows of the result that have many products. The rows of b ascend
// strictly. A block has a row of the result and goes through its columns, a window at a time: it marks each
// column that has a product by a bit, numbers the marks, and adds the products at the places that these
// numbers are. It adds what one entry of a meets at once, as these columns differ, and one entry after the
// other, so that the order of summation is fixed. MODE count stores the number of places of each row, MODE
// fill their columns and values.
//
// variants: MODE=count T=float32 INDEX=int32,int64
// variants: MODE=fill T=int32,int64,float32,float64,complex64,complex128 INDEX=int32,int64
//
// Slots: 0 starts of a, 1 its columns, 2 its values, 3 starts of b, 4 its columns, 5 its values, 6 the row of
// each block (int64), 7 lengths (int64) or starts of the result, 8 its columns, 9 its values, 10 rows of a,
// 11 rows of b, 12 columns of b, 13 entries of a, 14 entries of b, 15 entries of the result

#define MODE_count         0
#define MODE_fill          1
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE            CP_JOINED_OF(MODE_, MODE)

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse_expand.c. LONG: entries of a row of b from which on all warps go
// through it; AHEAD: columns that are read before the first is marked.
enum { BLOCK = 256, WARPS = BLOCK / 32, WINDOW = 1 << 17, WORDS = WINDOW / 32, LONG = 1024, AHEAD = 4 };

struct cp_slots {
  unsigned long long s[16];
};

// What a block has in shared memory: the marks of the window, and of up to BLOCK entries of a the part of b's
// row that lies in the window.
struct cp_room {
  unsigned marks[WORDS];
  long long at[BLOCK];
  int length[BLOCK];
#if CP_MODE == MODE_fill
  int before[WORDS]; // marks before each word
  T factor[BLOCK];
#endif
};

CP_FN long long cp_column_of_b(const cp_slots &p, long long k) {
  return cp_column(p.s[4], k, (long long)p.s[12]);
}

// The first of b's entries low to high - 1, which ascend, whose column is at least c.
CP_FN long long cp_first_from(const cp_slots &p, long long low, long long high, long long c) {
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if (cp_column_of_b(p, middle) < c)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Reads the entries first to first + n - 1 of a. All threads take part.
CP_FN void cp_read_entries(const cp_slots &p, cp_room &room, long long first, int n, long long base) {
  const int t = (int)threadIdx.x;
  __syncthreads(); // others may still read what was there
  if (t < n) {
    const long long entries = (long long)p.s[14], c = cp_column(p.s[1], first + t, (long long)p.s[11]);
    long long from = cp_start(p.s[3], c, 0, entries), to = cp_start(p.s[3], c + 1, from, entries);
    if ((long long)p.s[12] > WINDOW) {
      from = cp_first_from(p, from, to, base);
      to = cp_first_from(p, from, to, base + WINDOW);
    }
    room.at[t] = from;
    room.length[t] = (int)min(to - from, (long long)WINDOW);
#if CP_MODE == MODE_fill
    room.factor[t] = reinterpret_cast<const T *>(p.s[2])[first + t];
#endif
  }
  __syncthreads();
}

// Calls f(n) for the entries from..to - 1 of a, at most BLOCK at a time, once n of them are read.
template <class F>
CP_FN void cp_each_batch(const cp_slots &p, cp_room &room, long long from, long long to, long long base,
                         const F &f) {
  for (long long first = from; first < to; first += BLOCK) {
    const int n = (int)min(to - first, (long long)BLOCK);
    cp_read_entries(p, room, first, n, base);
    f(n);
  }
  __syncthreads();
}

// Marks what entry e meets, `width` threads of which this one is number t.
CP_FN void cp_mark(const cp_slots &p, cp_room &room, int e, long long base, int t, int width) {
  const long long at = room.at[e];
  const int length = room.length[e];
  for (int i = t; i < length; i += width * AHEAD) {
    unsigned c[AHEAD];
#pragma unroll
    for (int u = 0; u < AHEAD; u++)
      if (i + u * width < length)
        c[u] = (unsigned)(cp_column_of_b(p, at + i + u * width) - base) % (unsigned)WINDOW;
#pragma unroll
    for (int u = 0; u < AHEAD; u++) {
      if (i + u * width >= length) break;
      atomicOr(&room.marks[c[u] / 32], 1u << c[u] % 32);
    }
  }
}

CP_FN void cp_mark_all(const cp_slots &p, cp_room &room, int n, long long base) {
  const int t = (int)threadIdx.x;
  for (int e = 0; e < n; e++)
    if (room.length[e] >= LONG) cp_mark(p, room, e, base, t, BLOCK);
  for (int e = t / 32; e < n; e += WARPS)
    if (room.length[e] < LONG) cp_mark(p, room, e, base, t % 32, 32);
}

#if CP_MODE == MODE_fill
// Where the places of a window are in the result.
CP_FN void cp_put_columns(const cp_slots &p, unsigned marks, long long out, long long base) {
  const long long most = (long long)p.s[15];
  for (; marks != 0 && out < most; marks &= marks - 1)
    reinterpret_cast<INDEX *>(p.s[8])[out++] = (INDEX)(base + __ffs((int)marks) - 1);
}

// Numbers the marks of a window, of which each warp has `share` words, and stores their columns at `out` and
// behind, and values that are 0. Returns how many there are.
CP_FN int cp_number(const cp_slots &p, cp_room &room, int share, long long out, long long base) {
  const int lane = (int)threadIdx.x % 32, first = (int)threadIdx.x / 32 * share;
  int sum = 0, total;
  for (int w = first + lane; w < first + share; w += 32) sum += __popc(room.marks[w]);
  int before = __shfl_sync(0xffffffffu, cp_sum_before<WARPS>(sum, &total), 0);
  for (int w = first + lane; w < first + share; w += 32) {
    const int own = __popc(room.marks[w]), with = cp_sum_in_warp(own);
    room.before[w] = before + with - own;
    cp_put_columns(p, room.marks[w], out + before + with - own, base + w * 32ll);
    before += __shfl_sync(0xffffffffu, with, 31);
  }
  const long long end = min(out + total, (long long)p.s[15]);
  for (long long k = out + threadIdx.x; k < end; k += BLOCK)
    reinterpret_cast<T *>(p.s[9])[k] = T_SPACE::r_zero();
  return total;
}

// An entry of b that is read ahead.
struct cp_met {
  unsigned column; // within the window
  T value;
};

CP_FN cp_met cp_read(const cp_slots &p, long long at, long long base) {
  return {(unsigned)(cp_column_of_b(p, at) - base) % (unsigned)WINDOW,
          reinterpret_cast<const T *>(p.s[5])[at]};
}

CP_FN void cp_add(const cp_slots &p, const cp_room &room, T factor, const cp_met &b, long long out) {
  const unsigned word = b.column / 32, below = room.marks[word] & ((1u << b.column % 32) - 1);
  const long long place = out + room.before[word] + __popc(below);
  if (place >= (long long)p.s[15]) return;
  T *sum = reinterpret_cast<T *>(p.s[9]) + place;
  *sum = cp_step(*sum, factor, b.value);
}

// Adds the products of n entries, one entry after the other.
CP_FN void cp_add_all(const cp_slots &p, const cp_room &room, int n, long long out, long long base) {
  const int t = (int)threadIdx.x;
  cp_met next = {};
  if (t < room.length[0]) next = cp_read(p, room.at[0] + t, base);
  for (int e = 0; e < n; e++) {
    const cp_met first = next;
    const long long at = room.at[e];
    const int length = room.length[e];
    const T factor = room.factor[e];
    if (e + 1 < n && t < room.length[e + 1]) next = cp_read(p, room.at[e + 1] + t, base);
    if (t < length) cp_add(p, room, factor, first, out);
    for (int i = t + BLOCK; i < length; i += BLOCK) cp_add(p, room, factor, cp_read(p, at + i, base), out);
    __syncthreads();
  }
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ cp_room room;
  const int t = (int)threadIdx.x;
  const long long rows = (long long)p.s[10], columns = (long long)p.s[12], entries = (long long)p.s[13];
  const long long r = cp_limit(reinterpret_cast<const long long *>(p.s[6])[blockIdx.x], 0, rows - 1);
  const long long from = cp_start(p.s[0], r, 0, entries), to = cp_start(p.s[0], r + 1, from, entries);
#if CP_MODE == MODE_fill
  long long out = cp_start(p.s[7], r, 0, (long long)p.s[15]);
#else
  long long count = 0; // of this thread's words
#endif
  for (long long base = 0; base < columns; base += WINDOW) {
    const int words = (int)(min(columns - base, (long long)WINDOW) + 31) / 32;
    const int share = (words + BLOCK - 1) / BLOCK * 32; // words of each warp
    for (int w = t; w < share * WARPS; w += BLOCK) room.marks[w] = 0;
    cp_each_batch(p, room, from, to, base, [&](int n) { cp_mark_all(p, room, n, base); });
#if CP_MODE == MODE_fill
    const int total = cp_number(p, room, share, out, base);
    cp_each_batch(p, room, from, to, base, [&](int n) { cp_add_all(p, room, n, out, base); });
    out += total;
#else
    for (int w = t; w < share * WARPS; w += BLOCK) count += __popc(room.marks[w]);
#endif
  }
#if CP_MODE == MODE_count
  int total;
  cp_sum_before<WARPS>((int)count, &total);
  if (t == 0) reinterpret_cast<long long *>(p.s[7])[r] = total;
#endif
}
