// One pass of the filter that turns elements into coefficients of splines: y[i] = x[i] + pole y[i - 1]
// forwards, y[i] = pole (y[i + 1] - x[i]) backwards, along the middle axis of (outer, n, inner). Rows of it
// are cut into chunks. A chunk starts `ahead` elements early with 0: what it misses has faded away where its
// own elements begin. The first chunk starts with the sum over what lies beyond the end, which depends on the
// mode (Unser, "Splines: a perfect fit for signal and image processing", 1999).
//
// Slots: 4 array, 5 result (float64), 6 n, 7 inner, 8 length of a chunk, 9 chunks, 10 ahead, 11: 1 for
// backwards, 12 pole, 13 factor of the array's elements, 14 end: 0 mirror, 1 reflect, 2 wrap
// variants: T=float64
#include "sites.h"

enum { CP_SPLINE_N = 6, CP_SPLINE_INNER, CP_CHUNK, CP_CHUNKS, CP_AHEAD };
enum { CP_BACKWARDS = CP_AHEAD + 1, CP_POLE, CP_GAIN, CP_END };
enum { CP_END_MIRROR, CP_END_REFLECT, CP_END_WRAP };
enum { CP_SPLINE_SPAN = CP_SPAN(64) };

// Element i of the column k after x, times the gain.
CP_FN double cp_from(const cp_slots *p, const E *x, long long i, int k) {
  return cp_real_slot(p, CP_GAIN) * (double)x[i * cp_slot(p, CP_SPLINE_INNER) + k];
}

// The first value forwards: the sum of pole^j x[-j] over all j >= 0. Terms beyond `ahead` do not count.
CP_FN double cp_start(const cp_slots *p, const E *x, int k) {
  const double z = cp_real_slot(p, CP_POLE);
  const long long n = cp_slot(p, CP_SPLINE_N), end = cp_slot(p, CP_END);
  const long long most = cp_slot(p, CP_AHEAD) < n ? cp_slot(p, CP_AHEAD) : n;
  const double all = pow(z, (double)(end == CP_END_MIRROR ? n - 1 : n)), first = cp_from(p, x, 0, k);
  double sum = 0, power = z;
  if (end == CP_END_REFLECT) {
    for (long long i = 0; i < most; i++, power *= z)
      sum += power * (cp_from(p, x, i, k) + all * cp_from(p, x, n - 1 - i, k));
    return first + sum / (1 - all * all);
  }
  if (end == CP_END_WRAP) {
    for (long long i = 1; i < most; i++, power *= z) sum += power * cp_from(p, x, n - i, k);
    return (first + sum) / (1 - all);
  }
  for (long long i = 1; i < most && i < n - 1; i++, power *= z)
    sum += power * (cp_from(p, x, i, k) + all * cp_from(p, x, n - 1 - i, k));
  return (first + all * cp_from(p, x, n - 1, k) + sum) / (1 - all * all);
}

// The last value, where the pass backwards starts, from those of the pass forwards.
CP_FN double cp_finish(const cp_slots *p, const E *x, int k) {
  const double z = cp_real_slot(p, CP_POLE);
  const long long n = cp_slot(p, CP_SPLINE_N), end = cp_slot(p, CP_END);
  const long long most = cp_slot(p, CP_AHEAD) < n ? cp_slot(p, CP_AHEAD) : n;
  double sum = cp_from(p, x, n - 1, k), power = z;
  if (end == CP_END_MIRROR) return (z * cp_from(p, x, n - 2, k) + sum) * z / (z * z - 1);
  if (end == CP_END_REFLECT) return sum * z / (z - 1);
  for (long long i = 0; i < most - 1; i++, power *= z) sum += power * cp_from(p, x, i, k);
  return sum * z / (pow(z, (double)n) - 1);
}

CP_FN void cp_spline(const cp_slots *p, long long row, long long column, int n) {
  const long long length = cp_slot(p, CP_SPLINE_N), inner = cp_slot(p, CP_SPLINE_INNER);
  const long long line = cp_quotient(row, cp_slot(p, CP_CHUNKS)), chunk = row - line * cp_slot(p, CP_CHUNKS);
  const bool backwards = p->s[CP_BACKWARDS] != 0;
  const double z = cp_real_slot(p, CP_POLE);
  const long long base = line * length * inner + column, first = chunk * cp_slot(p, CP_CHUNK);
  const long long end = first + cp_slot(p, CP_CHUNK) < length ? first + cp_slot(p, CP_CHUNK) : length;
  const E *x = (const E *)p->s[CP_OWN] + base;
  double *y = (double *)p->s[CP_OWN + 1] + base, state[CP_SPLINE_SPAN];
  if (!backwards) {
    long long i = first - cp_slot(p, CP_AHEAD);
    for (int k = 0; k < n; k++) state[k] = i <= 0 ? cp_start(p, x, k) : 0;
    if (i <= 0) {
      i = 1;
      if (first == 0)
        for (int k = 0; k < n; k++) y[k] = state[k];
    }
    for (; i < end; i++) {
      for (int k = 0; k < n; k++) state[k] = cp_from(p, x, i, k) + z * state[k];
      if (i >= first)
        for (int k = 0; k < n; k++) y[i * inner + k] = state[k];
    }
    return;
  }
  long long i = end - 1 + cp_slot(p, CP_AHEAD);
  for (int k = 0; k < n; k++) state[k] = i >= length - 1 ? cp_finish(p, x, k) : 0;
  if (i >= length - 1) {
    i = length - 2;
    if (end == length)
      for (int k = 0; k < n; k++) y[(length - 1) * inner + k] = state[k];
  }
  for (; i >= first; i--) {
    for (int k = 0; k < n; k++) state[k] = z * (state[k] - cp_from(p, x, i, k));
    if (i < end)
      for (int k = 0; k < n; k++) y[i * inner + k] = state[k];
  }
}
CP_SITES(spline, CP_SPLINE_SPAN)
