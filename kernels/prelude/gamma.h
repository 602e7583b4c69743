/* The gamma function of one floating type on the CPU, in a form that vectorises; on a GPU it is CUDA's. Text
   that float32.h and float64.h share, without an include guard.

   Written in C11, without headers. */

/* gamma(z) for 0 < z < 20: a product, exact where gamma(z) is an integer, times gamma(2 + s), 0 <= s < 1.
   Below 2 it is divided by the product. */
CP_FN M_REAL m_gamma_product(M_REAL z) {
  M_REAL f = z, high = 1, low = 0, g, p, s, r, divisor = z < 1 ? z * (z + 1) : z;
#define M_STEP                                                                                               \
  g = f - 1;                                                                                                 \
  p = high * g;                                                                                              \
  low = f >= 3 ? m_fma(low, g, m_fma(high, g, -p)) : low; /* the product's rounding errors */                \
  high = f >= 3 ? p : high;                                                                                  \
  f = f >= 3 ? g : f;
#define M_STEPS M_STEP M_STEP M_STEP M_STEP M_STEP M_STEP
  M_STEPS M_STEPS M_STEPS /* 17 are enough */
#undef M_STEPS
#undef M_STEP
      s = z < 2 ? z - 1 : f - 2;
  s = z < 1 ? z : s;
  r = m_fma(s, m_gamma_near_poly(s + s - 1), 1);
  p = m_fma(high, r, low * r);
  return z < 2 ? r / divisor : p;
}

/* For z >= 20: z^(z - 1/2) exp(-z), as a power of 2 in two parts, times the correction of Stirling's formula
   */
CP_FN M_REAL m_gamma_stirling(M_REAL z) {
  const M_REAL near = (M_REAL)1.4426950408889634;
  const M_REAL rest = (M_REAL)((1.4426950408889634 - (double)near) + 2.0355273740931033e-17); /* of log2(e) */
  M_REAL error, log2 = m_log2_parts(z, &error), b = z - (M_REAL)0.5, p = b * log2, q = z * near, e = p - q,
                low;
  low = m_fma(b, error, m_fma(b, log2, -p)) - m_fma(z, rest, m_fma(z, near, -q));
  return m_exp2_sum(e, ((p - e) - q) + low) * m_gamma_far_poly(40 / z - 1);
}

/* Results and all intermediate values are normal numbers. */
CP_FN int m_gamma_fast_ok(M_REAL a) {
  const int twice = sizeof a == 8; /* float64 */
  const M_REAL most = (M_REAL)(twice ? 171.5 : 35.0), least = (M_REAL)(twice ? -169.0 : -32.0);
  M_REAL x = m_abs(a);
  const int pole = (a < 0) & (m_rint(a) == a);
  return (a < most) & (a > least) & (x > (M_REAL)(twice ? 1e-290 : 1e-30)) & !pole;
}

CP_FN M_REAL m_gamma_fast(M_REAL a) {
  M_REAL z = m_abs(a), product = m_gamma_product(z), r = m_gamma_stirling(z), other;
  r = z < 20 ? product : r;
  other = (M_REAL)-3.1415926535897932 / (z * r * m_sin_pi(z)); /* z r is not small where z is */
  return a < 0 ? other : r;
}

/* gamma(a): +-inf at +-0, nan at the negative integers and -inf */
CP_SLOW M_REAL m_gamma(M_REAL a) {
  if (m_gamma_fast_ok(a)) return m_gamma_fast(a);
  if (a == 0) return m_copysign(m_infinity_like(a), a);
  return ((a < 0) & (m_floor(a) == a)) != 0 ? m_nan_like(a) : (M_REAL)tgamma((double)a);
}
