// Compresses a matrix along its other axis: entries that were sorted by their columns get their new places,
// and a block finds where the columns begin that have their first entry within its tile.
//
// variants: INDEX=int32,int64 SIZE=1,2,4,8,16
//
// Slots: 0 columns of the entries, 1 their rows, 2 their values, 3 the sorted order: numbers of entries,
// int64, from 1; 4 starts, 5 rows and 6 values of the result, 7 columns, 8 entries

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse_expand.c.
enum { BLOCK = 256, ITEMS = 4, TILE = BLOCK * ITEMS };

struct cp_slots {
  unsigned long long s[9];
};

#include "element.h"

// The number of the entry that is k-th in order, in range.
CP_FN long long cp_ordered(const cp_slots &p, long long k) {
  return cp_limit(reinterpret_cast<const long long *>(p.s[3])[k] - 1, 0, (long long)p.s[8] - 1);
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ INDEX keys[TILE];
  __shared__ long long before; // the column of the entry before the tile
  const long long columns = (long long)p.s[7], entries = (long long)p.s[8],
                  first = blockIdx.x * (long long)TILE;
  const int n = (int)min((long long)TILE, entries - first);
  INDEX *starts = reinterpret_cast<INDEX *>(p.s[4]);
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const int k = i * BLOCK + (int)threadIdx.x;
    if (k >= n) break;
    const long long entry = cp_ordered(p, first + k);
    keys[k] = (INDEX)cp_column(p.s[0], entry, columns);
    reinterpret_cast<INDEX *>(p.s[5])[first + k] = reinterpret_cast<const INDEX *>(p.s[1])[entry];
    reinterpret_cast<cp_element *>(p.s[6])[first + k] = reinterpret_cast<const cp_element *>(p.s[2])[entry];
  }
  if (threadIdx.x == 0) before = first > 0 ? cp_column(p.s[0], cp_ordered(p, first - 1), columns) : -1;
  __syncthreads();
  const long long last = keys[n - 1];
  for (long long c = before + 1 + threadIdx.x; c <= last; c += BLOCK) {
    int low = 0, high = n - 1; // the first key that is c or greater
    while (low < high) {
      const int middle = (low + high) / 2;
      if ((long long)keys[middle] < c)
        low = middle + 1;
      else
        high = middle;
    }
    starts[c] = (INDEX)(first + low);
  }
  if (first + n < entries) return;
  for (long long c = last + 1 + threadIdx.x; c <= columns; c += BLOCK) starts[c] = (INDEX)entries;
}
