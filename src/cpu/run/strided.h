// Copies between register blocks and strided memory, by linear position: position p of shape (n0, n1, ...) in
// C order.
#ifndef CP_CPU_RUN_STRIDED_H
#define CP_CPU_RUN_STRIDED_H

#include "base/shape.h"

typedef struct cp_strided {
  char *base;
  int ndim;                       // 0 means one element
  const int64_t *shape, *strides; // strides in bytes (cp_count: in values)
} cp_strided;

// dst[k] = the element at position begin + k, for k < n. itemsize is 1, 2, 4, 8 or 16; no alignment is
// needed. Where the last stride is 0, cp_gather may write up to CP_MOVE_SLACK bytes past the end of dst.
void cp_gather(void *dst, const cp_strided *from, int64_t begin, size_t n, size_t itemsize);
void cp_scatter(const cp_strided *to, const void *src, int64_t begin, size_t n, size_t itemsize);
// dst[k] = start + the sum of strides times indices at position begin + k.
void cp_count(int64_t *dst, int64_t start, const cp_strided *steps, int64_t begin, size_t n);

#endif
