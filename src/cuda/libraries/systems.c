// Small linear systems on a GPU: launches kernels/routine/systems.cu.
#include "cuda/driver/cuda.h"
#include "cuda/libraries/math.h"

// ORDER as in kernels/routine/systems.cu.
enum { WARP = 32, PITCH = WARP + 1, TILE = 32, MAX_WARPS = 4, SHARED = 48 << 10 };

static int lanes_of(int64_t rows) { return rows <= 8 ? 8 : rows <= 16 ? 16 : WARP; }

static cp_status launch(cp_context *ctx, cp_stream *s, const cp_systems *c, const char *found) {
  int lanes = lanes_of(c->rows);
  int64_t groups = WARP / lanes, tile = c->right < TILE ? c->right : TILE;
  size_t shared = (size_t)(c->rows + tile) * PITCH * cp_itemsize(c->dtype); // bytes per warp
  int64_t most = (int64_t)(SHARED / shared), warps = (c->count + groups - 1) / groups;
  int64_t block = most < MAX_WARPS ? most : MAX_WARPS, grid = (warps + block - 1) / block;
  const uint64_t slots[] = {(uintptr_t)c->a,         (uintptr_t)c->b,         (uintptr_t)c->out,
                            (uint64_t)c->count,      (uint64_t)c->rows,       (uint64_t)c->right,
                            (uint64_t)c->steps_a[0], (uint64_t)c->steps_a[1], (uint64_t)c->steps_a[2],
                            (uint64_t)c->steps_b[0], (uint64_t)c->steps_b[1], (uint64_t)c->steps_b[2],
                            (uintptr_t)found};
  cp_cuda_function *f;
  CP_TRY(cp_cuda_routine(ctx, (cp_cuda_device *)s->device, "systems", &f, "T=%s LANES=%d WHAT=%s",
                         cp_dtypes[c->dtype].name, lanes, c->right > 0 ? "solve" : "pivots"));
  return cp_cuda_launch(ctx, (cp_cuda_stream *)s, f, grid, (unsigned)(block * WARP),
                        (unsigned)(shared * (size_t)block), slots);
}

// Within one matrix the kernel computes offsets in 32 bits.
static bool within_reach(const int64_t *steps) {
  const int64_t most = INT32_MAX / (2 * WARP);
  return steps[1] <= most && steps[1] >= -most && steps[2] <= most && steps[2] >= -most;
}

// The kernel reports a singular matrix in pinned memory. If that cannot be allocated, or the kernel cannot
// reach all elements, nothing is run and the batch counts as singular.
cp_status cp_cuda_systems(cp_context *ctx, cp_stream *s, cp_systems *c) {
  char *found = NULL;
  int32_t word = 0;
  c->singular = !within_reach(c->steps_a) || !within_reach(c->steps_b);
  if (c->singular) return CP_OK;
  if (c->right == 0) return launch(ctx, s, c, NULL);
  CP_TRY(cp_cuda_result_buffer((cp_cuda_stream *)s, sizeof word, &found));
  c->singular = found == NULL;
  if (c->singular) return CP_OK;
  *(volatile int32_t *)(void *)found = 0;
  CP_TRY(launch(ctx, s, c, found));
  CP_TRY(cp_cuda_take_result((cp_cuda_stream *)s, &word, found, sizeof word));
  ctx->counters.synchronizations++;
  c->singular = word != 0;
  return CP_OK;
}
