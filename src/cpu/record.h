// What the CPU device offers. Each function does its work, or puts it into the command buffer of a stream
// that records.
#ifndef CP_CPU_RECORD_H
#define CP_CPU_RECORD_H

#include "device/device.h"
#include "routines/blas.h"
#include "routines/convolve.h"
#include "routines/fft.h"
#include "routines/index.h"
#include "routines/scan.h"
#include "routines/sites.h"
#include "routines/solver.h"
#include "routines/sort.h"
#include "routines/sparse.h"
#include "routines/sparse_forms.h"
#include "routines/walks.h"

// For functions of cp_device_ops while s records.
cp_status cp_record_copy(cp_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind);
cp_status cp_record_fill_bytes(cp_stream *s, void *dst, int byte, size_t bytes);
cp_status cp_record_run(cp_context *ctx, cp_stream *s, const cp_plan *plan);

extern const cp_blas_ops cp_record_blas_ops;
extern const cp_fft_ops cp_record_fft_ops;
extern const cp_index_ops cp_record_index_ops;
extern const cp_scan_ops cp_record_scan_ops;
extern const cp_sort_ops cp_record_sort_ops;
extern const cp_convolve_ops cp_record_convolve_ops;
extern const cp_sparse_ops cp_record_sparse_ops;
extern const cp_sparse_form_ops cp_record_sparse_form_ops;
extern const cp_walk_ops cp_record_walk_ops;
extern const cp_sites_ops cp_record_sites_ops;

#endif
