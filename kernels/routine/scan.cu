// Scans: element k of a row of the result combines elements 0 to k of the row. FROM: dtype of the elements,
// TO: of the result, in which they are combined; OP: sum, prod, min or max. The order of combinations depends
// on positions alone, so that float results have equal bits in every run.
//
//   MODE tiles    each element is read once. Blocks take tiles of BLOCK x ITEMS elements from a counter. A
//                 block publishes a tile's total, and only then looks back from its previous tile, in two
//                 steps (after the decoupled look-back of Merrill and Garland 2016): at the totals of the
//                 earlier tiles in its group of GROUP tiles, and at the earlier groups, whose last tile
//                 publishes the group's total and later that of the row up to its end
//   MODE columns  the same along another axis than the last: a lane has a column, a tile is WARPS x ITEMS
//                 elements of 32 columns. BACK warps look up the earlier tiles of a column, one tile each
//   MODE strands  for short columns: a thread scans a column from end to end
//   MODE rows     2^s[4] lanes of a warp share a row: many rows, or short ones
//
//   layout     MODE tiles, rows: a lane has packs of VECTOR elements; the packs of a warp's lanes adjoin
//   in flight  all loads of a thread (MODE rows: AHEAD packs; MODE strands: DEEP)
// variants: MODE=tiles OP=sum FROM=numbers TO=float64 VECTOR=1
// variants: MODE=tiles OP=sum,prod,min,max FROM=int32 TO=int64,float16,float32,complex64,complex128 VECTOR=1
// variants: MODE=tiles,columns,rows OP=sum FROM=float32 TO=float32,complex128 VECTOR=1
// variants: MODE=columns,strands OP=sum,prod,min,max FROM=int32 TO=int64,float16,complex64 VECTOR=1
// variants: MODE=tiles,rows OP=sum FROM=float32,bool TO=float32 VECTOR=4
// variants: MODE=tiles OP=sum FROM=int64,bool TO=int64 VECTOR=2
//
// Slots: 0 in, 1 out, 2 rows (MODE strands: columns; MODE columns: strips of 32 columns in all), 3 length, 4
// tiles of a row (MODE columns: strips side by side; MODE rows: see there), 5 state: a tile counter, and 256
// bytes further on what tiles and then what groups publish; 6 columns side by side

#define MODE_tiles 1
#define MODE_columns 2
#define MODE_strands 3
#define MODE_rows 4
#define CP_JOINED(a, b) a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE CP_JOINED_OF(MODE_, MODE)

enum { BLOCK = 256, WARPS = BLOCK / 32, ITEMS = sizeof(TO) > 8 ? 4 : sizeof(TO) > 4 ? 8 : 16,
       PACKS = ITEMS / VECTOR, AHEAD = 4, DEEP = 8 };
enum { WORDS = (sizeof(TO) + 3) / 4 };
enum { GLANCES = WORDS > 2 ? 1 : 4 / WORDS, GROUP = 32 * GLANCES }; // totals that a lane reads at once
enum { BACK = WARPS };
enum { STEPS = VECTOR > 1 ? 5 : 1 }; // unrolled steps of a pack's scan: few if there are many packs

struct cp_slots {
  unsigned long long s[7];
};

#define OP_sum(a, b) TO_SPACE::r_add(a, b)
#define OP_prod(a, b) TO_SPACE::r_multiply(a, b)
#define OP_min(a, b) TO_SPACE::r_minimum(a, b)
#define OP_max(a, b) TO_SPACE::r_maximum(a, b)
// -0 added to any float does not change it, not even 0.
#if defined(TO_REAL)
#define NONE_sum (-TO_SPACE::r_zero())
#elif defined(TO_COMPLEX)
#define NONE_sum (TO{-TO_SPACE::r_zero().re, -TO_SPACE::r_zero().im})
#else
#define NONE_sum TO_SPACE::r_zero()
#endif
#define NONE_prod TO_SPACE::r_one()
#define NONE_min TO_SPACE::r_highest()
#define NONE_max TO_SPACE::r_lowest()

// Long functions are not inlined, as there are many calls.
#define LONG_sum 0
#define LONG_prod 1
#define LONG_min 1
#define LONG_max 1
#if defined(TO_COMPLEX) && CP_JOINED_OF(LONG_, OP)
CP_SLOW TO cp_combine(TO a, TO b) { return CP_JOINED_OF(OP_, OP)(a, b); }
#else
CP_FN TO cp_combine(TO a, TO b) { return CP_JOINED_OF(OP_, OP)(a, b); }
#endif
CP_FN TO cp_none() { return CP_JOINED_OF(NONE_, OP); }

// ---- exchanges between lanes

CP_FN TO cp_from_above(TO v, unsigned by, unsigned lanes) {
  unsigned w[WORDS] = {0};
  memcpy(w, &v, sizeof v);
#pragma unroll
  for (int k = 0; k < WORDS; k++) w[k] = __shfl_up_sync(0xffffffffu, w[k], by, lanes);
  memcpy(&v, w, sizeof v);
  return v;
}

CP_FN TO cp_from_lane(TO v, unsigned lane, unsigned lanes) {
  unsigned w[WORDS] = {0};
  memcpy(w, &v, sizeof v);
#pragma unroll
  for (int k = 0; k < WORDS; k++) w[k] = __shfl_sync(0xffffffffu, w[k], lane, lanes);
  memcpy(&v, w, sizeof v);
  return v;
}

// The combination of all lanes' values, in every lane. The order matters only for rounding.
CP_FN TO cp_of_warp(TO v) {
#pragma unroll
  for (unsigned by = 16; by > 0; by /= 2) v = cp_combine(cp_from_lane(v, threadIdx.x % 32 ^ by, 32), v);
  return v;
}

// ---- elements

struct alignas(VECTOR * sizeof(FROM_memory) > 16 ? 16 : VECTOR * sizeof(FROM_memory)) cp_from_pack {
  FROM_memory m[VECTOR];
};
struct alignas(VECTOR * sizeof(TO_memory) > 16 ? 16 : VECTOR * sizeof(TO_memory)) cp_to_pack {
  TO_memory m[VECTOR];
};

CP_FN TO cp_value(FROM_memory m) { return FROM_to_TO(FROM_load(m)); }

CP_FN void cp_read_pack(TO *v, const FROM_memory *at) {
  const cp_from_pack pack = *reinterpret_cast<const cp_from_pack *>(at);
#pragma unroll
  for (int i = 0; i < VECTOR; i++) v[i] = cp_value(pack.m[i]);
}

CP_FN void cp_scan_pack(TO *v) {
#pragma unroll
  for (int i = 1; i < VECTOR; i++) v[i] = cp_combine(v[i - 1], v[i]);
}

// Stores a pack as a whole, since the compiler splits it and does not always merge the stores again.
CP_FN void cp_write(const TO *v, TO before, TO_memory *at) {
  cp_to_pack pack;
#pragma unroll
  for (int i = 0; i < VECTOR; i++) pack.m[i] = TO_store(cp_combine(before, v[i]));
  if (sizeof pack % 16 == 0) {
    unsigned w[sizeof pack / 4 + 4];
    memcpy(w, &pack, sizeof pack);
#pragma unroll
    for (int i = 0; i < (int)(sizeof pack / 16); i++)
      asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(reinterpret_cast<char *>(at) + 16 * i),
                   "r"(w[4 * i]), "r"(w[4 * i + 1]), "r"(w[4 * i + 2]), "r"(w[4 * i + 3])
                   : "memory");
  } else {
    *reinterpret_cast<cp_to_pack *>(at) = pack;
  }
}

CP_FN void cp_write_cut(const TO *v, TO before, TO_memory *at, long long left) {
#pragma unroll
  for (int i = 0; i < VECTOR; i++)
    if (i < left) at[i] = TO_store(cp_combine(before, v[i]));
}

#if CP_MODE == MODE_rows

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  const unsigned lanes = 1u << p.s[4], lane = threadIdx.x % lanes;
  const long long length = (long long)p.s[3], rows = (long long)p.s[2];
  const long long row = (long long)blockIdx.x * (BLOCK / lanes) + threadIdx.x / lanes;
  const bool on = row < rows;
  const FROM_memory *in = reinterpret_cast<const FROM_memory *>(p.s[0]) + (on ? row : 0) * length;
  TO_memory *out = reinterpret_cast<TO_memory *>(p.s[1]) + (on ? row : 0) * length;
  TO before = cp_none();
  for (long long start = lane * VECTOR; start - lane * VECTOR < length; start += lanes * (AHEAD * VECTOR)) {
    TO v[AHEAD][VECTOR];
#pragma unroll
    for (int a = 0; a < AHEAD; a++) {
      const long long k = start + a * lanes * VECTOR;
      if (on && k < length) {
        cp_read_pack(v[a], in + k);
      } else {
#pragma unroll
        for (int i = 0; i < VECTOR; i++) v[a][i] = cp_none();
      }
    }
#pragma unroll
    for (int a = 0; a < AHEAD; a++) {
      const long long k = start + a * lanes * VECTOR;
      cp_scan_pack(v[a]);
      TO sum = v[a][VECTOR - 1];
      for (unsigned by = 1; by < lanes; by *= 2) {
        const TO other = cp_from_above(sum, by, lanes);
        if (lane >= by) sum = cp_combine(other, sum);
      }
      const TO left = cp_from_above(sum, 1, lanes);
      if (on && k < length) cp_write(v[a], lane == 0 ? before : cp_combine(before, left), out + k);
      before = cp_combine(before, cp_from_lane(sum, lanes - 1, lanes));
    }
  }
}

#elif CP_MODE == MODE_strands

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  const long long length = (long long)p.s[3], inner = (long long)p.s[6];
  const long long column = (long long)blockIdx.x * BLOCK + threadIdx.x;
  if (column >= (long long)p.s[2]) return;
  const long long at = column / inner * length * inner + column % inner;
  const FROM_memory *in = reinterpret_cast<const FROM_memory *>(p.s[0]) + at;
  TO_memory *out = reinterpret_cast<TO_memory *>(p.s[1]) + at;
  TO sum = cp_none();
  for (long long start = 0; start < length; start += DEEP) {
    TO v[DEEP];
#pragma unroll
    for (int k = 0; k < DEEP; k++) v[k] = start + k < length ? cp_value(in[(start + k) * inner]) : cp_none();
#pragma unroll
    for (int k = 0; k < DEEP; k++) {
      sum = cp_combine(sum, v[k]);
      if (start + k < length) out[(start + k) * inner] = TO_store(sum);
    }
  }
}

#else

// Blocks that share a multiprocessor; the launch of MODE tiles relies on it.
#if __CUDA_ARCH__ < 800
enum { RESIDENT = 1 };
#elif CP_MODE == MODE_tiles
enum { RESIDENT = WORDS <= 2 ? 4 : 2 };
#else
enum { RESIDENT = WORDS <= 2 ? 5 : 1 };
#endif

#include "look_back.h"

#if CP_MODE == MODE_columns

struct cp_shared {
  TO totals[WARPS][32], values[BACK][32];
  unsigned what[BACK][32];
  unsigned tile;
};

// The combination of the `above` tiles above this one in the lane's column, published `step` apart.
CP_FN TO cp_look_up(cp_shared &s, const cp_slots &p, long long place, long long step, unsigned above) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  TO v = cp_none();
  unsigned what = PREFIX;
  if (warp < above) { // the last warp's tile published its prefix long ago, or all wait for it
    do what = cp_glance(cp_place(p, place - (warp + 1) * step), v);
    while (what < (warp == BACK - 1 ? PREFIX : TOTAL));
  }
  s.values[warp][lane] = v;
  s.what[warp][lane] = what;
  __syncthreads();
  v = s.values[BACK - 1][lane];
#pragma unroll
  for (int k = BACK - 2; k >= 0; k--)
    v = s.what[k][lane] == PREFIX ? s.values[k][lane] : cp_combine(v, s.values[k][lane]);
  return v;
}

// The tile counter goes through a whole band of tiles first, so that the tiles above one are far ahead.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ cp_shared s;
  if (threadIdx.x == 0) s.tile = cp_ticket(p);
  __syncthreads();
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned across = (unsigned)p.s[2], strips = (unsigned)p.s[4];
  const unsigned band = s.tile / across, row = s.tile % across / strips;
  const long long length = (long long)p.s[3], inner = (long long)p.s[6];
  const long long column = (long long)(s.tile % across % strips) * 32 + lane;
  const long long first = (long long)band * (WARPS * ITEMS) + warp * ITEMS;
  const long long at = (row * length + first) * inner + column;
  const long long left = column < inner ? length - first : 0;
  const FROM_memory *in = reinterpret_cast<const FROM_memory *>(p.s[0]) + at;
  TO_memory *out = reinterpret_cast<TO_memory *>(p.s[1]) + at;
  TO v[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) v[k] = k < left ? cp_value(in[k * inner]) : cp_none();
#pragma unroll
  for (int k = 1; k < ITEMS; k++) v[k] = cp_combine(v[k - 1], v[k]);
  s.totals[warp][lane] = v[ITEMS - 1];
  __syncthreads();
  TO base = cp_none(), all = cp_none();
#pragma unroll STEPS
  for (unsigned w = 0; w < WARPS; w++) {
    if (w == warp) base = all;
    all = cp_combine(all, s.totals[w][lane]);
  }
  const long long place = (long long)s.tile * 32 + lane;
  if (warp == 0) cp_publish(cp_place(p, place), band == 0 ? PREFIX : TOTAL, all);
  if (band > 0) {
    const TO above = cp_look_up(s, p, place, (long long)across * 32, band);
    if (warp == 0) cp_publish(cp_place(p, place), PREFIX, cp_combine(above, all));
    base = cp_combine(above, base);
  }
#pragma unroll
  for (int k = 0; k < ITEMS; k++)
    if (k < left) out[k * inner] = TO_store(cp_combine(base, v[k]));
}

#else

// ---- tiles

// A tile's row, its number there, the thread's first element, and how many elements of the row follow it.
struct cp_spot {
  unsigned row, place;
  long long at, left;
  bool whole; // true for nearly all tiles
};

CP_FN cp_spot cp_spot_of(const cp_slots &p, unsigned tile) {
  const long long length = (long long)p.s[3];
  const unsigned tiles = (unsigned)p.s[4],
                 in_tile = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32 * VECTOR;
  cp_spot o;
  o.row = tile / tiles;
  o.place = tile % tiles;
  o.left = length - (long long)o.place * (BLOCK * ITEMS) - in_tile;
  o.at = (o.row + 1) * length - o.left;
  o.whole = (o.place + 1ll) * (BLOCK * ITEMS) <= length;
  return o;
}

// Loads the thread's elements; those behind the row's end are cp_none().
CP_FN void cp_read(TO (*v)[VECTOR], const cp_slots &p, const cp_spot &o) {
  const FROM_memory *in = reinterpret_cast<const FROM_memory *>(p.s[0]) + o.at;
  if (VECTOR > 1 && o.whole) {
#pragma unroll
    for (int k = 0; k < PACKS; k++) cp_read_pack(v[k], in + k * (32 * VECTOR));
  } else {
#pragma unroll
    for (int k = 0; k < PACKS; k++)
#pragma unroll
      for (int i = 0; i < VECTOR; i++)
        v[k][i] = k * (32 * VECTOR) + i < o.left ? cp_value(in[k * (32 * VECTOR) + i]) : cp_none();
  }
}

// Scans the packs of a warp: v becomes the scan of each pack, before[k] the combination of what precedes pack
// k in the warp's tile. Returns the warp's total.
CP_FN TO cp_scan_warp(TO (*v)[VECTOR], TO *before) {
  const unsigned lane = threadIdx.x % 32;
  TO total = cp_none();
#pragma unroll
  for (int k = 0; k < PACKS; k++) {
    cp_scan_pack(v[k]);
    TO sum = v[k][VECTOR - 1];
#pragma unroll STEPS
    for (unsigned by = 1; by < 32; by *= 2) {
      const TO other = cp_from_above(sum, by, 32);
      if (lane >= by) sum = cp_combine(other, sum);
    }
    const TO left = cp_from_above(sum, 1, 32);
    before[k] = lane == 0 ? total : cp_combine(total, left);
    total = cp_combine(total, cp_from_lane(sum, 31, 32));
  }
  return total;
}

// One warp: the combination of `count` tiles from `first` on, fewer than GROUP.
CP_FN TO cp_look_in_group(const cp_slots &p, long long first, unsigned count) {
  const unsigned lane = threadIdx.x % 32;
  TO v[GLANCES], sum = cp_none();
  bool waits[GLANCES], more;
#pragma unroll
  for (int g = 0; g < GLANCES; g++) {
    v[g] = cp_none();
    waits[g] = lane + 32 * g < count;
  }
  do {
    more = false;
#pragma unroll
    for (int g = 0; g < GLANCES; g++)
      if (waits[g]) waits[g] = cp_glance(cp_place(p, first + lane + 32 * g), v[g]) == NOTHING;
#pragma unroll
    for (int g = 0; g < GLANCES; g++) more |= waits[g];
  } while (__any_sync(0xffffffffu, more));
#pragma unroll
  for (int g = 0; g < GLANCES; g++) sum = cp_combine(sum, v[g]);
  return cp_of_warp(sum);
}

// One warp: the combination of the groups of a row before group `group`, published at `place`. A prefix
// combines all totals before it in order, so an earlier prefix and the totals after it give the same bits.
CP_FN TO cp_look_at_groups(const cp_slots &p, long long place, unsigned group) {
  const unsigned lane = threadIdx.x % 32;
  unsigned prefixes, nothings;
  TO v;
  if (group == 0) return cp_none();
  do {
    unsigned what = PREFIX;
    v = cp_none();
    if (lane < group) what = cp_glance(cp_place(p, place - 1 - lane), v);
    prefixes = __ballot_sync(0xffffffffu, what == PREFIX);
    nothings = __ballot_sync(0xffffffffu, what == NOTHING);
  } while (prefixes == 0 || (nothings & ((prefixes & -prefixes) - 1)) != 0);
  return cp_fold(v, __ffs((int)prefixes) - 1);
}

struct cp_shared {
  TO totals[WARPS], group, groups; // of warps; of the earlier tiles of the group, of the earlier groups
  unsigned next;
};

// Loads and scans a tile and publishes its total, which all threads get.
CP_FN TO cp_enter(TO (*v)[VECTOR], cp_shared &s, const cp_slots &p, unsigned tile) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  TO before[PACKS], base = cp_none(), total = cp_none();
  cp_read(v, p, cp_spot_of(p, tile));
  const TO sum = cp_scan_warp(v, before);
  if (lane == 0) s.totals[warp] = sum;
  __syncthreads();
#pragma unroll
  for (unsigned w = 0; w < WARPS; w++) {
    if (w == warp) base = total;
    total = cp_combine(total, s.totals[w]);
  }
  if (threadIdx.x == 0) cp_publish(cp_place(p, tile), TOTAL, total);
#pragma unroll
  for (int k = 0; k < PACKS; k++) {
    before[k] = cp_combine(base, before[k]);
#pragma unroll
    for (int i = 0; i < VECTOR; i++) v[k][i] = cp_combine(before[k], v[k][i]);
  }
  return total;
}

// Where a tile's group publishes, the group's number in its row, and the tile's number in the group.
struct cp_group {
  long long place;
  unsigned number, tile;
};

CP_FN cp_group cp_group_of(const cp_slots &p, unsigned tile) {
  const unsigned tiles = (unsigned)p.s[4], groups = (tiles + GROUP - 1) / GROUP, row = tile / tiles;
  const unsigned place = tile - row * tiles, number = place / GROUP;
  return {(long long)p.s[2] * tiles + (long long)row * groups + number, number, place % GROUP};
}

// The combinations of the earlier tiles of the group and of the earlier groups, computed by the first two
// warps for all.
CP_FN void cp_look_back(cp_shared &s, const cp_slots &p, unsigned tile, TO total) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const cp_group g = cp_group_of(p, tile);
  if (warp == 0) {
    const TO sum = cp_look_in_group(p, (long long)tile - g.tile, g.tile);
    if (lane == 0) s.group = sum;
    if (lane == 0 && g.tile == GROUP - 1)
      cp_publish(cp_place(p, g.place), g.number == 0 ? PREFIX : TOTAL, cp_combine(sum, total));
  } else if (warp == 1) {
    const TO sum = cp_look_at_groups(p, g.place, g.number);
    if (lane == 0) s.groups = sum;
  }
}

CP_FN void cp_leave(TO (*v)[VECTOR], const cp_shared &s, const cp_slots &p, unsigned tile, TO total) {
  const cp_spot o = cp_spot_of(p, tile);
  const TO before = cp_combine(s.groups, s.group);
  TO_memory *out = reinterpret_cast<TO_memory *>(p.s[1]) + o.at;
  if (threadIdx.x == 0) {
    const cp_group g = cp_group_of(p, tile);
    if (g.tile == GROUP - 1 && g.number > 0)
      cp_publish(cp_place(p, g.place), PREFIX, cp_combine(s.groups, cp_combine(s.group, total)));
  }
  if (VECTOR > 1 && o.whole) {
#pragma unroll
    for (int k = 0; k < PACKS; k++) cp_write(v[k], before, out + k * (32 * VECTOR));
  } else {
#pragma unroll
    for (int k = 0; k < PACKS; k++)
      cp_write_cut(v[k], before, out + k * (32 * VECTOR), o.left - k * (32 * VECTOR));
  }
}

// A tile's total is published before the block looks back from its previous tile, so no block waits for one
// that waits. The next tile is taken only after the look-back, as all later tiles wait for a tile that was
// taken and not yet started; the counter's answer arrives while the tile is written.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  __shared__ cp_shared s;
  const unsigned tiles = (unsigned)(p.s[2] * p.s[4]);
  TO v[PACKS][VECTOR], ahead[PACKS][VECTOR], total = cp_none(), next_total = cp_none();
  if (threadIdx.x == 0) s.next = cp_ticket(p);
  __syncthreads();
  unsigned tile = tiles, next = s.next; // no tile yet, and the first one
  while (tile < tiles || next < tiles) {
    unsigned ticket = tiles;
    if (next < tiles)
      next_total = cp_enter(ahead, s, p, next);
    else
      __syncthreads();
    if (tile < tiles) cp_look_back(s, p, tile, total);
    __syncthreads();
    if (threadIdx.x == BLOCK - 1 && next < tiles) ticket = cp_ticket(p);
    if (tile < tiles) cp_leave(v, s, p, tile, total);
    if (threadIdx.x == BLOCK - 1) s.next = ticket;
    __syncthreads();
    tile = next;
    next = s.next;
    total = next_total;
#pragma unroll
    for (int k = 0; k < PACKS; k++)
#pragma unroll
      for (int i = 0; i < VECTOR; i++) v[k][i] = ahead[k][i];
  }
}

#endif
#endif
