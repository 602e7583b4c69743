// Elements selected by arrays of positions, one for each index of a shape: read, written, or combined with
// values.
//
// KIND      0 read, 1 write, 2 add, 3 max, 4 min
// BYTES     of an element, for 0 and 1; T, its dtype, for the others
// INDEX     bytes per position, 4 or 8; COUNT: number of arrays of positions; NDIM: axes of the shape
// WIDE      1: indices need 64 bits
// AHEAD     elements, or groups of them, that a thread has in flight
// LINE      1: one array of positions, contiguous and aligned, as the values are: positions are loaded by 16
//           bytes
// ORDERED   1: positions that select the same element are combined in C order. Elements are assigned to
//           blocks and their threads; each block looks at all positions, in order.
//
// Writes that keep the last of several values are in last.cu. Slots: lookup.h.
//
// variants: KIND=0,1 BYTES=1,2,4,8,16 INDEX=8 COUNT=1 NDIM=1 WIDE=0 AHEAD=4 LINE=1 ORDERED=0
// variants: KIND=0,1 BYTES=4 INDEX=4 COUNT=1 NDIM=1 WIDE=0,1 AHEAD=4 LINE=1 ORDERED=0
// variants: KIND=0,1 BYTES=4,16 INDEX=4,8 COUNT=2 NDIM=3 WIDE=0,1 AHEAD=2 LINE=0 ORDERED=0
// variants: KIND=0,1 BYTES=8 INDEX=8 COUNT=0,5 NDIM=0,6 WIDE=1 AHEAD=1 LINE=0 ORDERED=0
// variants: KIND=2 T=all INDEX=8 COUNT=1 NDIM=1 WIDE=0 AHEAD=4 LINE=0 ORDERED=0,1
// variants: KIND=3,4 T=bool,int8,int16,int32,int64 INDEX=8 COUNT=1 NDIM=1 WIDE=0 AHEAD=4 LINE=0 ORDERED=0,1
// variants: KIND=3,4 T=uint8,uint16,uint32,uint64 INDEX=8 COUNT=1 NDIM=1 WIDE=0 AHEAD=4 LINE=0 ORDERED=0,1
// variants: KIND=3,4 T=float16,bfloat16 INDEX=8 COUNT=1 NDIM=1 WIDE=0 AHEAD=4 LINE=0 ORDERED=0,1
// variants: KIND=3,4 T=float32,float64 INDEX=8 COUNT=1 NDIM=1 WIDE=0 AHEAD=4 LINE=0 ORDERED=0,1

#define MORE 0
#include "lookup.h"

#if KIND >= 2
#include "combine.h"
#else
typedef word item;
#endif

// ---- kernels

#if ORDERED

#define SHARE 4 // indices that a thread looks at in turn
#define QUEUE (2 * SHARE * BLOCK)

typedef struct {
  long long base;
  place e; // the value is looked up again, which keeps the queue small
} entry;

CP_FN unsigned long long mix(long long base) { return (unsigned long long)base * 0x9e3779b97f4a7c15ull; }

// Each thread executes the queue's entries for its own elements, in order.
CP_FN void carry_out(const cp_slots &p, const entry *queue, int n) {
  char *base = (char *)p.s[1];
  const char *value = (const char *)p.s[2];
  for (int k = 0; k < n; k++) {
    const entry q = queue[k];
    if ((mix(q.base) >> 24 & (BLOCK - 1)) != threadIdx.x) continue;
    long long ignored, v;
    locate(p, q.e, &ignored, &v);
    item *element = (item *)(base + q.base);
    *element = T_store(combine(T_load(*element), T_load(*(const item *)(value + v))));
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  __shared__ entry queue[QUEUE];
  __shared__ int sums[BLOCK / 32];
  const place size = (place)p.s[0];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int queued = 0;
  for (place first = 0; first < size; first += SHARE * BLOCK) {
    long long base[SHARE], value;
    unsigned mine = 0;
#pragma unroll
    for (int k = 0; k < SHARE; k++) {
      const place e = first + threadIdx.x * SHARE + k;
      base[k] = 0;
      if (e < size && e >= first && locate(p, e, &base[k], &value) &&
          __umulhi((unsigned)(mix(base[k]) >> 32), gridDim.x) == blockIdx.x)
        mine |= 1u << k;
    }
    int at = __popc(mine);
    const int count = at;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(0xffffffffu, at, step);
      if (lane >= step) at += other;
    }
    if (lane == 31) sums[warp] = at;
    __syncthreads();
    at += queued - count;
    for (int w = 0; w < BLOCK / 32; w++) {
      if (w < warp) at += sums[w];
      queued += sums[w];
    }
#pragma unroll
    for (int k = 0; k < SHARE; k++)
      if (mine >> k & 1) queue[at++] = entry{base[k], first + threadIdx.x * SHARE + k};
    __syncthreads();
    if (queued > QUEUE - SHARE * BLOCK || size - first <= SHARE * BLOCK) {
      carry_out(p, queue, queued);
      queued = 0;
      __syncthreads();
    }
    if (size - first <= SHARE * BLOCK) return;
  }
}

#elif LINE

#define GROUP (16 / INDEX)

struct __align__(16) positions {
  position i[GROUP];
};
struct __align__(BYTES *GROUP < 16 ? BYTES * GROUP : 16) items {
  item m[GROUP];
};

CP_FN void move_one(const cp_slots &p, place e) {
  long long b, v;
  const bool good = locate(p, e, &b, &v);
  item *element = (item *)((char *)p.s[1] + b), *value = (item *)((char *)p.s[2] + v);
#if KIND == 0
  *value = good ? *element : item{};
#else
  if (good) *element = *value;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  const place size = (place)p.s[0], groups = size / GROUP;
  const long long stride = (long long)p.s[9];
  const positions *from = (const positions *)p.s[7];
  char *base = (char *)p.s[1];
  items *values = (items *)p.s[2];
  const place first = (place)blockIdx.x * (BLOCK * AHEAD) + threadIdx.x;
  positions i[AHEAD];
  items v[AHEAD];
#pragma unroll
  for (int k = 0; k < AHEAD; k++)
    if (first + k * BLOCK < groups) {
      i[k] = from[first + k * BLOCK];
#if KIND == 1
      v[k] = values[first + k * BLOCK];
#endif
    }
#pragma unroll
  for (int k = 0; k < AHEAD; k++)
    if (first + k * BLOCK < groups) {
#pragma unroll
      for (int g = 0; g < GROUP; g++) {
        long long at;
        const bool good = cp_resolve(p, 0, (long long)i[k].i[g], &at);
#if KIND == 0
        v[k].m[g] = good ? *(const item *)(base + at * stride) : item{};
#else
        if (good) *(item *)(base + at * stride) = v[k].m[g];
#endif
      }
    }
#if KIND == 0
#pragma unroll
  for (int k = 0; k < AHEAD; k++)
    if (first + k * BLOCK < groups) values[first + k * BLOCK] = v[k];
#endif
  if (blockIdx.x == 0 && threadIdx.x < size - groups * GROUP) move_one(p, groups * GROUP + threadIdx.x);
}

#else

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  const place size = (place)p.s[0], first = (place)blockIdx.x * (BLOCK * AHEAD) + threadIdx.x;
  char *base = (char *)p.s[1], *value = (char *)p.s[2];
  long long b[AHEAD], v[AHEAD];
  bool good[AHEAD];
  item m[AHEAD];
#pragma unroll
  for (int k = 0; k < AHEAD; k++) {
    good[k] = first + k * BLOCK < size && first + k * BLOCK >= first;
    b[k] = v[k] = 0;
    if (good[k]) {
      good[k] = locate(p, first + k * BLOCK, &b[k], &v[k]);
#if KIND == 0
      if (!good[k]) {
        *(item *)(value + v[k]) = item{};
      }
#endif
    }
  }
#pragma unroll
  for (int k = 0; k < AHEAD; k++)
    if (good[k]) m[k] = *(const item *)(KIND == 0 ? base + b[k] : value + v[k]);
#pragma unroll
  for (int k = 0; k < AHEAD; k++) {
    if (!good[k]) continue;
#if KIND == 0
    *(item *)(value + v[k]) = m[k];
#elif KIND == 1
    *(item *)(base + b[k]) = m[k];
#else
    combine_at(base + b[k], T_load(m[k]));
#endif
  }
}

#endif
