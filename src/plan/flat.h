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

#endif
