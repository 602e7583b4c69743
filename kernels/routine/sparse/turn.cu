// Compresses a matrix along its other axis. MODE pack puts what an entry has beside its column into 8 bytes,
// which are sorted along with the columns; from these MODE unpack makes the entries of the result, and a
// block finds where the columns begin that have their first entry within its tile.
//
// PACKED, the 8 bytes: 0 the row and the value, of up to 4 bytes; 1 the row and the entry's number, of 4
// bytes each; 2 the number alone.
//
// variants: MODE=pack INDEX=int32 SIZE=1,4 PACKED=0
// variants: MODE=pack INDEX=int32,int64 SIZE=8 PACKED=1,2
// variants: MODE=unpack INDEX=int32,int64 SIZE=1,2,4 PACKED=0
// variants: MODE=unpack INDEX=int32,int64 SIZE=8,16 PACKED=1,2
//
// Slots: 0 starts of the rows, 1 the sorted columns, 2 values, 3 packed entries, 4 starts, 5 rows and 6
// values of the result, 7 rows, 8 columns, 9 entries

#define MODE_pack          0
#define MODE_unpack        1
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse_turn.c.
enum { BLOCK = 256, ITEMS = 4, TILE = BLOCK * ITEMS };

struct cp_slots {
  unsigned long long s[10];
};

#include "element.h"

#if CP_JOINED_OF(MODE_, MODE) == MODE_pack
CP_FN unsigned long long cp_pack(const cp_slots &p, long long k, long long r) {
#if PACKED == 0
  return (unsigned long long)r << 32 | reinterpret_cast<const cp_element *>(p.s[2])[k];
#elif PACKED == 1
  return (unsigned long long)r << 32 | (unsigned long long)k;
#else
  return (unsigned long long)k;
#endif
}

CP_FN void cp_work(const cp_slots &p) {
  unsigned long long *out = reinterpret_cast<unsigned long long *>(p.s[3]);
  const long long rows = (long long)p.s[7], entries = (long long)p.s[9], first = blockIdx.x * (long long)TILE;
#if PACKED == 2
  for (long long k = first + threadIdx.x; k < min(first + TILE, entries); k += BLOCK)
    out[k] = cp_pack(p, k, 0);
#else
  cp_with_rows<BLOCK, ITEMS>(p.s[0], rows, first, min(first + TILE, entries),
                             [&](long long at, long long r) { out[at] = cp_pack(p, at, r); });
#endif
}

#else
CP_FN void cp_unpack(const cp_slots &p, long long k) {
  const unsigned long long packed = cp_once(reinterpret_cast<const unsigned long long *>(p.s[3]) + k);
#if PACKED == 0
  const cp_element value = (cp_element)packed;
#else
  const unsigned long long number = PACKED == 1 ? packed & 0xffffffffu : packed;
  const long long entry = (long long)min(number, p.s[9] - 1);
  const cp_element value = reinterpret_cast<const cp_element *>(p.s[2])[entry];
#endif
#if PACKED == 2
  const long long r = cp_limit(cp_after(p.s[0], entry, 0, (long long)p.s[7]) - 1, 0, (long long)p.s[7] - 1);
#else
  const long long r = (long long)(packed >> 32);
#endif
  reinterpret_cast<INDEX *>(p.s[5])[k] = (INDEX)r;
  reinterpret_cast<cp_element *>(p.s[6])[k] = value;
}

CP_FN void cp_work(const cp_slots &p) {
  __shared__ INDEX keys[TILE];
  const long long columns = (long long)p.s[8], entries = (long long)p.s[9],
                  first = blockIdx.x * (long long)TILE;
  const long long before = first > 0 ? cp_column(p.s[1], first - 1, columns) : -1;
  const int n = (int)min((long long)TILE, entries - first);
  INDEX *starts = reinterpret_cast<INDEX *>(p.s[4]);
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const int k = i * BLOCK + (int)threadIdx.x;
    if (k >= n) break;
    keys[k] = (INDEX)cp_column(p.s[1], first + k, columns);
    cp_unpack(p, first + k);
  }
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
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  cp_work(p);
}
