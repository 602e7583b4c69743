// Pairwise summation of a stream of rows of accumulators, in a fixed order. Level k holds the sum of 2^k
// rows, as the carries of a binary counter do, so the error of a float sum grows with the logarithm of the
// row count.
#ifndef CP_CPU_RUN_CASCADE_H
#define CP_CPU_RUN_CASCADE_H

#include "cpu/loops/loops.h"

enum { CP_CASCADE_LEVELS = 48 };

typedef struct cp_cascade {
  const cp_red_loops *red;
  size_t width;   // accumulators per row
  uint64_t count; // rows taken since the last reset
  char *fresh;    // the caller fills this row and then pushes it
  char *levels[CP_CASCADE_LEVELS];
} cp_cascade;

static inline size_t cp_cascade_row(const cp_red_loops *red, size_t width) {
  return (width * red->accumulator_size + 63) / 64 * 64;
}

// Number of rows of memory that a cascade over so many rows needs.
static inline size_t cp_cascade_rows(int64_t rows) {
  size_t levels = 2;
  for (; rows > 1; rows /= 2) levels++;
  return levels;
}

static inline void cp_cascade_start(cp_cascade *c, const cp_red_loops *red, size_t width, size_t rows,
                                    char *memory) {
  size_t bytes = cp_cascade_row(red, width);
  c->red = red;
  c->width = width;
  c->count = 0;
  c->fresh = memory;
  for (size_t k = 0; k + 1 < rows; k++) c->levels[k] = memory + (k + 1) * bytes;
}

static inline void cp_cascade_push(cp_cascade *c) {
  char *row = c->fresh, *earlier;
  int level = 0;
  for (; c->count >> level & 1; level++) {
    earlier = c->levels[level];
    c->red->combine(earlier, row, c->width);
    c->levels[level] = row;
    row = earlier;
  }
  c->fresh = c->levels[level];
  c->levels[level] = row;
  c->count++;
}

// The sum of all rows (at least one) since the last call. It stays valid until the next push.
static inline char *cp_cascade_take(cp_cascade *c) {
  char *row = NULL;
  for (int level = 0; c->count >> level; level++) {
    if (!(c->count >> level & 1)) continue;
    if (row) c->red->combine(c->levels[level], row, c->width);
    row = c->levels[level];
  }
  c->count = 0;
  return row;
}

#endif
