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
  int stay = 0;
  while (stay < n && order[stay] == stay) stay++;
  if (stay == n) return; // they are the last ones already
  for (int k = 0; k < p->nmoves; k++) {
    int from = p->moves[k].dim, to = 0;
    while (order[to] != from) to++;
    p->moves[k].dim = to;
  }
  const size_t bytes = (size_t)n * sizeof *old;
  memcpy(old, p->shape, bytes);
  for (int d = 0; d < n; d++) p->shape[d] = old[order[d]];
  for (int k = 0; k < p->nleaves + p->noutputs; k++) {
    int64_t *strides = k < p->nleaves ? p->leaves[k].strides : p->outputs[k - p->nleaves].strides;
    memcpy(old, strides, bytes);
    for (int d = 0; d < n; d++) strides[d] = old[order[d]];
  }
}

const char *cp_instr_title(const cp_plan *p, const cp_instr *in) {
  return in->op == CP_OP_reduce ? cp_reds[p->reductions[in->which].red].name
         : in->op == CP_OP_call ? p->functions[in->which].function->name
                                : cp_op_title(in->op);
}

cp_region cp_plan_region(const cp_plan *p, const cp_operand *a, int64_t *shape) {
  cp_copy_lengths(shape, p->shape, p->ndim);
  for (int k = 0; a->moved >> k != 0; k++)
    if ((a->moved >> k & 1) != 0) shape[p->moves[k].dim] = p->moves[k].extent;
  return (cp_region){(intptr_t)a->base, cp_itemsize(a->dtype), p->ndim, shape, a->strides};
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
