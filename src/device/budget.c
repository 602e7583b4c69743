// Counts what a state holds, and what a confined state leaves in the process and on disk (budget.h).
#include "device/context.h"

bool cp_context_fits(const cp_context *ctx, size_t bytes) {
  size_t held = ctx->budget.live_bytes + ctx->budget.held_bytes;
  return ctx->budget.limit == 0 || (held <= ctx->budget.limit && bytes <= ctx->budget.limit - held);
}

cp_status cp_context_hold(cp_context *ctx, size_t bytes) {
  if (!cp_context_fits(ctx, bytes))
    return cp_fail(CP_EMEMORY,
                   "out of memory: %zu bytes requested, and this state holds %zu of its limit of %zu", bytes,
                   ctx->budget.live_bytes + ctx->budget.held_bytes, ctx->budget.limit);
  ctx->budget.held_bytes += bytes;
  return CP_OK;
}

cp_status cp_context_hold_captured(cp_context *ctx, size_t bytes) {
  if (ctx == NULL || ctx->capture.target.device == NULL) return CP_OK;
  CP_TRY(cp_context_hold(ctx, bytes));
  *ctx->capture.target.charge += bytes;
  return CP_OK;
}

cp_status cp_budget_kernel(cp_context *ctx) {
  if (!ctx->budget.confined) return CP_OK;
  if (ctx->budget.kernels_kept >= CP_MOST_KERNELS)
    return cp_fail(CP_EUSAGE,
                   "this state has made %d kernels, the most that the host allows a confined state",
                   CP_MOST_KERNELS);
  ctx->budget.kernels_kept++;
  return CP_OK;
}

bool cp_budget_store(cp_context *ctx, size_t bytes) {
  if (!ctx->budget.confined) return true;
  if (bytes > CP_MOST_STORED - ctx->budget.bytes_stored) return false;
  ctx->budget.bytes_stored += bytes;
  return true;
}
