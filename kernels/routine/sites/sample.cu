// Values of an array between its elements, by splines of an order from 0 to 5. The array holds the splines'
// coefficients (from order 2 on; below, they are the elements). The places are given by an array of
// coordinates, or by an affine map of the sites' indices; places beyond the ends by a mode.
//
// AXES   of the array
// ORDER  of the splines
//
// Slots: 4 array, 5 result, 6 coordinates of all sites along each axis, or the rows of the affine map's
// matrix with the offset last (float64); 7 bit 0: the result is float32, else float64; bit 1: so are the
// coordinates; bit 2: they are a map; 8 mode, 9 constant (float64), 10 what is added to coordinates
// (float64), 11 axes, 12 order, 13 axes of the result; from 14 on the lengths of the array, from 24 on those
// of the result; 34 rows and 35 elements of a plane: each plane of rows has an array of its own; from 36 on
// the last place along each axis (float64), or 0 if its number is not an int
// variants: T=float32,uint8 AXES=2 ORDER=0,1
// variants: T=float64 AXES=2 ORDER=2,3,4,5
// variants: T=int8,int16,int32,int64,uint16,uint32,uint64,float64 AXES=1 ORDER=1
// variants: T=float64 AXES=3 ORDER=1,3,5
// variants: T=float32 AXES=4 ORDER=1
#include "sites.h"
#include "spline_weights.h"

enum { CP_FLAGS = 7, CP_MODE, CP_CONSTANT, CP_OFFSET, CP_IN_AXES, CP_ORDER, CP_OUT_AXES, CP_IN };
enum { CP_OUT = 24, CP_PLANE = 34, CP_LAST = 36 };
enum { CP_MOST_SAMPLED = 10 };

#ifdef CP_SITES_FOR_C
#define CP_FIXED(axes, order) axes, order
#define CP_UNROLL_LINES
#else
#define CP_FIXED(axes, order) AXES, ORDER
#define CP_UNROLL_LINES       _Pragma("unroll (AXES > 2 ? 1 : 6)") // more would take long to compile
#endif

// The place of a site, by the affine map. The products are added in the order of the result's axes.
CP_FN void cp_map_place(const cp_slots *p, long long row, long long column, int axes, int out_axes,
                        double *c) {
  const double *map = (const double *)p->s[CP_OWN + 2];
  double at[CP_MOST_SAMPLED];
  at[out_axes - 1] = (double)column;
  CP_UNROLL
  for (int o = out_axes - 2; o >= 0; o--) {
    const long long n = cp_slot(p, CP_OUT + o), rest = o > 0 ? cp_quotient(row, n) : 0;
    at[o] = (double)(row - rest * n);
    row = rest;
  }
  CP_UNROLL
  for (int d = 0; d < axes; d++) {
    c[d] = 0;
    CP_UNROLL
    for (int o = 0; o < out_axes; o++) c[d] += at[o] * map[d * (out_axes + 1) + o];
    c[d] += map[d * (out_axes + 1) + out_axes];
  }
}

// The place of a site along each of the array's axes. `row` counts from the first one of its plane.
CP_FN void cp_place_of(const cp_slots *p, long long row, long long column, int axes, double *c) {
  const long long site = row * cp_slot(p, 1) + column, all = cp_slot(p, 0) * cp_slot(p, 1);
  const int out_axes = (int)p->s[CP_OUT_AXES];
  if (p->s[CP_FLAGS] & 4) {
    if (out_axes == axes)
      cp_map_place(p, row, column, axes, axes, c);
    else
      cp_map_place(p, row, column, axes, out_axes, c);
    return;
  }
  CP_UNROLL
  for (int d = 0; d < axes; d++)
    c[d] = p->s[CP_FLAGS] & 2 ? (double)((const float *)p->s[CP_OWN + 2])[d * all + site]
                              : ((const double *)p->s[CP_OWN + 2])[d * all + site];
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

#ifdef CP_SITES_FOR_C
#define CP_SAMPLE_AT(p, x, c, axes, order) cp_sample_at(p, x, c, axes, order)
#else
// The same where all is linear and inside, with the least arithmetic: true if it is.
CP_FN bool cp_sample_inside(const cp_slots *p, const E *x, const double *c, double *sum) {
  double t[AXES];
  long long from = 0;
  if (ORDER != 1 || AXES > 3) return false;
  CP_UNROLL
  for (int d = 0; d < AXES; d++) {
    const double at = c[d] + cp_real_slot(p, CP_OFFSET);
    if (!(at >= 0 && at < cp_real_slot(p, CP_LAST + d))) return false;
    const int below = (int)at;
    t[d] = at - below;
    from = from * cp_slot(p, CP_IN + d) + below;
  }
  *sum = 0;
  CP_UNROLL
  for (int line = 0; line < 1 << (AXES - 1); line++) {
    double weight = 1;
    long long at = from, step = 1;
    CP_UNROLL
    for (int d = AXES - 2; d >= 0; d--) {
      const bool next = line >> (AXES - 2 - d) & 1;
      step *= cp_slot(p, CP_IN + d + 1);
      at += next ? step : 0;
      weight *= next ? t[d] : 1 - t[d];
    }
    *sum += weight * ((1 - t[AXES - 1]) * (double)x[at] + t[AXES - 1] * (double)x[at + 1]);
  }
  return true;
}

CP_SLOW double cp_sample_anywhere(const cp_slots *p, const E *x, const double *c) {
  return cp_sample_at(p, x, c, AXES, ORDER);
}

CP_FN double cp_sample_there(const cp_slots *p, const E *x, const double *c) {
  double sum;
  if (ORDER != 1 || AXES > 3) return cp_sample_at(p, x, c, AXES, ORDER);
  if (cp_sample_inside(p, x, c, &sum)) return sum;
  double place[AXES]; // so that c, whose address the call does not need, stays in registers
  CP_UNROLL
  for (int d = 0; d < AXES; d++) place[d] = c[d];
  return cp_sample_anywhere(p, x, place);
}
#define CP_SAMPLE_AT(p, x, c, axes, order) cp_sample_there(p, x, c)
#endif

CP_FN void cp_sample_row(const cp_slots *p, long long row, long long column, int n, int axes, int order) {
  const long long plane = row < cp_slot(p, CP_PLANE) ? 0 : cp_quotient(row, cp_slot(p, CP_PLANE));
  const long long within = row - plane * cp_slot(p, CP_PLANE);
  const E *x = (const E *)p->s[CP_OWN] + plane * cp_slot(p, CP_PLANE + 1);
  for (int k = 0; k < n; k++) {
    double c[CP_MOST_SAMPLED];
    const long long site = row * cp_slot(p, 1) + column + k;
    cp_place_of(p, within, column + k, axes, c);
    const double v = CP_SAMPLE_AT(p, x, c, axes, order);
    if (p->s[CP_FLAGS] & 1)
      ((float *)p->s[CP_OWN + 1])[site] = (float)v;
    else
      ((double *)p->s[CP_OWN + 1])[site] = v;
  }
}

CP_FN void cp_sample(const cp_slots *p, long long row, long long column, int n) {
#ifdef CP_SITES_FOR_C // frequent forms are compiled for themselves
  const int axes = (int)p->s[CP_IN_AXES], order = (int)p->s[CP_ORDER];
  if (axes == 2 && order == 1) {
    cp_sample_row(p, row, column, n, 2, 1);
    return;
  }
  if (axes == 2 && order == 3) {
    cp_sample_row(p, row, column, n, 2, 3);
    return;
  }
#endif
  cp_sample_row(p, row, column, n, CP_FIXED(axes, order));
}
CP_SITES(sample, 256)
