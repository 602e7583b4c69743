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
CP_SITES(extreme, CP_EXTREME_SPAN)
#else
template <bool GREATEST> CP_FN E cp_extreme_of_two(E best, E v) {
#if defined(T_IS_float32) && __CUDA_ARCH__ >= 800
  E found; // in one instruction, in which -0 is less than 0
  if (GREATEST)
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(found) : "f"(best), "f"(v));
  else
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(found) : "f"(best), "f"(v));
  return found;
#else
  return (GREATEST ? v > best : v < best) || cp_unordered(v) ? v : best;
#endif
}

// Looks at one more element for a site.
template <bool GREATEST> CP_FN void cp_look(const E *added, int t, E v, E *best) {
  if (added) v = (E)(v + added[t]);
  *best = t == 0 ? v : cp_extreme_of_two<GREATEST>(*best, v);
}

// The extremes of CP_EACH_THREAD sites, some of which need a border.
template <bool GREATEST> CP_FN void cp_bordered_extremes(const cp_slots *p, const cp_window *w, E *best) {
  const E *added = (const E *)p->s[CP_ADDED];
  const long long *tap = (const long long *)p->s[CP_TAPS];
  const cp_window seen = *w; // so that w, whose address the call does not need, stays in registers
  const long long length = cp_length(p, AXES - 1);
#pragma unroll 1
  for (int t = 0; t < (int)p->s[CP_COUNT]; t++, tap += 1 + AXES) {
#pragma unroll
    for (int k = 0; k < CP_EACH_THREAD; k++) {
      const long long at = w->at[AXES - 1] + k * CP_STRIDE, from = w->first + k * CP_STRIDE + tap[0];
      E v = (E)0;
      if (w->within && (unsigned long long)(at + tap[AXES]) < (unsigned long long)length &&
          (unsigned long long)from < p->s[CP_SIZE])
        v = ((const E *)p->s[CP_OWN])[from];
      else if (at < length)
        v = cp_bordered(p, &seen, tap, k * CP_STRIDE);
      cp_look<GREATEST>(added, t, v, &best[k]);
    }
  }
}

// CP_EACH_THREAD sites of a row, from a column on.
template <bool GREATEST>
CP_FN void cp_few_extremes(const cp_slots *p, cp_window *w, long long row, long long column) {
  const E *added = (const E *)p->s[CP_ADDED];
  const long long length = cp_length(p, AXES - 1), last = column + (CP_EACH_THREAD - 1) * CP_STRIDE;
  E best[CP_EACH_THREAD];
  cp_move_window(p, w, row, column, 1);
  E *out = (E *)p->s[CP_OWN + 1] + w->first;
  if (w->inside && last + cp_behind(p, AXES - 1) < length) {
    cp_each_shared_tap(p, w, [&](int t, const E *x) {
#pragma unroll
      for (int k = 0; k < CP_EACH_THREAD; k++) cp_look<GREATEST>(added, t, x[k * CP_STRIDE], &best[k]);
    });
#pragma unroll
    for (int k = 0; k < CP_EACH_THREAD; k++) out[k * CP_STRIDE] = best[k];
    return;
  }
  cp_bordered_extremes<GREATEST>(p, w, best);
#pragma unroll
  for (int k = 0; k < CP_EACH_THREAD; k++)
    if (column + k * CP_STRIDE < length) out[k * CP_STRIDE] = best[k];
}

template <bool GREATEST> CP_FN void cp_extremes(const cp_slots *p, long long row, long long column) {
  cp_window w = cp_window_of(p, row);
#pragma unroll 1
  for (int k = 0; k < cp_each(*p) && column < cp_length(p, AXES - 1); k += CP_EACH_THREAD) {
    cp_few_extremes<GREATEST>(p, &w, row, column);
    column += CP_EACH_THREAD * CP_STRIDE;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  long long row, column;
  if (!cp_first_site(p, &row, &column)) return;
  if (p.s[CP_WHICH] != 0)
    cp_extremes<true>(&p, row, column);
  else
    cp_extremes<false>(&p, row, column);
}
#endif
