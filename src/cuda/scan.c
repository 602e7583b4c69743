// Scans on a GPU: which way a scan goes, its temporary memory, the launches of kernels/routine/scan.cu.
#include "device/scan.h"

#include "cuda/cuda.h"

#include <stdio.h>

// ORDER kernels/routine/scan.cu
enum {
  BLOCK = 256,
  AHEAD = 4,
  SHORT = 2048, // so short rows are never cut
  MANY = 4096,  // of so many rows each is scanned by a warp
  TICKET = 256, // bytes before what tiles publish
  MAX_GRID = INT32_MAX
};

static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }
static bool by_rows(const cp_scan_job *j) { return j->length <= SHORT || j->rows >= MANY; }
static bool inexact(cp_dtype t) { return cp_is_float(t) || cp_is_complex(t); }

// Minima and maxima are the same in any order.
static bool in_order(const cp_scan_job *j) {
  return j->repeatable && inexact(j->to) && (j->kind == CP_SCAN_SUM || j->kind == CP_SCAN_PROD);
}

static int64_t tile_size(cp_dtype t) { return BLOCK * (cp_dtypes[t].register_size > 4 ? 8 : 16); }
static int64_t tiles_of(const cp_scan_job *j) { return divide_up(j->length, tile_size(j->to)); }

// What must be zero before the tiles start.
static size_t cleared(const cp_scan_job *j) {
  return TICKET + (size_t)(j->rows * tiles_of(j)) * (cp_dtypes[j->to].register_size <= 4 ? 8 : 4);
}

static size_t scratch(cp_device *d, const cp_scan_job *j) {
  size_t tiles = (size_t)(j->rows * tiles_of(j)), value = cp_dtypes[j->to].register_size;
  (void)d;
  if (by_rows(j)) return 0;
  if (in_order(j)) { // the totals, and what the scan of the totals needs
    cp_scan_job totals = *j;
    totals.from = totals.to = cp_loop_dtype(j->to);
    totals.length = tiles_of(j);
    return 2 * padded(tiles * value) + scratch(d, &totals);
  }
  return padded(cleared(j)) + (value > 4 ? 2 * tiles * value : 0);
}

static const char *kind_name(cp_scan_kind kind) {
  static const char *const names[] = {"sum", "prod", "min", "max"}; // ORDER cp_scan_kind
  return names[kind];
}

static cp_status find(cp_context *ctx, cp_cuda_device *d, const cp_scan_job *j, const char *mode, int vector,
                      cp_cuda_function **f) {
  char variables[128];
  snprintf(variables, sizeof variables, "MODE=%s OP=%s FROM=%s TO=%s VECTOR=%d", mode, kind_name(j->kind),
           cp_dtypes[j->from].name, cp_dtypes[j->to].name, vector);
  return cp_cuda_routine(ctx, d, "scan", variables, f);
}

// Packs of four elements where both arrays allow it.
static int vector_of(const cp_scan_job *j) {
  size_t in = 4 * cp_itemsize(j->from), out = 4 * cp_itemsize(j->to);
  if (in > 16) in = 16;
  if (out > 16) out = 16;
  bool wide = cp_itemsize(j->from) > 8 || cp_itemsize(j->to) > 8;
  bool aligned = (uintptr_t)j->in % in == 0 && (uintptr_t)j->out % out == 0;
  return !wide && aligned && (j->rows == 1 || j->length % 4 == 0) ? 4 : 1;
}

static cp_status launch(cp_context *ctx, cp_stream *stream, const cp_scan_job *j, const char *mode,
                        int vector, int64_t blocks, int64_t fourth, const void *state) {
  cp_cuda_function *f;
  const cp_params params = {.count = 6,
                            .slots = {(uintptr_t)j->in, (uintptr_t)j->out, (uint64_t)j->rows,
                                      (uint64_t)j->length, (uint64_t)fourth, (uintptr_t)state}};
  if (blocks > MAX_GRID) return cp_fail(CP_EUSAGE, "a scan of so many elements is not possible");
  CP_TRY(find(ctx, (cp_cuda_device *)stream->device, j, mode, vector, &f));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, f, (unsigned)blocks, BLOCK, 0, &params);
}

// A power of two of lanes for each row, which have AHEAD elements each in flight.
static cp_status run_rows(cp_context *ctx, cp_stream *stream, const cp_scan_job *j) {
  int64_t width = 0;
  while (width < 5 && (int64_t)AHEAD << width < j->length) width++;
  return launch(ctx, stream, j, "rows", 1, divide_up(j->rows, BLOCK >> width), width, NULL);
}

static cp_status run(cp_context *ctx, cp_stream *stream, const cp_scan_job *j);

// The totals of tiles, their scan, and the tiles again with it.
static cp_status run_in_order(cp_context *ctx, cp_stream *stream, const cp_scan_job *j) {
  int64_t tiles = tiles_of(j), blocks = j->rows * tiles;
  size_t size = padded((size_t)blocks * cp_dtypes[j->to].register_size);
  char *totals = j->scratch, *scanned = totals + size;
  cp_scan_job between = *j;
  between.from = between.to = cp_loop_dtype(j->to);
  between.length = tiles;
  between.in = totals;
  between.out = scanned;
  between.scratch = scanned + size;
  CP_TRY(launch(ctx, stream, j, "totals", vector_of(j), blocks, tiles, totals));
  CP_TRY(run(ctx, stream, &between));
  return launch(ctx, stream, j, "apply", vector_of(j), blocks, tiles, scanned);
}

static cp_status run(cp_context *ctx, cp_stream *stream, const cp_scan_job *j) {
  int64_t tiles = tiles_of(j);
  if (by_rows(j)) return run_rows(ctx, stream, j);
  if (in_order(j)) return run_in_order(ctx, stream, j);
  CP_TRY(cp_cuda_fill_bytes(stream, j->scratch, 0, cleared(j)));
  return launch(ctx, stream, j, "tiles", vector_of(j), j->rows * tiles, tiles, j->scratch);
}

const cp_scan_ops cp_cuda_scan_ops = {.scratch = scratch, .run = run};
