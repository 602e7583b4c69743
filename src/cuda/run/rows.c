// Which plans with phases a GPU runs, how threads share their rows (kernels/rows.cu), and which reductions
// are over broadcast domains (kernels/domain.cu).
//
// ORDER The numbers of threads and groups decide in which order elements are combined. They depend on the
// length of the rows and the dtype of the accumulators alone, so that a sum has the same bits whatever the
// kernel does besides.
#include "cuda/run/rows.h"

#include "cuda/run/joint.h"
#include "plan/ops.h"

#include <stdlib.h>

enum {
  FEW = 4,         // groups of a thread, while a row takes at most
  FEW_LANES = 256, // so many threads; beyond
  MANY = 8,
  MOST_LANES = 1024,
  KEPT = 384,        // most bytes that a thread may keep
  KEPT_LARGEST = 128 // the same in blocks of MOST_LANES threads, which have fewer registers each
};

static bool is_exact(const cp_plan *p, const cp_instr *in) {
  return !cp_is_inexact(in->loop) || cp_reds[p->reductions[in->which].red].exact;
}

// The elements of a group: 16 bytes of the accumulators whose order matters, else of the widest leaf that
// differs along the row. 0: the accumulators need different groups.
static int group_of(const cp_plan *p) {
  size_t size = 0, widest = 1;
  for (int k = 0; k < p->ninstrs; k++) {
    const cp_instr *in = &p->instrs[k];
    if (in->op != CP_OP_reduce || is_exact(p, in)) continue;
    if (size != 0 && size != cp_itemsize(in->loop)) return 0;
    size = cp_itemsize(in->loop);
  }
  for (int k = 0; k < p->nleaves; k++) {
    const cp_operand *a = &p->leaves[k];
    if (a->access != CP_ACCESS_INDEX && a->strides[p->ndim - 1] != 0 && cp_itemsize(a->dtype) > widest)
      widest = cp_itemsize(a->dtype);
  }
  for (int k = 0; k < p->ntables; k++)
    if (cp_itemsize(p->tables[k].dtype) > widest) widest = cp_itemsize(p->tables[k].dtype);
  return (int)(16 / (size != 0 ? size : widest));
}

static int64_t power_above(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

// Gives the threads of a row and the groups of a thread.
static void share_rows(const cp_plan *p, int vector, int64_t *lanes, int64_t *share) {
  int64_t groups = power_above(cp_divide_up(p->inner, vector));
  *share = groups > FEW * FEW_LANES ? MANY : groups > FEW ? FEW : groups;
  *lanes = groups / *share;
}

// Whether an index has one value for each row, which the generator would take for one of the elements.
static bool has_row_index(const cp_plan *p) {
  for (int k = 0; k < p->nleaves; k++)
    if (p->leaves[k].access == CP_ACCESS_INDEX && p->leaves[k].strides[p->ndim - 1] == 0) return true;
  return false;
}

static bool has_draws(const cp_plan *p) {
  for (int k = 0; k < p->ninstrs; k++)
    if (p->instrs[k].op < CP_OP_cast && cp_is_draw(p->instrs[k].op)) return true;
  return false;
}

// Whether a reduction, possibly through other instructions, needs register `reg`.
static void mark_needed(const cp_plan *p, bool *needed) {
  int first = p->nleaves + p->nscalars;
  for (int r = 0; r < first + p->ninstrs; r++) needed[r] = false;
  for (int k = p->ninstrs - 1; k >= 0; k--) {
    const cp_instr *in = &p->instrs[k];
    for (int j = 0; j < in->nargs; j++)
      needed[in->args[j]] = needed[in->args[j]] || in->op == CP_OP_reduce || needed[first + k];
  }
}

// Bytes that threads keep for each element: leaves that differ along the row and that a reduction needs.
// Others are read where the results are stored.
static int kept_bytes(const cp_plan *p) {
  bool needed[CP_MAX_LEAVES + CP_MAX_SCALARS + CP_MAX_INSTRS];
  int bytes = 0;
  mark_needed(p, needed);
  for (int k = 0; k < p->nleaves; k++) {
    const cp_operand *a = &p->leaves[k];
    if (a->strides[p->ndim - 1] == 0 || !needed[k]) continue;
    bytes += cp_itemsize(a->dtype) < 4 ? 4 : (int)cp_itemsize(a->dtype);
  }
  return bytes;
}

bool cp_cuda_lies_across(const cp_plan *p) {
  int kept = p->ndim - p->nred, votes = 0;
  if (kept == 0) return false;
  for (int k = 0; k < p->nleaves; k++) {
    const cp_operand *a = &p->leaves[k];
    int64_t across = llabs(a->strides[kept - 1]), along = llabs(a->strides[p->ndim - 1]);
    if (a->access == CP_ACCESS_INDEX || across == 0 || along == 0) continue;
    votes += across < along ? 1 : -1;
  }
  return votes > 0;
}

// Whether no leaf varies both from row to row and along the rows: several outputs to a thread then share what
// they read (kernels/domain.cu). Lookups read elements of their own.
static bool is_shared(const cp_plan *p) {
  int kept = p->ndim - p->nred;
  if (p->ntables > 0) return false;
  for (int k = 0; k < p->nleaves; k++) {
    const cp_operand *a = &p->leaves[k];
    bool varies = kept == 0;
    for (int d = 0; d < kept; d++) varies = varies || a->strides[d] != 0;
    if (a->access != CP_ACCESS_INDEX && varies && a->strides[p->ndim - 1] != 0) return false;
  }
  return true;
}

// Whether the plan is a single reduction whose order does not matter, which kernels/reduce.cu does as well.
static bool is_plain(const cp_plan *p) {
  return cp_cuda_is_alone(p) && is_exact(p, &p->instrs[p->ninstrs - 1]);
}

bool cp_cuda_shares(const cp_plan *p) {
  enum { SHORTEST = 2 };
  return p->user == NULL && p->nmoves == 0 && p->ntables == 0 && p->nred == 1 && p->ndim > 1 &&
         p->inner >= SHORTEST && !cp_plan_draws(p);
}

// Whether a leaf has an element of its own at each position.
static bool is_full(const cp_plan *p, const cp_operand *a) {
  for (int d = 0; d < p->ndim; d++)
    if (a->strides[d] == 0) return false;
  return true;
}

// Whether the rows of a full leaf lie one after another in memory.
static bool is_dense(const cp_plan *p, const cp_operand *a) {
  int64_t itemsize = (int64_t)cp_itemsize(a->dtype);
  return a->strides[p->ndim - 1] == itemsize && a->strides[p->ndim - 2] == itemsize * p->inner;
}

// Short rows whose elements lie apart, or of which several use the same: one thread reduces a whole row.
bool cp_cuda_prefers_short(const cp_plan *p) {
  enum { LEAST_OUTPUTS = 4096 };
  if (!cp_cuda_shares(p) || p->inner > CP_CUDA_SHORT || p->outer < LEAST_OUTPUTS) return false;
  bool full = false;
  for (int k = 0; k < p->nleaves; k++) {
    const cp_operand *a = &p->leaves[k];
    if (a->access == CP_ACCESS_INDEX || !is_full(p, a)) continue;
    if (is_dense(p, a)) return false;
    full = true;
  }
  return !full || !cp_cuda_lies_across(p);
}

bool cp_cuda_prefers_domain(const cp_plan *p) {
  int across = p->ndim - 2;
  if (!cp_cuda_shares(p) || p->inner <= CP_CUDA_SHORT || p->shape[across] < CP_CUDA_LINE) return false;
  for (int k = 0; k < p->nleaves; k++) {
    const cp_operand *a = &p->leaves[k];
    if (a->access != CP_ACCESS_INDEX && a->strides[across] != 0 && a->strides[across + 1] != 0) return false;
  }
  return true;
}

// Whether threads can keep rows, `bytes` of each element.
static bool fits(const cp_plan *p, int vector, int bytes) {
  int64_t lanes, share;
  if (p->nmoves > 0 || p->nred != 1 || p->inner < CP_CUDA_PHASED_LEAST || p->inner > CP_CUDA_PHASED_MOST ||
      p->outer == 0 || vector == 0)
    return false;
  share_rows(p, vector, &lanes, &share);
  return lanes <= MOST_LANES && bytes * share * vector <= (lanes == MOST_LANES ? KEPT_LARGEST : KEPT);
}

bool cp_cuda_fits_rows(const cp_plan *p, int bytes) {
  return !cp_cuda_lies_across(p) && fits(p, group_of(p), bytes < 4 ? 4 : bytes);
}

// The elements of a group of the plan's rows, if threads keep them; otherwise 0.
static int kept_group(const cp_plan *p) {
  if (cp_cuda_prefers_domain(p) || has_row_index(p) || has_draws(p) || cp_cuda_lies_across(p) ||
      is_plain(p) || is_shared(p))
    return 0;
  const int vector = group_of(p);
  return fits(p, vector, kept_bytes(p)) ? vector : 0;
}

static void arrange_rows(cp_plan *p, int vector) {
  int64_t lanes, share;
  p->strategy = CP_STRATEGY_ROWS;
  share_rows(p, vector, &lanes, &share);
  p->lanes = (int)lanes;
  p->share = (int)share;
  cp_plan_regroup(p, vector);
}

bool cp_cuda_takes_rows(const cp_plan *p) { return kept_group(p) > 0; }

void cp_cuda_arrange_rows(cp_plan *p) { arrange_rows(p, group_of(p)); }

bool cp_cuda_takes_phases(cp_plan *p) {
  const int vector = kept_group(p);
  if (vector > 0)
    arrange_rows(p, vector);
  else
    cp_plan_access(p, p->along);
  return vector > 0 || cp_cuda_joins(p);
}
