// The taps (taps.cu) of values between the elements of an axis, by splines: those of each element m of a
// result, at place (m + shift) zoom, or between the cells of a grid, (m + shift + 1/2) zoom - 1/2.
//
// Or the taps of a filter (resize): the elements of an axis that each m of a result is made of, where the
// filter extends so far that they are one cell or more.
//
// Slots: 4 numbers (int64) and 5 weights (float64) of the taps of each m; 6 shift, 7 zoom, 8: 1 for a grid, 9
// length of the axis, 10 mode, 11 order, 12 what is added to places; 13 filter, 14 number of its taps, 15 its
// unit in elements, and 16 how far it extends (float64)
// variants: T=float64
#include "sites.h"
#include "spline_weights.h"

enum { CP_SHIFT = 6, CP_ZOOM, CP_GRID, CP_AXIS_LENGTH, CP_AXIS_MODE, CP_AXIS_ORDER, CP_AXIS_OFFSET };
enum { CP_FILTER = 13, CP_FILTER_TAPS, CP_UNIT, CP_REACH };
// ORDER filters in src/lua/routines/sample.c
enum { CP_NO_FILTER, CP_NEAREST_ELEMENT, CP_BOX, CP_TRIANGLE, CP_CUBIC, CP_LANCZOS };

CP_FN void cp_weigh(const cp_slots *p, long long m) {
  const long long n = cp_slot(p, CP_AXIS_LENGTH), mode = cp_slot(p, CP_AXIS_MODE);
  const int order = (int)p->s[CP_AXIS_ORDER];
  const double half = p->s[CP_GRID] ? 0.5 : 0;
  long long *number = (long long *)p->s[CP_OWN] + m * (order + 1);
  double *weight = (double *)p->s[CP_OWN + 1] + m * (order + 1), w[CP_MOST_WEIGHTS] = {1};
  double c = ((double)m + cp_real_slot(p, CP_SHIFT) + half) * cp_real_slot(p, CP_ZOOM) - half;
  long long start = -1;
  c += (double)cp_slot(p, CP_AXIS_OFFSET);
  if (mode != CP_MODE_GRID_CONSTANT) c = cp_fold(mode, c, n);
  const bool inside = c > (mode == CP_MODE_GRID_CONSTANT ? -8 : -1) && c < (double)n + 8;
  if (inside) start = cp_spline_weights(c, order, w);
  for (int k = 0; k <= order; k++) {
    const long long i = start + k;
    number[k] = !inside ? -1 : i >= 0 && i < n ? i : cp_fold_index(mode, i, n);
    weight[k] = inside || k == 0 ? w[k] : 0;
  }
}

CP_FN double cp_sinc(double x) {
  const double turn = 3.14159265358979323846 * x;
  return x == 0 ? 1 : sin(turn) / turn;
}

CP_FN double cp_filter_at(long long filter, double x) {
  const double a = -0.5, t = fabs(x); // a: Keys, "Cubic convolution interpolation", 1981
  switch (filter) {
  case CP_BOX: return x > -0.5 && x <= 0.5 ? 1 : 0;
  case CP_TRIANGLE: return t < 1 ? 1 - t : 0;
  case CP_CUBIC:
    return t < 1 ? ((a + 2) * t - (a + 3)) * t * t + 1 : t < 2 ? ((t - 5) * t + 8) * t * a - 4 * a : 0;
  case CP_LANCZOS: return t < 3 ? cp_sinc(x) * cp_sinc(x / 3) : 0;
  default: return 1;
  }
}

CP_FN void cp_filter_taps(const cp_slots *p, long long m) {
  const long long n = cp_slot(p, CP_AXIS_LENGTH), filter = cp_slot(p, CP_FILTER);
  const long long each = cp_slot(p, CP_FILTER_TAPS);
  long long *number = (long long *)p->s[CP_OWN] + m * each;
  double *weight = (double *)p->s[CP_OWN + 1] + m * each, sum = 0;
  const double place = ((double)m + 0.5) * cp_real_slot(p, CP_ZOOM);
  const double first = filter == CP_NEAREST_ELEMENT
                           ? (double)cp_quotient((2 * m + 1) * n, 2 * cp_slot(p, 1)) // exactly
                           : floor(place - cp_real_slot(p, CP_REACH) + 0.5);
  for (long long k = 0; k < each; k++) {
    const double at = first + (double)k;
    const bool inside = at >= 0 && at < (double)n;
    number[k] = inside ? (long long)at : at < 0 ? 0 : n - 1;
    weight[k] = inside ? cp_filter_at(filter, (at - place + 0.5) / cp_real_slot(p, CP_UNIT)) : 0;
    sum += weight[k];
  }
  for (long long k = 0; k < each; k++) weight[k] /= sum;
}

CP_FN void cp_weights(const cp_slots *p, long long row, long long column, int n) {
  for (long long m = row * cp_slot(p, 1) + column, end = m + n; m < end; m++) {
    if (p->s[CP_FILTER] == CP_NO_FILTER)
      cp_weigh(p, m);
    else
      cp_filter_taps(p, m);
  }
}
CP_SITES(weights, 256)
