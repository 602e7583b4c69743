// Convolution with a small filter, KY times KX on two axes, without shared memory. A thread computes VECTOR
// neighbouring results in RUN rows, and holds all elements around them in registers. It reads VECTOR elements
// of each row; their neighbours come from the neighbouring lanes, and at a warp's ends from memory, one by
// one.
//
// VECTOR: contiguous elements that are read at once, aligned to multiples of VECTOR; the first element that a
// result needs lies SHIFT after such a multiple. 1: any stride. AXES: at least 2.
//
// variants: T=float32 BORDER=fill,wrap,symm,edge,mirror AXES=2 KY=3 KX=3 VECTOR=4 SHIFT=3
// variants: T=all BORDER=symm AXES=2 KY=3 KX=3 VECTOR=1 SHIFT=0
// variants: T=float32 BORDER=fill,symm AXES=2 KY=5 KX=5 VECTOR=4 SHIFT=2
// variants: T=float32,complex64 BORDER=none AXES=2 KY=3 KX=1 VECTOR=2 SHIFT=1
// variants: T=float32,bfloat16,complex128 BORDER=wrap AXES=2 KY=3 KX=3 VECTOR=1 SHIFT=0 SPARING=1
// variants: T=uint8,float16 BORDER=fill AXES=2 KY=3 KX=3 VECTOR=4 SHIFT=3
// variants: T=float64,float16,complex64 BORDER=symm AXES=3 KY=2 KX=4 VECTOR=2 SHIFT=1
#include "convolve.h"

// ORDER as in src/cuda/routines/convolve.c.
enum { LANES = 32, RUN = 4, TILE_X = LANES * VECTOR, TILE_Y = THREADS / LANES * RUN };
enum { HIGH = RUN + KY - 1, WIDE = VECTOR + KX - 1, PACKS = (SHIFT + WIDE + VECTOR - 1) / VECTOR };

struct alignas(VECTOR * sizeof(T_memory)) cp_pack {
  T_memory v[VECTOR];
};

typedef T cp_near[HIGH][WIDE];

// Lane `from`'s v.
CP_FN T cp_of_lane(const T &v, int from) {
  enum { WORDS = (sizeof(T) + 3) / 4 };
  unsigned words[WORDS] = {};
  T near;
  memcpy(words, &v, sizeof v);
#pragma unroll
  for (int k = 0; k < WORDS; k++) words[k] = __shfl_sync(~0u, words[k], from);
  memcpy(&near, words, sizeof near);
  return near;
}

// The element of a row (NULL: all outside) at index px (-1: outside).
CP_FN T cp_element(const cp_slots &p, const T_memory *row, long long px, long long step) {
#if CP_FILLED
  if (row == nullptr || px < 0) return cp_fill(p);
#endif
  return T_load(row[px * step]);
}

typedef const T_memory *cp_rows[HIGH];

// The rows from y on; NULL: all outside.
CP_FN void cp_find_rows(cp_rows &rows, const cp_axis &ay, const T_memory *plane, long long y) {
  if (!CP_FILLED && y >= 0 && y + HIGH <= ay.in) {
    const T_memory *row = plane + y * ay.in_step;
#pragma unroll
    for (int r = 0; r < HIGH; r++, row += ay.in_step) rows[r] = row;
    return;
  }
#pragma unroll
  for (int r = 0; r < HIGH; r++) {
    const long long py = cp_place(y + r, ay.in);
    rows[r] = plane + py * ay.in_step;
#if CP_FILLED
    if (plane == nullptr || py < 0) rows[r] = nullptr;
#endif
  }
}

// The VECTOR elements of each row from index x on, a multiple of VECTOR.
CP_FN void cp_load_own(T (&own)[HIGH][VECTOR], const cp_slots &p, const cp_rows &rows, long long x) {
  const cp_axis ax = cp_axis_of(p, AXES - 1);
  if (x >= 0 && x + VECTOR <= ax.in) {
#pragma unroll
    for (int r = 0; r < HIGH; r++) {
      cp_pack pack;
      if (!CP_FILLED || rows[r] != nullptr)
        pack = *reinterpret_cast<const cp_pack *>(rows[r] + x);
#pragma unroll
      for (int c = 0; c < VECTOR; c++)
        own[r][c] = !CP_FILLED || rows[r] != nullptr ? T_load(pack.v[c]) : cp_fill(p);
    }
    return;
  }
#pragma unroll
  for (int c = 0; c < VECTOR; c++) {
    const long long px = cp_place(x + c, ax.in);
#pragma unroll
    for (int r = 0; r < HIGH; r++) own[r][c] = cp_element(p, rows[r], px, 1);
  }
}

// The elements of these rows from column x on, for results from column x0 on. All lanes must call this.
CP_FN void cp_load_packs(cp_near &v, const cp_slots &p, const cp_rows &rows, long long x, long long x0) {
  const cp_axis ax = cp_axis_of(p, AXES - 1);
  enum { MIDDLE = PACKS / 2 };
  const int lane = threadIdx.x % LANES;
  const long long left = (ax.out - 1 - (x0 - lane * VECTOR)) / VECTOR;
  const int last = left < LANES - 1 ? (int)left : LANES - 1; // last lane with results
  T own[HIGH][VECTOR], edge[HIGH][WIDE];
  cp_load_own(own, p, rows, x - SHIFT + MIDDLE * VECTOR);
#pragma unroll
  for (int c = 0; c < WIDE; c++) {
    const int beside = lane + (c + SHIFT) / VECTOR - MIDDLE;
    if ((c + SHIFT) / VECTOR == MIDDLE || (beside >= 0 && beside <= last)) continue;
    const long long px = cp_place(x + c, ax.in);
#pragma unroll
    for (int r = 0; r < HIGH; r++) edge[r][c] = cp_element(p, rows[r], px, 1);
  }
#pragma unroll
  for (int c = 0; c < WIDE; c++) {
    const int beside = lane + (c + SHIFT) / VECTOR - MIDDLE;
#pragma unroll
    for (int r = 0; r < HIGH; r++) {
      v[r][c] = own[r][(c + SHIFT) % VECTOR];
      if ((c + SHIFT) / VECTOR == MIDDLE) continue;
      const T near = cp_of_lane(v[r][c], beside & (LANES - 1));
      v[r][c] = beside >= 0 && beside <= last ? near : edge[r][c];
    }
  }
}

// The same without other lanes, for elements with any stride.
CP_FN void cp_load_each(cp_near &v, const cp_slots &p, const cp_rows &rows, long long x) {
  const cp_axis ax = cp_axis_of(p, AXES - 1);
#pragma unroll
  for (int c = 0; c < WIDE; c++) {
    const long long px = cp_place(x + c, ax.in);
#pragma unroll
    for (int r = 0; r < HIGH; r++) v[r][c] = cp_element(p, rows[r], px, ax.in_step);
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
        for (int c = 0; c < VECTOR; c++)
          sum[i][c] = cp_product<CP_SPARING>(sum[i][c], v[y + i][x + c], w[y][x]);
}

#if CP_BORDER == BORDER_none
// The same without products with elements outside. x: the index of the first column.
CP_FN void cp_add_up_within(T (&sum)[RUN][VECTOR], const cp_near &v, const T (&w)[KY][KX],
                            const cp_rows &rows, long long x, long long n) {
#pragma unroll
  for (int e = 0; e < KY * KX; e++)
#pragma unroll
    for (int i = 0; i < RUN; i++)
#pragma unroll
      for (int c = 0; c < VECTOR; c++)
        if (rows[e / KX + i] != nullptr && cp_is_inside(x + e % KX + c, n))
          sum[i][c] = cp_step(sum[i][c], v[e / KX + i][e % KX + c], w[e / KX][e % KX]);
}

CP_FN bool cp_has_special(const T (&w)[KY][KX]) {
  bool special = false;
#pragma unroll
  for (int e = 0; e < KY * KX; e++) special = special || cp_is_special(w[e / KX][e % KX]);
  return special;
}
#endif

CP_FN void cp_store(T_memory *out, const cp_axis &ax, long long x, const T (&sum)[VECTOR]) {
  if (VECTOR > 1 && x + VECTOR <= ax.out) {
    cp_pack pack;
#pragma unroll
    for (int c = 0; c < VECTOR; c++) pack.v[c] = T_store(sum[c]);
    cp_store_bytes<sizeof pack>(out + x, &pack);
    return;
  }
#pragma unroll
  for (int c = 0; c < VECTOR; c++)
    if (x + c < ax.out) out[(x + c) * ax.out_step] = T_store(sum[c]);
}

extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  const cp_axis ay = cp_axis_of(p, AXES - 2), ax = cp_axis_of(p, AXES - 1);
  const cp_spot spot = cp_spot_of(p, blockIdx.x);
  const long long x0 = (long long)spot.across * TILE_X + threadIdx.x % LANES * VECTOR;
  const long long y0 = (long long)spot.down * TILE_Y + threadIdx.x / LANES * RUN;
  if (y0 >= ay.out) return; // the same in all lanes of a warp
  T sum[RUN][VECTOR];
#pragma unroll
  for (int i = 0; i < RUN; i++)
#pragma unroll
    for (int c = 0; c < VECTOR; c++) sum[i][c] = T_SPACE::r_zero();

  const unsigned lines = OUTER > 0 ? (unsigned)p.s[8] : 1;
  for (unsigned k = 0; k < lines; k++) {
    cp_rows rows;
    cp_near v;
    T w[KY][KX];
    cp_find_rows(rows, ay, cp_plane(p, spot, k), y0 + ay.start);
    if (VECTOR > 1)
      cp_load_packs(v, p, rows, x0 + ax.start, x0);
    else
      cp_load_each(v, p, rows, x0 + ax.start);
    // The filter is loaded last: the loads of elements are in flight while it is waited for.
#pragma unroll
    for (int e = 0; e < KY * KX; e++)
      w[e / KX][e % KX] = cp_tap(p, (long long)lines * (KY * KX), (long long)k * (KY * KX) + e);
#if CP_BORDER == BORDER_none
    if (cp_has_special(w)) {
      cp_add_up_within(sum, v, w, rows, x0 + ax.start, ax.in);
      continue;
    }
#endif
    cp_add_up(sum, v, w);
  }

  if (x0 >= ax.out) return;
  T_memory *out = cp_result(p, spot);
#pragma unroll
  for (int i = 0; i < RUN; i++)
    if (y0 + i < ay.out) cp_store(out + (y0 + i) * ay.out_step, ax, x0, sum[i]);
}
