// Writes numbers as text, the same in every locale: with the fewest digits that read back as the same value
// of their dtype, and in columns by NumPy's rules (as numpy.set_printoptions describes precision and
// suppress; floatmode is "maxprec").
#ifndef CP_LUA_CONVERSION_PRINT_NUMBER_H
#define CP_LUA_CONVERSION_PRINT_NUMBER_H

#include "base/dtype.h"
#include "device/device.h"

enum {
  CP_MAX_PRECISION = 64,
  CP_NUMBER_TEXT = 256 // bytes that suffice for any number's text
};

// How the real or imaginary parts of an array are written, so that their decimal points and widths agree.
typedef struct cp_real_format {
  cp_dtype dtype;  // the dtype of a part, which is real
  bool sign;       // positive values get a plus
  bool exponent;   // scientific form
  int precision;   // the most digits after the point
  int left, right; // widths before and after the point, including sign and exponent
  int exponent_digits;
} cp_real_format;

// The real or imaginary parts of `count` elements at data.
typedef struct cp_parts {
  const char *data;
  cp_dtype dtype;
  int64_t count;
  bool imag; // the imaginary parts, which are always written with a sign
} cp_parts;

// Chooses the format that the parts need. CP_EINTERRUPTED if the host ends the call. ctx: for asking the
// host; NULL: there is none.
cp_status cp_real_format_fit(cp_context *ctx, cp_real_format *f, const cp_parts *parts, int precision,
                             bool suppress);
// Writes v into buf in this format; returns the length.
int cp_real_format_write(const cp_real_format *f, double v, char *buf);

// Writes a single value as a 0-d array shows it ("3.0", "1e+16", "true", "1+2j"); returns the length.
int cp_scalar_text(cp_scalar s, char *buf);

#endif
