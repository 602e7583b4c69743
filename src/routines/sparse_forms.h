// Work that moves or combines the entries of sparse matrices, which cp_device_ops.sparse_forms points to. The
// family is optional: on devices without it the Lua side sorts entries instead (lua/cupola/scipy/sparse).
//
// As in routines/sparse.h addresses are the device's, arrays are contiguous, positions count from 0, and
// every function stays within the arrays that it is given, whatever the positions in them are. Results depend
// on the arguments alone.
#ifndef CP_ROUTINES_SPARSE_FORMS_H
#define CP_ROUTINES_SPARSE_FORMS_H

#include "routines/sparse.h"

// Sorts entries by their keys, each keeping its order among those of its key (a counting sort).
typedef struct cp_sparse_group_job {
  cp_sparse_layout m; // without `others`: entry k belongs to row r of m, which becomes its other position
  int64_t groups;     // keys are 0 to groups - 1
  size_t item;        // bytes of a value
  const void *keys, *others, *values; // m.entries each; positions in dtype m.index
  bool within;                        // keys were checked, and nothing wrote them since
  void *starts;                       // where each group begins, groups + 1; in dtype m.index
  void *out_others, *out_values;
} cp_sparse_group_job;

// Where the rows `at` of m begin (from), and where they do if they are copied one after the other (starts,
// count + 1, in dtype m.index, and all `entries`, which may be more than it holds).
typedef struct cp_sparse_runs_job {
  cp_sparse_layout m; // without columns_of
  const int64_t *at;
  int64_t count;
  void *starts;
  int64_t *from, *entries;
} cp_sparse_runs_job;

// Copies runs of entries one after the other: run r of the result, m.starts[r] to m.starts[r + 1] - 1, is the
// entries from[r] and behind of the source. m.rows: the number of runs, m.entries: entries of the result.
typedef struct cp_sparse_take_job {
  cp_sparse_layout m; // m.columns_of: the source's
  int64_t source;     // entries of the source
  const int64_t *from;
  size_t item;
  const void *values;
  void *columns, *out;
} cp_sparse_take_job;

// The matrix as a dense one in C order; the last of several entries of a place stays.
typedef struct cp_sparse_dense_job {
  cp_sparse_layout m;
  size_t item;
  const void *values;
  void *out;
} cp_sparse_dense_job;

// For each place the number of its entry, or -1. m's rows ascend strictly.
typedef struct cp_sparse_find_job {
  cp_sparse_layout m;
  const int64_t *rows, *columns; // count each; NULL: a diagonal that begins at this row and column
  int64_t first_row, first_column;
  int64_t count, *places;
  size_t item;
  const void *values; // NULL: only the places; else `out` gets the entries' values, 0 where there are none
  void *out;
} cp_sparse_find_job;

// The greatest or least element of each row, of which 0 is one unless all of its m.columns places are stored,
// or only `stored` ones count. Of a row without entries: 0.
typedef struct cp_sparse_extremes_job {
  cp_sparse_layout m; // without columns_of
  cp_dtype dtype;     // a real number that takes no conversion: no float16 or bfloat16
  bool least, stored;
  const void *values;
  void *out;
} cp_sparse_extremes_job;

// out[c] = the sum of the entries whose position is c, which are added in their order.
typedef struct cp_sparse_sums_job {
  cp_sparse_layout m; // its columns_of and columns alone
  cp_dtype dtype;     // one of those of products
  const void *values;
  void *out;
} cp_sparse_sums_job;

// The entries that a mask keeps and that lie in columns that are picked. Without `columns` it fills the
// starts and sets `entries`, for which it waits; with them it fills what remains.
typedef struct cp_sparse_pick_job {
  cp_sparse_layout m;
  size_t item;
  const void *values;
  const unsigned char *keep; // a bool for each entry; NULL: all
  const void *turned; // each column's number in the result, in dtype m.index; negative: it has none; or
                      // NULL: columns stay
  void *starts;       // m.rows + 1
  int64_t entries;    // of the result
  void *columns, *out;
} cp_sparse_pick_job;

// Sorts the entries of each row by columns in place, and sums those of one column in their order: lengths[r]
// entries are left, where the row began.
typedef struct cp_sparse_tidy_job {
  cp_sparse_layout m; // m.columns_of is `columns`
  cp_dtype dtype;     // of values: one of those of products
  void *columns, *values;
  int64_t *lengths;
} cp_sparse_tidy_job;

// The places that one of two matrices has, whose rows ascend strictly. Without `starts` it only counts:
// lengths[r] is the number of places in row r. With them it fills the columns and, for each place, both
// matrices' values, 0 where there is none.
typedef struct cp_sparse_union_job {
  cp_sparse_layout a, b; // of the same rows, columns and dtype of positions
  size_t item;           // bytes of a value
  const void *a_values, *b_values;
  int64_t *lengths;
  const void *starts;
  int64_t entries; // of the result
  void *columns, *a_out, *b_out;
} cp_sparse_union_job;

// The arrays of a matrix that is a result.
typedef struct cp_sparse_result {
  cp_dtype index; // of starts and columns: that of the operands, or int64
  void *starts, *columns, *values;
} cp_sparse_result;

// Where the rows of a result go. `place` makes room for it when its number of entries is known; it is called
// once, at the end. Or `adopt` is, which makes room for the starts alone, if the entries are in the scratch
// memory, one after the other, and fill most of it: then that is the result's.
typedef struct cp_sparse_target {
  cp_status (*place)(void *data, int64_t entries, cp_sparse_result *out);
  cp_status (*adopt)(void *data, int64_t entries, cp_sparse_result *out);
  void *data;
  // Memory for `room` entries of a result, or NULL; without it the system is asked for what is needed.
  void *columns, *values;
  int64_t room;
} cp_sparse_target;

// The product of two matrices.
typedef struct cp_sparse_multiply_job {
  cp_sparse_layout a, b; // a.columns is b.rows; of the same dtype of positions
  cp_dtype dtype;        // of values: one of those of products
  const void *a_values, *b_values;
  cp_sparse_target target;
} cp_sparse_multiply_job;

// How a value is made of those of two matrices, of which one may be 0. Comparisons give 1 or 0.
typedef enum cp_sparse_pairing {
  CP_SPARSE_ADD,
  CP_SPARSE_SUBTRACT,
  CP_SPARSE_MULTIPLY, // this and the rest: of real values
  CP_SPARSE_MAXIMUM,
  CP_SPARSE_MINIMUM,
  CP_SPARSE_LESS,
  CP_SPARSE_GREATER,
  CP_SPARSE_NOT_EQUAL,
  CP_SPARSE_PAIRINGS
} cp_sparse_pairing;

// The sum of two matrices, whose rows ascend strictly, or what else is made of pairs of values, without those
// that are 0.
typedef struct cp_sparse_add_job {
  cp_sparse_layout a, b; // of the same rows, columns and dtype of positions
  cp_dtype dtype;        // of values: one of those of products
  cp_sparse_pairing pairing;
  const void *a_values, *b_values;
  cp_sparse_target target;
} cp_sparse_add_job;

typedef struct cp_sparse_form_ops {
  cp_status (*group)(cp_context *ctx, cp_stream *s, const cp_sparse_group_job *job);
  // Waits for its result.
  cp_status (*runs)(cp_context *ctx, cp_stream *s, const cp_sparse_runs_job *job);
  cp_status (*take)(cp_context *ctx, cp_stream *s, const cp_sparse_take_job *job);
  cp_status (*dense)(cp_context *ctx, cp_stream *s, const cp_sparse_dense_job *job);
  cp_status (*tidy)(cp_context *ctx, cp_stream *s, const cp_sparse_tidy_job *job);
  cp_status (*find)(cp_context *ctx, cp_stream *s, const cp_sparse_find_job *job);
  cp_status (*extremes)(cp_context *ctx, cp_stream *s, const cp_sparse_extremes_job *job);
  cp_status (*sums)(cp_context *ctx, cp_stream *s, const cp_sparse_sums_job *job);
  cp_status (*pick)(cp_context *ctx, cp_stream *s, cp_sparse_pick_job *job);
  cp_status (*unite)(cp_context *ctx, cp_stream *s, const cp_sparse_union_job *job);
  cp_status (*multiply)(cp_context *ctx, cp_stream *s, const cp_sparse_multiply_job *job);
  cp_status (*add)(cp_context *ctx, cp_stream *s, const cp_sparse_add_job *job);
} cp_sparse_form_ops;

extern const cp_sparse_form_ops cp_cpu_sparse_form_ops;

#endif
