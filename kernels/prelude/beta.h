/* Euler's beta function B(a, b) and the logarithm of its absolute value, for one floating type; incomplete.h
   includes this text, without an include guard. Differences of log gamma would cancel the leading digits of
   large values.

   Written in the common subset of C11 and CUDA C++, without headers. */

/* 1 / B(a, b) for 0 < a <= b < inf, as the result times 2^(*high + *low), to which it adds */
CP_SLOW M_REAL m_incomplete_beta_over(M_REAL a, M_REAL b, M_REAL *high, M_REAL *low) {
  M_REAL r = b, k;
  if (a < (sizeof a == 8 ? (M_REAL)1e-20 : (M_REAL)1e-10)) return a / (1 + a / b);
  if (!(a <= 8 && b < 10000 && m_floor(a) == a)) return m_incomplete_beta_parts(a, b, 1, 0, 1, 0, high, low);
  for (k = 1; k < a; k = k + 1) r = r * (b + k) / k; /* exact for integers */
  return r;
}

/* f B(a, b), or with `inverse` f / B(a, b), for a and b above 0; with `logs` the logarithm of the absolute
   value */
CP_SLOW M_REAL m_incomplete_beta_times(M_REAL f, M_REAL a, M_REAL b, int inverse, int logs) {
  M_REAL high = 0, low = 0, r, half;
  if (m_isinf(a) || m_isinf(b)) return a == b ? m_nan_like(a) : logs ? -m_infinity_like(a) : 0;
  r = m_incomplete_beta_over(m_fmin(a, b), m_fmax(a, b), &high, &low);
  if (logs) {
    r = m_log(m_abs(inverse ? f * r : r / f)) + (M_REAL)0.69314718055994531 * (high + low);
    return inverse ? r : -r;
  }
  half = m_incomplete_exp2((M_REAL)0.5 * high,
                           (M_REAL)0.5 * low); /* 1 / B may overflow where the result does not */
  return inverse ? f * r * half * half : f / (r * half) / half;
}

/* For an integer a <= 0, where the poles of gamma(a) and gamma(a + b) cancel */
CP_SLOW M_REAL m_incomplete_beta_whole(M_REAL a, M_REAL b, int logs) {
  M_REAL c = 1 - a - b, half = (M_REAL)0.5 * b, sign = m_floor(half) == half ? 1 : -1;
  if (m_floor(b) != b || !(c > 0) || m_isinf(a) || m_isinf(b)) return m_infinity_like(a);
  if (b > 0) return m_incomplete_beta_times(sign, b, c, 0, logs);
  return logs ? m_infinity_like(a) : sign * m_infinity_like(a);
}

/* Negative arguments by reflection of the gamma functions: a is the smaller argument, below 0, and neither is
   an integer there */
CP_SLOW M_REAL m_incomplete_beta_reflected(M_REAL a, M_REAL b, int logs) {
  M_REAL c = a + b, t = c - b, low = (b - (c - t)) + (a - t), f = m_incomplete_sine(a, 0);
  const M_REAL pi = (M_REAL)3.1415926535897932;
  const int inverse = c > 0 || b < 0;
  if (m_isinf(b)) return logs || f < 0 ? b : -b;
  f = (c > 0 ? pi / b : m_incomplete_sine(c, low)) / f;
  if (b < 0) f = pi * f / (m_incomplete_sine(b, 0) * (1 - c));
  return m_incomplete_beta_times(f, inverse ? 1 - a : b, b < 0 ? 1 - b : c > 0 ? c : 1 - c, inverse, logs);
}

CP_SLOW M_REAL m_incomplete_beta_both(M_REAL a, M_REAL b, int logs) {
  M_REAL least = m_fmin(a, b), most = m_fmax(a, b);
  if (m_isnan(a) || m_isnan(b)) return m_nan_like(a);
  if (least > 0) return m_incomplete_beta_times(1, least, most, 0, logs);
  if (m_floor(least) == least) return m_incomplete_beta_whole(least, most, logs);
  if (most <= 0 && m_floor(most) == most) return m_incomplete_beta_whole(most, least, logs);
  return m_incomplete_beta_reflected(least, most, logs);
}

/* gamma(z) for z > 0, in a form that vectorises on the CPU; below 20 as in gamma.h, but products of integers
   are rounded */
CP_FN M_REAL m_incomplete_beta_gamma(M_REAL z) {
#ifdef CP_DEVICE
  return m_gamma(z);
#else
  M_REAL f = z, high = 1, g, s, r;
#define M_STEP                                                                                               \
  g = f - 1;                                                                                                 \
  high = f >= 3 ? high * g : high;                                                                           \
  f = f >= 3 ? g : f;
#define M_STEPS M_STEP M_STEP M_STEP M_STEP M_STEP M_STEP
  M_STEPS M_STEPS M_STEPS /* 17 are enough */
#undef M_STEPS
#undef M_STEP
      s = z < 1   ? z
          : z < 2 ? z - 1
                  : f - 2;
  r = m_fma(s, m_gamma_near_poly(s + s - 1), 1);
  r = z < 2 ? r / (z < 1 ? z * (z + 1) : z) : high * r;
  s = m_gamma_stirling(z);
  return z < 20 ? r : s;
#endif
}

/* Positive arguments for which gamma(a + b) is finite: three gamma functions. The last digits of a + b that
   rounding drops change its logarithm by psi(a + b), about log(a + b - 1/2), times their value. */
CP_FN int m_special_beta_fast_ok(M_REAL a, M_REAL b) {
  const int twice = sizeof a == 8; /* float64 */
  const M_REAL least = (M_REAL)(twice ? 1e-290 : 1e-30), most = (M_REAL)(twice ? 171 : 34);
  return (a > least) & (b > least) & (a + b < most);
}
CP_FN M_REAL m_special_beta_fast(M_REAL a, M_REAL b) {
  const M_REAL least = a < b ? a : b, most = a < b ? b : a, sum = least + most, low = least - (sum - most);
  const M_REAL over = sum - (M_REAL)0.5, near = over < (M_REAL)0.5 ? (M_REAL)0.5 : over;
  const M_REAL g = m_incomplete_beta_gamma(least);
  const M_REAL r = m_incomplete_beta_gamma(most) / m_incomplete_beta_gamma(sum) * g;
  return m_fma(-r * low, m_log(near), r);
}

CP_SLOW M_REAL m_incomplete_beta_function(M_REAL a, M_REAL b) {
  return m_special_beta_fast_ok(a, b) ? m_special_beta_fast(a, b) : m_incomplete_beta_both(a, b, 0);
}

/* The correction of Stirling's formula as in incomplete.h, in a form that vectorises */
CP_FN M_REAL m_incomplete_beta_correction(M_REAL z) {
  const M_REAL u = 1 / z, v = u * u;
  M_REAL r = m_incomplete_stirling_term(0);
#define M_TERM(k) r = m_fma(r, v, m_incomplete_stirling_term(k))
  M_TERM(1);
  M_TERM(2);
  M_TERM(3);
  M_TERM(4);
  M_TERM(5);
  M_TERM(6);
#undef M_TERM
  return r * u;
}

/* The logarithm of B(a, b) where that is 1 / (a b) or less, so below -2, and its parts cancel few digits: by
   Stirling's formula for c and d, which are a and b or whole steps above them. B(a, b) is B(a + 1, b) times
   (a + b) / a. */
CP_FN int m_special_betaln_fast_ok(M_REAL a, M_REAL b) {
  return (a >= 1) & (b >= 1) & (a * b >= 8) & (a + b < 1000);
}
CP_FN M_REAL m_special_betaln_fast(M_REAL a, M_REAL b) {
  M_REAL c = a < b ? b : a, d = a < b ? a : b, over = 1, under = 1, s, low, q, r;
  int step;
#define M_STEP(x)                                                                                            \
  step = x < M_STIRLING;                                                                                     \
  over = step ? over * (c + d) : over;                                                                       \
  under = step ? under * x : under;                                                                          \
  x = step ? x + 1 : x
#define M_NINE_STEPS(x)                                                                                      \
  M_STEP(x);                                                                                                 \
  M_STEP(x);                                                                                                 \
  M_STEP(x);                                                                                                 \
  M_STEP(x);                                                                                                 \
  M_STEP(x);                                                                                                 \
  M_STEP(x);                                                                                                 \
  M_STEP(x);                                                                                                 \
  M_STEP(x);                                                                                                 \
  M_STEP(x)
  M_NINE_STEPS(d); /* from 1 to 10 */
  M_NINE_STEPS(c);
#undef M_NINE_STEPS
#undef M_STEP
  s = c + d;
  low = (c - (s - (s - c))) + (d - (s - c)); /* what the sum has lost */
  q = c / s;
  r = (c - (M_REAL)0.5) * (m_log(q) + (m_fma(-q, s, c) - q * low) / c) + d * m_log(d / s);
  q = m_incomplete_beta_correction(c) + m_incomplete_beta_correction(d) - m_incomplete_beta_correction(s);
  return r + (q + m_log((M_REAL)2.5066282746310005 * (over / (under * m_sqrt(d)))));
}

CP_FN M_REAL m_incomplete_beta_log(M_REAL a, M_REAL b) { return m_incomplete_beta_both(a, b, 1); }
