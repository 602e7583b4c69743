/* Real functions of one floating type, the text that float32.h and float64.h share. They define M_REAL, the
   constants M_... and the polynomials, and include this file, which undefines the macros at its end and so
   has no include guard.

   Hot functions (exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tanh, pow) use only + - * /, m_fma, bit
   casts and selects: they vectorise and give the same bits on every device. m_fma(a, b, c) is a * b + c
   rounded once: one instruction where the processor has it, on x86-64 before v3 a function of the C library,
   correct but slow. The others call the platform's function if that is accurate enough. Subnormals are kept;
   nan, infinities and -0 follow IEEE 754, C11 annex F and NumPy. */
/* Infinity and nan in the type of the argument, whose value is not used. */
CP_FN M_REAL m_infinity_like(M_REAL a) {
  (void)a;
  return m_make(M_INFINITY);
}
CP_FN M_REAL m_nan_like(M_REAL a) {
  (void)a;
  return m_make(M_NAN);
}

/* y * 2^n, where the low bits of (n + M_ROUND) hold n; in two steps, as 2^n may not be representable. */
CP_FN M_REAL m_scale(M_REAL y, M_UINT n) {
  M_UINT half = n >> 1;
  return y * m_make((half << M_MANTISSA) + M_ONE) * m_make(((n - half) << M_MANTISSA) + M_ONE);
}

/* exp(a) = y * 2^n for finite a within the limits of m_exp; returns y, and n in the form for m_scale */
CP_FN M_REAL m_exp_parts(M_REAL a, M_UINT *n) {
  M_REAL t = m_fma(a, (M_REAL)1.4426950408889634, M_ROUND), k = t - M_ROUND, r;
  r = m_fma(k, -M_LN2_LO, m_fma(k, -M_LN2_HI, a));
  *n = m_bits(t);
  return m_fma(m_fma(m_exp_poly(r), r, 1), r, 1);
}

CP_FN M_REAL m_exp(M_REAL a) {
  M_REAL x = a > M_EXP_MAX ? M_EXP_MAX : a, y;
  M_UINT n;
  y = m_exp_parts(x < M_EXP_MIN ? M_EXP_MIN : x, &n);
  return m_scale(y, n);
}

/* m_exp without the code for other arguments: right where argument and result are normal numbers. */
CP_FN M_REAL m_exp_normal(M_REAL a) {
  M_UINT n;
  M_REAL y = m_exp_parts(a, &n);
  return m_make(m_bits(y) + (n << M_MANTISSA));
}

/* 2^(r + e) for |r| <= 1/2 and a small e, to about 0.51 ulp */
CP_FN M_REAL m_exp2_part(M_REAL r, M_REAL e) {
  M_REAL first = r * M_LN2_NEAR, sum = 1 + first, low;
  low = m_fma(r, M_LN2_REST, m_fma(r, M_LN2_NEAR, -first)) + m_fma(e, M_LN2_NEAR, r * r * m_exp2_poly(r));
  return sum + (((1 - sum) + first) + low);
}

CP_FN M_REAL m_exp2(M_REAL a) {
  M_REAL x = a > M_EXP2_LIMIT ? M_EXP2_LIMIT : a, t, r;
  x = x < -M_EXP2_LIMIT ? -M_EXP2_LIMIT : x;
  t = x + M_ROUND;
  r = x - (t - M_ROUND);
  return m_scale(m_fma(m_fma(m_exp2_poly(r), r, M_LN2_NEAR), r, 1), m_bits(t));
}

CP_FN M_REAL m_expm1(M_REAL a) {
  M_REAL x = a > M_EXP_MAX ? M_EXP_MAX : a, t, n, high, low, r, s, whole, first, rest;
  x = x < M_EXPM1_MIN ? M_EXPM1_MIN : x;
  t = m_fma(x, (M_REAL)1.4426950408889634, M_ROUND);
  n = t - M_ROUND;
  high = m_fma(n, -M_LN2_HI, x);
  low = n * M_LN2_LO;
  r = high - low;
  rest = m_fma((M_REAL)0.5 * r, r, (high - r) - low);
  rest = m_fma(r * r * r, m_expm1_poly(r), rest);                     /* exp(r) - 1 = r + rest */
  s = m_make((m_bits(t) - M_ROUND_BITS + M_BIAS - 1u) << M_MANTISSA); /* half of 2^n, which may overflow */
  whole = s - (M_REAL)0.5;
  first = m_fma(s, r, whole);
  rest = m_fma(s, r, whole - first) + m_fma(s, rest, (s - whole) - (M_REAL)0.5);
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

/* r, the logarithm of a positive finite u, or the special value for another u */
CP_FN M_REAL m_log_special(M_REAL u, M_REAL r) {
  r = u > 0 ? r : m_make(u < 0 ? M_NAN : M_SIGN | M_INFINITY);
  return u < m_make(M_INFINITY) ? r : u;
}

/* log(1 + f) + k ln 2, where low replaces k times the low part of ln 2 */
CP_FN M_REAL m_log_sum(M_REAL f, M_REAL k, M_REAL low) {
  M_REAL h = (M_REAL)0.5 * f * f;
  return m_fma(k, M_LN2_HI, f - (h - (m_log_rest(f, h) + low)));
}

CP_FN M_REAL m_log(M_REAL a) {
  M_REAL k, f = m_split_any(a, &k) - 1;
  return m_log_special(a, m_log_sum(f, k, k * M_LN2_LO));
}

CP_FN M_REAL m_log1p(M_REAL a) {
  M_REAL u = 1 + a, b = u - 1, c = (1 - (u - b)) + (a - b), k, f; /* u + c is exactly 1 + a */
  M_UINT e;
  f = m_split(u, &e) - 1;
  k = (m_make(e | m_bits(M_WHOLE)) - M_WHOLE) - (M_REAL)M_BIAS;
  f = k != 0 ? f : a;
  c = ((k != 0) & (k < 60)) != 0 ? c * m_make((2u * M_BIAS - e) << M_MANTISSA) * m_fma(f, f, 1 - f) : 0;
  u = m_log_special(u, m_log_sum(f, k, m_fma(k, M_LN2_LO, c)));
  return a != 0 ? u : a;
}

/* log(1 + f) * (up + rest) + k * (high + low), for the logarithm of (1 + f) 2^k to another base */
CP_FN M_REAL m_log_base(M_REAL f, M_REAL k, M_REAL up, M_REAL rest, M_REAL high, M_REAL low) {
  M_REAL h = (M_REAL)0.5 * f * f, r = m_log_rest(f, h), whole = f - h, first, sum;
  r = ((f - whole) - h) + r; /* whole + r is log(1 + f) */
  first = whole * up;
  r = m_fma(whole, up, -first) + m_fma(whole, rest, m_fma(r, up, k * low));
  k = k * high;
  sum = k + first;
  return sum + (((k - sum) + first) + r);
}

CP_FN M_REAL m_log2_sum(M_REAL f, M_REAL k) { return m_log_base(f, k, M_LOG2E_NEAR, M_LOG2E_REST, 1, 0); }
CP_FN M_REAL m_log2(M_REAL a) {
  M_REAL k, f = m_split_any(a, &k) - 1;
  return m_log_special(a, m_log2_sum(f, k));
}
CP_FN M_REAL m_log10_sum(M_REAL f, M_REAL k) {
  return m_log_base(f, k, M_LOG10E_NEAR, M_LOG10E_REST, M_LOG10_2_HI, M_LOG10_2_LO);
}
CP_FN M_REAL m_log10(M_REAL a) {
  M_REAL k, f = m_split_any(a, &k) - 1;
  return m_log_special(a, m_log10_sum(f, k));
}

/* log2 of m 2^k, where sqrt(1/2) <= m <= sqrt(2), as an unevaluated sum, with a relative error of about 2^-40
   for float32, 2^-70 for float64. log2(m) = 2/ln(2) * s * (1 + s^2 (1/3 + s^2 W(s^2))), s = (m - 1) /
   (m + 1); every step computes a pair whose second half is the error of the first. */
CP_FN M_REAL m_log2_of(M_REAL m, M_REAL k, M_REAL *error) {
  M_REAL f = m - 1, d = m + 1, q = m_inverse(d), s = f * q, s2, z, z2, t, t2, p, p2;
  s2 = m_fma(-s, m - (d - 1), m_fma(-s, d, f)) * q; /* s + s2 = f / (1 + m) */
  z = s * s;
  z2 = m_fma(s + s, s2, m_fma(s, s, -z)); /* z + z2 = s^2 */
  p = m_fma(z, m_pow_poly(z), M_THIRD_REST);
  t = M_THIRD + p;
  t2 = (M_THIRD - t) + p;
  p = z * t;
  p2 = m_fma(z, t2, m_fma(z2, t, m_fma(z, t, -p))); /* p + p2 = s^2 / 3 + ... */
  t = s * p;
  t2 = m_fma(s, p2, m_fma(s2, p, m_fma(s, p, -t)));
  d = s + t;
  t2 = ((s - d) + t) + (s2 + t2); /* d + t2 = atanh(s) */
  p = d * M_LOG2_SCALE;
  p2 = m_fma(d, M_LOG2_SCALE_REST, m_fma(t2, M_LOG2_SCALE, m_fma(d, M_LOG2_SCALE, -p)));
  s = k + p;
  *error = ((k - s) + p) + p2;
  return s;
}

/* The same of a finite a > 0 */
CP_FN M_REAL m_log2_parts(M_REAL a, M_REAL *error) {
  M_REAL k, m = m_split_any(a, &k);
  return m_log2_of(m, k, error);
}

/* 2^(p + low) = y * 2^n; returns y, and n in the form for m_scale */
CP_FN M_REAL m_exp2_parts(M_REAL p, M_REAL low, M_UINT *n) {
  M_REAL t = p + M_ROUND, r;
  *n = m_bits(t);
  p = p - (t - M_ROUND);
  r = p + low;
  return m_exp2_part(r, (p - r) + low);
}

/* 2^(p + low) */
CP_FN M_REAL m_exp2_sum(M_REAL p, M_REAL low) {
  M_UINT n;
  low = m_make(m_bits(p) & ~M_SIGN) < M_EXP2_LIMIT ? low : 0;
  p = p > M_EXP2_LIMIT ? M_EXP2_LIMIT : p;
  p = m_exp2_parts(p < -M_EXP2_LIMIT ? -M_EXP2_LIMIT : p, low, &n);
  return m_scale(p, n);
}

/* a|^b for finite a != 0; an infinite b is passed as +-M_HUGE */
CP_FN M_REAL m_pow_magnitude(M_REAL a, M_REAL b) {
  M_REAL low, high = m_log2_parts(a, &low), p = b * high;
  return m_exp2_sum(p, m_fma(b, low, m_fma(b, high, -p)));
}

/* a^b with C11's special values; exact where the result is representable. Each select has a single
   comparison, as loops with conditions joined by & do not vectorise. */
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
  M_REAL x = m_make(m_bits(a) & ~M_SIGN), z = x * x, small = m_fma(x * z, m_tanh_poly(z), x), large;
  large = x < M_TANH_MAX ? x : M_TANH_MAX;
  large = 1 - 2 * m_inverse(m_exp_normal(large + large) + 1);
  return m_make(m_bits(x >= M_TANH_SPLIT ? large : small) | (m_bits(a) & M_SIGN));
}

/* sin(a + q pi/2), with Cody-Waite reduction: the first difference is exact, and so is the rounding error of
   the second, which is kept. The signs are chosen so that -0 stays. Accurate up to M_SIN_MAX. */
CP_FN M_REAL m_sin_turned(M_REAL a, M_UINT q) {
  M_REAL t = m_fma(a, (M_REAL)0.63661977236758134, M_ROUND), n = t - M_ROUND, first, r, e;
  first = m_fma(n, -M_HALF_PI_1, a);
  r = first - n * M_HALF_PI_2;
  e = m_fma(n, M_HALF_PI_3, m_fma(n, M_HALF_PI_2, r - first));
  return m_sin_quarter(r, e, m_bits(t) + q);
}

/* Where m_NAME_fast_ok(a), m_NAME_fast(a) has the same bits as m_NAME(a), needs fewer instructions and
   vectorises. Loops and kernels run it on a group of elements, and the full function if an element of the
   group needs that. */
CP_FN int m_sin_fast_ok(M_REAL a) { return M_LIB(fabs)(a) <= M_SIN_MAX; }
CP_FN int m_cos_fast_ok(M_REAL a) { return m_sin_fast_ok(a); }
CP_FN M_REAL m_sin_fast(M_REAL a) { return m_sin_turned(a, (M_UINT)0); }
CP_FN M_REAL m_cos_fast(M_REAL a) { return m_sin_turned(a, (M_UINT)1); }
CP_SLOW M_REAL m_sin_slow(M_REAL a) { return m_sin_reduced(a, (M_UINT)0); }
CP_SLOW M_REAL m_cos_slow(M_REAL a) { return m_sin_reduced(a, (M_UINT)1); }
CP_FN M_REAL m_sin(M_REAL a) { return m_sin_is_large(a) ? m_sin_slow(a) : m_sin_fast(a); }
CP_FN M_REAL m_cos(M_REAL a) { return m_sin_is_large(a) ? m_cos_slow(a) : m_cos_fast(a); }

/* The significand, as from m_split, and the exponent of a normal a > 0 */
CP_FN M_REAL m_split_normal(M_REAL a, M_REAL *k) {
  M_UINT e;
  M_REAL m = m_split(a, &e);
  *k = m_make(e | m_bits(M_WHOLE)) - (M_WHOLE + (M_REAL)M_BIAS);
  return m;
}
CP_FN int m_exp2_is_normal(M_REAL a) { return M_LIB(fabs)(a) <= M_EXP2_NORMAL; }
/* 2^(b (high + low)) where it is normal */
CP_FN M_REAL m_exp2_product(M_REAL b, M_REAL high, M_REAL low) {
  M_REAL p = b * high;
  M_UINT n;
  p = m_exp2_parts(p, m_fma(b, low, m_fma(b, high, -p)), &n);
  return m_make(m_bits(p) + (n << M_MANTISSA));
}
CP_FN int m_log_fast_ok(M_REAL a) { return (a >= M_TINY) & (a < m_make(M_INFINITY)); }
CP_FN M_REAL m_log_fast(M_REAL a) {
  M_REAL k, f = m_split_normal(a, &k) - 1;
  return m_log_sum(f, k, k * M_LN2_LO);
}

#ifdef CP_DEVICE
/* Also where the result is 0, as -inf masks elements. */
CP_FN int m_exp_fast_ok(M_REAL a) { return (M_LIB(fabs)(a) <= M_EXP_NORMAL) | (a < M_EXP_MIN); }
CP_FN M_REAL m_exp_fast(M_REAL a) {
  M_REAL r = m_exp_normal(a);
  return a < M_EXP_MIN ? 0 : r;
}
/* Also for +0 to a positive power, whose logarithm is finite here. */
CP_FN int m_pow_fast_ok(M_REAL a, M_REAL b) {
  M_REAL k, low, m = m_split_normal(a, &k);
  return (m_log_fast_ok(a) | ((m_bits(a) == 0u) & (b > 0))) & m_exp2_is_normal(b * m_log2_of(m, k, &low));
}
CP_FN M_REAL m_pow_fast(M_REAL a, M_REAL b) {
  M_REAL k, low, m = m_split_normal(a, &k), high = m_log2_of(m, k, &low);
  return a > 0 ? m_exp2_product(b, high, low) : 0;
}
#endif

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
CP_FN M_REAL m_fmod(M_REAL a, M_REAL b) { return M_LIB(fmod)(a, b); }
CP_FN M_REAL m_ldexp(M_REAL a, int n) { return M_LIB(ldexp)(a, n); }

/* a with the sign of b if it is 0; a + b if their signs differ: turns C's remainder into the floored one */
CP_FN M_REAL m_remainder(M_REAL a, M_REAL b) {
  M_REAL r = M_LIB(fmod)(a, b);
  M_REAL moved = (r < 0) != (b < 0) ? r + b : r;
  return r == 0 ? m_copysign(0, b) : moved;
}

/* floor(a / b), an integer for finite operands and consistent with m_remainder; a / 0 is an infinity or nan
   */
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

/* sqrt(a^2 + b^2), with both scaled by a power of two where squares would overflow or underflow */
CP_FN M_REAL m_hypot(M_REAL a, M_REAL b) {
  M_REAL x = m_abs(a), y = m_abs(b), most = x < y ? y : x, scale = 1, back = 1, r;
  int large = most > m_make((M_BIAS + M_BIAS / 2 - 1) << M_MANTISSA);
  int small = most < m_make((M_BIAS - M_BIAS / 2 + M_MANTISSA) << M_MANTISSA);
  scale = large ? m_make((M_BIAS - M_BIAS / 2 - 2) << M_MANTISSA) : scale;
  back = large ? m_make((M_BIAS + M_BIAS / 2 + 2) << M_MANTISSA) : back;
  scale = small ? m_make((M_BIAS + M_BIAS / 2 + M_MANTISSA) << M_MANTISSA) : scale;
  back = small ? m_make((M_BIAS - M_BIAS / 2 - M_MANTISSA) << M_MANTISSA) : back;
  x *= scale;
  y *= scale;
  r = m_sqrt(x * x + y * y) * back;
  return (m_isinf(a) | m_isinf(b)) != 0 ? m_make(M_INFINITY) : r;
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
CP_FN M_REAL m_cbrt(M_REAL a) { return M_LIB(cbrt)(a); }
CP_FN M_REAL m_erf(M_REAL a) { return M_LIB(erf)(a); }
CP_FN M_REAL m_erfc(M_REAL a) { return M_LIB(erfc)(a); }

/* log |gamma(a)|: infinite at 0 and the negative integers, and -inf at -inf, as SciPy has it. On the CPU in
   double (glibc's float functions are inaccurate), by the form that does not set the global signgam. */
#ifdef CP_DEVICE
CP_FN M_REAL m_lgamma(M_REAL a) { return a == -m_make(M_INFINITY) ? a : M_LIB(lgamma)(a); }
/* gamma(a): +-inf at +-0, nan at the negative integers and -inf. The CPU has its own in gamma.h. */
CP_FN M_REAL m_gamma(M_REAL a) {
  M_REAL r = M_LIB(tgamma)(a);
  r = ((a < 0) & (M_LIB(floor)(a) == a)) != 0 ? m_make(M_NAN) : r;
  return a == 0 ? m_copysign(m_make(M_INFINITY), a) : r;
}
#else
extern double lgamma_r(double, int *);
CP_FN M_REAL m_lgamma(M_REAL a) {
  int sign;
  return a == -m_make(M_INFINITY) ? a : (M_REAL)lgamma_r((double)a, &sign);
}
#endif

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

/* sin(pi x) for x >= 0, 0 from M_WHOLE on; the angle is reduced before it is multiplied by pi. */
CP_FN M_REAL m_sin_pi(M_REAL x) {
  M_REAL w = ((M_REAL)0.5 * x + M_WHOLE) - M_WHOLE, y = x - (w + w); /* -1 <= y <= 1 */
  M_REAL t = (y + y) + M_ROUND, r = y - (M_REAL)0.5 * (t - M_ROUND);
  r = m_sin_quarter(r * (M_REAL)3.1415926535897932, 0, m_bits(t));
  return x < M_WHOLE ? r : 0;
}

/* sin(pi a) / (pi a): exactly 0 at the integers except 0 */
CP_FN M_REAL m_sinc(M_REAL a) {
  M_REAL x = m_abs(a), r = m_sin_pi(x) / (x * (M_REAL)3.1415926535897932);
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
#undef M_ONE
#undef M_SQRT_HALF
#undef M_TINY
#undef M_ROUND
#undef M_ROUND_BITS
#undef M_WHOLE
#undef M_EXP_MAX
#undef M_EXP_MIN
#undef M_EXP_NORMAL
#undef M_EXP2_NORMAL
#undef M_EXP2_LIMIT
#undef M_SIN_MAX
#undef M_EXPM1_MIN
#undef M_HUGE
#undef M_LN2_HI
#undef M_LN2_LO
#undef M_LOG10_2_HI
#undef M_LOG10_2_LO
#undef M_LN2_NEAR
#undef M_LN2_REST
#undef M_LOG2E_NEAR
#undef M_LOG2E_REST
#undef M_LOG10E_NEAR
#undef M_LOG10E_REST
#undef M_THIRD
#undef M_THIRD_REST
#undef M_TANH_SPLIT
#undef M_TANH_MAX
#undef M_LOG2_SCALE
#undef M_LOG2_SCALE_REST
#undef M_HALF_PI_1
#undef M_HALF_PI_2
#undef M_HALF_PI_3
