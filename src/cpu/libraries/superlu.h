// SuperLU, the sequential library for sparse LU factors, versions 5 to 7, opened at first use.
//
// Its headers may be missing, so its structures are declared here. The library is only taken if its version
// is one of these and its defaults lie where these declarations expect them; builds with 64-bit positions are
// refused.
//
// SuperLU ends the process where memory runs out, and where an incomplete factorisation meets a column
// without a pivot. So its calls of malloc, free, exit and of what prints are bound to functions of ours:
// inside cp_superlu_enter they count memory and print nothing, and exit returns to the caller, which frees
// whatever the library holds. So does the host's interrupt, for which a function asks that the library calls
// at the end of each column.
#ifndef CP_CPU_LIBRARIES_SUPERLU_H
#define CP_CPU_LIBRARIES_SUPERLU_H

#include "device/context.h"
#include "routines/sparse.h"

#include <setjmp.h>

// SuperMatrix
typedef struct cp_slu_matrix {
  int store_type, dtype, kind, rows, columns;
  void *store;
} cp_slu_matrix;
enum { CP_SLU_BY_COLUMNS = 0, CP_SLU_GENERAL = 0 };

// The store of a matrix compressed by columns (NCformat), as the factor U is.
typedef struct cp_slu_columns {
  int entries;
  void *values;
  int *rows, *starts;
} cp_slu_columns;

// The store of the factor L (SCformat): runs of columns, each with one list of rows and a dense block of
// values. Its upper triangle belongs to U.
typedef struct cp_slu_blocks {
  int entries, last_block;
  void *values;
  int *value_starts;      // of columns, in values
  int *rows, *row_starts; // row_starts is valid for the first column of each block
  int *block_of, *first_column;
} cp_slu_blocks;

// superlu_options_t. The last fields are those of other libraries.
typedef struct cp_slu_options {
  int fact, equilibrate, order, trans, refine;
  double threshold;
  int symmetric, growth, condition, row_order, drop_rule;
  double drop_tolerance, fill;
  int norm;
  double fill_tolerance;
  int modified;
  double dimension;
  int rest[64];
} cp_slu_options;

// SuperLUStat_t and GlobalLU_t, into which nobody looks; larger than they are in any version.
typedef struct cp_slu_hidden {
  void *memory[64];
} cp_slu_hidden;

// The arguments of gstrf and gsitrf.
// clang-format off
#define CP_SLU_FACTOR_ARGUMENTS \
  (cp_slu_options *options, cp_slu_matrix *ordered, int relax, int panel, int *tree, void *work, \
   int work_bytes, int *column_places, int *row_places, cp_slu_matrix *l, cp_slu_matrix *u, \
   cp_slu_hidden *memory, cp_slu_hidden *counts, int *info)
// clang-format on
typedef void cp_slu_factor CP_SLU_FACTOR_ARGUMENTS;

// Those of BLAS's gemv, y = alpha A x + beta y, and trsv, which solves A y = x in place of x, as the library
// calls them.
// clang-format off
#define CP_SLU_MULTIPLY_ARGUMENTS \
  (const char *turned, const int *m, const int *n, const void *alpha, const void *a, const int *pitch, \
   const void *x, const int *x_step, const void *beta, void *y, const int *y_step)
#define CP_SLU_SOLVE_ARGUMENTS \
  (const char *triangle, const char *turned, const char *diagonal, const int *n, const void *a, \
   const int *pitch, void *x, const int *step)
// clang-format on
typedef void cp_slu_multiply CP_SLU_MULTIPLY_ARGUMENTS;
typedef void cp_slu_solve CP_SLU_SOLVE_ARGUMENTS;

typedef struct cp_superlu {
  void (*order)(int order, cp_slu_matrix *a, int *places);
  void (*preorder)(cp_slu_options *options, cp_slu_matrix *a, int *places, int *tree, cp_slu_matrix *ordered);
  void (*defaults)(cp_slu_options *options);
  void (*incomplete_defaults)(cp_slu_options *options);
  void (*begin_counts)(cp_slu_hidden *counts);
  int (*parameter)(int which);                                    // sp_ienv
  void *(*integers)(int count);                                   // intMalloc
  void (*end_column)(int count, const int *segments, int *marks); // resetrep_col; NULL: the library has none
  cp_slu_factor *factor[4], *incomplete[4];                       // float32, float64, complex64, complex128
  cp_slu_multiply
      *multiply[2]; // of the BLAS that the library uses, float32 and float64; NULL: it has its own
  cp_slu_solve *solve[2];
} cp_superlu;

// Opens the library.
cp_status cp_superlu_open(const cp_superlu **out);
// The open library.
const cp_superlu *cp_superlu_opened(void);

// What a stretch of calls holds.
typedef struct cp_superlu_call {
  cp_context *ctx;
  cp_stream *stream;
  struct cp_superlu_block *blocks;
  int count, room;
  bool own_loops; // set by the caller: small products of blocks are loops of ours instead of calls of BLAS
  bool out_of_memory, interrupted;
  jmp_buf leave;
} cp_superlu_call;

// Begins and ends a stretch of calls by this thread; `suspend` interrupts it. The end frees all memory that
// the library allocated in it. Between them cp_superlu_allocate gives memory that is freed likewise, or NULL.
// Large blocks come from the pool of the stream's device; NULL: all of them from the C library.
//
//   cp_superlu_enter(&call, ctx, s);
//   if (setjmp(call.leave) == 0) ... calls of the library ...
//   cp_superlu_leave(&call);
void cp_superlu_enter(cp_superlu_call *call, cp_context *ctx, cp_stream *s);
void *cp_superlu_allocate(cp_superlu_call *call, size_t bytes);
void cp_superlu_suspend(void);
void cp_superlu_leave(cp_superlu_call *call);
// The stretch that this thread is in, or NULL.
const cp_superlu_call *cp_superlu_now(void);

// A function that the library imports, and ours that it calls instead; the last one has no name. A library
// that does not import a required one is refused.
typedef struct cp_superlu_binding {
  const char *name;
  void (*function)(void);
  bool required;
} cp_superlu_binding;
#define CP_SLU_BOUND(name, function, required)                                                               \
  { name, (void (*)(void))(function), required }
extern const cp_superlu_binding cp_superlu_bindings[];
extern const cp_superlu_binding cp_superlu_blas_bindings[]; // if the table has BLAS's functions, too

// The function of cp_sparse_ops.
cp_status cp_cpu_sparse_factor(cp_context *ctx, cp_stream *s, const cp_sparse_factor_job *job,
                               int64_t *singular);

// Whether the columns of a matrix can be matched with rows in which they have entries, each with another one;
// otherwise the matrix is singular whatever its values are. *unmatched: 0, or a column, from 1, that is left.
// Rows must be in range.
cp_status cp_sparse_match(cp_context *ctx, int n, const int32_t *starts, const int32_t *rows,
                          int64_t *unmatched);

#endif
