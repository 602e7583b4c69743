// Scans: cumulative sums, products, minima and maxima along rows.
#ifndef CP_ROUTINES_SCAN_H
#define CP_ROUTINES_SCAN_H

#include "base/dtype.h"
#include "device/device.h"

typedef enum cp_scan_kind { CP_SCAN_SUM, CP_SCAN_PROD, CP_SCAN_MIN, CP_SCAN_MAX } cp_scan_kind;

// rows x length x inner elements in C order in `in` and `out`, which do not overlap. The scan runs along the
// middle axis: element (r, k, i) of out combines elements (r, 0, i) to (r, k, i) of in, each converted to the
// dtype `to` first. The bits are the same in every run.
typedef struct cp_scan_job {
  cp_scan_kind kind;
  cp_dtype from, to;
  int64_t rows, length, inner;
  const void *in;
  void *out;
  void *scratch; // as many bytes as `scratch` below returns
} cp_scan_job;

typedef struct cp_scan_ops {
  size_t (*scratch)(cp_device *d, const cp_scan_job *job);
  // Queues the work. No dimension is 0.
  cp_status (*run)(cp_context *ctx, cp_stream *s, const cp_scan_job *job);
} cp_scan_ops;

extern const cp_scan_ops cp_cpu_scan_ops, cp_cuda_scan_ops;

#endif
