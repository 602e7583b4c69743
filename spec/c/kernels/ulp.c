/* Checks the accuracy of the math preludes on the CPU: each function over dense samples against a long
 * double reference, in units in the last place, with the bound in ops.def; exit status 1 if one is exceeded.
 *
 * This program checks float32 and complex64, ulp64.c the other dtypes, since a translation unit has one
 * element type. It also checks that compiled loops, vectorized or not, give the same bits as single calls.
 * Usage: ulp [samples per function]
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef I
#ifndef CMPLXL /* clang has no builtin behind glibc's macro */
#define CMPLXL(re, im)                                                                                       \
  (((union {                                                                                                 \
     long double part[2];                                                                                    \
     long double complex whole;                                                                              \
   }){{re, im}})                                                                                             \
       .whole)
#endif

#define CP_FN   static inline __attribute__((always_inline, unused))
#define CP_SLOW static __attribute__((noinline, unused))

typedef long double wide;
typedef long double complex cwide;

#ifdef ULP_FLOAT64
#include "kernels/prelude/float64.h"
typedef double real;
typedef uint64_t word;
#define C               complex128
#define R               double
#define TYPE            "float64"
#define CTYPE           "complex128"
#define DIGITS          53
#define EMIN            (-1022)
#define EMAX            1023
#define BOUND(f32, f64) (f64)
#else
#include "kernels/prelude/float32.h"
typedef float real;
typedef uint32_t word;
#define C               complex64
#define R               float
#define TYPE            "float32"
#define CTYPE           "complex64"
#define DIGITS          24
#define EMIN            (-126)
#define EMAX            127
#define BOUND(f32, f64) (f32)
#endif
#include "kernels/prelude/complex.h"

#define BLOCK 1024

static uint64_t seed = 1;

/* xorshift64*, Vigna (2016) */
static uint64_t draw(void) {
  seed ^= seed >> 12;
  seed ^= seed << 25;
  seed ^= seed >> 27;
  return seed * 2685821657736338717ull;
}

static double draw_unit(void) { return (double)(draw() >> 11) * 0x1p-53; }

/* Where samples come from. */
enum { ANY, NEAR, UNIT, TURN, SMALL, SHARE };

static real sample(int kind) {
  word w = (word)draw();
  real a;
  memcpy(&a, &w, sizeof a);
  if (kind == ANY && (draw() & 1) != 0) /* half of them within some binary orders of 1 */
    kind = NEAR;
  switch (kind) {
  case NEAR: a = (real)ldexp(0.5 + 0.5 * draw_unit(), (int)(draw() % 24) - 12); break;
  case UNIT: a = (real)(1 + ldexp(draw_unit() - 0.5, -(int)(draw() % (DIGITS + 1)))); break;
  case TURN: /* beside multiples of pi/2, where reduction is hardest */
    a = (real)((double)(draw() % (1u << (draw() % 24))) * 1.5707963267948966);
    break;
  case SHARE: a = (real)draw_unit(); break;
  case SMALL: a = (real)(240 * (draw_unit() - 0.5)); break;
  default: return a;
  }
  return (draw() & 1) != 0 ? a : -a;
}

/* |got - want| in the unit in the last place of max(|want|, scale) */
static double error_of(wide got, wide want, wide scale) {
  wide size = fabsl(want) > scale ? fabsl(want) : scale;
  int e;
  if (isnan(got) || isnan(want)) return isnan(got) && isnan(want) ? 0 : INFINITY;
  if ((wide)(real)want == got) return 0;
  if (isinf(got) && !isinf(want)) got = copysignl(ldexpl(1, EMAX + 1), got);
  if (isinf(want) || isinf(got)) return INFINITY;
  frexpl(size, &e);
  if (size == 0 || e < EMIN + 1) e = EMIN + 1;
  return (double)(fabsl(got - want) / ldexpl(1, e - DIGITS));
}

/* ---- functions of one argument */

typedef wide (*reference1)(wide);
typedef struct {
  const char *name;
  void (*loop)(real *d, const real *a, long n);
  real (*call)(real a);
  reference1 want;
  int kind;
  double bound; /* ulp */
  double scale; /* errors below one ulp of this size do not count */
} function1;

#define DEFINE1(name)                                                                                        \
  static __attribute__((noinline)) void loop_##name(real *restrict d, const real *restrict a, long n) {      \
    for (long i = 0; i < n; i++) d[i] = m_##name(a[i]);                                                      \
  }                                                                                                          \
  static __attribute__((noinline)) real call_##name(real a) { return m_##name(a); }

// clang-format off
#define FOR_EACH_1(X) \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tanh) X(tan) X(arcsin) \
  X(arccos) X(arctan) X(sinh) X(cosh) X(arcsinh) X(arccosh) X(arctanh) X(sqrt) X(rsqrt) X(cbrt) \
  X(erf) X(erfc) X(lgamma) X(gamma) X(sinc) X(degrees) X(radians) X(special_erfinv) X(special_erfcinv) \
  X(special_ndtri)
// clang-format on
FOR_EACH_1(DEFINE1)

static wide want_rsqrt(wide a) { return 1 / sqrtl(a); }
static wide want_degrees(wide a) { return a * 57.29577951308232087679815481410517L; }
static wide want_radians(wide a) { return a * 0.017453292519943295769236907684886L; }
static wide want_gamma(wide a) { return a == 0 ? copysignl(INFINITY, a) : tgammal(a); }
static wide want_lgamma(wide a) {
  int sign;
  return isinf(a) ? a : lgammal_r(a, &sign); /* as SciPy: -inf at -inf */
}
static wide want_sinc(wide a) {
  wide r = fmodl(fabsl(a), 2);
  if (a == 0) return 1;
  if (isinf(a)) return NAN; /* as NumPy: sin of infinity */
  return (r > 1 ? -sinl(3.14159265358979323846264338327950288L * (r - 1))
                : sinl(3.14159265358979323846264338327950288L * r)) /
         (3.14159265358979323846264338327950288L * fabsl(a));
}

/* y with erfc(y) = q, by Newton's steps on the logarithm; near 1 on erf, where that is small */
static wide want_special_erfcinv(wide q) {
  const wide half_pi_root = 0.886226925452758013649083741670572591L;
  wide y, step = 1;
  if (!(q >= 0 && q <= 2)) return NAN;
  if (q == 0 || q == 2) return q == 0 ? INFINITY : -INFINITY;
  if (q > 1) return -want_special_erfcinv(2 - q);
  y = q > 0.5L ? (1 - q) * half_pi_root : sqrtl(-logl(q));
  for (int k = 0; k < 200 && fabsl(step) > 1e-19L * y; k++) {
    step = q > 0.5L ? (1 - q - erfl(y)) * half_pi_root * expl(y * y)
                    : logl(erfcl(y) / q) * erfcl(y) * half_pi_root * expl(y * y);
    y += step;
  }
  return y;
}
/* 1 - |a| is exact for |a| >= 1/2, where it matters */
static wide want_special_erfinv(wide a) {
  const wide half_pi_root = 0.886226925452758013649083741670572591L;
  wide x = fabsl(a), y = x * half_pi_root;
  if (x >= 0.5L || isnan(a)) return copysignl(want_special_erfcinv(1 - x), a);
  for (int k = 0; k < 8; k++) y += (x - erfl(y)) * half_pi_root * expl(y * y);
  return copysignl(y, a);
}
static wide want_special_ndtri(wide a) {
  const wide root = 1.414213562373095048801688724209698079L;
  return fabsl(a - 0.5L) < 0.25L ? root * want_special_erfinv(2 * a - 1)
                                 : -root * want_special_erfcinv(2 * a);
}

#define ROW(name, want, kind, b32, b64, scale)                                                               \
  { #name, loop_##name, call_##name, want, kind, BOUND(b32, b64), scale }
static const function1 table1[] = {
    ROW(exp, expl, ANY, 1, 1, 0),
    ROW(exp, expl, SMALL, 1, 1, 0),
    ROW(exp2, exp2l, ANY, 1, 1, 0),
    ROW(exp2, exp2l, SMALL, 1, 1, 0),
    ROW(expm1, expm1l, ANY, 1, 1, 0),
    ROW(expm1, expm1l, SMALL, 1, 1, 0),
    ROW(log, logl, ANY, 1, 1, 0),
    ROW(log, logl, UNIT, 1, 1, 0),
    ROW(log2, log2l, ANY, 1, 1, 0),
    ROW(log2, log2l, UNIT, 1, 1, 0),
    ROW(log10, log10l, ANY, 1, 1, 0),
    ROW(log10, log10l, UNIT, 1, 1, 0),
    ROW(log1p, log1pl, ANY, 1, 1, 0),
    ROW(log1p, log1pl, UNIT, 1, 1, 0),
    ROW(sin, sinl, ANY, 1, 1, 0),
    ROW(sin, sinl, TURN, 1, 1, 0),
    ROW(cos, cosl, ANY, 1, 1, 0),
    ROW(cos, cosl, TURN, 1, 1, 0),
    ROW(tanh, tanhl, ANY, 2, 2, 0),
    ROW(tan, tanl, ANY, 4, 4, 0),
    ROW(arcsin, asinl, ANY, 4, 4, 0),
    ROW(arccos, acosl, ANY, 4, 4, 0),
    ROW(arctan, atanl, ANY, 4, 4, 0),
    ROW(sinh, sinhl, ANY, 4, 4, 0),
    ROW(cosh, coshl, ANY, 4, 4, 0),
    ROW(arcsinh, asinhl, ANY, 4, 4, 0),
    ROW(arccosh, acoshl, ANY, 4, 4, 0),
    ROW(arctanh, atanhl, ANY, 4, 4, 0),
    ROW(sqrt, sqrtl, ANY, 0.5, 0.5, 0),
    ROW(rsqrt, want_rsqrt, ANY, 2, 2, 0),
    ROW(cbrt, cbrtl, ANY, 4, 4, 0),
    ROW(erf, erfl, ANY, 4, 4, 0),
    ROW(erfc, erfcl, ANY, 4, 4, 0),
    ROW(lgamma, want_lgamma, ANY, 8, 8, 1),
    ROW(gamma, want_gamma, ANY, 8, 8, 0),
    ROW(gamma, want_gamma, SMALL, 8, 8, 0),
    ROW(special_erfinv, want_special_erfinv, ANY, 4, 4, 0),
    ROW(special_erfinv, want_special_erfinv, SHARE, 4, 4, 0),
    ROW(special_erfcinv, want_special_erfcinv, ANY, 4, 4, 0),
    ROW(special_erfcinv, want_special_erfcinv, UNIT, 4, 4, 0),
    ROW(special_ndtri, want_special_ndtri, ANY, 4, 4, 0),
    ROW(special_ndtri, want_special_ndtri, SHARE, 4, 4, 0),
    ROW(sinc, want_sinc, ANY, 4, 4, 1e-3),
    ROW(degrees, want_degrees, ANY, 2, 2, 0),
    ROW(radians, want_radians, ANY, 2, 2, 0),
};

static const double special[] = {
    0.0,       1.0,     0.5,     2.0,       1e-3,      10.0,   88.0,   89.0,   103.9,    104.1,    709.5,
    710.0,     745.0,   746.0,   1e5,       1e30,      1e-30,  1e-42,  1e-320, 0x1p-149, 0x1p-126, 0x1p-1074,
    0x1p-1022, 12800.0, 12801.0, 1600000.0, 1600001.0, 0x1p23, 0x1p24, 0x1p52, 0x1p53,   INFINITY, NAN};
#define N_SPECIAL ((long)(sizeof special / sizeof *special))

static int differ(const real *a, const real *b) {
  return memcmp(a, b, sizeof *a) != 0 && !(*a != *a && *b != *b);
}

static int run1(const function1 *f, long n) {
  static real a[BLOCK], d[BLOCK];
  double worst = 0;
  real at = 0;
  long loops = 0;
  for (long done = 0; done < n; done += BLOCK) {
    for (long i = 0; i < BLOCK; i++)
      a[i] = done == 0 && i < 2 * N_SPECIAL ? (real)((i & 1) != 0 ? -special[i / 2] : special[i / 2])
                                            : sample(f->kind);
    f->loop(d, a, BLOCK);
    for (long i = 0; i < BLOCK; i++) {
      real one = f->call(a[i]);
      wide want = f->want((wide)a[i]);
      double e = error_of((wide)one, want, (wide)f->scale);
      loops += differ(&one, &d[i]);
      if (want == 0 && one == 0 && a[i] == 0 && !signbit(want) != !signbit(one)) e = INFINITY;
      if (!(e <= worst)) {
        worst = e;
        at = a[i];
      }
    }
  }
  printf("%-15s %-10s %8.3f at %a%s%s\n", f->name, TYPE, worst, (double)at,
         worst > f->bound ? "  ABOVE ITS BOUND" : "", loops != 0 ? "  LOOP DIFFERS" : "");
  return worst > f->bound || loops != 0;
}

/* ---- functions of two arguments */

typedef struct {
  const char *name;
  void (*loop)(real *d, const real *a, const real *b, long n);
  real (*call)(real a, real b);
  wide (*want)(wide a, wide b);
  int pow, relative; /* samples made for pow; errors measured against the larger argument */
  double bound;
} function2;

#define DEFINE2(name)                                                                                        \
  static __attribute__((noinline)) void loop_##name(real *restrict d, const real *restrict a,                \
                                                    const real *restrict b, long n) {                        \
    for (long i = 0; i < n; i++) d[i] = m_##name(a[i], b[i]);                                                \
  }                                                                                                          \
  static __attribute__((noinline)) real call_##name(real a, real b) { return m_##name(a, b); }
#define FOR_EACH_2(X) X(pow) X(arctan2) X(hypot) X(logaddexp) X(logaddexp2) X(fmod)
FOR_EACH_2(DEFINE2)

static wide want_logaddexp(wide a, wide b) {
  if (isnan(a) || isnan(b)) return NAN;
  return a == b ? a + logl(2) : (a > b ? a : b) + log1pl(expl(-fabsl(a - b)));
}
static wide want_logaddexp2(wide a, wide b) {
  if (isnan(a) || isnan(b)) return NAN;
  return a == b ? a + 1 : (a > b ? a : b) + log1pl(exp2l(-fabsl(a - b))) / logl(2);
}

#define ROW2(name, want, pow, relative, b32, b64)                                                            \
  { #name, loop_##name, call_##name, want, pow, relative, BOUND(b32, b64) }
static const function2 table2[] = {
    ROW2(pow, powl, 1, 0, 1, 1),
    ROW2(arctan2, atan2l, 0, 0, 4, 4),
    ROW2(hypot, hypotl, 0, 0, 4, 4),
    ROW2(logaddexp, want_logaddexp, 0, 1, 4, 4),
    ROW2(logaddexp2, want_logaddexp2, 0, 1, 4, 4),
    ROW2(fmod, fmodl, 0, 0, 0, 0),
};

static void pair(const function2 *f, real *a, real *b) {
  *a = sample(draw() % 4 == 0 ? UNIT : ANY);
  *b = sample(ANY);
  if (f->pow && draw() % 8 != 0) { /* a result within the range */
    real x = fabs((double)*a) > 0 && draw() % 8 != 0 ? (real)fabs((double)*a) : *a;
    *a = x;
    *b = (real)((draw_unit() - 0.5) * 2 * (EMAX + 25) / log2(fabs((double)x)));
    if (draw() % 4 == 0) *b = (real)rint((double)*b);
  }
}

static int run2(const function2 *f, long n) {
  static real a[BLOCK], b[BLOCK], d[BLOCK];
  double worst = 0;
  real x = 0, y = 0;
  long loops = 0, specials = 0;
  for (long done = 0; done < n + 4 * N_SPECIAL * N_SPECIAL; done += BLOCK) {
    for (long i = 0; i < BLOCK; i++) {
      pair(f, &a[i], &b[i]);
      if (specials < 4 * N_SPECIAL * N_SPECIAL) {
        long j = specials++;
        a[i] = (real)(special[j / 4 / N_SPECIAL] * ((j & 1) != 0 ? -1 : 1));
        b[i] = (real)(special[j / 4 % N_SPECIAL] * ((j & 2) != 0 ? -1 : 1));
      }
    }
    f->loop(d, a, b, BLOCK);
    for (long i = 0; i < BLOCK; i++) {
      real one = f->call(a[i], b[i]);
      wide scale = f->relative ? fmaxl(fabsl((wide)a[i]), fabsl((wide)b[i])) : 0, want = f->want(a[i], b[i]);
      double e = error_of((wide)one, want, isinf(scale) || isnan(scale) ? 0 : scale);
      loops += differ(&one, &d[i]);
      if (want == 0 && one == 0 && !f->relative && !signbit(want) != !signbit(one)) e = INFINITY;
      if (!(e <= worst)) {
        worst = e;
        x = a[i];
        y = b[i];
      }
    }
  }
  printf("%-10s %-10s %8.3f at %a, %a%s%s\n", f->name, TYPE, worst, (double)x, (double)y,
         worst > f->bound ? "  ABOVE ITS BOUND" : "", loops != 0 ? "  LOOP DIFFERS" : "");
  return worst > f->bound || loops != 0;
}

/* Whole powers of small numbers have to be exact. */
static int run_exact_powers(void) {
  int bad = 0;
  for (int a = 2; a < 60; a++) {
    double p = 1;
    for (int n = 0; p < ldexp(1, DIGITS); n++, p *= a) bad += (double)call_pow((real)a, (real)n) != p;
  }
  printf("%-10s %-10s %d of the exact whole powers are wrong\n", "pow", TYPE, bad);
  return bad != 0;
}

/* ---- complex functions: the error in ulp of the norm */

typedef struct {
  const char *name;
  C (*call)(C a);
  cwide (*want)(cwide a);
  double bound;
} cfunction;

// clang-format off
#define FOR_EACH_C(X) \
  X(exp, cexpl) X(log, clogl) X(sqrt, csqrtl) X(sin, csinl) X(cos, ccosl) X(tan, ctanl) \
  X(sinh, csinhl) X(cosh, ccoshl) X(tanh, ctanhl) X(arcsin, casinl) X(arccos, cacosl) \
  X(arctan, catanl) X(arcsinh, casinhl) X(arccosh, cacoshl) X(arctanh, catanhl) X(exp2, want_cexp2) \
  X(expm1, want_cexpm1) X(log2, want_clog2) X(log10, want_clog10) X(log1p, want_clog1p)
// clang-format on
static cwide want_cexp2(cwide a) { return cexpl(a * logl(2)); }
static cwide want_clog2(cwide a) { return clogl(a) / logl(2); }
static cwide want_clog10(cwide a) { return clogl(a) / logl(10); }
static cwide want_cexpm1(cwide a) {
  wide s = sinl(cimagl(a) / 2);
  return CMPLXL(expm1l(creall(a)) * cosl(cimagl(a)) - 2 * s * s, cimagl(cexpl(a)));
}
static cwide want_clog1p(cwide a) {
  wide x = creall(a), y = cimagl(a);
  if (fabsl(x) < 0.5L && fabsl(y) < 0.5L) return CMPLXL(log1pl(x * (2 + x) + y * y) / 2, atan2l(y, 1 + x));
  return clogl(CMPLXL(1 + x, y));
}

#define DEFINE_C(name, want)                                                                                 \
  static __attribute__((noinline)) C ccall_##name(C a) { return c_##name(a); }
#define ROW_C(name, want) {#name, ccall_##name, want, 8},
FOR_EACH_C(DEFINE_C)
static const cfunction table_c[] = {FOR_EACH_C(ROW_C)};

static int run_c(const cfunction *f, long n) {
  double worst = 0;
  C at = {0, 0};
  for (long i = 0; i < n; i++) {
    C a = {sample(i % 3 == 0 ? UNIT : NEAR), sample(i % 5 == 0 ? UNIT : NEAR)}, got;
    cwide want;
    wide norm, e;
    if (i % 7 == 0) a.im = sample(ANY);
    if (i % 11 == 0) a.re = sample(ANY);
    if (!c_isfinite(a) || (m_abs(a.re) > (real)1e6 && i % 7 != 0) || (m_abs(a.im) > (real)1e6 && i % 11 != 0))
      continue;
    if (f->want == want_cexp2 && m_abs(a.im) > 8) /* the angle is im ln 2, rounded: its error grows with im */
      continue;
    got = f->call(a);
    want = f->want(CMPLXL((wide)a.re, (wide)a.im));
    norm = cabsl(want);
    if (!(norm < ldexpl(1, EMAX)) || !(norm > ldexpl(1, EMIN + 2))) continue;
    e = hypotl((wide)got.re - creall(want), (wide)got.im - cimagl(want));
    e = isnan(e) ? INFINITY : (wide)error_of(norm + e, norm, 0);
    if ((double)e > worst) {
      worst = (double)e;
      at = a;
    }
  }
  printf("%-10s %-10s %8.3f at (%a, %a)%s\n", f->name, CTYPE, worst, (double)at.re, (double)at.im,
         worst > f->bound ? "  ABOVE ITS BOUND" : "");
  return worst > f->bound;
}

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : BOUND(1000000, 200000);
  int bad = 0;
  for (size_t i = 0; i < sizeof table1 / sizeof *table1; i++) bad |= run1(&table1[i], n);
  for (size_t i = 0; i < sizeof table2 / sizeof *table2; i++) bad |= run2(&table2[i], n);
  bad |= run_exact_powers();
  for (size_t i = 0; i < sizeof table_c / sizeof *table_c; i++) bad |= run_c(&table_c[i], n / 4);
  return bad;
}
