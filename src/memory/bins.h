// The cached blocks of a pool, by size class. Up to 1 MB a class is a quarter step between powers of two,
// from 512 bytes on; above, it is a multiple of 2 MB, and a block up to a quarter larger than asked for will
// do. Not locked: the pool locks.
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
  cp_bin *large; // ascending sizes; empty ones stay until room is needed
  size_t count, capacity;
} cp_bins;

// The e of the octave (2^e, 2^(e+1)] that bytes lie in.
static inline int cp_octave(size_t bytes) { return 63 - __builtin_clzll((unsigned long long)bytes - 1); }
// The number of a class that is not large, from 0; size: of the class.
static inline int cp_small_class(size_t size) {
  if (size <= CP_SMALLEST_CLASS) return 0;
  int e = cp_octave(size);
  return 4 * (e - 9) + (int)((size - ((size_t)1 << e)) >> (e - 2));
}
// The size of the class that holds this many bytes (>= 1); 0 when there is none.
size_t cp_size_class(size_t bytes);
// Room for `blocks` large blocks, so that putting one never fails; false: out of host memory.
bool cp_bins_reserve(cp_bins *b, size_t blocks);
void cp_bins_put(cp_bins *b, cp_block *block);
// Takes out a block for this class, best one of the stream or of none; NULL when there is none.
cp_block *cp_bins_take(cp_bins *b, size_t size, const cp_stream *stream);
// Takes out this block.
void cp_bins_remove(cp_bins *b, cp_block *block);
// Takes out one of the largest blocks; NULL when nothing is cached.
cp_block *cp_bins_largest(cp_bins *b);
void cp_bins_free(cp_bins *b); // of no blocks
void cp_bins_forget_stream(cp_bins *b, const cp_stream *stream);

#endif
