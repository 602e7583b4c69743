// Scratch memory of streams (cuda.h).
#include "cuda/driver/graph.h"
#include "memory/pool.h"

#include <stdlib.h>

enum {
  SMALLEST_WORKSPACE = 1 << 20,
  SMALLEST_COUNTERS = 1 << 16,
  SMALLEST_TABLE = 1 << 20,
  TURNS = (1 << (32 - CP_CUDA_TURN)) - 1
};

static cp_status give_away(cp_cuda_stream *s, cpcu_deviceptr memory) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  if (!s->base.capturing) return cp_cuda_result(d, d->driver->cuMemFree(memory), "cuMemFree");
  cp_cuda_retired *r = malloc(sizeof *r);
  if (r == NULL) return cp_no_memory("capturing a graph");
  *r = (cp_cuda_retired){s->retired, memory};
  s->retired = r;
  return CP_OK;
}

// Grows memory of *size bytes to at least `bytes`. Queued kernels may still use the old memory, so this waits
// for them first.
static cp_status grow(cp_cuda_stream *s, size_t bytes, cpcu_deviceptr *memory, size_t *size) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  size_t wanted = bytes > 2 * *size ? bytes : 2 * *size;
  CP_TRY(cp_cuda_stream_await(&s->base));
  CP_TRY(cp_cuda_result(d, d->driver->cuStreamSynchronize(s->stream), "cuStreamSynchronize"));
  if (*memory != 0) CP_TRY(give_away(s, *memory));
  *memory = 0;
  *size = 0;
  cpcu_result result = d->driver->cuMemAlloc(memory, wanted);
  if (result == CPCU_ERROR_OUT_OF_MEMORY) {
    cp_pool_trim(d->base.pool);
    CP_TRY(cp_cuda_enter(d));
    wanted = bytes;
    result = d->driver->cuMemAlloc(memory, wanted);
  }
  if (result != CPCU_SUCCESS) *memory = 0;
  CP_TRY(cp_cuda_result(d, result, "cuMemAlloc (a reduction's workspace)"));
  *size = wanted;
  return CP_OK;
}

static cp_status grow_counters(cp_cuda_stream *s, size_t bytes) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  CP_TRY(grow(s, bytes, &s->counters, &s->counters_size));
  cpcu_result result = d->driver->cuMemsetD8Async(s->counters, 0, s->counters_size, s->stream);
  if (result == CPCU_SUCCESS && s->base.capturing) // replays may run on other streams
    result = d->driver->cuStreamSynchronize(s->stream);
  if (result != CPCU_SUCCESS) s->counters_size = 0; // the words are not zero, so they must not be used
  return cp_cuda_result(d, result, "cuMemsetD8Async");
}

static cp_status grow_both(cp_cuda_stream *s, size_t bytes, size_t counter_bytes) {
  CP_TRY(cp_cuda_enter((cp_cuda_device *)s->base.device));
  if (bytes > s->workspace_size)
    CP_TRY(
        grow(s, bytes < SMALLEST_WORKSPACE ? SMALLEST_WORKSPACE : bytes, &s->workspace, &s->workspace_size));
  if (counter_bytes > s->counters_size)
    CP_TRY(grow_counters(s, counter_bytes < SMALLEST_COUNTERS ? SMALLEST_COUNTERS : counter_bytes));
  return CP_OK;
}

cp_status cp_cuda_workspace(cp_cuda_stream *s, size_t bytes, size_t ncounters, cpcu_deviceptr *workspace,
                            cpcu_deviceptr *counters) {
  size_t counter_bytes = ncounters * sizeof(unsigned);
  if (bytes > s->workspace_size || counter_bytes > s->counters_size) {
    cp_cuda_pause();
    cp_status status = grow_both(s, bytes, counter_bytes);
    cp_cuda_resume();
    CP_TRY(status);
  }
  *workspace = s->workspace;
  *counters = s->counters;
  return CP_OK;
}

cp_status cp_cuda_table(cp_cuda_stream *s, size_t bytes, cpcu_deviceptr *table, unsigned *turn) {
  if (bytes > s->table_size) {
    s->turn = 0;
    cp_cuda_pause();
    cp_status status = cp_cuda_enter((cp_cuda_device *)s->base.device);
    if (status == CP_OK)
      status = grow(s, bytes < SMALLEST_TABLE ? SMALLEST_TABLE : bytes, &s->table, &s->table_size);
    cp_cuda_resume();
    CP_TRY(status);
  }
  if (s->turn == TURNS) s->turn = 0;
  if (s->turn == 0) CP_TRY(cp_cuda_fill_bytes(&s->base, (void *)(uintptr_t)s->table, 0, s->table_size));
  *turn = ++s->turn;
  *table = s->table;
  return CP_OK;
}
