// The element of a given rank in each site's window, by selection among a few of its elements: the greatest
// and the least of a set of LESSER + 2 elements cannot be the one sought, where LESSER is the number of
// elements on the shorter side of it. So both are dropped, and one more element is added, until one is left.
// Longer sides first lose what they have more. (The idea is that of forgetful selection.) Elements are
// compared by their keys, so nan comes last.
//
// This is the CPU's; a GPU has pair.cu, where everything stays in registers.
//
// Slots: window.h; 12: the rank
#include "sites.h"
#include "window.h"

enum { CP_RANK_SPAN = CP_SPAN(32) };

#define COUNT ((int)p->s[CP_COUNT])
#define RANK  ((int)p->s[CP_RANK])
enum { CP_RANK_KEPT = CP_MOST_RANKED / 2 + 2 };

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
  for (int i = 0; i < (last - first + 1) / 2; i++) cp_order_pair(kept[first + i], kept[last - i], turned, n);
  for (int i = first + 1; i <= (first + last) / 2; i++) cp_order_pair(kept[first], kept[i], turned, n);
  for (int i = last - 1; i >= (first + last + 1) / 2; i--) cp_order_pair(kept[i], kept[last], turned, n);
}

// The keys of n sites' elements at tap t.
CP_FN void cp_load_keys(const cp_slots *p, const cp_window *w, int t, cp_key *to, int n) {
  E v[CP_RANK_SPAN];
  const E *x = cp_tap(p, w, t, v, n);
  for (int k = 0; k < n; k++) to[k] = cp_key_from(x[k]);
}

// Leaves the n selected elements in one of the rows of `kept`, whose number it returns.
CP_FN int cp_select_ranked(const cp_slots *p, const cp_window *w, cp_ranked *kept, int n) {
  const bool turned = RANK > COUNT - 1 - RANK;
  const int lesser = turned ? COUNT - 1 - RANK : RANK, more = COUNT - 1 - 2 * lesser, last = lesser + 1;
  for (int t = 0; t <= last; t++) cp_load_keys(p, w, t, kept[t], n);
  for (int s = 0; s < more; s++) {
    for (int i = 0; i < last; i++) cp_order_pair(kept[i], kept[last], turned, n);
    cp_load_keys(p, w, last + 1 + s, kept[last], n);
  }
  for (int first = 0; first < lesser; first++) {
    cp_part(kept, first, last, turned, n);
    if (first < lesser - 1) cp_load_keys(p, w, last + 1 + more + first, kept[last], n);
  }
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
