/* Checks exact parts of the preludes on the CPU: half types over all bit patterns, int8 over all pairs,
 * special values of real functions against the C library, of complex functions against the C library's annex
 * G.
 * Prints one line per difference (at most 20) and their number; exit status 1 if there is any.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#undef I
#ifndef CMPLX
#define CMPLX(re, im)                                                                                        \
  (((union {                                                                                                 \
     double part[2];                                                                                         \
     double complex whole;                                                                                   \
   }){{re, im}})                                                                                             \
       .whole)
#endif

#define CP_FN   static inline __attribute__((always_inline, unused))
#define CP_SLOW static __attribute__((noinline, unused))
#include "kernels/prelude/float64.h"
#define C complex128
#define R double
#include "kernels/prelude/complex.h"
#undef C
#undef R
#include "kernels/prelude/bool.h"
#include "kernels/prelude/half.h"
#define T         signed char
#define CP_SIGNED 1
#define CP_WIDTH  8
#define W         unsigned
#include "kernels/prelude/integer.h"
#undef T

static int bad;

static void check(int good, const char *what, double a, double b) {
  if (!good && bad++ < 20) printf("%s at %a, %a\n", what, a, b);
}

static int same(double a, double b) { return (a != a && b != b) || (a == b && !signbit(a) == !signbit(b)); }

/* ---- half types */

/* what differs between the two formats */
typedef struct {
  const char *name;
  unsigned infinity;
  float (*widen)(unsigned short);
  unsigned short (*narrow)(float);
  unsigned short (*narrow64)(double);
  float (*next)(float, float);
} format;

static float widen_f16(unsigned short a) { return h_f16_to_f32(a); }
static float widen_bf16(unsigned short a) { return h_bf16_to_f32(a); }
static unsigned short narrow_f16(float a) { return h_f32_to_f16(a); }
static unsigned short narrow_bf16(float a) { return h_f32_to_bf16(a); }
static unsigned short narrow64_f16(double a) { return h_f64_to_f16(a); }
static unsigned short narrow64_bf16(double a) { return h_f64_to_bf16(a); }
static float next_f16(float a, float b) { return h_nextafter_f16(a, b); }
static float next_bf16(float a, float b) { return h_nextafter_bf16(a, b); }

static double value(unsigned u, int f16) {
  int digits = f16 ? 10 : 7, e = (int)(u & 0x7fffu) >> digits;
  double m = u & ((1u << digits) - 1u),
         a = ldexp(e != 0 ? m + ldexp(1, digits) : m, (e != 0 ? e : 1) - (f16 ? 25 : 134));
  return (u & 0x8000u) != 0 ? -a : a;
}

static void check_format(const format *f, int f16) {
  for (unsigned u = 0; u < 0x10000u; u++) {
    float a = f->widen((unsigned short)u), b;
    unsigned x = u & 0x7fffu, even = u + (u & 1u);
    double middle;
    if (x > f->infinity) {
      check(a != a && (f->narrow(a) & 0x7fffu) > f->infinity && (f->narrow64(a) & 0x7fffu) > f->infinity,
            f->name, u, 0);
      continue;
    }
    check(f->narrow(a) == u && f->narrow64((double)a) == u, f->name, u, 1);
    if (x == f->infinity) continue;
    check(same((double)a, value(u, f16)), f->name, u, 2);
    middle = (value(u, f16) + value(u + 1, f16)) / 2; /* between a and the next value outwards */
    check(f->narrow64(middle) == even && f->narrow64(nextafter(middle, 0)) == u, f->name, u, 3);
    check(f->narrow64(nextafter(middle, middle * 2)) == u + 1, f->name, u, 4);
    if ((double)(float)middle == middle && fabs(middle) < (double)INFINITY) {
      check(f->narrow((float)middle) == even && f->narrow(nextafterf((float)middle, 0)) == u, f->name, u, 5);
      check(f->narrow(nextafterf((float)middle, (float)middle * 2)) == u + 1, f->name, u, 6);
    }
    b = f->widen((unsigned short)(u + 1));
    check(f->next(a, (float)copysign((double)INFINITY, value(u, f16))) == b, f->name, u, 7);
    check(x == 0 || same((double)f->next(b, a), (double)a), f->name, u, 8);
  }
}

/* ---- int8 */

static int floor_mod(int a, int b) { return b == 0 ? 0 : ((a % b) + b) % b; }

static int gcd(int a, int b) { return b == 0 ? (a < 0 ? -a : a) : gcd(b, a % b); }

static int power(int a, int n) {
  int r = 1;
  if (n < 0) return a == 1 ? 1 : (a == -1 ? (n % 2 != 0 ? -1 : 1) : 0);
  for (; n > 0; n--) r = (signed char)(r * a);
  return r;
}

static void check_int8(void) {
  for (int a = -128; a < 128; a++)
    for (int b = -128; b < 128; b++) {
      signed char x = (signed char)a, y = (signed char)b;
      int divisor = b == 0 ? 1 : b, g = gcd(a, b);
      int left = b < 0 || b > 7 ? 0 : a * (1 << b), right = b < 0 || b > 7 ? -(a < 0) : a >> b;
      check(i_add(x, y) == (signed char)(a + b) && i_subtract(x, y) == (signed char)(a - b),
            "i_add, i_subtract", a, b);
      check(i_multiply(x, y) == (signed char)(a * b), "i_multiply", a, b);
      check(i_floor_divide(x, y) == (b == 0 ? 0 : (signed char)floor((double)a / divisor)), "i_floor_divide",
            a, b);
      check(i_remainder(x, y) == floor_mod(a, b), "i_remainder", a, b);
      check(i_fmod(x, y) == (b == 0 ? 0 : a % divisor), "i_fmod", a, b);
      check(i_power(x, y) == power(a, b), "i_power", a, b);
      check(i_left_shift(x, y) == (signed char)left && i_right_shift(x, y) == right, "shifts", a, b);
      check(i_gcd(x, y) == (signed char)g, "i_gcd", a, b);
      check(i_lcm(x, y) == (g == 0 ? 0 : (signed char)((a < 0 ? -a : a) / g * (b < 0 ? -b : b))), "i_lcm", a,
            b);
      check(i_maximum(x, y) == (a > b ? a : b) && i_minimum(x, y) == (a < b ? a : b), "i_maximum, i_minimum",
            a, b);
      check(i_abs(x) == (signed char)(a < 0 ? -a : a) && i_negative(x) == (signed char)-a,
            "i_abs, i_negative", a, b);
      check(i_reciprocal(x) == (a == 0 ? 0 : 1 / a) && i_sign(x) == (a > 0) - (a < 0), "i_reciprocal, i_sign",
            a, b);
    }
}

/* ---- real and complex functions at special values */

static const double points[] = {
    0,        0x1p-1074, 0x1p-1022, 0.3, 0.5,    1,      1.5,   2,
    3,        7,         40,        800, 0x1p52, 0x1p53, 1e300, 0x1.fffffffffffffp1023,
    INFINITY, NAN};
#define N_POINTS (2 * (int)(sizeof points / sizeof *points))

static double point(int i) { return i % 2 != 0 ? -points[i / 2] : points[i / 2]; }

/* Python's and NumPy's rules, by definition */
static double want_remainder(double a, double b) {
  double r = fmod(a, b);
  if (r == 0) return copysign(0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

static void check_real(void) {
  for (int i = 0; i < N_POINTS; i++)
    for (int j = 0; j < N_POINTS; j++) {
      double a = point(i), b = point(j), whole;
      int e;
      check(same(m_nextafter(a, b), nextafter(a, b)), "m_nextafter", a, b);
      check(same(m_remainder(a, b), want_remainder(a, b)), "m_remainder", a, b);
      whole = m_floor_divide(a, b);
      if (isfinite(a) && isfinite(b) && b != 0 && fabs(whole) < 1e15 && fabs(b) < 1e300)
        check(whole == floor(whole) && fabs(whole * b + m_remainder(a, b) - a) <= 1e-14 * (fabs(a) + fabs(b)),
              "m_floor_divide", a, b);
      if (isfinite(a)) {
        check(same(m_frexp_mantissa(a), frexp(a, &e)) && m_frexp_exponent(a) == e, "m_frexp", a, 0);
        check(same(m_modf_fraction(a), modf(a, &whole)) && same(m_modf_integer(a), whole), "m_modf", a, 0);
      }
      check(same(m_fmax(a, b), fmax(a, b)) || (a == 0 && b == 0), "m_fmax", a, b);
      check(same(m_maximum(a, b), a != a || b != b ? NAN : fmax(a, b)) || (a == 0 && b == 0), "m_maximum", a,
            b);
    }
}

/* Whether both are nan, infinite or zero alike, and have the same sign. The standard leaves the sign of zero
 * and infinity open when an argument is not finite and the other part is nan. */
static int alike(double got, double want, double other, int finite) {
  if (want != want || got != got) return want != want && got != got;
  if (!isinf(want) != !isinf(got) || (fabs(want) < 1e-290) != (fabs(got) < 1e-290)) return 0;
  return (fabs(want) < 1e-14 && want != 0) || (!finite && other != other) || !signbit(want) == !signbit(got);
}

// clang-format off
#define FOR_EACH(X) \
  X(exp, cexp) X(log, clog) X(sqrt, csqrt) X(sin, csin) X(cos, ccos) X(tan, ctan) X(sinh, csinh) \
  X(cosh, ccosh) X(tanh, ctanh) X(arcsin, casin) X(arccos, cacos) X(arctan, catan) \
  X(arcsinh, casinh) X(arccosh, cacosh) X(arctanh, catanh)
// clang-format on

static void check_complex(void) {
  for (int i = 0; i < N_POINTS; i++)
    for (int j = 0; j < N_POINTS; j++) {
      complex128 a = {point(i), point(j)}, got;
      double complex z = CMPLX(a.re, a.im), want;
      int finite = c_isfinite(a);
#define COMPARE(name, reference)                                                                             \
  got = c_##name(a);                                                                                         \
  want = reference(z);                                                                                       \
  check(alike(got.re, creal(want), cimag(want), finite) && alike(got.im, cimag(want), creal(want), finite),  \
        "c_" #name, a.re, a.im);
      FOR_EACH(COMPARE)
    }
}

int main(void) {
  static const format f16 = {"float16", 0x7c00u, widen_f16, narrow_f16, narrow64_f16, next_f16};
  static const format bf16 = {"bfloat16", 0x7f80u, widen_bf16, narrow_bf16, narrow64_bf16, next_bf16};
  check_format(&f16, 1);
  check_format(&bf16, 0);
  check_int8();
  check_real();
  check_complex();
  printf("%d disagreements\n", bad);
  return bad != 0;
}
