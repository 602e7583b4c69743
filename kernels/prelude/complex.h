/* Complex functions of one type. Included once per type, on top of its real header, so without a guard; the
   includer defines C (the name of the type to make: complex64, complex128) and R (float, double) and
   undefines them afterwards.

   Branch cuts, signs of zero and infinities follow C11 annex G; ordering and nan rules follow NumPy. Errors
   are a few ulp of the norm of the result. Formulas: Kahan, "Branch cuts for complex elementary functions"
   (1987); Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine functions using
   exception handling" (1997); Smith (1962). Long functions are out of line (CP_SLOW), to keep kernels small.
 */

typedef struct {
  R re, im;
} C;

/* Limits of R, by its size: both are evaluated when the text is compiled. */
#define C_PICK(f32, f64) ((R)(sizeof(R) == 4 ? (f32) : (f64)))
#define C_EPSILON        C_PICK(0x1p-24, 0x1p-53)
#define C_LARGE          C_PICK(0x1p60, 0x1p508)   /* squares are finite below */
#define C_SMALL          C_PICK(0x1p-50, 0x1p-480) /* squares are normal above */
#define C_EXP_LARGE      C_PICK(88, 709)           /* exp is finite up to here */
#define C_TANH_LARGE     C_PICK(10, 20)            /* tanh is 1 from here on */
#define C_INFINITY       (m_infinity_like((R)0))
#define C_NAN            (m_nan_like((R)0))
#define C_PI             ((R)3.1415926535897932)
#define C_LN2            ((R)0.69314718055994531)

CP_FN C c_make(R re, R im) {
  C r;
  r.re = re;
  r.im = im;
  return r;
}

/* ---- arithmetic */

CP_FN C c_add(C a, C b) { return c_make(a.re + b.re, a.im + b.im); }
CP_FN C c_subtract(C a, C b) { return c_make(a.re - b.re, a.im - b.im); }
/* Products are only ever added here, with negated factors where needed. GCC's vectoriser fuses a
   multiplication with a subtraction next to an addition, even with -ffp-contract=off, and then a result would
   depend on the element's place in the array. */
CP_FN C c_multiply(C a, C b) { return c_make(a.re * b.re + -a.im * b.im, a.re * b.im + a.im * b.re); }
CP_FN C c_negative(C a) { return c_make(-a.re, -a.im); }
CP_FN C c_conj(C a) { return c_make(a.re, -a.im); }
CP_FN C c_scale(C a, R s) { return c_make(a.re * s, a.im * s); }
CP_FN C c_square(C a) { return c_multiply(a, a); }
CP_FN R c_abs(C a) { return m_hypot(a.re, a.im); }
CP_FN R c_angle(C a) { return m_arctan2(a.im, a.re); }

/* Smith's algorithm, with both operands multiplied by -i where the imaginary part of b is the larger one; a
   division by 0 gives infinities and nan, depending on the parts of a */
CP_FN C c_divide(C a, C b) {
  R x = m_abs(b.re), y = m_abs(b.im), ratio, d;
  if (x == 0 && y == 0) return c_make(a.re / x, a.im / x);
  if (!(x >= y)) {
    a = c_make(a.im, -a.re);
    b = c_make(b.im, -b.re);
  }
  ratio = b.im / b.re;
  d = b.re + b.im * ratio;
  return c_make((a.re + a.im * ratio) / d, (a.im + -a.re * ratio) / d);
}
CP_FN C c_reciprocal(C a) { return c_divide(c_make((R)1, (R)0), a); }

/* ---- tests, order (real part first, then the imaginary one) and rounding */

CP_FN int c_isnan(C a) { return (a.re != a.re) | (a.im != a.im); }
CP_FN int c_isinf(C a) { return m_isinf(a.re) | m_isinf(a.im); }
CP_FN int c_isfinite(C a) { return m_isfinite(a.re) & m_isfinite(a.im); }
CP_FN int c_nonzero(C a) { return (a.re != 0) | (a.im != 0); }
CP_FN int c_equal(C a, C b) { return (a.re == b.re) & (a.im == b.im); }
CP_FN int c_not_equal(C a, C b) { return (a.re != b.re) | (a.im != b.im); }
CP_FN int c_less(C a, C b) {
  return ((a.re < b.re) & (a.im == a.im) & (b.im == b.im)) | ((a.re == b.re) & (a.im < b.im));
}
CP_FN int c_less_equal(C a, C b) {
  return ((a.re < b.re) & (a.im == a.im) & (b.im == b.im)) | ((a.re == b.re) & (a.im <= b.im));
}
CP_FN int c_greater(C a, C b) { return c_less(b, a); }
CP_FN int c_greater_equal(C a, C b) { return c_less_equal(b, a); }
CP_FN C c_maximum(C a, C b) { return c_isnan(a) | c_greater_equal(a, b) ? a : b; }
CP_FN C c_minimum(C a, C b) { return c_isnan(a) | c_less_equal(a, b) ? a : b; }
CP_FN C c_fmax(C a, C b) { return c_isnan(b) | c_greater_equal(a, b) ? a : b; }
CP_FN C c_fmin(C a, C b) { return c_isnan(b) | c_less_equal(a, b) ? a : b; }
CP_FN C c_rint(C a) { return c_make(m_rint(a.re), m_rint(a.im)); }

/* a / |a|, scaled so that the absolute value neither overflows nor loses digits; 0 stays 0 */
CP_FN C c_sign(C a) {
  R x = m_abs(a.re), y = m_abs(a.im), big = x < y ? y : x, d;
  if (m_isinf(x) && m_isinf(y)) return c_make(C_NAN, C_NAN);
  if (m_isinf(x)) return c_make(m_copysign(1, a.re), 0);
  if (m_isinf(y)) return c_make(0, m_copysign(1, a.im));
  if (c_isnan(a)) return c_make(C_NAN, C_NAN);
  a = c_scale(a, big > C_LARGE ? (R)0.25 : (big < C_SMALL ? C_PICK(0x1p60, 0x1p600) : (R)1));
  d = c_abs(a);
  return d == 0 ? c_make((R)0, (R)0) : c_make(a.re / d, a.im / d);
}
CP_FN C c_nan_to_num(C a, R nan, R posinf, R neginf) {
  return c_make(m_nan_to_num(a.re, nan, posinf, neginf), m_nan_to_num(a.im, nan, posinf, neginf));
}
CP_FN int c_isclose(C a, C b, R rtol, R atol) {
  return ((c_abs(c_subtract(a, b)) <= atol + rtol * c_abs(b)) & c_isfinite(b)) | c_equal(a, b);
}

/* ---- exponential and trigonometric functions */

/* exp(x) * half * (cos y, sin y), where exp(x) may overflow though the product does not */
CP_FN C c_cis(R x, R y, R half) {
  R e = m_exp((R)0.5 * x), f = half * e;
  return x > C_EXP_LARGE ? c_make(f * m_cos(y) * e, f * m_sin(y) * e)
                         : c_make(m_exp(x) * half * m_cos(y), m_exp(x) * half * m_sin(y));
}

CP_SLOW C c_exp(C a) {
  if (a.im == 0) return c_make(m_exp(a.re), a.im);
  if (!m_isfinite(a.im) && m_isinf(a.re))
    return a.re < 0 ? c_make(0, m_copysign(0, a.im)) : c_make(a.re, C_NAN);
  return c_cis(a.re, a.im, 1);
}
/* the angle is im ln 2, rounded, so the error grows with |im| */
CP_SLOW C c_exp2(C a) {
  R e = m_exp2((R)0.5 * a.re), y = a.im * C_LN2;
  if (a.im == 0) return c_make(m_exp2(a.re), a.im);
  if (!m_isfinite(a.re) || !m_isfinite(a.im)) return c_exp(c_make(a.re, y));
  if (a.re > C_EXP_LARGE) /* in halves, as the power may overflow where the product does not */
    return c_make(e * m_cos(y) * e, e * m_sin(y) * e);
  e = m_exp2(a.re);
  return c_make(e * m_cos(y), e * m_sin(y));
}
/* exp(a) - 1 = expm1(x) cos y - 2 sin(y/2)^2 + i exp(x) sin y */
CP_SLOW C c_expm1(C a) {
  R s;
  C r = c_exp(a);
  if (a.im == 0) return c_make(m_expm1(a.re), a.im);
  if (!(m_abs(a.re) < 1) || !m_isfinite(a.im)) return c_make(r.re - 1, r.im);
  s = m_sin((R)0.5 * a.im);
  return c_make(m_expm1(a.re) * m_cos(a.im) - 2 * s * s, r.im);
}

CP_SLOW C c_sinh(C a) {
  C r;
  if (a.im == 0) return c_make(m_sinh(a.re), a.im);
  if (!m_isfinite(a.im) && (m_isinf(a.re) || a.re == 0)) return c_make(a.re, C_NAN);
  if (!(m_abs(a.re) > C_EXP_LARGE) || m_isinf(a.re))
    return c_make(m_sinh(a.re) * m_cos(a.im), m_cosh(a.re) * m_sin(a.im));
  r = c_cis(m_abs(a.re), a.im, (R)0.5);
  return c_make(a.re < 0 ? -r.re : r.re, r.im);
}
CP_SLOW C c_cosh(C a) {
  C r;
  if (a.im == 0) return c_make(m_cosh(a.re), a.re != a.re ? a.im : m_copysign(1, a.re) * a.im);
  if (!m_isfinite(a.im) && a.re == 0) return c_make(C_NAN, a.re);
  if (!m_isfinite(a.im) && m_isinf(a.re)) return c_make(C_INFINITY, C_NAN);
  if (!(m_abs(a.re) > C_EXP_LARGE) || m_isinf(a.re))
    return c_make(m_cosh(a.re) * m_cos(a.im), m_sinh(a.re) * m_sin(a.im));
  r = c_cis(m_abs(a.re), a.im, (R)0.5);
  return c_make(r.re, a.re < 0 ? -r.im : r.im);
}
/* Kahan's: t = tan y, s = sinh x, b = 1 + t^2, (b sqrt(1 + s^2) s + i t) / (1 + b s^2) */
CP_SLOW C c_tanh(C a) {
  R x = m_abs(a.re), t, b, s, d, e;
  if (m_isinf(a.re))
    return c_make(m_copysign(1, a.re), m_copysign(0, m_isfinite(a.im) ? m_sin(a.im) * m_cos(a.im) : a.im));
  if (a.im == 0) return c_make(m_tanh(a.re), a.im);
  if (!m_isfinite(a.im)) return c_make(a.re == 0 ? a.re : C_NAN, C_NAN);
  if (x > C_TANH_LARGE) {
    e = m_exp(-x);
    return c_make(m_copysign(1, a.re), 4 * m_sin(a.im) * m_cos(a.im) * e * e);
  }
  t = m_tan(a.im);
  b = 1 + t * t;
  s = m_sinh(a.re);
  d = 1 + b * s * s;
  return c_make(b * m_cosh(a.re) * s / d, t / d);
}
/* sin a = -i sinh(i a) and so on, by exchanging the parts, as sinh(i conj a) = i conj(sin a) */
CP_FN C c_swap(C a) { return c_make(a.im, a.re); }
CP_FN C c_sin(C a) { return c_swap(c_sinh(c_swap(a))); }
CP_FN C c_cos(C a) { return c_cosh(c_make(-a.im, a.re)); }
CP_FN C c_tan(C a) { return c_swap(c_tanh(c_swap(a))); }
CP_SLOW C c_sinc(C a) {
  C b = c_scale(a, C_PI);
  return c_nonzero(a) ? c_divide(c_sin(b), b) : c_make((R)1, (R)0);
}

/* ---- roots and logarithms */

CP_SLOW C c_sqrt(C a) {
  R x = m_abs(a.re), y = m_abs(a.im), back = 1, t;
  if (x == 0 && y == 0) return c_make(0, a.im);
  if (m_isinf(y)) return c_make(y, a.im);
  if (x != x) return c_make(C_NAN, C_NAN);
  if (m_isinf(x) && a.re < 0) return c_make(y - y, m_copysign(x, a.im));
  if (m_isinf(x)) return c_make(x, y != y ? a.im : m_copysign(0, a.im));
  if (x >= C_LARGE || y >= C_LARGE) {
    x *= (R)0.0625;
    y *= (R)0.0625;
    back = 4;
  } else if (x < C_SMALL && y < C_SMALL) {
    x *= C_PICK(0x1p60, 0x1p600);
    y *= C_PICK(0x1p60, 0x1p600);
    back = C_PICK(0x1p-30, 0x1p-300);
  }
  t = m_sqrt((R)0.5 * (x + m_hypot(x, y)));
  y = back * (y / (2 * t));
  t = back * t;
  return a.re >= 0 ? c_make(t, m_copysign(y, a.im)) : c_make(y, m_copysign(t, a.im));
}

/* log |a|, without overflow, and without cancellation where |a| is near 1 */
CP_SLOW R c_log_abs(C a) {
  R x = m_abs(a.re), y = m_abs(a.im), big = x < y ? y : x, small = x < y ? x : y, scale = 1, back = 0;
  if (big >= (R)0.5 && big <= 2) return (R)0.5 * m_log1p((big - 1) * (big + 1) + small * small);
  if (big > C_LARGE) {
    scale = (R)0.25;
    back = 2 * C_LN2;
  } else if (big < C_SMALL) {
    scale = C_PICK(0x1p60, 0x1p600);
    back = -C_PICK(60, 600) * C_LN2;
  }
  return m_log(m_hypot(big * scale, small * scale)) + back; /* a single call, as the text of log is long */
}
CP_FN C c_log(C a) { return c_make(c_log_abs(a), c_angle(a)); }
CP_FN C c_log2(C a) { return c_scale(c_log(a), (R)1.4426950408889634); }
CP_FN C c_log10(C a) { return c_scale(c_log(a), (R)0.43429448190325183); }
CP_SLOW C c_log1p(C a) {
  R u = a.re + 1;
  if (m_abs(a.re) < (R)0.5 && m_abs(a.im) < (R)0.5)
    return c_make((R)0.5 * m_log1p(a.re * (2 + a.re) + a.im * a.im), m_arctan2(a.im, u));
  return c_log(c_make(u, a.im));
}

/* a^b: by multiplications for an integer b below 100, else exp(b log a); 0^0 is 1, 0^b is 0 for Re b > 0 and
   otherwise nan */
CP_SLOW C c_power(C a, C b) {
  C r = c_make((R)1, (R)0);
  int n = 0, first = 1;
  if (b.re == 0 && b.im == 0) return r;
  if (a.re == 0 && a.im == 0) return b.re > 0 ? c_make((R)0, (R)0) : c_make(C_NAN, C_NAN);
  if (b.im == 0 && m_abs(b.re) < 100) n = (int)m_abs(b.re);
  if (n == 0 || (R)n != m_abs(b.re)) return c_exp(c_multiply(b, c_log(a)));
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) {
      r = first ? a : c_multiply(r, a);
      first = 0;
    }
    a = n > 1 ? c_square(a) : a;
  }
  return b.re < 0 ? c_reciprocal(r) : r;
}

/* ---- inverse functions */

/* Hull, Fairgrieve and Tang's quantities for x = |re|, y = |im|, both finite and not large: with A = (|a + 1|
   + |a - 1|) / 2 and B = x / A, *height becomes arccosh A (the size of the imaginary part of arcsin), and *p,
   *q two numbers whose arctan2 is arcsin B: arcsin B = arctan2(p, q), arccos B = arctan2(q, p). */
CP_FN void c_hull(R x, R y, R *height, R *p, R *q) {
  R r = m_hypot(x + 1, y), s = m_hypot(x - 1, y), m = (R)0.5 * (r + s), d, e;
  if (x == 1 && y < C_EPSILON * C_EPSILON) { /* at the branch point */
    *height = m_sqrt(y);
    *p = 1;
    *q = m_sqrt(y);
    return;
  }
  if (y <= C_EPSILON * m_abs(x - 1)) { /* y^2 may underflow, so the limits for y -> 0 */
    if (x < 1) {
      *height = y / m_sqrt((1 - x) * (1 + x));
      *p = x;
      *q = m_sqrt((1 - x) * (1 + x));
    } else {
      *height = m_log1p((x - 1) + m_sqrt((x - 1) * (x + 1)));
      *p = x;
      *q = y * (x / m_sqrt((x - 1) * (x + 1)));
    }
    return;
  }
  if (x < 1)
    d = (R)0.5 * (y * (y / (r + (x + 1))) + y * (y / (s + (1 - x))));
  else
    d = (R)0.5 * (y * (y / (r + (x + 1))) + (s + (x - 1)));
  *height = m <= (R)1.5 ? m_log1p(d + m_sqrt(d * (m + 1))) : m_log(m + m_sqrt((m - 1) * (m + 1)));
  *p = x;
  e = m + x;
  if (x <= 1)
    *q = m_sqrt((R)0.5 * e * (y * (y / (r + x + 1)) + (s + (1 - x))));
  else
    *q = y * m_sqrt((R)0.5 * (e / (r + x + 1) + e / (s + (x - 1))));
}

CP_FN int c_is_large(C a) {
  return m_abs(a.re) > C_PICK(0x1p30, 0x1p60) || m_abs(a.im) > C_PICK(0x1p30, 0x1p60);
}

CP_SLOW C c_arcsin(C a) {
  R x = m_abs(a.re), y = m_abs(a.im), h, p, q;
  if (c_isnan(a)) {
    if (m_isinf(y) || m_isinf(x)) return c_make(C_NAN, m_isinf(y) ? a.im : C_INFINITY);
    return c_make(a.re == 0 ? a.re : C_NAN, C_NAN);
  }
  if (c_is_large(a)) return c_make(m_copysign(m_arctan2(x, y), a.re), m_copysign(c_log_abs(a) + C_LN2, a.im));
  c_hull(x, y, &h, &p, &q);
  return c_make(m_copysign(m_arctan2(p, q), a.re), m_copysign(h, a.im));
}
CP_SLOW C c_arccos(C a) {
  R x = m_abs(a.re), y = m_abs(a.im), h, p, q;
  if (c_isnan(a)) {
    if (m_isinf(x)) return c_make(C_NAN, -C_INFINITY);
    if (m_isinf(y)) return c_make(C_NAN, -a.im);
    return c_make(a.re == 0 ? C_PI / 2 : C_NAN, C_NAN);
  }
  if (c_is_large(a)) return c_make(m_arctan2(y, a.re), m_copysign(c_log_abs(a) + C_LN2, -a.im));
  c_hull(x, y, &h, &p, &q);
  return c_make(m_arctan2(q, m_copysign(p, a.re)), m_copysign(h, -a.im));
}
CP_FN C c_arcsinh(C a) { return c_swap(c_arcsin(c_swap(a))); }
CP_SLOW C c_arccosh(C a) {
  C r = c_arccos(a);
  if (r.re != r.re) return c_make(m_abs(r.im), r.re);
  if (r.im != r.im) return c_make(C_NAN, a.re == 0 ? r.re : C_NAN);
  return c_make(m_abs(r.im), m_copysign(r.re, a.im));
}
CP_SLOW C c_arctanh(C a) {
  R x = m_abs(a.re), y = m_abs(a.im), re, im, big, small;
  if (a.im == 0 && x <= 1) return c_make(m_arctanh(a.re), a.im);
  if (a.re == 0) return c_make(a.re, m_arctan(a.im));
  if (m_isinf(x) || m_isinf(y))
    return c_make(m_copysign(0, a.re), y != y ? C_NAN : m_copysign(C_PI / 2, a.im));
  if (c_isnan(a)) return c_make(C_NAN, C_NAN);
  if (c_is_large(a)) { /* re(1 / a), written so that nothing overflows */
    big = x < y ? y : x;
    small = x < y ? x : y;
    re = (x / big) / (big + small * (small / big));
    return c_make(m_copysign(re, a.re), m_copysign(C_PI / 2, a.im));
  }
  if (x == 1 && y < C_EPSILON)
    re = (R)0.5 * (C_LN2 - m_log(y));
  else
    re = (R)0.25 * m_log1p(4 * x / ((x - 1) * (x - 1) + y * y));
  im = (R)0.5 * m_arctan2(2 * y, (1 - x) * (1 + x) - y * y);
  return c_make(m_copysign(re, a.re), m_copysign(im, a.im));
}
CP_FN C c_arctan(C a) { return c_swap(c_arctanh(c_swap(a))); }

#undef C_PICK
#undef C_EPSILON
#undef C_LARGE
#undef C_SMALL
#undef C_EXP_LARGE
#undef C_TANH_LARGE
#undef C_INFINITY
#undef C_NAN
#undef C_PI
#undef C_LN2
