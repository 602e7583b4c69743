// The arguments of a kernel made from a plan: one struct of 8-byte slots, `struct { unsigned long long s[N]; }`, which generated text reads by
// number. Filled by cp_plan_params in this order; the generator (lua/cupola/kernels/layout.lua) counts the same way.
//
//   0                elementwise: steps in all, of groups = outer lengths x ceil(inner length / vector), or of tiles;
//                    reductions: plan.outer, or where groups lie along a kept dimension the groups of outputs
//   1                elementwise: length of the innermost dimension;                           reductions: plan.inner
//   2 + 2d, 3 + 2d   for each dimension d: the divisor that splits it off a running index, and its magic number (see below). The divisor is the number of steps
//                    along it (cp_plan_steps): elements, groups or tiles
//   then each leaf, then each output:   INDEX: start, then a step per dimension. ONE: address. Others: address, then a
//                    byte stride per dimension
//   then each scalar in register format (complex128 takes two slots)
//   then each raw array: address, size, then ndim lengths, then ndim byte strides
//   then for reductions: plan.inner as a double, plan.parameter as a double
//   then for tiled plans: length of the dimension before the innermost
//   then slots that the device appends (workspace, counters, splits)
//
// Division of i < 2^31 by divisor v (narrow plans): slot A = v | shift << 32, slot B = m; i / v = (umulhi(i, m) + i) >> shift
// (Granlund and Montgomery 1994). Wide plans divide by v itself, slot B is 0.
#ifndef CP_PLAN_PARAMS_H
#define CP_PLAN_PARAMS_H

#include "plan/plan.h"

enum { CP_MAX_SLOTS = 4064 / 8 };

typedef struct cp_params {
  int count;
  uint64_t slots[CP_MAX_SLOTS];
} cp_params;

// CP_EUSAGE when the plan needs more slots than there are.
cp_status cp_plan_params(const cp_plan *p, cp_params *params);

#endif
