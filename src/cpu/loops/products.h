// Products of small matrices, where a call of BLAS would cost about as much as the work, and of a matrix and
// a vector: the tables that src/cpu/loops/products.c is compiled into, one per instruction level.
#ifndef CP_CPU_LOOPS_PRODUCTS_H
#define CP_CPU_LOOPS_PRODUCTS_H

#include <stdbool.h>
#include <stdint.h>

enum { CP_SMALL_SIDE = 32 }; // largest side of a small matrix

// Matrices are column-major. The element of op(b) in row p and column j is b[p * down_b + j * along_b].
typedef struct cp_product {
  int m, n, k; // op(a) is m x k, op(b) is k x n
  bool turn_a;
  int64_t lda, down_b, along_b, ldc;
} cp_product;

typedef void cp_product_loop(const cp_product *p, const void *a, const void *b, void *c);

// `lines` lines of `length` adjacent elements, `pitch` elements apart.
enum { CP_MATVEC_LINES = 4 };
typedef struct cp_matvec {
  int64_t lines, length, pitch;
  int64_t step; // across: between the vector's elements
  bool add;     // across: to what y holds
} cp_matvec;

// along: y[line] = the sum of a line's elements times those of x, which are adjacent.
// across: y[k] = the sum over lines of their element k times x[line * step].
typedef void cp_matvec_loop(const cp_matvec *m, const void *a, const void *x, void *y);

typedef struct cp_products {
  cp_product_loop *float32, *float64;
  struct {
    cp_matvec_loop *along, *across;
  } matvec32, matvec64;
} cp_products;

// The table at this machine's level.
const cp_products *cp_cpu_products(void);

#endif
