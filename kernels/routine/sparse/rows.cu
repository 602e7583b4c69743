// The rows of a sparse matrix. MODE check finds starts and columns that are out of range, and what order the
// columns are in; eight lanes per row. MODE rows stores the row of each entry.
//
// variants: MODE=check,rows INDEX=int32,int64
//
// Slots: 0 starts, 1 columns of the entries, 2 result, 3 rows, 4 columns, 5 entries. The result of `check` is
// as cp_sparse_fact in src/routines/sparse.h; the first two words start as -1, the others as 0.

#define MODE_check         0
#define MODE_rows          1
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse.c and cp_sparse_fact.
enum { BLOCK = 256, LANES = 8, ITEMS = 8 };
enum { BAD_ROW, BAD_ENTRY, UNSORTED, REPEATED, LONGEST, BEGIN, END };

struct cp_slots {
  unsigned long long s[6];
};

#if CP_JOINED_OF(MODE_, MODE) == MODE_check
CP_FN void cp_work(const cp_slots &p) {
  const long long r = ((long long)blockIdx.x * BLOCK + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  const INDEX *starts = reinterpret_cast<const INDEX *>(p.s[0]),
              *at = reinterpret_cast<const INDEX *>(p.s[1]);
  unsigned long long *facts = reinterpret_cast<unsigned long long *>(p.s[2]);
  const long long columns = (long long)p.s[4], entries = (long long)p.s[5];
  if (r >= (long long)p.s[3]) return;
  const long long from = starts[r], to = starts[r + 1];
  if (lane == 0 && r == 0) facts[BEGIN] = (unsigned long long)from;
  if (lane == 0 && r + 1 == (long long)p.s[3]) facts[END] = (unsigned long long)to;
  if (from < 0 || to < from || to > entries) {
    if (lane == 0) atomicMin(&facts[BAD_ROW], (unsigned long long)r);
    return;
  }
  bool unsorted = false, repeated = false;
  for (long long k = from + lane; k < to; k += LANES) {
    const long long c = at[k];
    if (c < 0 || c >= columns) atomicMin(&facts[BAD_ENTRY], (unsigned long long)k);
    if (k == from) continue;
    const long long before = at[k - 1];
    unsorted |= c < before;
    repeated |= c == before;
  }
  if (unsorted && facts[UNSORTED] == 0) atomicMax(&facts[UNSORTED], 1ull);
  if (repeated && facts[REPEATED] == 0) atomicMax(&facts[REPEATED], 1ull);
  if (lane == 0 && (unsigned long long)(to - from) > *(volatile unsigned long long *)&facts[LONGEST])
    atomicMax(&facts[LONGEST], (unsigned long long)(to - from));
}
#else
// A block has ITEMS entries for each thread, so that its two searches in all rows count for little.
CP_FN void cp_work(const cp_slots &p) {
  const long long rows = (long long)p.s[3], entries = (long long)p.s[5];
  const long long first = (long long)blockIdx.x * BLOCK * ITEMS;
  cp_with_rows<BLOCK, ITEMS>(
      p.s[0], rows, first, min(first + BLOCK * ITEMS, entries),
      [&](long long at, long long r) { reinterpret_cast<INDEX *>(p.s[2])[at] = (INDEX)r; });
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  cp_work(p);
}
