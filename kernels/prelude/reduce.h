// Accumulators of reductions, for the element type T. Included once per translation unit or kernel, after the
// prelude of T, with one of CP_KIND_REAL, CP_KIND_INTEGER, CP_KIND_BOOL, CP_KIND_COMPLEX defined, and
//   R                     the real type of floats and complex numbers
//   CP_LOWEST, CP_HIGHEST the bounds of T, infinities for floats, for r_lowest() and r_highest()
// A combine function takes the accumulator of the earlier elements first.

#if defined(CP_KIND_REAL)
CP_FN T r_zero(void) { return 0; }
CP_FN T r_one(void) { return 1; }
CP_FN T r_add(T a, T b) { return a + b; }
CP_FN T r_multiply(T a, T b) { return a * b; }
CP_FN T r_minimum(T a, T b) { return m_minimum(a, b); }
CP_FN T r_maximum(T a, T b) { return m_maximum(a, b); }
CP_FN T r_fmin(T a, T b) { return m_fmin(a, b); }
CP_FN T r_fmax(T a, T b) { return m_fmax(a, b); }
CP_FN int r_isnan(T a) { return a != a; }
CP_FN int r_before(T a, T b) { return a < b; }
CP_FN T r_lowest(void) { return CP_LOWEST; }
CP_FN T r_highest(void) { return CP_HIGHEST; }
CP_FN T r_missing(T a) { return (a - a) / (a - a); } // nan, the result for an all-nan slice
CP_FN T r_over(T a, double n) { return (T)(a / (T)n); }
CP_FN T r_width(T low, T high) { return high - low; }
#elif defined(CP_KIND_COMPLEX)
CP_FN T r_zero(void) { return c_make((R)0, (R)0); }
CP_FN T r_one(void) { return c_make((R)1, (R)0); }
CP_FN T r_add(T a, T b) { return c_add(a, b); }
CP_FN T r_multiply(T a, T b) { return c_multiply(a, b); }
CP_FN T r_minimum(T a, T b) { return c_minimum(a, b); }
CP_FN T r_maximum(T a, T b) { return c_maximum(a, b); }
CP_FN T r_fmin(T a, T b) { return c_fmin(a, b); }
CP_FN T r_fmax(T a, T b) { return c_fmax(a, b); }
CP_FN int r_isnan(T a) { return c_isnan(a); }
CP_FN int r_before(T a, T b) { return c_less(a, b); }
CP_FN T r_lowest(void) { return c_make(CP_LOWEST, CP_LOWEST); }
CP_FN T r_highest(void) { return c_make(CP_HIGHEST, CP_HIGHEST); }
CP_FN T r_missing(T a) {
  R nan = (a.re - a.re) / (a.re - a.re);
  return c_make(nan, nan);
}
CP_FN T r_over(T a, double n) { return c_make(a.re / (R)n, a.im / (R)n); }
CP_FN T r_width(T low, T high) { return c_subtract(high, low); }
#else
CP_FN T r_zero(void) { return 0; }
CP_FN T r_one(void) { return 1; }
#if defined(CP_KIND_BOOL)
CP_FN T r_add(T a, T b) { return a | b; }
CP_FN T r_multiply(T a, T b) { return a & b; }
CP_FN T r_width(T low, T high) { return high ^ low; }
#else
CP_FN T r_add(T a, T b) { return i_add(a, b); }
CP_FN T r_multiply(T a, T b) { return i_multiply(a, b); }
CP_FN T r_width(T low, T high) { return i_subtract(high, low); }
#endif
CP_FN T r_minimum(T a, T b) { return a < b ? a : b; }
CP_FN T r_maximum(T a, T b) { return a > b ? a : b; }
CP_FN T r_fmin(T a, T b) { return r_minimum(a, b); }
CP_FN T r_fmax(T a, T b) { return r_maximum(a, b); }
CP_FN int r_isnan(T a) { return (void)a, 0; }
CP_FN int r_before(T a, T b) { return a < b; }
CP_FN T r_lowest(void) { return CP_LOWEST; }
CP_FN T r_highest(void) { return CP_HIGHEST; }
CP_FN T r_missing(T a) { return a; }
#endif

CP_FN T r_skip(T a, T instead) { return r_isnan(a) ? instead : a; }

// A value with its position. Of equal values the first wins, and nan wins over every number. i < 0: empty.
typedef struct {
  T v;
  long long i;
} acc_arg;
CP_FN acc_arg arg_none(void) {
  acc_arg r = {r_zero(), -1};
  return r;
}
CP_FN acc_arg arg_of(T a, long long i) {
  acc_arg r = {a, i};
  return r;
}
#ifdef CP_DEVICE
// The same without branches, which a warp would take both ways.
CP_FN acc_arg arg_pick(acc_arg a, acc_arg b, int b_wins, int a_wins) {
  const int a_nan = r_isnan(a.v), b_nan = r_isnan(b.v), first = b.i < a.i;
  const int better = !a_nan & (b_nan | b_wins), worse = !b_nan & (a_nan | a_wins);
  return (b.i >= 0) & ((a.i < 0) | better | (!worse & first)) ? b : a;
}
#else
CP_FN acc_arg arg_pick(acc_arg a, acc_arg b, int b_wins, int a_wins) {
  if (b.i < 0) return a;
  if (a.i < 0) return b;
  if (r_isnan(a.v) || r_isnan(b.v)) {
    b_wins = !r_isnan(a.v);
    a_wins = !r_isnan(b.v);
  }
  if (b_wins) return b;
  return a_wins || a.i < b.i ? a : b;
}
#endif
CP_FN acc_arg arg_min(acc_arg a, acc_arg b) { return arg_pick(a, b, r_before(b.v, a.v), r_before(a.v, b.v)); }
CP_FN acc_arg arg_max(acc_arg a, acc_arg b) { return arg_pick(a, b, r_before(a.v, b.v), r_before(b.v, a.v)); }
CP_FN long long arg_position(acc_arg a) { return a.i + 1; } // positions count from 1

// Smallest and largest element. empty = 1: no element yet
typedef struct {
  T low, high;
  int empty;
} acc_range;
CP_FN acc_range range_none(void) {
  acc_range r = {r_zero(), r_zero(), 1};
  return r;
}
CP_FN acc_range range_of(T a) {
  acc_range r = {a, a, 0};
  return r;
}
CP_FN acc_range range_add(acc_range a, acc_range b) {
  acc_range r = {r_minimum(a.low, b.low), r_maximum(a.high, b.high), 0};
  return a.empty ? b : b.empty ? a : r;
}
CP_FN T range_width(acc_range a) { return r_width(a.low, a.high); }

#if defined(CP_KIND_REAL) || defined(CP_KIND_COMPLEX)
// A sum with the number of elements that count, for means that skip nan.
typedef struct {
  T s;
  double n;
} acc_counted;
CP_FN acc_counted counted_none(void) {
  acc_counted r = {r_zero(), 0};
  return r;
}
CP_FN acc_counted counted_of(T a) {
  acc_counted r = {r_skip(a, r_zero()), r_isnan(a) ? 0 : 1};
  return r;
}
CP_FN acc_counted counted_add(acc_counted a, acc_counted b) {
  acc_counted r = {r_add(a.s, b.s), a.n + b.n};
  return r;
}
CP_FN T counted_mean(acc_counted a) { return r_over(a.s, a.n); }

// Count, mean and sum of squared deviations, merged pairwise (Chan, Golub, LeVeque 1979): one pass, no
// cancellation. The mean is mean + low: if large values lie close together, the float nearest to their mean
// may be farther from it than they are.
#if defined(CP_KIND_COMPLEX)
CP_FN T r_minus(T a, T b) { return c_subtract(a, b); }
CP_FN R r_norm(T a) { return a.re * a.re + a.im * a.im; }
CP_FN R r_dot(T a, T b) { return a.re * b.re + a.im * b.im; }
CP_FN T r_scaled(T a, R k) { return c_make(a.re * k, a.im * k); }
#else
CP_FN T r_minus(T a, T b) { return a - b; }
CP_FN R r_norm(T a) { return a * a; }
CP_FN R r_dot(T a, T b) { return a * b; }
CP_FN T r_scaled(T a, R k) { return a * k; }
#endif
typedef struct {
  T mean, low;
  R m2;
  R n;
} acc_moments;
CP_FN acc_moments moments_none(void) {
  acc_moments r = {r_zero(), r_zero(), 0, 0};
  return r;
}
CP_FN R r_finite(T a) { return r_norm(r_minus(a, a)); } // 0, or nan
CP_FN acc_moments moments_of(T a) {
  acc_moments r = {a, r_zero(), r_finite(a), 1};
  return r;
}
CP_FN acc_moments moments_skip(T a) {
  acc_moments r = {r_skip(a, r_zero()), r_zero(), r_isnan(a) ? (R)0 : r_finite(a), (R)(r_isnan(a) ? 0 : 1)};
  return r;
}
// Moments of n elements, from the sum of their differences from `near` and the sum of squared differences. If
// squares overflow, the variance is infinity, as in NumPy, but nan if an element is infinite.
CP_FN acc_moments moments_near(T near, T sum, R squares, R n) {
  T low = r_scaled(sum, n > 0 ? 1 / n : (R)0);
  R off = r_dot(sum, low), whole = squares + r_finite(sum);
  acc_moments r = {near, low, off < squares ? squares - off : whole - whole == 0 ? (R)0 : whole, n};
  return r;
}
// a + b as the nearest number and the remainder (Knuth).
CP_FN T r_split(T a, T b, T *low) {
  T sum = r_add(a, b), part = r_minus(sum, a);
  *low = r_add(r_minus(a, r_minus(sum, part)), r_minus(b, part));
  return sum;
}
// Corrects the mean of the side with more elements by the other. An empty side has no effect; nor may its
// square count, which might overflow.
CP_FN acc_moments moments_add(acc_moments a, acc_moments b) {
  R n = a.n + b.n, one = n > 0 ? 1 / n : (R)0, weight = a.n * b.n * one;
  int more = b.n > a.n;
  T d = r_add(r_minus(b.mean, a.mean), r_minus(b.low, a.low)), step = r_scaled(d, (more ? -a.n : b.n) * one);
  acc_moments r = {r_zero(), r_zero(), 0, n};
  r.mean = r_split(more ? b.mean : a.mean, r_add(more ? b.low : a.low, step), &r.low);
  r.m2 = a.m2 + b.m2 + r_norm(r_scaled(d, weight > 0 ? (R)1 : (R)0)) * weight;
  return r;
}
CP_FN R moments_var(acc_moments a, double ddof) {
  R free = a.n - (R)ddof;
  return a.m2 / (free > 0 ? free : (R)0); // 0/0 is nan, as NumPy gives
}
// Too few elements give nan here, where moments_var may give infinity, as in NumPy.
CP_FN R moments_nanvar(acc_moments a, double ddof) {
  R free = a.n - (R)ddof;
  return a.m2 * (free > 0 ? (R)1 : (R)0) / (free > 0 ? free : (R)0);
}
CP_FN R moments_std(acc_moments a, double ddof) { return m_sqrt(moments_var(a, ddof)); }
#endif
