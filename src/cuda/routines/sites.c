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
  INNER = 11,      // ORDER CP_INNER in kernels/routine/sites/taps.cu
  VARIABLES = 112, // bytes
  MOST_RANKED = 49 // longest window whose elements stay in registers; its text compiles in half a second
};

// The text's name and the variables that it is compiled for.
static const char *text_of(const cp_sites_job *j, char variables[VARIABLES]) {
  static const char *const names[] = {"sites/extreme", "sites/pair",  "sites/select",
                                      "sites/sample",  "sites/taps",  "sites/weights",
                                      "sites/spline",  "sites/label", "sites/envelope"};
  const char *type = cp_dtypes[j->dtype].name;
  const int rank = (int)j->slots[12], size = VARIABLES;
  cp_sites_kind kind = j->kind == CP_SITES_RANK && j->fixed > MOST_RANKED ? CP_SITES_SELECT : j->kind;
  if (kind == CP_SITES_RANK)
    snprintf(variables, (size_t)size, "T=%s AXES=%d COUNT=%d RANK=%d COMMON=%d", type, j->axes, j->fixed,
             rank, j->common);
  else if (kind == CP_SITES_SAMPLE)
    snprintf(variables, (size_t)size, "T=%s AXES=%d ORDER=%d", type, j->axes, j->fixed);
  else if (kind == CP_SITES_LABEL)
    snprintf(variables, (size_t)size, "T=%s AXES=%d PASS=%d", type, j->axes, j->fixed);
  else if (kind == CP_SITES_ENVELOPE)
    snprintf(variables, (size_t)size, "T=%s PASS=%d", type, j->fixed);
  else if (kind == CP_SITES_EXTREME || kind == CP_SITES_SELECT)
    snprintf(variables, (size_t)size, "T=%s AXES=%d", type, j->axes);
  else
    snprintf(variables, (size_t)size, "T=%s", type);
  return names[kind];
}

// How many sites of a row a thread takes. Texts that work on them a few at a time take more where there are so
// many that all processors have work.
static int64_t each_of(const cp_sites_job *j, bool paired, bool along) {
  const bool quick = j->kind == CP_SITES_SAMPLE && j->fixed == 1 && j->axes <= 3;
  const bool some = quick || j->kind == CP_SITES_EXTREME || (j->kind == CP_SITES_TAPS && !along);
  const int64_t least = some ? EACH_THREAD : 1, blocks = j->rows * j->columns / (THREADS * least);
  if (!quick && j->kind != CP_SITES_EXTREME && !paired) return least;
  return least * (blocks >= MOST_TIMES * ENOUGH ? MOST_TIMES : blocks >= ENOUGH ? blocks / ENOUGH : 1);
}

static cp_status run(cp_context *ctx, cp_stream *stream, const cp_sites_job *j) {
  char variables[VARIABLES];
  const char *text = text_of(j, variables);
  cp_cuda_function *f;
  uint64_t slots[CP_SITES_SLOTS];
  const bool along = j->kind == CP_SITES_TAPS && j->slots[INNER] == 1; // a thread takes rows, else columns
  const bool paired = j->kind == CP_SITES_RANK && j->fixed <= MOST_RANKED;
  const int64_t rows = along ? cp_divide_up(j->rows, EACH_THREAD) : j->rows;
  const int64_t columns = j->common > 0 ? cp_divide_up(j->columns, 2) : j->columns;
  const int64_t each = each_of(j, paired, along);
  int lanes = rows < FEW_ROWS ? 8 : LANES;
  while (lanes > 0 && columns <= (int64_t)1 << (lanes - 1)) lanes--;
  const int64_t across = cp_divide_up(columns, each << lanes);
  const int64_t down = cp_divide_up(rows, THREADS >> lanes);
  if (across > INT32_MAX || down > INT32_MAX / across)
    return cp_fail(CP_EUSAGE, "there are more elements than one kernel can take");
  for (int k = CP_SITES_OWN; k < CP_SITES_SLOTS; k++) slots[k] = j->slots[k];
  slots[0] = (uint64_t)rows;
  slots[1] = (uint64_t)columns;
  slots[2] = (uint64_t)(lanes | each << 8);
  slots[3] = (uint64_t)across;
  CP_TRY(cp_cuda_routine(ctx, (cp_cuda_device *)stream->device, text, &f, "%s", variables));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)stream, f, (unsigned)(across * down), THREADS, 0, slots);
}

const cp_sites_ops cp_cuda_sites_ops = {.most_paired = MOST_RANKED, .run = run};
