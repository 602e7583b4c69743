// Checks that a plan's key represents its structure: random plans restored from their keys have the same key
// and the same fields, up to the largest possible plan; truncated or changed keys are rejected or give a plan
// within the bounds.
#include "check.h"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned state = 1;

static int below(int n) { // 0 .. n - 1
  state = state * 1664525U + 1013904223U;
  return (int)((state >> 8) % (unsigned)n);
}

static cp_operand operand(int ndim, int registers) {
  cp_operand a = {
      .dtype = (cp_dtype)below(CP_NDTYPES), .access = (cp_access)below(6), .reg = below(registers)};
  for (int d = 0; d < ndim; d++) a.strides[d] = below(3);
  return a;
}

static void add_instructions(cp_plan *p, int count) {
  for (int k = 0; k < count; k++) {
    cp_instr *in = &p->instrs[p->ninstrs++];
    in->op = (cp_op)below(CP_OP_cast + 1);
    in->loop = (cp_dtype)below(CP_NDTYPES);
    in->dtype = (cp_dtype)below(CP_NDTYPES);
    in->nargs = in->op == CP_OP_cast ? 1 : cp_ops[in->op].arity;
    for (int j = 0; j < in->nargs; j++) in->args[j] = below(p->nleaves + p->nscalars + k + 1);
  }
}

static void make_plan(cp_plan *p, int leaves, int scalars, int instrs) {
  int64_t shape[CP_MAXDIM] = {0};
  int ndim = 1 + below(5), registers = leaves + scalars + instrs;
  cp_plan_begin(p, ndim, shape);
  p->along = ndim - 1;
  p->vector = 1 << below(5);
  p->wide = below(2) == 1;
  p->nred = below(3) == 0 ? 1 + below(ndim) : 0;
  for (int k = 0; k < leaves; k++) p->leaves[p->nleaves++] = operand(ndim, registers);
  for (int k = 0; k < scalars; k++)
    p->scalars[p->nscalars++] = cp_scalar_int(below(100), (cp_dtype)below(CP_NDTYPES));
  add_instructions(p, instrs);
  if (p->nred == 0) {
    p->shifted = below(4) == 0;
    p->tile = !p->shifted && below(4) == 0 ? 32 << below(3) : 0;
    for (int k = 1 + below(CP_MAX_OUTPUTS); k > 0; k--) p->outputs[p->noutputs++] = operand(ndim, registers);
    return;
  }
  p->reduction = true;
  p->strategy = (cp_strategy)(1 + below(4));
  p->red = (cp_red)below(CP_NREDS);
  p->acc = (cp_dtype)below(CP_NDTYPES);
  p->result = (cp_dtype)below(CP_NDTYPES);
  p->value = below(registers);
  p->position = below(leaves + 1) - 1;
  p->outputs[p->noutputs++] = operand(ndim, registers);
  p->outputs[0].reg = -1;
}

static void compare(const cp_plan *a, const cp_plan *b) {
  CHECK(a->ndim == b->ndim && a->nred == b->nred && a->vector == b->vector && a->wide == b->wide);
  CHECK(a->tile == b->tile && a->shifted == b->shifted && a->strategy == b->strategy);
  CHECK(a->nleaves == b->nleaves && a->nscalars == b->nscalars && a->ninstrs == b->ninstrs);
  CHECK(a->noutputs == b->noutputs && cp_plan_counts(a) == cp_plan_counts(b));
  for (int k = 0; k < a->nleaves; k++)
    CHECK(a->leaves[k].dtype == b->leaves[k].dtype && a->leaves[k].access == b->leaves[k].access);
  for (int k = 0; k < a->nscalars; k++) CHECK(a->scalars[k].dtype == b->scalars[k].dtype);
  for (int k = 0; k < a->ninstrs; k++) {
    const cp_instr *x = &a->instrs[k], *y = &b->instrs[k];
    CHECK(x->op == y->op && x->loop == y->loop && x->dtype == y->dtype && x->nargs == y->nargs);
    CHECK(memcmp(x->args, y->args, (size_t)x->nargs * sizeof *x->args) == 0);
  }
  for (int k = 0; k < a->noutputs; k++) CHECK(a->outputs[k].reg == b->outputs[k].reg);
  if (a->nred > 0) {
    CHECK(a->red == b->red && a->acc == b->acc && a->result == b->result);
    CHECK(a->value == b->value && a->position == b->position);
  }
}

static void check_within(const cp_plan *p) {
  CHECK(p->nleaves >= 0 && p->nleaves <= CP_MAX_LEAVES && p->nscalars >= 0 && p->nscalars <= CP_MAX_SCALARS);
  CHECK(p->ninstrs >= 0 && p->ninstrs <= CP_MAX_INSTRS && p->noutputs >= 0 && p->noutputs <= CP_MAX_OUTPUTS);
}

static void check_plan(const cp_plan *p) {
  static cp_plan back;
  cp_key key, again;
  cp_plan_key(p, &key);
  CHECK(key.size <= sizeof key.bytes);
  bool read = cp_key_plan(key.bytes, key.size, &back);
  CHECK(read);
  if (!read) return;
  compare(p, &back);
  cp_plan_key(&back, &again);
  CHECK(again.size == key.size && memcmp(again.bytes, key.bytes, key.size) == 0);
  CHECK(!cp_key_plan(key.bytes, key.size - 1, &back));
  for (int k = 0; k < 20; k++) { // changed: anything but a crash is right
    cp_key changed = key;
    changed.bytes[below((int)key.size)] = (unsigned char)below(256);
    if (cp_key_plan(changed.bytes, changed.size, &back)) check_within(&back);
  }
}

int main(void) {
  static cp_plan p;
  for (int k = 0; k < 3000; k++) {
    make_plan(&p, 1 + below(CP_MAX_LEAVES), below(CP_MAX_SCALARS + 1), below(CP_MAX_INSTRS + 1));
    check_plan(&p);
  }
  make_plan(&p, CP_MAX_LEAVES, CP_MAX_SCALARS, CP_MAX_INSTRS);
  check_plan(&p);
  static const unsigned char user[] = {1, 0, 1, 1 << 5, 0, 1, 1, 1, 1};
  CHECK(!cp_key_plan(user, sizeof user, &p)); // a user kernel's source is not in its key
  return verdict("key");
}
