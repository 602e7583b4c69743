// Stages of a plan with phases: plans without phases that compute it one after the other, for all rows or for
// a few rows at a time. A device without a kernel for phases keeps the elements of these rows in its cache
// from stage to stage.
//
// What a reduction gives, and what is made of such values for the row as a whole, is stored between stages,
// one value for each row. A function's result that several stages need is computed once, and waits in the
// memory of an output.
#ifndef CP_PLAN_STAGES_H
#define CP_PLAN_STAGES_H

#include "plan/plan.h"

typedef enum cp_stage_kind {
  CP_STAGE_REDUCE,  // reduces each row; stores one value for each
  CP_STAGE_ROWS,    // elementwise over the kept dimensions
  CP_STAGE_ELEMENTS // elementwise over all
} cp_stage_kind;

typedef struct cp_stage {
  cp_stage_kind kind;
  int level;     // reductions: how many they are made of, one after the other, with themselves
  cp_plan *plan; // its dimensions are those of the whole plan, or the kept ones
} cp_stage;

enum { CP_MAX_STAGES = 64 };

typedef struct cp_stages {
  int count;
  cp_stage list[CP_MAX_STAGES];
  char *values; // the values of rows
} cp_stages;

// Whether the plan, which has phases, can be parted: it is not too large, and no operand is moved.
bool cp_has_stages(const cp_plan *p);
// How many reductions have no reduction among their operands, the elements.
int cp_first_reductions(const cp_plan *p);
// Parts the plan. keep: whether results that several stages need may wait in an output's memory, which no
// operand of the plan shares then. CP_EMEMORY. cp_stages_free in any case.
cp_status cp_stages_make(cp_context *ctx, const cp_plan *p, bool keep, cp_stages *out);
void cp_stages_free(cp_context *ctx, cp_stages *s);

#endif
