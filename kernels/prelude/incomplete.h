/* Incomplete gamma and beta functions, related functions, and exponential integrals, for one floating type:
   text that float32.h and float64.h share, without an include guard.

   Powers like x^a exp(-x) are computed from logarithms in two parts (real.h), so they are right to a few ulp
   even where the exponent is large, and so are the functions in the far tails.

   Written in the common subset of C11 and CUDA C++, without headers. */
#ifdef CP_DEVICE
#define M_STATIC static __device__
#else
#define M_STATIC static
#endif
#include "incomplete_tables.h"
#undef M_STATIC
#define M_EPSILON                                                                                            \
  (sizeof(M_REAL) == 4 ? (M_REAL)0x1p-25 : (M_REAL)0x1p-54) /* terms below this fraction do not matter */

CP_SLOW M_REAL m_incomplete_row(const M_REAL *c, int n, M_REAL t) {
  M_REAL r = c[0];
  int k;
  for (k = 1; k < n; k++) r = m_fma(r, t, c[k]);
  return r;
}
#define M_ROW(name, terms, t) m_incomplete_row(m_##name##_table, terms, t)

/* ---- erfcx: exp(x^2) erfc(x) */

/* exp(x^2) */
CP_FN M_REAL m_incomplete_exp_square(M_REAL x) {
  M_REAL h = x * x, r = m_exp(h);
  return m_isinf(r) ? r : m_fma(r, m_fma(x, x, -h), r);
}

/* For x >= 0 */
CP_SLOW M_REAL m_incomplete_erfcx_right(M_REAL x) {
  M_REAL t = m_isinf(x) ? 1 : (x - (M_REAL)3.75) / (x + (M_REAL)3.75);
  return M_ROW(erfcx, M_ERFCX_TERMS, t) / (1 + 2 * x);
}

CP_SLOW M_REAL m_incomplete_erfcx(M_REAL a) {
  M_REAL r = m_incomplete_erfcx_right(m_abs(a));
  return a < 0 ? 2 * m_incomplete_exp_square(a) - r : r;
}

/* ---- exponential integrals */

/* E1(x) for x > 0 */
CP_SLOW M_REAL m_incomplete_e1(M_REAL x) {
  M_REAL z;
  if (x <= 1) return m_fma(x, M_ROW(ein, M_EIN_TERMS, 2 * x - 1), (M_REAL)-0.57721566490153286) - m_log(x);
  z = 8 / x;
  z = x <= 4 ? M_ROW(e1_mid, M_E1_MID_TERMS, (z - 5) / 3) : M_ROW(e1_far, M_E1_FAR_TERMS, z - 1);
  return m_exp(-x) * z / x;
}

/* Ei(x) for x > 2: its series, whose terms are all positive, and from 50 on the asymptotic one */
CP_FN M_REAL m_incomplete_ei_far(M_REAL x) {
  M_REAL s = 0, term = 1, half, k;
  if (x < 50) {
    for (k = 1; k < 200; k = k + 1) {
      term = term * (x / k);
      s = s + term / k;
      if (k > x && term < M_EPSILON * s) break;
    }
    return s + (m_log(x) + (M_REAL)0.57721566490153286);
  }
  for (k = 1; k < 50 && term > M_EPSILON; k = k + 1) {
    s = s + term;
    term = term * (k / x);
  }
  half = m_exp((M_REAL)0.5 * x); /* exp(x) overflows before the result does */
  return half * (s / x) * half;
}

CP_SLOW M_REAL m_incomplete_ei(M_REAL x) {
  M_REAL d;
  if (x > 2) return m_isinf(x) ? x : m_incomplete_ei_far(x);
  d = (x - (M_REAL)M_EI_ROOT) - (M_REAL)((M_EI_ROOT - (double)(M_REAL)M_EI_ROOT) + M_EI_REST);
  x = m_abs(d) < (M_REAL)0.2 ? x : -x;
  return m_fma(d, M_ROW(ei_near, M_EI_NEAR_TERMS, m_abs(x) - 1),
               x > 0 ? m_log1p(d / (M_REAL)M_EI_ROOT) : m_log(-x / (M_REAL)M_EI_ROOT));
}

CP_FN M_REAL m_incomplete_exp1(M_REAL a) {
  return a > 0 ? m_incomplete_e1(a) : (a == 0 ? m_infinity_like(a) : m_nan_like(a));
}
CP_FN M_REAL m_incomplete_expi(M_REAL a) {
  if (a > 0) return m_incomplete_ei(a);
  return a < 0 ? -m_incomplete_e1(-a) : (a == 0 ? -m_infinity_like(a) : a);
}

/* ---- powers whose exponents are sums of two parts */

/* Adds the product w * (u + v), of which v is small, to high + *low; returns the new high part */
CP_FN M_REAL m_incomplete_add(M_REAL high, M_REAL *low, M_REAL w, M_REAL u, M_REAL v) {
  M_REAL p = w * u, s = high + p, t = s - high;
  *low = *low + (((high - (s - t)) + (p - t)) + m_fma(w, v, m_fma(w, u, -p)));
  return s;
}

/* Adds w * log2(q (1 + d)), q > 0 and finite, d small, likewise */
CP_SLOW M_REAL m_incomplete_add_log(M_REAL high, M_REAL *low, M_REAL w, M_REAL q, M_REAL d) {
  M_REAL rest, log = m_log2_parts(q, &rest);
  return m_incomplete_add(high, low, w, log, m_fma(d, (M_REAL)1.4426950408889634, rest));
}

/* 2^(high + low), low less than about 1 */
CP_FN M_REAL m_incomplete_exp2(M_REAL high, M_REAL low) {
  M_REAL s = high + low, r = m_exp2(s);
  low = (high - s) + low;
  return r > 0 && !m_isinf(r) ? m_fma(r, (M_REAL)0.69314718055994531 * low, r) : r;
}

/* The correction of Stirling's formula for log gamma(a), times a: a polynomial in 1 / a^2, for a >=
   M_STIRLING */
#define M_STIRLING       (sizeof(M_REAL) == 4 ? (M_REAL)4 : (M_REAL)10)
#define M_STIRLING_TERMS 7
CP_FN M_REAL m_incomplete_stirling_term(int k) {
  static const M_REAL table[M_STIRLING_TERMS] = {
      (M_REAL)(1.0 / 156),  (M_REAL)(-691.0 / 360360), (M_REAL)(1.0 / 1188), (M_REAL)(-1.0 / 1680),
      (M_REAL)(1.0 / 1260), (M_REAL)(-1.0 / 360),      (M_REAL)(1.0 / 12)};
  return table[k];
}
CP_SLOW M_REAL m_incomplete_stirling(M_REAL a) {
  M_REAL z = 1 / a, r = 0;
  int k;
  for (k = 0; k < M_STIRLING_TERMS; k++) r = m_fma(r, z * z, m_incomplete_stirling_term(k));
  return r * z;
}

/* How many steps of the recurrence bring a to where Stirling's formula is accurate */
CP_FN M_REAL m_incomplete_steps(M_REAL a) { return a < M_STIRLING ? m_ceil(M_STIRLING - a) : 0; }

/* ---- the regularised incomplete gamma functions P (lower) and Q (upper), for a > 0 and x > 0 */

/* (x / c)^a exp(c - x + more), more small; *exponent is its logarithm to base 2 */
CP_SLOW M_REAL m_incomplete_gamma_power(M_REAL a, M_REAL x, M_REAL c, M_REAL more, M_REAL *exponent) {
  M_REAL low = 0, high = (M_REAL)1.4426950408889634 * more, q, e = c - x, t = e - c, rest;
  rest = (c - (e - t)) - (x + t); /* e + rest = c - x */
  if (x < (M_REAL)1e-30) {        /* x / c may be subnormal */
    x = x * (M_REAL)0x1p100;
    high = m_incomplete_add(high, &low, a, -100, 0);
  }
  q = x / c;
  high = m_incomplete_add_log(high, &low, a, q, m_fma(-q, c, x) / x);
  high = m_incomplete_add(
      high, &low, e, (M_REAL)1.4426950408889634,
      (M_REAL)((1.4426950408889634 - (double)(M_REAL)1.4426950408889634) + 2.0355273740931033e-17));
  low = m_fma(rest, (M_REAL)1.4426950408889634, low);
  *exponent = high + low;
  return m_incomplete_exp2(high, low);
}

/* x^a exp(-x) / gamma(a + 1) */
CP_SLOW M_REAL m_incomplete_gamma_factor(M_REAL a, M_REAL x) {
  M_REAL n = m_incomplete_steps(a), c = a + n, r, k;
  r = m_incomplete_gamma_power(a, x, c, -m_incomplete_stirling(c), &k);
  r = r * (M_REAL)0.3989422804014327 / m_sqrt(c); /* 1 / sqrt(2 pi) */
  for (k = 1; k < n; k = k + 1) r = r * ((a + k) / c);
  return r;
}

/* For x near a: P if x < a, else Q (Temme's expansion) */
CP_SLOW M_REAL m_incomplete_gamma_uniform(M_REAL a, M_REAL x) {
  M_REAL e, power = m_incomplete_gamma_power(a, x, a, 0, &e), y, t, s = 0, scale = 1;
  const M_REAL *row = m_temme_table;
  int k;
  y = m_sqrt(m_fmax((M_REAL)-0.69314718055994531 * e, 0)); /* a eta^2 / 2 = y^2 */
  t = y * m_sqrt(2 / a);
  t = ((x < a ? -t : t) + (M_REAL)0.06) / (M_REAL)0.42;
  for (k = 0; k < M_TEMME_TERMS && scale > M_EPSILON; k++) {
    s = m_fma(scale, m_incomplete_row(row, m_temme_lengths[k], t), s);
    scale = scale / a;
    row = row + m_temme_lengths[k];
  }
  s = s * (M_REAL)0.3989422804014327 / m_sqrt(a);
  return power * ((M_REAL)0.5 * m_incomplete_erfcx_right(y) + (x < a ? -s : s));
}

/* P by its series, for x below about a + 1 */
CP_SLOW M_REAL m_incomplete_gamma_series(M_REAL a, M_REAL x) {
  M_REAL term = 1, s = 1, k;
  for (k = 1; k < 500 && term > M_EPSILON * s; k = k + 1) {
    term = term * (x / (a + k));
    s = s + term;
  }
  return s * m_incomplete_gamma_factor(a, x);
}

/* Q for a <= 1 and small x, where it may be close to 0 while P is close to 1 */
CP_SLOW M_REAL m_incomplete_gamma_small(M_REAL a, M_REAL x) {
  M_REAL power = m_expm1(a * m_log(x)), r = a * M_ROW(recip, M_RECIP_TERMS, 2 * a - 1), s = 0, term = 1, k;
  r = m_fma(power, r, power + r); /* x^a / gamma(1 + a) - 1 */
  for (k = 1; k < 40 && m_abs(term) > M_EPSILON; k = k + 1) {
    term = term * (-x / k);
    s = s + term / (a + k);
  }
  return -m_fma(1 + r, a * s, r);
}

/* Q by its continued fraction, for x > 1 and, where a > 1, x > a + 1. The error after k steps falls as exp(-4
   sqrt(k x)) for small a; evaluated from the last step upwards, errors do not accumulate. */
CP_SLOW M_REAL m_incomplete_gamma_fraction(M_REAL a, M_REAL x) {
  M_REAL k = sizeof(M_REAL) == 4 ? m_floor(22 / x) + 14 : m_floor(95 / x) + 24, b = x + 1 - a, f = b + 2 * k;
  for (; k > 0; k = k - 1) f = b + 2 * (k - 1) + k * (a - k) / f;
  return a * m_incomplete_gamma_factor(a, x) / f;
}

/* P, or Q if `upper` */
CP_SLOW M_REAL m_incomplete_gamma_share(M_REAL a, M_REAL x, int upper) {
  M_REAL r;
  int found; /* whether r is P or Q */
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (m_isinf(a) && m_isinf(x))) return m_nan_like(a);
  if (a == 0 || x == 0 || m_isinf(x) || a > (M_REAL)1e34 || x > (M_REAL)1e34) {
    /* beyond 1e34 the transition is narrower than the spacing of numbers */
    r = x < a || x == 0 ? 0 : 1;
    return upper ? 1 - r : r;
  }
  if (a > 20 && m_abs(x - a) < (M_REAL)0.4 * a) {
    found = !(x < a);
    r = m_incomplete_gamma_uniform(a, x);
  } else if (x <= 1 || (a > 1 && x < a + 1)) {
    found = upper && a <= 1 && x <= 1;
    r = found ? m_incomplete_gamma_small(a, x) : m_incomplete_gamma_series(a, x);
  } else {
    found = 1;
    r = m_incomplete_gamma_fraction(a, x);
  }
  return found == upper ? r : 1 - r;
}
CP_FN M_REAL m_incomplete_gamma(M_REAL a, M_REAL x) { return m_incomplete_gamma_share(a, x, 0); }
CP_FN M_REAL m_incomplete_gamma_upper(M_REAL a, M_REAL x) { return m_incomplete_gamma_share(a, x, 1); }

/* ---- the regularised incomplete beta function, for a, b > 0 and x + y = 1, of which the larger is x + xl or
   y + yl */

/* Adds w * log2((x + xl) (s + sl) / c) to high + *low; returns the new high part */
CP_SLOW M_REAL m_incomplete_add_ratio(M_REAL high, M_REAL *low, M_REAL w, M_REAL x, M_REAL xl, M_REAL s,
                                      M_REAL sl, M_REAL c) {
  M_REAL p, q, rest;
  if (x < (M_REAL)1e-30) { /* the product may be subnormal */
    x = x * (M_REAL)0x1p100;
    high = m_incomplete_add(high, low, w, -100, 0);
  }
  p = x * s;
  rest = m_fma(x, s, -p) + m_fma(x, sl, xl * s);
  q = p / c;
  return m_incomplete_add_log(high, low, w, q, (m_fma(-q, c, p) + rest) / p);
}

/* The factor from 1 / B(c, b) to 1 / B(a, b), c = a + n, divided step by step by (s / c)^n */
CP_SLOW M_REAL m_incomplete_lower(M_REAL a, M_REAL n, M_REAL b, M_REAL s) {
  M_REAL r = 1, c = a + n, k;
  for (k = 0; k < n; k = k + 1) r = r * ((s / c) * ((a + k) / (a + k + b)));
  return r;
}

/* x^a y^b / B(a, b) as the result times 2^(*high + *low), to which it adds: by Stirling's formula for c and
   d, which are a and b or some steps above them */
CP_SLOW M_REAL m_incomplete_beta_parts(M_REAL a, M_REAL b, M_REAL x, M_REAL xl, M_REAL y, M_REAL yl,
                                       M_REAL *high, M_REAL *low) {
  M_REAL n = m_incomplete_steps(a), m = m_incomplete_steps(b), c = a + n, d = b + m, s = c + d, t = s - c;
  M_REAL sl = (c - (s - t)) + (d - t), r;
  *high = m_incomplete_add_ratio(*high, low, a, x, xl, s, sl, c);
  *high = m_incomplete_add_ratio(*high, low, b, y, yl, s, sl, d);
  r = m_incomplete_stirling(s) - m_incomplete_stirling(c) - m_incomplete_stirling(d);
  *high = m_incomplete_add(*high, low, r, (M_REAL)1.4426950408889634, 0);
  r = (M_REAL)0.3989422804014327 * m_sqrt(c / s * d);
  return r * m_incomplete_lower(a, n, b, s) * m_incomplete_lower(b, m, c, s);
}

/* 2^start x^a y^b / B(a, b) */
CP_FN M_REAL m_incomplete_beta_factor(M_REAL a, M_REAL b, M_REAL x, M_REAL xl, M_REAL y, M_REAL yl,
                                      M_REAL start) {
  M_REAL high = start, low = 0, r = m_incomplete_beta_parts(a, b, x, xl, y, yl, &high, &low);
  return r * m_incomplete_exp2(high, low);
}

/* The function at x by the even part of a continued fraction (A. R. DiDonato and A. H. Morris, 1992), for x
   below about a / (a + b), evaluated by Steed's algorithm. */
CP_SLOW M_REAL m_incomplete_beta_fraction(M_REAL a, M_REAL b, M_REAL x, M_REAL xl, M_REAL y, M_REAL yl) {
  M_REAL p = b * x, lead, v, w, f, g, d, step, s, k;
  lead = m_fma(a, yl, -(b * xl)) - m_fma(b, x, -p);
  lead = (m_fma(a, y, -p) + lead) + 1; /* a y - b x + 1 */
  d = (a + 1) / (a * lead);
  s = step = d;
  for (k = 1; k < 20000 && m_abs(step) > M_EPSILON * m_abs(s); k = k + 1) {
    v = a + (2 * k - 1);
    w = k * (b - k) * x / v;
    f = ((a + (k - 1)) / v) * ((a + b + (k - 1)) * x) * w;
    g = k + w + (a + k) * m_fma(k, 1 + y, lead) / (v + 2);
    d = 1 / m_fma(f, d, g);
    step = step * m_fma(g, d, -1);
    s = s + step;
  }
  return s * m_incomplete_beta_factor(a, b, x, xl, y, yl, 0);
}

/* log(gamma(c + b) / gamma(c)) for c >= M_STIRLING and 0 < b < 1, accurate for tiny b too: the corrections of
   Stirling's formula enter by divided differences */
CP_SLOW M_REAL m_incomplete_gamma_ratio(M_REAL c, M_REAL b) {
  M_REAL z = 1 / c, u = 1 / (c + b), p = 0, q = 0;
  int k;
  for (k = 0; k < M_STIRLING_TERMS; k++) { /* p at u^2, and q = (p(u^2) - p(z^2)) / (u^2 - z^2) */
    q = m_fma(q, z * z, p);
    p = m_fma(p, u * u, m_incomplete_stirling_term(k));
  }
  p = -b * z * u * m_fma(q * z, u + z, p);
  return m_fma(c - (M_REAL)0.5, m_log1p(b * z), m_fma(b, m_log(c + b), -b)) + p;
}

/* One minus the function of b, a at y, for b < 1 and a y < 2, where that function may be close to 1 */
CP_SLOW M_REAL m_incomplete_beta_small(M_REAL a, M_REAL b, M_REAL y) {
  M_REAL n = m_incomplete_steps(a), power = m_incomplete_gamma_ratio(a + n, b), s = 0, term = 1, r, k;
  for (k = 0; k < n; k = k + 1) power = power - m_log1p(b / (a + k));
  power = m_expm1(m_fma(b, m_log(y), power));
  r = b * M_ROW(recip, M_RECIP_TERMS, 2 * b - 1);
  r = m_fma(power, r, power + r); /* y^b / (b B(a, b)) - 1 */
  for (k = 1; k < 2000 && m_abs(term) > M_EPSILON; k = k + 1) {
    term = term * ((k - a) * y / k);
    s = s + term / (b + k);
  }
  return -m_fma(1 + r, b * s, r);
}

/* The value where it is 0, 1, 1/2 or nan without any sum; else -1 */
CP_FN M_REAL m_incomplete_beta_edge(M_REAL a, M_REAL b, M_REAL x, M_REAL y) {
  M_REAL none = m_nan_like(a);
  if (!(a >= 0) || !(b >= 0) || !(x >= 0) || !(y >= 0)) return none;
  if ((a == 0 && b == 0) || (m_isinf(a) && m_isinf(b))) return none;
  if (x == 0) return 0;
  if (y == 0) return 1;
  if (a == 0 || m_isinf(b)) return 1;
  return b == 0 || m_isinf(a) ? 0 : -1;
}

/* The distribution function of the beta distribution of a and b at x, with y = 1 - x. The smaller tail is
   computed directly, and the larger one as one minus it. */
CP_SLOW M_REAL m_incomplete_beta(M_REAL a, M_REAL b, M_REAL x, M_REAL y) {
  M_REAL r = m_incomplete_beta_edge(a, b, x, y), xl = 0, yl = 0;
  if (r != -1) return r;
  if (x < y) {
    y = 1 - x;
    yl = (1 - y) - x;
  } else {
    x = 1 - y;
    xl = (1 - x) - y;
  }
  if (x * (a + b + 2) <= a + 1) return m_incomplete_beta_fraction(a, b, x, xl, y, yl);
  if (b < 1) return m_incomplete_beta_small(a, b, y);
  return 1 - m_incomplete_beta_fraction(b, a, y, yl, x, xl);
}

/* ---- binomial coefficients of real numbers */

/* sin(pi (a + low)) */
CP_SLOW M_REAL m_incomplete_sine(M_REAL a, M_REAL low) {
  M_REAL n = m_rint(a), half = (M_REAL)0.5 * n, s = m_sin((M_REAL)3.1415926535897932 * ((a - n) + low));
  return m_floor(half) == half ? s : -s;
}

/* 1 / (c B(a, b)) for a, b > 0; the exponent of c is included where 1 / B alone may overflow */
CP_FN M_REAL m_incomplete_beta_inverse(M_REAL a, M_REAL b, M_REAL c) {
  return m_incomplete_beta_factor(a, b, 1, 0, 1, 0, -(M_REAL)m_frexp_exponent(c)) / m_frexp_mantissa(c);
}

/* The product of (n - k + i) / i, for a small integer k */
CP_FN M_REAL m_incomplete_product(M_REAL n, M_REAL k) {
  M_REAL r = 1, i;
  for (i = 1; i <= k; i = i + 1) r = r * (n - (k - i)) / i;
  return r;
}

/* n over k for k > -1 and n - k > -1 */
CP_FN M_REAL m_incomplete_choose(M_REAL n, M_REAL k) {
  M_REAL r = m_incomplete_beta_inverse(n - k + 1, k + 1, n + 1);
  return m_floor(k) == k && m_floor(n) == n && r * M_EPSILON < 1 ? m_rint(r) : r;
}

/* n over k where rest + low = n - k <= -1 and n - k <= k: reflection replaces the gamma functions of negative
   numbers by those of positive ones */
CP_FN M_REAL m_incomplete_reflected(M_REAL n, M_REAL k, M_REAL rest, M_REAL low) {
  M_REAL pi = (M_REAL)3.1415926535897932, sine = m_incomplete_sine(-rest, -low);
  if (n > -1) return sine / m_incomplete_beta_inverse(n + 1, -rest, 1 / pi);
  sine = sine / m_incomplete_sine(-n, 0);
  if (k > -1) return sine * m_incomplete_beta_inverse(-n, k + 1, -rest);
  return sine * m_incomplete_sine(-k, 0) / m_incomplete_beta_inverse(-k, -rest, 1 / pi);
}

CP_SLOW M_REAL m_incomplete_binomial(M_REAL n, M_REAL k) {
  M_REAL rest = n - k, t = rest - n, low = (n - (rest - t)) - (k + t); /* rest + low = n - k */
  int whole = m_floor(k) == k, other = m_floor(rest) == rest && low == 0;
  if (!m_isfinite(n) || !m_isfinite(k) || (n < 0 && m_floor(n) == n)) return m_nan_like(n);
  if ((whole && k < 0) || (other && rest < 0)) return 0;
  if (whole && k < 30) return m_incomplete_product(n, k);
  if (other && rest < 30) return m_incomplete_product(n, rest);
  if (rest > -1 && k > -1) return m_incomplete_choose(n, k);
  return rest < k ? m_incomplete_reflected(n, k, rest, low) : m_incomplete_reflected(n, rest, k, 0);
}

#include "beta.h"
#undef M_ROW
#undef M_EPSILON
#undef M_STIRLING
#undef M_STIRLING_TERMS
