// Reads single elements of arrays.
#ifndef CP_LAZY_ARRAYS_ELEMENT_H
#define CP_LAZY_ARRAYS_ELEMENT_H

#include "array/array.h"

// Reads the element at `offset` bytes from the start of a's storage; a is in memory. On a GPU it comes from
// the storage's mirror, a copy in host memory. The CPU device needs no mirror, because it runs everything at
// once in this memory. Exposed memory has none, because others may change it without notice. CP_EUSAGE while
// a graph is captured.
cp_status cp_load_element(cp_context *ctx, const cp_array *a, int64_t offset, cp_scalar *value);
// Reads the element at 0-based positions, one for each axis and within the shape. Computes a if it is
// pending.
cp_status cp_element_at(cp_context *ctx, cp_array *a, const int64_t *positions, cp_scalar *value);

#endif
