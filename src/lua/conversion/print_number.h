// Numbers as text, the same in every locale: shortest digits that read back as the same value of their dtype, and NumPy's rules
// for columns of them (numpy.set_printoptions describes those: precision, suppress; floatmode is "maxprec").
#ifndef CP_LUA_CONVERSION_PRINT_NUMBER_H
#define CP_LUA_CONVERSION_PRINT_NUMBER_H

#include "base/dtype.h"
#include "device/device.h"

enum {
  CP_MAX_PRECISION = 64,
  CP_NUMBER_TEXT = 256 // bytes that hold any number's text
};

// How the real or imaginary parts of one array are written, so that points and widths agree.
typedef struct cp_real_format {
  cp_dtype dtype;  // real
  bool sign;       // positive values get a plus
  bool exponent;   // scientific
  int precision;   // most digits behind the point
  int left, right; // widths of what stands before and behind the point, sign and exponent included
  int exponent_digits;
} cp_real_format;

// The real or imaginary parts of `count` elements at data.
typedef struct cp_parts {
  const char *data;
  cp_dtype dtype;
  int64_t count;
  bool imag; // these are written with their sign
} cp_parts;

// Fits a format to the parts. CP_EINTERRUPTED: the host of ctx (NULL: none) ends the call.
cp_status cp_real_format_fit(cp_context *ctx, cp_real_format *f, const cp_parts *parts, int precision,
                             bool suppress);
// Writes v in the format into buf; returns the length.
int cp_real_format_write(const cp_real_format *f, double v, char *buf);

// Writes a single value as a 0-d array shows it ("3.0", "1e+16", "true", "1+2j"); returns the length.
int cp_scalar_text(cp_scalar s, char *buf);

#endif
