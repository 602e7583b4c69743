// Plans with several results that one pass over the elements finds (joint.h).
//
// ORDER A sum has the same bits alone and beside others. Therefore plans are taken only if a kernel for each
// reduction alone would choose the same groups, batches and shares of blocks: if what varies along the rows
// lies alike in memory.
#include "cuda/run/joint.h"

#include "cuda/run/rows.h"
#include "plan/ops.h"

#include <string.h>

enum {
  MOST_LOADED = 64, // elements that a thread may load at once, each of which takes a register or two
  FEW_LOADED = 32,  // the same for one reduction
  BATCH_BYTES = 64, // of one leaf
  MOST_GROUPS = 8
};

// What a register's value is made of: numbers and values of whole rows; elements; results of reductions.
typedef enum kind { ROW, ELEMENT, REDUCED } kind;

typedef struct joined {
  const cp_plan *p;
  kind kinds[CP_MAX_LEAVES + CP_MAX_SCALARS + CP_MAX_INSTRS];
} joined;

static bool is_value(cp_red red, cp_dtype acc) {
  return strcmp(cp_reds[red].accumulator, "VALUE") == 0 && acc != CP_COMPLEX128;
}

bool cp_cuda_is_ordered(cp_red red, cp_dtype acc) {
  return is_value(red, acc) && cp_is_inexact(acc) && !cp_reds[red].exact;
}

static bool varies(const cp_operand *a, int from, int to) {
  bool found = false;
  for (int d = from; d < to; d++) found = found || a->strides[d] != 0;
  return found;
}

// Along the rows.
static bool varies_along(const cp_plan *p, const cp_operand *a) {
  return varies(a, p->ndim - p->nred, p->ndim);
}

// The leaves that `reg` is made of and that vary along the rows, and the lookups.
static int count_leaves(const cp_plan *p, int reg) {
  const int first = p->nleaves + p->nscalars;
  bool needed[CP_MAX_LEAVES + CP_MAX_SCALARS + CP_MAX_INSTRS] = {false};
  int count = 0;
  needed[reg] = true;
  for (int k = p->ninstrs - 1; k >= 0; k--) {
    for (int i = 0; needed[first + k] && i < p->instrs[k].nargs; i++) needed[p->instrs[k].args[i]] = true;
    count += needed[first + k] && p->instrs[k].op == CP_OP_lookup;
  }
  for (int k = 0; k < p->nleaves; k++)
    count += needed[k] && p->leaves[k].access != CP_ACCESS_INDEX && varies_along(p, &p->leaves[k]);
  return count;
}

// The fewest and the most leaves of a reduction whose order matters; false: there is none.
static bool ordered_leaves(const cp_plan *p, int *fewest, int *most) {
  bool found = false;
  for (int k = 0; k < p->ninstrs; k++) {
    const cp_instr *in = &p->instrs[k];
    if (in->op != CP_OP_reduce || !cp_cuda_is_ordered(p->reductions[in->which].red, in->loop)) continue;
    int count = count_leaves(p, in->args[0]);
    *fewest = !found || count < *fewest ? count : *fewest;
    *most = !found || count > *most ? count : *most;
    found = true;
  }
  return found;
}

static int widest_leaf(const cp_plan *p) {
  int widest = 1;
  for (int k = 0; k < p->nleaves; k++) {
    int itemsize = (int)cp_itemsize(p->leaves[k].dtype);
    if (p->leaves[k].access != CP_ACCESS_INDEX && varies_along(p, &p->leaves[k]) && itemsize > widest)
      widest = itemsize;
  }
  for (int k = 0; k < p->ntables; k++)
    if ((int)cp_itemsize(p->tables[k].dtype) > widest) widest = (int)cp_itemsize(p->tables[k].dtype);
  return widest;
}

static int all_leaves(const cp_plan *p) {
  int count = p->ntables;
  for (int k = 0; k < p->nleaves; k++)
    count += p->leaves[k].access != CP_ACCESS_INDEX && varies_along(p, &p->leaves[k]);
  return count;
}

static int batch_of(int vector, int widest, int leaves) {
  int groups = MOST_GROUPS;
  while (groups > 1 && (groups * vector * widest > BATCH_BYTES || groups * vector * leaves > FEW_LOADED))
    groups /= 2;
  return groups;
}

int cp_cuda_batch(const cp_plan *p) {
  int fewest = 0, most = 0;
  if (p->nphased == 0 || !ordered_leaves(p, &fewest, &most)) most = all_leaves(p);
  return batch_of(p->vector, widest_leaf(p), most);
}

// Sets the kinds of all registers; false if one pass does not find them all.
static bool find_kinds(joined *j) {
  const cp_plan *p = j->p;
  const int first = p->nleaves + p->nscalars;
  size_t bytes = 0;
  for (int r = 0; r < first; r++) j->kinds[r] = r < p->nleaves ? ELEMENT : ROW;
  for (int k = 0; k < p->ninstrs; k++) {
    const cp_instr *in = &p->instrs[k];
    bool element = false, reduced = false;
    for (int i = 0; i < in->nargs; i++) {
      element = element || j->kinds[in->args[i]] == ELEMENT;
      reduced = reduced || j->kinds[in->args[i]] == REDUCED;
    }
    if (element && reduced) return false;
    j->kinds[first + k] = reduced ? REDUCED : element ? ELEMENT : ROW;
    if (in->op != CP_OP_reduce) continue;
    if (reduced || !is_value(p->reductions[in->which].red, in->loop)) return false;
    j->kinds[first + k] = REDUCED;
    bytes += cp_itemsize(in->loop) < 4 ? 4 : cp_itemsize(in->loop);
  }
  return bytes <= CP_CUDA_CELL;
}

bool cp_cuda_is_alone(const cp_plan *p) {
  const cp_instr *last = &p->instrs[p->ninstrs - 1];
  return p->noutputs == 1 && p->nphased == 1 && last->op == CP_OP_reduce &&
         p->outputs[0].reg == p->nleaves + p->nscalars + p->ninstrs - 1;
}

// Whether b's elements are where a's are, in an array of its own.
static bool lies_alike(const cp_plan *p, const cp_operand *a, const cp_operand *b) {
  int64_t size = (int64_t)cp_itemsize(a->dtype), other = (int64_t)cp_itemsize(b->dtype);
  bool alike = true;
  for (int d = 0; d < p->ndim; d++) alike = alike && a->strides[d] / size * other == b->strides[d];
  return alike;
}

// The leaf that the groups of all others are like; NULL: there is none.
static const cp_operand *leading_leaf(const cp_plan *p) {
  const cp_operand *leading = NULL;
  for (int k = 0; k < p->nleaves; k++) {
    const cp_operand *a = &p->leaves[k];
    if (a->access == CP_ACCESS_INDEX) return NULL;
    if (!varies_along(p, a)) continue;
    if (leading == NULL) leading = a;
    bool aligned = (((uintptr_t)a->base ^ (uintptr_t)leading->base) & 15) == 0;
    if (cp_itemsize(a->dtype) != cp_itemsize(leading->dtype) || !aligned || !lies_alike(p, leading, a))
      return NULL;
  }
  return leading;
}

// Whether a kernel for each reduction alone would combine its elements in the order of one for all.
static bool keeps_order(const cp_plan *p, const cp_operand *leading) {
  const int kept = p->ndim - p->nred, widest = widest_leaf(p);
  const size_t size = cp_itemsize(leading->dtype);
  const bool across = cp_cuda_lies_across(p);
  int fewest = 0, most = 0;
  if (across) {
    if (kept > 1) return false; // groups, of 16 bytes of the widest operand, lie along the outputs
    for (int k = 0; k < p->nleaves; k++)
      if (varies(&p->leaves[k], 0, kept) && !varies_along(p, &p->leaves[k])) return false;
    for (int k = 0; k < p->ninstrs; k++)
      if (p->instrs[k].op == CP_OP_reduce && cp_itemsize(p->instrs[k].dtype) > size) return false;
  }
  for (int k = 0; k < p->noutputs; k++)
    if ((across || varies_along(p, &p->outputs[k])) && cp_itemsize(p->outputs[k].dtype) > size) return false;
  if (!ordered_leaves(p, &fewest, &most)) return true;
  if (fewest == 0 || cp_cuda_fits_rows(p, (int)cp_itemsize(leading->dtype))) return false;
  for (int vector = p->vector; vector > 0; vector /= 2)
    if (batch_of(vector, widest, fewest) != batch_of(vector, widest, most)) return false;
  return true;
}

bool cp_cuda_joins(const cp_plan *p) {
  joined j = {.p = p};
  const cp_operand *leading = leading_leaf(p);
  const bool domain = cp_cuda_prefers_domain(p);
  if (p->inner == 0 || p->nmoves > 0 || cp_cuda_is_alone(p) || !find_kinds(&j)) return false;
  for (int k = 0; k < p->noutputs; k++) {
    const cp_operand *out = &p->outputs[k];
    const bool element = j.kinds[out->reg] == ELEMENT;
    if (element != varies_along(p, out)) return false;
    if (element && (domain || leading == NULL || cp_cuda_prefers_short(p) || !lies_alike(p, leading, out)))
      return false;
  }
  if (domain) return true;
  if (leading == NULL || cp_plan_draws(p) || !keeps_order(p, leading)) return false;
  return cp_cuda_batch(p) * p->vector * all_leaves(p) <= MOST_LOADED;
}
