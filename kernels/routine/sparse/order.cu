// Orders the rows of a triangular matrix so that each row follows the rows that its entries refer to, by
// levels: rows that can be solved at the same time are nearly all together. The matrix is given by columns.
// MODE count: counts for each row how many rows it waits for. MODE begin: those that wait for none take the
// first places. MODE follow: each place of the order has a thread, which waits until a row takes the place,
// and then counts that row off those that wait for it; a row that waits for no more takes the next place.
// Blocks get their places in order, from a counter, so that what a block waits for is always being worked on.
// Within a level the order varies from run to run.
//
// variants: MODE=count,begin,follow INDEX=int32,int64
//
// Slots: 0 starts of the columns, 1 rows of the entries, 2 the order, all -1, 3 counters, all 0: places given
// out, places taken, then an unsigned for each row; 4 rows, 5 entries, 6 whether the matrix is lower

#define MODE_count         0
#define MODE_begin         1
#define MODE_follow        2
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)

#include "sparse.h"

enum { BLOCK = 256, ITEMS = 4 }; // ORDER as in src/cuda/routines/sparse_solve.c

struct cp_slots {
  unsigned long long s[7];
};

CP_FN unsigned long long *cp_counters(const cp_slots &p) {
  return reinterpret_cast<unsigned long long *>(p.s[3]);
}
CP_FN unsigned *cp_left(const cp_slots &p) { return reinterpret_cast<unsigned *>(cp_counters(p) + 2); }

// Whether row r refers to row c, if it has such an entry: the diagonal one does not count.
CP_FN bool cp_refers(const cp_slots &p, long long r, long long c) { return p.s[6] ? r > c : r < c; }

// Gives row r the next place. Threads that come together ask for their places at once.
CP_FN void cp_take_place(const cp_slots &p, long long r) {
  const unsigned active = __activemask(), before = active & ((1u << threadIdx.x % 32) - 1);
  const int leader = __ffs((int)active) - 1;
  unsigned long long place = 0;
  if (before == 0) place = atomicAdd(cp_counters(p) + 1, (unsigned long long)__popc(active));
  place = __shfl_sync(active, place, leader) + (unsigned)__popc(before);
  if (place < p.s[4]) reinterpret_cast<volatile INDEX *>(p.s[2])[place] = (INDEX)r;
}

#if CP_JOINED_OF(MODE_, MODE) == MODE_count
CP_FN void cp_work(const cp_slots &p) {
  const long long rows = (long long)p.s[4], entries = (long long)p.s[5];
  const long long first = blockIdx.x * (long long)BLOCK * ITEMS, end = min(first + BLOCK * ITEMS, entries);
  cp_with_rows<BLOCK, ITEMS>(p.s[0], rows, first, end, [&](long long at, long long c) {
    const long long r = cp_column(p.s[1], at, rows);
    if (cp_refers(p, r, c)) atomicAdd(cp_left(p) + r, 1u);
  });
}

#elif CP_JOINED_OF(MODE_, MODE) == MODE_begin
CP_FN void cp_work(const cp_slots &p) {
  const long long r = blockIdx.x * (long long)BLOCK + threadIdx.x;
  if (r < (long long)p.s[4] && cp_left(p)[r] == 0) cp_take_place(p, r);
}

#else
CP_FN void cp_strike(const cp_slots &p, long long c) {
  const long long rows = (long long)p.s[4], from = cp_start(p.s[0], c, 0, (long long)p.s[5]),
                  to = cp_start(p.s[0], c + 1, from, (long long)p.s[5]);
  for (long long k = from; k < to; k++) {
    const long long r = cp_column(p.s[1], k, rows);
    if (cp_refers(p, r, c) && atomicSub(cp_left(p) + r, 1u) == 1) cp_take_place(p, r);
  }
}

CP_FN void cp_work(const cp_slots &p) {
  __shared__ unsigned long long first;
  if (threadIdx.x == 0) first = atomicAdd(cp_counters(p), (unsigned long long)BLOCK);
  __syncthreads();
  const long long place = (long long)first + threadIdx.x;
  const volatile INDEX *order = reinterpret_cast<volatile INDEX *>(p.s[2]);
  bool done = place >= (long long)p.s[4];
  for (;;) { // threads of a warp may wait for each other; the first that is not done looks for all
    const unsigned waiting = __ballot_sync(0xffffffffu, !done);
    if (waiting == 0) break;
    if ((int)threadIdx.x % 32 == __ffs((int)waiting) - 1)
      while (order[place] < 0) {
      }
    __syncwarp();
    const long long r = done ? -1 : (long long)order[place];
    if (r < 0) continue;
    cp_strike(p, r);
    done = true;
  }
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  cp_work(p);
}
