/* Real functions of float64: constants and polynomials; real.h, included at the end, builds the functions on
   them.

   Written in the common subset of C11 and CUDA C++, without headers. The includer defines CP_FN, CP_SLOW and,
   on CUDA, CP_DEVICE. The hot functions use only + - * / and m_fma on doubles, bit casts and selects, and
   nothing else is contracted, so that every device gives the same bits and every compiler can vectorise a
   loop over them: no signed 64-bit shift or comparison, which SSE2 and AVX2 lack. */
#ifndef CP_PRELUDE_FLOAT64_H
#define CP_PRELUDE_FLOAT64_H

#ifdef CP_DEVICE
CP_FN unsigned long long m_bits(double a) { return (unsigned long long)__double_as_longlong(a); }
CP_FN double m_make(unsigned long long a) { return __longlong_as_double((long long)a); }
CP_FN unsigned long long m64_product_high(unsigned long long a, unsigned long long b) {
  return __umul64hi(a, b);
}
#else
CP_FN unsigned long long m_bits(double a) {
  unsigned long long u;
  __builtin_memcpy(&u, &a, sizeof u);
  return u;
}
CP_FN double m_make(unsigned long long a) {
  double f;
  __builtin_memcpy(&f, &a, sizeof f);
  return f;
}
CP_FN unsigned long long m64_product_high(unsigned long long a, unsigned long long b) {
  __extension__ typedef unsigned __int128 m64_wide;
  return (unsigned long long)(((m64_wide)a * b) >> 64);
}
#endif

CP_FN double m_fma(double a, double b, double c) { return fma(a, b, c); }

#define M_REAL            double
#define M_UINT            unsigned long long
#define M_INT             long long
#define M_LIB(name)       name
#define M_MANTISSA        52                    /* stored bits of the significand */
#define M_BIAS            1023ull               /* of the exponent */
#define M_SIGN            0x8000000000000000ull /* bit patterns */
#define M_ONE             0x3ff0000000000000ull /* 1 */
#define M_INFINITY        0x7ff0000000000000ull
#define M_NAN             0x7ff8000000000000ull
#define M_SQRT_HALF       0x3fe6a09e667f3bcdull
#define M_TINY            0x1p-1022          /* smallest normal number */
#define M_ROUND           6755399441055744.0 /* 1.5 * 2^52: adding and subtracting it rounds to an integer */
#define M_ROUND_BITS      0x4338000000000000ull
#define M_WHOLE           4503599627370496.0  /* 2^52: from here on every number is an integer */
#define M_EXP_MAX         710.0               /* exp is infinite above, */
#define M_EXP_MIN         -746.0              /* zero below */
#define M_EXP_NORMAL      708.0               /* the result is a normal number from its negative up to it */
#define M_EXP2_NORMAL     1020.0              /* the same for 2^x */
#define M_EXP2_LIMIT      1200.0              /* 2^x is infinite above, zero below its negative */
#define M_EXPM1_MIN       -38.0               /* expm1 is -1 below */
#define M_HUGE            0x1p900             /* stands for an infinite exponent in pow */
#define M_LN2_HI          0.69314718055966296 /* 41 bits, so its product with an exponent is exact */
#define M_LN2_LO          2.8235290563031577e-13
#define M_LOG10_2_HI      0.30102999566383914 /* 41 bits */
#define M_LOG10_2_LO      1.4205023227266099e-13
#define M_LN2_NEAR        0.693147180559945286 /* rounded, and the remainder */
#define M_LN2_REST        2.31904681384629956e-17
#define M_LOG2E_NEAR      1.44269504088896339
#define M_LOG2E_REST      2.03552737409310331e-17
#define M_LOG10E_NEAR     0.434294481903251817
#define M_LOG10E_REST     1.09831965021676507e-17
#define M_LOG2_SCALE      2.88539008177792677 /* 2 / ln(2) */
#define M_LOG2_SCALE_REST 4.07105474818620662e-17
#define M_THIRD           0.33333333333333331
#define M_THIRD_REST      1.8503717077085941e-17
#define M_TANH_SPLIT      0.8
#define M_TANH_MAX        20.0                /* tanh is 1 above */
#define M_SIN_MAX         1600000.0           /* the fast reduction is accurate up to it */
#define M_HALF_PI_1       1.57079632679489656 /* pi/2 rounded down, and the remainder in two parts */
#define M_HALF_PI_2       6.12323399573676604e-17
#define M_HALF_PI_3       -1.49738490485916983e-33

/* (exp(r) - 1 - r - r^2 / 2) / r^3 for |r| <= ln(2)/2 */
CP_FN double m_expm1_poly(double r) {
  double p = 2.087897257824132e-09;
  p = m_fma(p, r, 2.5108904842508503e-08);
  p = m_fma(p, r, 2.7557387398943956e-07);
  p = m_fma(p, r, 2.7557244721571979e-06);
  p = m_fma(p, r, 2.4801587197213781e-05);
  p = m_fma(p, r, 0.00019841269885452042);
  p = m_fma(p, r, 0.0013888888888943412);
  p = m_fma(p, r, 0.0083333333333219847);
  p = m_fma(p, r, 0.041666666666666574);
  return m_fma(p, r, 0.16666666666666677);
}

/* (exp(r) - 1 - r) / r^2 */
CP_FN double m_exp_poly(double r) { return m_fma(m_expm1_poly(r), r, 0.5); }

/* (2^r - 1 - r ln 2) / r^2 for |r| <= 1/2 */
CP_FN double m_exp2_poly(double r) {
  double p = 2.561672194011336e-11;
  p = m_fma(p, r, 4.4561703584097528e-10);
  p = m_fma(p, r, 7.0549788711852023e-09);
  p = m_fma(p, r, 1.017805486438222e-07);
  p = m_fma(p, r, 1.3215486590369264e-06);
  p = m_fma(p, r, 1.5252733846400052e-05);
  p = m_fma(p, r, 0.00015403530393632981);
  p = m_fma(p, r, 0.0013333558146402388);
  p = m_fma(p, r, 0.009618129107628345);
  p = m_fma(p, r, 0.055504108664821639);
  return m_fma(p, r, 0.24022650695910072);
}

/* log(1 + f) - f + h for sqrt(1/2) <= 1 + f <= sqrt(2), h = f^2 / 2, by the series of atanh(f / (2 + f)) */
CP_FN double m_log_rest(double f, double h) {
  double s = f / (2.0 + f), z = s * s, p = 0.1479586519840356;
  p = m_fma(p, z, 0.15314065805732177);
  p = m_fma(p, z, 0.18183563430933045);
  p = m_fma(p, z, 0.22222198597078882);
  p = m_fma(p, z, 0.28571428742075611);
  p = m_fma(p, z, 0.39999999999416552);
  p = m_fma(p, z, 0.6666666666666734);
  return s * m_fma(p, z, h);
}

/* (atanh(s) / s - 1) / s^4 - 1 / (3 s^2), z = s^2: the terms of atanh's series after the third */
CP_FN double m_pow_poly(double z) {
  double p = 0.05991100367171575;
  p = m_fma(p, z, 0.058378649431189408);
  p = m_fma(p, z, 0.066681334141712151);
  p = m_fma(p, z, 0.076922791868561366);
  p = m_fma(p, z, 0.09090909422343614);
  p = m_fma(p, z, 0.11111111108892646);
  p = m_fma(p, z, 0.14285714285721926);
  return m_fma(p, z, 0.1999999999999999);
}

/* (tanh(x) / x - 1) / x^2, z = x^2, for 0 <= x <= M_TANH_SPLIT */
CP_FN double m_tanh_poly(double z) {
  double p = -1.2339548111303728e-06;
  p = m_fma(p, z, 8.5508536360333397e-06);
  p = m_fma(p, z, -3.2060442558975348e-05);
  p = m_fma(p, z, 9.1946240846680602e-05);
  p = m_fma(p, z, -0.00023669333824187386);
  p = m_fma(p, z, 0.00058917298784904812);
  p = m_fma(p, z, -0.0014556209204365455);
  p = m_fma(p, z, 0.0035920906688831455);
  p = m_fma(p, z, -0.0088632310851123452);
  p = m_fma(p, z, 0.021869488194968544);
  p = m_fma(p, z, -0.053968253952757492);
  p = m_fma(p, z, 0.13333333333297806);
  return m_fma(p, z, -0.33333333333333048);
}

/* sin of r - e (a reduced argument and its rounding error) plus q quarter turns */
CP_FN double m_sin_quarter(double r, double e, unsigned long long q) {
  double z = r * r, s, k;
  s = m_fma(z, -1.5895433134537187e-10, 2.5050734386952396e-08);
  s = m_fma(z, s, -2.7557313538502892e-06);
  s = m_fma(z, s, 0.00019841269829358509);
  s = m_fma(z, s, -0.0083333333333218407);
  s = m_fma(z, s, 0.1666666666666663);
  s = r - m_fma(r * z, s, e);
  z = m_fma(r, r, r * (-2.0 * e)); /* one rounding less */
  k = m_fma(z, -1.1358617099071197e-11, 2.0875703140908664e-09);
  k = m_fma(z, k, -2.7557314203085724e-07);
  k = m_fma(z, k, 2.480158728896524e-05);
  k = m_fma(z, k, -0.0013888888888873307);
  k = m_fma(z, k, 0.041666666666666595);
  k = m_fma(z, m_fma(z, k, -0.5), 1.0);
  z = m_make(m_bits(s) ^ ((m_bits(k) ^ m_bits(s)) & (0ull - (q & 1u)))); /* a select that SSE2 supports */
  return m_make(m_bits(z) ^ ((q & 2u) << 62));
}

/* True if a is finite and too large for the fast reduction */
CP_FN int m_sin_is_large(double a) {
  double b = a < 0.0 ? -a : a;
  return (b > 1600000.0) & (b <= 0x1.fffffffffffffp1023);
}

/* Payne-Hanek reduction for 1600000 < |a| < inf: the relevant bits of 2/pi times the significand */
CP_SLOW double m_sin_reduced(double a, unsigned long long turn) {
  static const unsigned long long two_over_pi[20] = {0ull,
                                                     0xa2f9836e4e441529ull,
                                                     0xfc2757d1f534ddc0ull,
                                                     0xdb6295993c439041ull,
                                                     0xfe5163abdebbc561ull,
                                                     0xb7246e3a424dd2e0ull,
                                                     0x06492eea09d1921cull,
                                                     0xfe1deb1cb129a73eull,
                                                     0xe88235f52ebb4484ull,
                                                     0xe99c7026b45f7e41ull,
                                                     0x3991d639835339f4ull,
                                                     0x9c845f8bbdf9283bull,
                                                     0x1ff897ffde05980full,
                                                     0xef2f118b5a0a6d1full,
                                                     0x6d367ecf27cb09b7ull,
                                                     0x4f463f669e5fea2dull,
                                                     0x7527bac7ebe5f17bull,
                                                     0x3d0739f78a5292eaull,
                                                     0x6bfb5fb11f8d5d08ull,
                                                     0x56033046fc7b6babull};
  unsigned long long u = m_bits(a) & ~M_SIGN, m = (u & 0xfffffffffffffull) | 0x10000000000000ull;
  unsigned start = (unsigned)(u >> 52) - 1013u, i = start >> 6, shift = start & 63u;
  unsigned long long w[3], p0, p1, q, carry;
  double hi, lo, r, c;
  int k, negative;
  for (k = 0; k < 3; k++) /* in two steps, as a shift by 64 is not defined */
    w[k] =
        (two_over_pi[i + (unsigned)k] << shift) | ((two_over_pi[i + (unsigned)k + 1u] >> 1) >> (63u - shift));
  carry = m64_product_high(m, w[2]);
  p1 = m * w[1] + carry; /* p0:p1 holds quarter turns, with two bits before the binary point */
  p0 = m * w[0] + m64_product_high(m, w[1]) + (p1 < carry);
  q = (p0 >> 62) + ((p0 >> 61) & 1u);
  p0 = (p0 << 2) | (p1 >> 62);
  p1 = p1 << 2;
  negative = (p0 >> 63) != 0;
  if (negative) {
    p1 = 0ull - p1;
    p0 = ~p0 + (p1 == 0);
  }
  hi = (double)(p0 & ~0x7ffull) * 0x1p-64; /* 53 bits at most, so this is exact */
  lo = (double)(p0 & 0x7ffull) * 0x1p-64 + (double)p1 * 0x1p-128;
  r = hi + lo;
  c = (hi - r) + lo;
  hi = r * 1.5707963267948966; /* (r + c) * pi/2 to some 100 bits */
  lo = m_fma(r, 1.5707963267948966, -hi) + m_fma(r, 6.12323399573676604e-17, c * 1.5707963267948966);
  r = hi + lo;
  c = (hi - r) + lo;
  if (negative != (a < 0.0)) {
    r = -r;
    c = -c;
  }
  return m_sin_quarter(r, -c, (a < 0.0 ? 0ull - q : q) + turn);
}

#include "philox.h"
/* The base of a uniform draw: an integer in [0, 2^53) */
CP_FN double m_uniform_of(unsigned long long bits) { return (double)(long long)(bits >> 11); }
CP_FN double m_random_uniform(double a, long long position, long long seed, long long call) {
  return a * m_uniform_of(r_bits64(position, seed, call));
}

CP_FN double m_inverse(double a) { return 1.0 / a; }

#include "real.h"

/* As in float32.h, number i of two: words 0 and 1 for the radius, 2 and 3 for the angle. */
CP_FN double m_normal_of(cp_philox_block b, unsigned long long i) {
  unsigned long long turn;
  double u = (double)(long long)(((unsigned long long)b.w[1] << 32 | b.w[0]) >> 11), r, radius;
  turn = (unsigned long long)b.w[3] << 32 | b.w[2];
  r = (double)(long long)(turn << 2) * 8.5153039502163861e-20; /* pi/2 * 2^-64 */
  radius = m_sqrt(-2.0 * m_log(m_fma(u, 0x1p-53, 0x1p-54)));
  return radius * m_sin_quarter(r, 0.0, (turn >> 62) + ((turn >> 61) & 1u) + ((i & 1u) != 0u ? 0u : 1u));
}

CP_FN double m_random_normal(double a, long long position, long long seed, long long call) {
  unsigned long long i = (unsigned long long)position;
  return a * m_normal_of(r_philox(i >> 1, (unsigned long long)call, (unsigned long long)seed), i);
}

#if defined(CP_RANDOM) || !defined(CP_DEVICE)
#define M_REAL double
CP_FN double m_unit(unsigned long long bits) { return (double)(long long)(bits >> 11) * 0x1p-53; }
CP_FN double m_normal_of_trial(cp_philox_block b, cp_philox_block c, double *one, double *two) {
  *one = m_unit(r_join(c.w[0], c.w[1]));
  *two = m_unit(r_join(c.w[2], c.w[3]));
  return m_normal_of(b, 0u);
}
CP_FN double m_normal_trial(long long position, unsigned trial, long long seed, long long call, double *one,
                            double *two) {
  return m_normal_of_trial(r_trial(position, 2u * trial, seed, call),
                           r_trial(position, 2u * trial + 1u, seed, call), one, two);
}
#include "draws.h"
#undef M_REAL
#endif

#if defined(CP_SPECIAL) || !defined(CP_DEVICE)
#define M_REAL double
#include "special.h"
#undef M_REAL
#endif

#if defined(CP_INCOMPLETE) || !defined(CP_DEVICE)
#define M_REAL double
#include "incomplete.h"
#undef M_REAL
#endif
#endif
