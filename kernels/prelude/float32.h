/* Real functions of float32: the constants and polynomials; real.h, included at the end, builds the functions on them.
 *
 * Written in the common subset of C11 and CUDA C++, without headers. The includer defines CP_FN, CP_SLOW and, on CUDA,
 * CP_DEVICE. Only + - * / on floats, bit casts and selects are used in the hot functions, nothing is contracted to fma,
 * so that every device gives the same bits and every compiler can turn a loop over them into vector code.
 * Coefficients are minimax fits of our own (weighted Lawson iteration in 300-bit arithmetic).
 */
#ifndef CP_PRELUDE_FLOAT32_H
#define CP_PRELUDE_FLOAT32_H

#ifdef CP_DEVICE
CP_FN unsigned m_bits(float a) { return __float_as_uint(a); }
CP_FN float m_make(unsigned a) { return __uint_as_float(a); }
#else
CP_FN unsigned m_bits(float a) {
  unsigned u;
  __builtin_memcpy(&u, &a, sizeof u);
  return u;
}
CP_FN float m_make(unsigned a) {
  float f;
  __builtin_memcpy(&f, &a, sizeof f);
  return f;
}
#endif

#define M_REAL      float
#define M_UINT      unsigned
#define M_INT       int
#define M_LIB(name) name##f
#define M_MANTISSA  23          /* stored bits of the significand */
#define M_BIAS      127u        /* of the exponent */
#define M_SIGN      0x80000000u /* bit patterns */
#define M_INFINITY  0x7f800000u
#define M_NAN       0x7fc00000u
#define M_UPPER                                                                                              \
  0xfffff000u /* keeps the upper half of a significand, so that a product of two such is exact */
#define M_SQRT_HALF   0x3f3504f3u
#define M_TINY        0x1p-126f   /* smallest normal number */
#define M_ROUND       12582912.0f /* 1.5 * 2^23: adding and subtracting it rounds to an integer */
#define M_ROUND_BITS  0x4b400000u
#define M_WHOLE       8388608.0f   /* 2^23: from here on every number is an integer */
#define M_EXP_MAX     89.0f        /* exp is infinite above, */
#define M_EXP_MIN     -104.0f      /* zero below */
#define M_EXP2_LIMIT  160.0f       /* 2^x is infinite above, zero below its negative */
#define M_EXPM1_MIN   -18.0f       /* expm1 is -1 below */
#define M_HUGE        0x1p100f     /* stands for an infinite exponent in pow */
#define M_LN2_HI      0.693145752f /* 15 bits: a multiple by an exponent is exact */
#define M_LN2_LO      1.42860677e-06f
#define M_LOG10_2_HI  0.301025391f /* 15 bits */
#define M_LOG10_2_LO  4.60503907e-06f
#define M_LN2_UP      0.693115234f /* 12 bits, and the rest */
#define M_LN2_REST    3.19461849e-05f
#define M_LOG2E_UP    1.44238281f
#define M_LOG2E_REST  0.000312228389f
#define M_LOG10E_UP   0.434204102f
#define M_LOG10E_REST 9.03803408e-05f
#define M_THIRD       0.333333313f
#define M_THIRD_REST  1.98682155e-08f
#define M_TANH_SPLIT  0.9f
#define M_HALF_PI_1   1.5703125f /* pi/2 in three parts of 11 bits and a last one; for |a| <= 12800 */
#define M_HALF_PI_2   0.000483751297f
#define M_HALF_PI_3   7.54953362e-08f
#define M_HALF_PI_4   2.56334407e-12f

/* (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2 */
CP_FN float m_exp_poly(float r) {
  float p = 0.000197644127f;
  p = p * r + 0.00139324367f;
  p = p * r + 0.00833354332f;
  p = p * r + 0.0416664928f;
  p = p * r + 0.166666657f;
  return p * r + 0.5f;
}

/* (2^r - 1 - r ln 2) / r^2 for |r| <= 1/2 */
CP_FN float m_exp2_poly(float r) {
  float p = 0.000153254499f;
  p = p * r + 0.00133900857f;
  p = p * r + 0.0096185077f;
  p = p * r + 0.0555036254f;
  return p * r + 0.240226477f;
}

/* log(1 + f) - f + h for sqrt(1/2) <= 1 + f <= sqrt(2), h = f^2 / 2 */
CP_FN float m_log_rest(float f, float h) {
  float p = 0.0674668029f;
  p = p * f - 0.116756849f;
  p = p * f + 0.118881628f;
  p = p * f - 0.124055833f;
  p = p * f + 0.142195508f;
  p = p * f - 0.166679963f;
  p = p * f + 0.200021192f;
  p = p * f - 0.250000089f;
  p = p * f + 0.333333135f;
  return (h + h) * f * p;
}

/* (atanh(s) / s - 1) / s^4 - 1 / (3 s^2), z = s^2: what follows the third of atanh's series */
CP_FN float m_pow_poly(float z) {
  float p = 0.0977819338f;
  p = p * z + 0.110898644f;
  p = p * z + 0.142859861f;
  return p * z + 0.199999988f;
}

/* (tanh(x) / x - 1) / x^2, z = x^2, for 0 <= x <= M_TANH_SPLIT */
CP_FN float m_tanh_poly(float z) {
  float p = -0.000455728965f;
  p = p * z + 0.00258346903f;
  p = p * z - 0.00826549064f;
  p = p * z + 0.0216641054f;
  p = p * z - 0.0539294742f;
  p = p * z + 0.133329809f;
  return p * z - 0.333333224f;
}

/* sin of r + c (a reduced argument and its rounding error) plus q quarter turns */
CP_FN float m_sin_quarter(float r, float c, unsigned q) {
  float z = r * r, h = 0.5f * z, w = 1.0f - h, s, k;
  s = (2.83252439e-06f * z - 0.000198530644f) * z + 0.0083333794f;
  s = r + (r * z * (s * z - 0.166666672f) + c);
  k = (2.44323273e-05f * z - 0.00138873095f) * z + 0.0416666456f;
  k = w + (((1.0f - w) - h) + (z * z * k - r * c));
  return m_make(m_bits((q & 1u) != 0u ? k : s) ^ ((q & 2u) << 30));
}

/* Is a finite and too large for the fast reduction? */
CP_FN int m_sin_rare(float a) { return (m_bits(a) & 0x7fffffffu) - 0x46480001u < 0x7f800000u - 0x46480001u; }

/* Reduction by Payne and Hanek for 12800 < |a| < inf: the bits of 2/pi that matter, times the significand. */
CP_SLOW float m_sin_reduced(float a, unsigned turn) {
  const unsigned two_over_pi[8] = {0u,          0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                   0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
  unsigned u = m_bits(a) & 0x7fffffffu, start = (u >> 23) - 120u, i = start >> 5, shift = start & 31u, q;
  unsigned long long m = (u & 0x7fffffu) | 0x800000u, w0, w1, w2, fixed;
  double r;
  float hi;
  w0 = (((unsigned long long)two_over_pi[i] << 32 | two_over_pi[i + 1]) << shift) >> 32;
  w1 = (((unsigned long long)two_over_pi[i + 1] << 32 | two_over_pi[i + 2]) << shift) >> 32;
  w2 = (((unsigned long long)two_over_pi[i + 2] << 32 | two_over_pi[i + 3]) << shift) >> 32;
  fixed = ((m * w0) << 32) + m * w1 + ((m * w2) >> 32); /* quarter turns, two bits before the point */
  q = (unsigned)(fixed >> 62) + (unsigned)((fixed >> 61) & 1u);
  r = (double)(long long)(fixed << 2) * 8.5153039502163861e-20; /* pi/2 * 2^-64 */
  if (a < 0.0f) {
    r = -r;
    q = 0u - q;
  }
  hi = (float)r;
  return m_sin_quarter(hi, (float)(r - (double)hi), q + turn);
}

#include "real.h"
#endif
