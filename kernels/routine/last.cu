// Writes through arrays of positions (lookup.cu) when several indices of the lookup may select one element:
// the last value in C order stays.
//
// The indices are numbered from 1 in C order. Those that differ only along a kept axis share a number, as
// they select in the same way. In a table each element has a cell, which collects the highest number of an
// index that selected it. A cell holds FIRST + number. Values up to FIRST are left over from earlier
// launches, so that the table need not be cleared for each launch.
//
// PASS      1 fills the table (kept axes have length 1). 2 writes where the table says so. 3 does both at
//           once: a thread that finds no higher number in the cell writes its value, and then, after a fence,
//           looks again. If a higher number has come meanwhile, its value may have been overwritten, so the
//           thread writes that value too, until the cell no longer changes. So the thread whose store comes
//           last has seen the highest number.
// BYTES     of an element, or of several that are copied as one
// ENTRY     bytes per cell, 4 or 8
// HASH      0: a cell per element, by its offset. 1: a hash table with more than twice as many cells as
//           numbers; an element's cell is the first one, from its hash on, that is free or holds the number
//           of an index that selects the element
// KEPT      bit mask of axes along which all indices select alike: base moves and no array of positions does
// INDEX, COUNT, NDIM, WIDE, AHEAD   see lookup.cu
//
// Blocks start with the last indices, so that most of the superseded ones find this out by one look at the
// table.
//
// Slots: lookup.h; then the table, FIRST, the hash's shift, and the element at base in the table's units;
// then the strides in these units, for each axis and for each array
// variants: PASS=3 BYTES=1,2,4,8,16 ENTRY=4 HASH=0,1 KEPT=0 INDEX=8 COUNT=1 NDIM=1 WIDE=0 AHEAD=1
// variants: PASS=3 BYTES=4 ENTRY=4,8 HASH=0,1 KEPT=0 INDEX=4 COUNT=1 NDIM=1 WIDE=0,1 AHEAD=4
// variants: PASS=1,2,3 BYTES=16 ENTRY=4 HASH=0,1 KEPT=0,1,2 INDEX=8 COUNT=1 NDIM=2 WIDE=0,1 AHEAD=1
// variants: PASS=1,2,3 BYTES=8 ENTRY=8 HASH=0,1 KEPT=5 INDEX=8 COUNT=3 NDIM=5 WIDE=1 AHEAD=1

#define MORE (4 + NDIM + COUNT)
#include "lookup.h"

#define EVERYONE 0xffffffffu

#if ENTRY == 8
typedef unsigned long long entry;
#else
typedef unsigned entry;
#endif

CP_FN entry *table_of(const cp_slots &p) { return (entry *)p.s[CP_OWN]; }
CP_FN entry first_of(const cp_slots &p) { return (entry)p.s[CP_OWN + 1]; }

// Reads a cell that other threads may write meanwhile.
CP_FN entry look(const entry *cell) { return *(const volatile entry *)cell; }

// An index's element, and its entry in the table. No entry: a position is out of range.
struct spot {
  long long at[NDIM + 1], base;
  unsigned long long key;
  entry mine;
};

CP_FN entry number_of(const cp_slots &p, const long long *at) {
  entry number = 0;
#pragma unroll
  for (int d = 0; d < NDIM; d++)
    if (!(KEPT >> d & 1)) number = number * (entry)p.s[CP_AXES + 3 * d] + (entry)at[d];
  return number + 1;
}

// Sets the coordinates to those of the index that an entry names; along kept axes they are unchanged.
CP_FN void go_to(const cp_slots &p, entry e, long long *at) {
  entry number = e - first_of(p) - 1;
#pragma unroll
  for (int d = NDIM - 1; d >= 0; d--) {
    if (KEPT >> d & 1) continue;
    const entry length = (entry)p.s[CP_AXES + 3 * d], rest = number / length;
    at[d] = (long long)(number - rest * length);
    number = rest;
  }
}

CP_FN spot spot_of(const cp_slots &p, place e, bool there) {
  spot s = {};
  s.key = ~0ull;
  if (!there) return s;
  cp_split(p, e, s.at);
  const bool good = choose(p, s.at, &s.base, &s.key);
  if (good)
    s.mine = first_of(p) + number_of(p, s.at);
  else
    s.key = ~0ull;
  return s;
}

// ---- the table

#if HASH

CP_FN unsigned long long cell_of(const cp_slots &p, unsigned long long key) {
  key = (key ^ key >> 32) * 0x9e3779b97f4a7c15ull;
  return (key ^ key >> 29) * 0xbf58476d1ce4e5b9ull >> p.s[CP_OWN + 2];
}

CP_FN unsigned long long behind(const cp_slots &p, unsigned long long cell) {
  return (cell + 1) & (~0ull >> p.s[CP_OWN + 2]);
}

// True if the index that an entry names selects this element.
CP_FN bool is_of(const cp_slots &p, entry e, unsigned long long key) {
  long long at[NDIM + 1] = {}, base;
  unsigned long long other;
  go_to(p, e, at);
  choose(p, at, &base, &other);
  return other == key;
}

#endif

// Enters `mine` and returns the element's highest entry so far; *cell is its cell.
CP_FN entry claim(const cp_slots &p, unsigned long long key, entry mine, unsigned long long *cell) {
  entry *table = table_of(p);
#if HASH
  for (*cell = cell_of(p, key);; *cell = behind(p, *cell)) {
    entry seen = look(table + *cell);
    if (seen <= first_of(p)) {
      const entry found = atomicCAS(table + *cell, seen, mine);
      if (found == seen) return mine;
      seen = found;
    }
    if (seen != mine && !is_of(p, seen, key)) continue;
#else
  *cell = key;
  entry seen = look(table + key);
#endif
    if (seen >= mine) return seen;
    seen = atomicMax(table + *cell, mine);
    return seen > mine ? seen : mine;
#if HASH
  }
#endif
}

// The entry that claim left: mine, or a higher one.
CP_FN entry find(const cp_slots &p, unsigned long long key, entry mine) {
  const entry *table = table_of(p);
#if HASH
  for (unsigned long long cell = cell_of(p, key);; cell = behind(p, cell)) {
    const entry seen = table[cell];
    if (seen == mine || seen <= first_of(p) || (seen > mine && is_of(p, seen, key))) return seen;
  }
#else
  (void)mine;
  return table[key];
#endif
}

// The same for neighbouring lanes with the same element, done by the last one, whose number is the highest.
CP_FN entry settle(const cp_slots &p, const spot &s, unsigned long long *cell) {
  const int lane = threadIdx.x % 32;
  const unsigned long long next_key = __shfl_down_sync(EVERYONE, s.key, 1);
  const entry next = __shfl_down_sync(EVERYONE, s.mine, 1);
  const bool leads = lane == 31 || next_key != s.key || next < s.mine;
  entry seen = 0;
  *cell = 0;
  if (leads && s.mine != 0) seen = PASS == 2 ? find(p, s.key, s.mine) : claim(p, s.key, s.mine, cell);
#if KEPT // neighbours may be parts of one index
  const int leader = lane + __ffs((int)(__ballot_sync(EVERYONE, leads) >> lane)) - 1;
  seen = __shfl_sync(EVERYONE, seen, leader);
  *cell = __shfl_sync(EVERYONE, *cell, leader);
#endif
  return seen;
}

// ---- writing

CP_FN void store(const cp_slots &p, const long long *at, long long base) {
  *(word *)((char *)p.s[1] + base) = *(const word *)((const char *)p.s[2] + cp_sum(p, at, 2));
}

// Writes the values that are later than `written`, until there is none.
CP_FN void follow(const cp_slots &p, spot *s, unsigned long long cell) {
  for (entry written = s->mine;;) {
    const entry now = look(table_of(p) + cell);
    if (now == written) return;
    written = now;
    go_to(p, now, s->at);
    store(p, s->at, s->base);
    __threadfence();
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  const place size = (place)p.s[0],
              first = (place)(gridDim.x - 1 - blockIdx.x) * (BLOCK * AHEAD) + threadIdx.x;
  spot s[AHEAD];
  unsigned long long cell[AHEAD];
  bool writes[AHEAD], any = false;
#pragma unroll
  for (int k = 0; k < AHEAD; k++) {
    const place e = first + k * BLOCK;
    s[k] = spot_of(p, e, e < size && e >= first);
  }
#pragma unroll
  for (int k = AHEAD - 1; k >= 0; k--) {
    writes[k] = settle(p, s[k], &cell[k]) == s[k].mine && s[k].mine != 0;
    any = any || writes[k];
  }
#if PASS >= 2
#pragma unroll
  for (int k = 0; k < AHEAD; k++)
    if (writes[k]) store(p, s[k].at, s[k].base);
#endif
#if PASS == 3
  if (!any) return;
  __threadfence();
#pragma unroll
  for (int k = 0; k < AHEAD; k++)
    if (writes[k]) follow(p, &s[k], cell[k]);
#endif
}
