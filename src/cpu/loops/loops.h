// Tables of the loops that src/cpu/loops/loops.c is compiled into: one table per element type and instruction
// level. All loops work on register blocks: contiguous, aligned to the element, half types widened to float,
// bool 0 or 1.
#ifndef CP_CPU_LOOPS_LOOPS_H
#define CP_CPU_LOOPS_LOOPS_H

#include "plan/ops.h"

// d[i] = op(in[0][i], in[1][i], ...) for i < n. d may equal an input, but must not overlap one partly.
typedef void cp_loop(void *d, const void *const *in, size_t n);

// For arg-reductions: where a block's elements lie among all that are reduced. Element k of row r (of n) is
// at list[r * n + k], or at start + r * row + k * step if list is NULL.
typedef struct cp_positions {
  const long long *list;
  long long start, step, row;
} cp_positions;

// Loops of one reduction. Accumulators are opaque, accumulator_size bytes each. `at` is NULL where the
// reduction does not need positions.
typedef struct cp_red_loops {
  size_t accumulator_size; // 0: not defined for this element type
  void (*identity)(void *accs, size_t n);
  // *acc = the reduction of n >= 0 elements, in an order that depends on n alone.
  void (*reduce)(void *acc, const void *values, const cp_positions *at, size_t n);
  // accs[i] = combine(accs[i], premap(values[i])) for each row of n values, up to CP_MAX_FOLD rows, pitch
  // bytes apart.
  void (*fold)(void *accs, const void *values, const cp_positions *at, size_t n, size_t rows, int64_t pitch);
  // a[i] = combine(a[i], b[i]), where a holds the earlier elements.
  void (*combine)(void *a, const void *b, size_t n);
  // out[i] = post(accs[i]) for `count` accumulators; n and p as in ops.def.
  void (*post)(void *out, const void *accs, double n, double p, size_t count);
} cp_red_loops;

enum {
  CP_MAX_ACCUMULATOR = 64, // bytes
  CP_MAX_FOLD = 256
};

// A product that is added or subtracted at once. Both steps round, as two loops do.
typedef enum cp_joined {
  CP_JOINED_PLUS,  // in[0] * in[1] + in[2]
  CP_JOINED_LESS,  // in[0] * in[1] - in[2]
  CP_JOINED_UNDER, // in[2] - in[0] * in[1]
  CP_NJOINED
} cp_joined;

typedef struct cp_loops {
  cp_loop *ops[CP_NOPS];       // NULL: no such loop
  cp_loop *casts[CP_NDTYPES];  // to the register type of each dtype; for a half type: rounded to it
  cp_loop *joined[CP_NJOINED]; // float32 and float64 only
  // The same: *sum = the sum of a[i] * b[i], which is what the reduction `sum` makes of the rounded products.
  void (*sum_products)(void *sum, const void *a, const void *b, size_t n);
  cp_red_loops reds[CP_NREDS];
  // float32 only: conversion between memory and register format of float16 [0] and bfloat16 [1]
  void (*unpack[2])(float *d, const unsigned short *a, size_t n);
  void (*pack[2])(unsigned short *d, const float *a, size_t n);
} cp_loops;

// The table of t's register type (float32 for half types) at this machine's level.
const cp_loops *cp_cpu_loops(cp_dtype t);

// The level in use: "v1", "v3" or "v4". CUPOLA_CPU_LEVEL lowers it.
const char *cp_cpu_level(void);

#endif
