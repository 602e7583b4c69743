// Values of an array between its elements, by splines of an order from 0 to 5. The array holds the splines'
// coefficients (from order 2 on; below, they are the elements). The places are given by an array of
// coordinates, or by an affine map of the sites' indices; places beyond the ends by a mode.
//
// AXES   of the array
// ORDER  of the splines
//
// Slots: 4 array, 5 result, 6 coordinates of all sites along each axis, or the rows of the affine map's
// matrix with the offset last (float64); 7 bit 0: the result is float32, else float64; bit 1: so are the
// coordinates; bit 2: they are a map, and where 6 is 0 it is in the slots; 8 mode, 9 constant (float64), 10
// what is added to coordinates (float64), 11 axes, 12 order, 13 axes of the result; from 14 on the lengths
// of the array, from 24 on those of the result; 34 rows and 35 elements of a plane: each plane of rows has
// an array of its own; from 36 on the map, if it is that short
// variants: T=float32,uint8 AXES=2 ORDER=0,1
// variants: T=float64 AXES=2 ORDER=2,3,4,5
// variants: T=int8,int16,int32,int64,uint16,uint32,uint64,float64 AXES=1 ORDER=1
// variants: T=float64 AXES=3 ORDER=1,3,5
// variants: T=float32 AXES=4 ORDER=1
#include "sites.h"
#include "spline_weights.h"

enum { CP_FLAGS = 7, CP_MODE, CP_CONSTANT, CP_OFFSET, CP_IN_AXES, CP_ORDER, CP_OUT_AXES, CP_IN };
enum { CP_OUT = 24, CP_PLANE = 34, CP_MAP = 36 };
enum { CP_MOST_SAMPLED = 10 };

#ifdef CP_SITES_FOR_C
#define CP_UNROLL_LINES
#define CP_ROLL
#else
#define CP_UNROLL_LINES _Pragma("unroll (AXES > 2 ? 1 : 6)") // more would take long to compile
#define CP_ROLL         _Pragma("unroll 1")
#endif

// Number k, by rows, of an affine map. The map is in the slots, or in memory if they have no room for it.
CP_FN double cp_map_number(const cp_slots *p, int k, int numbers) {
  return numbers > CP_SLOTS - CP_MAP ? ((const double *)p->s[CP_OWN + 2])[k] : cp_real_slot(p, CP_MAP + k);
}

// What all sites of a row have in common in their places: the offset, and what the row's indices on all axes
// of the result but the last add to it, in the order of the axes, as in SciPy.
CP_FN void cp_map_row(const cp_slots *p, long long row, int axes, int out_axes, double *c) {
  const int wide = out_axes + 1, all = axes * wide;
  double at[CP_MOST_SAMPLED];
  CP_UNROLL
  for (int o = out_axes - 2; o >= 0; o--) {
    const long long n = cp_slot(p, CP_OUT + o), rest = o > 0 ? cp_quotient(row, n) : 0;
    at[o] = (double)(row - rest * n);
    row = rest;
  }
  CP_UNROLL
  for (int d = 0; d < axes; d++) {
    c[d] = cp_map_number(p, d * wide + out_axes, all);
    CP_UNROLL
    for (int o = 0; o < out_axes - 1; o++) c[d] += at[o] * cp_map_number(p, d * wide + o, all);
  }
}

// What axis d of the map multiplies a site's column by.
CP_FN double cp_map_step(const cp_slots *p, int d, int axes, int out_axes) {
  return cp_map_number(p, d * (out_axes + 1) + out_axes - 1, axes * (out_axes + 1));
}

// The place of a site, by the affine map.
CP_FN void cp_map_place(const cp_slots *p, long long row, long long column, int axes, int out_axes,
                        double *c) {
  cp_map_row(p, row, axes, out_axes, c);
  CP_UNROLL
  for (int d = 0; d < axes; d++) c[d] += (double)column * cp_map_step(p, d, axes, out_axes);
}

// The same for any number of axes, which is rare. Loops stay loops, as they would take long to compile.
CP_SLOW void cp_map_axes(const cp_slots *p, long long row, long long column, int axes, double *c) {
  const int out_axes = (int)p->s[CP_OUT_AXES], wide = out_axes + 1;
  const double *map = (const double *)(axes * wide > CP_SLOTS - CP_MAP ? (const void *)p->s[CP_OWN + 2]
                                                                       : (const void *)&p->s[CP_MAP]);
  double at[CP_MOST_SAMPLED];
  at[out_axes - 1] = (double)column;
  CP_ROLL
  for (int o = out_axes - 2; o >= 0; o--) {
    const long long n = cp_slot(p, CP_OUT + o), rest = o > 0 ? cp_quotient(row, n) : 0;
    at[o] = (double)(row - rest * n);
    row = rest;
  }
  CP_ROLL
  for (int d = 0; d < axes; d++) {
    c[d] = map[d * wide + out_axes];
    CP_ROLL
    for (int o = 0; o < out_axes; o++) c[d] += at[o] * map[d * wide + o];
  }
}

// The place of a site that the coordinates give. `row` counts from the first one.
CP_FN void cp_given_place(const cp_slots *p, long long row, long long column, int axes, double *c) {
  const long long site = row * cp_slot(p, 1) + column, all = cp_slot(p, 0) * cp_slot(p, 1);
  CP_UNROLL
  for (int d = 0; d < axes; d++)
    c[d] = p->s[CP_FLAGS] & 2 ? (double)((const float *)p->s[CP_OWN + 2])[d * all + site]
                              : ((const double *)p->s[CP_OWN + 2])[d * all + site];
}

enum { CP_PLACES_GIVEN, CP_PLACES_MAPPED, CP_PLACES_OF_OTHER_AXES };

CP_FN int cp_places(const cp_slots *p, int axes) {
  if (!(p->s[CP_FLAGS] & 4)) return CP_PLACES_GIVEN;
  return (int)p->s[CP_OUT_AXES] == axes ? CP_PLACES_MAPPED : CP_PLACES_OF_OTHER_AXES;
}

// The coefficients along an axis that place c depends on, and their weights; -1: the constant. False: the
// place is outside.
CP_FN bool cp_find_weights(const cp_slots *p, int d, double c, int order, long long *at, double *w) {
  const long long mode = cp_slot(p, CP_MODE), n = cp_slot(p, CP_IN + d);
  c += cp_real_slot(p, CP_OFFSET);
  if (mode != CP_MODE_GRID_CONSTANT) c = cp_fold(mode, c, n);
  if (!(c > (mode == CP_MODE_GRID_CONSTANT ? -8 : -1) && c < (double)n + 8)) return false;
  const long long start = cp_spline_weights(c, order, w);
  CP_UNROLL
  for (int k = 0; k <= order; k++) {
    const long long i = start + k;
    at[k] = i >= 0 && i < n ? i : cp_fold_index(mode, i, n);
  }
  return true;
}

CP_FN double cp_sample_at(const cp_slots *p, const E *x, const double *c, int axes, int order) {
  double w[CP_MOST_SAMPLED][CP_MOST_WEIGHTS], sum = 0;
  long long at[CP_MOST_SAMPLED][CP_MOST_WEIGHTS];
  const double constant = cp_real_slot(p, CP_CONSTANT);
  const int last = axes - 1, taps = order + 1;
  int lines = 1; // of coefficients along the last axis
  CP_UNROLL
  for (int d = 0; d < axes; d++) {
    if (!cp_find_weights(p, d, c[d], order, at[d], w[d])) return constant;
    if (d < last) lines *= taps;
  }
  CP_UNROLL_LINES
  for (int line = 0; line < lines; line++) {
    double weight = 1, part = 0;
    long long from = 0;
    bool outside = false;
    int rest = line, each = lines;
    CP_UNROLL
    for (int d = 0; d < last; d++) {
      each /= taps;
      const int k = rest / each;
      rest -= k * each;
      weight *= w[d][k];
      outside = outside || at[d][k] < 0;
      from = (from + at[d][k]) * cp_slot(p, CP_IN + d + 1);
    }
    CP_UNROLL
    for (int k = 0; k < taps; k++)
      part += w[last][k] * (outside || at[last][k] < 0 ? constant : (double)x[from + at[last][k]]);
    sum += weight * part;
  }
  return sum;
}

CP_FN void cp_store_sample(const cp_slots *p, long long site, double v) {
  if (p->s[CP_FLAGS] & 1)
    ((float *)p->s[CP_OWN + 1])[site] = (float)v;
  else
    ((double *)p->s[CP_OWN + 1])[site] = v;
}

// The array for a row, and the row's number within the array's plane.
CP_FN const E *cp_plane_of(const cp_slots *p, long long row, long long *within) {
  const long long plane = row < cp_slot(p, CP_PLANE) ? 0 : cp_quotient(row, cp_slot(p, CP_PLANE));
  *within = row - plane * cp_slot(p, CP_PLANE);
  return (const E *)p->s[CP_OWN] + plane * cp_slot(p, CP_PLANE + 1);
}

#ifdef CP_SITES_FOR_C
CP_FN void cp_sample_row(const cp_slots *p, long long row, long long column, int n, int axes, int order) {
  long long within;
  const E *x = cp_plane_of(p, row, &within);
  const int places = cp_places(p, axes);
  for (int k = 0; k < n; k++) {
    double c[CP_MOST_SAMPLED];
    if (places == CP_PLACES_GIVEN)
      cp_given_place(p, within, column + k, axes, c);
    else if (places == CP_PLACES_MAPPED)
      cp_map_place(p, within, column + k, axes, axes, c);
    else
      cp_map_axes(p, within, column + k, axes, c);
    cp_store_sample(p, row * cp_slot(p, 1) + column + k, cp_sample_at(p, x, c, axes, order));
  }
}

CP_FN void cp_sample(const cp_slots *p, long long row, long long column, int n) {
  const int axes = (int)p->s[CP_IN_AXES], order = (int)p->s[CP_ORDER];
  if (axes == 2 && order == 1) // frequent forms are compiled for themselves
    cp_sample_row(p, row, column, n, 2, 1);
  else if (axes == 2 && order == 3)
    cp_sample_row(p, row, column, n, 2, 3);
  else
    cp_sample_row(p, row, column, n, axes, order);
}
CP_SITES(sample, 256)
#else
// The value of one site, wherever its place is.
CP_FN double cp_sample_one(const cp_slots *p, const E *x, long long row, long long column) {
  double c[CP_MOST_SAMPLED];
  const int places = cp_places(p, AXES);
  if (places == CP_PLACES_GIVEN)
    cp_given_place(p, row, column, AXES, c);
  else if (places == CP_PLACES_MAPPED)
    cp_map_place(p, row, column, AXES, AXES, c);
  else
    cp_map_axes(p, row, column, AXES, c);
  return cp_sample_at(p, x, c, AXES, ORDER);
}

CP_SLOW double cp_sample_slowly(const cp_slots *p, const E *x, long long row, long long column) {
  return cp_sample_one(p, x, row, column);
}

// What follows is for linear splines, all of whose elements are inside, with the least arithmetic: a thread
// takes several sites of a row, a few at a time. Conversions from and to 64 bits are slower than sums.
// ORDER `quick` in src/cuda/routines/sites.c
enum { CP_QUICK = ORDER == 1 && AXES <= 3, CP_AT_ONCE = CP_QUICK ? CP_EACH_THREAD : 1 };
// Of a multiprocessor at a time, at least; 0: as the compiler finds. No faster for long elements.
enum { CP_BLOCKS = CP_QUICK && AXES < 3 && sizeof(E) <= 4 ? 4 : 0 };

// A thread's sites: their row, and that within the plane; the first one's column, and how many there may be.
struct cp_sampled {
  const E *x;
  long long row, within, column;
  int left;
};

// Whether c is from 0 to before `end`; then *below is the whole number below it and *rest what is left. The
// sum with 1.5 * 2^52, rounded down, has the number in its low bits.
CP_FN bool cp_below(double c, unsigned end, unsigned *below, double *rest) {
  const double one = 6755399441055744.0, sum = __dadd_rd(c, one);
  *rest = c - (sum - one);
  *below = (unsigned)__double2loint(sum);
  return __double2hiint(sum) == 0x43380000 && *below < end;
}

template <typename C> CP_FN void cp_read_places(const cp_slots *p, const cp_sampled &s, double (*c)[AXES]) {
  const long long all = cp_slot(p, 0) * cp_slot(p, 1);
  const C *given = (const C *)p->s[CP_OWN + 2] + s.within * cp_slot(p, 1) + s.column;
  CP_UNROLL
  for (int d = 0; d < AXES; d++) {
    CP_UNROLL
    for (int k = 0; k < CP_AT_ONCE; k++)
      c[k][d] =
          (double)given[d * all + (k * CP_STRIDE < s.left ? k * CP_STRIDE : 0)] + cp_real_slot(p, CP_OFFSET);
  }
}

// The places of sites; those of sites beyond the row's end mean nothing. ALIGNED: by a map for which the
// sites of a row differ in the last axis alone. Only places for splines above the linear ones have something
// added to what the map gives, so that nothing is added here.
template <bool ALIGNED> CP_FN void cp_find_places(const cp_slots *p, const cp_sampled &s, double (*c)[AXES]) {
  const int places = ALIGNED ? CP_PLACES_MAPPED : cp_places(p, AXES);
  if (places == CP_PLACES_GIVEN) {
    if (p->s[CP_FLAGS] & 2)
      cp_read_places<float>(p, s, c);
    else
      cp_read_places<double>(p, s, c);
  } else if (places == CP_PLACES_MAPPED) {
    double start[AXES], at = (double)(int)s.column;
    cp_map_row(p, s.within, AXES, AXES, start);
    CP_UNROLL
    for (int k = 0; k < CP_AT_ONCE; k++, at += CP_STRIDE) {
      CP_UNROLL
      for (int d = 0; d < AXES; d++)
        c[k][d] = ALIGNED && d < AXES - 1 ? start[d] : start[d] + at * cp_map_step(p, d, AXES, AXES);
    }
  } else {
    CP_UNROLL
    for (int k = 0; k < CP_AT_ONCE; k++) {
      double place[AXES]; // so that c, whose address the call does not need, stays in registers
      cp_map_axes(p, s.within, s.column + k * CP_STRIDE, AXES, place);
      CP_UNROLL
      for (int d = 0; d < AXES; d++) c[k][d] = place[d];
    }
  }
}

// Reads the elements around the site at place c. If they are not all inside: the first ones, and false.
CP_FN bool cp_read_elements(const cp_slots *p, const E *x, const double *c, double *t, E *e) {
  unsigned below[AXES];
  unsigned long long from = 0;
  bool inside = true;
  CP_UNROLL
  for (int d = 0; d < AXES; d++)
    inside = cp_below(c[d], (unsigned)p->s[CP_IN + d] - 1, &below[d], &t[d]) && inside;
  CP_UNROLL
  for (int d = 0; d < AXES; d++) from = from * (unsigned)p->s[CP_IN + d] + (inside ? below[d] : 0);
  x += from;
  CP_UNROLL
  for (int line = 0; line < 1 << (AXES - 1); line++) {
    unsigned long long at = 0, step = 1;
    CP_UNROLL
    for (int d = AXES - 2; d >= 0; d--) {
      step *= (unsigned)p->s[CP_IN + d + 1];
      if (line >> (AXES - 2 - d) & 1) at += step;
    }
    e[2 * line] = x[at];
    e[2 * line + 1] = x[at + 1];
  }
  return inside;
}

CP_FN double cp_blend(const E *e, const double *t) {
  double sum = 0;
  CP_UNROLL
  for (int line = 0; line < 1 << (AXES - 1); line++) {
    double weight = 1;
    CP_UNROLL
    for (int d = 0; d < AXES - 1; d++) weight *= line >> (AXES - 2 - d) & 1 ? t[d] : 1 - t[d];
    sum += weight * ((1 - t[AXES - 1]) * (double)e[2 * line] + t[AXES - 1] * (double)e[2 * line + 1]);
  }
  return sum;
}

template <typename R> CP_FN void cp_store_samples(const cp_sampled &s, R *out, const double *v) {
  CP_UNROLL
  for (int k = 0; k < CP_AT_ONCE; k++)
    if (k * CP_STRIDE < s.left) out[k * CP_STRIDE] = (R)v[k];
}

// Reads all elements before it writes the first result. Sites with elements outside of the array come last.
template <bool ALIGNED> CP_FN void cp_sample_few(const cp_slots *p, const cp_sampled &s) {
  double c[CP_AT_ONCE][AXES], t[CP_AT_ONCE][AXES], v[CP_AT_ONCE];
  E e[CP_AT_ONCE][1 << AXES];
  unsigned missed = 0;
  const long long first = s.row * cp_slot(p, 1) + s.column;
  const E *x = s.x;
  cp_find_places<ALIGNED>(p, s, c);
  asm("" : "+l"(x)); // else addresses would be sums of indices
  if (CP_BLOCKS > 0) __builtin_assume(__isGlobal(x));
  CP_UNROLL
  for (int k = 0; k < CP_AT_ONCE; k++) missed |= cp_read_elements(p, x, c[k], t[k], e[k]) ? 0 : 1u << k;
  CP_UNROLL
  for (int k = 0; k < CP_AT_ONCE; k++) v[k] = cp_blend(e[k], t[k]);
  if (p->s[CP_FLAGS] & 1)
    cp_store_samples(s, (float *)p->s[CP_OWN + 1] + first, v);
  else
    cp_store_samples(s, (double *)p->s[CP_OWN + 1] + first, v);
  _Pragma("unroll 1") for (int k = 0; missed >> k; k++) if (missed >> k & 1 && k * CP_STRIDE < s.left)
      cp_store_sample(p, first + k * CP_STRIDE, cp_sample_slowly(p, s.x, s.within, s.column + k * CP_STRIDE));
}

template <bool ALIGNED> CP_FN void cp_sample_sites(const cp_slots *p, cp_sampled s) {
  _Pragma("unroll 1") while (s.left > 0) {
    cp_sample_few<ALIGNED>(p, s);
    s.column += CP_AT_ONCE * CP_STRIDE;
    s.left -= CP_AT_ONCE * CP_STRIDE;
  }
}

CP_FN bool cp_is_aligned(const cp_slots *p) {
  bool aligned = cp_places(p, AXES) == CP_PLACES_MAPPED;
  CP_UNROLL
  for (int d = 0; d < AXES - 1; d++) aligned = aligned && cp_map_step(p, d, AXES, AXES) == 0;
  return aligned;
}

// Whether axes have pairs of elements, and numbers that are ints.
CP_FN bool cp_has_pairs(const cp_slots *p) {
  bool pairs = true;
  CP_UNROLL
  for (int d = 0; d < AXES; d++) pairs = pairs && p->s[CP_IN + d] - 2 < 0x7fffffff - 2;
  return pairs;
}

extern "C" __global__ void __launch_bounds__(THREADS, CP_BLOCKS)
    CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  cp_sampled s;
  if (!cp_first_site(p, &s.row, &s.column)) return;
  const long long left = cp_slot(&p, 1) - s.column;
  s.x = cp_plane_of(&p, s.row, &s.within);
  s.left = left < CP_STRIDE * cp_each(p) ? (int)left : CP_STRIDE * cp_each(p);
  if (!CP_QUICK)
    cp_store_sample(&p, s.row * cp_slot(&p, 1) + s.column, cp_sample_one(&p, s.x, s.within, s.column));
  else if (!cp_has_pairs(&p))
    for (int k = 0; k * CP_STRIDE < s.left; k++, s.column += CP_STRIDE)
      cp_store_sample(&p, s.row * cp_slot(&p, 1) + s.column, cp_sample_slowly(&p, s.x, s.within, s.column));
  else if (AXES < 3 && cp_is_aligned(&p)) // a text for 3 axes as well would take long to compile
    cp_sample_sites<true>(&p, s);
  else
    cp_sample_sites<false>(&p, s);
}
#endif
