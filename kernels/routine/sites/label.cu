// Connected components: trees of sites, each of which refers to a site of its component that comes before it.
// The root, which refers to itself, is the component's first site in the end.
//
// PASS  0: trees of what is connected nearby. On the CPU sites of a run along the last axis refer to its
//          first one; on a GPU a block joins all neighbours within its tile, in shared memory
//       1: joins the trees of the other sites that are neighbours
//       2: all sites refer to their root
//       3: (on a GPU) gives each site what an array has for its root; 4: (on a GPU) which sites are roots
//
// Slots: window.h, whose array is the mask (bytes) and whose taps are the neighbours before a site; 11: the
// pass, 12: 1 if sites that neighbour each other along the last axis are joined. Sites outside of the mask
// are -1. PASS 3: 4 trees, 5 result, 10 the array; sites outside of the mask get 0. PASS 4: 4 trees,
// 5 result (bytes).
// variants: T=int32,int64 AXES=2,3 PASS=0,1,2,3,4
#include "sites.h"
#include "window.h"

#ifdef CP_SITES_FOR_C
CP_FN bool cp_exchange(E *at, E from, E to) {
  return __atomic_compare_exchange_n(at, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
CP_FN E cp_look(const E *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
CP_FN void cp_refer(E *at, E to) { __atomic_store_n(at, to, __ATOMIC_RELAXED); }
#else
CP_FN bool cp_exchange(E *at, E from, E to) {
  return atomicCAS((cp_key *)at, (cp_key)from, (cp_key)to) == (cp_key)from;
}
// Once nothing is joined any more, an old value is as good: it leads to the same root.
CP_FN E cp_look(const E *at) { return PASS < 2 ? *(const volatile E *)at : *at; }
CP_FN void cp_refer(E *at, E to) { *(volatile E *)at = to; }
#endif

// The root of a site. The sites on the way are made to refer to one nearer to it.
CP_FN E cp_root(E *labels, E site) {
  E next = cp_look(labels + site);
  while (next != site) {
    const E after = cp_look(labels + next);
    if (after == next) return next;
    cp_refer(labels + site, after);
    site = after;
    next = cp_look(labels + site);
  }
  return site;
}

// Joins two trees: the root that comes later refers to the other one.
CP_FN void cp_join(E *labels, E a, E b) {
  for (;;) {
    a = cp_root(labels, a);
    b = cp_root(labels, b);
    if (a == b) return;
    if (a < b) {
      const E c = a;
      a = b;
      b = c;
    }
    if (cp_exchange(labels + a, a, b)) return;
  }
}

// Makes a site refer to its root, once all joins are done, and returns the root. Only the site's own thread
// changes it: another thread on its way past, as in cp_root, could overwrite the root with an older value. As
// every thread shortens the path of its own site, those that follow it have less far to go. spare: a site two
// steps from its root is left alone, as there are many of these.
CP_FN E cp_refer_to_root(E *labels, E site, bool spare) {
  E next = cp_look(labels + site), after = cp_look(labels + next);
  while (after != next) {
    if (!spare) cp_refer(labels + site, after);
    spare = false;
    next = after;
    after = cp_look(labels + next);
  }
  return next;
}

#ifndef CP_SITES_FOR_C // the CPU's loops over whole rows are in src/cpu/loops/label.h

// A block has a tile of UNITS times 32 sites: 2^log columns, and as many rows as that leaves. Each warp takes
// the 32 sites of one unit after the other. Sites of a tile are numbered by rows, as those of the array are.
enum { UNITS = 32, WARPS = THREADS / 32 };

typedef struct cp_tile {
  long long row, column; // of its first site
  int log;
} cp_tile;

CP_FN cp_tile cp_tile_of(const cp_slots *p, unsigned number) {
  const unsigned across = (unsigned)p->s[3], down = number / across;
  cp_tile tile;
  tile.log = (int)p->s[2] & 255;
  tile.row = (long long)down * (32 * UNITS >> tile.log);
  tile.column = (long long)(number - down * across) << tile.log;
  return tile;
}

// Site k of a tile among all, or -1 if the array does not have it.
CP_FN long long cp_site_of(const cp_slots *p, const cp_tile *tile, int k) {
  const long long row = tile->row + (k >> tile->log), column = tile->column + (k & ((1 << tile->log) - 1));
  return row < (long long)p->s[0] && column < (long long)p->s[1] ? row * (long long)p->s[1] + column : -1;
}

// By how many rows a tap leads down.
CP_FN long long cp_down(const cp_slots *p, const long long *tap) {
  long long rows = 0;
  CP_UNROLL
  for (int d = 0; d < AXES - 1; d++) rows = rows * cp_length(p, d) + tap[1 + d];
  return rows;
}

// How many rows and columns a tap leads away from the sites of a row. False if it leads out of the array, or
// to sites that do not come before them (callers may pass such taps).
CP_FN bool cp_leads(const cp_slots *p, const cp_window *w, const long long *tap, long long *down,
                    long long *beside) {
  bool inside = true;
  CP_UNROLL
  for (int d = 0; d < AXES - 1; d++) {
    const long long c = w->at[d] + tap[1 + d];
    inside = inside && c >= 0 && c < cp_length(p, d);
  }
  *down = cp_down(p, tap);
  *beside = tap[AXES];
  return inside && (*down < 0 || (*down == 0 && tap[AXES] < 0));
}

// 32 bits of a tile's row from a column on; those outside of the tile are 0.
CP_FN unsigned cp_bits(const unsigned *bits, int log, long long row, long long column) {
  const long long across = 1ll << (log - 5), at = column >> 5;
  if (row < 0) return 0;
  if (across == 1 && at >= -1 && at <= 0) return at < 0 ? bits[row] << -column : bits[row] >> column;
  bits += row << (log - 5);
  const unsigned low = at >= 0 && at < across ? bits[at] : 0;
  const unsigned high = at >= -1 && at + 1 < across ? bits[at + 1] : 0;
  return __funnelshift_r(low, high, (unsigned)column & 31);
}

// What a lane knows of its unit: its site, which sites are in the mask, and those of the lane's run, which
// are joined to each other already. Without neighbours along the row each site is a run.
typedef struct cp_lane {
  int lane, unit, row, column; // of the unit in the tile; the column of the unit's first site
  unsigned all, run;
  int start;   // the run's first site, as a number in the tile
  bool linked; // the run has a parent
} cp_lane;

CP_FN cp_lane cp_lane_of(const cp_tile *tile, const unsigned *bits, int unit, bool joined) {
  cp_lane l;
  l.lane = threadIdx.x & 31;
  l.unit = unit;
  l.row = unit >> (tile->log - 5);
  l.column = (unit & ((1 << (tile->log - 5)) - 1)) << 5;
  l.all = bits[unit];
  const unsigned absent = ~l.all & ((1u << l.lane) - 1), behind = ~l.all & (~1u << l.lane);
  const int first = joined ? 32 - __clz((int)absent) : l.lane;
  const int end = !joined ? l.lane + 1 : behind ? __ffs((int)behind) - 1 : 32;
  l.run = (end < 32 ? (1u << end) - 1 : ~0u) & ~((1u << first) - 1);
  l.start = unit * 32 + first;
  l.linked = false;
  return l;
}

// The root of a site of a tile while others are joined: by atomics alone.
CP_FN int cp_tile_root(int *local, int site) {
  for (;;) {
    const int next = atomicAdd(local + site, 0);
    if (next == site) return site;
    site = next;
  }
}

CP_FN void cp_tile_join(int *local, int a, int b) {
  for (;;) {
    a = cp_tile_root(local, a);
    b = cp_tile_root(local, b);
    if (a == b) return;
    const int later = a > b ? a : b, before = atomicMin(local + later, a > b ? b : a);
    if (before == later) return;
    a = a > b ? b : a;
    b = before; // what the later one has been joined with meanwhile
  }
}

// Visits the pairs of a unit's sites and their neighbours in the tile, at MOST taps from `begin` on. A pair
// is skipped if the sites to the left of both form a pair, too. The first pair of a run gives the run its
// parent, which no other thread changes. Returns the taps of this lane whose pairs are still to be joined.
enum { MOST = 32 };
CP_FN unsigned cp_link_in_tile(const cp_slots *p, const cp_tile *tile, int *local, const unsigned *bits,
                               cp_lane *l, int begin) {
  const bool joined = p->s[CP_RANK] != 0;
  const int log = tile->log, left = (int)p->s[CP_COUNT] - begin, count = left < MOST ? left : MOST;
  unsigned others = 0;
  if (tile->row + l->row >= (long long)p->s[0]) return 0;
  const cp_window w = cp_window_of(p, tile->row + l->row);
  const long long *tap = (const long long *)p->s[CP_TAPS] + begin * (1 + AXES);
  for (int t = 0; t < count; t++, tap += 1 + AXES) {
    long long down, beside;
    if (!cp_leads(p, &w, tap, &down, &beside) || l->row + down < 0) continue;
    const int up = l->row + (int)down, at = l->column + (int)beside;
    unsigned pairs = l->all & cp_bits(bits, log, up, at);
    if (joined && down == 0 && beside == -1)
      pairs &= 1; // the rest are runs
    else if (joined)
      pairs &= ~(cp_bits(bits, log, l->row, l->column - 1) & cp_bits(bits, log, up, at - 1));
    if (pairs == 0) continue;
    const int other = (up << log) + at + l->lane;
    const bool pair = pairs >> l->lane & 1, first = (pairs & l->run & ((1u << l->lane) - 1)) == 0;
    const bool parent = pair && first && !l->linked && other < l->start;
    const unsigned parents = __ballot_sync(0xffffffffu, parent);
    l->linked = l->linked || (parents & l->run) != 0;
    if (parent)
      local[l->start] = other;
    else if (pair)
      others |= 1u << t;
  }
  return others;
}

// Joins a site with those that the taps of `others` lead to, which lie in the tile.
CP_FN void cp_join_others(const cp_slots *p, const cp_tile *tile, int *local, int site, int begin,
                          unsigned others) {
  for (; others != 0; others &= others - 1) {
    const long long *tap = (const long long *)p->s[CP_TAPS] + (begin + __ffs((int)others) - 1) * (1 + AXES);
    cp_tile_join(local, site, site + (int)((unsigned)cp_down(p, tap) << tile->log) + (int)tap[AXES]);
  }
}

// Makes the sites of a tile refer to ever farther ones: twice as far in each round.
CP_FN void cp_shorten(int *local) {
  enum { ROUNDS = 5, SITES = 32 * UNITS / THREADS };
  int next[SITES];
  for (int round = 0; round < ROUNDS; round++) {
    CP_UNROLL
    for (int k = 0; k < SITES; k++) next[k] = local[local[k * THREADS + threadIdx.x]];
    __syncthreads();
    CP_UNROLL
    for (int k = 0; k < SITES; k++) local[k * THREADS + threadIdx.x] = next[k];
    __syncthreads();
  }
}

// PASS 0
CP_FN void cp_label_tile(const cp_slots *p, const cp_tile *tile) {
  __shared__ int local[32 * UNITS];
  __shared__ unsigned bits[UNITS];
  const unsigned char *mask = (const unsigned char *)p->s[CP_OWN];
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  for (int unit = warp; unit < UNITS; unit += WARPS) {
    const long long site = cp_site_of(p, tile, unit * 32 + lane);
    const unsigned all = __ballot_sync(0xffffffffu, site >= 0 && mask[site] != 0);
    const unsigned absent = ~all & ((1u << lane) - 1);
    local[unit * 32 + lane] =
        unit * 32 + (p->s[CP_RANK] != 0 && all >> lane & 1 ? 32 - __clz((int)absent) : lane);
    if (lane == 0) bits[unit] = all;
  }
  __syncthreads();
  for (int begin = 0; begin < (int)p->s[CP_COUNT]; begin += MOST) {
    unsigned others[UNITS / WARPS];
    _Pragma("unroll 1") for (int k = 0; k < UNITS / WARPS; k++) {
      cp_lane l = cp_lane_of(tile, bits, k * WARPS + warp, p->s[CP_RANK] != 0);
      l.linked = begin > 0;
      others[k] = cp_link_in_tile(p, tile, local, bits, &l, begin);
    }
    __syncthreads();
    if (begin == 0) cp_shorten(local);
    _Pragma("unroll 1") for (int k = 0; k < UNITS / WARPS; k++)
        cp_join_others(p, tile, local, (k * WARPS + warp) * 32 + lane, begin, others[k]);
    __syncthreads();
  }
  for (int unit = warp; unit < UNITS; unit += WARPS) {
    const long long site = cp_site_of(p, tile, unit * 32 + lane);
    if (site < 0) continue;
    int root = unit * 32 + lane;
    while (local[root] != root) root = local[root];
    ((E *)p->s[CP_OWN + 1])[site] = bits[unit] >> lane & 1 ? (E)cp_site_of(p, tile, root) : (E)-1;
  }
}

// Joins a site of a tile, if there is one, with the one that a tap leads to. spare: a lane does nothing if
// the lane before it joins the sites to the left of both.
CP_FN void cp_join_pair(const cp_slots *p, long long site, long long other, bool spare) {
  const unsigned char *mask = (const unsigned char *)p->s[CP_OWN];
  const bool pair = site >= 0 && other >= 0 && mask[site] && mask[other];
  const unsigned pairs = __ballot_sync(0xffffffffu, pair);
  if (pair && !(spare && pairs << 1 >> (threadIdx.x & 31) & 1))
    cp_join((E *)p->s[CP_OWN + 1], (E)site, (E)other);
}

// PASS 1 for a tap: joins sites of a tile with those that do not lie in it. A warp takes first the rows whose
// sites lead above the tile, then the columns that lead beside it, with a lane for each row.
CP_FN void cp_join_beyond(const cp_slots *p, const cp_tile *tile, const long long *tap) {
  const int lane = threadIdx.x & 31, width = 1 << tile->log, height = 32 * UNITS >> tile->log;
  const long long beside = tap[AXES];
  long long down, same;
  for (int row = 0; row < height && tile->row + row < (long long)p->s[0]; row++) {
    const cp_window w = cp_window_of(p, tile->row + row);
    const bool leads = cp_leads(p, &w, tap, &down, &same);
    if (row + down >= 0) break;
    for (int first = 0; leads && first < width; first += 32) {
      const long long column = tile->column + first + lane,
                      site = cp_site_of(p, tile, (row << tile->log) + first + lane);
      const bool exists = column + beside >= 0 && column + beside < (long long)p->s[1];
      cp_join_pair(p, site, exists ? site + down * (long long)p->s[1] + beside : -1, p->s[CP_RANK] != 0);
    }
  }
  for (int first = 0; first < height && beside != 0; first += 32) {
    const int row = first + lane;
    const bool is_row = row < height && tile->row + row < (long long)p->s[0];
    const cp_window w = cp_window_of(p, is_row ? tile->row + row : tile->row);
    const bool leads = cp_leads(p, &w, tap, &down, &same) && is_row && row + down >= 0;
    for (int k = 0; k < width && k < (beside < 0 ? -beside : beside); k++) {
      const int column = beside < 0 ? k : width - 1 - k;
      const long long at = tile->column + column + beside,
                      site = leads ? cp_site_of(p, tile, (row << tile->log) + column) : -1;
      const bool exists = at >= 0 && at < (long long)p->s[1];
      cp_join_pair(p, site, exists ? site + down * (long long)p->s[1] + beside : -1, false);
    }
  }
}

#if PASS == 0
extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  const cp_tile tile = cp_tile_of(&p, blockIdx.x);
  cp_label_tile(&p, &tile);
}
#elif PASS == 1
extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  const cp_tile tile = cp_tile_of(&p, blockIdx.x * WARPS + threadIdx.x / 32);
  const long long *tap = (const long long *)p.s[CP_TAPS];
  if (tile.row >= (long long)p.s[0]) return;
  for (int t = 0; t < (int)p.s[CP_COUNT]; t++, tap += 1 + AXES) cp_join_beyond(&p, &tile, tap);
}
#elif PASS == 2
CP_FN void cp_label(const cp_slots *p, long long row, long long column, int n) {
  E *labels = (E *)p->s[CP_OWN + 1];
  const long long site = row * (long long)p->s[1] + column;
  (void)n;
  if (labels[site] >= 0) cp_refer_to_root(labels, (E)site, false);
}
CP_SITES(label, 1)
#else
// A thread takes four consecutive sites, wherever rows end.
struct alignas(4 * sizeof(E)) cp_four {
  E at[4];
};
struct alignas(4) cp_four_bytes {
  unsigned char at[4];
};

CP_FN cp_four_bytes cp_are_roots(const cp_four *own, long long site) {
  cp_four_bytes result;
  CP_UNROLL
  for (int k = 0; k < 4; k++) result.at[k] = own->at[k] == (E)(site + k);
  return result;
}

// Sites that refer to the same one have one root, which is sought once.
CP_FN cp_four cp_numbers_of(const cp_slots *p, const cp_four *own, long long site, int n) {
  cp_four result;
  CP_UNROLL
  for (int k = 0; k < 4; k++) {
    result.at[k] = 0;
    if (k >= n || own->at[k] < 0) continue;
    if (k > 0 && own->at[k] == own->at[k > 0 ? k - 1 : 0])
      result.at[k] = result.at[k > 0 ? k - 1 : 0];
    else
      result.at[k] = ((const E *)p->s[CP_ADDED])[cp_refer_to_root((E *)p->s[CP_OWN], (E)(site + k), true)];
  }
  return result;
}

extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  const long long site = ((long long)blockIdx.x * THREADS + threadIdx.x) * 4, left = (long long)p.s[1] - site;
  const E *labels = (const E *)p.s[CP_OWN];
  const int n = left < 4 ? (int)left : 4;
  cp_four own;
  if (left <= 0) return;
  if (n == 4)
    own = *(const cp_four *)(labels + site);
  else
    for (int k = 0; k < n; k++) own.at[k] = labels[site + k];
  if (PASS == 3) {
    const cp_four result = cp_numbers_of(&p, &own, site, n);
    if (n == 4)
      *(cp_four *)((E *)p.s[CP_OWN + 1] + site) = result;
    else
      for (int k = 0; k < n; k++) ((E *)p.s[CP_OWN + 1])[site + k] = result.at[k];
  } else {
    const cp_four_bytes result = cp_are_roots(&own, site);
    if (n == 4)
      *(cp_four_bytes *)((unsigned char *)p.s[CP_OWN + 1] + site) = result;
    else
      for (int k = 0; k < n; k++) ((unsigned char *)p.s[CP_OWN + 1])[site + k] = result.at[k];
  }
}
#endif
#endif
