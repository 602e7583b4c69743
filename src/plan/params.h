// The arguments of a kernel made from a plan: one struct of 8-byte slots, `struct { unsigned long long s[N];
// }`,
// which generated text reads by number. cp_plan_params fills the slots in this order, and the generator
// (lua/cupola/kernels/layout.lua) counts the same way:
//
//   0                elementwise: the number of steps, which are groups (outer lengths x ceil(inner length /
//                    vector)) or tiles
//                    reductions: plan.outer, or the groups of outputs when groups are along a kept dimension
//   1                elementwise: the length of the innermost dimension
//                    reductions: plan.inner
//   2 + 2d, 3 + 2d   for each dimension d: the divisor that separates its index from a running index, and its
//                    magic number (see below). The divisor is the number of steps along the dimension
//                    (cp_plan_steps): elements, groups or tiles
//   then each leaf, then each output:
//                    INDEX: the start, then a step per dimension
//                    ONE: the address
//                    others: the address, then a stride in bytes per dimension
//   then each scalar in register format (complex128 takes two slots)
//   then each raw array: address, size, then ndim lengths, then ndim strides in bytes
//   then for reductions: plan.inner and plan.parameter, both as doubles
//   then for tiled plans: the length of the dimension before the innermost
//   then slots that the device appends (workspace, counters, splits)
//
// Narrow plans divide an index i < 2^31 by a divisor v without a division (Granlund and Montgomery 1994):
// slot
// A = v | shift << 32, slot B = m; i / v = (umulhi(i, m) + i) >> shift. Wide plans divide by v itself, and
// slot
// B is 0.
#ifndef CP_PLAN_PARAMS_H
#define CP_PLAN_PARAMS_H

#include "plan/plan.h"

enum { CP_MAX_SLOTS = 4064 / 8 };

typedef struct cp_params {
  int count;
  uint64_t slots[CP_MAX_SLOTS];
} cp_params;

// Fills the slots of a plan. CP_EUSAGE when it needs more than there are.
cp_status cp_plan_params(const cp_plan *p, cp_params *params);

#endif
