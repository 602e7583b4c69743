// Plans: their memory, and the steps of building one by hand (plan.h).
#include "plan/plan.h"

#include "array/freed_structs.h"

#include <string.h>

cp_status cp_plan_take(cp_context *ctx, cp_plan **out) {
  *out = cp_struct_take(&ctx->plans, sizeof **out);
  return *out != NULL ? CP_OK : cp_fail(CP_EMEMORY, "out of host memory: %zu bytes for a plan", sizeof **out);
}

void cp_plan_give(cp_context *ctx, cp_plan *p) { cp_struct_put(ctx, &ctx->plans, p); }

void cp_plan_split_axes(cp_plan *p, uint32_t axes) {
  int order[CP_MAXDIM], n = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int d = 0; d < p->ndim; d++)
      if ((int)(axes >> d & 1) == pass) order[n++] = d;
  int64_t old[CP_MAXDIM];
  memcpy(old, p->shape, sizeof old);
  for (int d = 0; d < n; d++) p->shape[d] = old[order[d]];
  for (int k = 0; k < p->nleaves; k++) {
    memcpy(old, p->leaves[k].strides, sizeof old);
    for (int d = 0; d < n; d++) p->leaves[k].strides[d] = old[order[d]];
  }
}

static void ungroup(int count, cp_operand *operands) {
  for (int k = 0; k < count; k++)
    if (operands[k].access == CP_ACCESS_VECTOR) operands[k].access = CP_ACCESS_CONTIGUOUS;
}

void cp_plan_ungroup(cp_plan *p) {
  p->vector = 1;
  ungroup(p->nleaves, p->leaves);
  ungroup(p->noutputs, p->outputs);
}
