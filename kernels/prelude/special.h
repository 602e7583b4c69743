/* Special functions of one floating type, text that float32.h and float64.h share, without an include guard.
   Near their zeros, Bessel functions and digamma have an absolute error of a few units in the last place of
   1, elsewhere a relative error of a few ulp.

   Written in the common subset of C11 and CUDA C++, without headers. */
#ifdef CP_DEVICE
#define M_STATIC static __device__
#else
#define M_STATIC static
#endif
#include "special_tables.h"
#undef M_STATIC

/* Evaluates a polynomial of n coefficients, the highest power first. */
CP_FN M_REAL m_table(const M_REAL *c, int n, M_REAL t) {
  M_REAL r = c[0];
  int k;
  for (k = 1; k < n; k++) r = m_fma(r, t, c[k]);
  return r;
}
#define M_TABLE(name, terms, t) m_table(m_##name##_table, terms, t)

/* ---- Bessel functions */

/* x > 8: sqrt(2 / (pi x)) (p cos(x - a) - q sin(x - a)), a quarter turn later for Y. For order 0, cos(x - a)
   = (c + s) / sqrt(2) and sin(x - a) = (s - c) / sqrt(2); for order 1 a quarter turn later. */
CP_FN M_REAL m_bessel_far(M_REAL x, M_REAL p, M_REAL q, M_REAL along, M_REAL across) {
  M_REAL r = (M_REAL)0.56418958354775629 / m_sqrt(x); /* 1 / sqrt(pi) */
  q = q * (8 / x);
  return m_isinf(x) ? 0 : r * m_fma(p, along, -(q * across));
}

/* The arguments of the tables */
CP_FN M_REAL m_far(M_REAL x) {
  M_REAL z = 8 / x;
  return m_fma(z + z, z, -1);
}
CP_FN M_REAL m_near(M_REAL x) { return m_fma(x * x, (M_REAL)0.03125, -1); }

/* The sum of (sign x^2 / 4)^k / (k! (k + order)!), for order 1 times x / 2: I (sign 1), J of small x
   (sign -1) */
CP_FN M_REAL m_bessel_series(M_REAL x, int order, int sign) {
  M_REAL z = (M_REAL)sign * (M_REAL)0.25 * x * x, r = 1, k;
  for (k = m_floor(14 + (M_REAL)1.75 * x); k > 0; k--) r = m_fma(r, z / (k * (k + (M_REAL)order)), 1);
  return order != 0 ? (M_REAL)0.5 * x * r : r;
}

CP_SLOW M_REAL m_bessel_0(M_REAL x, int second) {
  M_REAL s, c, p, q;
  if (x < 1 && !second) return m_bessel_series(x, 0, -1);
  if (x <= 8) return second ? M_TABLE(y0, M_Y0_TERMS, m_near(x)) : M_TABLE(j0, M_J0_TERMS, m_near(x));
  s = m_sin(x);
  c = m_cos(x);
  p = M_TABLE(p0, M_P0_TERMS, m_far(x));
  q = M_TABLE(q0, M_Q0_TERMS, m_far(x));
  return second ? m_bessel_far(x, p, -q, s - c, c + s) : m_bessel_far(x, p, q, c + s, s - c);
}

CP_SLOW M_REAL m_bessel_1(M_REAL x, int second) {
  M_REAL s, c, p, q;
  if (x < 1 && !second) return m_bessel_series(x, 1, -1);
  if (x <= 8) return x * (second ? M_TABLE(y1, M_Y1_TERMS, m_near(x)) : M_TABLE(j1, M_J1_TERMS, m_near(x)));
  s = m_sin(x);
  c = m_cos(x);
  p = M_TABLE(p1, M_P1_TERMS, m_far(x));
  q = M_TABLE(q1, M_Q1_TERMS, m_far(x));
  return second ? m_bessel_far(x, p, -q, -(s + c), s - c) : m_bessel_far(x, p, q, s - c, -(s + c));
}

CP_FN M_REAL m_special_j0(M_REAL a) { return m_bessel_0(m_abs(a), 0); }
CP_FN M_REAL m_special_j1(M_REAL a) {
  M_REAL r = m_bessel_1(m_abs(a), 0);
  return m_signbit(a) ? -r : r;
}
CP_FN M_REAL m_special_y0(M_REAL a) {
  M_REAL r = m_bessel_0(a, 1);
  if (a <= 8) r = m_fma((M_REAL)0.63661977236758134 * m_log(a), m_bessel_0(a, 0), r);
  return a > 0 ? r : (a == 0 ? -m_infinity_like(a) : m_nan_like(a));
}
CP_FN M_REAL m_special_y1(M_REAL a) {
  M_REAL r = m_bessel_1(a, 1);
  if (a <= 8) r = r + (M_REAL)0.63661977236758134 * (m_log(a) * m_bessel_1(a, 0) - 1 / a);
  return a > 0 ? r : (a == 0 ? -m_infinity_like(a) : m_nan_like(a));
}

/* exp(-x) I(x) for x > 16; below that the series is better, as all its terms are positive */
CP_FN M_REAL m_bessel_scaled(M_REAL x, int order) {
  M_REAL t = 32 / x - 1;
  t = order != 0 ? M_TABLE(i1_far, M_I1_FAR_TERMS, t) : M_TABLE(i0_far, M_I0_FAR_TERMS, t);
  return t / m_sqrt(x);
}
CP_SLOW M_REAL m_bessel_i(M_REAL a, int order, int scaled) {
  M_REAL x = m_abs(a), r, half;
  if (!(x > 16)) {
    if (x != x) return x;
    r = m_bessel_series(x, order, 1);
    r = scaled ? r * m_exp(-x) : r;
  } else {
    half = scaled ? 1 : m_exp((M_REAL)0.5 * x); /* exp(x) overflows before the result does */
    r = m_bessel_scaled(x, order) * half * half;
    r = m_isinf(x) && !scaled ? x : r;
  }
  return order != 0 && m_signbit(a) ? -r : r;
}
CP_FN M_REAL m_special_i0(M_REAL a) { return m_bessel_i(a, 0, 0); }
CP_FN M_REAL m_special_i0e(M_REAL a) { return m_bessel_i(a, 0, 1); }
CP_FN M_REAL m_special_i1(M_REAL a) { return m_bessel_i(a, 1, 0); }
CP_FN M_REAL m_special_i1e(M_REAL a) { return m_bessel_i(a, 1, 1); }

/* ---- inverses of erf and erfc: polynomials in the argument near 0, else in 1 / sqrt(-log q), q = erfc */

CP_FN M_REAL m_erfinv_near(M_REAL x) { return x * m_erfinv_near_poly(m_fma(8 * x, x, -1)); } /* |x| <= 1/2 */

/* y with erfc(y) = q for M_ERFC_FAR <= q <= 1/2, from v = -log q and the table's slope for 1 / sqrt(v). */
#define M_ERFC_FAR (M_REAL)1.2341e-4 /* exp(-9) and a little more */
CP_FN M_REAL m_erfcinv_root(M_REAL v, M_REAL slope) {
  M_REAL r = m_sqrt(v), u = 1 / r, p = m_erfcinv_middle_poly(m_fma(u, slope, M_ERFCINV_MIDDLE_MIDDLE));
  return m_fma(r, p, m_fma(-r, r, v) * ((M_REAL)0.5 * u) * p); /* corrects the rounding error of the root */
}
CP_FN M_REAL m_erfcinv_middle(M_REAL q) { return m_erfcinv_root(-m_log(q), M_ERFCINV_MIDDLE_SLOPE); }
/* The same for 0 <= q < M_ERFC_FAR */
CP_FN M_REAL m_erfcinv_far(M_REAL q) {
  M_REAL r = m_sqrt(-m_log(q)), t;
  if (q == 0) return m_infinity_like(q);
  if (r < 3) return m_erfcinv_middle(q);
  t = 1 / r;
  return r * (r < 6 ? m_erfcinv_far_poly(m_fma(t, M_ERFCINV_FAR_SLOPE, M_ERFCINV_FAR_MIDDLE))
                    : m_erfcinv_farthest_poly(m_fma(t, M_ERFCINV_FARTHEST_SLOPE, M_ERFCINV_FARTHEST_MIDDLE)));
}

/* Each function has a form without branches, and a test of the arguments that this form is right for. */
CP_FN int m_special_erfinv_fast_ok(M_REAL a) { return m_abs(a) < 1 - M_ERFC_FAR; }
CP_FN M_REAL m_special_erfinv_fast(M_REAL a) {
  M_REAL x = m_abs(a), near = m_erfinv_near(a), far = m_copysign(m_erfcinv_middle(1 - x), a);
  return x <= (M_REAL)0.5 ? near : far;
}
CP_SLOW M_REAL m_special_erfinv(M_REAL a) {
  M_REAL x = m_abs(a);
  if (m_special_erfinv_fast_ok(a)) return m_special_erfinv_fast(a);
  return x <= 1 ? m_copysign(m_erfcinv_far(1 - x), a) : m_nan_like(a);
}

CP_FN int m_special_erfcinv_fast_ok(M_REAL a) { return (a > M_ERFC_FAR) & (a < 2 - M_ERFC_FAR); }
CP_FN M_REAL m_special_erfcinv_fast(M_REAL a) {
  M_REAL q = a > 1 ? 2 - a : a, near = m_erfinv_near(1 - a), far = m_copysign(m_erfcinv_middle(q), 1 - a);
  return q >= (M_REAL)0.5 ? near : far;
}
CP_SLOW M_REAL m_special_erfcinv(M_REAL a) {
  if (m_special_erfcinv_fast_ok(a)) return m_special_erfcinv_fast(a);
  if (!(a >= 0 && a <= 2)) return m_nan_like(a);
  return a > 1 ? -m_erfcinv_far(2 - a) : m_erfcinv_far(a);
}

/* The quantile function of the standard normal distribution */
CP_FN int m_special_ndtri_fast_ok(M_REAL a) { return (2 * a > M_ERFC_FAR) & (2 * a < 2 - M_ERFC_FAR); }
CP_FN M_REAL m_special_ndtri_fast(M_REAL a) {
  const M_REAL root = (M_REAL)1.4142135623730951;
  M_REAL p = a > (M_REAL)0.5 ? 1 - a : a, near = root * m_erfinv_near(2 * a - 1), far;
  far = m_erfcinv_root(-2 * m_log(p + p), root * M_ERFCINV_MIDDLE_SLOPE);
  far = m_copysign(far, a - (M_REAL)0.5);
  return p >= (M_REAL)0.25 ? near : far;
}
CP_SLOW M_REAL m_special_ndtri(M_REAL a) {
  if (m_special_ndtri_fast_ok(a)) return m_special_ndtri_fast(a);
  return (M_REAL)-1.4142135623730951 * m_special_erfcinv(2 * a);
}
#undef M_ERFC_FAR
/* Its distribution function: from y = -a / sqrt(2), rounded, and erfc(y), corrected for y's rounding error */
CP_FN M_REAL m_ndtr_argument(M_REAL a) { return -a * (M_REAL)0.70710678118654752; }
CP_FN M_REAL m_ndtr_of(M_REAL a, M_REAL erfc_y) {
  M_REAL high = (M_REAL)0.70710678118654752, y = m_ndtr_argument(a), error, near;
  error = m_fma(-a, high, -y) -
          a * (M_REAL)((0.70710678118654752 - (double)(M_REAL)0.70710678118654752) - 4.8336466567264567e-17);
  near = m_fma((M_REAL)-1.1283791670955126 * m_exp(-y * y), error, erfc_y);
  return (M_REAL)0.5 * (m_abs(a) < 60 ? near : erfc_y);
}
CP_FN M_REAL m_special_ndtr(M_REAL a) { return m_ndtr_of(a, m_erfc(m_ndtr_argument(a))); }

/* ---- digamma and zeta */

/* Upward recurrence to 10, then the asymptotic series; reflection below 0. */
CP_SLOW M_REAL m_special_digamma(M_REAL a) {
  M_REAL x = a, r = 0, z, y;
  if (a == 0) return m_copysign(m_infinity_like(a), -a);
  if (a < 0) {
    if (m_floor(a) == a) return m_nan_like(a);
    y = a - m_rint(a);
    r = (M_REAL)-3.1415926535897932 / m_tan((M_REAL)3.1415926535897932 * y);
    x = 1 - a;
  }
  for (; x < 10; x = x + 1) r = r - 1 / x;
  z = 1 / (x * x);
  y = m_fma((M_REAL)(-1.0 / 12), z, (M_REAL)(691.0 / 32760));
  y = m_fma(m_fma(y, z, (M_REAL)(-1.0 / 132)), z, (M_REAL)(1.0 / 240));
  y = m_fma(m_fma(m_fma(y, z, (M_REAL)(-1.0 / 252)), z, (M_REAL)(1.0 / 120)), z, (M_REAL)(-1.0 / 12));
  return r + (m_fma(y, z, m_log(x)) - (M_REAL)0.5 / x);
}

/* The Hurwitz zeta function, the sum of (q + n)^-x for x > 1 and q > 0: 12 terms, then the Euler-Maclaurin
   formula. */
CP_FN int m_special_zeta_fast_ok(M_REAL x, M_REAL q) {
  return (x > 1) & (x - x == 0) & (q > 0) & (q - q == 0);
}
/* The sum of the terms from the 12th on. */
CP_FN M_REAL m_zeta_rest(M_REAL x, M_REAL q, M_REAL s) {
  M_REAL w = q + 12, power = m_pow(w, -x), term = x * power / w, y = 1 / w;
  s = s + power * w / (x - 1) + (M_REAL)0.5 * power;
#define M_TERM(k, b) /* b is B(2 k) / (2 k)! */                                                              \
  s = m_fma((M_REAL)(b), term, s);                                                                           \
  term = term * ((x + (M_REAL)(2 * (k)-1)) * y) * ((x + (M_REAL)(2 * (k))) * y);
  M_TERM(1, 1.0 / 12)
  M_TERM(2, -1.0 / 720)
  M_TERM(3, 1.0 / 30240)
  M_TERM(4, -1.0 / 1209600)
  M_TERM(5, 1.0 / 47900160)
  M_TERM(6, -5.2841901386874932e-10)
  M_TERM(7, 1.3382536530684679e-11)
  return m_fma((M_REAL)-3.3896802963225828e-13, term, s);
#undef M_TERM
}
CP_FN M_REAL m_special_zeta_fast(M_REAL x, M_REAL q) {
  M_REAL s = 0;
  int k;
#ifndef CP_DEVICE /* a loop over calls vectorises only if these contain no loop */
#pragma GCC unroll 12
#endif
  for (k = 0; k < 12; k++) s = s + m_pow(q + (M_REAL)k, -x);
  return m_zeta_rest(x, q, s);
}
CP_SLOW M_REAL m_special_zeta(M_REAL x, M_REAL q) {
  M_REAL s = 0, terms = 0;
  int k;
  if (x == 1) return m_infinity_like(x);
  if (x < 1) return m_nan_like(x);
  if (q <= 0 && m_floor(q) == q) return m_infinity_like(x); /* a pole; as SciPy also -inf, and for x = nan */
  if (!(x > 1) || !(q > -1000)) return m_nan_like(x);
  if (q < 0 && m_floor(x) != x) return m_nan_like(x);
  if (m_isinf(q)) return 0;
  if (m_isinf(x)) return q > 1 ? 0 : (q == 1 ? 1 : x);
  for (; q <= 0; q = q + 1) s = s + m_pow(q, -x);
#ifndef CP_DEVICE
#pragma GCC unroll 1 /* 12 copies would be long */
#endif
  for (k = 0; k < 12; k++) terms = terms + m_pow(q + (M_REAL)k, -x);
  return s + m_zeta_rest(x, q, terms);
}
#undef M_TABLE
#include "bessel_orders.h"

#ifndef CP_DEVICE
#include "gamma.h"
#endif

/* The Riemann zeta function, also of x < 1: there by its Laurent series at 1, below 0 by reflection. */
CP_FN M_REAL m_zeta_near(M_REAL t) { /* zeta(1 + t), -1.5 <= t < 0 */
  M_REAL s = (M_REAL)-4.1399567377133056e-21;
  s = m_fma(s, t, (M_REAL)4.8008507824880652e-20);
  s = m_fma(s, t, (M_REAL)-7.3876766605386365e-20);
  s = m_fma(s, t, (M_REAL)-9.5444660763669652e-18);
  s = m_fma(s, t, (M_REAL)2.1677312200726829e-16);
  s = m_fma(s, t, (M_REAL)-2.3997862217709992e-15);
  s = m_fma(s, t, (M_REAL)4.4104247417577534e-15);
  s = m_fma(s, t, (M_REAL)3.4921159366720319e-13);
  s = m_fma(s, t, (M_REAL)-6.7686898635136967e-12);
  s = m_fma(s, t, (M_REAL)5.658421927608708e-11);
  s = m_fma(s, t, (M_REAL)9.478277782762359e-11);
  s = m_fma(s, t, (M_REAL)-8.7332181002737974e-9);
  s = m_fma(s, t, (M_REAL)1.0462094584479187e-7);
  s = m_fma(s, t, (M_REAL)-3.3162409087527724e-7);
  s = m_fma(s, t, (M_REAL)-6.6110318108421892e-6);
  s = m_fma(s, t, (M_REAL)9.6890419394470836e-5);
  s = m_fma(s, t, (M_REAL)-0.00034230573671722431);
  s = m_fma(s, t, (M_REAL)-0.0048451815964361592);
  s = m_fma(s, t, (M_REAL)0.072815845483676725);
  s = m_fma(s, t, (M_REAL)0.57721566490153286);
  return 1 / t + s;
}
CP_FN int m_special_riemann_fast_ok(M_REAL x) { return m_special_zeta_fast_ok(x, 1); }
CP_FN M_REAL m_special_riemann_fast(M_REAL x) { return m_special_zeta_fast(x, 1); }
CP_SLOW M_REAL m_special_riemann(M_REAL x) {
  const M_REAL turn = (M_REAL)6.283185307179586, large = (M_REAL)(sizeof x == 8 ? 150 : 30);
  const M_REAL rest = /* what is missing in `turn`, relative to it */
      (M_REAL)((6.283185307179586 - (double)(M_REAL)6.283185307179586) / 6.283185307179586 +
               3.8981718325193755e-17);
  M_REAL u = 1 - x, sine, power, product;
  if (!(x < 1)) return m_special_zeta(x, 1);
  if (x >= (M_REAL)-0.5) return m_zeta_near(x - 1);
  if (m_isinf(x)) return m_nan_like(x);
  sine = -m_sin_pi((M_REAL)-0.5 * x);
  if (sine == 0) return 0;
  if (u > (M_REAL)(sizeof x == 8 ? 342 : 69)) return sine * m_infinity_like(x);
  product = 2 * (1 - u * rest) * sine; /* first, as the others may be too large without */
  if (u > large) { /* gamma(u) as gamma(u / 2) gamma((u + 1) / 2), which do not overflow */
    power = m_pow(turn, (M_REAL)-0.5 * u);
    product = (m_gamma((M_REAL)0.5 * u) * power) * product * (m_gamma((M_REAL)0.5 * u + (M_REAL)0.5) * power);
    product = product * (M_REAL)0.56418958354775629 * m_exp2(u - 1);
  } else {
    product = product * m_pow(turn, -u) * m_gamma(u);
  }
  return product * m_special_zeta(u, 1);
}
