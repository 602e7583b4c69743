// Shapes and strides: int64_t[ndim] each. Lengths are >= 0; strides are in bytes and may be negative or zero.
#ifndef CP_BASE_SHAPE_H
#define CP_BASE_SHAPE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CP_MAXDIM = 32 };

// at + count * stride, wrapping: a sequence over most of the int64 range has values that fit, but distances
// that may not.
static inline int64_t cp_beyond(int64_t at, int64_t count, int64_t stride) {
  return (int64_t)((uint64_t)at + (uint64_t)count * (uint64_t)stride);
}

// a / b rounded up, for a >= 0 and b > 0.
static inline int64_t cp_divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// Small arrays mostly have one or two dimensions, for which the inline functions below need no call.

// Copies n lengths or strides. The two places must not overlap.
static inline void cp_copy_lengths(int64_t *to, const int64_t *from, int n) {
  if (n <= 2) {
    if (n > 0) to[0] = from[0];
    if (n > 1) to[1] = from[1];
  } else {
    memcpy(to, from, (size_t)n * sizeof *to);
  }
}

// Computes the number of elements. CP_ESHAPE when a length is negative, or the number of elements or bytes
// does not fit int64_t.
cp_status cp_shape_size_any(int ndim, const int64_t *shape, size_t itemsize, int64_t *size);
static inline cp_status cp_shape_size(int ndim, const int64_t *shape, size_t itemsize, int64_t *size) {
  if (ndim != 1 || (uint64_t)shape[0] > INT32_MAX) return cp_shape_size_any(ndim, shape, itemsize, size);
  *size = shape[0];
  return CP_OK;
}
// Writes a shape as messages print it, "(3, 4)", "(5)" or "()", to buf of at least CP_SHAPE_TEXT bytes;
// returns buf.
enum { CP_SHAPE_TEXT = 32 * 22 + 4 };
char *cp_shape_text(int ndim, const int64_t *shape, char *buf);
static inline bool cp_shape_equal(int na, const int64_t *a, int nb, const int64_t *b) {
  if (na != nb) return false;
  if (na == 1) return a[0] == b[0];
  return na == 0 || memcmp(a, b, (size_t)na * sizeof *a) == 0;
}
// Broadcasts the shape of *ndim lengths with shape b by NumPy's rule, in place; false when they do not match.
bool cp_broadcast(int *ndim, int64_t *shape, int nb, const int64_t *b);
// Computes the strides of a contiguous array in C order ('C') or Fortran order ('F').
void cp_contiguous_strides_any(int ndim, const int64_t *shape, size_t itemsize, char order, int64_t *strides);
static inline void cp_contiguous_strides(int ndim, const int64_t *shape, size_t itemsize, char order,
                                         int64_t *strides) {
  if (ndim == 1)
    strides[0] = (int64_t)itemsize;
  else
    cp_contiguous_strides_any(ndim, shape, itemsize, order, strides);
}
// Computes the strides of a new array without gaps whose axes have the order perm in memory: perm[0] is the
// slowest axis.
void cp_ordered_strides(int ndim, const int64_t *shape, size_t itemsize, const int *perm, int64_t *strides);
bool cp_is_contiguous_any(int ndim, const int64_t *shape, const int64_t *strides, size_t itemsize,
                          char order);
static inline bool cp_is_contiguous(int ndim, const int64_t *shape, const int64_t *strides, size_t itemsize,
                                    char order) {
  if (ndim == 1) return strides[0] == (int64_t)itemsize || shape[0] < 2;
  return cp_is_contiguous_any(ndim, shape, strides, itemsize, order);
}
// Computes the strides that broadcast an array of nb dimensions to `shape` (0 along broadcast axes). The
// shapes must match.
void cp_broadcast_strides(int ndim, const int64_t *shape, int nb, const int64_t *b, const int64_t *strides_b,
                          int64_t *out);
// Computes the byte range [low, high) that a view touches, relative to its first element; both are 0 when it
// is empty.
void cp_extent(int ndim, const int64_t *shape, const int64_t *strides, size_t itemsize, int64_t *low,
               int64_t *high);
// The elements of a view in memory. start: the address of the first one.
typedef struct cp_region {
  intptr_t start;
  size_t itemsize;
  int ndim;
  const int64_t *shape, *strides;
} cp_region;
// Whether the address ranges of the two overlap: if not, they share no byte.
bool cp_regions_overlap(const cp_region *a, const cp_region *b);
// Whether both are the same elements in the same layout.
bool cp_regions_equal(const cp_region *a, const cp_region *b);
// Whether writing `out` element by element could change elements of `in` that are read later.
static inline bool cp_regions_conflict(const cp_region *out, const cp_region *in) {
  return cp_regions_overlap(out, in) && !cp_regions_equal(out, in);
}
// Computes the strides of a reshaped view; false when reshaping needs a copy.
bool cp_reshape_strides(int ndim, const int64_t *shape, const int64_t *strides, int new_ndim,
                        const int64_t *new_shape, size_t itemsize, int64_t *out);
// Computes the order of axes of a result that follows its operands' strides (order "K"): perm[0] is the
// slowest axis. strides[k] are operand k's strides over the ndim axes, 0 where it is broadcast. Axes whose
// order the operands leave open, or on which they disagree, are in C order.
void cp_stride_order(int ndim, const int64_t *shape, int count, const int64_t *const *strides, int *perm);

#endif
