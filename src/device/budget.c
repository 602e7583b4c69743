// What confined states leave with the process (budget.h).
#include "device/budget.h"

cp_status cp_budget_kernel(cp_context *ctx) {
  if (!ctx->budget.confined) return CP_OK;
  if (ctx->budget.kernels_kept >= CP_MOST_KERNELS)
    return cp_fail(CP_EUSAGE, "this state has had %d kernels made, and the host confines it to that",
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
