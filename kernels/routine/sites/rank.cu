// The element of a given rank in each site's window, by selection among a few of its elements: the greatest
// and the least of a set of LESSER + 2 elements cannot be the one sought, where LESSER is the number of
// elements on the shorter side of it. So both are dropped, and one more element is added, until one is left.
// Longer sides first lose what they have more. (The idea is that of forgetful selection.) Elements are
// compared by their keys, so nan comes last. Compiled for a number of taps, everything stays in registers.
//
// COUNT  number of taps, at least 3
// RANK   from 0, neither the first nor the last
//
// Slots: window.h; 12: the rank
// variants: T=float32 AXES=2 COUNT=9,25 RANK=4
// variants: T=int8,uint8,int16,uint16,int32,uint32,int64,uint64,float64 AXES=2 COUNT=9 RANK=4
// variants: T=float32,uint8 AXES=2 COUNT=25 RANK=12
// variants: T=float32 AXES=3 COUNT=27 RANK=20
// variants: T=float32 AXES=2 COUNT=35 RANK=17
#include "sites.h"
#include "window.h"

enum { CP_RANK_SPAN = CP_SPAN(32) };

#ifdef CP_SITES_FOR_C
#define COUNT ((int)p->s[CP_COUNT])
#define RANK  ((int)p->s[CP_RANK])
enum { CP_RANK_KEPT = CP_MOST_RANKED / 2 + 2 };
#else
enum { CP_RANK_KEPT = (RANK < COUNT - 1 - RANK ? RANK : COUNT - 1 - RANK) + 2 };
#endif

typedef cp_key cp_ranked[CP_RANK_SPAN];

// Exchanges elements of a and b such that those of a are not greater, or not less if `turned`.
CP_FN void cp_order_pair(cp_key *a, cp_key *b, bool turned, int n) {
  cp_key *low = turned ? b : a, *high = turned ? a : b;
  for (int k = 0; k < n; k++) {
    const cp_key x = low[k], y = high[k];
    low[k] = y < x ? y : x;
    high[k] = y < x ? x : y;
  }
}

// Brings the least of kept[first] to kept[last] to the front and the greatest to the end.
CP_FN void cp_part(cp_ranked *kept, int first, int last, bool turned, int n) {
  CP_UNROLL
  for (int i = 0; i < (last - first + 1) / 2; i++) cp_order_pair(kept[first + i], kept[last - i], turned, n);
  CP_UNROLL
  for (int i = first + 1; i <= (first + last) / 2; i++) cp_order_pair(kept[first], kept[i], turned, n);
  CP_UNROLL
  for (int i = last - 1; i >= (first + last + 1) / 2; i--) cp_order_pair(kept[i], kept[last], turned, n);
}

// The keys of n sites' elements at tap t.
CP_FN void cp_load_keys(const cp_slots *p, const cp_window *w, int t, cp_key *to, int n) {
  E v[CP_RANK_SPAN];
  const E *x = cp_tap(p, w, t, v, n);
  for (int k = 0; k < n; k++) to[k] = cp_key_from(x[k]);
}

// On a GPU the loop that loads is short and its results pass through local memory, and each part is an
// instance of a template: everything else takes the compiler very long. The CPU loads each tap where it is
// needed.
#ifdef CP_SITES_FOR_C
#define CP_LOAD_ALL
#define CP_KEYS(t, to) cp_load_keys(p, w, t, to, n)
#else
#define CP_LOAD_ALL                                                                                          \
  cp_key keys[COUNT];                                                                                        \
  _Pragma("unroll 4") for (int t = 0; t < COUNT; t++) cp_load_keys(p, w, t, keys + t, 1);
#define CP_KEYS(t, to) ((to)[0] = keys[t])

template <int FIRST, int LESSER> struct cp_parts {
  static __device__ __forceinline__ void run(cp_ranked *kept, const cp_key *keys, bool turned) {
    cp_part(kept, FIRST, LESSER + 1, turned, 1);
    if (FIRST < LESSER - 1) kept[LESSER + 1][0] = keys[FIRST];
    cp_parts<FIRST + 1, LESSER>::run(kept, keys, turned);
  }
};
template <int LESSER> struct cp_parts<LESSER, LESSER> {
  static __device__ __forceinline__ void run(cp_ranked *, const cp_key *, bool) {}
};
#endif

// Leaves the n selected elements in one of the rows of `kept`, whose number it returns.
CP_FN int cp_select_ranked(const cp_slots *p, const cp_window *w, cp_ranked *kept, int n) {
  const bool turned = RANK > COUNT - 1 - RANK;
  const int lesser = turned ? COUNT - 1 - RANK : RANK, more = COUNT - 1 - 2 * lesser, last = lesser + 1;
  CP_LOAD_ALL
  CP_UNROLL
  for (int t = 0; t <= last; t++) CP_KEYS(t, kept[t]);
  for (int s = 0; s < more; s++) {
    CP_UNROLL
    for (int i = 0; i < last; i++) cp_order_pair(kept[i], kept[last], turned, n);
    CP_KEYS(last + 1 + s, kept[last]);
  }
#ifdef CP_SITES_FOR_C
  for (int first = 0; first < lesser; first++) {
    cp_part(kept, first, last, turned, n);
    if (first < lesser - 1) CP_KEYS(last + 1 + more + first, kept[last]);
  }
#else
  cp_parts<0, CP_RANK_KEPT - 2>::run(kept, keys + last + 1 + more, turned);
#endif
  return lesser;
}

CP_FN void cp_rank(const cp_slots *p, long long row, long long column, int n) {
  E *out = (E *)p->s[CP_OWN + 1] + row * cp_slot(p, 1) + column;
  cp_window w = cp_window_of(p, row);
  for (int from = 0, run; from < n; from += run) {
    cp_ranked kept[CP_RANK_KEPT];
    run = cp_move_window(p, &w, row, column + from, n - from);
    const int place = cp_select_ranked(p, &w, kept, run);
    for (int k = 0; k < run; k++) out[from + k] = cp_key_to(kept[place][k]);
  }
}
CP_SITES(rank, CP_RANK_SPAN)
