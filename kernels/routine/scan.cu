// Scans: element k of a row of the result is the combination of elements 0 to k of the row. FROM: dtype of the elements, TO: of the result,
// in which they are combined; OP: sum, prod, min or max.
//
//   MODE tiles   blocks take tiles of BLOCK x ITEMS elements, one tile after the other by a ticket, and read each element once: what lies
//                before a tile is known from its predecessors, which publish their totals (decoupled look-back: Merrill and Garland
//                2016). Which of the totals a tile finds differs from run to run, and so do the last bits of float results.
//   MODE totals  only the totals of tiles, for the next one
//   MODE apply   tiles, with what lies before them given: equal bits in every run
//   MODE rows    2^s[4] lanes of a warp take a row: many rows, or short ones
//
//   layout    a warp's tile is ITEMS / VECTOR packs for each lane, of VECTOR neighbours; the packs of the lanes lie side by side
//   in flight all loads of a thread (MODE rows: AHEAD)
//
// variants: MODE=tiles OP=sum FROM=numbers TO=float64 VECTOR=1
// variants: MODE=tiles OP=sum,prod,min,max FROM=int32 TO=int64,float16,float32,complex64,complex128 VECTOR=1
// variants: MODE=tiles,totals,apply,rows OP=sum FROM=float32 TO=float32,complex128 VECTOR=1
// variants: MODE=tiles OP=sum FROM=float32,bool TO=float32,int64 VECTOR=4
//
// Slots: 0 in, 1 out, 2 rows, 3 length, 4 tiles of a row (MODE rows: see there), 5 state: a ticket, then behind 256 bytes what tiles publish;
// MODE totals and apply: the totals (apply: scanned along each row).

#define MODE_tiles 1
#define MODE_totals 2
#define MODE_apply 3
#define MODE_rows 4
#define CP_JOINED(a, b) a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE CP_JOINED_OF(MODE_, MODE)

enum { BLOCK = 256, WARPS = BLOCK / 32, ITEMS = sizeof(TO) > 4 ? 8 : 16, PACKS = ITEMS / VECTOR, AHEAD = 4 };
enum { WORDS = (sizeof(TO) + 3) / 4 };
enum { GLANCES = sizeof(TO) > 8 ? 1 : 4 }; // words of tiles that a lane asks for at once
enum { STEPS = VECTOR > 1 ? 5 : 1 }; // of a pack's scan that are unrolled: few where there are many packs

struct cp_slots {
  unsigned long long s[6];
};

#define OP_sum(a, b) TO_SPACE::r_add(a, b)
#define OP_prod(a, b) TO_SPACE::r_multiply(a, b)
#define OP_min(a, b) TO_SPACE::r_minimum(a, b)
#define OP_max(a, b) TO_SPACE::r_maximum(a, b)
// -0 is what changes no float, 0 included.
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

// Long functions are called, as there are many places.
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

// ---- values between lanes

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

// The combination of all lanes' values, in every lane; the order does not matter to OP but for rounding.
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

CP_FN void cp_read(TO *v, const FROM_memory *at) {
  const cp_from_pack pack = *reinterpret_cast<const cp_from_pack *>(at);
#pragma unroll
  for (int i = 0; i < VECTOR; i++) v[i] = cp_value(pack.m[i]);
}

// The same where only `left` elements are of the row; the others are cp_none().
CP_FN void cp_read_cut(TO *v, const FROM_memory *at, long long left) {
#pragma unroll
  for (int i = 0; i < VECTOR; i++) v[i] = i < left ? cp_value(at[i]) : cp_none();
}

// By hand, since the compiler takes a pack apart and does not always put it together again.
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

extern "C" __global__ void __launch_bounds__(BLOCK) cupola_kernel(const cp_slots p) {
  const unsigned lanes = 1u << p.s[4], lane = threadIdx.x % lanes;
  const long long length = (long long)p.s[3], rows = (long long)p.s[2];
  const long long row = (long long)blockIdx.x * (BLOCK / lanes) + threadIdx.x / lanes;
  const bool on = row < rows;
  const FROM_memory *in = reinterpret_cast<const FROM_memory *>(p.s[0]) + (on ? row : 0) * length;
  TO_memory *out = reinterpret_cast<TO_memory *>(p.s[1]) + (on ? row : 0) * length;
  TO before = cp_none();
  for (long long start = 0; start < length; start += lanes * AHEAD) {
    TO v[AHEAD];
#pragma unroll
    for (int a = 0; a < AHEAD; a++) {
      const long long k = start + a * lanes + lane;
      v[a] = on && k < length ? cp_value(in[k]) : cp_none();
    }
#pragma unroll
    for (int a = 0; a < AHEAD; a++) {
      const long long k = start + a * lanes + lane;
      for (unsigned by = 1; by < lanes; by *= 2) {
        const TO other = cp_from_above(v[a], by, lanes);
        if (lane >= by) v[a] = cp_combine(other, v[a]);
      }
      if (on && k < length) out[k] = TO_store(cp_combine(before, v[a]));
      before = cp_combine(before, cp_from_lane(v[a], lanes - 1, lanes));
    }
  }
}

#else

// ---- what tiles publish

enum { NOTHING = 0, TOTAL = 1, PREFIX = 2 }; // of the tile alone; of its row up to its end

#if CP_MODE == MODE_tiles

// A tile's total or prefix with a word that says which it is. Up to 4 bytes go with it in one access; else the word follows the value.
struct cp_board {
  char *base;
  long long tiles;
};

CP_FN volatile unsigned *cp_flags(const cp_board &b) { return reinterpret_cast<volatile unsigned *>(b.base); }

// Where the value stands that goes with `what`.
CP_FN volatile unsigned *cp_place(const cp_board &b, long long tile, unsigned what) {
  const long long flags = (b.tiles * 4 + 255) / 256 * 256;
  return reinterpret_cast<volatile unsigned *>(b.base + flags) + ((what - TOTAL) * b.tiles + tile) * WORDS;
}

CP_FN void cp_publish(const cp_board &b, long long tile, unsigned what, TO v) {
  unsigned w[WORDS] = {0};
  memcpy(w, &v, sizeof v);
  if (WORDS == 1) {
    reinterpret_cast<volatile unsigned long long *>(b.base)[tile] = (unsigned long long)what << 32 | w[0];
  } else {
#pragma unroll
    for (int k = 0; k < WORDS; k++) cp_place(b, tile, what)[k] = w[k];
    __threadfence();
    cp_flags(b)[tile] = what;
  }
}

// A tile's word as it is now: what it has published, above its value where that goes with it.
CP_FN unsigned long long cp_glance(const cp_board &b, long long tile) {
  if (WORDS == 1) return reinterpret_cast<volatile unsigned long long *>(b.base)[tile];
  return (unsigned long long)cp_flags(b)[tile] << 32;
}

// Waits until the tile has published something; word: what it was at a glance.
CP_FN unsigned cp_look(const cp_board &b, long long tile, unsigned long long word, TO &v) {
  unsigned w[WORDS] = {0};
  while (word >> 32 == NOTHING) word = cp_glance(b, tile);
  const unsigned what = (unsigned)(word >> 32);
  if (WORDS == 1) {
    w[0] = (unsigned)word;
  } else {
    __threadfence();
#pragma unroll
    for (int k = 0; k < WORDS; k++) w[k] = cp_place(b, tile, what)[k];
  }
  memcpy(&v, w, sizeof v);
  return what;
}

// The combination of all tiles of the row before `tile`, whose own total is `total`: by one warp. Several hundred tiles are under way at a
// time, and as many have no prefix yet, so the words of GLANCES times 32 tiles are asked for at once.
CP_FN TO cp_look_back(const cp_board &b, long long tile, long long first, TO total) {
  const unsigned lane = threadIdx.x % 32;
  TO before = cp_none();
  if (tile == first) {
    if (lane == 0) cp_publish(b, tile, PREFIX, total);
    return before;
  }
  if (lane == 0) cp_publish(b, tile, TOTAL, total);
  unsigned ends = 0;
#pragma unroll 1
  for (long long at = tile - 1 - lane; ends == 0; at -= 32 * GLANCES) {
    unsigned long long word[GLANCES];
#pragma unroll
    for (int g = 0; g < GLANCES; g++)
      word[g] = at - 32 * g >= first ? cp_glance(b, at - 32 * g) : (unsigned long long)PREFIX << 32;
#pragma unroll
    for (int g = 0; g < GLANCES; g++) {
      if (ends != 0) continue;
      TO v = cp_none();
      const unsigned what = at - 32 * g >= first ? cp_look(b, at - 32 * g, word[g], v) : PREFIX;
      ends = __ballot_sync(0xffffffffu, what == PREFIX);
      if (ends != 0 && (int)lane >= __ffs(ends)) v = cp_none(); // before the last prefix
      before = cp_combine(v, before);
    }
  }
  before = cp_of_warp(before);
  if (lane == 0) cp_publish(b, tile, PREFIX, cp_combine(before, total));
  return before;
}

#endif

// ---- tiles

// Scans the packs of a warp: v becomes the scan of each pack, before[k] what lies before pack k in the warp's tile. Returns its total.
CP_FN TO cp_scan_warp(TO (*v)[VECTOR], TO *before) {
  const unsigned lane = threadIdx.x % 32;
  TO total = cp_none();
#pragma unroll
  for (int k = 0; k < PACKS; k++) {
#pragma unroll
    for (int i = 1; i < VECTOR; i++) v[k][i] = cp_combine(v[k][i - 1], v[k][i]);
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

struct cp_shared {
  TO totals[WARPS], before;
  long long tile;
};

CP_FN long long cp_next_tile(const cp_slots &p, cp_shared &s) {
#if CP_MODE == MODE_tiles
  if (threadIdx.x == 0) s.tile = (long long)atomicAdd(reinterpret_cast<unsigned long long *>(p.s[5]), 1ull);
  __syncthreads();
  return s.tile;
#else
  return (long long)blockIdx.x;
#endif
}

// Five blocks of a multiprocessor have enough loads in flight while others look back.
#if __CUDA_ARCH__ >= 800
enum { RESIDENT = WORDS == 1 ? 5 : 1 };
#else
enum { RESIDENT = 1 };
#endif

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) cupola_kernel(const cp_slots p) {
  __shared__ cp_shared shared;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const long long length = (long long)p.s[3], tiles = (long long)p.s[4], tile = cp_next_tile(p, shared);
  const long long row = tile / tiles, first = row * tiles;
  const long long start = (tile - first) * (BLOCK * ITEMS) + warp * (32 * ITEMS) + lane * VECTOR;
  const FROM_memory *in = reinterpret_cast<const FROM_memory *>(p.s[0]) + row * length + start;
  const bool whole = (tile - first + 1) * (BLOCK * ITEMS) <= length; // nearly all are
  TO v[PACKS][VECTOR], before[PACKS];
  if (whole) {
#pragma unroll
    for (int k = 0; k < PACKS; k++) cp_read(v[k], in + k * (32 * VECTOR));
  } else {
#pragma unroll
    for (int k = 0; k < PACKS; k++)
      cp_read_cut(v[k], in + k * (32 * VECTOR), length - start - k * (32 * VECTOR));
  }
  const TO total = cp_scan_warp(v, before);
  if (lane == 0) shared.totals[warp] = total;
  __syncthreads();
  TO base = cp_none(), all = cp_none();
#pragma unroll
  for (unsigned w = 0; w < WARPS; w++) {
    if (w == warp) base = all;
    all = cp_combine(all, shared.totals[w]);
  }
#if CP_MODE == MODE_totals
  if (threadIdx.x == 0) reinterpret_cast<TO *>(p.s[5])[tile] = all;
#else
#if CP_MODE == MODE_tiles
  if (warp == 0) {
    const cp_board board = {reinterpret_cast<char *>(p.s[5]) + 256, (long long)p.s[2] * tiles};
    const TO found = cp_look_back(board, tile, first, all);
    if (lane == 0) shared.before = found;
  }
  __syncthreads();
  base = cp_combine(shared.before, base);
#else
  if (tile != first) base = cp_combine(reinterpret_cast<const TO *>(p.s[5])[tile - 1], base);
#endif
  TO_memory *out = reinterpret_cast<TO_memory *>(p.s[1]) + row * length + start;
  if (whole) {
#pragma unroll
    for (int k = 0; k < PACKS; k++)
      cp_write(v[k], cp_combine(base, before[k]), out + k * (32 * VECTOR));
  } else {
#pragma unroll
    for (int k = 0; k < PACKS; k++)
      cp_write_cut(v[k], cp_combine(base, before[k]), out + k * (32 * VECTOR),
                   length - start - k * (32 * VECTOR));
  }
#endif
}

#endif
