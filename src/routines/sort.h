// Sorting, searching in sorted arrays, counting, and the moves of elements that functions made of these need. All arrays are contiguous and
// do not overlap; positions count from 1.
#ifndef CP_ROUTINES_SORT_H
#define CP_ROUTINES_SORT_H

#include "base/dtype.h"
#include "device/device.h"

// Sorts `rows` rows of `length` elements (both > 0), of any dtype but complex ones; nan comes last. The sorted elements go to `values`,
// or their places in the row to `positions`, equal elements in their order; the other one is NULL.
typedef struct cp_sort_job {
  cp_dtype dtype;
  int64_t rows, length;
  const void *in;
  void *values;
  int64_t *positions;
  void *scratch;
} cp_sort_job;

// positions[k] = where values[k] is to be put into `sorted` (of `length` elements, in the order of sort) so that it stays sorted: before
// elements that equal it, or behind them.
typedef struct cp_search_job {
  cp_dtype dtype;
  int64_t length, count;
  const void *sorted, *values;
  bool behind;
  int64_t *positions;
} cp_search_job;

// Moves `count` elements of itemsize bytes, of positions from 1. They are in range, as the functions that use these made them; where a script gave others
// nothing is written for them, and any element is read.
typedef enum cp_move_kind {
  CP_MOVE_GATHER, // out[k] = in[at[k]]
  CP_MOVE_SCATTER // out[at[k]] = in[k]
} cp_move_kind;
typedef struct cp_move_job {
  cp_move_kind kind;
  size_t itemsize;
  int64_t count, room; // room: elements of `in` (gather, 1 or more) or of `out` (scatter)
  const void *in;
  const int64_t *at;
  void *out;
} cp_move_job;

// Counts elements by bins into `out` (zeros before): an int64 for each bin, or with weights (float64) their sums, a float64. The bin of
// an integer is the integer itself, from 0. With edges (`bins` + 1 of them, of the elements' dtype, float32 or float64, equally far apart
// but for rounding) it is the one between whose edges the element lies, the last edge included. Elements in no bin are left out.
typedef struct cp_count_job {
  cp_dtype dtype;
  int64_t count, bins;
  const void *in, *edges;
  const double *weights;
  double first, last; // edges[0] and edges[bins]
  void *out;
} cp_count_job;

typedef struct cp_sort_ops {
  size_t (*sort_scratch)(cp_device *d, const cp_sort_job *job);
  cp_status (*sort)(cp_context *ctx, cp_stream *s, const cp_sort_job *job);
  cp_status (*search)(cp_context *ctx, cp_stream *s, const cp_search_job *job);
  cp_status (*move)(cp_context *ctx, cp_stream *s, const cp_move_job *job);
  cp_status (*count)(cp_context *ctx, cp_stream *s, const cp_count_job *job);
} cp_sort_ops;

extern const cp_sort_ops cp_cpu_sort_ops, cp_cuda_sort_ops;

#endif
