// Batches that have run by one kernel with phases, kept with their plans: a batch of the same structure, as a
// loop makes it in each round, runs by a copy with other addresses and numbers. A fast path, equal to finding
// the values to compute beside those that were asked for, and planning them.
#ifndef CP_LAZY_EVALUATION_PREPARED_H
#define CP_LAZY_EVALUATION_PREPARED_H

#include "lazy/expression/domain.h"
#include "lazy/expression/structure.h"
#include "plan/plan.h"

// The values of a batch, as positions among the nodes of its structure.
typedef struct cp_prepared_outputs {
  int count, asked;
  unsigned char at[CP_MAX_OUTPUTS];
} cp_prepared_outputs;

typedef struct cp_prepared cp_prepared;

// What was prepared for this structure; NULL: nothing. It stays until anything else is prepared.
const cp_prepared *cp_prepared_of(const cp_context *ctx, const cp_structure *s);
// The same, directly after s was described: NULL, too, if other pending values may be worth computing beside
// it.
const cp_prepared *cp_prepared_find(const cp_context *ctx, const cp_structure *s);
const cp_prepared_outputs *cp_prepared_list(const cp_prepared *known);
// Sets p to the plan, with the addresses and numbers of these nodes.
cp_status cp_prepared_plan(const cp_prepared *known, const cp_structure *s, cp_array *const *targets,
                           cp_plan *p);

// What a batch is prepared from.
typedef struct cp_preparation {
  const cp_structure *structure;
  cp_prepared_outputs outputs;
  const cp_node *scalars[CP_MAX_SCALARS]; // those of the plan, once it is made
} cp_preparation;

// Keeps a plan that is about to run, if a batch of this structure has run before.
void cp_prepare(cp_context *ctx, const cp_preparation *from, const cp_domain *d, const cp_plan *p);
void cp_prepared_clear(cp_context *ctx);

#endif
