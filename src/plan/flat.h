// One operation whose result and arrays lie in memory alike, without gaps: what programs on small arrays mostly do. It needs no plan; lazy/expression/planning.h finds it.
#ifndef CP_PLAN_FLAT_H
#define CP_PLAN_FLAT_H

#include "plan/plan.h"

typedef struct cp_flat {
  cp_op op;
  cp_dtype loop, dtype; // what the operation computes in, what it gives
  int nargs;
  unsigned numbers; // bit k: argument k is a number
  int64_t size;     // elements, 1 or more
  char *out;
  union {
    const char *base;
    const cp_scalar *number; // of the argument's dtype (cp_op_arg_dtype)
  } args[CP_MAX_ARGS];
} cp_flat;

// The plan of the same work.
void cp_flat_plan(const cp_flat *f, cp_plan *p);

#endif
