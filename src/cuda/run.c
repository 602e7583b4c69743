// Running plans on a GPU: the key, the kernel, how a reduction is spread over the threads, the arguments,
// the launch.
//
// ORDER kernels/reduce.cu and lua/cupola/kernels/layout.lua: BLOCK and the slots that append_spread adds.
// The number of blocks that share a reduction depends on the device and the shapes only, so results repeat.
#include "cuda/cuda.h"

#include <stdlib.h>

enum {
  BLOCK = 256,       // threads per block
  CELL = 48,         // bytes of the largest accumulator of ops.def
  AHEAD = 4,         // groups that a thread has in flight, roughly
  REGISTERS = 65536, // per multiprocessor
  MAX_GRID = INT32_MAX
};

// How a reduction is spread over blocks and threads. A column is what one block reduces: 2^width rows, or
// one.
typedef struct spread {
  int64_t groups, length; // groups of plan.vector elements in a row; elements along the innermost dimension
  int64_t columns, chunk, splits;
  unsigned width;
} spread;

static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

// ---- choosing a strategy ----

// Whether neighbouring rows lie closer together than the elements of a row, for most leaves.
static bool prefer_columns(const cp_plan *p) {
  int kept = p->ndim - p->nred, votes = 0;
  if (kept == 0) return false;
  for (int k = 0; k < p->nleaves; k++) {
    const cp_operand *a = &p->leaves[k];
    int64_t across = llabs(a->strides[kept - 1]), along = llabs(a->strides[p->ndim - 1]);
    if (a->access == CP_ACCESS_INDEX || across == 0 || along == 0) continue;
    votes += across < along ? 1 : -1;
  }
  return votes > 0;
}

static int64_t groups_of(const cp_plan *p) {
  int64_t groups = divide_up(p->shape[p->ndim - 1], p->vector);
  for (int d = p->ndim - p->nred; d < p->ndim - 1; d++) groups *= p->shape[d];
  return groups;
}

// The first power of two at or above v, as an exponent up to `most`.
static unsigned exponent_above(int64_t v, unsigned most) {
  unsigned e = 0;
  while (e < most && ((int64_t)1 << e) < v) e++;
  return e;
}

// Rows per block: enough neighbours for whole memory lines, more when rows are too short for many threads.
static unsigned column_width(const cp_plan *p, int64_t groups) {
  size_t itemsize = 4;
  for (int k = 0; k < p->nleaves; k++)
    if (p->leaves[k].access != CP_ACCESS_INDEX) {
      itemsize = cp_itemsize(p->leaves[k].dtype);
      break;
    }
  int64_t neighbours = larger(p->shape[p->ndim - p->nred - 1], 1);
  int64_t line = larger(32, 128 / (int64_t)itemsize);
  unsigned width = exponent_above(smaller(neighbours, line), 8), most = exponent_above(p->outer, 8);
  while (width < most && (BLOCK >> width) * 2 * AHEAD > groups) width++;
  return width;
}

static cp_strategy row_strategy(const cp_cuda_device *d, const cp_plan *p, int64_t groups) {
  int64_t rows = p->outer;
  if (groups <= 32 * AHEAD || rows > MAX_GRID) return CP_STRATEGY_WARP;
  if (groups <= BLOCK * AHEAD && rows >= (int64_t)d->sm_count * 64) return CP_STRATEGY_WARP;
  if (groups < BLOCK * AHEAD * 4 || rows >= (int64_t)d->sm_count * 8) return CP_STRATEGY_BLOCK;
  return CP_STRATEGY_SPLIT;
}

// Sets plan->strategy, for columns also plan->vector, and what does not depend on the compiled kernel.
static void choose(const cp_cuda_device *d, cp_plan *p, spread *s) {
  bool columns = p->inner > 0 && prefer_columns(p);
  if (columns) p->vector = 1;
  s->length = p->shape[p->ndim - 1];
  s->groups = p->inner > 0 ? groups_of(p) : 0;
  s->width = 0;
  s->splits = 1;
  p->strategy = columns ? CP_STRATEGY_COLUMN : row_strategy(d, p, s->groups);
  if (columns) s->width = column_width(p, s->groups);
  if (p->strategy == CP_STRATEGY_WARP)
    while (s->width < 5 && s->groups >= (int64_t)2 << s->width) s->width++;
  s->columns = p->strategy == CP_STRATEGY_WARP ? divide_up(p->outer, BLOCK >> s->width)
                                               : divide_up(p->outer, (int64_t)1 << s->width);
  s->chunk = s->groups;
}

// Blocks of f that a multiprocessor holds at a time.
static int64_t resident_blocks(const cp_cuda_device *d, const cp_cuda_function *f) {
  int64_t by_threads = d->max_sm_threads / BLOCK;
  int64_t by_registers = REGISTERS / (BLOCK * larger((f->registers + 7) / 8 * 8, 8));
  return larger(1, smaller(by_threads, by_registers));
}

// Shares long rows among blocks: one load of the whole device for a single column, several smaller ones for
// many.
static void split(const cp_cuda_device *d, const cp_cuda_function *f, const cp_plan *p, spread *s) {
  int64_t lanes = BLOCK >> s->width, least = lanes * AHEAD * 4;
  int64_t device = d->sm_count * resident_blocks(d, f);
  int64_t wanted = s->columns == 1 ? device : 4 * device / s->columns;
  if (p->strategy != CP_STRATEGY_SPLIT && p->strategy != CP_STRATEGY_COLUMN) return;
  if (wanted <= 1 || s->groups < 2 * least) return;
  s->chunk = divide_up(larger(divide_up(s->groups, wanted), least), lanes) * lanes;
  s->splits = divide_up(s->groups, s->chunk);
}

// ---- arguments ----

static cp_status append(cp_params *params, uint64_t v) {
  if (params->count >= CP_MAX_SLOTS)
    return cp_fail(CP_EUSAGE, "the kernel needs more than %d arguments", (int)CP_MAX_SLOTS);
  params->slots[params->count++] = v;
  return CP_OK;
}

// The slots after those of cp_plan_params, in the order of layout.device. The workspace is asked for last,
// as its address is good for the next launch only.
static cp_status append_spread(cp_cuda_stream *stream, const cp_plan *p, const spread *s, cp_params *params) {
  cpcu_deviceptr workspace = 0, counters = 0;
  if (s->splits > 1) {
    size_t cell = p->user != NULL ? (p->user->accumulator_size + 3) / 4 * 4 : CELL;
    size_t cells = (size_t)(s->columns * s->splits) << s->width;
    CP_TRY(cp_cuda_workspace(stream, cells * cell, (size_t)s->columns, &workspace, &counters));
  }
  CP_TRY(append(params, (uint64_t)s->groups));
  CP_TRY(append(params, (uint64_t)s->length));
  CP_TRY(append(params, (uint64_t)s->chunk));
  CP_TRY(append(params, (uint64_t)s->splits));
  CP_TRY(append(params, (uint64_t)s->width));
  CP_TRY(append(params, (uint64_t)workspace));
  return append(params, (uint64_t)counters);
}

// ---- running ----

static cp_status launch(cp_context *ctx, cp_cuda_stream *stream, const cp_cuda_function *f, int64_t blocks,
                        unsigned block, const cp_params *params) {
  if (blocks > MAX_GRID)
    return cp_fail(CP_EUSAGE, "the work needs more than %d blocks of threads", (int)MAX_GRID);
  return cp_cuda_launch(ctx, stream, f, (unsigned)blocks, block, 0, params);
}

static cp_status run_elementwise(cp_context *ctx, cp_cuda_device *d, cp_cuda_stream *stream, cp_plan *p) {
  cp_key key;
  cp_params params;
  cp_cuda_function *f;
  if (p->size == 0) return CP_OK;
  cp_plan_key(p, &key);
  CP_TRY(cp_cuda_kernel(ctx, d, p, &key, &f));
  CP_TRY(cp_plan_params(p, &params));
  unsigned block = p->user != NULL && p->user->block > 0 ? (unsigned)p->user->block : BLOCK;
  return launch(ctx, stream, f, divide_up((int64_t)params.slots[0], block), block, &params);
}

static cp_status run_reduction(cp_context *ctx, cp_cuda_device *d, cp_cuda_stream *stream, cp_plan *p) {
  cp_key key;
  cp_params params;
  cp_cuda_function *f;
  spread s;
  if (p->outer == 0) return CP_OK;
  choose(d, p, &s);
  cp_plan_key(p, &key);
  CP_TRY(cp_cuda_kernel(ctx, d, p, &key, &f));
  split(d, f, p, &s);
  CP_TRY(cp_plan_params(p, &params));
  CP_TRY(append_spread(stream, p, &s, &params));
  return launch(ctx, stream, f, s.columns * s.splits, BLOCK, &params);
}

cp_status cp_cuda_run(cp_context *ctx, cp_stream *stream, cp_plan *plan) {
  cp_cuda_device *d = (cp_cuda_device *)stream->device;
  cp_cuda_stream *s = (cp_cuda_stream *)stream;
  return plan->nred > 0 ? run_reduction(ctx, d, s, plan) : run_elementwise(ctx, d, s, plan);
}
