// One operation as a plan, and what a GPU takes of the plan.
#include "plan/flat.h"

static bool is_number(const cp_flat *f, int k) { return f->numbers >> k & 1; }

static void put_operand(cp_operand *a, const void *base, cp_dtype dtype, int reg) {
  a->base = (char *)(uintptr_t)base;
  a->start = 0;
  a->dtype = dtype;
  a->reg = reg;
  a->moved = 0;
}

void cp_flat_plan(const cp_flat *f, cp_plan *p) {
  int nleaves = 0, nscalars = 0;
  cp_plan_begin(p, 1, &f->size);
  cp_instr *in = &p->instrs[p->ninstrs++];
  *in = (cp_instr){.op = f->op, .loop = f->loop, .dtype = f->dtype, .nargs = f->nargs};
  for (int k = 0; k < f->nargs; k++) p->nleaves += !is_number(f, k);
  for (int k = 0; k < f->nargs; k++) {
    if (is_number(f, k)) {
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

size_t cp_flat_group(const cp_flat *f) {
  size_t widest = cp_itemsize(f->dtype);
  for (int k = 0; k < f->nargs; k++) {
    size_t itemsize = cp_itemsize(cp_op_arg_dtype(f->op, f->loop, k));
    if (!is_number(f, k) && itemsize > widest) widest = itemsize;
  }
  size_t group = 16 / widest;
  while (group > (size_t)f->size) group /= 2;
  return group;
}

// ---- slots: a function for each line of kernels/slots.def that such kernels have ----

typedef struct filling {
  const cp_flat *f;
  uint64_t steps, *next;
} filling;

static void put_place(filling *w, const void *base, cp_dtype dtype) {
  *w->next++ = (uint64_t)(uintptr_t)base;
  *w->next++ = (uint64_t)cp_itemsize(dtype);
}

static void put_first(filling *w) { *w->next++ = w->steps; }

static void put_second(filling *w) { *w->next++ = (uint64_t)w->f->size; }

// Nothing is divided where there is one dimension: the magic number is left out.
static void put_divisors(filling *w) {
  *w->next++ = w->steps;
  *w->next++ = 0;
}

static void put_leaves(filling *w) {
  const cp_flat *f = w->f;
  for (int k = 0; k < f->nargs; k++)
    if (!is_number(f, k)) put_place(w, f->args[k].base, cp_op_arg_dtype(f->op, f->loop, k));
}

static void put_outputs(filling *w) { put_place(w, w->f->out, w->f->dtype); }

static void put_scalars(filling *w) {
  for (int k = 0; k < w->f->nargs; k++) {
    if (!is_number(w->f, k)) continue;
    w->next[0] = w->next[1] = 0;
    w->next += cp_scalar_register(*w->f->args[k].number, w->next) > 8 ? 2 : 1;
  }
}

static void put_raw(filling *w) { (void)w; }

static void put_moves(filling *w) { (void)w; }

static void put_tables(filling *w) { (void)w; }

#define IN_ALL(put)       put
#define IN_REDUCTION(put) (void)0
#define IN_PHASED(put)    (void)0
#define IN_TILED(put)     (void)0

void cp_flat_params(const cp_flat *f, uint64_t steps, uint64_t *slots) {
  filling w = {f, steps, slots};
#define PLAN_SLOTS(name, kernels) IN_##kernels(put_##name(&w));
#include "slots.def"
}
