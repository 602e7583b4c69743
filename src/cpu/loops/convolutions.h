// The inner loops of convolutions: the tables that src/cpu/loops/convolutions.c is compiled into, one per
// instruction level.
#ifndef CP_CPU_LOOPS_CONVOLUTIONS_H
#define CP_CPU_LOOPS_CONVOLUTIONS_H

#include <stddef.h>

// acc[j] += the sum over r < rows, k < taps of weights[r * taps + k] * row[r][j + k * step], for j < n. All
// pointers are to elements of the loop's type.
typedef void cp_convolution_loop(void *acc, const void *const *row, const void *weights, size_t rows,
                                 size_t taps, size_t step, size_t n);

typedef struct cp_convolution_loops {
  cp_convolution_loop *float32, *float64, *bits[4]; // integers by the logarithm of their size
  cp_convolution_loop *bool_;                       // acc[j] |= weight & element; weights are 0 or 255
} cp_convolution_loops;

// The table at this machine's level.
const cp_convolution_loops *cp_cpu_convolution_loops(void);

#endif
