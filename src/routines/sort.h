// Sorting, searching in sorted arrays, counting, and the gathers and scatters that functions built on these
// need. All arrays are contiguous and do not overlap; positions count from 1.
#ifndef CP_ROUTINES_SORT_H
#define CP_ROUTINES_SORT_H

#include "base/dtype.h"
#include "device/device.h"

// Sorts `rows` rows of `length` elements (both > 0), of any dtype but complex; nan comes last. Writes the
// sorted elements to `values`, or their positions in the row to `positions` (a stable sort); the other
// pointer is NULL.
typedef struct cp_sort_job {
  cp_dtype dtype;
  int64_t rows, length;
  const void *in;
  void *values;
  int64_t *positions;
  void *scratch;
  // Places of each row, from 0, that must hold what they hold in the sorted row; elements before and after
  // them may be in any order among themselves. A device may ignore this, and sort whole rows.
  int64_t first, last;
  int64_t bound; // integers that are 0 to bound - 1, which may take less work; 0: any elements
  // Of the GPU's own work: 8 bytes of each element, which are sorted along with the elements. Then
  // `positions` gets these, and `values` the elements.
  const uint64_t *along;
} cp_sort_job;

// positions[k] = where values[k] must be inserted into `sorted` (of `length` elements, in the order of sort)
// to keep it sorted: before equal elements, or after them.
typedef struct cp_search_job {
  cp_dtype dtype;
  int64_t length, count;
  const void *sorted, *values;
  bool behind;
  int64_t *positions;
} cp_search_job;

// out[k] = the value at x[k] of the line through the points (xp[i], fp[i]), `length` of them (at least 1) in
// ascending order of xp (kernels/routine/sorting/line.h).
typedef struct cp_interpolate_job {
  int64_t length, count;
  const double *x, *xp, *fp, *below, *above; // below, above: one value each, outside of xp
  bool imaginary;                            // imaginary parts: 0 where x is nan
  double *out;
} cp_interpolate_job;

// Copies `count` elements of itemsize bytes by positions from 1. The library's own functions made them, so
// they are in range. For others, from a script, nothing is written, and any element may be read.
typedef enum cp_move_kind {
  CP_MOVE_GATHER, // out[k] = in[at[k]]
  CP_MOVE_SCATTER // out[at[k]] = in[k]
} cp_move_kind;
typedef struct cp_move_job {
  cp_move_kind kind;
  size_t itemsize;
  int64_t count, room; // room: elements of `in` (gather, at least 1) or of `out` (scatter)
  const void *in;
  const int64_t *at;
  void *out;
} cp_move_job;

// Counts elements by bins into `out`, which is zero before: an int64 per bin, or with weights (float64) their
// sum, a float64. The bin of an integer is its value, from 0. With edges (`bins` + 1 of them, of the
// elements' dtype, float32 or float64, equally spaced up to rounding) it is the bin between whose edges the
// element lies, the last edge included. Elements in no bin are ignored.
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
  cp_status (*interpolate)(cp_context *ctx, cp_stream *s, const cp_interpolate_job *job);
  cp_status (*move)(cp_context *ctx, cp_stream *s, const cp_move_job *job);
  cp_status (*count)(cp_context *ctx, cp_stream *s, const cp_count_job *job);
} cp_sort_ops;

// Of cp_cuda_sort_ops, for rows of any length, with `along`.
size_t cp_cuda_sort_along_scratch(cp_device *d, const cp_sort_job *job);
cp_status cp_cuda_sort_along(cp_context *ctx, cp_stream *s, const cp_sort_job *job);

extern const cp_sort_ops cp_cpu_sort_ops, cp_cuda_sort_ops;

#endif
