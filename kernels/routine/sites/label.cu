// Connected components: trees of sites, each of which refers to a site of its component that comes before it.
// The root, which refers to itself, is the component's first site in the end.
//
// PASS  0: trees of what is connected nearby. On the CPU sites of a run along the last axis refer to its
//          first one; on a GPU a block joins all neighbours within its tile, in shared memory
//       1: joins the trees of the other sites that are neighbours
//       2: all sites refer to their root
//       3: (on a GPU) gives each site what an array has for its root
//
// Slots: window.h, whose array is the mask (bytes) and whose taps are the neighbours before a site; 11: the
// pass, 12: 1 if sites that neighbour each other along the last axis are joined. Sites outside of the mask
// are -1. PASS 3: 4 trees, 5 result, 10 the array; sites outside of the mask get 0.
// variants: T=int32,int64 AXES=2,3 PASS=0,1,2,3
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
CP_FN E cp_look(const E *at) { return *(const volatile E *)at; }
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

// Makes a site refer to its root, when there is nothing left to join, and returns that. Each site is changed
// by its own thread only: another one that passes it, as in cp_root, could replace the root by what it read
// before that. As all sites refer to ever farther ones meanwhile, long ways get short for those behind them.
// spare: not to change sites that are two steps away, which are many.
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

CP_FN cp_tile cp_tile_of(const cp_slots *p) {
  const unsigned across = (unsigned)p->s[3], down = blockIdx.x / across;
  cp_tile tile;
  tile.log = (int)p->s[2] & 255;
  tile.row = (long long)down * (32 * UNITS >> tile.log);
  tile.column = (long long)(blockIdx.x - down * across) << tile.log;
  return tile;
}

// Site k of a tile among all, or -1 if the array does not have it.
CP_FN long long cp_site_of(const cp_slots *p, const cp_tile *tile, int k) {
  const long long row = tile->row + (k >> tile->log), column = tile->column + (k & ((1 << tile->log) - 1));
  return row < (long long)p->s[0] && column < (long long)p->s[1] ? row * (long long)p->s[1] + column : -1;
}

// Where a tap of the sites of a row leads: by how many rows and columns. False: to no site, or to none before
// them, which is not promised.
CP_FN bool cp_leads(const cp_slots *p, const cp_window *w, const long long *tap, long long *down,
                    long long *beside) {
  bool inside = true;
  long long rows = 0;
  CP_UNROLL
  for (int d = 0; d < AXES - 1; d++) {
    const long long c = w->at[d] + tap[1 + d];
    inside = inside && c >= 0 && c < cp_length(p, d);
    rows = rows * cp_length(p, d) + tap[1 + d];
  }
  *down = rows;
  *beside = tap[AXES];
  return inside && (rows < 0 || (rows == 0 && tap[AXES] < 0));
}

// 32 bits of a tile's row from a column on; those outside of the tile are 0.
CP_FN unsigned cp_bits(const unsigned *bits, int log, long long row, long long column) {
  const long long across = 1ll << (log - 5), at = column >> 5;
  if (row < 0) return 0;
  bits += row << (log - 5);
  const unsigned low = at >= 0 && at < across ? bits[at] : 0;
  const unsigned high = at >= -1 && at + 1 < across ? bits[at + 1] : 0;
  return __funnelshift_r(low, high, (unsigned)column & 31);
}

// Joins sites of a unit with their neighbours in the tile. Where both sites' runs go on to the left, their
// left neighbours are joined in the same way.
CP_FN void cp_join_in_tile(const cp_slots *p, const cp_tile *tile, E *local, const unsigned *bits, int unit) {
  const int lane = threadIdx.x & 31, log = tile->log, row = unit >> (log - 5);
  const int column = (unit & ((1 << (log - 5)) - 1)) << 5;
  const bool joined = p->s[CP_RANK] != 0;
  if (tile->row + row >= (long long)p->s[0]) return;
  const cp_window w = cp_window_of(p, tile->row + row);
  const long long *tap = (const long long *)p->s[CP_TAPS];
  for (long long t = 0; t < cp_slot(p, CP_COUNT); t++, tap += 1 + AXES) {
    long long down, beside;
    if (!cp_leads(p, &w, tap, &down, &beside)) continue;
    unsigned pairs = bits[unit] & cp_bits(bits, log, row + down, column + beside);
    if (joined && down == 0 && beside == -1)
      pairs &= 1; // the rest are runs
    else if (joined)
      pairs &= ~(cp_bits(bits, log, row, column - 1) & cp_bits(bits, log, row + down, column + beside - 1));
    const long long other = ((row + down) << log) + column + beside + lane;
    if (pairs >> lane & 1) cp_join(local, (E)(unit * 32 + lane), (E)other);
  }
}

// PASS 0
CP_FN void cp_label_tile(const cp_slots *p, const cp_tile *tile) {
  __shared__ E local[32 * UNITS];
  __shared__ unsigned bits[UNITS];
  const unsigned char *mask = (const unsigned char *)p->s[CP_OWN];
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  for (int unit = warp; unit < UNITS; unit += WARPS) {
    const long long site = cp_site_of(p, tile, unit * 32 + lane);
    const unsigned all = __ballot_sync(0xffffffffu, site >= 0 && mask[site] != 0);
    const unsigned absent = ~all & ((1u << lane) - 1);
    local[unit * 32 + lane] = (E)(unit * 32 + (p->s[CP_RANK] != 0 ? 32 - __clz((int)absent) : lane));
    if (lane == 0) bits[unit] = all;
  }
  __syncthreads();
  for (int unit = warp; unit < UNITS; unit += WARPS) cp_join_in_tile(p, tile, local, bits, unit);
  __syncthreads();
  for (int unit = warp; unit < UNITS; unit += WARPS) {
    const long long site = cp_site_of(p, tile, unit * 32 + lane);
    if (site < 0) continue;
    const bool is_in = bits[unit] >> lane & 1;
    const int root = is_in ? (int)cp_root(local, (E)(unit * 32 + lane)) : 0;
    ((E *)p->s[CP_OWN + 1])[site] = is_in ? (E)cp_site_of(p, tile, root) : (E)-1;
  }
}

// PASS 1: joins sites of a unit with those that do not lie in the tile.
CP_FN void cp_join_beyond(const cp_slots *p, const cp_tile *tile, int unit) {
  const unsigned char *mask = (const unsigned char *)p->s[CP_OWN];
  const int lane = threadIdx.x & 31, log = tile->log, row = unit >> (log - 5);
  const long long column = ((unit & ((1 << (log - 5)) - 1)) << 5) + lane, columns = (long long)p->s[1];
  const long long site = cp_site_of(p, tile, unit * 32 + lane);
  if (tile->row + row >= (long long)p->s[0]) return;
  const cp_window w = cp_window_of(p, tile->row + row);
  const long long *tap = (const long long *)p->s[CP_TAPS];
  for (long long t = 0; t < cp_slot(p, CP_COUNT); t++, tap += 1 + AXES) {
    long long down, beside;
    if (!cp_leads(p, &w, tap, &down, &beside)) continue;
    const long long at = column + beside, other = site + down * columns + beside;
    const bool exists = site >= 0 && tile->column + at >= 0 && tile->column + at < columns && other >= 0;
    const bool beyond = row + down < 0 || at >> log != 0;
    const bool pair = exists && beyond && mask[site] && mask[other];
    const unsigned pairs = __ballot_sync(0xffffffffu, pair);
    if (pair && (p->s[CP_RANK] == 0 || !(pairs << 1 >> lane & 1)))
      cp_join((E *)p->s[CP_OWN + 1], (E)site, (E)other);
  }
}

#if PASS < 2
extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  const cp_tile tile = cp_tile_of(&p);
  if (PASS == 0) {
    cp_label_tile(&p, &tile);
    return;
  }
  for (int unit = threadIdx.x / 32; unit < UNITS; unit += WARPS) cp_join_beyond(&p, &tile, unit);
}
#else
CP_FN void cp_label(const cp_slots *p, long long row, long long column, int n) {
  E *labels = (E *)p->s[PASS == 3 ? CP_OWN : CP_OWN + 1];
  const long long site = row * (long long)p->s[1] + column;
  const bool is_in = labels[site] >= 0;
  const E root = is_in ? cp_refer_to_root(labels, (E)site, PASS == 3) : 0;
  if (PASS == 3) ((E *)p->s[CP_OWN + 1])[site] = is_in ? ((const E *)p->s[CP_ADDED])[root] : 0;
  (void)n;
}
CP_SITES(label, 1)
#endif
#endif
