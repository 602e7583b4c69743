// Windows: the elements around each site of an array in C order, as a list of taps. The result has the
// array's shape; rows and columns are those of the last axis.
//
// AXES  number of axes
//
// Slots: 4 array, 5 result, 6 taps: for each its distance in elements, and then its distance along each axis;
// 7 number of taps, 8 border, 9 fill value, 10 for each tap what is added to its element, or 0; 11 and 12
// what the text says; 13 elements of the array; 14 axes; then for each axis 3: its length, and the greatest
// distances of taps before and behind the site. Where the taps are all elements between two along one axis:
// 45 the distance from one to the next in elements, else 0, and 46 that of the first
#ifndef CP_SITES_WINDOW_H
#define CP_SITES_WINDOW_H

enum { CP_TAPS = 6, CP_COUNT, CP_BORDER, CP_FILL, CP_ADDED, CP_WHICH, CP_RANK, CP_SIZE, CP_AXES, CP_LENGTHS };
enum { CP_BORDER_FILLED, CP_BORDER_WRAPPED, CP_BORDER_SYMMETRIC, CP_BORDER_NEAREST, CP_BORDER_MIRRORED };
enum { CP_MOST_AXES = 10, CP_LINE_STEP = CP_LENGTHS + 3 * CP_MOST_AXES, CP_LINE_FIRST };

#ifdef CP_SITES_FOR_C
#define AXES ((int)p->s[CP_AXES])
#endif

typedef struct cp_window {
  long long at[CP_MOST_AXES]; // the site's indices; on the last axis those of the first site
  long long first;            // number of the first site among all
  bool within, inside;        // all taps lie inside the array: on the axes before the last, on all axes
} cp_window;

CP_FN long long cp_length(const cp_slots *p, int d) { return (long long)p->s[CP_LENGTHS + 3 * d]; }
CP_FN long long cp_before(const cp_slots *p, int d) { return (long long)p->s[CP_LENGTHS + 3 * d + 1]; }
CP_FN long long cp_behind(const cp_slots *p, int d) { return (long long)p->s[CP_LENGTHS + 3 * d + 2]; }

// The index that supplies element c of an axis of length n, which lies outside; -1: the fill value.
CP_SLOW long long cp_outside(long long border, long long c, long long n) {
  const long long period = border == CP_BORDER_SYMMETRIC  ? 2 * n
                           : border == CP_BORDER_MIRRORED ? (n > 1 ? 2 * n - 2 : 1)
                                                          : n;
  if (border == CP_BORDER_FILLED) return -1;
  if (border == CP_BORDER_NEAREST) return c < 0 ? 0 : n - 1;
  c %= period;
  if (c < 0) c += period;
  if (c < n) return c;
  return border == CP_BORDER_SYMMETRIC ? period - 1 - c : period - c;
}

CP_FN cp_window cp_window_of(const cp_slots *p, long long row) {
  cp_window w;
  w.first = row * cp_length(p, AXES - 1);
  w.within = true;
  CP_UNROLL
  for (int d = AXES - 2; d >= 0; d--) {
    const long long n = cp_length(p, d), rest = d > 0 ? cp_quotient(row, n) : 0;
    w.at[d] = row - rest * n;
    row = rest;
    w.within = w.within && w.at[d] >= cp_before(p, d) && w.at[d] + cp_behind(p, d) < n;
  }
  return w;
}

// Moves the window to a column. Returns how many of the n sites from there on are alike: all taps of each lie
// inside, or some do not.
CP_FN int cp_move_window(const cp_slots *p, cp_window *w, long long row, long long column, int n) {
  const long long length = cp_length(p, AXES - 1), low = cp_before(p, AXES - 1);
  const long long high = length - cp_behind(p, AXES - 1); // sites from here on need a border
  long long end = column + n;
  w->at[AXES - 1] = column;
  w->first = row * length + column;
  w->inside = w->within && column >= low && column < high;
  if (w->within && column < low && low < high && low < end) end = low;
  if (w->inside && high < end) end = high;
  return (int)(end - column);
}

// The element that a tap of the site k columns after the window's reads, with borders. Not inlined, as it is
// long and rare.
CP_SLOW E cp_bordered(const cp_slots *p, const cp_window *w, const long long *tap, int k) {
  long long from = 0;
  CP_UNROLL
  for (int d = 0; d < AXES; d++) {
    const long long n = cp_length(p, d);
    long long c = w->at[d] + tap[1 + d] + (d == AXES - 1 ? k : 0);
    if (c < 0 || c >= n) c = cp_outside(cp_slot(p, CP_BORDER), c, n);
    if (c < 0 || c >= n) return cp_element_slot(p, CP_FILL);
    from = from * n + c;
  }
  return ((const E *)p->s[CP_OWN])[from];
}

// The elements that tap t of n sites reads: v, or where they lie.
CP_FN const E *cp_tap(const cp_slots *p, const cp_window *w, long long t, E *v, int n) {
  const long long *tap = (const long long *)p->s[CP_TAPS] + t * (1 + AXES);
  if (w->inside) {
    const long long from = w->first + tap[0];
    if (from < 0 || from + n > cp_slot(p, CP_SIZE)) { // not with the distances that the slots promise
      for (int k = 0; k < n; k++) v[k] = cp_element_slot(p, CP_FILL);
      return v;
    }
#ifdef CP_SITES_FOR_C
    return (const E *)p->s[CP_OWN] + from;
#else
    v[0] = ((const E *)p->s[CP_OWN])[from];
    return v;
#endif
  }
  for (int k = 0; k < n; k++) v[k] = cp_bordered(p, w, tap, k);
  return v;
}

#ifndef CP_SITES_FOR_C
// The element that tap t of a window that lies inside reads.
CP_FN E cp_within(const cp_slots *p, const cp_window *w, int t) {
  const long long from = w->first + ((const long long *)p->s[CP_TAPS])[t * (1 + AXES)];
  if ((unsigned long long)from >= p->s[CP_SIZE]) return cp_element_slot(p, CP_FILL); // as in cp_tap
  return ((const E *)p->s[CP_OWN])[from];
}

// Calls f(t, v) with the element v of each tap from `begin` to before `end`.
template <typename F> CP_FN void cp_each_tap(const cp_slots *p, const cp_window *w, int begin, int end, F f) {
  const long long step = cp_slot(p, CP_LINE_STEP), first = w->first + cp_slot(p, CP_LINE_FIRST);
  if (w->inside && step > 0 && first >= 0 && first + (end - 1) * step < cp_slot(p, CP_SIZE)) {
    const E *x = (const E *)p->s[CP_OWN] + first + begin * step;
    _Pragma("unroll 4") for (int t = begin; t < end; t++, x += step) f(t, *x);
    return;
  }
  if (w->inside) {
    _Pragma("unroll 4") for (int t = begin; t < end; t++) f(t, cp_within(p, w, t));
    return;
  }
  const long long *tap = (const long long *)p->s[CP_TAPS] + begin * (1 + AXES);
  const cp_window seen = *w; // so that w, whose address the call does not need, stays in registers
  _Pragma("unroll 1") for (int t = begin; t < end; t++, tap += 1 + AXES) f(t, cp_bordered(p, &seen, tap, 0));
}

// Calls f(t, x) for each tap of the windows of CP_EACH_THREAD sites of a thread, which all lie inside: the
// tap of site k reads x[k * CP_STRIDE].
template <typename F> CP_FN void cp_each_shared_tap(const cp_slots *p, const cp_window *w, F f) {
  const long long reach = (CP_EACH_THREAD - 1) * CP_STRIDE, size = cp_slot(p, CP_SIZE);
  const long long step = cp_slot(p, CP_LINE_STEP), first = w->first + cp_slot(p, CP_LINE_FIRST);
  const int count = (int)p->s[CP_COUNT];
  const E *x = (const E *)p->s[CP_OWN];
  if (step > 0 && first >= 0 && first + (count - 1) * step + reach < size) {
    x += first;
    _Pragma("unroll 2") for (int t = 0; t < count; t++, x += step) f(t, x);
    return;
  }
  const long long *tap = (const long long *)p->s[CP_TAPS];
  _Pragma("unroll 2") for (int t = 0; t < count; t++, tap += 1 + AXES) {
    const long long from = w->first + *tap; // outside: not with the distances that the slots promise
    f(t, x + (from >= 0 && from + reach < size ? from : w->first));
  }
}
#endif

enum { CP_KEY_BITS = 8 * sizeof(E) };

// An unsigned number for each element, in the same order; nan comes last.
CP_FN cp_key cp_key_from(E v) {
  const cp_key sign = (cp_key)((cp_key)1 << (CP_KEY_BITS - 1));
  cp_key key;
  memcpy(&key, &v, sizeof v);
  if (CP_E_REAL) return cp_is_nan((double)v) ? (cp_key) ~(cp_key)0 : (cp_key)(key & sign ? ~key : key | sign);
  return CP_E_SIGNED ? (cp_key)(key ^ sign) : key;
}

CP_FN E cp_key_to(cp_key key) {
  const cp_key sign = (cp_key)((cp_key)1 << (CP_KEY_BITS - 1));
  E v;
  if (CP_E_REAL)
    key = (cp_key)(key & sign ? key ^ sign : ~key);
  else if (CP_E_SIGNED)
    key = (cp_key)(key ^ sign);
  memcpy(&v, &key, sizeof v);
  return v;
}

#endif
