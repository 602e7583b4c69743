// Elements where a mask is true: reads them in order, writes them, or gives their coordinates. count.cu
// counted the mask before.
//
// A block lists the true positions of its tile in shared memory. Then neighbouring threads take neighbouring
// entries, so that nearby elements are accessed together, and each thread has several elements in flight.
//
// PASS 1: value[j] = base[p];  2: base[p] = value[j];  3: value[j] = coordinates of p, int64, counted from 1.
// BYTES: element size.
//
// Slots: 0 mask, 1 size, 2 offsets, 3 base, 4 its stride, 5 value, 6 its stride; 7 stride of coordinates, 8
// ndim, then lengths
//
// variants: PASS=1,2 BYTES=1,2,4,8,16 TILE=4096
// variants: PASS=3 BYTES=8 TILE=4096

#define TILES 16
#define BLOCK (TILE / 16) // one 16-byte word of the mask per thread
#define AHEAD 4

struct cp_slots { unsigned long long s[9 + 32]; };

#if BYTES == 1
typedef unsigned char item;
#elif BYTES == 2
typedef unsigned short item;
#elif BYTES == 4
typedef unsigned item;
#elif BYTES == 8
typedef uint2 item;
#else
typedef uint4 item;
#endif

// One bit for each byte of w that is not 0.
CP_FN unsigned bits_of_word(unsigned w) {
  unsigned high = (((w & 0x7f7f7f7fu) + 0x7f7f7f7fu) | w) & 0x80808080u;
  return (high >> 7 & 1u) | (high >> 14 & 2u) | (high >> 21 & 4u) | (high >> 28 & 8u);
}

// One bit for each of the 16 bytes at mask, of which n lie in the array.
CP_FN unsigned bits_of(const unsigned char *mask, long long n) {
  if (n >= 16 && (unsigned long long)mask % 16 == 0) {
    const uint4 w = *(const uint4 *)mask;
    return bits_of_word(w.x) | bits_of_word(w.y) << 4 | bits_of_word(w.z) << 8 | bits_of_word(w.w) << 12;
  }
  unsigned bits = 0;
  for (int k = 0; k < 16 && k < n; k++) bits |= (unsigned)(mask[k] != 0) << k;
  return bits;
}

// Lists the positions of the tile's true elements; returns their number.
CP_FN int list_true(unsigned bits, unsigned short *list) {
  __shared__ int sums[BLOCK / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, count = __popc(bits);
  int at = count;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, at, step);
    if (lane >= step) at += other;
  }
  if (lane == 31) sums[warp] = at;
  __syncthreads();
  int total = 0;
  at -= count;
  for (int w = 0; w < BLOCK / 32; w++) {
    if (w < warp) at += sums[w];
    total += sums[w];
  }
  for (unsigned rest = bits; rest != 0; rest &= rest - 1)
    list[at++] = (unsigned short)(threadIdx.x * 16 + __ffs((int)rest) - 1);
  __syncthreads();
  return total;
}

#if PASS == 3
CP_FN void write_coordinates(const cp_slots &p, char *value, long long position) {
  for (int d = (int)p.s[8] - 1; d >= 0; d--) {
    const unsigned long long length = p.s[9 + d];
    const long long rest = (long long)((unsigned long long)position / length);
    *(long long *)(value + d * (long long)p.s[7]) = position - rest * (long long)length + 1;
    position = rest;
  }
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  __shared__ unsigned short list[TILE];
  const long long size = (long long)p.s[1], tiles = (size + TILE - 1) / TILE, tile = blockIdx.x,
                  first = tile * TILE;
  const long long *offsets = (const long long *)p.s[2];
  const long long at = first + threadIdx.x * 16;
  const int total = list_true(bits_of((const unsigned char *)p.s[0] + at, size - at), list);
  const long long before = offsets[tile] + offsets[tiles + tile / TILES];
  const long long base_stride = (long long)p.s[4], value_stride = (long long)p.s[6];
  char *base = (char *)p.s[3] + first * base_stride, *value = (char *)p.s[5] + before * value_stride;
#if PASS == 3
  for (int j = threadIdx.x; j < total; j += BLOCK)
    write_coordinates(p, value + j * value_stride, first + list[j]);
#else
  for (int j = threadIdx.x; j < total; j += BLOCK * AHEAD) {
    item v[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
      const int i = j + k * BLOCK;
      if (i >= total) continue;
#if PASS == 1
      v[k] = *(const item *)(base + list[i] * base_stride);
#else
      v[k] = *(const item *)(value + i * value_stride);
#endif
    }
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
      const int i = j + k * BLOCK;
      if (i >= total) continue;
#if PASS == 1
      *(item *)(value + i * value_stride) = v[k];
#else
      *(item *)(base + list[i] * base_stride) = v[k];
#endif
    }
  }
#endif
}
