#include "lua/files/short_text.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// |v| as a number of 17 digits before the point, in 64 bits: 10 ^ (MOST - exponent) |v|. Powers up to
// 10 ^ 27 are exact, so that it is off by less than ERROR.
enum { MOST = 16, POWERS = 28 };
#define ERROR 0.02L

static const long double powers[POWERS] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
    1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

static long double scaled(long double v, int by) { return by >= 0 ? v * powers[by] : v / powers[-by]; }

// The digits of a number: `count` of them, the first one not 0 and at 10 ^ exponent.
typedef struct digits {
  uint64_t value;
  int count, exponent;
} digits;

// Finds the fewest digits from `least` to `most` that are within `half` of s, which has 17 before the point.
static bool find_digits(long double s, long double half, int least, int most, digits *d) {
  for (d->count = least; d->count <= most; d->count++) {
    const long double unit = powers[MOST + 1 - d->count], whole = floorl(s / unit), rest = s / unit - whole;
    if (fabsl(rest - 0.5L) <= ERROR) return false; // how it is rounded
    d->value = (uint64_t)whole + (rest > 0.5L);
    const long double off = fabsl((long double)d->value * unit - s);
    if (off < half - ERROR) return true;
    if (off <= half + ERROR) return false; // whether it reads back
  }
  return false;
}

// Writes `count` digits of `value` to their last place.
static void put_digits(uint64_t value, int count, char *text) {
  for (int k = count - 1; k >= 0; k--, value /= 10) text[k] = (char)('0' + value % 10);
}

static size_t put_scientific(const digits *d, int shown, const char *list, char *text) {
  char *p = text;
  int e = d->exponent < 0 ? -d->exponent : d->exponent;
  *p++ = list[0];
  if (shown > 1) *p++ = '.';
  memcpy(p, list + 1, (size_t)shown - 1);
  p += shown - 1;
  *p++ = 'e';
  *p++ = d->exponent < 0 ? '-' : '+';
  *p++ = (char)('0' + e / 10);
  *p++ = (char)('0' + e % 10);
  return (size_t)(p - text);
}

static size_t put_positional(const digits *d, int shown, const char *list, char *text) {
  char *p = text;
  if (d->exponent < 0) {
    memcpy(p, "0.000", 5);
    p += 1 - d->exponent;
    memcpy(p, list, (size_t)shown);
    return (size_t)(p - text) + (size_t)shown;
  }
  const int whole = d->exponent + 1;
  for (int k = 0; k < whole; k++) *p++ = k < shown ? list[k] : '0';
  if (shown > whole) {
    *p++ = '.';
    memcpy(p, list + whole, (size_t)(shown - whole));
    p += shown - whole;
  }
  return (size_t)(p - text);
}

size_t cp_short_text(double v, bool narrow, char text[CP_SHORT_TEXT]) {
  const double a = fabs(v);
  digits d;
  char list[MOST + 2], *p = text;
  int binary;
  if (LDBL_MANT_DIG < 64 || !(a >= 1e-10 && a < 1e30)) return 0;
  // beside a power of two the next numbers are not equally far
  if (frexp(a, &binary) == 0.5) return 0;
  int exponent = (int)floor(log10(a));
  long double s = scaled(a, MOST - exponent);
  if (s < powers[MOST]) s = scaled(a, MOST - --exponent);
  if (s >= powers[MOST + 1]) s = scaled(a, MOST - ++exponent);
  const long double half =
      scaled(ldexpl(1, binary - (narrow ? FLT_MANT_DIG : DBL_MANT_DIG) - 1), MOST - exponent);
  if (!find_digits(s, half, narrow ? 6 : 15, narrow ? 9 : 17, &d)) return 0;
  if ((long double)d.value >= powers[d.count]) { // rounded up to a power of ten
    d.value /= 10;
    exponent++;
  }
  d.exponent = exponent;
  put_digits(d.value, d.count, list);
  int shown = d.count;
  while (shown > 1 && list[shown - 1] == '0') shown--;
  if (v < 0) *p++ = '-';
  p += exponent < -4 || exponent >= d.count ? put_scientific(&d, shown, list, p)
                                            : put_positional(&d, shown, list, p);
  return (size_t)(p - text);
}
