// The plan of a flat operation (flat.h).
#include "plan/flat.h"

static void put_operand(cp_operand *a, const void *base, cp_dtype dtype, int reg) {
  a->base = (char *)(uintptr_t)base;
  a->start = 0;
  a->dtype = dtype;
  a->reg = reg;
}

void cp_flat_plan(const cp_flat *f, cp_plan *p) {
  int nleaves = 0, nscalars = 0;
  cp_plan_begin(p, 1, &f->size);
  cp_instr *in = &p->instrs[p->ninstrs++];
  *in = (cp_instr){.op = f->op, .loop = f->loop, .dtype = f->dtype, .nargs = f->nargs};
  for (int k = 0; k < f->nargs; k++) p->nleaves += !(f->numbers >> k & 1);
  for (int k = 0; k < f->nargs; k++) {
    if (f->numbers >> k & 1) {
      p->scalars[nscalars] = *f->args[k].number;
      in->args[k] = p->nleaves + nscalars++;
    } else {
      put_operand(&p->leaves[nleaves], f->args[k].base, cp_op_arg_dtype(f->op, f->loop, k), nleaves);
      in->args[k] = nleaves++;
    }
  }
  p->nscalars = nscalars;
  put_operand(&p->outputs[p->noutputs++], f->out, f->dtype, nleaves + nscalars);
  cp_plan_finish_flat(p, f->size);
}
