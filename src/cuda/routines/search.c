// Searching, interpolating, moving and counting on a GPU: launches kernels/routine/sorting/search.cu and
// interpolate.cu, kernels/routine/move.cu and bins.cu.
#include "cuda/routines/search.h"

#include "cuda/driver/cuda.h"

#include <string.h>

enum {
  BLOCK = 256,
  SEARCH_BLOCK = 1024, // ORDER as in kernels/routine/sorting/search.h
  SEARCH_BLOCKS = 2,   // that run at once on a multiprocessor
  SAMPLES = 64 << 10,  // bytes of a block's samples: more would leave its cache too small for the array
  FEW_SAMPLES = 32,
  MAX_SHARED = 48 << 10, // bytes of a block's tables in shared memory
  COPIES = 16 << 10,     // most bytes of shared memory for copies of a table
  MAX_COPIES = 32
};

// A search for `count` values in an array: blocks, each of which takes many values, and the distance of the
// samples of the array that each keeps: no more of them than it takes values, and none (0) where few would
// do.
typedef struct search_shape {
  int64_t blocks, step;
  unsigned shared;
} search_shape;

static search_shape search_shape_of(cp_stream *s, cp_dtype t, int64_t length, int64_t count) {
  const int64_t all = cp_divide_up(count, SEARCH_BLOCK),
                most = (int64_t)cp_cuda_device_of(s)->sm_count * SEARCH_BLOCKS;
  const int64_t item = (int64_t)cp_itemsize(t), most_bytes = cp_cuda_device_of(s)->max_shared_optin;
  const int64_t room = (most_bytes < SAMPLES ? most_bytes : SAMPLES) / item;
  search_shape shape = {.blocks = all < most ? all : most};
  int64_t samples = count / shape.blocks;
  if (samples > length / 4) samples = length / 4;
  if (samples > room) samples = room;
  if (samples < FEW_SAMPLES) return shape;
  shape.step = cp_divide_up(length, samples);
  shape.shared = (unsigned)(cp_divide_up(length, shape.step) * item);
  return shape;
}

cp_status cp_cuda_search(cp_context *ctx, cp_stream *s, const cp_search_job *job) {
  cp_cuda_function *f;
  const search_shape shape = search_shape_of(s, job->dtype, job->length, job->count);
  const uint64_t slots[] = {(uintptr_t)job->sorted, (uint64_t)job->length,     (uintptr_t)job->values,
                            (uint64_t)job->count,   (uintptr_t)job->positions, (uint64_t)shape.step};
  CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "sorting/search", &f, "T=%s BEHIND=%d",
                         cp_dtypes[job->dtype].name, job->behind));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)s, f, shape.blocks, SEARCH_BLOCK, shape.shared, slots);
}

cp_status cp_cuda_interpolate(cp_context *ctx, cp_stream *s, const cp_interpolate_job *job) {
  cp_cuda_function *f;
  const search_shape shape = search_shape_of(s, CP_FLOAT64, job->length, job->count);
  const uint64_t slots[] = {(uintptr_t)job->xp,   (uint64_t)job->length, (uintptr_t)job->x,
                            (uint64_t)job->count, (uintptr_t)job->out,   (uint64_t)shape.step,
                            (uintptr_t)job->fp,   (uintptr_t)job->below, (uintptr_t)job->above,
                            job->imaginary};
  CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "sorting/interpolate", &f, "T=float64"));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)s, f, shape.blocks, SEARCH_BLOCK, shape.shared, slots);
}

cp_status cp_cuda_move(cp_context *ctx, cp_stream *s, const cp_move_job *job) {
  static const char *const names[] = {"gather", "scatter"}; // ORDER cp_move_kind
  cp_cuda_function *f;
  const uint64_t slots[] = {(uintptr_t)job->in, (uintptr_t)job->at, (uintptr_t)job->out, (uint64_t)job->count,
                            (uint64_t)job->room};
  CP_TRY(cp_cuda_routine(ctx, cp_cuda_device_of(s), "move", &f, "MODE=%s SIZE=%d", names[job->kind],
                         (int)job->itemsize));
  return cp_cuda_launch_each(ctx, s, f, job->count, BLOCK, slots);
}

// ---- counting ---------------------------------------------------------------------------------------------

static uint64_t edge_bits(cp_dtype t, double edge) {
  float single = (float)edge;
  uint32_t half;
  uint64_t bits;
  memcpy(&half, &single, sizeof half);
  memcpy(&bits, &edge, sizeof bits);
  return t == CP_FLOAT32 ? half : bits;
}

cp_status cp_cuda_count_bins(cp_context *ctx, cp_stream *s, const cp_count_job *job) {
  cp_cuda_device *d = cp_cuda_device_of(s);
  cp_cuda_function *f;
  bool weighted = job->weights != NULL;
  int64_t cell = weighted ? 8 : 4, table = job->bins * cell, copies = 1;
  bool shared = job->bins <= MAX_SHARED / cell;
  while (shared && copies < MAX_COPIES && 2 * copies * table <= COPIES) copies *= 2;
  const uint64_t slots[] = {(uintptr_t)job->in,
                            (uint64_t)job->count,
                            (uintptr_t)job->weights,
                            (uintptr_t)job->edges,
                            edge_bits(job->dtype, job->first),
                            edge_bits(job->dtype, job->last),
                            (uint64_t)job->bins,
                            (uintptr_t)job->out,
                            (uint64_t)copies};
  CP_TRY(cp_cuda_routine(ctx, d, "bins", &f, "T=%s EDGES=%d WEIGHTED=%d SHARED=%d",
                         cp_dtypes[job->dtype].name, job->edges != NULL, weighted, shared));
  int64_t blocks = job->count / (BLOCK * 16) + 1,
          most = (int64_t)d->sm_count * (shared && table > COPIES ? 4 : 8);
  return cp_cuda_launch(ctx, (cp_cuda_stream *)s, f, blocks < most ? blocks : most, BLOCK,
                        shared ? (unsigned)(table * copies) : 0, slots);
}
