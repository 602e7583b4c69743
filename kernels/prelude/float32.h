/* Real functions of float32: constants and polynomials; real.h, included at the end, builds the functions on
   them.

   Written in the common subset of C11 and CUDA C++, without headers. The includer defines CP_FN, CP_SLOW and,
   on CUDA, CP_DEVICE. The hot functions use only + - * / and m_fma on floats, bit casts and selects, and
   nothing else is contracted, so that every device gives the same bits and every compiler can vectorise a
   loop over them. The coefficients are our own minimax fits (weighted Lawson iteration in 300-bit
   arithmetic). */
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

CP_FN float m_fma(float a, float b, float c) { return fmaf(a, b, c); }

#define M_REAL            float
#define M_UINT            unsigned
#define M_INT             int
#define M_LIB(name)       name##f
#define M_MANTISSA        23          /* stored bits of the significand */
#define M_BIAS            127u        /* of the exponent */
#define M_SIGN            0x80000000u /* bit patterns */
#define M_ONE             0x3f800000u /* 1 */
#define M_INFINITY        0x7f800000u
#define M_NAN             0x7fc00000u
#define M_SQRT_HALF       0x3f3504f3u
#define M_TINY            0x1p-126f   /* smallest normal number */
#define M_ROUND           12582912.0f /* 1.5 * 2^23: adding and subtracting it rounds to an integer */
#define M_ROUND_BITS      0x4b400000u
#define M_WHOLE           8388608.0f   /* 2^23: from here on every number is an integer */
#define M_EXP_MAX         89.0f        /* exp is infinite above, */
#define M_EXP_MIN         -104.0f      /* zero below */
#define M_EXP_NORMAL      87.0f        /* the result is a normal number from its negative up to it */
#define M_EXP2_NORMAL     125.0f       /* the same for 2^x */
#define M_EXP2_LIMIT      160.0f       /* 2^x is infinite above, zero below its negative */
#define M_EXPM1_MIN       -18.0f       /* expm1 is -1 below */
#define M_HUGE            0x1p100f     /* stands for an infinite exponent in pow */
#define M_LN2_HI          0.693145752f /* 15 bits, so its product with an exponent is exact */
#define M_LN2_LO          1.42860677e-06f
#define M_LOG10_2_HI      0.301025391f /* 15 bits */
#define M_LOG10_2_LO      4.60503907e-06f
#define M_LN2_NEAR        0.6931471825f /* rounded, and the remainder */
#define M_LN2_REST        -1.904654212e-9f
#define M_LOG2E_NEAR      1.442695022f
#define M_LOG2E_REST      1.925963034e-8f
#define M_LOG10E_NEAR     0.434294492f
#define M_LOG10E_REST     -1.010304995e-8f
#define M_LOG2_SCALE      2.885390043f /* 2 / ln(2) */
#define M_LOG2_SCALE_REST 3.851926067e-8f
#define M_THIRD           0.333333313f
#define M_THIRD_REST      1.98682155e-08f
#define M_TANH_SPLIT      0.9f
#define M_TANH_MAX        10.0f        /* tanh is 1 above */
#define M_SIN_MAX         12800.0f     /* the fast reduction is accurate up to it */
#define M_HALF_PI_1       1.570796251f /* pi/2 rounded down, and the remainder in two parts */
#define M_HALF_PI_2       7.549790126e-8f
#define M_HALF_PI_3       -1.71512451e-15f

/* (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2 */
CP_FN float m_exp_poly(float r) {
  float p = 0.001382144750f;
  p = m_fma(p, r, 0.008368857205f);
  p = m_fma(p, r, 0.04166826233f);
  p = m_fma(p, r, 0.1666651964f);
  return m_fma(p, r, 0.4999999404f);
}

/* (exp(r) - 1 - r - r^2 / 2) / r^3 for |r| <= ln(2)/2 */
CP_FN float m_expm1_poly(float r) {
  float p = 0.000197644127f;
  p = m_fma(p, r, 0.00139324367f);
  p = m_fma(p, r, 0.00833354332f);
  p = m_fma(p, r, 0.0416664928f);
  return m_fma(p, r, 0.166666657f);
}

/* (2^r - 1 - r ln 2) / r^2 for |r| <= 1/2 */
CP_FN float m_exp2_poly(float r) {
  float p = 0.000153254499f;
  p = m_fma(p, r, 0.00133900857f);
  p = m_fma(p, r, 0.0096185077f);
  p = m_fma(p, r, 0.0555036254f);
  return m_fma(p, r, 0.240226477f);
}

/* (log(1 + f) - f + f^2 / 2) / f^3 for sqrt(1/2) <= 1 + f <= sqrt(2) */
CP_FN float m_log_poly(float f) {
  float p = 0.0674668029f;
  p = m_fma(p, f, -0.116756849f);
  p = m_fma(p, f, 0.118881628f);
  p = m_fma(p, f, -0.124055833f);
  p = m_fma(p, f, 0.142195508f);
  p = m_fma(p, f, -0.166679963f);
  p = m_fma(p, f, 0.200021192f);
  p = m_fma(p, f, -0.250000089f);
  return m_fma(p, f, 0.333333135f);
}

/* log(1 + f) - f + h for such an f, h = f^2 / 2 */
CP_FN float m_log_rest(float f, float h) { return (h + h) * f * m_log_poly(f); }

/* (atanh(s) / s - 1) / s^4 - 1 / (3 s^2), z = s^2: the terms of atanh's series after the third */
CP_FN float m_pow_poly(float z) {
  float p = 0.0977819338f;
  p = m_fma(p, z, 0.110898644f);
  p = m_fma(p, z, 0.142859861f);
  return m_fma(p, z, 0.199999988f);
}

/* (tanh(x) / x - 1) / x^2, z = x^2, for 0 <= x <= M_TANH_SPLIT */
CP_FN float m_tanh_poly(float z) {
  float p = -0.000455728965f;
  p = m_fma(p, z, 0.00258346903f);
  p = m_fma(p, z, -0.00826549064f);
  p = m_fma(p, z, 0.0216641054f);
  p = m_fma(p, z, -0.0539294742f);
  p = m_fma(p, z, 0.133329809f);
  return m_fma(p, z, -0.333333224f);
}

/* sin of r - e (a reduced argument and its rounding error) plus q quarter turns */
CP_FN float m_sin_quarter(float r, float e, unsigned q) {
  float z = r * r, s = m_fma(z, 0.0001951809536f, -0.008332188241f), k;
  s = m_fma(z, s, 0.1666665524f);
  s = r - m_fma(r * z, s, e);
  z = m_fma(r, r, r * (-2.0f * e)); /* one rounding less */
  k = m_fma(z, 2.443254925e-5f, -0.001388731063f);
  k = m_fma(z, k, 0.04166664556f);
  k = m_fma(z, m_fma(z, k, -0.5f), 1.0f);
  return m_make(m_bits((q & 1u) != 0u ? k : s) ^ ((q & 2u) << 30));
}

/* True if a is finite and too large for the fast reduction */
CP_FN int m_sin_is_large(float a) {
  return (m_bits(a) & 0x7fffffffu) - 0x46480001u < 0x7f800000u - 0x46480001u;
}

/* Payne-Hanek reduction for 12800 < |a| < inf: the relevant bits of 2/pi times the significand */
CP_SLOW float m_sin_reduced(float a, unsigned turn) {
  static const unsigned two_over_pi[8] = {0u,          0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                          0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
  unsigned u = m_bits(a) & 0x7fffffffu, start = (u >> 23) - 120u, i = start >> 5, shift = start & 31u, q;
  unsigned long long m = (u & 0x7fffffu) | 0x800000u, w0, w1, w2, fixed;
  double r;
  float hi;
  w0 = (((unsigned long long)two_over_pi[i] << 32 | two_over_pi[i + 1]) << shift) >> 32;
  w1 = (((unsigned long long)two_over_pi[i + 1] << 32 | two_over_pi[i + 2]) << shift) >> 32;
  w2 = (((unsigned long long)two_over_pi[i + 2] << 32 | two_over_pi[i + 3]) << shift) >> 32;
  /* quarter turns, with two bits before the binary point */
  fixed = ((m * w0) << 32) + m * w1 + ((m * w2) >> 32);
  q = (unsigned)(fixed >> 62) + (unsigned)((fixed >> 61) & 1u);
  r = (double)(long long)(fixed << 2) * 8.5153039502163861e-20; /* pi/2 * 2^-64 */
  if (a < 0.0f) {
    r = -r;
    q = 0u - q;
  }
  hi = (float)r;
  return m_sin_quarter(hi, (float)((double)hi - r), q + turn);
}

#ifdef CP_DEVICE
/* One Newton step on the processor's estimate rounds as IEEE 754 requires, where nothing in it overflows or
   is subnormal. CUDA's own square root does the same. */
CP_FN int m_sqrt_fast_ok(float a) { return (m_bits(a) - 0x0d000000u <= 0x727fffffu) | (m_bits(a) == 0u); }
CP_FN float m_sqrt_fast(float a) {
  float y, s;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
  y = y < 0x1p100f ? y : 0x1p100f; /* for 0 it is infinite */
  s = a * y;
  return m_fma(m_fma(-s, s, a), 0.5f * y, s);
}

/* The same for 1 / a and 1 / sqrt(a). */
CP_FN int m_reciprocal_fast_ok(float a) { return (fabsf(a) >= 0x1p-100f) & (fabsf(a) <= 0x1p100f); }
CP_FN float m_reciprocal_fast(float a) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
  return m_fma(y, m_fma(-a, y, 1.0f), y);
}
CP_FN float m_inverse(float a) { return m_reciprocal_fast(a); } /* for 1 <= a < 2^100 */

/* a / b. With y = 1 / b as float32 rounds it and its rest, a (y + rest) is within a unit of its last place,
   and one step more rounds as IEEE 754 requires (Markstein, "Computation of elementary functions on the IBM
   RISC System/6000 processor", 1990). What depends on b alone is computed once for a row that shares it. */
CP_FN int m_divide_fast_ok(float a, float b) {
  return (fabsf(b) >= 0x1p-40f) & (fabsf(b) <= 0x1p40f) &
         (((fabsf(a) >= 0x1p-60f) & (fabsf(a) <= 0x1p60f)) | ((m_bits(a) == 0u) & (b > 0.0f)));
}
CP_FN float m_divide_fast(float a, float b) {
  float y = m_reciprocal_fast(b), rest = m_fma(-b, y, 1.0f) * y, q = m_fma(a, y, a * rest);
  return m_fma(m_fma(-b, q, a), y, q);
}
/* a / b of numbers of 11 bits at most, which rounds to a half as a / b does: a (y + rest) with a y a little
   too near to 0, so that both terms have the sign of the quotient. Compared for all pairs of both halves. */
CP_FN int m_divide_half_fast_ok(float, float b) { return (fabsf(b) >= 0x1p-24f) & (fabsf(b) <= 0x1p20f); }
CP_FN float m_divide_half_fast(float a, float b) {
  float y = m_make(m_bits(m_reciprocal_fast(b)) - 2u);
  return m_fma(a, y, a * (m_fma(-b, y, 1.0f) * y));
}
CP_FN int m_rsqrt_fast_ok(float a) { return (a >= 0x1p-100f) & (a <= 0x1p100f); }
CP_FN float m_rsqrt_fast(float a) { return m_reciprocal_fast(m_sqrt_fast(a)); }
#else
CP_FN float m_inverse(float a) { return 1.0f / a; }
#endif

#include "philox.h"
/* The base of a uniform draw: an integer in [0, 2^24) */
CP_FN float m_uniform_of(unsigned bits) { return (float)(bits >> 8); }
CP_FN float m_random_uniform(float a, long long position, long long seed, long long call) {
  return a * m_uniform_of(r_bits32(position, seed, call));
}

#include "real.h"

/* m_log without the code for arguments that do not occur here, and with an error of some ulp: f + f^2 (p(f) f
   - 1/2) + k ln 2. m_normal_root is to m_sqrt what this is to m_log. */
CP_FN float m_normal_log(float u) { /* 2^-33 <= u <= 1 */
  unsigned e;
  float f = m_split(u, &e) - 1.0f, k = m_make(e | 0x4b000000u) - (0x1p23f + 127.0f), p;
  p = m_fma(-0.0763449296f, f, 0.12761575f);
  p = m_fma(p, f, -0.131601825f);
  p = m_fma(p, f, 0.142017588f);
  p = m_fma(p, f, -0.166233569f);
  p = m_fma(p, f, 0.200012267f);
  p = m_fma(p, f, -0.250008196f);
  p = m_fma(p, f, 0.333333313f);
  return m_fma(k, 0.693147182f, m_fma(f * f, m_fma(p, f, -0.5f), f));
}
CP_FN float m_normal_root(float a) { /* a is 0 or a normal number, far below the largest ones */
#ifdef CP_DEVICE
  return m_sqrt_fast(a);
#else
  return m_sqrt(a);
#endif
}

/* Normal number i of the four in a block, by Box and Muller ("A note on the generation of random normal
   deviates", 1958): the cosine for an even i, the sine for an odd one, from words 0 and 1, or 2 and 3. The
   upper two bits of t are the nearest quarter turn of the angle, and r is the remainder in quarter turns. */
CP_FN float m_normal_of(cp_philox_block b, unsigned long long i) {
  unsigned u = (i & 2u) != 0u ? b.w[2] : b.w[0], turn = (i & 2u) != 0u ? b.w[3] : b.w[1];
  unsigned t = turn + 0x20000000u, cosine = (unsigned)(i & 1u) ^ 1u;
  float r = (float)(int)(turn << 2) * 0x1p-32f, z = r * r, s, k;
  float radius = m_normal_root(-2.0f * m_normal_log(m_fma((float)u, 0x1p-32f, 0x1p-33f)));
  s = m_fma(z, -0.00468597189f, 0.079712525f);
  s = r * m_fma(z, m_fma(z, s, -0.645966649f), 1.57079637f);
  k = m_fma(z, 0.00089448638f, -0.0208555963f);
  k = m_fma(z, m_fma(z, m_fma(z, k, 0.253668547f), -1.23370051f), 1.0f);
  s = (t >> 30 & 1u) != cosine ? k : s;
  return radius * m_make(m_bits(s) ^ ((t + (cosine << 30)) & 0x80000000u));
}

/* a times a number of the standard normal distribution */
CP_FN float m_random_normal(float a, long long position, long long seed, long long call) {
  unsigned long long i = (unsigned long long)position;
  return a * m_normal_of(r_philox(i >> 2, (unsigned long long)call, (unsigned long long)seed), i);
}

#if defined(CP_RANDOM) || !defined(CP_DEVICE)
#define M_REAL float
/* A number in [0, 1) from the first of 64 random bits */
CP_FN float m_unit(unsigned long long bits) { return (float)(int)(bits >> 40) * 0x1p-24f; }
/* A trial that starts with a normal number, and two uniform numbers in [0, 1); for float64 these come from a
   second block. */
CP_FN float m_normal_of_trial(cp_philox_block b, cp_philox_block c, float *one, float *two) {
  *one = m_unit((unsigned long long)c.w[2] << 32);
  *two = m_unit((unsigned long long)c.w[3] << 32);
  return m_normal_of(b, 0u);
}
CP_FN float m_normal_trial(long long position, unsigned trial, long long seed, long long call, float *one,
                           float *two) {
  cp_philox_block b = r_trial(position, trial, seed, call);
  return m_normal_of_trial(b, b, one, two);
}
#include "draws.h"
#undef M_REAL
#endif

#if defined(CP_SPECIAL) || !defined(CP_DEVICE)
#define M_REAL   float
#define M_SINGLE 1
#include "special.h"
#undef M_SINGLE
#undef M_REAL
#endif

#if defined(CP_INCOMPLETE) || !defined(CP_DEVICE)
#define M_REAL float
#include "incomplete.h"
#undef M_REAL
#endif
#endif
