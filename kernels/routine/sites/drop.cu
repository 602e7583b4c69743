// Finds the element of a given rank in a window, or in the windows of two neighbouring sites of a row, if the
// elements of a window do not fit in registers (for others see pair.cu). Shared memory keeps the candidates:
// elements that may still have the rank in one of the windows. Others are dropped, as in pair.cu. Say that
// `less` of the elements not dropped are below the one wanted: then the greatest candidate can be dropped as
// soon as `less` + 1 others are below it. Likewise the least.
//
// Slots: window.h, with the taps of pair.cu; 11: how many taps both windows have, or 0; 12: the rank;
// columns are pairs, if there are common taps
// variants: T=int16,int32,int64,uint16,uint32,uint64,float32,float64 AXES=2
// variants: T=float32 AXES=3
#define CP_THREADS (sizeof(T_memory) > 4 ? 32 : 64) // ORDER DROPPING in src/cuda/routines/sites.c
#include "sites.h"
#include "window.h"

// Keys are inverted if more of them would lie below the wanted one than above it.
struct cp_kept {
  cp_key *first; // THREADS apart
  int size, less, more;
  bool turned;
};

CP_FN cp_key cp_turned(cp_key key, bool turned) { return turned ? (cp_key)~key : key; }
CP_FN cp_key cp_lesser(cp_key a, cp_key b) { return b < a ? b : a; }
CP_FN cp_key cp_greater(cp_key a, cp_key b) { return b < a ? a : b; }

// Inserts v and drops the greatest: each place keeps the lesser of its element and the greatest one so far.
CP_FN void cp_drop_greatest(cp_kept *s, cp_key v) {
  cp_key *at = s->first;
#pragma unroll 8
  for (int i = 0; i < s->size; i++, at += THREADS) {
    const cp_key k = *at;
    *at = cp_lesser(k, v);
    v = cp_greater(k, v);
  }
}

CP_FN void cp_drop_both(cp_kept *s, cp_key v) {
  cp_key *at = s->first, low = cp_lesser(*at, v), high = cp_greater(*at, v);
#pragma unroll 8
  for (int i = 1; i < s->size; i++, at += THREADS) {
    const cp_key k = at[THREADS], rest = cp_greater(low, k);
    low = cp_lesser(low, k);
    *at = cp_lesser(high, rest);
    high = cp_greater(high, rest);
  }
}

// Looks at one more element. All threads of a block do the same, whatever it is.
CP_FN void cp_look(cp_kept *s, cp_key v) {
  if (s->size > s->more) {
    cp_drop_both(s, v);
    s->size--;
    s->less--;
    s->more--;
  } else if (s->size > s->less) {
    cp_drop_greatest(s, v);
    s->more--;
  } else {
    s->first[THREADS * s->size++] = v;
  }
}

CP_FN void cp_look_at_taps(const cp_slots *p, const cp_window *w, int begin, int end, cp_kept *s) {
  const long long *tap = (const long long *)p->s[CP_TAPS] + begin * (1 + AXES);
  const cp_window seen = *w; // as in cp_each_tap
#pragma unroll 1
  for (int t = begin; t < end; t++, tap += 1 + AXES) {
    const E v = w->inside ? cp_within(p, w, t) : cp_bordered(p, &seen, tap, 0);
    cp_look(s, cp_turned(cp_key_from(v), s->turned));
  }
}

CP_FN E cp_sought(const cp_kept &s) { return cp_key_to(cp_turned(*s.first, s.turned)); }

extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  extern __shared__ unsigned long long pool[];
  const int common = (int)p.s[CP_WHICH], rank = (int)p.s[CP_RANK], taps = (int)p.s[CP_COUNT];
  const int own = common > 0 ? (taps - common) / 2 : taps, count = common + own, above = count - 1 - rank;
  long long row, column;
  if (!cp_only_site(p, &row, &column)) return;
  if (common > 0) column *= 2;
  cp_window w = cp_window_of(&p, row);
  cp_move_window(&p, &w, row, column, 1);
  E *out = (E *)p.s[CP_OWN + 1] + w.first;
  cp_kept both = {(cp_key *)pool + threadIdx.x, 0, rank < above ? rank : above, rank < above ? above : rank,
                  rank > above};
  const int most = both.less + 1;
  cp_look_at_taps(&p, &w, 0, common, &both);
  if (common > 0 && column + 1 < cp_length(&p, AXES - 1)) {
    cp_kept next = both;
    next.first += THREADS * most;
    for (int i = 0; i < both.size; i++) next.first[THREADS * i] = both.first[THREADS * i];
    cp_look_at_taps(&p, &w, count, count + own, &next);
    out[1] = cp_sought(next);
  }
  cp_look_at_taps(&p, &w, common, count, &both);
  out[0] = cp_sought(both);
}
