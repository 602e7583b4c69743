// The element of a given rank in the windows of two sites that neighbour each other in a row, or of one. What
// both windows contain is selected from once: an element that cannot be the one sought in either is dropped,
// until the elements of each window alone are needed. Everything stays in registers.
//
// The selection is that of rank.cu: of a set of elements of a window, the greatest is not the one sought if
// LESS + 1 others of the set are below it, where LESS elements of the window, those dropped not counted, are
// below the one sought; likewise the least. So the set grows only until one of them can be dropped.
//
// COUNT   number of elements of a window, at least 3
// RANK    from 0, neither the first nor the last
// COMMON  elements that the windows of two neighbours have in common; 0: each thread has one site
//
// Slots: window.h, where the taps are those that are common, those of the first site alone, and those of the
// second one alone, as seen from the first; columns are pairs
// variants: T=float32 AXES=2 COUNT=9 RANK=4 COMMON=0,6
// variants: T=int8,uint8,int16,uint16,int32,uint32,int64,uint64,float64 AXES=2 COUNT=9 RANK=4 COMMON=6
// variants: T=float32,uint8 AXES=2 COUNT=25 RANK=1,12 COMMON=20
// variants: T=float32 AXES=3 COUNT=27 RANK=20 COMMON=18
// variants: T=float32 AXES=2 COUNT=35 RANK=17 COMMON=0
#include "sites.h"
#include "window.h"

enum {
  PAIRED = COMMON > 0,
  FIRST_TAPS = PAIRED ? COMMON : COUNT,
  OWN_TAPS = COUNT - FIRST_TAPS,
  ALL_TAPS = FIRST_TAPS + 2 * OWN_TAPS,
  // The elements are ordered such that the fewer lie before the one sought.
  TURNED = RANK > COUNT - 1 - RANK,
  LESSER = TURNED ? COUNT - 1 - RANK : RANK
};

// Exchanges two elements such that a comes before b.
CP_FN void cp_order_pair(cp_key &a, cp_key &b) {
  const cp_key low = b < a ? b : a, high = b < a ? a : b;
  a = TURNED ? high : low;
  b = TURNED ? low : high;
}

// Brings the least of kept[FIRST] to kept[LAST] to the front and the greatest to the end.
template <int FIRST, int LAST> CP_FN void cp_part(cp_key *kept) {
#pragma unroll
  for (int i = 0; i < (LAST - FIRST + 1) / 2; i++) cp_order_pair(kept[FIRST + i], kept[LAST - i]);
#pragma unroll
  for (int i = FIRST + 1; i <= (FIRST + LAST) / 2; i++) cp_order_pair(kept[FIRST], kept[i]);
#pragma unroll
  for (int i = LAST - 1; i >= (FIRST + LAST + 1) / 2; i--) cp_order_pair(kept[i], kept[LAST]);
}

template <int FIRST, int LAST> CP_FN void cp_greatest_last(cp_key *kept) {
#pragma unroll
  for (int i = FIRST; i < LAST; i++) cp_order_pair(kept[i], kept[LAST]);
}

// A set of SIZE elements, kept[FIRST] on, of a window in which LESS and MORE elements lie on both sides of
// the one sought, before element NEXT of `keys` is looked at, of which there are LIMIT. `last` is the state
// in which nothing more can be done.
enum { ADD, DROP_ONE, DROP_BOTH, STOP };
template <int SIZE, int LESS, int MORE, int NEXT, int LIMIT> struct cp_step_of {
  static const int step = SIZE >= MORE + 2   ? DROP_BOTH
                          : SIZE >= LESS + 2 ? DROP_ONE
                          : NEXT < LIMIT     ? ADD
                                             : STOP;
};
template <int FIRST, int SIZE, int LESS, int MORE, int NEXT, int LIMIT,
          int STEP = cp_step_of<SIZE, LESS, MORE, NEXT, LIMIT>::step>
struct cp_state;
template <int FIRST, int SIZE, int LESS, int MORE, int NEXT, int LIMIT>
struct cp_state<FIRST, SIZE, LESS, MORE, NEXT, LIMIT, ADD> {
  typedef cp_state<FIRST, SIZE + 1, LESS, MORE, NEXT + 1, LIMIT> next;
  typedef typename next::last last;
  static __device__ __forceinline__ void run(cp_key *kept, const cp_key *keys) {
    kept[FIRST + SIZE] = keys[NEXT];
    next::run(kept, keys);
  }
};
template <int FIRST, int SIZE, int LESS, int MORE, int NEXT, int LIMIT>
struct cp_state<FIRST, SIZE, LESS, MORE, NEXT, LIMIT, DROP_ONE> {
  typedef cp_state<FIRST, SIZE - 1, LESS, MORE - 1, NEXT, LIMIT> next;
  typedef typename next::last last;
  static __device__ __forceinline__ void run(cp_key *kept, const cp_key *keys) {
    cp_greatest_last<FIRST, FIRST + SIZE - 1>(kept);
    next::run(kept, keys);
  }
};
template <int FIRST, int SIZE, int LESS, int MORE, int NEXT, int LIMIT>
struct cp_state<FIRST, SIZE, LESS, MORE, NEXT, LIMIT, DROP_BOTH> {
  typedef cp_state<FIRST + 1, SIZE - 2, LESS - 1, MORE - 1, NEXT, LIMIT> next;
  typedef typename next::last last;
  static __device__ __forceinline__ void run(cp_key *kept, const cp_key *keys) {
    cp_part<FIRST, FIRST + SIZE - 1>(kept);
    next::run(kept, keys);
  }
};
template <int FIRST, int SIZE, int LESS, int MORE, int NEXT, int LIMIT>
struct cp_state<FIRST, SIZE, LESS, MORE, NEXT, LIMIT, STOP> {
  typedef cp_state last;
  static const int first = FIRST, size = SIZE, less = LESS, more = MORE;
  static __device__ __forceinline__ void run(cp_key *, const cp_key *) {}
};

typedef cp_state<0, 0, LESSER, COUNT - 1 - LESSER, 0, FIRST_TAPS> cp_of_both;
typedef cp_of_both::last cp_both;
typedef cp_state<cp_both::first, cp_both::size, cp_both::less, cp_both::more, 0, OWN_TAPS> cp_of_one;

// How many bytes a tap is away from its site. Never more than windows reach, so that the elements of a window
// that lies inside of the array need not be checked one by one.
CP_FN long long cp_far(const cp_slots *p, const long long *tap) {
  long long far = 0;
  CP_UNROLL
  for (int d = 0; d < AXES; d++) {
    const long long c = tap[1 + d], low = -cp_before(p, d), high = cp_behind(p, d);
    far = far * cp_length(p, d) + (c < low ? low : c > high ? high : c);
  }
  return far * (long long)sizeof(E);
}

// The elements that the taps read: by their distances `far` from the first site, or by borders.
CP_FN void cp_read_taps(const cp_slots *p, const cp_window *w, const long long *far, E *v) {
  if (w->inside) {
    const char *site = (const char *)((const E *)p->s[CP_OWN] + w->first);
#pragma unroll
    for (int t = 0; t < ALL_TAPS; t++) v[t] = *(const E *)(site + far[t]);
    return;
  }
  E bordered[ALL_TAPS];
  const cp_window seen = *w; // as in cp_each_tap
#pragma unroll 1
  for (int t = 0; t < ALL_TAPS; t++)
    bordered[t] = cp_bordered(p, &seen, (const long long *)p->s[CP_TAPS] + t * (1 + AXES), 0);
#pragma unroll
  for (int t = 0; t < ALL_TAPS; t++) v[t] = bordered[t];
}

CP_FN void cp_select_at(const cp_slots *p, const long long *far, long long row, long long column) {
  const long long columns = cp_length(p, AXES - 1);
  E *out = (E *)p->s[CP_OWN + 1] + row * columns + column;
  cp_window w = cp_window_of(p, row);
  E v[ALL_TAPS];
  cp_key keys[ALL_TAPS], kept[LESSER + 2], others[LESSER + 2];
  (void)cp_move_window(p, &w, row, column, 1);
  cp_read_taps(p, &w, far, v);
#pragma unroll
  for (int t = 0; t < ALL_TAPS; t++) keys[t] = cp_key_from(v[t]);
  cp_of_both::run(kept, keys);
  if (PAIRED && column + 1 < columns) {
#pragma unroll
    for (int i = 0; i < cp_both::size; i++) others[cp_both::first + i] = kept[cp_both::first + i];
    cp_of_one::run(others, keys + FIRST_TAPS + OWN_TAPS);
    out[1] = cp_key_to(others[cp_of_one::last::first]);
  }
  cp_of_one::run(kept, keys + FIRST_TAPS);
  out[0] = cp_key_to(kept[cp_of_one::last::first]);
}

extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  __shared__ long long far[ALL_TAPS];
  long long row, column;
  const bool on = cp_only_site(p, &row, &column);
  for (int t = threadIdx.x; t < ALL_TAPS; t += THREADS)
    far[t] = cp_far(&p, (const long long *)p.s[CP_TAPS] + t * (1 + AXES));
  __syncthreads();
  if (on) cp_select_at(&p, far, row, column << PAIRED);
}
