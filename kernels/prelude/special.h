/* Special functions of one floating type, text that float32.h and float64.h share; without an include guard. Near their
 * zeros Bessel functions and digamma are right to a few units in the last place of 1, elsewhere to a few of their value.
 *
 * Written in the common subset of C11 and CUDA C++, without headers. */
#ifdef CP_DEVICE
#define M_STATIC static __device__
#else
#define M_STATIC static
#endif
#include "special_tables.h"
#undef M_STATIC

/* The polynomial of n coefficients, the highest power first. */
CP_FN M_REAL m_table(const M_REAL *c, int n, M_REAL t) {
  M_REAL r = c[0];
  int k;
  for (k = 1; k < n; k++) r = m_fma(r, t, c[k]);
  return r;
}
#define M_TABLE(name, terms, t) m_table(m_##name##_table, terms, t)

/* ---- Bessel functions */

/* x > 8: sqrt(2 / (pi x)) (p cos(x - a) - q sin(x - a)), a quarter turn on for Y. cos(x - a) = (c + s) / sqrt(2) and
 * sin(x - a) = (s - c) / sqrt(2) for order 0; one eighth of a turn further for order 1. */
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

/* The sum of (sign x^2 / 4)^k / (k! (k + order)!), for order 1 times x / 2: I (sign 1), J of small x (sign -1) */
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

/* exp(-x) I(x) for x > 16; below it the series is better, whose terms are all positive */
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

/* ---- inverses of erf and erfc: two steps of Halley's from a first guess that is right to three digits */

/* y with erf(y) = x for |x| <= 1/2 */
CP_FN M_REAL m_erfinv_near(M_REAL x) {
  M_REAL z = x * x, y, u;
  int k;
  y = m_fma(m_fma(m_fma((M_REAL)0.08660, z, (M_REAL)0.12730), z, (M_REAL)0.23201), z, (M_REAL)0.88622693);
  y = y * x;
  for (k = 0; k < 2; k++) {
    u = (m_erf(y) - x) / ((M_REAL)1.1283791670955126 * m_exp(-y * y));
    y = y - u / m_fma(y, u, 1);
  }
  return y;
}

/* y with erfc(y) = q for 0 < q < 1/2. The guess: Abramowitz and Stegun 26.2.23. */
CP_FN M_REAL m_erfcinv_far(M_REAL q) {
  M_REAL t = m_sqrt(-2 * m_log((M_REAL)0.5 * q)), y, u;
  int k;
  y = m_fma(m_fma((M_REAL)0.010328, t, (M_REAL)0.802853), t, (M_REAL)2.515517);
  y = t - y / m_fma(m_fma(m_fma((M_REAL)0.001308, t, (M_REAL)0.189269), t, (M_REAL)1.432788), t, 1);
  y = y * (M_REAL)0.70710678118654752;
  for (k = 0; k < 2; k++) {
    u = (m_erfc(y) - q) / ((M_REAL)-1.1283791670955126 * m_exp(-y * y));
    y = y - u / m_fma(y, u, 1);
  }
  return y;
}

CP_SLOW M_REAL m_special_erfinv(M_REAL a) {
  M_REAL x = m_abs(a);
  if (!(x <= 1)) return m_nan_like(a);
  if (x <= (M_REAL)0.5) return a == 0 ? a : m_erfinv_near(a);
  x = x < 1 ? m_erfcinv_far(1 - x) : m_infinity_like(a);
  return a < 0 ? -x : x;
}
CP_SLOW M_REAL m_special_erfcinv(M_REAL a) {
  M_REAL q = a > 1 ? 2 - a : a, y;
  if (!(a >= 0 && a <= 2)) return m_nan_like(a);
  if (q >= (M_REAL)0.5) return m_erfinv_near(1 - a);
  y = q > 0 ? m_erfcinv_far(q) : m_infinity_like(a);
  return a > 1 ? -y : y;
}
/* the quantile of the standard normal distribution */
CP_FN M_REAL m_special_ndtri(M_REAL a) {
  M_REAL y = a > (M_REAL)0.5 ? m_special_erfcinv(2 * (1 - a)) : -m_special_erfcinv(2 * a);
  return y * (M_REAL)1.4142135623730951;
}
/* its distribution function */
CP_FN M_REAL m_special_ndtr(M_REAL a) {
  M_REAL high = (M_REAL)0.70710678118654752, y = -a * high, error; /* of y = -a / sqrt(2) */
  error = m_fma(-a, high, -y) -
          a * (M_REAL)((0.70710678118654752 - (double)(M_REAL)0.70710678118654752) - 4.8336466567264567e-17);
  if (!(m_abs(a) < 60)) return (M_REAL)0.5 * m_erfc(y);
  return (M_REAL)0.5 * m_fma((M_REAL)-1.1283791670955126 * m_exp(-y * y), error, m_erfc(y));
}

/* ---- digamma and zeta */

/* Upwards by the recurrence to 10, there by the asymptotic series; below 0 by reflection. */
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

/* Hurwitz' zeta function, the sum of (q + n)^-x: 12 terms, then Euler's and Maclaurin's formula. */
CP_SLOW M_REAL m_special_zeta(M_REAL x, M_REAL q) {
  static const M_REAL bernoulli[8] = {/* B(2k) / (2k)! */
                                      (M_REAL)(1.0 / 12),
                                      (M_REAL)(-1.0 / 720),
                                      (M_REAL)(1.0 / 30240),
                                      (M_REAL)(-1.0 / 1209600),
                                      (M_REAL)(1.0 / 47900160),
                                      (M_REAL)-5.2841901386874932e-10,
                                      (M_REAL)1.3382536530684679e-11,
                                      (M_REAL)-3.3896802963225828e-13};
  M_REAL s = 0, w, power, term;
  int k;
  if (x == 1) return m_infinity_like(x);
  if (!(x > 1) || !(q > -1000)) return m_nan_like(x);
  if (q <= 0 && m_floor(q) == q) return m_infinity_like(x);
  if (q < 0 && m_floor(x) != x) return m_nan_like(x);
  for (k = 0; k < 12; k++) s = s + m_pow(q + (M_REAL)k, -x);
  for (; q + 12 < 10; q = q + 1) s = s + m_pow(q + 12, -x);
  w = q + 12;
  power = m_pow(w, -x);
  if (!(power > 0)) return s;
  s = s + power * w / (x - 1) + (M_REAL)0.5 * power;
  term = x * power / w;
  for (k = 0; k < 8; k++) {
    s = m_fma(bernoulli[k], term, s);
    term = term * ((x + (M_REAL)(2 * k + 1)) / w) * ((x + (M_REAL)(2 * k + 2)) / w);
  }
  return s;
}
#undef M_TABLE
#include "bessel_orders.h"
