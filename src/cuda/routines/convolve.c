// Convolutions and recursive filters on a GPU: arguments and launches of kernels/routine/convolve.cu,
// stencil.cu and recur.cu.
#include "routines/convolve.h"

#include "cuda/driver/cuda.h"

#include <string.h>

// ---- convolutions

// ORDER as in kernels/routine/convolve.h, convolve.cu, stencil.cu.
enum { THREADS = 256, FIRST = 9, LANES = 32, ROWS = 32, LINE = 256 };
enum {
  SMALL = 5, // largest filter compiled into the kernel, along each axis
  FEW = 9,   // most elements of such a filter, for dtypes whose kernels compile slowly
  STENCIL_ROWS = 32,
  WIDEST = 4 // most elements read at once
};

// A kernel and the size of its tiles.
typedef struct shape {
  cp_cuda_function *kernel;
  int64_t wide, high;
} shape;

// How many neighbouring elements can be read and written at once: 1, or as many as are aligned in every row.
static int64_t together(const cp_convolve_job *j) {
  const int64_t item = (int64_t)cp_itemsize(j->dtype);
  int64_t n = 16 / item < WIDEST ? 16 / item : WIDEST;
  const uintptr_t size = (uintptr_t)(n * item);
  bool fits = j->axes[j->ndim - 1].in_stride == 1 && j->axes[j->ndim - 1].out_stride == 1;
  for (int d = 0; d < j->ndim - 1; d++)
    fits = fits && j->axes[d].in_stride % n == 0 && j->axes[d].out_stride % n == 0;
  return fits && (uintptr_t)j->in % size == 0 && (uintptr_t)j->out % size == 0 ? n : 1;
}

static cp_status find_shape(cp_context *ctx, cp_cuda_device *d, const cp_convolve_job *j, shape *s) {
  static const char *const borders[] = {"fill", "wrap", "symm", "edge", "mirror", "none"}; // ORDER cp_border
  const cp_convolve_axis *y = &j->axes[j->ndim - 2], *x = &j->axes[j->ndim - 1];
  const char *name = cp_dtypes[j->dtype].name, *border = borders[j->border];
  const char *sparing = j->sparing ? " SPARING=1" : "";
  const size_t item = cp_itemsize(cp_loop_dtype(j->dtype)); // bytes of a value in registers
  const int64_t columns = item <= 4 ? 4 : item <= 8 ? 2 : 1;
  bool line = y->out == 1 && y->filter == 1;
  bool simple = cp_is_float(j->dtype) && !cp_is_half(j->dtype);
  bool small = y->filter <= SMALL && x->filter <= SMALL && (simple || y->filter * x->filter <= FEW);
  if (!line && small) {
    int64_t vector = together(j), shift = (x->start % vector + vector) % vector;
    s->wide = LANES * vector;
    s->high = STENCIL_ROWS;
    return cp_cuda_routine(ctx, d, "stencil", &s->kernel,
                           "T=%s BORDER=%s AXES=%d KY=%d KX=%d VECTOR=%d SHIFT=%d%s", name, border, j->ndim,
                           (int)y->filter, (int)x->filter, (int)vector, (int)shift, sparing);
  }
  s->wide = (line ? LINE : LANES) * columns;
  s->high = line ? 1 : ROWS;
  return cp_cuda_routine(ctx, d, "convolve", &s->kernel, "T=%s BORDER=%s SHAPE=%s AXES=%d%s", name, border,
                         line ? "line" : "plane", j->ndim, sparing);
}

static cp_status run(cp_context *ctx, cp_stream *stream, const cp_convolve_job *j) {
  shape s;
  CP_TRY(find_shape(ctx, (cp_cuda_device *)stream->device, j, &s));
  int64_t across = cp_divide_up(j->axes[j->ndim - 1].out, s.wide),
          down = cp_divide_up(j->axes[j->ndim - 2].out, s.high);
  int64_t blocks = across * down, lines = 1;
  uint64_t slots[FIRST + 6 * CP_MAXDIM], *slot = slots + FIRST;
  slots[0] = (uintptr_t)j->in;
  slots[1] = (uintptr_t)j->filter;
  slots[2] = (uintptr_t)j->out;
  slots[3] = (uint64_t)(j->reversed + 2 * j->conjugate);
  memcpy(&slots[4], j->fill, sizeof j->fill);
  slots[6] = (uint64_t)across;
  slots[7] = (uint64_t)down;
  for (int d = 0; d < j->ndim; d++) {
    const cp_convolve_axis *a = &j->axes[d];
    const int64_t values[] = {a->in, a->out, a->filter, a->in_stride, a->out_stride, a->start};
    for (int k = 0; k < 6; k++) *slot++ = (uint64_t)values[k];
    if (d >= j->ndim - 2) continue;
    lines = a->filter > INT32_MAX || lines > INT32_MAX ? INT64_MAX : lines * a->filter;
    if (blocks <= INT32_MAX) blocks *= a->out; // neither factor is above 2^31
    if (a->out > INT32_MAX) blocks = INT64_MAX;
  }
  slots[8] = (uint64_t)lines;
  if (blocks > INT32_MAX || lines > INT32_MAX)
    return cp_fail(CP_EUSAGE, "there are more elements than one kernel can take");
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, s.kernel, blocks, THREADS, 0, slots);
}

// Tiles span two axes, so a single axis is extended by one of length 1.
static cp_status convolve(cp_context *ctx, cp_stream *stream, const cp_convolve_job *j) {
  if (j->ndim > 1) return run(ctx, stream, j);
  cp_convolve_job wide = *j;
  wide.axes[1] = wide.axes[0];
  wide.axes[0] = (cp_convolve_axis){.in = 1, .out = 1, .filter = 1};
  wide.ndim = 2;
  return run(ctx, stream, &wide);
}

// ---- recursive filters

// ORDER as in kernels/routine/recur.cu.
enum { ROW_THREADS = 64, WARP = 32 };
enum {
  MANY = 4096, // with this many rows the device is busy without cutting rows
  LONG = 4096  // shortest row that is worth cutting
};

typedef struct chunks {
  int64_t length, count; // length of a chunk, and chunks per row
  cpcu_deviceptr board;
} chunks;

static cp_status run_mode(cp_context *ctx, cp_stream *stream, const cp_recur_job *j, const char *mode,
                          int64_t tasks, const chunks *c) {
  const uint64_t slots[] = {(uintptr_t)j->in,        (uintptr_t)j->out, (uintptr_t)j->coefficients,
                            (uintptr_t)j->states,    (uint64_t)j->rows, (uint64_t)j->length,
                            (uint64_t)j->row_stride, (uint64_t)j->step, (uint64_t)c->length,
                            (uint64_t)c->count,      c->board};
  bool chain = strcmp(mode, "chain") == 0;
  int64_t threads = chain ? WARP : ROW_THREADS, blocks = chain ? tasks : cp_divide_up(tasks, threads);
  cp_cuda_function *f;
  CP_TRY(cp_cuda_routine(ctx, (cp_cuda_device *)stream->device, "recur", &f, "MODE=%s T=%s ORDER=%d", mode,
                         cp_dtypes[j->dtype].name, j->order));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, f, blocks, (unsigned)threads, 0, slots);
}

// About the square root of the length, so that walking along a chunk and from chunk to chunk take about as
// long.
static int64_t chunk_length(int64_t length) {
  int64_t n = 64;
  while (n * n < 4 * length) n *= 2;
  return n / 2;
}

static cp_status recur(cp_context *ctx, cp_stream *stream, const cp_recur_job *j) {
  chunks c = {.length = chunk_length(j->length)};
  cpcu_deviceptr counters;
  c.count = cp_divide_up(j->length, c.length);
  if (j->order == 0 || j->order > WARP || j->rows >= MANY || j->length < LONG)
    return run_mode(ctx, stream, j, "rows", j->rows, &c);
  int64_t tasks = j->rows * c.count, states = (tasks + j->order) * j->order;
  CP_TRY(cp_cuda_workspace((cp_cuda_stream *)stream, (size_t)states * cp_itemsize(j->dtype), 0, &c.board,
                           &counters));
  CP_TRY(run_mode(ctx, stream, j, "ends", tasks + j->order, &c));
  CP_TRY(run_mode(ctx, stream, j, "chain", j->rows, &c));
  return run_mode(ctx, stream, j, "chunks", tasks, &c);
}

const cp_convolve_ops cp_cuda_convolve_ops = {.convolve = convolve, .recur = recur};
