// Runs plans on a GPU: the key, the kernel, how threads share a reduction, the arguments, the launch.
//
// ORDER as in kernels/reduce.cu, kernels/tile.cu and lua/cupola/kernels/generate.lua: BLOCK. The number of
// blocks that share a reduction depends only on the device and the shapes, so results are reproducible.
#include "cuda/driver/cuda.h"
#include "cuda/driver/fault.h"
#include "cuda/run/joint.h"
#include "cuda/run/rows.h"

#include <stdlib.h>
#include <string.h>

enum {
  BLOCK = 256,         // threads per block
  CELL = CP_CUDA_CELL, // which holds the largest accumulator in ops.def, too
  AHEAD = 4,           // groups that a thread has in flight, roughly
  LANE_BYTES = 64,     // bytes of a row that one thread loads at once; its loads are in flight together
  LANE_GROUPS = 8,     // most groups in those bytes
  SECTOR = 32,         // bytes of a memory sector, the smallest transfer
  COLUMN_LANES = CP_CUDA_LINE, // groups of columns per block: 512 bytes of each row
  COLUMN_AHEAD = 16,           // elements that a thread should have of each of its columns
  REGISTERS = 65536,           // per multiprocessor
  SHARED = 200 << 10,
  MOST_LOADS = 4, // times that blocks which share rows may fill the device
  SHARE = 8,      // most groups of random draws that a thread computes
  BUSY = 16,      // blocks per multiprocessor that are enough to give each thread more than one group
  MOST_ROWS = 16, // lines that a thread of strategy short takes
  DOMAIN_BATCH = 4,
  SHARED_BLOCKS = 4, // per multiprocessor. ORDER kernels/reduce.cu: CP_BOUNDS
  MAX_GRID = INT32_MAX
};

// How a reduction is spread over blocks and threads. A column is what one block reduces.
typedef struct spread {
  int64_t groups, length; // see kernels/slots.def
  int64_t lines, tiles;
  int64_t columns, splits;
  int64_t width; // as passed to the kernel
} spread;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

// ---- choosing a strategy ----

// Bytes per element of the widest leaf.
static int64_t widest_leaf(const cp_plan *p) {
  int64_t widest = 1;
  for (int k = 0; k < p->nleaves; k++)
    if (p->leaves[k].access != CP_ACCESS_INDEX)
      widest = larger(widest, (int64_t)cp_itemsize(p->leaves[k].dtype));
  return widest;
}

static cp_strategy row_strategy(int sm_count, const cp_plan *p, int64_t groups) {
  int64_t rows = p->outer;
  if (groups <= 32 * AHEAD || rows > MAX_GRID) return CP_STRATEGY_WARP;
  if (groups <= BLOCK * AHEAD && rows >= (int64_t)sm_count * 64) return CP_STRATEGY_WARP;
  if (groups < BLOCK * AHEAD * 4 || rows >= (int64_t)sm_count * 8) return CP_STRATEGY_BLOCK;
  return CP_STRATEGY_SPLIT;
}

// Chooses groups along the rows that are aligned and do not cross a row's end; in short rows, others would
// cost too much.
static void align_groups(cp_plan *p) {
  bool loose = p->shape[p->along] % p->vector != 0;
  for (int k = 0; k < p->nleaves; k++) loose = loose || p->leaves[k].access == CP_ACCESS_CONTIGUOUS;
  while (loose && p->vector > 1) {
    cp_plan_regroup(p, p->vector / 2);
    loose = p->shape[p->along] % p->vector != 0;
    for (int k = 0; k < p->nleaves; k++) loose = loose || p->leaves[k].access == CP_ACCESS_CONTIGUOUS;
  }
}

static void count_groups(cp_plan *p, spread *s) {
  s->length = p->shape[p->ndim - 1];
  s->groups = 1;
  for (int k = p->ndim - p->nred; k < p->ndim; k++) s->groups *= cp_plan_steps(p, k);
}

// The number of lanes that share a row, a power of two: few enough that each has its loads in flight
// together, but more where a single lane's groups would leave half of a sector to another load.
static int64_t row_width(const cp_plan *p, const spread *s) {
  int64_t group = widest_leaf(p) * p->vector, row = s->groups * group, width = 0;
  while (width < 5 && s->groups >= 2 << width &&
         (row > (int64_t)LANE_BYTES << width || (row >= 2 * SECTOR && group << width < SECTOR) ||
          s->groups > (int64_t)LANE_GROUPS << width))
    width++;
  return width;
}

static void choose_rows(int sm_count, cp_plan *p, spread *s) {
  bool own = p->user == NULL, shortest = p->shape[p->ndim - 1] <= BLOCK;
  if (own && shortest) align_groups(p);
  count_groups(p, s);
  p->strategy = row_strategy(sm_count, p, s->groups);
  if (p->strategy == CP_STRATEGY_WARP) {
    if (own && !shortest) align_groups(p); // its kernel has no other groups
    count_groups(p, s);
    s->width = row_width(p, s);
  }
  s->columns = p->strategy == CP_STRATEGY_WARP ? cp_divide_up(p->outer, BLOCK >> s->width) : p->outer;
}

// Gives blocks equal shares of the columns, wider shares where the columns are short.
static void choose_columns(cp_plan *p, spread *s) {
  int kept = p->ndim - p->nred;
  int64_t groups = 1;
  cp_plan_access(p, kept - 1);
  if (p->user != NULL) cp_plan_regroup(p, 1);
  int most = p->nphased > 0 || (p->user == NULL && strcmp(cp_reds[p->red].accumulator, "VALUE") == 0) ? 4 : 2;
  while (p->vector > most) cp_plan_regroup(p, p->vector / 2); // each column of a group has an accumulator
  align_groups(p);
  for (int k = 0; k < kept; k++) groups *= cp_plan_steps(p, k);
  p->strategy = CP_STRATEGY_COLUMN;
  s->length = p->shape[p->along];
  s->groups = p->inner;
  s->width =
      groups >= 8 * COLUMN_LANES ? COLUMN_LANES : cp_divide_up(groups, larger(1, groups / COLUMN_LANES));
  while (s->width <= BLOCK / 2 && s->width * 2 <= groups && BLOCK / s->width * COLUMN_AHEAD > p->inner)
    s->width *= 2;
  s->columns = cp_divide_up(groups, s->width);
}

// ---- broadcast domains ----

static int64_t outputs_of_thread(const cp_plan *p, int64_t most) {
  int64_t outputs = 1;
  while (outputs < most && p->shape[p->ndim - 2] >= outputs * 2 * COLUMN_LANES) outputs *= 2;
  return outputs;
}

static void choose_short(int sm_count, cp_plan *p, spread *s) {
  int64_t most = p->inner <= 4 ? 4 : 2, length = p->shape[p->ndim - 2];
  cp_plan_reach(p, (int)outputs_of_thread(p, most), (int)p->inner);
  int64_t groups = cp_divide_up(length, p->vector);
  p->strategy = CP_STRATEGY_SHORT;
  s->length = length;
  s->lines = p->outer / length;
  s->width = smaller(groups, COLUMN_LANES);
  while (s->width <= BLOCK / 2 && s->width * 2 <= groups && BLOCK / s->width > s->lines) s->width *= 2;
  s->tiles = cp_divide_up(groups, s->width);
  int64_t heights = cp_divide_up(s->lines, BLOCK / s->width);
  s->groups = larger(1, smaller(MOST_ROWS, s->tiles * heights / ((int64_t)sm_count * BUSY)));
  s->columns = s->tiles * cp_divide_up(heights, s->groups);
}

static void choose_domain(cp_plan *p, spread *s) {
  int64_t length = p->shape[p->ndim - 2];
  bool phased = p->nphased > 0; // then all accumulators are values
  bool value = phased || (strcmp(cp_reds[p->red].accumulator, "VALUE") == 0 && p->acc != CP_COMPLEX128);
  cp_plan_reach(p, (int)outputs_of_thread(p, value ? 4 : 2), DOMAIN_BATCH);
  int64_t groups = cp_divide_up(length, p->vector);
  p->strategy = CP_STRATEGY_DOMAIN;
  s->length = length;
  s->lines = p->outer / length;
  s->groups = p->inner;
  s->width = smaller(groups, COLUMN_LANES);
  while (s->width <= BLOCK / 2 && s->width * 2 <= groups && BLOCK / s->width * COLUMN_AHEAD > p->inner)
    s->width *= 2;
  s->tiles = cp_divide_up(groups, s->width);
  s->columns = s->tiles * s->lines;
}

// Whether the order of elements must not depend on the compiled kernel.
static bool is_ordered(const cp_plan *p) {
  return p->nphased > 0 || (p->user == NULL && cp_cuda_is_ordered(p->red, p->acc));
}

// Sets plan->strategy, the groups, and whatever else does not depend on the compiled kernel.
static void choose(int sm_count, cp_plan *p, spread *s) {
  *s = (spread){.splits = 1};
  if (cp_cuda_prefers_short(p))
    choose_short(sm_count, p, s);
  else if (cp_cuda_prefers_domain(p))
    choose_domain(p, s);
  else if (p->inner > 0 && cp_cuda_lies_across(p))
    choose_columns(p, s);
  else
    choose_rows(sm_count, p, s);
  if (p->strategy < CP_STRATEGY_SHORT) p->batch = is_ordered(p) ? cp_cuda_batch(p) : 0;
}

// Occupancy: how many blocks of f a multiprocessor holds at once.
static int64_t resident_blocks(const cp_cuda_device *d, const cp_cuda_function *f) {
  int64_t by_threads = d->max_sm_threads / BLOCK;
  int64_t by_registers = REGISTERS / (BLOCK * larger((f->registers + 7) / 8 * 8, 8));
  int64_t by_shared = SHARED / larger(f->shared_bytes, 1);
  return larger(1, smaller(by_threads, smaller(by_registers, by_shared)));
}

// Shares long rows among blocks: as many as fill the device, all resident at once if possible. Filling it
// more than once costs a tail and more partial results, measured at about 2 % each; a part of a wave that
// stays empty costs its share.
static void split(const cp_cuda_device *d, const cp_cuda_function *f, const cp_plan *p, spread *s) {
  bool domain = p->strategy == CP_STRATEGY_DOMAIN, columns = domain || p->strategy == CP_STRATEGY_COLUMN;
  if (p->strategy != CP_STRATEGY_SPLIT && !columns) return;
  int64_t lanes = columns ? BLOCK / s->width : BLOCK, least = lanes * AHEAD * 2;
  int64_t load = d->sm_count * (domain || is_ordered(p) ? SHARED_BLOCKS : resident_blocks(d, f));
  int64_t most = larger(1, s->groups / least);
  double best = 0;
  for (int64_t loads = 1; loads <= MOST_LOADS; loads++) {
    int64_t splits = larger(1, smaller(load * loads / s->columns, most));
    int64_t blocks = s->columns * splits;
    double share =
        (double)blocks / (double)(cp_divide_up(blocks, load) * load) * (1 - 0.02 * (double)(loads - 1));
    if (share <= best) continue;
    best = share;
    s->splits = splits;
  }
}

// ---- arguments ----

static cp_status append(cp_params *params, uint64_t v) {
  if (params->count >= CP_MAX_SLOTS)
    return cp_fail(CP_EUSAGE, "the kernel needs more than %d arguments", (int)CP_MAX_SLOTS);
  params->slots[params->count++] = v;
  return CP_OK;
}

// The slots of a reduction after those of cp_plan_params.
typedef struct spread_slots {
  uint64_t groups, length, lines, tiles, splits, width, workspace, counters;
} spread_slots;

#define IN_SPREAD(status)   CP_TRY(status)
#define IN_COUNTING(status) (void)0

// The workspace is requested last, as its address is valid only for the next launch.
static cp_status append_spread(cp_cuda_stream *stream, const cp_plan *p, const spread *s, cp_params *params) {
  cpcu_deviceptr workspace = 0, counters = 0;
  if (s->splits > 1) {
    size_t cell = p->user != NULL ? (p->user->accumulator_size + 3) / 4 * 4 : CELL;
    int64_t rows = p->strategy >= CP_STRATEGY_COLUMN ? s->width * p->vector : 1;
    size_t cells = (size_t)(s->columns * s->splits * rows);
    CP_TRY(cp_cuda_workspace(stream, cells * cell, (size_t)s->columns, &workspace, &counters));
  }
  const spread_slots slots = {.groups = (uint64_t)s->groups,
                              .length = (uint64_t)s->length,
                              .lines = (uint64_t)s->lines,
                              .tiles = (uint64_t)s->tiles,
                              .splits = (uint64_t)s->splits,
                              .width = (uint64_t)s->width,
                              .workspace = workspace,
                              .counters = counters};
#define DEVICE_SLOTS(name, kernels) IN_##kernels(append(params, slots.name));
#include "slots.def"
  return CP_OK;
}

// ---- running ----

// Fills in where a kernel says which positions are out of range.
static cp_status expect_positions(cp_cuda_stream *stream, const cp_plan *p, cp_params *params) {
  uint64_t *slots = params->slots + params->tables;
  for (int k = 0; k < p->ntables; k++, slots += 2 + 2 * p->tables[k - 1].count) {
    cpcu_deviceptr words;
    CP_TRY(cp_cuda_expect_positions(stream, p->tables[k].positions, &words));
    slots[1] = words;
  }
  return CP_OK;
}

static cp_status launch(cp_context *ctx, cp_cuda_stream *stream, const cp_plan *p, const cp_cuda_function *f,
                        int64_t blocks, unsigned block, cp_params *params) {
  if (blocks > MAX_GRID)
    return cp_fail(CP_EUSAGE, "the work needs more than %d blocks of threads", (int)MAX_GRID);
  if (p->ntables > 0) CP_TRY(expect_positions(stream, p, params));
  CP_TRY(cp_cuda_launch(ctx, stream, f, blocks, block, 0, params->slots));
  if (p->user != NULL) cp_cuda_add_unsynced(stream, f->name);
  return CP_OK;
}

// Brings an elementwise plan into the form that GPUs run.
static void arrange(cp_plan *p) {
  if (p->user != NULL) return;
  cp_plan_tile(p);
  cp_plan_shift(p);
}

void cp_cuda_arrange(int sm_count, cp_plan *p, cp_key *key) {
  spread s;
  if (p->nphased > 0 && cp_cuda_takes_rows(p))
    cp_cuda_arrange_rows(p);
  else if (p->nred > 0)
    choose(sm_count, p, &s);
  else
    arrange(p);
  cp_plan_key(p, key);
}

static cp_status run_elementwise(cp_context *ctx, cp_cuda_device *d, cp_cuda_stream *stream, cp_plan *p) {
  cp_key key;
  cp_params params;
  cp_cuda_function *f;
  if (p->size == 0) return CP_OK;
  arrange(p);
  cp_plan_key(p, &key);
  CP_TRY(cp_cuda_kernel(ctx, d, p, &key, &f));
  CP_TRY(cp_plan_params(p, &params));
  unsigned block = p->user != NULL && p->user->block > 0 ? (unsigned)p->user->block : BLOCK;
  int64_t steps = (int64_t)params.slots[0];
  if (cp_plan_counts(p)) {
    int64_t share = larger(1, smaller(SHARE, cp_divide_up(steps, BLOCK) / ((int64_t)d->sm_count * BUSY)));
    CP_TRY(append(&params, (uint64_t)share));
    cp_cuda_alternate(stream, params.slots);
    return launch(ctx, stream, p, f, cp_divide_up(steps, BLOCK * share), BLOCK, &params);
  }
  if (p->tile == 0 && p->user == NULL) cp_cuda_alternate(stream, params.slots);
  return launch(ctx, stream, p, f, p->tile > 0 ? steps : cp_divide_up(steps, block), block, &params);
}

static cp_status run_reduction(cp_context *ctx, cp_cuda_device *d, cp_cuda_stream *stream, cp_plan *p) {
  cp_key key;
  cp_params params;
  cp_cuda_function *f;
  spread s;
  if (p->outer == 0) return CP_OK;
  choose(d->sm_count, p, &s);
  cp_plan_key(p, &key);
  CP_TRY(cp_cuda_kernel(ctx, d, p, &key, &f));
  split(d, f, p, &s);
  CP_TRY(cp_plan_params(p, &params));
  CP_TRY(append_spread(stream, p, &s, &params));
  stream->backwards = false; // in the order of elements, whose sums have fixed bits
  return launch(ctx, stream, p, f, s.columns * s.splits, BLOCK, &params);
}

// The plan is arranged already (cp_cuda_takes_phases).
static cp_status run_rows(cp_context *ctx, cp_cuda_device *d, cp_cuda_stream *stream, cp_plan *p) {
  cp_key key;
  cp_params params;
  cp_cuda_function *f;
  cp_plan_key(p, &key);
  CP_TRY(cp_cuda_kernel(ctx, d, p, &key, &f));
  CP_TRY(cp_plan_params(p, &params));
  int threads = p->lanes > BLOCK ? p->lanes : BLOCK;
  cp_cuda_alternate(stream, params.slots);
  return launch(ctx, stream, p, f, cp_divide_up(p->outer, threads / p->lanes), (unsigned)threads, &params);
}

cp_status cp_cuda_run(cp_context *ctx, cp_stream *stream, cp_plan *plan) {
  cp_cuda_device *d = (cp_cuda_device *)stream->device;
  cp_cuda_stream *s = (cp_cuda_stream *)stream;
  if (plan->strategy == CP_STRATEGY_ROWS) return run_rows(ctx, d, s, plan);
  return plan->nred > 0 ? run_reduction(ctx, d, s, plan) : run_elementwise(ctx, d, s, plan);
}
