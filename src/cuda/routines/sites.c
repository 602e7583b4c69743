// Routines at independent sites on a GPU: variables and launches of kernels/routine/sites.
#include "routines/sites.h"

#include "cuda/driver/cuda.h"

#include <stdio.h>

enum {
  THREADS = 256, // of a block, ORDER as in kernels/routine/sites/sites.h
  LANES = 5,     // logarithm of the columns of a block's tile where there are many rows
  FEW_ROWS = 8,
  EACH_THREAD = 4, // sites of a thread; ORDER CP_EACH_THREAD in kernels/routine/sites/sites.h
  MOST_TIMES = 4,  // a thread works on so many sites
  ENOUGH = 1024,   // blocks
  TILE = 10,  // logarithm of the sites of a tile of labels; ORDER UNITS in kernels/routine/sites/label.cu
  INNER = 11, // ORDER CP_INNER in kernels/routine/sites/taps.cu
  COMMON = 11,
  RANK,               // ORDER kernels/routine/sites/drop.cu
  VARIABLES = 112,    // bytes
  MOST_RANKED = 49,   // longest window whose elements stay in registers; its text compiles in half a second
  MOST_DROPPED = 225, // the same in shared memory
  DROPPING = 64       // threads then, half of them for elements of 8 bytes; ORDER CP_THREADS in sites/drop.cu
};

static int64_t longest_of(cp_dtype dtype) {
  return cp_cuda_sites_ops.most_paired[cp_dtypes[dtype].itemsize > 1];
}

// Whether the element of a rank is found bit by bit (sites/select), or by dropping others in shared memory.
static bool is_selected(const cp_sites_job *j) {
  return j->kind == CP_SITES_RANK && j->fixed > longest_of(j->dtype);
}

static bool is_dropped(const cp_sites_job *j) {
  return j->kind == CP_SITES_RANK && j->fixed > MOST_RANKED && !is_selected(j);
}

// Bytes of shared memory for each thread of sites/drop: what can be the element sought of the first window,
// and what of that can be once the common taps have been looked at.
static int64_t bytes_dropping(const cp_sites_job *j) {
  const int64_t rank = (int64_t)j->slots[RANK], above = j->fixed - 1 - rank;
  int64_t less = rank < above ? rank : above, more = rank < above ? above : rank, size = 0;
  const int64_t most = less + 1;
  for (int k = 0; k < j->common; k++) { // ORDER cp_look in kernels/routine/sites/drop.cu
    const bool both = size > more, one = size > less;
    size += both ? -1 : one ? 0 : 1;
    less -= both;
    more -= both || one;
  }
  return (most + size) * (int64_t)cp_dtypes[j->dtype].itemsize;
}

// The text's name and the variables that it is compiled for.
static const char *text_of(const cp_sites_job *j, char variables[VARIABLES]) {
  static const char *const names[] = {"sites/extreme",  "sites/pair",    "sites/select", "sites/sample",
                                      "sites/taps",     "sites/weights", "sites/spline", "sites/label",
                                      "sites/envelope", "sites/bits"};
  const char *type = cp_dtypes[j->dtype].name;
  const int rank = (int)j->slots[RANK], size = VARIABLES;
  const cp_sites_kind kind = is_selected(j) ? CP_SITES_SELECT : j->kind;
  if (is_dropped(j)) {
    snprintf(variables, (size_t)size, "T=%s AXES=%d", type, j->axes);
    return "sites/drop";
  }
  if (kind == CP_SITES_RANK)
    snprintf(variables, (size_t)size, "T=%s AXES=%d COUNT=%d RANK=%d COMMON=%d", type, j->axes, j->fixed,
             rank, j->common);
  else if (kind == CP_SITES_SAMPLE)
    snprintf(variables, (size_t)size, "T=%s AXES=%d ORDER=%d", type, j->axes, j->fixed);
  else if (kind == CP_SITES_LABEL || kind == CP_SITES_BITS)
    snprintf(variables, (size_t)size, "T=%s AXES=%d PASS=%d", type, j->axes, j->fixed);
  else if (kind == CP_SITES_ENVELOPE)
    snprintf(variables, (size_t)size, "T=%s PASS=%d", type, j->fixed);
  else if (kind == CP_SITES_EXTREME || kind == CP_SITES_SELECT)
    snprintf(variables, (size_t)size, "T=%s AXES=%d", type, j->axes);
  else
    snprintf(variables, (size_t)size, "T=%s", type);
  return names[kind];
}

// How many sites of a row a thread takes. Texts that work on them a few at a time take more where there are
// so many that all processors have work.
static int64_t each_of(const cp_sites_job *j, bool along) {
  const bool quick = j->kind == CP_SITES_SAMPLE && j->fixed == 1 && j->axes <= 3;
  const bool some = quick || j->kind == CP_SITES_EXTREME || (j->kind == CP_SITES_TAPS && !along);
  const int64_t least = some ? EACH_THREAD : 1, blocks = j->rows * j->columns / (THREADS * least);
  if (!quick && j->kind != CP_SITES_EXTREME) return least;
  return least * (blocks >= MOST_TIMES * ENOUGH ? MOST_TIMES : blocks >= ENOUGH ? blocks / ENOUGH : 1);
}

// Whether a block joins what is connected in a tile of its own, or a warp joins a tile with others.
static bool is_tiled(const cp_sites_job *j) { return j->kind == CP_SITES_LABEL && j->fixed < 2; }

// The logarithm of the columns in a block's tile.
static int lanes_of(const cp_sites_job *j, int64_t rows, int64_t columns) {
  int lanes = rows < FEW_ROWS && !is_dropped(j) && !is_tiled(j) ? 8 : LANES;
  if (is_tiled(j)) {
    while (lanes < TILE && rows < 1 << (TILE - lanes)) lanes++;
    return lanes;
  }
  while (lanes > 0 && columns <= (int64_t)1 << (lanes - 1)) lanes--;
  return lanes;
}

// The blocks for so many tiles. Passes 1, 3 and 4 of labels: ORDER kernels/routine/sites/label.cu.
static int64_t blocks_of(const cp_sites_job *j, int64_t tiles) {
  if (j->kind != CP_SITES_LABEL || j->fixed == 0 || j->fixed == 2) return tiles;
  return j->fixed == 1 ? cp_divide_up(tiles, THREADS / 32) : cp_divide_up(j->columns, 4 * THREADS);
}

static cp_status run(cp_context *ctx, cp_stream *stream, const cp_sites_job *j) {
  char variables[VARIABLES];
  const char *text = text_of(j, variables);
  cp_cuda_function *f;
  uint64_t slots[CP_SITES_SLOTS];
  const bool along = j->kind == CP_SITES_TAPS && j->slots[INNER] == 1; // a thread takes rows, else columns
  const bool dropped = is_dropped(j);
  const int threads = !dropped ? THREADS : cp_dtypes[j->dtype].itemsize > 4 ? DROPPING / 2 : DROPPING;
  const int64_t rows = along ? cp_divide_up(j->rows, EACH_THREAD) : j->rows;
  const int64_t columns = j->common > 0 ? cp_divide_up(j->columns, 2) : j->columns;
  const int64_t each = each_of(j, along);
  const int lanes = lanes_of(j, rows, columns);
  const int64_t across = cp_divide_up(columns, each << lanes);
  const int64_t down = cp_divide_up(rows, (is_tiled(j) ? 1 << TILE : threads) >> lanes);
  if (across > INT32_MAX || down > INT32_MAX / across)
    return cp_fail(CP_EUSAGE, "there are more elements than one kernel can take");
  for (int k = CP_SITES_OWN; k < CP_SITES_SLOTS; k++) slots[k] = j->slots[k];
  if (dropped) slots[COMMON] = (uint64_t)j->common;
  slots[0] = (uint64_t)rows;
  slots[1] = (uint64_t)columns;
  slots[2] = (uint64_t)(lanes | each << 8);
  slots[3] = (uint64_t)across;
  const int64_t shared = dropped ? bytes_dropping(j) * threads : 0;
  CP_TRY(cp_cuda_routine(ctx, (cp_cuda_device *)stream->device, text, &f, "%s", variables));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, f, blocks_of(j, across * down), (unsigned)threads,
                        (unsigned)shared, slots);
}

const cp_sites_ops cp_cuda_sites_ops = {.most_paired = {MOST_RANKED, MOST_DROPPED}, .run = run};
