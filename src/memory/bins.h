// The cached blocks of a pool, by size class. From 512 bytes to 1 MB there are four classes between two
// powers of two; above, classes are multiples of 2 MB, and a request may get a block up to a quarter larger.
// The pool holds its lock around all calls.
#ifndef CP_MEMORY_BINS_H
#define CP_MEMORY_BINS_H

#include "memory/pool.h"

enum { CP_SMALL_BINS = 45, CP_SMALLEST_CLASS = 512 };

typedef struct cp_bin {
  size_t size;
  cp_block *head;
} cp_bin;

typedef struct cp_bins {
  cp_block *small[CP_SMALL_BINS];
  cp_bin *large; // sorted by size; empty bins stay until room is needed
  size_t count, capacity;
} cp_bins;

// The exponent e for which bytes is in (2^e, 2^(e+1)].
static inline int cp_octave(size_t bytes) { return 63 - __builtin_clzll((unsigned long long)bytes - 1); }
// The index of a small size class, from 0.
static inline int cp_small_class(size_t size) {
  if (size <= CP_SMALLEST_CLASS) return 0;
  int e = cp_octave(size);
  return 4 * (e - 9) + (int)((size - ((size_t)1 << e)) >> (e - 2));
}
// The size class for this many bytes (>= 1); 0 when there is none.
size_t cp_size_class(size_t bytes);
// Makes room for `blocks` large blocks, so that cp_bins_put never fails; false: out of host memory.
bool cp_bins_reserve(cp_bins *b, size_t blocks);
void cp_bins_put(cp_bins *b, cp_block *block);
// Takes a block for this class, preferably one that needs no waiting on `stream`; NULL when there is none.
cp_block *cp_bins_take(cp_bins *b, size_t size, const cp_stream *stream);
// Removes this block.
void cp_bins_remove(cp_bins *b, cp_block *block);
// Takes a block of the largest cached class; NULL when nothing is cached.
cp_block *cp_bins_largest(cp_bins *b);
void cp_bins_free(cp_bins *b); // there must be no blocks
void cp_bins_forget_stream(cp_bins *b, const cp_stream *stream);

#endif
