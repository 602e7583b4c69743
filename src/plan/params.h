// The slots of a kernel's one argument, in the order of kernels/slots.def.
#ifndef CP_PLAN_PARAMS_H
#define CP_PLAN_PARAMS_H

#include "plan/plan.h"

enum { CP_MAX_SLOTS = 4064 / 8 };

typedef struct cp_params {
  int count;
  int tables; // the first slot of the plan's tables
  uint64_t slots[CP_MAX_SLOTS];
} cp_params;

// Those that come from the plan. CP_EUSAGE when it needs more than there are.
cp_status cp_plan_params(const cp_plan *p, cp_params *params);

#endif
