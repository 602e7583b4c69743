// A flat operation: one operation on scalars and arrays that have the shape and memory layout of its result,
// without gaps. Devices run it without a plan, which makes small arrays faster. lazy/expression/planning.h
// detects it.
#ifndef CP_PLAN_FLAT_H
#define CP_PLAN_FLAT_H

#include "plan/plan.h"

typedef struct cp_flat {
  cp_op op;
  cp_dtype loop, dtype; // the dtype that it computes in, and the dtype of the result
  int nargs;
  unsigned numbers; // bit k: argument k is a scalar
  int64_t size;     // number of elements, at least 1
  char *out;
  union {
    const char *base;
    const cp_scalar *number; // has the argument's dtype (cp_op_arg_dtype)
  } args[CP_MAX_ARGS];
} cp_flat;

// Makes the equivalent plan.
void cp_flat_plan(const cp_flat *f, cp_plan *p);

// What a GPU needs of that plan, computed without it: the elements per group (cp_plan.vector) of an output
// that is aligned to groups, and the slots (cp_plan_params) for this many steps. Only the slot of the magic
// number differs, which nothing reads. spec/c/kernels/slots.c compares them.
enum { CP_FLAT_SLOTS = 6 + 2 * CP_MAX_ARGS };
size_t cp_flat_group(const cp_flat *f);
void cp_flat_params(const cp_flat *f, uint64_t steps, uint64_t *slots);

#endif
