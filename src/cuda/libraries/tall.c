// Products of tall matrices on a GPU: launches kernels/routine/tall.cu.
#include "cuda/libraries/math.h"

// ORDER as in kernels/routine/tall.cu.
enum { WARP = 32, WARPS = 8, DOWN = 4, TILE = 32 };

// From so many rows on (bench/spots/spots_gpu.lua). Fewer leave most of the GPU idle, and a library's product
// is as fast.
enum { ROWS = 1 << 14, BLOCKS = 2 };

static int tile_of(const cp_gemm *g) {
  const int64_t most = g->m > g->n ? g->m : g->n;
  return most <= 8 ? 8 : most <= 16 ? 16 : TILE;
}

static bool has_pieces(const cp_gemm *g) {
  const int64_t item = (int64_t)cp_itemsize(g->dtype);
  return (g->m | g->n) % DOWN == 0 && (g->lda | g->ldb) * item % 16 == 0 &&
         (((uintptr_t)g->a | (uintptr_t)g->b) & 15) == 0;
}

// cuBLAS's products of wider matrices of float64 use tensor cores.
bool cp_cuda_is_tall(const cp_gemm *g) {
  const int most = g->dtype == CP_FLOAT32 ? TILE : g->dtype == CP_FLOAT64 ? TILE / 2 : 0;
  return g->m <= most && g->n <= most && g->k >= ROWS && g->count == 1 && !g->turn_a && g->turn_b && !g->tf32;
}

// BLOCKS blocks for each multiprocessor: what registers allow. A block's sums have tile x tile elements.
cp_status cp_cuda_tall(cp_cuda_stream *s, const cp_gemm *g, cpcu_deviceptr memory, size_t bytes, bool *did) {
  cp_context *ctx = s->base.context;
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  const int tile = tile_of(g), pieces = has_pieces(g);
  const unsigned blocks = (unsigned)(BLOCKS * d->sm_count);
  const uint64_t slots[] = {
      (uintptr_t)g->a, (uintptr_t)g->b,  (uintptr_t)g->c,  memory, (uint64_t)g->m,   (uint64_t)g->n,
      (uint64_t)g->k,  (uint64_t)g->lda, (uint64_t)g->ldb, 1,      (uint64_t)g->ldc, blocks};
  cp_cuda_function *first, *second;
  *did = (size_t)blocks * (size_t)(tile * tile) * cp_itemsize(g->dtype) <= bytes;
  if (!*did) return CP_OK;
  const char *name = cp_dtypes[g->dtype].name;
  CP_TRY(cp_cuda_routine(ctx, d, "tall", &first, "STAGE=1 T=%s TILE=%d PIECES=%d", name, tile, pieces));
  CP_TRY(cp_cuda_routine(ctx, d, "tall", &second, "STAGE=2 T=%s TILE=%d PIECES=0", name, tile));
  CP_TRY(cp_cuda_launch(ctx, s, first, blocks, WARPS * WARP, 0, slots));
  ctx->counters.launches--; // the caller counts one of the two
  return cp_cuda_launch(ctx, s, second, (unsigned)((tile * tile + WARP - 1) / WARP), WARPS * WARP, 0, slots);
}
