// Convolution with a small filter on two axes, KY times KX, without shared memory: a thread has VECTOR results beside each other in RUN rows, and all
// of the elements around them in registers. What neighbours read too comes from the first level of cache.
//
// VECTOR: elements that lie together and are read at once, from multiples of VECTOR on; of the ones that a filter reaches, the first lies SHIFT
// behind such a multiple. 1: any steps. AXES: 2 at least.
//
// variants: T=float32 BORDER=fill,wrap,symm,edge,mirror AXES=2 KY=3 KX=3 VECTOR=4 SHIFT=3
// variants: T=all BORDER=symm AXES=2 KY=3 KX=3 VECTOR=1 SHIFT=0
// variants: T=float32 BORDER=fill,symm AXES=2 KY=5 KX=5 VECTOR=4 SHIFT=2
// variants: T=uint8,float16 BORDER=fill AXES=2 KY=3 KX=3 VECTOR=4 SHIFT=3
// variants: T=float64,float16,complex64 BORDER=symm AXES=3 KY=2 KX=4 VECTOR=2 SHIFT=1
#include "convolve.h"

// ORDER src/cuda/convolve.c
enum { LANES = 32, RUN = 4, TILE_X = LANES * VECTOR, TILE_Y = THREADS / LANES * RUN };
enum { HIGH = RUN + KY - 1, WIDE = VECTOR + KX - 1, PACKS = (SHIFT + WIDE + VECTOR - 1) / VECTOR };

struct alignas(VECTOR * sizeof(T_memory)) cp_pack {
  T_memory v[VECTOR];
};

typedef T cp_near[HIGH][WIDE];

// The elements from column x on of the rows from y on, wholly inside of the array's columns.
CP_FN void cp_load_packs(cp_near &v, const cp_slots &p, const T_memory *plane, long long y, long long x) {
  const cp_axis ay = cp_axis_of(p, AXES - 2);
#pragma unroll
  for (int r = 0; r < HIGH; r++) {
    const long long py = cp_place(y + r, ay.in);
    const T_memory *row = plane + py * ay.in_step + x - SHIFT;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
#if CP_BORDER == BORDER_fill
      if (plane == nullptr || py < 0) {
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
          if (k * VECTOR + c >= SHIFT && k * VECTOR + c - SHIFT < WIDE) v[r][k * VECTOR + c - SHIFT] = cp_fill(p);
        continue;
      }
#endif
      const cp_pack pack = reinterpret_cast<const cp_pack *>(row)[k];
#pragma unroll
      for (int c = 0; c < VECTOR; c++)
        if (k * VECTOR + c >= SHIFT && k * VECTOR + c - SHIFT < WIDE) v[r][k * VECTOR + c - SHIFT] = T_load(pack.v[c]);
    }
  }
}

// The same one by one, wherever they are.
CP_FN void cp_load_each(cp_near &v, const cp_slots &p, const T_memory *plane, long long y, long long x) {
  const cp_axis ay = cp_axis_of(p, AXES - 2), ax = cp_axis_of(p, AXES - 1);
  long long rows[HIGH];
#pragma unroll
  for (int r = 0; r < HIGH; r++) rows[r] = cp_place(y + r, ay.in);
#pragma unroll
  for (int c = 0; c < WIDE; c++) {
    const long long px = cp_place(x + c, ax.in);
#pragma unroll
    for (int r = 0; r < HIGH; r++) {
#if CP_BORDER == BORDER_fill
      const bool on = plane != nullptr && px >= 0 && rows[r] >= 0;
      v[r][c] = on ? T_load(plane[rows[r] * ay.in_step + px * ax.in_step]) : cp_fill(p);
#else
      v[r][c] = T_load(plane[rows[r] * ay.in_step + px * ax.in_step]);
#endif
    }
  }
}

CP_FN void cp_add_up(T (&sum)[RUN][VECTOR], const cp_near &v, const T (&w)[KY][KX]) {
#pragma unroll
  for (int y = 0; y < KY; y++)
#pragma unroll
    for (int x = 0; x < KX; x++)
#pragma unroll
      for (int i = 0; i < RUN; i++)
#pragma unroll
        for (int c = 0; c < VECTOR; c++) sum[i][c] = cp_step(sum[i][c], v[y + i][x + c], w[y][x]);
}

CP_FN void cp_store(T_memory *out, const cp_axis &ax, long long x, const T (&sum)[VECTOR]) {
  if (VECTOR > 1 && x + VECTOR <= ax.out) {
    cp_pack pack;
#pragma unroll
    for (int c = 0; c < VECTOR; c++) pack.v[c] = T_store(sum[c]);
    *reinterpret_cast<cp_pack *>(out + x) = pack;
    return;
  }
#pragma unroll
  for (int c = 0; c < VECTOR; c++)
    if (x + c < ax.out) out[(x + c) * ax.out_step] = T_store(sum[c]);
}

extern "C" __global__ void __launch_bounds__(THREADS) cupola_kernel(const cp_slots p) {
  const cp_axis ay = cp_axis_of(p, AXES - 2), ax = cp_axis_of(p, AXES - 1);
  const cp_spot spot = cp_spot_of(p, blockIdx.x);
  const long long x0 = (long long)spot.across * TILE_X + threadIdx.x % LANES * VECTOR;
  const long long y0 = (long long)spot.down * TILE_Y + threadIdx.x / LANES * RUN;
  if (x0 >= ax.out || y0 >= ay.out) return;
  T sum[RUN][VECTOR];
#pragma unroll
  for (int i = 0; i < RUN; i++)
#pragma unroll
    for (int c = 0; c < VECTOR; c++) sum[i][c] = T_SPACE::r_zero();

  const unsigned lines = OUTER > 0 ? (unsigned)p.s[8] : 1;
  const long long y = y0 + ay.start, x = x0 + ax.start;
  const bool inside = VECTOR > 1 && x - SHIFT >= 0 && x - SHIFT + PACKS * VECTOR <= ax.in;
  for (unsigned k = 0; k < lines; k++) {
    const T_memory *plane = cp_plane(p, spot, k);
    cp_near v;
    T w[KY][KX];
#pragma unroll
    for (int e = 0; e < KY * KX; e++) w[e / KX][e % KX] = cp_tap(p, (long long)lines * (KY * KX), (long long)k * (KY * KX) + e);
    if (inside)
      cp_load_packs(v, p, plane, y, x);
    else
      cp_load_each(v, p, plane, y, x);
    cp_add_up(sum, v, w);
  }

  T_memory *out = cp_result(p, spot);
#pragma unroll
  for (int i = 0; i < RUN; i++)
    if (y0 + i < ay.out) cp_store(out + (y0 + i) * ay.out_step, ax, x0, sum[i]);
}
