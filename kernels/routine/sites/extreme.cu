// The least or greatest element of each site's window, to which the taps may add numbers (grey morphology).
// If one is nan, so is the result.
//
// Slots: window.h; 11: 1 for the greatest
// variants: T=float32 AXES=2,3
// variants: T=int8,int16,int32,int64,uint8,uint16,uint32,uint64,float64 AXES=1
#include "sites.h"
#include "window.h"

enum { CP_EXTREME_SPAN = CP_SPAN(512) };

CP_FN bool cp_unordered(E v) { return CP_E_REAL && cp_is_nan((double)v); }

#ifdef CP_SITES_FOR_C
CP_FN void cp_extreme(const cp_slots *p, long long row, long long column, int n) {
  const E *added = (const E *)p->s[CP_ADDED];
  const bool greatest = p->s[CP_WHICH] != 0;
  E *out = (E *)p->s[CP_OWN + 1] + row * cp_slot(p, 1) + column;
  cp_window w = cp_window_of(p, row);
  for (int from = 0, run; from < n; from += run) {
    E best[CP_EXTREME_SPAN], v[CP_EXTREME_SPAN];
    run = cp_move_window(p, &w, row, column + from, n - from);
    for (long long t = 0; t < cp_slot(p, CP_COUNT); t++) {
      const E *x = cp_tap(p, &w, t, v, run);
      if (added) {
        for (int k = 0; k < run; k++) v[k] = (E)(x[k] + added[t]);
        x = v;
      }
      if (t == 0)
        for (int k = 0; k < run; k++) best[k] = x[k];
      else if (greatest)
        for (int k = 0; k < run; k++) best[k] = x[k] > best[k] || cp_unordered(x[k]) ? x[k] : best[k];
      else
        for (int k = 0; k < run; k++) best[k] = x[k] < best[k] || cp_unordered(x[k]) ? x[k] : best[k];
    }
    for (int k = 0; k < run; k++) out[from + k] = best[k];
  }
}
#else
template <bool GREATEST> CP_FN E cp_extreme_of(const cp_slots *p, const cp_window *w) {
  const E *added = (const E *)p->s[CP_ADDED];
  E best = (E)0;
  cp_each_tap(p, w, 0, (int)p->s[CP_COUNT], [&](int t, E v) {
    if (added) v = (E)(v + added[t]);
    best = t == 0 || (GREATEST ? v > best : v < best) || cp_unordered(v) ? v : best;
  });
  return best;
}

CP_FN void cp_extreme(const cp_slots *p, long long row, long long column, int n) {
  cp_window w = cp_window_of(p, row);
  cp_move_window(p, &w, row, column, n);
  ((E *)p->s[CP_OWN + 1])[w.first] =
      p->s[CP_WHICH] != 0 ? cp_extreme_of<true>(p, &w) : cp_extreme_of<false>(p, &w);
}
#endif
CP_SITES(extreme, CP_EXTREME_SPAN)
