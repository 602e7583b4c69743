// Parts plans with phases into stages (stages.h).
#include "plan/stages.h"

#include <stdlib.h>
#include <string.h>

enum {
  MAX_REGISTERS = CP_MAX_LEAVES + CP_MAX_SCALARS + CP_MAX_INSTRS,
  MOST_REDUCTIONS = 16,
  MOST_VALUES = 64 // of rows
};

typedef struct parting {
  cp_context *ctx;
  const cp_plan *p;
  cp_stages *to;
  int first, end;             // the registers of instructions
  int nreductions, top;       // top: the most reductions that one value is made of, one after the other
  int nvalues;                // stored values of rows
  short level[MAX_REGISTERS]; // how many reductions a register is made of, one after the other
  short value[MAX_REGISTERS]; // the number of its stored value; -1: none
  bool row[MAX_REGISTERS];    // it has one value for each row
  bool ready[MAX_REGISTERS];  // an earlier stage has stored it
  int kept, home;             // a register that waits in the memory of output `home`; -1: none
} parting;

// ---- what is where ----------------------------------------------------------------------------------------

static const cp_instr *instr_of(const parting *s, int reg) { return &s->p->instrs[reg - s->first]; }

static bool is_reduction(const parting *s, int reg) {
  return reg >= s->first && instr_of(s, reg)->op == CP_OP_reduce;
}

static bool is_whole_row(const cp_plan *p, const cp_operand *a) {
  for (int d = p->ndim - p->nred; d < p->ndim; d++)
    if (a->strides[d] != 0 && p->shape[d] != 1) return false;
  return true;
}

// Stores the value of a row that elements are computed from.
static void use_value(parting *s, int reg) {
  if (reg >= s->first && s->row[reg] && s->value[reg] < 0) s->value[reg] = (short)s->nvalues++;
}

static void find_rows(parting *s) {
  const cp_plan *p = s->p;
  for (int r = 0; r < s->first; r++) {
    s->row[r] = r >= p->nleaves || is_whole_row(p, &p->leaves[r]);
    s->level[r] = 0;
  }
  for (int r = s->first; r < s->end; r++) {
    const cp_instr *in = instr_of(s, r);
    bool reduces = in->op == CP_OP_reduce;
    s->row[r] = true;
    s->level[r] = 0;
    for (int j = 0; j < in->nargs; j++) {
      s->row[r] = s->row[r] && (reduces || s->row[in->args[j]]);
      if (s->level[in->args[j]] > s->level[r]) s->level[r] = s->level[in->args[j]];
    }
    s->level[r] = (short)(s->level[r] + reduces);
    s->nreductions += reduces;
    if (s->level[r] > s->top) s->top = s->level[r];
    if (reduces) use_value(s, r);
    for (int j = 0; j < in->nargs && (reduces || !s->row[r]); j++) use_value(s, in->args[j]);
  }
}

static void look_at(parting *s, const cp_plan *p, cp_stages *to) {
  s->p = p;
  s->to = to;
  s->first = p->nleaves + p->nscalars;
  s->end = s->first + p->ninstrs;
  s->nreductions = s->top = s->nvalues = 0;
  s->kept = s->home = -1;
  memset(s->ready, 0, sizeof s->ready);
  memset(s->value, -1, sizeof s->value);
  find_rows(s);
}

// Marks what the registers already marked are computed from, as far as it is not stored yet.
static void mark_needed(const parting *s, bool *needed) {
  for (int r = s->end - 1; r >= s->first; r--) {
    if (!needed[r] || s->ready[r]) continue;
    const cp_instr *in = instr_of(s, r);
    for (int j = 0; j < in->nargs; j++) needed[in->args[j]] = true;
  }
}

// ---- a result that several stages need --------------------------------------------------------------------

// Counts the stages that need each element's register.
static void count_stages(const parting *s, int *counts) {
  memset(counts, 0, MAX_REGISTERS * sizeof *counts);
  for (int k = 0; k <= s->p->ninstrs; k++) { // the reductions, and then the outputs together
    bool needed[MAX_REGISTERS] = {false};
    if (k < s->p->ninstrs && !is_reduction(s, s->first + k)) continue;
    if (k < s->p->ninstrs) needed[s->p->instrs[k].args[0]] = true;
    for (int o = 0; k == s->p->ninstrs && o < s->p->noutputs; o++) needed[s->p->outputs[o].reg] = true;
    for (int r = s->end - 1; r >= s->first; r--) {
      if (!needed[r] || s->row[r]) continue;
      counts[r]++;
      for (int j = 0; j < instr_of(s, r)->nargs; j++) needed[instr_of(s, r)->args[j]] = true;
    }
  }
}

// An output for elements of this dtype whose memory no operand reads; -1: none.
static int find_home(const parting *s, int reg) {
  const cp_plan *p = s->p;
  int home = -1;
  for (int o = 0; o < p->noutputs; o++) {
    bool read = s->row[p->outputs[o].reg] || p->outputs[o].dtype != instr_of(s, reg)->dtype;
    for (int k = 0; k < p->nleaves && !read; k++) read = p->leaves[k].base == p->outputs[o].base;
    if (!read && (home < 0 || p->outputs[o].reg == reg)) home = o;
  }
  return home;
}

// Chooses the last function's result that several stages need.
static void choose_kept(parting *s) {
  int counts[MAX_REGISTERS];
  count_stages(s, counts);
  for (int r = s->end - 1; r >= s->first && s->kept < 0; r--) {
    if (s->row[r] || counts[r] < 2 || instr_of(s, r)->op == CP_OP_cast) continue;
    const cp_op op = instr_of(s, r)->op;
    if (op != CP_OP_call && cp_ops[op].numeric == 0) continue;
    s->home = find_home(s, r);
    if (s->home >= 0) s->kept = r;
  }
}

// ---- stages -----------------------------------------------------------------------------------------------

static int64_t rows_of(const cp_plan *p) { return p->outer > 0 ? p->outer : 1; }

// The values of rows as an operand of a plan that has the first `ndim` dimensions of the whole plan, or one
// of length 1.
static cp_operand value_operand(const parting *s, int reg, int ndim) {
  const cp_plan *p = s->p;
  cp_operand a = {.dtype = instr_of(s, reg)->dtype, .access = CP_ACCESS_STRIDED, .reg = -1};
  int64_t step = (int64_t)cp_itemsize(a.dtype);
  a.base = s->to->values + (int64_t)s->value[reg] * rows_of(p) * 16;
  for (int d = 0; d < ndim; d++) a.strides[d] = 0;
  for (int d = p->ndim - p->nred - 1; d >= 0; d--) {
    a.strides[d] = step;
    step *= p->shape[d];
  }
  return a;
}

static cp_operand stored_operand(const parting *s, int reg, int ndim) {
  if (s->value[reg] >= 0) return value_operand(s, reg, ndim);
  cp_operand a = s->p->outputs[s->home];
  a.access = CP_ACCESS_STRIDED;
  return a;
}

static cp_operand place_in(const cp_operand *a, int ndim, int kept) {
  cp_operand place = *a;
  if (kept == 0 && ndim == 1) place.strides[0] = 0;
  return place;
}

// Copies what the marked registers are computed from; map gives the new numbers of registers.
static void copy_work(const parting *s, const bool *needed, bool rows, cp_plan *q, int *map) {
  const cp_plan *p = s->p;
  int kept = rows ? p->ndim - p->nred : -1;
  for (int r = 0; r < s->end; r++) {
    if (!needed[r] || (r >= p->nleaves && !s->ready[r])) continue;
    map[r] = q->nleaves;
    q->leaves[q->nleaves] =
        r < p->nleaves ? place_in(&p->leaves[r], q->ndim, kept) : stored_operand(s, r, q->ndim);
    q->leaves[q->nleaves].reg = q->nleaves;
    q->nleaves++;
  }
  for (int r = p->nleaves; r < s->first; r++) {
    if (!needed[r]) continue;
    map[r] = q->nleaves + q->nscalars;
    q->scalars[q->nscalars++] = p->scalars[r - p->nleaves];
  }
  for (int r = s->first; r < s->end; r++) {
    if (!needed[r] || s->ready[r]) continue;
    map[r] = q->nleaves + q->nscalars + q->ninstrs;
    cp_instr *in = &q->instrs[q->ninstrs++];
    *in = *instr_of(s, r);
    for (int j = 0; j < in->nargs; j++) in->args[j] = map[in->args[j]];
  }
}

// Begins a stage over all dimensions, or over the kept ones.
static cp_status begin_stage(parting *s, cp_stage_kind kind, cp_plan **out) {
  const cp_plan *p = s->p;
  CP_TRY(cp_plan_take(s->ctx, out));
  cp_plan *q = *out;
  s->to->list[s->to->count++] = (cp_stage){kind, 0, q};
  int ndim = kind == CP_STAGE_ROWS ? p->ndim - p->nred : p->ndim;
  cp_plan_begin(q, ndim > 0 ? ndim : 1, p->shape);
  if (ndim == 0) q->shape[0] = 1;
  q->nfunctions = p->nfunctions;
  memcpy(q->functions, p->functions, sizeof p->functions);
  q->size = kind == CP_STAGE_ROWS ? p->outer : p->size;
  q->outer = p->outer;
  q->inner = p->inner;
  q->along = q->ndim - 1;
  q->vector = 1;
  q->wide = p->wide;
  return CP_OK;
}

static cp_status add_reduction(parting *s, int reg) {
  const cp_instr *in = instr_of(s, reg);
  const cp_plan_reduction *r = &s->p->reductions[in->which];
  bool needed[MAX_REGISTERS] = {false};
  int map[MAX_REGISTERS];
  cp_red_class cls = cp_reds[r->red].cls;
  cp_plan *q;
  CP_TRY(begin_stage(s, CP_STAGE_REDUCE, &q));
  s->to->list[s->to->count - 1].level = s->level[reg];
  for (int j = 0; j < in->nargs; j++) needed[in->args[j]] = true;
  mark_needed(s, needed);
  copy_work(s, needed, false, q, map);
  q->nred = s->p->nred;
  q->reduction = true;
  q->red = r->red;
  q->parameter = r->parameter;
  q->acc = in->loop;
  q->result = cls == CP_RED_INDEX ? CP_INT64 : cls == CP_RED_VARIANCE ? cp_dtypes[q->acc].real : q->acc;
  q->value = map[in->args[0]];
  q->position = cls == CP_RED_INDEX ? map[in->args[1]] : -1;
  q->outputs[q->noutputs++] = value_operand(s, reg, q->ndim);
  s->ready[reg] = true;
  return CP_OK;
}

// Adds a stage that computes these registers into these places.
static cp_status add_values(parting *s, cp_stage_kind kind, int count, const int *regs,
                            const cp_operand *places) {
  bool needed[MAX_REGISTERS] = {false};
  int map[MAX_REGISTERS];
  cp_plan *q;
  if (count == 0) return CP_OK;
  CP_TRY(begin_stage(s, kind, &q));
  for (int k = 0; k < count; k++) needed[regs[k]] = true;
  mark_needed(s, needed);
  bool rows = kind == CP_STAGE_ROWS;
  copy_work(s, needed, rows, q, map);
  for (int k = 0; k < count; k++) {
    q->outputs[k] = place_in(&places[k], q->ndim, rows ? s->p->ndim - s->p->nred : -1);
    q->outputs[k].reg = map[regs[k]];
  }
  q->noutputs = count;
  return CP_OK;
}

// Adds the values of rows that need `level` reductions, besides those that reductions give.
static cp_status add_rows(parting *s, int level) {
  int regs[CP_MAX_OUTPUTS], count = 0;
  cp_operand places[CP_MAX_OUTPUTS];
  int ndim = s->p->ndim - s->p->nred;
  for (int r = s->first; r <= s->end; r++) {
    if (r < s->end && s->value[r] >= 0 && !is_reduction(s, r) && s->level[r] == level) {
      places[count] = value_operand(s, r, ndim > 0 ? ndim : 1);
      regs[count++] = r;
    }
    if (count < CP_MAX_OUTPUTS && r < s->end) continue;
    CP_TRY(add_values(s, CP_STAGE_ROWS, count, regs, places));
    while (count > 0) s->ready[regs[--count]] = true;
  }
  return CP_OK;
}

static cp_status add_level(parting *s, int level) {
  for (int r = s->first; r < s->end; r++)
    if (is_reduction(s, r) && s->level[r] == level) CP_TRY(add_reduction(s, r));
  CP_TRY(add_rows(s, level));
  if (s->kept < 0 || s->level[s->kept] != level) return CP_OK;
  CP_TRY(add_values(s, CP_STAGE_ELEMENTS, 1, &s->kept, &s->p->outputs[s->home]));
  s->ready[s->kept] = true;
  return CP_OK;
}

// The plan's outputs. Those for rows come last, as they may overwrite what elements are computed from.
static cp_status add_outputs(parting *s) {
  for (int rows = 0; rows < 2; rows++) {
    int regs[CP_MAX_OUTPUTS], count = 0;
    cp_operand places[CP_MAX_OUTPUTS];
    for (int o = 0; o < s->p->noutputs; o++) {
      int reg = s->p->outputs[o].reg;
      if (is_whole_row(s->p, &s->p->outputs[o]) != rows || (o == s->home && reg == s->kept)) continue;
      places[count] = s->p->outputs[o];
      regs[count++] = reg;
    }
    CP_TRY(add_values(s, rows ? CP_STAGE_ROWS : CP_STAGE_ELEMENTS, count, regs, places));
  }
  return CP_OK;
}

bool cp_has_stages(const cp_plan *p) {
  parting s;
  if (p->nmoves > 0) return false;
  look_at(&s, p, NULL);
  return s.nreductions <= MOST_REDUCTIONS && s.nvalues <= MOST_VALUES &&
         p->nleaves + s.nvalues < CP_MAX_LEAVES;
}

int cp_first_reductions(const cp_plan *p) {
  parting s;
  int count = 0;
  look_at(&s, p, NULL);
  for (int r = s.first; r < s.end; r++) count += is_reduction(&s, r) && s.level[r] == 1;
  return count;
}

cp_status cp_stages_make(cp_context *ctx, const cp_plan *p, bool keep, cp_stages *out) {
  parting s;
  out->count = 0;
  s.ctx = ctx;
  look_at(&s, p, out);
  if (keep) choose_kept(&s);
  size_t bytes = (size_t)s.nvalues * (size_t)rows_of(p) * 16;
  out->values = malloc(bytes);
  if (out->values == NULL) return cp_fail(CP_EMEMORY, "out of host memory: %zu bytes for values", bytes);
  for (int level = 0; level <= s.top; level++) CP_TRY(add_level(&s, level));
  return add_outputs(&s);
}

void cp_stages_free(cp_context *ctx, cp_stages *s) {
  while (s->count > 0) cp_plan_give(ctx, s->list[--s->count].plan);
  free(s->values);
}
