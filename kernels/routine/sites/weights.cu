// The taps (taps.cu) of values between the elements of an axis, by splines: those of each element m of a
// result, at place (m + shift) zoom, or between the cells of a grid, (m + shift + 1/2) zoom - 1/2.
//
// Slots: 4 numbers (int64) and 5 weights (float64) of the taps of each m; 6 shift, 7 zoom, 8: 1 for a grid, 9
// length of the axis, 10 mode, 11 order, 12 what is added to places
// variants: T=float64
#include "sites.h"
#include "spline_weights.h"

enum { CP_SHIFT = 6, CP_ZOOM, CP_GRID, CP_AXIS_LENGTH, CP_AXIS_MODE, CP_AXIS_ORDER, CP_AXIS_OFFSET };

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

CP_FN void cp_weights(const cp_slots *p, long long row, long long column, int n) {
  for (int k = 0; k < n; k++) cp_weigh(p, row * cp_slot(p, 1) + column + k);
}
CP_SITES(weights, 256)
