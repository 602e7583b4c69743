// Fast paths give what the general way gives, bit for bit, in fewer instructions. A comment at each names the
// general way that it equals. core.slow_paths turns any of them off, and the end of a state all of them;
// spec/lazy/fast_paths_spec.lua compares the two.
#ifndef CP_DEVICE_FAST_H
#define CP_DEVICE_FAST_H

#include "device/context.h"

// ORDER names of lua/elementwise/fusion.c
typedef enum cp_fast_path {
  CP_FAST_OPERANDS, // lua/elementwise/operand.c: two arrays that are alike, or one and a number
  CP_FAST_NODES,    // rules/apply.h: an operation on such, without its type rule
  CP_FAST_FORCE,    // lazy/evaluation/batch.c: the value of one operation or reduction
  CP_FAST_SINGLE,   // lazy/expression/planning.c: the plan of one operation
  CP_FAST_DENSE,    // lazy/expression/planning.c: the dimensions of operands without gaps
  CP_FAST_FLAT,     // lazy/evaluation/eval.c: one operation without a plan
  CP_FAST_SMALL,    // cpu/run/small.c, reduction.c: few elements without a program
  CP_FAST_FILL,     // cpu/run/fill.c: a number stored everywhere
  CP_FAST_PREPARED, // lazy/evaluation/prepared.h: a batch with reductions that came before
  CP_FAST_VIEWS,    // lazy/arrays/pending_view.c, pending_write.c: few elements computed before a view of
                    // them is taken, and all elements before a part of them is written
  CP_FAST_PRODUCTS, // lua/routines/sparse_product.c, matmul.c: few elements of a product computed at its call
  CP_FAST_LISTS,    // array/freed_structs.h, memory/free_list.h: memory that was given back
  CP_NFASTS
} cp_fast_path;

static inline bool cp_may_go_fast(const cp_context *ctx, cp_fast_path path) {
  return __builtin_expect((ctx->settings.slow >> path & 1) == 0, 1);
}

#endif
