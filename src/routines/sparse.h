// Sparse matrices in compressed form: the family of functions that cp_device_ops.sparse points to, and their
// jobs. Addresses are the device's, arrays are contiguous, and positions count from 0.
//
// Every function stays within the arrays that it is given, whatever the positions in them are: instead of
// a position out of range it takes one in range (but for a job that says they are `within`). `check` finds
// such positions.
#ifndef CP_ROUTINES_SPARSE_H
#define CP_ROUTINES_SPARSE_H

#include "base/dtype.h"
#include "device/device.h"

// Row r has the entries starts[r] to starts[r + 1] - 1, whose columns are columns_of[k]. (For a matrix that
// is compressed by columns these are its columns, and the columns here its rows.)
typedef struct cp_sparse_layout {
  int64_t rows, columns, entries;
  cp_dtype index; // of the two arrays: int32 or int64
  const void *starts, *columns_of;
} cp_sparse_layout;

// What `check` finds out, int64 each.
typedef enum cp_sparse_fact {
  CP_SPARSE_BAD_ROW,   // the first row whose start is after its end, or out of range; -1: none
  CP_SPARSE_BAD_ENTRY, // the first entry whose column is out of range; -1: none
  CP_SPARSE_UNSORTED,  // 1: some row's columns do not ascend
  CP_SPARSE_REPEATED,  // 1: two entries next to each other in a row have the same column
  CP_SPARSE_LONGEST,   // entries of the longest row
  CP_SPARSE_BEGIN,     // the first start
  CP_SPARSE_END,       // the last one, which ends the last row
  CP_SPARSE_FACTS
} cp_sparse_fact;

typedef struct cp_sparse_check_job {
  cp_sparse_layout m;
  int64_t *facts; // CP_SPARSE_FACTS of them
} cp_sparse_check_job;

// The row of each entry, in dtype m.index; m.columns_of is not used. Entries outside of all rows get the
// nearest row.
typedef struct cp_sparse_rows_job {
  cp_sparse_layout m;
  void *out;
} cp_sparse_rows_job;

// out = M * x for a dense matrix x of m.columns rows and `width` columns. Without x and m.columns_of: out[r]
// is the sum of row r's values (width is 1). With `scaled`, which needs x: out = alpha * M * x + beta * add,
// where `add` may be NULL or out. The bits are the same in every run.
typedef struct cp_sparse_product_job {
  cp_sparse_layout m;
  cp_dtype dtype;         // of values, x and out: int32, int64, float32, float64, complex64 or complex128
  int64_t width, longest; // longest: entries of the longest row, as `check` found it
  const void *values, *x;
  // Of a device that asks for them by `tile`: for b from 0 to the number of tiles, the number of rows that
  // start before item b * tile (the last one has all rows); and then where the first of the other rows
  // starts. int64.
  const int64_t *tiles;
  bool scaled;
  bool within; // `check` found all positions in range, and nothing wrote them since: this job need not look
  uint64_t alpha[2], beta[2]; // an element of `dtype` each
  const void *factors;        // NULL, or of out's shape, in alpha's place
  const void *add;            // of out's shape
  void *out;
  void *dots; // NULL, or as many elements as `parts` says: their sum is that of x * out, all of it
} cp_sparse_product_job;

// The items that tiles share out: the entries; if x is a matrix, also the rows, each before its entries, as
// many rows without entries take long there.
static inline int64_t cp_sparse_items(const cp_sparse_product_job *j) {
  return j->m.entries + (j->width > 1 ? j->m.rows : 0);
}

// out[k] = the sum over i of x[r][i] * y[c][i], where entry k has row r and column c, and x and y have rows
// of `width` elements: the product of x and the transposed y at the matrix's places. The bits are the same in
// every run.
typedef struct cp_sparse_sample_job {
  cp_sparse_layout m; // of at least one entry
  cp_dtype dtype;     // one of those of products
  int64_t width;
  const void *x, *y;
  void *out;
} cp_sparse_sample_job;

// Entries in a row of the first matrix of a product up to which cp_sparse_expand_job needs no tiles.
enum { CP_SPARSE_MERGED = 32 };

// The product of two matrices in tiles of the first one's rows, each with at most `room` products; or, if
// `products` is NULL, by merging rows of b, which ascend strictly; or, if there are `chosen` rows, of these
// rows alone, however long they are, where b's rows ascend strictly. Without `starts` it only counts:
// lengths[r] is the number of places in row r. With them it fills the columns of the places, which ascend,
// and their values, summed in one order.
typedef struct cp_sparse_expand_job {
  cp_sparse_layout a, b; // a.columns is b.rows; of the same dtype of positions
  cp_dtype dtype;        // of values: one of those of products
  const void *a_values, *b_values;
  int64_t longest;           // of merging: entries of a's longest row, at most CP_SPARSE_MERGED
  const int64_t *products;   // the number of products before each entry of a, a.entries + 1
  int64_t tiles;             // at least 1
  const int64_t *first_rows; // of each tile, tiles + 1
  const int64_t *chosen;     // numbers of rows, of which there are `many`
  int64_t many;
  int64_t *lengths;
  const void *starts;
  int64_t entries; // of the result
  void *columns, *out;
} cp_sparse_expand_job;

// The places that one of two matrices has, whose rows ascend strictly. Without `met_before` it only finds
// the entries that a and b share: met[k] is whether b has the place of a's entry k. With them it fills the
// starts and columns of the union, and the values of both matrices there, 0 where there is none; or, with
// `zero`, a_out with their sums or differences, and *zero with true if one of these is 0.
typedef struct cp_sparse_meet_job {
  cp_sparse_layout a, b; // of the same rows, columns and dtype of positions
  bool *met;
  const void *met_before; // the running sum of `met`, in dtype a.index
  cp_dtype dtype;
  const void *a_values, *b_values;
  int64_t entries; // of the result
  void *starts, *columns, *a_out, *b_out;
  bool *zero;
  bool subtract;
} cp_sparse_meet_job;

// The matrix compressed by columns: where the entries of each column start, their rows, and their values.
// Entries of a column keep their order.
typedef struct cp_sparse_turn_job {
  cp_sparse_layout m; // of at least one entry and column
  size_t item;        // bytes of a value
  const void *values;
  void *starts, *rows, *out, *scratch;
} cp_sparse_turn_job;

// Solves T * x = b for a triangular matrix T of sorted rows, each of which ends (lower) or begins (upper)
// with its diagonal entry unless `unit` says that the diagonal is 1 and not stored. x holds b, of `width`
// columns, and becomes the solution. Where the device solves_columns, rows need no other order, and T may
// also be compressed by columns, each of which begins (lower) or ends (upper) with its diagonal entry.
typedef struct cp_sparse_solve_job {
  cp_sparse_layout m;
  cp_dtype dtype; // float32, float64, complex64 or complex128
  bool lower, unit, by_columns;
  int64_t width;
  const void *values;
  const void *order; // NULL, or the rows' numbers as cp_sparse_order_job makes them
  void *x, *scratch;
} cp_sparse_solve_job;

// The rows of a triangular matrix, which is given by columns, in an order in which each comes behind those
// that its entries refer to, and nearly all that can be solved at once come together.
typedef struct cp_sparse_order_job {
  cp_sparse_layout m; // whose rows are the matrix's columns
  bool lower;
  void *order; // rows of dtype m.index
  void *scratch;
} cp_sparse_order_job;

// The order in which a factorisation takes columns.
typedef enum cp_sparse_order {
  CP_ORDER_NATURAL,
  CP_ORDER_MMD_ATA,       // minimum degree of the structure of A' A
  CP_ORDER_MMD_AT_PLUS_A, // minimum degree of the structure of A' + A
  CP_ORDER_COLAMD,        // approximate minimum degree of columns
  CP_SPARSE_ORDERS
} cp_sparse_order; // ORDER as in SuperLU's colperm_t

// Where a factorisation writes its results.
typedef struct cp_sparse_factors {
  int32_t *row_places, *column_places; // where each row and column of the matrix lies in the product L U
  int32_t *starts[2], *rows[2]; // L and U, compressed by columns, whose rows are in no order; L's diagonal is
                                // stored too
  void *values[2];
} cp_sparse_factors;

// Factors a square matrix: with its rows and columns moved it is L U, where L has a diagonal of ones.
typedef struct cp_sparse_factor_job {
  cp_sparse_layout m; // compressed by columns: m.columns_of are rows, which ascend; m.index is int32
  cp_dtype dtype;     // float32, float64, complex64 or complex128
  const void *values;
  cp_sparse_order order;
  bool symmetric;   // prefer pivots of the diagonal
  double threshold; // 0 to 1: a diagonal entry of this share of the column's greatest may be the pivot; < 0:
                    // the library's choice
  int relax, panel; // the library's block sizes; 0: its own choice
  // An incomplete factorisation drops entries below drop_tolerance, and more of them where the factors have
  // more than fill times the matrix's entries. drop_rule: SuperLU's bits.
  bool incomplete;
  double drop_tolerance, fill;
  int drop_rule;
  // Makes room for the results, of which L and U have these numbers of entries; called once, at the end.
  cp_status (*place)(void *data, const int64_t entries[2], cp_sparse_factors *out);
  void *data;
} cp_sparse_factor_job;

// Incomplete factors in the places of a square matrix: L and U, of which L has a diagonal of ones that is not
// stored, or the factor L of L L'.
typedef struct cp_sparse_incomplete_job {
  cp_sparse_layout m; // by rows, whose columns ascend and include the diagonal; m.index is int64
  cp_dtype dtype;     // float64 or complex128
  bool cholesky;      // the matrix has entries on and below the diagonal only
  void *values;       // become those of the factors
} cp_sparse_incomplete_job;

typedef struct cp_sparse_ops {
  // Products with so many elements or more wait for the operators after them: with fewer, waiting would take
  // more time than it saves.
  int64_t waits_from;
  cp_status (*check)(cp_context *ctx, cp_stream *s, const cp_sparse_check_job *job);
  cp_status (*rows)(cp_context *ctx, cp_stream *s, const cp_sparse_rows_job *job);
  // Items per tile of a product of this kind; 0: it needs no tiles.
  int64_t (*tile)(const cp_sparse_product_job *job);
  // How many `dots` a product of a square matrix with a vector gives, of dtype float32 or float64, in tiles
  // if the device asks for them, and not scaled; 0: it cannot give them.
  int64_t (*parts)(cp_device *d, const cp_sparse_product_job *job);
  cp_status (*product)(cp_context *ctx, cp_stream *s, const cp_sparse_product_job *job);
  cp_status (*sample)(cp_context *ctx, cp_stream *s, const cp_sparse_sample_job *job);
  // Optional: products that a tile of `expand` can have, for values of a dtype.
  int64_t (*room)(cp_dtype dtype);
  cp_status (*expand)(cp_context *ctx, cp_stream *s, const cp_sparse_expand_job *job);
  cp_status (*meet)(cp_context *ctx, cp_stream *s, const cp_sparse_meet_job *job); // Optional
  // Optional; with the bytes of `scratch`
  size_t (*turn_scratch)(cp_device *d, const cp_sparse_turn_job *job);
  cp_status (*turn)(cp_context *ctx, cp_stream *s, const cp_sparse_turn_job *job);
  // Optional; with the bytes of `scratch`, 0 if the device solves as well in any order
  size_t (*order_scratch)(const cp_sparse_order_job *job);
  cp_status (*order)(cp_context *ctx, cp_stream *s, const cp_sparse_order_job *job);
  bool solves_columns;
  size_t (*solve_scratch)(const cp_sparse_solve_job *job); // bytes of `scratch`
  cp_status (*solve)(cp_context *ctx, cp_stream *s, const cp_sparse_solve_job *job);
  // Optional. Waits for its result. Sets *singular to the column, from 1, without a pivot that is not 0, in
  // the order of the factors, or of the matrix if its places alone make it singular; 0: none. `place` is
  // called for 0 only.
  cp_status (*factor)(cp_context *ctx, cp_stream *s, const cp_sparse_factor_job *job, int64_t *singular);
  // Optional. Waits for its result. Sets *singular to the row, from 1, whose pivot is 0 (cholesky: not
  // positive), where it ends; 0: none.
  cp_status (*incomplete)(cp_context *ctx, cp_stream *s, const cp_sparse_incomplete_job *job,
                          int64_t *singular);
} cp_sparse_ops;

extern const cp_sparse_ops cp_cpu_sparse_ops, cp_cuda_sparse_ops;

// Of cp_cuda_sparse_ops.
int64_t cp_cuda_sparse_room(cp_dtype dtype);
cp_status cp_cuda_sparse_expand(cp_context *ctx, cp_stream *s, const cp_sparse_expand_job *job);
cp_status cp_cuda_sparse_meet(cp_context *ctx, cp_stream *s, const cp_sparse_meet_job *job);
size_t cp_cuda_sparse_turn_scratch(cp_device *d, const cp_sparse_turn_job *job);
cp_status cp_cuda_sparse_turn(cp_context *ctx, cp_stream *s, const cp_sparse_turn_job *job);
size_t cp_cuda_sparse_order_scratch(const cp_sparse_order_job *job);
cp_status cp_cuda_sparse_order(cp_context *ctx, cp_stream *s, const cp_sparse_order_job *job);
size_t cp_cuda_sparse_solve_scratch(const cp_sparse_solve_job *job);
cp_status cp_cuda_sparse_solve(cp_context *ctx, cp_stream *s, const cp_sparse_solve_job *job);

#endif
