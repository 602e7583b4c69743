// One axis of a distance transform: for each site the least of the squared distances of the sites along the
// axis plus the square of how far these are, and where it is. The search goes outwards and ends where nothing
// can be less; blocks of sites whose least value is too large are skipped.
//
// PASS  0: the least value of each block; 1: the search
//
// Arrays have the shape (outer, n, inner). E is int32 if distances are whole numbers, else float64.
//
// Slots: 4 and 5 squared distances before and after; 6 and 7 where their sites are, before and after (int32),
// or 0; 8 n, 9 inner, 10 least values of blocks, 11 number of blocks, 12 square of the distance between
// neighbours (float64; 1 if distances are whole numbers), 13 the pass
// variants: T=int32,float64 PASS=0,1
#include "sites.h"

enum { CP_NEAREST = 6, CP_LINE = 8, CP_BESIDE, CP_LEAST, CP_BLOCKS, CP_STEP, CP_WHAT };
enum { CP_ENVELOPE_SPAN = 256, CP_BLOCK_LENGTH = 32 }; // of a block: ORDER as in src/lua/routines/sample.c
enum { CP_NEAR = 32 };                                 // distance up to which all sites are looked at

#ifdef CP_SITES_FOR_C
#define PASS p->s[CP_WHAT]
#endif

CP_FN void cp_least_of_block(const cp_slots *p, long long row, long long column, int n) {
  const long long line = cp_quotient(row, cp_slot(p, CP_BLOCKS)), block = row - line * cp_slot(p, CP_BLOCKS);
  const long long inner = cp_slot(p, CP_BESIDE), first = block * CP_BLOCK_LENGTH;
  const long long end = first + CP_BLOCK_LENGTH;
  const E *x = (const E *)p->s[CP_OWN] + line * cp_slot(p, CP_LINE) * inner + column;
  E *least = (E *)p->s[CP_LEAST] + row * inner + column;
  for (int k = 0; k < n; k++) least[k] = x[first * inner + k];
  for (long long i = first + 1; i < end && i < cp_slot(p, CP_LINE); i++)
    for (int k = 0; k < n; k++) least[k] = x[i * inner + k] < least[k] ? x[i * inner + k] : least[k];
}

// The square of a distance between sites.
CP_FN E cp_gap(const cp_slots *p, E apart) {
  return CP_E_REAL ? (E)cp_real_slot(p, CP_STEP) * apart * apart : apart * apart;
}

// Looks at site j for site i, and returns the next one to look at in this direction. At the near end of a
// block: the block's other end if nothing in it can be less. Beyond the line's end: nothing more can be.
CP_FN long long cp_look_at(const cp_slots *p, const E *x, const E *least, long long i, long long j,
                           long long direction, E *best, long long *from) {
  const long long inner = cp_slot(p, CP_BESIDE);
  const E gap = cp_gap(p, (E)(j - i));
  if (gap >= *best) return direction < 0 ? -1 : cp_slot(p, CP_LINE);
  const unsigned long long block = (unsigned long long)j / CP_BLOCK_LENGTH;
  if ((unsigned long long)j % CP_BLOCK_LENGTH == (direction < 0 ? CP_BLOCK_LENGTH - 1 : 0) &&
      least[(long long)block * inner] + gap >= *best)
    return j + direction * CP_BLOCK_LENGTH;
  if (x[j * inner] + gap < *best) {
    *best = x[j * inner] + gap;
    *from = j;
  }
  return j + direction;
}

// Looks at the sites around the one at x, of which there are `below` and `above` on both sides, up to
// CP_NEAR or until none can be nearer than the best one. Returns the distance of the next ones; *from is how
// far the best one is.
CP_FN int cp_look_near(const cp_slots *p, const E *x, int below, int above, E *best, int *from) {
  const long long inner = cp_slot(p, CP_BESIDE);
  const E *before = x, *behind = x;
  int d = 1;
  for (E gap; d <= CP_NEAR && (gap = cp_gap(p, (E)d)) < *best; d++) {
    before -= inner;
    behind += inner;
    if (d <= below && *before + gap < *best) {
      *best = *before + gap;
      *from = -d;
    }
    if (d <= above && *behind + gap < *best) {
      *best = *behind + gap;
      *from = d;
    }
  }
  return d;
}

CP_FN void cp_search(const cp_slots *p, long long row, long long column) {
  const long long n = cp_slot(p, CP_LINE), inner = cp_slot(p, CP_BESIDE);
  const long long line = cp_quotient(row, n), i = row - line * n, base = line * n * inner + column;
  const E *x = (const E *)p->s[CP_OWN] + base;
  const long long behind = n - 1 - i;
  int apart = 0;
  E best = x[i * inner];
  const int next = cp_look_near(p, x + i * inner, (int)(i < CP_NEAR ? i : CP_NEAR),
                                (int)(behind < CP_NEAR ? behind : CP_NEAR), &best, &apart);
  long long from = i + apart;
  if (next > CP_NEAR) {
    const E *least = (const E *)p->s[CP_LEAST] + line * cp_slot(p, CP_BLOCKS) * inner + column;
    long long below = i - CP_NEAR - 1, above = i + CP_NEAR + 1;
    while (below >= 0 || above < n) {
      if (below >= 0) below = cp_look_at(p, x, least, i, below, -1, &best, &from);
      if (above < n) above = cp_look_at(p, x, least, i, above, 1, &best, &from);
    }
  }
  ((E *)p->s[CP_OWN + 1])[base + i * inner] = best;
  if (p->s[CP_NEAREST]) {
    const int *before = (const int *)p->s[CP_NEAREST];
    ((int *)p->s[CP_NEAREST + 1])[base + i * inner] = before[base + from * inner];
  }
}

CP_FN void cp_envelope(const cp_slots *p, long long row, long long column, int n) {
  if (PASS == 0)
    cp_least_of_block(p, row, column, n);
  else
    for (int k = 0; k < n; k++) cp_search(p, row, column + k);
}
CP_SITES(envelope, CP_ENVELOPE_SPAN)
