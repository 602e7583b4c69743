/* Real functions of one floating type, the text that float32.h and float64.h share. They define M_REAL, the constants
 * M_... and the polynomials, include this file, and the macros are undefined at its end: it has no include guard.
 *
 * Hot functions (exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tanh, pow) use + - * /, bit casts and selects
 * only: they vectorise and give the same bits on every device. The others call the platform's function where its
 * bound is good enough. Subnormals are kept, nan, infinities and -0 follow IEEE 754, C11 annex F and NumPy.
 */
/* Infinity and nan in the type of the argument, whose value does not matter. */
CP_FN M_REAL m_infinity_like(M_REAL a) {
  (void)a;
  return m_make(M_INFINITY);
}
CP_FN M_REAL m_nan_like(M_REAL a) {
  (void)a;
  return m_make(M_NAN);
}

/* y * 2^n where n is held in the low bits of (n + M_ROUND); two steps, as 2^n may not be representable. */
CP_FN M_REAL m_scale(M_REAL y, M_UINT n) {
  M_UINT u = n - M_ROUND_BITS + 8u * (M_BIAS + 1u), half = u >> 1, rest = u - half;
  half = half - 4u * (M_BIAS + 1u) + M_BIAS;
  rest = rest - 4u * (M_BIAS + 1u) + M_BIAS;
  return y * m_make(half << M_MANTISSA) * m_make(rest << M_MANTISSA);
}

CP_FN M_REAL m_exp(M_REAL a) {
  M_REAL x = a > M_EXP_MAX ? M_EXP_MAX : a, t, n, r;
  x = x < M_EXP_MIN ? M_EXP_MIN : x;
  t = x * (M_REAL)1.4426950408889634 + M_ROUND;
  n = t - M_ROUND;
  r = (x - n * M_LN2_HI) - n * M_LN2_LO;
  return m_scale(1 + (r + r * r * m_exp_poly(r)), m_bits(t));
}

/* 2^(r + e) * 2^n for |r| <= 1/2 and a small e, to about 0.51 ulp; n as in m_scale */
CP_FN M_REAL m_exp2_parts(M_REAL r, M_REAL e, M_UINT n) {
  M_REAL up = m_make(m_bits(r) & M_UPPER), rest = (r - up) + e, first = up * M_LN2_UP, sum = 1 + first, low;
  low = up * M_LN2_REST + (rest * (M_REAL)0.69314718055994531 + r * r * m_exp2_poly(r));
  return m_scale(sum + (((1 - sum) + first) + low), n);
}

CP_FN M_REAL m_exp2(M_REAL a) {
  M_REAL x = a > M_EXP2_LIMIT ? M_EXP2_LIMIT : a, t;
  x = x < -M_EXP2_LIMIT ? -M_EXP2_LIMIT : x;
  t = x + M_ROUND;
  return m_exp2_parts(x - (t - M_ROUND), 0, m_bits(t));
}

CP_FN M_REAL m_expm1(M_REAL a) {
  M_REAL x = a > M_EXP_MAX ? M_EXP_MAX : a, t, n, high, low, r, s, whole, first, rest;
  x = x < M_EXPM1_MIN ? M_EXPM1_MIN : x;
  t = x * (M_REAL)1.4426950408889634 + M_ROUND;
  n = t - M_ROUND;
  high = x - n * M_LN2_HI;
  low = n * M_LN2_LO;
  r = high - low;
  rest = ((high - r) - low) + r * r * m_exp_poly(r);                  /* exp(r) - 1 = r + rest */
  s = m_make((m_bits(t) - M_ROUND_BITS + M_BIAS - 1u) << M_MANTISSA); /* half of 2^n, which may overflow */
  whole = s - (M_REAL)0.5;
  first = whole + s * r;
  rest = ((whole - first) + s * r) + (((s - whole) - (M_REAL)0.5) + s * rest);
  r = 2 * (first + rest);
  return m_make(m_bits(a) & ~M_SIGN) < (M_REAL)1e-20 ? a : r;
}

/* The significand of a normal a > 0 in [sqrt(1/2), sqrt(2)); *e becomes its exponent plus M_BIAS. */
CP_FN M_REAL m_split(M_REAL a, M_UINT *e) {
  M_UINT u = m_bits(a) + ((M_BIAS << M_MANTISSA) - M_SQRT_HALF);
  *e = u >> M_MANTISSA;
  return m_make((u & (((M_UINT)1 << M_MANTISSA) - 1u)) + M_SQRT_HALF);
}

/* The same for any finite a > 0, the exponent as a number. */
CP_FN M_REAL m_split_any(M_REAL a, M_REAL *k) {
  M_UINT e;
  M_REAL m = m_split(a < M_TINY ? a * (2 * M_WHOLE) : a, &e);
  *k = (m_make(e | m_bits(M_WHOLE)) - M_WHOLE) -
       (a < M_TINY ? (M_REAL)(M_BIAS + M_MANTISSA + 1u) : (M_REAL)M_BIAS);
  return m;
}

/* r, the logarithm of a positive finite u, or what takes its place for another u */
CP_FN M_REAL m_log_special(M_REAL u, M_REAL r) {
  r = u > 0 ? r : m_make(u < 0 ? M_NAN : M_SIGN | M_INFINITY);
  return u < m_make(M_INFINITY) ? r : u;
}

CP_FN M_REAL m_log(M_REAL a) {
  M_REAL k, f = m_split_any(a, &k) - 1, h = (M_REAL)0.5 * f * f;
  return m_log_special(a, k * M_LN2_HI - ((h - (m_log_rest(f, h) + k * M_LN2_LO)) - f));
}

CP_FN M_REAL m_log1p(M_REAL a) {
  M_REAL u = 1 + a, b = u - 1, c = (1 - (u - b)) + (a - b), k, f, h; /* u + c is exactly 1 + a */
  M_UINT e;
  f = m_split(u, &e) - 1;
  k = (m_make(e | m_bits(M_WHOLE)) - M_WHOLE) - (M_REAL)M_BIAS;
  f = k != 0 ? f : a;
  c = ((k != 0) & (k < 60)) != 0 ? c * m_make((2u * M_BIAS - e) << M_MANTISSA) * (1 - f + f * f) : 0;
  h = (M_REAL)0.5 * f * f;
  u = m_log_special(u, k * M_LN2_HI - ((h - (m_log_rest(f, h) + (k * M_LN2_LO + c))) - f));
  return a != 0 ? u : a;
}

/* log(a) * (up + rest) + k * (high + low), the last two for the exponent k: another base's logarithm */
CP_FN M_REAL m_log_base(M_REAL a, M_REAL up, M_REAL rest, M_REAL high, M_REAL low) {
  M_REAL k, f = m_split_any(a, &k) - 1, h = (M_REAL)0.5 * f * f, first, second, sum;
  first = m_make(m_bits(f - h) & M_UPPER);
  second = ((f - first) - h) + m_log_rest(f, h);
  rest = first * rest + second * (up + rest) + k * low;
  first = first * up;
  k = k * high;
  sum = k + first;
  return m_log_special(a, sum + (((k - sum) + first) + rest));
}

CP_FN M_REAL m_log2(M_REAL a) { return m_log_base(a, M_LOG2E_UP, M_LOG2E_REST, 1, 0); }
CP_FN M_REAL m_log10(M_REAL a) {
  return m_log_base(a, M_LOG10E_UP, M_LOG10E_REST, M_LOG10_2_HI, M_LOG10_2_LO);
}

/* log2 of a finite a > 0 as an unevaluated sum; the relative error is some 2^-35 for float32, 2^-66 for float64.
 * log2(m) = 2/ln(2) * s * (1 + s^2 (1/3 + s^2 W(s^2))), s = (m - 1) / (m + 1), in pairs whose first half has half the
 * significant bits, after Dekker (1971). */
CP_FN M_REAL m_log2_parts(M_REAL a, M_REAL *error) {
  M_REAL k, m = m_split_any(a, &k), f = m - 1, d = m + 1, q = 1 / d, s = f * q, s1, s2, d1, d2, z, z1, z2, t,
            t1, t2;
  s1 = m_make(m_bits(s) & M_UPPER);
  d1 = m_make(m_bits(d) & M_UPPER);
  d2 = (d - d1) + (m - (d - 1));
  s2 = s - s1;
  s2 = s2 + (((f - s1 * d1) - s1 * d2) - s2 * (d1 + d2)) * q; /* s1 + s2 = f / (1 + m) */
  z = s * s;
  z1 = m_make(m_bits(z) & M_UPPER);
  z2 = ((s1 * s1 - z1) + 2 * s1 * s2) + s2 * s2; /* z1 + z2 = s^2 */
  t2 = z * m_pow_poly(z) + M_THIRD_REST;
  t = M_THIRD + t2;
  t1 = m_make(m_bits(t) & M_UPPER);
  t2 = (M_THIRD - t1) + t2;
  t = z1 * t1 + (z1 * t2 + z2 * t);
  d = z1 * t1;
  t2 = z1 * t2 + z2 * (t1 + t2);
  t1 = m_make(m_bits(t) & M_UPPER);
  t2 = (d - t1) + t2; /* t1 + t2 = s^2 / 3 + ... */
  d = s1 + s1 * t1;
  d2 = ((s1 - d) + s1 * t1) + (s2 + (s1 * t2 + s2 * (t1 + t2)));
  d1 = m_make(m_bits(d + d2) & M_UPPER);
  d2 = (d - d1) + d2; /* d1 + d2 = atanh(s) */
  t1 = d1 * (2 * M_LOG2E_UP);
  t2 = d1 * (2 * M_LOG2E_REST) + d2 * (M_REAL)2.8853900817779268;
  s = k + t1;
  *error = ((k - s) + t1) + t2;
  return s;
}

/* |a|^b for finite a != 0; an infinite b is given as +-M_HUGE */
CP_FN M_REAL m_pow_magnitude(M_REAL a, M_REAL b) {
  M_REAL low, high = m_log2_parts(a, &low), sum = high + low, g1, g2, b1, p, p1, t;
  g1 = m_make(m_bits(sum) & M_UPPER);
  g2 = (high - g1) + low;
  b1 = m_make(m_bits(b) & M_UPPER);
  p1 = b1 * g1;
  g2 = b1 * g2 + (b - b1) * (g1 + g2);
  p = p1 + g2;
  g2 = (p1 - p) + g2;
  g2 = m_make(m_bits(p) & ~M_SIGN) < M_EXP2_LIMIT ? g2 : 0;
  p = p > M_EXP2_LIMIT ? M_EXP2_LIMIT : p;
  p = p < -M_EXP2_LIMIT ? -M_EXP2_LIMIT : p;
  t = p + M_ROUND;
  p = p - (t - M_ROUND);
  g1 = p + g2;
  return m_exp2_parts(g1, (p - g1) + g2, m_bits(t));
}

/* a^b with C11's special values; exact where the result is representable. Selects by one comparison each: loops over
 * conditions that are joined with & do not vectorise. */
CP_FN M_REAL m_pow(M_REAL a, M_REAL b) {
  M_REAL inf = m_make(M_INFINITY), x = m_make(m_bits(a) & ~M_SIGN), y = m_make(m_bits(b) & ~M_SIGN);
  M_REAL half = (M_REAL)0.5 * y, whole = y < M_WHOLE ? (y + M_WHOLE) - M_WHOLE : y; /* the nearest integers */
  M_REAL half_whole = half < M_WHOLE ? (half + M_WHOLE) - M_WHOLE : half, r, other;
  M_REAL sign = whole == y ? a : 0;
  sign = half_whole == half ? 0 : sign; /* of the result: that of a where b is odd */
  other = b < 0 ? -M_HUGE : M_HUGE;
  r = m_pow_magnitude(x, y < M_HUGE ? b : other);
  other = b < 0 ? inf : 0;
  r = x > 0 ? r : other;
  other = b < 0 ? 0 : inf;
  r = x < inf ? r : other;
  r = m_make(m_bits(r) | (m_bits(sign) & M_SIGN));
  other = a < 0 ? m_make(M_NAN) : r;
  other = x < inf ? other : r;
  r = whole == y ? r : other;
  r = a == a ? r : a + b;
  r = b == b ? r : a + b;
  r = a == 1 ? 1 : r;
  return b == 0 ? 1 : r;
}

CP_FN M_REAL m_tanh(M_REAL a) {
  M_REAL x = m_make(m_bits(a) & ~M_SIGN), z = x * x, small = x + x * z * m_tanh_poly(z), large;
  large = 1 - 2 / (m_exp(x + x) + 1);
  return m_make(m_bits(x < M_TANH_SPLIT ? small : large) | (m_bits(a) & M_SIGN));
}

/* sin(a + q pi/2), reduced after Cody and Waite: the products by the first three parts of pi/2 are exact, and what the
 * subtractions lose is kept. Right where m_sin_rare(a) is 0. */
CP_FN M_REAL m_sin_turned(M_REAL a, M_UINT q) {
  M_REAL t = a * (M_REAL)0.63661977236758134 + M_ROUND, n = t - M_ROUND, r1, r2, r3, r, c;
  r1 = a - n * M_HALF_PI_1;
  r2 = r1 - n * M_HALF_PI_2;
  c = (r1 - r2) - n * M_HALF_PI_2;
  r3 = r2 - n * M_HALF_PI_3;
  c = (c + ((r2 - r3) - n * M_HALF_PI_3)) - n * M_HALF_PI_4;
  r = r3 + c;
  return m_sin_quarter(r, (r3 - r) + c, m_bits(t) + q);
}

/* The fast forms are right where m_sin_rare(a) is 0; loops run them over a block and mend the others. */
CP_FN M_REAL m_sin_fast(M_REAL a) {
  M_REAL r = m_sin_turned(a, (M_UINT)0);
  return a != 0 ? r : a;
}
CP_FN M_REAL m_cos_fast(M_REAL a) { return m_sin_turned(a, (M_UINT)1); }
CP_FN int m_cos_rare(M_REAL a) { return m_sin_rare(a); }
CP_SLOW M_REAL m_sin_slow(M_REAL a) { return m_sin_reduced(a, (M_UINT)0); }
CP_SLOW M_REAL m_cos_slow(M_REAL a) { return m_sin_reduced(a, (M_UINT)1); }
CP_FN M_REAL m_sin(M_REAL a) { return m_sin_rare(a) ? m_sin_slow(a) : m_sin_fast(a); }
CP_FN M_REAL m_cos(M_REAL a) { return m_sin_rare(a) ? m_cos_slow(a) : m_cos_fast(a); }

/* ---- exact functions: bit work and rounding */

CP_FN int m_isnan(M_REAL a) { return a != a; }
CP_FN int m_isinf(M_REAL a) { return (m_bits(a) & ~M_SIGN) == M_INFINITY; }
CP_FN int m_isfinite(M_REAL a) { return a - a == 0; }
CP_FN int m_signbit(M_REAL a) { return (m_bits(a) & M_SIGN) != 0u; }
CP_FN M_REAL m_abs(M_REAL a) { return m_make(m_bits(a) & ~M_SIGN); }
CP_FN M_REAL m_copysign(M_REAL a, M_REAL b) { return m_make((m_bits(a) & ~M_SIGN) | (m_bits(b) & M_SIGN)); }
CP_FN M_REAL m_sqrt(M_REAL a) { return M_LIB(sqrt)(a); }
CP_FN M_REAL m_rsqrt(M_REAL a) { return 1 / M_LIB(sqrt)(a); }
CP_FN M_REAL m_floor(M_REAL a) { return M_LIB(floor)(a); }
CP_FN M_REAL m_ceil(M_REAL a) { return M_LIB(ceil)(a); }
CP_FN M_REAL m_trunc(M_REAL a) { return M_LIB(trunc)(a); }
CP_FN M_REAL m_rint(M_REAL a) { return M_LIB(rint)(a); }
CP_FN M_REAL m_fma(M_REAL a, M_REAL b, M_REAL c) { return M_LIB(fma)(a, b, c); }
CP_FN M_REAL m_fmod(M_REAL a, M_REAL b) { return M_LIB(fmod)(a, b); }
CP_FN M_REAL m_ldexp(M_REAL a, int n) { return M_LIB(ldexp)(a, n); }

/* a with the sign of b where it is 0, else moved by b where its sign is not b's: C's remainder to the floored one */
CP_FN M_REAL m_remainder(M_REAL a, M_REAL b) {
  M_REAL r = M_LIB(fmod)(a, b);
  M_REAL moved = (r < 0) != (b < 0) ? r + b : r;
  return r == 0 ? m_copysign(0, b) : moved;
}

/* floor(a / b), whole for finite operands and consistent with m_remainder; a / 0 is an infinity or nan */
CP_FN M_REAL m_floor_divide(M_REAL a, M_REAL b) {
  M_REAL r = M_LIB(fmod)(a, b), q = (a - r) / b, whole;
  q = ((r != 0) & ((r < 0) != (b < 0))) != 0 ? q - 1 : q;
  whole = M_LIB(floor)(q);
  whole = q - whole > (M_REAL)0.5 ? whole + 1 : whole;
  whole = q != 0 ? whole : m_copysign(0, a / b);
  return b != 0 ? whole : a / b;
}

CP_FN M_REAL m_nextafter(M_REAL a, M_REAL b) {
  M_UINT u = m_bits(a), step = (a < b) == (a > 0) ? u + 1u : u - 1u;
  step = a == 0 ? (m_bits(b) & M_SIGN) | 1u : step;
  step = a == b ? m_bits(b) : step;
  return ((a != a) | (b != b)) != 0 ? a + b : m_make(step);
}

/* a = mantissa * 2^exponent with 1/2 <= |mantissa| < 1; zeros, infinities and nan are their own mantissa */
CP_FN M_REAL m_frexp_mantissa(M_REAL a) {
  M_REAL scaled = m_abs(a) < M_TINY ? a * (2 * M_WHOLE) : a;
  M_UINT u = (m_bits(scaled) & ~M_INFINITY) | ((M_BIAS - 1u) << M_MANTISSA);
  return ((a - a == 0) & (a != 0)) != 0 ? m_make(u) : a;
}
CP_FN int m_frexp_exponent(M_REAL a) {
  int tiny = m_abs(a) < M_TINY;
  M_UINT u = m_bits(tiny ? a * (2 * M_WHOLE) : a) & M_INFINITY;
  int e = (int)(u >> M_MANTISSA) - (int)M_BIAS + 1 - (tiny ? M_MANTISSA + 1 : 0);
  return ((a - a == 0) & (a != 0)) != 0 ? e : 0;
}
CP_FN M_REAL m_modf_integer(M_REAL a) { return M_LIB(trunc)(a); }
CP_FN M_REAL m_modf_fraction(M_REAL a) { return m_copysign(m_isinf(a) ? 0 : a - M_LIB(trunc)(a), a); }

CP_FN M_REAL m_sign(M_REAL a) { return a > 0 ? 1 : (a < 0 ? -1 : (a == 0 ? 0 : a)); }
CP_FN M_REAL m_negative(M_REAL a) { return -a; }
CP_FN M_REAL m_reciprocal(M_REAL a) { return 1 / a; }
CP_FN M_REAL m_zero(M_REAL a) { return (void)a, (M_REAL)0; }
CP_FN M_REAL m_heaviside(M_REAL a, M_REAL at_zero) {
  return a > 0 ? 1 : (a < 0 ? 0 : (a == 0 ? at_zero : a));
}
CP_FN M_REAL m_maximum(M_REAL a, M_REAL b) { return ((a >= b) | (a != a)) != 0 ? a : b; }
CP_FN M_REAL m_minimum(M_REAL a, M_REAL b) { return ((a <= b) | (a != a)) != 0 ? a : b; }
CP_FN M_REAL m_fmax(M_REAL a, M_REAL b) { return ((a >= b) | (b != b)) != 0 ? a : b; }
CP_FN M_REAL m_fmin(M_REAL a, M_REAL b) { return ((a <= b) | (b != b)) != 0 ? a : b; }
CP_FN M_REAL m_degrees(M_REAL a) { return a * (M_REAL)57.295779513082323; }
CP_FN M_REAL m_radians(M_REAL a) { return a * (M_REAL)0.017453292519943295; }
/* exact at both ends */
CP_FN M_REAL m_lerp(M_REAL a, M_REAL b, M_REAL t) {
  return t < (M_REAL)0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}
CP_FN M_REAL m_nan_to_num(M_REAL a, M_REAL nan, M_REAL posinf, M_REAL neginf) {
  M_REAL r = a == m_make(M_INFINITY) ? posinf : a;
  r = a == -m_make(M_INFINITY) ? neginf : r;
  return a != a ? nan : r;
}
CP_FN int m_isclose(M_REAL a, M_REAL b, M_REAL rtol, M_REAL atol) {
  return ((m_abs(a - b) <= atol + rtol * m_abs(b)) & m_isfinite(b)) | (a == b);
}

/* ---- the platform's functions */

CP_FN M_REAL m_tan(M_REAL a) { return M_LIB(tan)(a); }
CP_FN M_REAL m_arcsin(M_REAL a) { return M_LIB(asin)(a); }
CP_FN M_REAL m_arccos(M_REAL a) { return M_LIB(acos)(a); }
CP_FN M_REAL m_arctan(M_REAL a) { return M_LIB(atan)(a); }
CP_FN M_REAL m_arctan2(M_REAL a, M_REAL b) { return M_LIB(atan2)(a, b); }
CP_FN M_REAL m_angle(M_REAL a) { return m_arctan2(0, a); }
CP_FN M_REAL m_sinh(M_REAL a) { return M_LIB(sinh)(a); }
CP_FN M_REAL m_cosh(M_REAL a) { return M_LIB(cosh)(a); }
CP_FN M_REAL m_arcsinh(M_REAL a) { return M_LIB(asinh)(a); }
CP_FN M_REAL m_arccosh(M_REAL a) { return M_LIB(acosh)(a); }
CP_FN M_REAL m_arctanh(M_REAL a) { return M_LIB(atanh)(a); }
CP_FN M_REAL m_hypot(M_REAL a, M_REAL b) { return M_LIB(hypot)(a, b); }
CP_FN M_REAL m_cbrt(M_REAL a) { return M_LIB(cbrt)(a); }
CP_FN M_REAL m_erf(M_REAL a) { return M_LIB(erf)(a); }
CP_FN M_REAL m_erfc(M_REAL a) { return M_LIB(erfc)(a); }

/* log |gamma(a)|: infinite at 0 and the negative integers. On the CPU in double (glibc's float functions are coarse)
 * and by the form that leaves the global signgam alone. */
#ifdef CP_DEVICE
CP_FN M_REAL m_lgamma(M_REAL a) { return M_LIB(lgamma)(a); }
CP_FN M_REAL m_gamma_platform(M_REAL a) { return M_LIB(tgamma)(a); }
#else
extern double lgamma_r(double, int *);
CP_FN M_REAL m_lgamma(M_REAL a) {
  int sign;
  return (M_REAL)lgamma_r((double)a, &sign);
}
CP_FN M_REAL m_gamma_platform(M_REAL a) { return (M_REAL)tgamma((double)a); }
#endif

/* gamma(a): +-inf at +-0, nan at the negative integers and -inf */
CP_FN M_REAL m_gamma(M_REAL a) {
  M_REAL r = m_gamma_platform(a);
  r = ((a < 0) & (M_LIB(floor)(a) == a)) != 0 ? m_make(M_NAN) : r;
  return a == 0 ? m_copysign(m_make(M_INFINITY), a) : r;
}

/* ---- composed functions */

/* log(exp(a) + exp(b)) without overflow */
CP_FN M_REAL m_logaddexp(M_REAL a, M_REAL b) {
  M_REAL d = m_abs(a - b), r = m_fmax(a, b) + m_log1p(m_exp(-d));
  r = a == b ? a + (M_REAL)0.69314718055994531 : r;
  r = a == a ? r : a;
  return b == b ? r : b;
}
CP_FN M_REAL m_logaddexp2(M_REAL a, M_REAL b) {
  M_REAL d = m_abs(a - b), r = m_fmax(a, b) + m_log1p(m_exp2(-d)) * (M_REAL)1.4426950408889634;
  r = a == b ? a + 1 : r;
  r = a == a ? r : a;
  return b == b ? r : b;
}

/* sin(pi a) / (pi a), the angle reduced before it is multiplied by pi: exactly 0 at the integers but 0 */
CP_FN M_REAL m_sinc(M_REAL a) {
  M_REAL x = m_abs(a), w = ((M_REAL)0.5 * x + M_WHOLE) - M_WHOLE, y = x - (w + w); /* -1 <= y <= 1 */
  M_REAL t = (y + y) + M_ROUND, r = y - (M_REAL)0.5 * (t - M_ROUND);
  r = m_sin_quarter(r * (M_REAL)3.1415926535897932, 0, m_bits(t)) / (x * (M_REAL)3.1415926535897932);
  r = x < M_WHOLE ? r : 0;
  r = x > 0 ? r : 1;
  return a - a == 0 ? r : a - a; /* nan for inf and nan */
}

#undef M_REAL
#undef M_UINT
#undef M_INT
#undef M_LIB
#undef M_MANTISSA
#undef M_BIAS
#undef M_SIGN
#undef M_INFINITY
#undef M_NAN
#undef M_UPPER
#undef M_SQRT_HALF
#undef M_TINY
#undef M_ROUND
#undef M_ROUND_BITS
#undef M_WHOLE
#undef M_EXP_MAX
#undef M_EXP_MIN
#undef M_EXP2_LIMIT
#undef M_EXPM1_MIN
#undef M_HUGE
#undef M_LN2_HI
#undef M_LN2_LO
#undef M_LOG10_2_HI
#undef M_LOG10_2_LO
#undef M_LN2_UP
#undef M_LN2_REST
#undef M_LOG2E_UP
#undef M_LOG2E_REST
#undef M_LOG10E_UP
#undef M_LOG10E_REST
#undef M_THIRD
#undef M_THIRD_REST
#undef M_TANH_SPLIT
#undef M_HALF_PI_1
#undef M_HALF_PI_2
#undef M_HALF_PI_3
#undef M_HALF_PI_4
