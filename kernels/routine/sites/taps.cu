// Weighted sums along one axis: each element of the result has its own taps, numbers of elements and their
// weights (zoom, shift, resize). A number outside of the axis stands for the constant. Sums are float64.
//
// The array has the shape (outer, n, inner), the result (outer, m, inner). If inner is 1, rows are the outer
// axis and columns the axis itself; else rows are both and columns the inner axis.
//
// Slots: 4 array, 5 result, 6 numbers (int64) and 7 weights (float64) of the taps of each element of the
// result, 8 number of taps, 9 n, 10 m, 11 inner, 12 constant (float64), 13: 1 if the result is float32, else
// float64; 14 rows; 15: whether numbers may be outside of the axis
// variants: T=int8,int16,int32,int64,uint8,uint16,uint32,uint64,float32,float64
#include "sites.h"

enum {
  CP_NUMBERS = 6,
  CP_WEIGHTS,
  CP_EACH,
  CP_N,
  CP_M,
  CP_INNER,
  CP_CONSTANT_TAP,
  CP_SINGLE,
  CP_ROWS,
  CP_FILLED
};
enum { CP_TAPS_SPAN = CP_SPAN(256) };

#ifdef CP_SITES_FOR_C
// Adds to n sums along the inner axis.
CP_FN void cp_add_tap(const cp_slots *p, long long line, long long column, long long from, double weight,
                      double *sum, int n) {
  if (from < 0 || from >= cp_slot(p, CP_N)) {
    if (weight == 0) return; // however large the constant is
    for (int k = 0; k < n; k++) sum[k] += weight * cp_real_slot(p, CP_CONSTANT_TAP);
    return;
  }
  const E *x = (const E *)p->s[CP_OWN] + (line * cp_slot(p, CP_N) + from) * cp_slot(p, CP_INNER) + column;
  for (int k = 0; k < n; k++) sum[k] += weight * (double)x[k];
}

CP_FN void cp_taps(const cp_slots *p, long long row, long long column, int n) {
  const long long *numbers = (const long long *)p->s[CP_NUMBERS];
  const double *weights = (const double *)p->s[CP_WEIGHTS];
  const long long each = cp_slot(p, CP_EACH), first = row * cp_slot(p, 1) + column;
  double sum[CP_TAPS_SPAN];
  for (int k = 0; k < n; k++) sum[k] = 0;
  if (p->s[CP_INNER] == 1) {
    for (int k = 0; k < n; k++)
      for (long long t = (column + k) * each; t < (column + k + 1) * each; t++)
        cp_add_tap(p, row, 0, numbers[t], weights[t], sum + k, 1);
  } else {
    const long long line = cp_quotient(row, cp_slot(p, CP_M)), m = row - line * cp_slot(p, CP_M);
    for (long long t = m * each; t < (m + 1) * each; t++)
      cp_add_tap(p, line, column, numbers[t], weights[t], sum, n);
  }
  if (p->s[CP_SINGLE])
    for (int k = 0; k < n; k++) ((float *)p->s[CP_OWN + 1])[first + k] = (float)sum[k];
  else
    for (int k = 0; k < n; k++) ((double *)p->s[CP_OWN + 1])[first + k] = sum[k];
}
CP_SITES(taps, CP_TAPS_SPAN)
#else
// The sites of a thread, which have the same taps: CP_STRIDE columns apart or, if the columns are the axis,
// in consecutive rows. Sites beyond the last one read what the first one reads.
struct cp_tapped {
  const E *x[CP_EACH_THREAD];
  double sum[CP_EACH_THREAD];
};

// Adds n taps to the sums. Their numbers and weights are read before the elements that they stand for.
// FILLED: a number outside of the axis stands for the constant; else there is none.
template <int n, bool FILLED>
CP_FN void cp_add_taps(const cp_slots *p, const long long *numbers, const double *weights, cp_tapped *s) {
  E v[n][CP_EACH_THREAD];
  double weight[n];
  bool inside[n];
#pragma unroll
  for (int t = 0; t < n; t++) {
    const long long number = numbers[t];
    weight[t] = weights[t];
    inside[t] = (unsigned long long)number < p->s[CP_N];
    const long long from = inside[t] ? number * cp_slot(p, CP_INNER) : 0;
#pragma unroll
    for (int k = 0; k < CP_EACH_THREAD; k++) v[t][k] = s->x[k][from];
  }
#pragma unroll
  for (int t = 0; t < n; t++) {
#pragma unroll
    for (int k = 0; k < CP_EACH_THREAD; k++) {
      const bool filled = FILLED && !inside[t];
      const double product = weight[t] * (filled ? cp_real_slot(p, CP_CONSTANT_TAP) : (double)v[t][k]);
      s->sum[k] += !filled || weight[t] != 0 ? product : 0; // however large the constant is
    }
  }
}

template <bool FILLED>
CP_FN void cp_add_all(const cp_slots *p, const long long *numbers, const double *weights, cp_tapped *s) {
  enum { BATCH = 2 };
  const int each = (int)p->s[CP_EACH];
  int t = 0;
  for (; t + BATCH <= each; t += BATCH) cp_add_taps<BATCH, FILLED>(p, numbers + t, weights + t, s);
  if (t < each) cp_add_taps<1, FILLED>(p, numbers + t, weights + t, s);
}

extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  const bool along = p.s[CP_INNER] == 1; // the columns are the axis
  const long long n = cp_slot(&p, CP_N), columns = cp_slot(&p, 1);
  long long row, column;
  if (!cp_first_site(p, &row, &column)) return;
  if (along) row *= CP_EACH_THREAD;
  const long long left = along ? cp_slot(&p, CP_ROWS) - row : (columns - column + CP_STRIDE - 1) / CP_STRIDE;
  const long long step = along ? n : CP_STRIDE, result_step = along ? columns : CP_STRIDE;
  const long long line = along ? row : cp_quotient(row, cp_slot(&p, CP_M));
  const long long m = along ? column : row - line * cp_slot(&p, CP_M);
  const E *x = (const E *)p.s[CP_OWN] + line * n * cp_slot(&p, CP_INNER) + (along ? 0 : column);
  const int each = (int)p.s[CP_EACH];
  const long long *numbers = (const long long *)p.s[CP_NUMBERS] + m * each;
  const double *weights = (const double *)p.s[CP_WEIGHTS] + m * each;
  cp_tapped s;
#pragma unroll
  for (int k = 0; k < CP_EACH_THREAD; k++) {
    s.x[k] = x + (k < left ? k * step : 0);
    s.sum[k] = 0;
  }
  if (p.s[CP_FILLED])
    cp_add_all<true>(&p, numbers, weights, &s);
  else
    cp_add_all<false>(&p, numbers, weights, &s);
  const long long first = row * columns + column;
#pragma unroll
  for (int k = 0; k < CP_EACH_THREAD; k++) {
    if (k >= left) return;
    if (p.s[CP_SINGLE])
      ((float *)p.s[CP_OWN + 1])[first + k * result_step] = (float)s.sum[k];
    else
      ((double *)p.s[CP_OWN + 1])[first + k * result_step] = s.sum[k];
  }
}
#endif
