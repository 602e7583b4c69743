// Linear interpolation in a table: both devices compile this.

// The value at x of the line from (x0, f0) to (x1, f1). It is computed from both ends, since one of them
// may be infinite.
CP_FN double cp_on_line(double x, double x0, double x1, double f0, double f1) {
  const double slope = (f1 - f0) / (x1 - x0);
  double value = slope * (x - x0) + f0;
  if (value != value) value = slope * (x - x1) + f1;
  if (value != value && f0 == f1) value = f0;
  value = x == x1 ? f1 : value;
  return x == x0 ? f0 : value;
}

// The value at x of the line through the points (xp, fp), n of them in ascending order of xp, where
// `passed` is how many of xp are not above x; `below` and `above` are the values outside. At nan it is nan,
// or 0 for the imaginary part of a function.
CP_FN double cp_interpolated(double x, long long passed, const double *xp, const double *fp, long long n,
                             double below, double above, int imaginary) {
  long long low = passed - 1 < n - 2 ? passed - 1 : n - 2;
  if (low < 0) low = 0;
  const long long high = low + 1 < n ? low + 1 : n - 1;
  const double value = cp_on_line(x, xp[low], xp[high], fp[low], fp[high]);
  if (x != x) return imaginary ? 0 : x;
  if (x > xp[n - 1]) return above;
  return x < xp[0] ? below : value;
}
