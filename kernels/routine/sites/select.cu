// The element of a given rank in each site's window, for windows of any size: two bits of its key are found
// at a time (four on a GPU), by counting the elements whose keys continue what is known in each of the four
// ways. Elements are read again each time, so nothing is stored.
//
// Slots: window.h; 12: the rank
// variants: T=int8,int16,int32,int64,uint8,uint16,uint32,uint64,float32,float64 AXES=2
#include "sites.h"
#include "window.h"

enum { CP_SELECT_SPAN = CP_SPAN(64) };

#ifdef CP_SITES_FOR_C
// For n sites: counts the elements whose keys have the known leading bits `known`, by the two bits after
// these, and adds the two bits of the element sought, whose rank among these elements `rank` is.
CP_FN void cp_find_bits(const cp_slots *p, const cp_window *w, int shift, cp_key *known, int *rank, int n) {
  int count[3][CP_SELECT_SPAN];
  E v[CP_SELECT_SPAN];
  for (int k = 0; k < n; k++) {
    count[0][k] = count[1][k] = count[2][k] = 0;
    known[k] = (cp_key)(known[k] << 2);
  }
  for (long long t = 0; t < cp_slot(p, CP_COUNT); t++) {
    const E *x = cp_tap(p, w, t, v, n);
    for (int k = 0; k < n; k++) {
      const cp_key two = (cp_key)((cp_key)(cp_key_from(x[k]) >> shift) - known[k]);
      count[0][k] += two == 0;
      count[1][k] += two == 1;
      count[2][k] += two == 2;
    }
  }
  for (int k = 0; k < n; k++) {
    int two = 0, rest = rank[k];
    for (int c = 0; c < 3; c++) {
      const bool later = two == c && rest >= count[c][k];
      rest -= later ? count[c][k] : 0;
      two += later;
    }
    rank[k] = rest;
    known[k] = (cp_key)(known[k] + (cp_key)two);
  }
}

enum { CP_BITS = 2 };
#else
// The same for one site and four bits. The elements are counted in bytes, as many as these can count at a
// time.
CP_FN void cp_find_bits(const cp_slots *p, const cp_window *w, int shift, cp_key *known, int *rank, int) {
  enum { MOST = 255 };
  const cp_key from = (cp_key)(*known << 4);
  const int all = (int)p->s[CP_COUNT];
  int count[16] = {0}, bits = 0;
  for (int begin = 0; begin < all; begin += MOST) {
    unsigned long long low = 0, high = 0;
    cp_each_tap(p, w, begin, all - begin < MOST ? all : begin + MOST, [&](int, E v) {
      const cp_key four = (cp_key)((cp_key)(cp_key_from(v) >> shift) - from);
      const unsigned long long one = 1ull << (8 * (int)(four & 7));
      low += four < 8 ? one : 0;
      high += (cp_key)(four - 8) < 8 ? one : 0;
    });
    CP_UNROLL
    for (int c = 0; c < 16; c++) count[c] += (int)((c < 8 ? low : high) >> (8 * (c & 7)) & 255);
  }
  CP_UNROLL
  for (int c = 0; c < 15; c++) {
    const bool later = bits == c && *rank >= count[c];
    *rank -= later ? count[c] : 0;
    bits += later;
  }
  *known = (cp_key)(from + (cp_key)bits);
}

enum { CP_BITS = 4 };
#endif

CP_FN void cp_select(const cp_slots *p, long long row, long long column, int n) {
  E *out = (E *)p->s[CP_OWN + 1] + row * cp_slot(p, 1) + column;
  cp_window w = cp_window_of(p, row);
  for (int from = 0, run; from < n; from += run) {
    cp_key known[CP_SELECT_SPAN];
    int rank[CP_SELECT_SPAN];
    run = cp_move_window(p, &w, row, column + from, n - from);
    for (int k = 0; k < run; k++) {
      known[k] = 0;
      rank[k] = (int)p->s[CP_RANK];
    }
    for (int shift = CP_KEY_BITS - CP_BITS; shift >= 0; shift -= CP_BITS)
      cp_find_bits(p, &w, shift, known, rank, run);
    for (int k = 0; k < run; k++) out[from + k] = cp_key_to(known[k]);
  }
}
CP_SITES(select, CP_SELECT_SPAN)
