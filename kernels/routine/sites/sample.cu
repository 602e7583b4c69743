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
#define CP_UNROLL_LINES
#else
#define CP_UNROLL_LINES _Pragma("unroll (AXES > 2 ? 1 : 6)") // more would take long to compile
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

// The same where the result has other axes than the array, which is rare.
CP_SLOW void cp_map_axes(const cp_slots *p, long long row, long long column, int axes, double *c) {
  cp_map_place(p, row, column, axes, (int)p->s[CP_OUT_AXES], c);
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
CP_SLOW double cp_sample_anywhere(const cp_slots *p, const E *x, const double *c) {
  return cp_sample_at(p, x, c, AXES, ORDER);
}

// The same where all is linear and inside, with the least arithmetic; *inside: whether it is. If not, it
// reads the first element, so that the reads of several sites need not wait for each other.
CP_FN double cp_sample_inside(const cp_slots *p, const E *x, const double *c, bool *inside) {
  double t[AXES], sum = 0;
  int below[AXES];
  long long from = 0;
  bool in = true;
  CP_UNROLL
  for (int d = 0; d < AXES; d++) {
    const double at = c[d] + cp_real_slot(p, CP_OFFSET);
    in = in && at >= 0 && at < cp_real_slot(p, CP_LAST + d);
    below[d] = (int)at;
    t[d] = at - below[d];
  }
  CP_UNROLL
  for (int d = 0; d < AXES; d++) from = from * (int)p->s[CP_IN + d] + below[d];
  *inside = in;
  const E *first = x + (in ? from : 0);
  CP_UNROLL
  for (int line = 0; line < 1 << (AXES - 1); line++) {
    double weight = 1;
    long long at = 0, step = 1;
    CP_UNROLL
    for (int d = AXES - 2; d >= 0; d--) {
      const bool next = line >> (AXES - 2 - d) & 1;
      step *= (int)p->s[CP_IN + d + 1];
      at += next ? step : 0;
      weight *= next ? t[d] : 1 - t[d];
    }
    const E *pair = first + (in ? at : 0);
    sum += weight * ((1 - t[AXES - 1]) * (double)pair[0] + t[AXES - 1] * (double)pair[in]);
  }
  return sum;
}

// The sites of a thread, which lie `lanes` apart in a row. Their coordinates are read before the first
// element, and these before the first result is written. ORDER `quick` in src/cuda/routines/sites.c
enum { CP_QUICK = ORDER == 1 && AXES <= 3, CP_SAMPLES = CP_QUICK ? CP_EACH_THREAD : 1 };

CP_FN void cp_sample_sites(const cp_slots *p, long long row, long long column, int lanes) {
  const long long columns = cp_slot(p, 1);
  double c[CP_SAMPLES][AXES], v[CP_SAMPLES];
  bool inside[CP_SAMPLES];
  long long within;
  const E *x = cp_plane_of(p, row, &within);
  const int places = cp_places(p, AXES);
#define CP_EACH_COLUMN(f)                                                                                    \
  CP_UNROLL                                                                                                  \
  for (int k = 0; k < CP_SAMPLES; k++) {                                                                     \
    const long long at = column + k * lanes < columns ? column + k * lanes : column;                         \
    f;                                                                                                       \
  }
  if (places == CP_PLACES_GIVEN) {
    CP_EACH_COLUMN(cp_given_place(p, within, at, AXES, c[k]))
  } else if (places == CP_PLACES_MAPPED) {
    CP_EACH_COLUMN(cp_map_place(p, within, at, AXES, AXES, c[k]))
  } else {
    CP_EACH_COLUMN({
      double place[AXES]; // so that c, whose address the call does not need, stays in registers
      cp_map_axes(p, within, at, AXES, place);
      CP_UNROLL
      for (int d = 0; d < AXES; d++) c[k][d] = place[d];
    })
  }
  CP_UNROLL
  for (int k = 0; k < CP_SAMPLES; k++) {
    inside[k] = false;
    if (CP_QUICK) v[k] = cp_sample_inside(p, x, c[k], &inside[k]);
  }
  CP_UNROLL
  for (int k = 0; k < CP_SAMPLES; k++) {
    if (!CP_QUICK) {
      v[k] = cp_sample_at(p, x, c[k], AXES, ORDER);
    } else if (!inside[k]) {
      double place[AXES]; // as above
      CP_UNROLL
      for (int d = 0; d < AXES; d++) place[d] = c[k][d];
      v[k] = cp_sample_anywhere(p, x, place);
    }
  }
  CP_UNROLL
  for (int k = 0; k < CP_SAMPLES; k++)
    if (column + k * lanes < columns) cp_store_sample(p, row * columns + column + k * lanes, v[k]);
}

extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  long long row, column;
  if (cp_first_site(p, CP_SAMPLES, &row, &column)) cp_sample_sites(&p, row, column, 1 << p.s[2]);
}
#endif
