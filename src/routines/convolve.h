// Sliding sums of products: a filter that is moved along an array (convolution, correlation, image filters),
// and recursive filters along rows.
#ifndef CP_ROUTINES_CONVOLVE_H
#define CP_ROUTINES_CONVOLVE_H

#include "base/dtype.h"
#include "base/shape.h"
#include "device/device.h"

// The elements beyond the ends of an axis a b c d.
typedef enum cp_border {
  CP_BORDER_FILL,   // one value
  CP_BORDER_WRAP,   // c d | a b c d | a b
  CP_BORDER_SYMM,   // b a | a b c d | d c
  CP_BORDER_EDGE,   // a a | a b c d | d d
  CP_BORDER_MIRROR, // c b | a b c d | c b
  CP_BORDER_NONE // none: products with them are left out, which differs from 0 where a weight is not finite
} cp_border;

typedef struct cp_convolve_axis {
  int64_t in, out, filter;       // lengths
  int64_t in_stride, out_stride; // in elements
  int64_t start;                 // index where the filter starts for the result's first element
} cp_convolve_axis;

// out[o] = the sum over k of in[o + start + k] * filter[k], where o and k are indices on all axes. No length
// is 0; the three arrays do not overlap.
typedef struct cp_convolve_job {
  cp_dtype dtype; // of all three: half types are summed in float32, bool by "or" and "and"
  cp_border border;
  int ndim; // at least 1
  cp_convolve_axis axes[CP_MAXDIM];
  const char *in, *filter; // the filter is contiguous, in C order,
  char *out;
  bool reversed, conjugate;   // read backwards; conjugated
  bool sparing;               // no products with weights of 0, which elements that are not finite change
  _Alignas(16) char fill[16]; // one element
} cp_convolve_job;

// Passes each row of `in` through a filter with `order` states z: y = b[0] x + z[0]; z[i] = b[i+1] x - a[i+1]
// y + z[i+1]. Element k of row r lies at r * row_stride + k * step elements in `in` and `out`, which do not
// overlap.
typedef struct cp_recur_job {
  cp_dtype dtype; // float32, float64, complex64 or complex128
  int order;
  int64_t rows, length, row_stride, step;
  const char *in, *coefficients; // b[0] to b[order], then a[1] to a[order]; a[0] is 1
  char *out, *states;            // states: of each row before its first element, on return after its last one
} cp_recur_job;

enum { CP_MAX_ORDER = 1024 };

typedef struct cp_convolve_ops {
  cp_status (*convolve)(cp_context *ctx, cp_stream *s, const cp_convolve_job *job);
  cp_status (*recur)(cp_context *ctx, cp_stream *s, const cp_recur_job *job);
} cp_convolve_ops;

extern const cp_convolve_ops cp_cpu_convolve_ops, cp_cuda_convolve_ops;

// Drops axes of length 1, merges axes that the filter does not act along, and moves an axis with long loops
// to the end. Devices get jobs in this form.
void cp_convolve_collapse(cp_convolve_job *job);

// The index that supplies element c, possibly outside, of an axis of length n; -1: the fill value.
static inline int64_t cp_border_place(cp_border border, int64_t c, int64_t n) {
  if (c >= 0 && c < n) return c;
  int64_t period = border == CP_BORDER_SYMM ? 2 * n : border == CP_BORDER_MIRROR ? 2 * n - 2 : n;
  if (border == CP_BORDER_FILL || border == CP_BORDER_NONE) return -1;
  if (border == CP_BORDER_EDGE) return c < 0 ? 0 : n - 1;
  if (period == 0) return 0; // the mirror image of a single element
  c %= period;
  if (c < 0) c += period;
  if (c < n) return c;
  return border == CP_BORDER_SYMM ? period - 1 - c : period - c;
}

#endif
