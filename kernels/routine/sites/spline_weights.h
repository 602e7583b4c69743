// Interpolation by B-splines: weights of the coefficients around a place, and places beyond an array's ends.
#ifndef CP_SITES_SPLINE_WEIGHTS_H
#define CP_SITES_SPLINE_WEIGHTS_H

// What lies beyond the ends, as for the tables of modes in lua/cupola/scipy/ndimage: ORDER
enum {
  CP_MODE_NEAREST,
  CP_MODE_WRAP, // with the last element at the place of the first
  CP_MODE_REFLECT,
  CP_MODE_MIRROR,
  CP_MODE_CONSTANT, // one value outside of the outermost elements
  CP_MODE_GRID_WRAP,
  CP_MODE_GRID_CONSTANT // coefficients outside have one value
};
enum { CP_MOST_WEIGHTS = 6 };

// The place inside an axis of length n that coordinate c, counted from 0, means; -1: outside.
CP_FN double cp_fold(long long mode, double c, long long length) {
  const double n = (double)length, last = n - 1;
  const double period = mode == CP_MODE_REFLECT  ? 2 * n
                        : mode == CP_MODE_MIRROR ? 2 * last
                        : mode == CP_MODE_WRAP   ? last
                                                 : n;
  if (c >= 0 && c <= last) return c;
  if (mode == CP_MODE_CONSTANT) return -1;
  if (mode == CP_MODE_NEAREST) return c < 0 ? 0 : last;
  if (length <= 1) return 0;
  if (mode == CP_MODE_WRAP) // both ends are one element, of which the near one counts
    return c < 0 ? c + period * (floor(-c / period) + 1) : c - period * floor(c / period);
  if (mode == CP_MODE_GRID_WRAP) return c - period * floor(c / period);
  if (mode == CP_MODE_MIRROR) {
    if (c >= 0) { // what is just behind the last element stays, which matters where two elements are as near
      c -= period * floor(c / period);
      return c < n ? c : period - c;
    }
    c += period * floor(-c / period);
    return c <= -last ? c + period : -c;
  }
  c = fabs(c + 0.5);
  c -= period * floor(c / period);
  if (2 * c > period) c = period - c;
  return c - 0.5;
}

// The coefficient that stands for number i, outside of n; -1: the constant. Where splines have no such
// border, it is mirrored.
CP_FN long long cp_fold_index(long long mode, long long i, long long n) {
  long long period = mode == CP_MODE_GRID_WRAP ? n : mode == CP_MODE_REFLECT ? 2 * n : n > 1 ? 2 * n - 2 : 1;
  if (mode == CP_MODE_GRID_CONSTANT) return -1;
  if (mode == CP_MODE_NEAREST) return i < 0 ? 0 : n - 1;
  i %= period;
  if (i < 0) i += period;
  if (i < n) return i;
  return mode == CP_MODE_REFLECT ? period - 1 - i : period - i;
}

// The number of the first of the order + 1 coefficients that place c depends on, and their weights, by the
// recursion of B-splines over their orders (de Boor, "On calculating with B-splines", 1972).
CP_FN long long cp_spline_weights(double c, int order, double *w) {
  const double at = order & 1 ? c : c + 0.5, below = floor(at), t = at - below;
  w[0] = 1;
  CP_UNROLL
  for (int k = 1; k <= order; k++) {
    const double part = 1.0 / k;
    w[k] = t * part * w[k - 1];
    CP_UNROLL
    for (int j = k - 1; j > 0; j--) w[j] = (t + (k - j)) * part * w[j - 1] + ((j + 1) - t) * part * w[j];
    w[0] = (1 - t) * part * w[0];
  }
  return (long long)below - order / 2;
}

#endif
