// Checks that one operation on flat arrays fills the slots of its kernel, and groups its elements, as the
// plan of the same work does.
#include "check.h"
#include "plan/flat.h"
#include "plan/params.h"

#include <string.h>

static unsigned state = 1;

static unsigned below(unsigned n) { // 0 .. n - 1
  state = state * 1664525U + 1013904223U;
  return (state >> 8) % n;
}

// An operation that has a loop in some dtype, on arrays and at least not on numbers alone.
static bool make_flat(cp_flat *f, cp_scalar *numbers) {
  f->op = (cp_op)below(CP_OP_cast);
  f->loop = (cp_dtype)below(CP_NDTYPES);
  f->nargs = cp_ops[f->op].arity;
  if (f->nargs == 0 || !cp_op_computes_in(f->op, f->loop)) return false;
  f->dtype = cp_op_result_dtype(f->op, f->loop);
  f->size = 2 + below(below(2) ? 20 : 100000);
  f->numbers = below(1U << (f->nargs - 1));
  f->out = (char *)(uintptr_t)(1U << 20);
  for (int k = 0; k < f->nargs; k++) {
    cp_dtype t = cp_op_arg_dtype(f->op, f->loop, k);
    if (f->numbers >> k & 1) {
      numbers[k] = cp_scalar_cast(cp_scalar_int((int64_t)below(100), CP_INT64), t);
      f->args[k].number = &numbers[k];
    } else {
      f->args[k].base = (const char *)(uintptr_t)((2U + (unsigned)k) << 20) + below(3) * cp_itemsize(t);
    }
  }
  return true;
}

static void compare(const cp_flat *f, const cp_plan *p, const cp_params *params) {
  enum { FIRST_DIVISOR = 2, AFTER_DIVISORS = 4 };
  uint64_t slots[CP_FLAT_SLOTS] = {0};
  size_t group = cp_flat_group(f);
  CHECK(group == (size_t)p->vector);
  CHECK(params->count <= CP_FLAT_SLOTS);
  cp_flat_params(f, ((uint64_t)f->size + group - 1) / group, slots);
  CHECK(memcmp(slots, params->slots, FIRST_DIVISOR * sizeof *slots) == 0);
  CHECK(slots[FIRST_DIVISOR] == (params->slots[FIRST_DIVISOR] & UINT32_MAX));
  for (int k = AFTER_DIVISORS; k < params->count; k++) CHECK(slots[k] == params->slots[k]);
}

int main(void) {
  static cp_plan p;
  static cp_params params;
  cp_scalar numbers[CP_MAX_ARGS];
  cp_flat f;
  for (int made = 0; made < 20000;) {
    if (!make_flat(&f, numbers)) continue;
    cp_flat_plan(&f, &p);
    REQUIRE(cp_plan_params(&p, &params) == CP_OK);
    compare(&f, &p, &params);
    made++;
  }
  return verdict("slots");
}
