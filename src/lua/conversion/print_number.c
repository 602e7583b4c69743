// Writes numbers as text (print_number.h). The digits come from the C library's %e and %f, which round
// correctly. Only digits are taken from their output, because the decimal point depends on the locale.
#include "lua/conversion/print_number.h"

#include "device/interrupt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A finite value, split into the digits before and after the point.
typedef struct parts {
  bool negative;
  char whole[40];                       // at most 17 digits
  char fraction[CP_MAX_PRECISION + 20]; // without trailing zeros
  int exponent;                         // in scientific form
} parts;

// ---- digits -----------------------------------------------------------------------------------------------

enum { MAX_DIGITS = 17 }; // as many as a float64 needs

// Writes the first `count` digits of |v|, rounded; returns the decimal exponent of the first one.
static int digits_of(double v, int count, char digits[MAX_DIGITS + 1]) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", count - 1, fabs(v));
  const char *p = text;
  for (; *p != 'e'; p++)
    if (*p >= '0' && *p <= '9') *digits++ = *p;
  *digits = '\0';
  return atoi(p + 1);
}

// The fewest digits of |v|, at least 1, that read back as the same value of dtype t.
static int shortest(double v, cp_dtype t) {
  char text[64];
  int most = t == CP_FLOAT64 ? MAX_DIGITS : 9;
  for (int count = 1; count < most; count++) {
    snprintf(text, sizeof text, "%.*e", count - 1, v);
    if (cp_scalar_float(strtod(text, NULL), t).v.f == v) return count;
  }
  return most;
}

static void trim_zeros(char *fraction) {
  size_t n = strlen(fraction);
  while (n > 0 && fraction[n - 1] == '0') n--;
  fraction[n] = '\0';
}

// Splits v for scientific form, d.ddde+dd, with `count` digits.
static void cut_scientific(double v, int count, parts *p) {
  char digits[MAX_DIGITS + 1];
  p->negative = signbit(v) != 0;
  p->exponent = digits_of(v, count, digits);
  p->whole[0] = digits[0];
  p->whole[1] = '\0';
  strcpy(p->fraction, digits + 1);
  trim_zeros(p->fraction);
}

// Splits v for the form ddd.ddd with at most `precision` digits after the point, for |v| < 1e17.
static void cut_positional(double v, cp_dtype t, int precision, parts *p) {
  char digits[MAX_DIGITS + 1], text[CP_MAX_PRECISION + 40];
  int count = shortest(v, t);
  int exponent = digits_of(v, count, digits);
  p->negative = signbit(v) != 0;
  p->exponent = 0;
  if (count - 1 - exponent > precision) { // too many digits: round the value itself, not its shortest form
    int n = snprintf(text, sizeof text, "%.*f", precision, fabs(v));
    size_t whole = strspn(text, "0123456789");
    snprintf(p->whole, sizeof p->whole, "%.*s", (int)whole, text);
    strcpy(p->fraction, precision > 0 ? text + n - precision : "");
  } else if (exponent < 0) {
    strcpy(p->whole, "0");
    memset(p->fraction, '0', (size_t)(-exponent - 1));
    strcpy(p->fraction - exponent - 1, digits);
  } else {
    int whole = exponent + 1 < count ? exponent + 1 : count;
    snprintf(p->whole, sizeof p->whole, "%.*s%.*s", whole, digits, exponent + 1 - whole,
             "0000000000000000000");
    strcpy(p->fraction, digits + whole);
  }
  trim_zeros(p->fraction);
}

// ---- columns ----------------------------------------------------------------------------------------------

static double part_at(const cp_parts *n, int64_t k) {
  cp_scalar s = cp_scalar_load(n->data + (size_t)k * cp_itemsize(n->dtype), n->dtype);
  return !cp_is_complex(n->dtype) ? s.v.f : n->imag ? s.v.c.im : s.v.c.re;
}

// The magnitude from which on a column is written in scientific form.
static double scientific_from(cp_dtype t) { return cp_is_half(t) ? 1e3 : t == CP_FLOAT32 ? 1e6 : 1e8; }

static double rounded(double v, cp_dtype t) { return cp_scalar_float(v, t).v.f; }

static int larger(int a, int b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }

static int exponent_width(int exponent) { return abs(exponent) >= 100 ? 3 : 2; }

cp_status cp_real_format_fit(cp_context *ctx, cp_real_format *f, const cp_parts *n, int precision,
                             bool suppress) {
  enum { POLL_EVERY = 512 }; // each number takes microseconds
  double most = 0, least = INFINITY;
  bool special = false, negative_infinity = n->imag;
  *f = (cp_real_format){.dtype = cp_dtypes[n->dtype].real, .sign = n->imag, .precision = precision};
  for (int64_t k = 0; k < n->count; k++) {
    if (k % POLL_EVERY == 0) CP_TRY(cp_poll(ctx));
    double v = part_at(n, k), magnitude = fabs(v);
    if (!isfinite(v)) {
      special = true;
      negative_infinity = negative_infinity || (isinf(v) && v < 0);
    } else if (v != 0) {
      most = magnitude > most ? magnitude : most;
      least = magnitude < least ? magnitude : least;
    }
  }
  f->exponent = most >= scientific_from(f->dtype) ||
                (!suppress && most > 0 &&
                 (least < rounded(0.0001, f->dtype) || rounded(most / least, f->dtype) > 1000));
  parts p;
  for (int64_t k = 0; k < n->count; k++) {
    if (k % POLL_EVERY == 0) CP_TRY(cp_poll(ctx));
    double v = part_at(n, k);
    if (!isfinite(v)) continue;
    if (f->exponent)
      cut_scientific(v, smaller(shortest(v, f->dtype), precision + 1), &p);
    else
      cut_positional(v, f->dtype, precision, &p);
    f->left = larger(f->left, (int)strlen(p.whole) + (p.negative || f->sign));
    f->right = larger(f->right, (int)strlen(p.fraction));
    f->exponent_digits = larger(f->exponent_digits, exponent_width(p.exponent));
  }
  if (f->exponent) {
    f->precision = f->right;
    f->right += 2 + f->exponent_digits;
  }
  if (special) f->left = larger(f->left, 3 + negative_infinity - (f->right + 1));
  return CP_OK;
}

// Writes `pad` spaces, or none if it is negative.
static int spaces(char *buf, int pad) {
  if (pad <= 0) return 0;
  memset(buf, ' ', (size_t)pad);
  return pad;
}

static const char *special_text(double v, bool sign) {
  if (isnan(v)) return sign ? "+nan" : "nan";
  return v < 0 ? "-inf" : sign ? "+inf" : "inf";
}

int cp_real_format_write(const cp_real_format *f, double v, char *buf) {
  parts p;
  char *end = buf;
  if (!isfinite(v)) {
    const char *text = special_text(v, f->sign);
    end += spaces(end, f->left + f->right + 1 - (int)strlen(text));
    end += sprintf(end, "%s", text);
    return (int)(end - buf);
  }
  // In scientific form all values of a column have equally many digits. If that is more than the shortest
  // form needs, the further ones are the exact value's digits.
  if (f->exponent)
    cut_scientific(v, f->precision + 1, &p);
  else
    cut_positional(v, f->dtype, f->precision, &p);
  const char *sign = p.negative ? "-" : f->sign ? "+" : "";
  end += spaces(end, f->left - (int)strlen(p.whole) - (int)strlen(sign));
  end += sprintf(end, "%s%s.%s", sign, p.whole, p.fraction);
  int missing = (f->exponent ? f->precision : f->right) - (int)strlen(p.fraction);
  if (f->exponent) {
    for (; missing > 0; missing--) *end++ = '0';
    end += sprintf(end, "e%c%0*d", p.exponent < 0 ? '-' : '+', f->exponent_digits, abs(p.exponent));
  } else {
    end += spaces(end, missing);
  }
  *end = '\0';
  return (int)(end - buf);
}

// ---- single values ----------------------------------------------------------------------------------------

// Writes v with all its digits. point: whole numbers end in ".0".
static int real_text(double v, cp_dtype t, bool sign, bool point, char *buf) {
  parts p;
  double magnitude = fabs(v);
  if (!isfinite(v)) return sprintf(buf, "%s", special_text(v, sign));
  bool scientific = v != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
  if (scientific)
    cut_scientific(v, shortest(v, t), &p);
  else
    cut_positional(v, t, CP_MAX_PRECISION, &p);
  const char *fraction = p.fraction[0] != '\0' ? p.fraction : point && !scientific ? "0" : "";
  int n = sprintf(buf, "%s%s%s%s",
                  p.negative ? "-"
                  : sign     ? "+"
                             : "",
                  p.whole, *fraction != '\0' ? "." : "", fraction);
  if (scientific) n += sprintf(buf + n, "e%c%02d", p.exponent < 0 ? '-' : '+', abs(p.exponent));
  return n;
}

int cp_scalar_text(cp_scalar s, char *buf) {
  int n;
  switch (cp_dtypes[s.dtype].kind) {
  case 'b': return sprintf(buf, "%s", s.v.i != 0 ? "true" : "false");
  case 'i': return sprintf(buf, "%lld", (long long)s.v.i);
  case 'u': return sprintf(buf, "%llu", (unsigned long long)s.v.u);
  case 'f': return real_text(s.v.f, s.dtype, false, true, buf);
  default:
    n = real_text(s.v.c.re, cp_dtypes[s.dtype].real, false, false, buf);
    n += real_text(s.v.c.im, cp_dtypes[s.dtype].real, true, false, buf + n);
    return n + sprintf(buf + n, "j");
  }
}
